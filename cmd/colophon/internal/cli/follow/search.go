package follow

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
)

// SearchAnswer is the gateway's answer to a search, as far as it is shown.
type SearchAnswer struct {
	Hits []searchHit `json:"hits"`
}

// searchHit is one hit.
type searchHit struct {
	ChunkRef string  `json:"chunk_ref"`
	Score    float64 `json:"score"`
	Title    string  `json:"title"`
	URL      string  `json:"url"`
	Page     int     `json:"page"`
	Snippet  string  `json:"snippet"`
	Type     string  `json:"type"`
	Status   string  `json:"status"`
	Sources  []struct {
		SourceID string `json:"source_id"`
	} `json:"sources"`
	MoreSources bool `json:"more_sources"`
}

// shownSources is how many sources of a hit are named.
const shownSources = 3

// said says as what the hit is said, and by which sources.
func (h searchHit) said() string {
	var ids []string
	for _, s := range h.Sources {
		if !slices.Contains(ids, s.SourceID) {
			ids = append(ids, s.SourceID)
		}
	}
	by := strings.Join(ids[:min(len(ids), shownSources)], ", ")
	switch rest := len(ids) - shownSources; {
	case h.MoreSources:
		by += " and others"
	case rest > 0:
		by += fmt.Sprintf(" and %d more", rest)
	}
	return fmt.Sprintf("%s, %s, said by %s", h.Type, h.Status, by)
}

func (c commands) searchCommand() *cobra.Command {
	filters := map[string]*[]string{}
	var (
		asOf  string
		limit int
	)
	cmd := &cobra.Command{
		Use: "search QUERY", Short: "Search through the gateway", Args: cli.Args(cobra.MinimumNArgs(1)),
		Example: "  colophon search 'quórum mínimo'\n  colophon search budget --source valdoro --language fr --limit 5 --json\n  colophon search quorum --source-type official --doc-type pdf",
		RunE: func(cmd *cobra.Command, given []string) error {
			query := url.Values{"q": {strings.Join(given, " ")}, "limit": {strconv.Itoa(limit)}}
			for name, values := range filters {
				for _, v := range *values {
					query.Add(name, v)
				}
			}
			if asOf != "" {
				query.Set("as_of", asOf)
			}
			var raw json.RawMessage
			if err := c.Get(cmd.Context(), "/v1/search", query, &raw); err != nil {
				return err
			}
			var found SearchAnswer
			if err := json.Unmarshal(raw, &found); err != nil {
				return err
			}
			return c.Print(raw, func(w io.Writer) { WriteHits(w, found) })
		},
	}
	for _, name := range []string{"source", "source-type", "type", "status", "doc-type", "language", "territory", "domain", "layer"} {
		filters[strings.ReplaceAll(name, "-", "_")] = cmd.Flags().StringSlice(name, nil, "only this "+strings.ReplaceAll(name, "-", " "))
	}
	cmd.Flags().StringVar(&asOf, "as-of", "", "as it stood on this day, YYYY-MM-DD")
	cmd.Flags().IntVar(&limit, "limit", 10, "how many hits, at most 100")
	return cmd
}

// WriteHits prints what a search found, for people.
func WriteHits(w io.Writer, found SearchAnswer) {
	for i, h := range found.Hits {
		fmt.Fprintf(w, "%d. %.3f  %s", i+1, h.Score, firstOf(h.Title, h.URL))
		if h.Page > 0 {
			fmt.Fprintf(w, ", page %d", h.Page)
		}
		fmt.Fprintf(w, "\n   %s\n   %s\n   %s\n", h.ChunkRef, h.said(), shorten(h.Snippet, 160))
	}
	if len(found.Hits) == 0 {
		fmt.Fprintln(w, "nothing found")
	}
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// shorten returns the first n code points on one line.
func shorten(s string, n int) string {
	runes := []rune(strings.Join(strings.Fields(s), " "))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n]) + "…"
}
