package follow

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
)

// SearchAnswer is the gateway's answer to a search, as far as it is shown.
type SearchAnswer struct {
	WordsOnly bool        `json:"words_only"`
	Bounded   bool        `json:"bounded"`
	Reranking string      `json:"reranking"`
	Hits      []searchHit `json:"hits"`
	Next      string      `json:"next"`
	Facets    *struct {
		Counted  int  `json:"counted"`
		Complete bool `json:"complete"`
		Fields   map[string][]struct {
			Value string `json:"value"`
			Count int    `json:"count"`
		} `json:"fields"`
	} `json:"facets"`
}

// near is a chunk that stands beside a hit.
type near struct {
	Content string `json:"content"`
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
	MoreSources  bool `json:"more_sources"`
	BlockSources []struct {
		SourceID string `json:"source_id"`
	} `json:"block_sources"`
	MoreBlockSources bool   `json:"more_block_sources"`
	Before           []near `json:"before"`
	After            []near `json:"after"`
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
	said := fmt.Sprintf("%s, %s, said by %s", h.Type, h.Status, named(ids, h.MoreSources))
	var partly []string
	for _, s := range h.BlockSources {
		if !slices.Contains(ids, s.SourceID) {
			partly = append(partly, s.SourceID)
		}
	}
	if len(partly) > 0 {
		said += "; in part also by " + named(partly, h.MoreBlockSources)
	}
	return said
}

// named names the first sources of a list.
func named(ids []string, more bool) string {
	by := strings.Join(ids[:min(len(ids), shownSources)], ", ")
	switch rest := len(ids) - shownSources; {
	case more:
		by += " and others"
	case rest > 0:
		by += fmt.Sprintf(" and %d more", rest)
	}
	return by
}

// The flags of a search. A name's hyphens are underscores in the parameter.
func searchFlags() (lists, bounds map[string]string) {
	lists = map[string]string{
		"source": "", "source-type": "", "type": "", "status": "", "doc-type": "", "language": "", "territory": "", "domain": "", "layer": "",
		"host": "", "url": "", "title": "", "document": "only what the current version of this document says, document_id",
		"snapshot": "only what this capture says, snapshot_id", "doc-hash": "", "chunk-id": "", "chunk": "only this chunk, chunk_ref",
		"anchor-type": "only chunks whose first anchor is of this type", "anchor-text": "only chunks whose first anchor has this text",
		"collection": "",
	}
	bounds = map[string]string{
		"as-of": "as it stood on this day, YYYY-MM-DD", "from": "dated on this day or later, YYYY-MM-DD", "to": "dated on this day or earlier, YYYY-MM-DD",
		"pushed-from": "indexed at this time or later, YYYY-MM-DDThh:mm:ssZ", "pushed-to": "indexed at this time or earlier",
		"pages": "only what begins on these pages: 3, 3-9, 3- or -9", "chunk-index": "only these places among the chunks of a document, likewise",
		"tokens": "only chunks of so many tokens, likewise", "text-len": "only chunks of so many code points, likewise",
		"cursor": "the page behind the one that named this cursor",
	}
	return lists, bounds
}

