// Package cli holds what all commands share: how they print, how they reach the servers
// and services of an installation, and how an error becomes an exit status. The commands
// themselves are in the rooms below it, by what they do.
package cli

import (
	"encoding/json"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Tool is what all commands share. Its fields are set before a command runs.
type Tool struct {
	Dir      string      // the development folder
	DirFlag  *pflag.Flag // --dir; nil: Dir was chosen
	JSON     bool        // print for programs
	Progress bool        // show progress also where standard error is no terminal
	Out      io.Writer
	Err      io.Writer
	Tables   Tables // of the system that commands start or read
}

// At is the same tool on the system of another development folder.
func (c *Tool) At(dir string) *Tool {
	there := *c
	there.Dir, there.DirFlag = dir, nil
	return &there
}

// Args turns cobra's argument check into a usage error.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if err := check(cmd, given); err != nil {
			return Usagef("%w: see `%s --help`", err, cmd.CommandPath())
		}
		return nil
	}
}

// Group is a command that only holds others.
func Group(name, short string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short,
		RunE: func(cmd *cobra.Command, given []string) error {
			if len(given) == 0 {
				return cmd.Help()
			}
			return Usagef("unknown command %q of %s: see colophon %s --help", given[0], name, name)
		},
	}
}

// Record prints one record: as JSON in any case, indented for people.
func (c *Tool) Record(v any) error {
	enc := json.NewEncoder(c.Out)
	enc.SetEscapeHTML(false)
	if !c.JSON {
		enc.SetIndent("", "  ")
	}
	return enc.Encode(v)
}

// Print writes v as one line of JSON, or calls human.
func (c *Tool) Print(v any, human func(w io.Writer)) error {
	if !c.JSON {
		human(ForPeople(c.Out))
		return nil
	}
	return WriteJSON(c.Out, v)
}

// WriteJSON writes v as one line of JSON, in which <, > and & stand as they are.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// terminal reports whether standard error is a terminal: where progress goes
// without being asked for.
func (c *Tool) terminal() bool {
	f, ok := c.Err.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
