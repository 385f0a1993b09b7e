package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

func (c *cli) sourceCommand() *cobra.Command {
	cmd := group("source", "The registry of sources")
	cmd.AddCommand(c.sourceAdd(), c.sourceList(), c.sourceShow())
	return cmd
}

func (c *cli) sourceAdd() *cobra.Command {
	given := model.DefaultSource("")
	var layer string
	cmd := &cobra.Command{
		Use: "add ID", Short: "Register a source, or change what the flags name of one",
		Example: "  colophon source add valdoro --name 'Conseil municipal de Valdoro' --language fr --territory Valdoro",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, id []string) error {
			given.Layer = model.Layer(layer)
			if !model.ValidSourceID(id[0]) {
				return usagef("source_id %q: 1 to 64 of a-z, 0-9, _ and -", id[0])
			}
			db, _, err := c.catalog(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			s, err := db.Source(cmd.Context(), id[0])
			if errors.Is(err, catalog.ErrNotFound) {
				s, err = model.DefaultSource(id[0]), nil
			}
			if err != nil {
				return err
			}
			keepUnnamed(&s, given, cmd.Flags().Changed)
			if err := s.Validate(); err != nil {
				return usageError{err}
			}
			if err := db.PutSource(cmd.Context(), s); err != nil {
				return err
			}
			return c.print(s, func(w io.Writer) { fmt.Fprintf(w, "source %s is registered\n", s.SourceID) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&given.Name, "name", "", "display name, in every chunk's header")
	f.StringVar(&given.SourceType, "type", given.SourceType, "official, wiki, history, proposal, comment or forum")
	f.StringVar(&given.Domain, "domain", given.Domain, "domain of knowledge")
	f.StringVar(&given.Territory, "territory", "", "territory")
	f.StringVar(&layer, "layer", string(given.Layer), "hot, summary or archive")
	f.StringVar(&given.Language, "language", "", "default language, ISO 639-1")
	f.StringSliceVar(&given.Languages, "languages", nil, "languages that detection chooses among, ISO 639-1")
	f.StringVar(&given.Region, "region", "", "region, ISO 3166-1")
	f.StringVar(&given.Licence, "licence", "", "licence")
	f.Int64Var(&given.MaxBytes, "max-bytes", given.MaxBytes, "largest document in bytes")
	f.IntVar(&given.MaxPages, "max-pages", given.MaxPages, "most pages of a document")
	return cmd
}

// keepUnnamed copies the fields whose flags were given, and no others.
func keepUnnamed(s *model.Source, given model.Source, changed func(flag string) bool) {
	for flag, set := range map[string]func(){
		"name": func() { s.Name = given.Name }, "type": func() { s.SourceType = given.SourceType },
		"domain": func() { s.Domain = given.Domain }, "territory": func() { s.Territory = given.Territory },
		"layer": func() { s.Layer = given.Layer }, "language": func() { s.Language = given.Language },
		"languages": func() { s.Languages = given.Languages }, "region": func() { s.Region = given.Region },
		"licence": func() { s.Licence = given.Licence }, "max-bytes": func() { s.MaxBytes = given.MaxBytes },
		"max-pages": func() { s.MaxPages = given.MaxPages },
	} {
		if changed(flag) {
			set()
		}
	}
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
