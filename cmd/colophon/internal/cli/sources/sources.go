package sources

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/follow"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

func (c commands) sourceCommand() *cobra.Command {
	cmd := cli.Group("source", "The registry of sources")
	changes := []*cobra.Command{
		c.sourceAdd(), c.sourceSet(), c.sourceApply(), c.sourceState(model.SourceEnabled), c.sourceState(model.SourceDisabled),
		c.sourceRemove(), c.sourceLearnFurniture(),
	}
	for _, change := range changes {
		var why string
		change.Flags().StringVar(&why, "why", "", "the reason, for the audit")
		change.PreRun = func(cmd *cobra.Command, _ []string) { cmd.SetContext(catalog.Acting(cmd.Context(), actor(), why)) }
		c.telling(change)
	}
	cmd.AddCommand(changes...)
	cmd.AddCommand(c.sourceList(), c.sourceShow(), c.sourceLog())
	return cmd
}

// actor is who the audit says has changed something by a command: the account
// that it ran under.
func actor() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return "cli/" + u.Username
	}
	return "cli"
}

func (c commands) sourceLog() *cobra.Command {
	return &cobra.Command{
		Use: "log ID", Short: "Show who changed a source, when and why", Example: "  colophon source log valdoro", Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, id []string) error {
			db, _, err := c.Catalog(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			entries, err := db.SourceAudit(cmd.Context(), id[0])
			if err != nil {
				return err
			}
			if len(entries) == 0 {
				return fmt.Errorf("source %s: %w", id[0], catalog.ErrNotFound)
			}
			for _, e := range entries {
				if err := c.Print(e, func(w io.Writer) {
					fmt.Fprintf(w, "%s  %-12s %s  %s\n", e.At.UTC().Format(time.RFC3339), e.Who, e.Action, e.Why)
				}); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func (c commands) sourceAdd() *cobra.Command {
	return c.sourceChange(&cobra.Command{
		Use: "add ID", Short: "Register a source, or change what the flags name of one",
		Example: "  colophon source add valdoro --name 'Conseil municipal de Valdoro' --language fr --territory Valdoro",
	}, true)
}

func (c commands) sourceSet() *cobra.Command {
	return c.sourceChange(&cobra.Command{
		Use: "set ID", Short: "Change what the flags name of a source that is registered",
		Example: "  colophon source set valdoro --host-delay 2s --dedup-html 1h --robots ignore --robots-notes 'agreed with the clerk'",
	}, false)
}

// sourceChange is a command that changes a source by flags, and registers one that
// is not if add says so.
func (c commands) sourceChange(cmd *cobra.Command, add bool) *cobra.Command {
	given := newSourceFlags(cmd.Flags())
	cmd.Args = cli.Args(cobra.ExactArgs(1))
	cmd.RunE = func(cmd *cobra.Command, id []string) error {
		if !model.ValidSourceID(id[0]) {
			return cli.Usagef("source_id %q: 1 to 64 of a-z, 0-9, _ and -", id[0])
		}
		db, _, err := c.Catalog(cmd.Context())
		if err != nil {
			return err
		}
		defer db.Close()
		return c.changeSource(cmd.Context(), db, id[0], add, func(s model.Source) (model.Source, error) {
			if err := given.apply(&s); err != nil {
				return s, err
			}
			if err := s.Validate(); err != nil {
				return s, cli.Usagef("source %s: %w", s.SourceID, err)
			}
			return s, nil
		})
	}
	return cmd
}

// changeSource writes what change makes of a source, and says so.
func (c commands) changeSource(ctx context.Context, db *catalog.DB, id string, add bool, change func(model.Source) (model.Source, error)) error {
	s, err := db.ChangeSource(ctx, id, func(before model.Source, missing error) (model.Source, error) {
		switch {
		case missing != nil && !add:
			return before, missing
		case missing != nil:
			before = model.DefaultSource(id)
		}
		return change(before)
	})
	if err != nil {
		return err
	}
	return c.Print(s, func(w io.Writer) { fmt.Fprintf(w, "source %s is registered\n", s.SourceID) })
}

func (c commands) sourceState(state model.SourceState) *cobra.Command {
	use, short := "enable", "Let a source be captured again"
	if state == model.SourceDisabled {
		use, short = "disable", "Refuse what is sent for a source, and search it no more; what is stored stays"
	}
	return &cobra.Command{
		Use: use + " ID", Short: short, Example: "  colophon source " + use + " valdoro", Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, id []string) error {
			db, _, err := c.Catalog(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			if err := db.SetSourceState(cmd.Context(), id[0], state); err != nil {
				return err
			}
			s, err := db.Source(cmd.Context(), id[0])
			if err != nil {
				return err
			}
			return c.Print(s, func(w io.Writer) { fmt.Fprintf(w, "source %s is %s\n", s.SourceID, s.State) })
		},
	}
}

func (c commands) sourceRemove() *cobra.Command {
	return &cobra.Command{
		Use: "remove ID", Short: "Take a source out of the registry that nothing was captured for",
		Example: "  colophon source remove valdoro", Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, id []string) error {
			db, _, err := c.Catalog(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			switch err := db.RemoveSource(cmd.Context(), id[0]); {
			case errors.Is(err, catalog.ErrInUse):
				return cli.Failed(fmt.Errorf("%w: disable it instead", err))
			case err != nil:
				return err
			}
			return c.Print(map[string]string{"removed": id[0]}, func(w io.Writer) { fmt.Fprintf(w, "source %s is removed\n", id[0]) })
		},
	}
}

func (c commands) sourceList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the sources", Example: "  colophon source list --json", Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, _, err := c.Catalog(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			sources, err := db.Sources(cmd.Context())
			if err != nil {
				return err
			}
			for _, s := range sources {
				if err := c.Print(s, func(w io.Writer) {
					fmt.Fprintf(w, "%-24s %-9s %-10s %s\n", s.SourceID, s.State, s.SourceType, s.Name)
				}); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func (c commands) sourceShow() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show one source", Example: "  colophon source show valdoro", Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			return follow.ShowSource(cmd.Context(), c.Tool, given[0])
		},
	}
}
