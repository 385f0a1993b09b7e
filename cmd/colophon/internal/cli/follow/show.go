package follow

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

func (c commands) showCommand() *cobra.Command {
	var asHTML bool
	cmd := &cobra.Command{
		Use: "show chunk|page|why|snapshot|outline|document|entities|ir|source ID", Short: "One record with its links",
		Long:    "Prints one record as JSON. A page is named SNAPSHOT/NUMBER, an IR unit\nSNAPSHOT/NUMBER/IR_ID, an outline SNAPSHOT, entities\nby their DOCUMENT. Why says of each passage of a web page, named as a page is, which\nrule or which signs made it main content or furniture. With --html a page is\nits DOCXT HTML, with where its blocks stand and what entities were read from\n(docs/contracts.md#served-html).",
		Example: "  colophon show chunk 1f0c…:0\n  colophon show page snap_2c…/3\n  colophon show page --html snap_2c…/3 > page.html\n  colophon show why snap_7d…/1", Args: cli.Args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if asHTML {
				return c.showHTML(cmd.Context(), given[0], given[1])
			}
			return c.show(cmd, given[0], given[1])
		},
	}
	cmd.Flags().BoolVar(&asHTML, "html", false, "of a page: print its HTML with marked evidence instead of JSON")
	return cmd
}

// showHTML prints a page as the API serves it with evidence.
func (c commands) showHTML(ctx context.Context, kind, id string) error {
	snapshot, page, ok := strings.Cut(id, "/")
	switch {
	case kind != "page":
		return cli.Usagef("--html is for a page, and %s is none", kind)
	case c.JSON:
		return cli.Usagef("--html and --json exclude each other")
	case !ok || snapshot == "" || page == "" || strings.Contains(page, "/"):
		return cli.Usagef("%q: a page is named SNAPSHOT/NUMBER", id)
	}
	var content []byte
	if err := c.Get(ctx, "/v1/snapshots/"+url.PathEscape(snapshot)+"/pages/"+url.PathEscape(page)+".html", url.Values{"evidence": {"true"}}, &content); err != nil {
		return err
	}
	_, err := c.Out.Write(content)
	return err
}

func (c commands) show(cmd *cobra.Command, kind, id string) error {
	parts := strings.Split(id, "/")
	for i, part := range parts {
		if part == "" {
			return cli.Usagef("%q is no ID", id)
		}
		parts[i] = url.PathEscape(part)
	}
	var path string
	switch {
	case kind == "chunk":
		path = "/v1/chunks/" + url.PathEscape(id)
	case kind == "document", kind == "snapshot":
		path = "/v1/" + kind + "s/" + url.PathEscape(id)
	case kind == "entities" && len(parts) == 1:
		path = "/v1/documents/" + parts[0] + "/entities"
	case kind == "outline" && len(parts) == 1:
		path = "/v1/snapshots/" + parts[0] + "/outline"
	case kind == "page" && len(parts) == 2, kind == "ir" && len(parts) == 3:
		path = "/v1/snapshots/" + parts[0] + "/pages/" + parts[1]
	case kind == "why" && len(parts) == 2:
		return c.why(cmd.Context(), parts[0], parts[1])
	case kind == "page", kind == "why":
		return cli.Usagef("%q: a page is named SNAPSHOT/NUMBER", id)
	case kind == "ir":
		return cli.Usagef("%q: an IR unit is named SNAPSHOT/NUMBER/IR_ID", id)
	case kind == "source":
		return ShowSource(cmd.Context(), c.Tool, id)
	default:
		return cli.Usagef("%q: chunk, page, why, snapshot, outline, document, entities, ir or source", kind)
	}
	var record json.RawMessage
	if err := c.Get(cmd.Context(), path, nil, &record); err != nil {
		return err
	}
	if kind != "ir" {
		return c.Record(record)
	}
	var page struct {
		Units []model.Unit `json:"units"`
	}
	if err := json.Unmarshal(record, &page); err != nil {
		return err
	}
	for _, u := range page.Units {
		if u.IRID == parts[2] {
			return c.Record(u)
		}
	}
	return fmt.Errorf("unit %s is not on this page: %w", parts[2], catalog.ErrNotFound)
}

// kindOf tells what an id names by its form; empty when it names nothing.
func kindOf(id string) string {
	switch {
	case strings.Contains(id, "/"):
		return "page"
	case strings.HasPrefix(id, "doc_"):
		return "document"
	case strings.HasPrefix(id, "snap_"):
		return "snapshot"
	case strings.HasPrefix(id, "ir_"):
		return "ir"
	case strings.Contains(id, ":"):
		return "chunk"
	default:
		return ""
	}
}

// ShowSource prints the record of a source.
func ShowSource(ctx context.Context, c *cli.Tool, id string) error {
	db, _, err := c.Catalog(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	s, err := db.Source(ctx, id)
	if err != nil {
		return err
	}
	return c.Record(s)
}
