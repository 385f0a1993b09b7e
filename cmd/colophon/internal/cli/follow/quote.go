package follow

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
)

// quotation is what the gateway is asked with.
type quotation struct {
	Quote    string   `json:"quote"`
	Source   []string `json:"source,omitempty"`
	Document string   `json:"document,omitempty"`
	Language []string `json:"language,omitempty"`
	AsOf     string   `json:"as_of,omitempty"`
	Limit    int      `json:"limit,omitempty"`
}

// quoteAnswer is the gateway's answer, as far as it is shown.
type quoteAnswer struct {
	Exact    bool         `json:"exact"`
	Standing string       `json:"standing"`
	Reason   string       `json:"reason"`
	Parts    int          `json:"parts"`
	Places   []quotePlace `json:"places"`
	More     bool         `json:"more"`
}

type quotePlace struct {
	Part      int    `json:"part"`
	ChunkRef  string `json:"chunk_ref"`
	Standing  string `json:"standing"`
	Text      string `json:"text"`
	Before    string `json:"before"`
	After     string `json:"after"`
	Title     string `json:"title"`
	URL       string `json:"url"`
	Page      int    `json:"page"`
	Type      string `json:"type"`
	Status    string `json:"status"`
	InfoDate  string `json:"info_date"`
	Successor *struct {
		Reason string `json:"reason"`
		Chunks []struct {
			ChunkRef string `json:"chunk_ref"`
			Content  string `json:"content"`
		} `json:"successors"`
	} `json:"came_after"`
}

func (c commands) checkQuoteCommand() *cobra.Command {
	var (
		q     quotation
		proof bool
	)
	cmd := &cobra.Command{
		Use: "check-quote QUOTATION", Short: "Where a quotation stands, exactly, or that it does not",
		Long: "Asks the gateway where a quotation stands: letter by letter, but for white space, hyphens\n" +
			"at line ends, ligatures, and the forms of quotation marks and dashes. An ellipsis stands\n" +
			"for words that are left out: then its parts are looked for, in their order, in one\n" +
			"document. It ends with 0 when the quotation stands exactly so in what is current, else\n" +
			"with 3: also where it is in parts, in other case, or in an earlier version.",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		Example: "  colophon check-quote 'le quorum est de sept membres'\n  colophon check-quote --proof --as-of 2025-12-31 'the budget was voted'",
		RunE: func(cmd *cobra.Command, given []string) error {
			q.Quote = strings.Join(given, " ")
			var raw json.RawMessage
			if err := c.Post(cmd.Context(), "/v1/check-quote", q, &raw); err != nil {
				return err
			}
			var found quoteAnswer
			if err := json.Unmarshal(raw, &found); err != nil {
				return err
			}
			if err := c.Print(raw, func(w io.Writer) { writeQuote(w, found) }); err != nil {
				return err
			}
			if proof && len(found.Places) > 0 {
				var proved json.RawMessage
				if err := c.Get(cmd.Context(), "/v1/chunks/"+url.PathEscape(found.Places[0].ChunkRef)+"/proof", nil, &proved); err != nil {
					return err
				}
				if err := c.Record(proved); err != nil {
					return err
				}
			}
			if !found.Exact || found.Standing != "current" {
				return cli.ErrFailed
			}
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&q.Source, "source", nil, "only these sources")
	cmd.Flags().StringVar(&q.Document, "document", "", "only this document")
	cmd.Flags().StringSliceVar(&q.Language, "language", nil, "only these languages")
	cmd.Flags().StringVar(&q.AsOf, "as-of", "", "as it stood on this day, YYYY-MM-DD")
	cmd.Flags().IntVar(&q.Limit, "limit", 10, "how many places, at most 50")
	cmd.Flags().BoolVar(&proof, "proof", false, "also the proof of the first place, down to the captured bytes")
	return cmd
}

// writeQuote prints where a quotation stands, for people.
func writeQuote(w io.Writer, found quoteAnswer) {
	fmt.Fprintln(w, found.Reason)
	for i, p := range found.Places {
		fmt.Fprintf(w, "%d. %s  %s", i+1, p.Standing, firstOf(p.Title, p.URL))
		if p.Page > 0 {
			fmt.Fprintf(w, ", page %d", p.Page)
		}
		if found.Parts > 1 {
			fmt.Fprintf(w, ", part %d", p.Part)
		}
		fmt.Fprintf(w, "\n   %s\n   %s, %s, %s\n   …%s[%s]%s…\n", p.ChunkRef, p.InfoDate, p.Type, p.Status,
			endOf(p.Before), oneLine(p.Text), shorten(p.After, 60))
		if a := p.Successor; a != nil {
			fmt.Fprintf(w, "   since then: %s\n", a.Reason)
			for _, s := range a.Chunks {
				fmt.Fprintf(w, "   now %s  %s\n", s.ChunkRef, shorten(s.Content, 100))
			}
		}
	}
	if found.More {
		fmt.Fprintln(w, "there are more places")
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// endOf returns the last code points of what stands before a quotation, on one line.
func endOf(s string) string {
	const most = 60
	runes := []rune(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			return ' '
		}
		return r
	}, s))
	return string(runes[max(0, len(runes)-most):])
}
