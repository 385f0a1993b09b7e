package follow

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
)

func (c commands) contextCommand() *cobra.Command {
	filters := map[string]*[]string{}
	var (
		asOf          string
		limit, budget int
	)
	cmd := &cobra.Command{
		Use: "context QUERY", Short: "What is known of a question, as a prompt with citations",
		Long: "Asks the gateway for what a search finds of QUERY, told as what it is: confirmed facts, the\n" +
			"newest first; facts under review; allegations; opinions; what is refuted or obsolete; and what\n" +
			"contradicts each other. It prints a prompt for a model, with numbers to cite by.",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		Example: "  colophon context 'quórum mínimo' --budget 6000\n  colophon context budget --source valdoro --as-of 2025-12-31 --json",
		RunE: func(cmd *cobra.Command, given []string) error {
			query := url.Values{"q": {strings.Join(given, " ")}, "limit": {strconv.Itoa(limit)}, "budget": {strconv.Itoa(budget)}}
			for name, values := range filters {
				for _, v := range *values {
					query.Add(name, v)
				}
			}
			if asOf != "" {
				query.Set("as_of", asOf)
			}
			var raw json.RawMessage
			if err := c.Get(cmd.Context(), "/v1/answer-context", query, &raw); err != nil {
				return err
			}
			var found struct {
				Prompt string `json:"prompt"`
			}
			if err := json.Unmarshal(raw, &found); err != nil {
				return err
			}
			return c.Print(raw, func(w io.Writer) { fmt.Fprint(w, found.Prompt) })
		},
	}
	for _, name := range []string{"source", "source-type", "type", "status", "doc-type", "language", "territory", "domain", "layer"} {
		filters[strings.ReplaceAll(name, "-", "_")] = cmd.Flags().StringSlice(name, nil, "only this "+strings.ReplaceAll(name, "-", " "))
	}
	cmd.Flags().StringVar(&asOf, "as-of", "", "as it stood on this day, YYYY-MM-DD")
	cmd.Flags().IntVar(&limit, "limit", 20, "how many hits are told, at most 100")
	cmd.Flags().IntVar(&budget, "budget", 12000, "how many characters the prompt has at most, 1000 to 100000")
	return cmd
}