func (c commands) searchCommand() *cobra.Command {
	lists, bounds := searchFlags()
	filters, once := make(map[string]*[]string), make(map[string]*string)
	var (
		limit, neighbours int
		facets            bool
	)
	cmd := &cobra.Command{
		Use: "search QUERY", Short: "Search through the gateway",
		Long: "Asks the gateway for what says something of QUERY, the best first. In QUERY \"two words\" is\n" +
			"a phrase that must stand in what is found, and -word must not (put -- before a QUERY that\n" +
			"begins with it). A flag that narrows may come more than once: any of its values will do.",
		Args: cli.Args(cobra.MinimumNArgs(1)),
		Example: "  colophon search 'quórum mínimo'\n  colophon search budget --source valdoro --language fr --limit 5 --json\n" +
			"  colophon search 'sessões \"quórum mínimo\" -extraordinária' --doc-type pdf --pages 3-9 --facets",
		RunE: func(cmd *cobra.Command, given []string) error {
			query := url.Values{"q": {strings.Join(given, " ")}, "limit": {strconv.Itoa(limit)}}
			for name, values := range filters {
				for _, v := range *values {
					query.Add(parameter(name), v)
				}
			}
			for name, value := range once {
				if *value != "" {
					query.Set(parameter(name), *value)
				}
			}
			if facets {
				query.Set("facets", "true")
			}
			if neighbours != 0 {
				query.Set("neighbours", strconv.Itoa(neighbours))
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
	for name, help := range lists {
		list := cmd.Flags().StringSlice
		if name == "url" || name == "title" || name == "anchor-text" { // which may have commas
			list = cmd.Flags().StringArray
		}
		filters[name] = list(name, nil, firstOf(help, "only this "+strings.ReplaceAll(name, "-", " ")))
	}
	for name, help := range bounds {
		once[name] = cmd.Flags().String(name, "", help)
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "how many hits, at most 100")
	cmd.Flags().IntVar(&neighbours, "neighbours", 0, "how many chunks before and behind each hit are shown, at most 5")
	cmd.Flags().BoolVar(&facets, "facets", false, "count what was found by source, type, status, language and more")
	return cmd
}

// parameter names a flag as the gateway does.
func parameter(flag string) string { return strings.ReplaceAll(flag, "-", "_") }

// WriteHits prints what a search found, for people.
func WriteHits(w io.Writer, found SearchAnswer) {
	for i, h := range found.Hits {
		fmt.Fprintf(w, "%d. %.3f  %s", i+1, h.Score, firstOf(h.Title, h.URL))
		if h.Page > 0 {
			fmt.Fprintf(w, ", page %d", h.Page)
		}
		fmt.Fprintf(w, "\n   %s\n   %s\n", h.ChunkRef, h.said())
		if h.Title != "" && h.URL != "" {
			fmt.Fprintf(w, "   %s\n", h.URL)
		}
		for _, n := range h.Before {
			fmt.Fprintf(w, "   ↑ %s\n", shorten(n.Content, 160))
		}
		fmt.Fprintf(w, "   %s\n", shorten(h.Snippet, 160))
		for _, n := range h.After {
			fmt.Fprintf(w, "   ↓ %s\n", shorten(n.Content, 160))
		}
	}
	if len(found.Hits) == 0 {
		fmt.Fprintln(w, "nothing found")
	}
	if found.Facets != nil {
		found.writeFacets(w)
	}
	if found.Next != "" {
		fmt.Fprintf(w, "more: --cursor %s\n", found.Next)
	}
	if found.Bounded {
		fmt.Fprintln(w, "looked for among the best candidates only: there may be more")
	}
	if found.WordsOnly {
		fmt.Fprintln(w, "by words alone: the embedding model could not be asked")
	}
	if found.Reranking == "away" {
		fmt.Fprintln(w, "not reranked: the reranking model could not be asked")
	}
}

// shownValues is how many values of a field are named.
const shownValues = 8

func (a SearchAnswer) writeFacets(w io.Writer) {
	of := "hits"
	if !a.Facets.Complete {
		of = "hits that fit best"
	}
	fmt.Fprintf(w, "of %d %s:\n", a.Facets.Counted, of)
	for _, field := range slices.Sorted(maps.Keys(a.Facets.Fields)) {
		values := a.Facets.Fields[field]
		var said []string
		for _, v := range values[:min(len(values), shownValues)] {
			said = append(said, fmt.Sprintf("%s %d", v.Value, v.Count))
		}
		if rest := len(values) - len(said); rest > 0 {
			said = append(said, fmt.Sprintf("and %d more", rest))
		}
		fmt.Fprintf(w, "  %-12s %s\n", field, strings.Join(said, ", "))
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
