package sources

import (
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/sourcefile"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

func (c commands) sourceApply() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use: "apply -f FILE", Short: "Register and change sources as a YAML file says",
		Long: "Reads sources from a YAML file, one a document of it, under the names that\n" +
			"`source show` prints. What a document does not name stays as it is, what is null\n" +
			"gets its default. Nothing is written unless all of it is valid.",
		Example: "  colophon source apply -f sources.yaml\n  colophon source show --json valdoro | colophon source apply -f -",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			described, err := readDescriptions(path, cmd.InOrStdin())
			if err != nil {
				return err
			}
			db, _, err := c.Catalog(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			for n, d := range described {
				s, err := db.Source(cmd.Context(), d.ID)
				if errors.Is(err, catalog.ErrNotFound) {
					s, err = model.DefaultSource(d.ID), nil
				}
				if err != nil {
					return err
				}
				if _, err := d.Apply(s); err != nil {
					return cli.Usagef("%s: document %d: %w", path, n+1, err)
				}
			}
			for _, d := range described {
				if err := c.changeSource(cmd.Context(), db, d.ID, true, d.Apply); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&path, "file", "f", "", "the YAML file, - for standard input")
	return cmd
}

func readDescriptions(path string, in io.Reader) ([]sourcefile.Description, error) {
	if path == "" {
		return nil, cli.Usagef("-f FILE must be given")
	}
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, cli.Usage(err)
		}
		defer f.Close()
		in = f
	}
	all, err := sourcefile.Parse(in)
	if err != nil {
		return nil, cli.Usagef("%s: %w", path, err)
	}
	return all, nil
}
