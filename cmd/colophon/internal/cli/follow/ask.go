package follow

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// askSentence is a sentence of an answer, as far as it is shown.
type askSentence struct {
	Text      string        `json:"text"`
	SaidAs    string        `json:"said_as"`
	Status    string        `json:"status"`
	Citations []askCitation `json:"citations"`
}

type askCitation struct {
	N        int    `json:"n"`
	ChunkRef string `json:"chunk_ref"`
	Type     string `json:"type"`
	Status   string `json:"status"`
	InfoDate string `json:"info_date"`
	Source   string `json:"source"`
	Quote    string `json:"quote"`
}

// shownQuote is how many characters of what a sentence stands on are shown.
const shownQuote = 200

// askEnd says how an answer has ended.
type askEnd struct {
	Outcome string `json:"outcome"`
	Why     string `json:"why"`
	LeftOut []struct {
		Reason string `json:"reason"`
		Count  int    `json:"count"`
	} `json:"left_out"`
}

// askContext is what is known of the question, as far as it is shown.
type askContext struct {
	Prompt string `json:"prompt"`
}

func (c commands) askCommand() *cobra.Command {
	filters := map[string]*[]string{}
	var (
		asOf          string
		limit, budget int
	)
	cmd := &cobra.Command{
		Use: "ask QUESTION", Short: "An answer that stands in what it cites",
		Long: "Asks the gateway a question. A chat model writes the answer, where the annotator has one\n" +
			"(COLOPHON_CHAT_URL); each sentence is printed as it comes, if what it says stands in the\n" +
			"passages that it cites, and what does not is left out and counted. Without a model, or\n" +
			"while it is away, the passages themselves are printed. It ends with 0 when there is an answer\n" +
			"or no model, with 3 when nothing is told of what the model said, with 4 while it is away.",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		Example: "  colophon ask 'Quel est le quorum du conseil ?'\n  colophon ask 'What does the bridge cost?' --source valdoro --as-of 2025-12-31 --json",
		RunE: func(cmd *cobra.Command, given []string) error {
			body := map[string]any{"q": strings.Join(given, " "), "limit": limit, "budget": budget}
			for name, values := range filters {
				if len(*values) > 0 {
					body[name] = *values
				}
			}
			if asOf != "" {
				body["as_of"] = asOf
			}
			return c.ask(cmd, body)
		},
	}
	for _, name := range []string{"source", "source-type", "type", "status", "doc-type", "language", "territory", "domain", "layer"} {
		filters[strings.ReplaceAll(name, "-", "_")] = cmd.Flags().StringSlice(name, nil, "only this "+strings.ReplaceAll(name, "-", " "))
	}
	cmd.Flags().StringVar(&asOf, "as-of", "", "as it stood on this day, YYYY-MM-DD")
	cmd.Flags().IntVar(&limit, "limit", 20, "how many hits may answer, at most 100")
	cmd.Flags().IntVar(&budget, "budget", 12000, "how many characters the passages have at most, 1000 to 100000")
	return cmd
}

// ask prints an answer as it comes, or as one object.
func (c commands) ask(cmd *cobra.Command, body any) error {
	p := answerPrinter{commands: c, cited: make(map[int]askCitation)}
	var away struct {
		Detail  string          `json:"detail"`
		Context json.RawMessage `json:"context"`
	}
	if c.JSON {
		var raw json.RawMessage
		problem, err := c.PostEvents(cmd.Context(), "/v1/ask", body, "application/json", func(_ string, data []byte) error {
			raw = data
			return nil
		})
		if len(problem) > 0 && json.Unmarshal(problem, &away) == nil && len(away.Context) > 0 {
			raw = problem
		}
		if len(raw) == 0 {
			return err
		}
		var end askEnd
		if jsonErr := json.Unmarshal(raw, &end); jsonErr != nil {
			return jsonErr
		}
		if printed := c.Record(raw); printed != nil || err != nil {
			return firstError(printed, err)
		}
		return end.status()
	}
	problem, err := c.PostEvents(cmd.Context(), "/v1/ask", body, "text/event-stream", p.event)
	if err != nil {
		if len(problem) > 0 && json.Unmarshal(problem, &away) == nil && len(away.Context) > 0 {
			p.context = away.Context
			if printed := p.passages(); printed != nil {
				return printed
			}
		}
		return err
	}
	return p.end()
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// status is how the command ends by how the answer did.
func (e askEnd) status() error {
	switch e.Outcome {
	case "answered", "partial", "no_model":
		return nil
	case "away", "busy", "spent":
		return fault.Unavailable(fmt.Errorf("%s", e.Why))
	case "":
		return fault.Unavailable(fmt.Errorf("the gateway ended the answer midway"))
	}
	return cli.ErrFailed
}

// say prints to a person.
func (p *answerPrinter) say(human func(w io.Writer)) error { return p.Print(nil, human) }

// answerPrinter prints the events of an answer.
type answerPrinter struct {
	commands
	context json.RawMessage
	cited   map[int]askCitation
	told    int
	ended   askEnd
}

func (p *answerPrinter) event(name string, data []byte) error {
	switch name {
	case "context":
		p.context = slices.Clone(data)
	case "sentence":
		var s askSentence
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		p.told++
		for _, cite := range s.Citations {
			p.cited[cite.N] = cite
		}
		return p.say(func(w io.Writer) {
			if s.SaidAs != "fact" || s.Status != "confirmed" {
				fmt.Fprintf(w, "(%s, %s) ", s.SaidAs, strings.ReplaceAll(s.Status, "_", " "))
			}
			fmt.Fprintln(w, s.Text)
		})
	case "end":
		return json.Unmarshal(data, &p.ended)
	}
	return nil
}

// end prints what is cited and what was left out, and the passages where there is no answer.
func (p *answerPrinter) end() error {
	err := p.say(func(w io.Writer) {
		if p.told > 0 {
			fmt.Fprintln(w)
		}
		for _, n := range slices.Sorted(maps.Keys(p.cited)) {
			cite := p.cited[n]
			fmt.Fprintf(w, "[%d] %s, %s, %s: %s\n    %s\n    %s\n", n, cite.InfoDate, cite.Type, strings.ReplaceAll(cite.Status, "_", " "),
				cite.Source, cite.ChunkRef, shorten(cite.Quote, shownQuote))
		}
		if p.told > 0 && p.ended.Outcome == "answered" {
			return
		}
		if p.told > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, p.ended.Why)
		for _, l := range p.ended.LeftOut {
			fmt.Fprintf(w, "  %d %s\n", l.Count, strings.ReplaceAll(l.Reason, "_", " "))
		}
	})
	if err != nil {
		return err
	}
	if p.told == 0 {
		if err := p.passages(); err != nil {
			return err
		}
	}
	return p.ended.status()
}

// passages prints what is known of the question.
func (p *answerPrinter) passages() error {
	var known askContext
	if len(p.context) == 0 || json.Unmarshal(p.context, &known) != nil || known.Prompt == "" {
		return nil
	}
	return p.say(func(w io.Writer) { fmt.Fprintf(w, "\n%s", known.Prompt) })
}
