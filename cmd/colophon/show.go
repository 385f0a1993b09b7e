package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

func (c *cli) showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show chunk|page|snapshot|document|ir|source ID", Short: "One record with its links",
		Long:    "Prints one record as JSON. A page is named SNAPSHOT/NUMBER, an IR unit\nSNAPSHOT/NUMBER/IR_ID.",
		Example: "  colophon show chunk 1f0c…:0\n  colophon show page snap_2c…/3", Args: args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, given []string) error { return c.show(cmd, given[0], given[1]) },
	}
}

func (c *cli) show(cmd *cobra.Command, kind, id string) error {
	parts := strings.Split(id, "/")
	for i, part := range parts {
		if part == "" {
			return usagef("%q is no ID", id)
		}
		parts[i] = url.PathEscape(part)
	}
	var path string
	switch {
	case kind == "chunk":
		path = "/v1/chunks/" + url.PathEscape(id)
	case kind == "document", kind == "snapshot":
		path = "/v1/" + kind + "s/" + url.PathEscape(id)
	case kind == "page" && len(parts) == 2, kind == "ir" && len(parts) == 3:
		path = "/v1/snapshots/" + parts[0] + "/pages/" + parts[1]
	case kind == "page":
		return usagef("%q: a page is named SNAPSHOT/NUMBER", id)
	case kind == "ir":
		return usagef("%q: an IR unit is named SNAPSHOT/NUMBER/IR_ID", id)
	case kind == "source":
		return c.showSource(cmd, id)
	default:
		return usagef("%q: chunk, page, snapshot, document, ir or source", kind)
	}
	var record json.RawMessage
	if err := c.get(cmd.Context(), path, nil, &record); err != nil {
		return err
	}
	if kind != "ir" {
		return c.record(record)
	}
	var page struct {
		Units []model.Unit `json:"units"`
	}
	if err := json.Unmarshal(record, &page); err != nil {
		return err
	}
	for _, u := range page.Units {
		if u.IRID == parts[2] {
			return c.record(u)
		}
	}
	return fmt.Errorf("unit %s is not on this page: %w", parts[2], catalog.ErrNotFound)
}

func (c *cli) showSource(cmd *cobra.Command, id string) error {
	db, _, err := c.catalog(cmd.Context())
	if err != nil {
		return err
	}
	defer db.Close()
	s, err := db.Source(cmd.Context(), id)
	if err != nil {
		return err
	}
	return c.record(s)
}
