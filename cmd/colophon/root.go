package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/colophon-dev/colophon/devstack"
	"github.com/colophon-dev/colophon/devstack/postgres"
	"github.com/colophon-dev/colophon/devstack/supervisor"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// The exit statuses of contracts 10.
const (
	exitDone        = 0
	exitInternal    = 1
	exitUsage       = 2
	exitFailed      = 3 // ran, but something failed or does not verify, or it was interrupted
	exitUnreachable = 4
)

// errFailed ends a command that ran, with exit status 3: what failed has been
// printed.
var errFailed = errors.New("something failed")

// failedError is a failure with a sentence that has not been printed: exit
// status 3.
type failedError struct{ error }

func failedf(format string, args ...any) error { return failedError{fmt.Errorf(format, args...)} }

// usageError is a wrong argument: exit status 2.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// cli is what all commands share.
type cli struct {
	dir      string
	dirFlag  *pflag.Flag // --dir; nil: dir was chosen
	json     bool
	progress bool
	out      io.Writer
	err      io.Writer
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := &told{Writer: stdout}
	c := &cli{out: out, err: stderr}
	root := c.root()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(stderr)
	err := interrupted(ctx, root.ExecuteContext(ctx))
	if err == nil || errors.Is(err, errFailed) {
		err = cmp.Or(out.failed(), err)
	}
	code := exitCode(err)
	switch {
	case err == nil, errors.Is(err, errFailed), errors.Is(context.Cause(ctx), errUnheard):
	case c.json:
		_ = writeJSON(stderr, problemLine{Error: sentence(err), Exit: code}) // nobody is left to tell
	default:
		fmt.Fprintf(stderr, "colophon: %s\n", shown(sentence(err)))
	}
	return code
}

// interrupted says of an error that is only the end of ctx that the command was
// interrupted: what it was about to do then is nobody's failure.
func interrupted(ctx context.Context, err error) error {
	var failed failedError
	if err == nil || ctx.Err() == nil || !errors.Is(err, context.Canceled) || errors.As(err, &failed) {
		return err
	}
	return failedf("interrupted")
}

// problemLine is an error with --json.
type problemLine struct {
	Error string `json:"error"`
	Exit  int    `json:"exit"` // the exit status
}

func exitCode(err error) int {
	var (
		usage  usageError
		failed failedError
		gaveUp *supervisor.GaveUpError
	)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &gaveUp): // whatever it died of
		return exitInternal
	case errors.Is(err, errFailed), errors.As(err, &failed), errors.Is(err, stream.ErrNoDead), errors.Is(err, stream.ErrNotKept):
		return exitFailed
	case errors.As(err, &usage), strings.HasPrefix(err.Error(), "unknown command"), errors.Is(err, config.ErrSettings),
		errors.Is(err, stream.ErrNoEvents), errors.Is(err, syscall.EADDRINUSE), errors.Is(err, devstack.ErrBusy),
		errors.Is(err, stream.ErrNoRoom):
		return exitUsage
	case errors.Is(err, config.ErrNoEndpoints), errors.Is(err, postgres.ErrNotInstalled), fault.KindOf(err) == fault.KindUnavailable, errors.Is(err, context.DeadlineExceeded):
		return exitUnreachable
	case errors.Is(err, catalog.ErrNotFound):
		return exitFailed
	default:
		return exitInternal
	}
}

func sentence(err error) string {
	if errors.Is(err, config.ErrNoEndpoints) {
		return "no running system found: start one with `colophon dev`, or set the COLOPHON_ variables"
	}
	return err.Error()
}

func (c *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "colophon",
		Short:         "Turns captured documents into searchable chunks that prove where they come from",
		Long:          "Colophon turns captured documents into searchable chunks that each prove\nwhere they come from, down to the captured bytes.\n\nExit status: 0 done, 1 internal error, 2 wrong usage or settings, 3 something\nfailed, was interrupted, is not there or does not verify, 4 not reachable.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	flags := root.PersistentFlags()
	flags.StringVar(&c.dir, "dir", ".colophon", "development folder whose endpoints.env is used when the environment names no server, and in any case when it is given")
	c.dirFlag = flags.Lookup("dir")
	flags.BoolVar(&c.json, "json", false, "print JSON for programs, errors as well (on standard error)")
	flags.BoolVar(&c.progress, "progress", false, "show progress also where standard error is no terminal")
	root.AddCommand(
		c.devCommand(), c.demoCommand(), c.convertCommand(), c.captureCommand(), c.statusCommand(), c.searchCommand(),
		c.showCommand(), c.rawCommand(), c.diffCommand(), c.exportCommand(), c.verifyCommand(), c.tailCommand(), c.dlqCommand(), c.retryCommand(), c.reparseCommand(),
		c.reconcileCommand(), c.dumpCommand(), c.provisionCommand(), c.migrateCommand(), c.sourceCommand(),
		c.versionCommand(), c.environmentCommand(),
	)
	return root
}

// args turns cobra's argument check into a usage error.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if err := check(cmd, given); err != nil {
			return usagef("%w: see `%s --help`", err, cmd.CommandPath())
		}
		return nil
	}
}

// group is a command that only holds others.
func group(name, short string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short,
		RunE: func(cmd *cobra.Command, given []string) error {
			if len(given) == 0 {
				return cmd.Help()
			}
			return usagef("unknown command %q of %s: see colophon %s --help", given[0], name, name)
		},
	}
}

// print writes v as one line of JSON, or calls human.
func (c *cli) print(v any, human func(w io.Writer)) error {
	if !c.json {
		human(forPeople{c.out})
		return nil
	}
	return writeJSON(c.out, v)
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// terminal reports whether standard error is a terminal: where progress goes
// without being asked for.
func (c *cli) terminal() bool {
	f, ok := c.err.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
