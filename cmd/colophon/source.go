package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/pkg/model"
)

func (c *cli) sourceCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "source", Short: "The registry of sources"}
	cmd.AddCommand(c.sourceAdd(), c.sourceList(), c.sourceShow())
	return cmd
}

func (c *cli) sourceAdd() *cobra.Command {
	s := model.DefaultSource("")
	var layer string
	cmd := &cobra.Command{
		Use: "add ID", Short: "Register a source, or change it",
		Example: "  colophon source add valdoro --name 'Conseil municipal de Valdoro' --language fr --territory Valdoro",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			s.SourceID, s.Layer = given[0], model.Layer(layer)
			if s.Name == "" {
				s.Name = s.SourceID
			}
			if err := s.Validate(); err != nil {
				return usageError{err}
			}
			db, _, err := c.catalog(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			if err := db.PutSource(cmd.Context(), s); err != nil {
				return err
			}
			return c.print(s, func(w io.Writer) { fmt.Fprintf(w, "source %s is registered\n", s.SourceID) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.Name, "name", "", "display name, in every chunk's header")
	f.StringVar(&s.SourceType, "type", s.SourceType, "official, wiki, history, proposal, comment or forum")
	f.StringVar(&s.Domain, "domain", s.Domain, "domain of knowledge")
	f.StringVar(&s.Territory, "territory", "", "territory")
	f.StringVar(&layer, "layer", string(s.Layer), "hot, summary or archive")
	f.StringVar(&s.Language, "language", "", "default language, ISO 639-1")
	f.StringSliceVar(&s.Languages, "languages", nil, "languages that detection chooses among")
	f.StringVar(&s.Region, "region", "", "region, ISO 3166-1")
	f.StringVar(&s.Licence, "licence", "", "licence")
	f.Int64Var(&s.MaxBytes, "max-bytes", s.MaxBytes, "largest document in bytes")
	f.IntVar(&s.MaxPages, "max-pages", s.MaxPages, "most pages of a document")
	return cmd
}

func (c *cli) sourceList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the sources", Example: "  colophon source list --json", Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, _, err := c.catalog(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			sources, err := db.Sources(cmd.Context())
			if err != nil {
				return err
			}
			for _, s := range sources {
				if err := c.print(s, func(w io.Writer) {
					fmt.Fprintf(w, "%-24s %-9s %-10s %s\n", s.SourceID, s.State, s.SourceType, s.Name)
				}); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func (c *cli) sourceShow() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show one source", Example: "  colophon source show valdoro", Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error { return c.showSource(cmd, given[0]) },
	}
}
