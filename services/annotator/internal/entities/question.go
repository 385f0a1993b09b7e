package entities

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/answer"
	"github.com/colophon-dev/colophon/pkg/entity/custom"
	"github.com/colophon-dev/colophon/pkg/entity/guard"
	"github.com/colophon-dev/colophon/pkg/entity/prompt"
	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// question is what a model is asked about a page, and how its answers are read.
type question struct {
	in      entity.PageInput // the page, with the types that are asked for
	content entity.PageInput // what the model is shown of it: one unit at least
	asked   prompt.Messages
	schema  json.RawMessage // of an answer
	parse   func(text string) (answer.Answer, error)
}

// aboutSix asks for the six types.
func (m *Model) aboutSix(in, content entity.PageInput) (q question, err error) {
	q = question{in: in, content: content, parse: func(text string) (answer.Answer, error) { return answer.Parse(m.Prompt, text) }}
	if q.asked, err = prompt.Of(m.Prompt, htmlOf(content)); err != nil {
		return q, fault.Permanent(fault.Internal, err)
	}
	q.schema, err = json.Marshal(entity.Schema(m.Prompt))
	return q, err
}

// aboutOwn asks for the types of a schema of one's own.
func aboutOwn(s custom.Schema, in, content entity.PageInput) (q question, err error) {
	ask, err := s.Ask()
	if err != nil {
		return q, err
	}
	validator, err := entity.NewValidator(s.JSONSchema())
	if err != nil {
		return q, fault.Permanent(fault.Internal, fmt.Errorf("schema %s: %w", s.Name, err))
	}
	in.Types, content.Types = s.Types, s.Types
	q = question{in: in, content: content, asked: prompt.OfOwn(ask, htmlOf(content)),
		parse: func(text string) (answer.Answer, error) { return answer.ParseOf(s.Types, validator, text) }}
	q.schema, err = json.Marshal(s.JSONSchema())
	return q, err
}

// htmlOf is the HTML of a page, under the sections that are open when it begins.
func htmlOf(in entity.PageInput) string {
	var lang *model.Language
	if in.Language != "" {
		lang = &model.Language{Lang: in.Language}
	}
	html, _ := docxt.Build(in.PageNo, in.Units, lang)
	return docxt.Reopen(html, in.Open)
}

// listFaults returns why an answer, or what came in its place, cannot be used as it is.
func (q question) listFaults(text string, odd error) []string {
	if odd != nil {
		return []string{odd.Error()}
	}
	read, err := q.parse(text)
	if err != nil {
		return []string{err.Error()}
	}
	return read.Wrong
}

// mostReasons is how many of the quotes that do not stand on the page a model is told.
const mostReasons = 20

// listUnquoted returns the quotes that the guard did not find on the page. A value that is not in a quote which does stand
// there is left out, and not asked for again: a model that is asked often enough finds a way.
func listUnquoted(drops []guard.Drop) (reasons []string) {
	for _, d := range drops {
		if d.Reason == guard.EvidenceNotFound && len(reasons) < mostReasons {
			what := strings.Trim(d.Type+"."+d.Field, ".")
			if d.Title != "" {
				what += " of " + fmt.Sprintf("%q", d.Title)
			}
			reasons = append(reasons, fmt.Sprintf("%s: %q: %s", what, d.Text, strings.ReplaceAll(d.Reason, "_", " ")))
		}
	}
	return reasons
}

// transcript is what was said about a page, as it is kept.
type transcript struct {
	Answers []string `json:"answers"`           // in their order; the last one that can be read counts
	Repair  *string  `json:"repair,omitempty"`  // what was said when quotes did not stand on the page; nil: nobody asked
	Refused string   `json:"refused,omitempty"` // why there is none
}

// readLastAnswer reads the answer that counts: the last that can be read.
func (t transcript) readLastAnswer(q question) (a answer.Answer, text string, err error) {
	err = answer.ErrNoJSON
	for i := len(t.Answers) - 1; i >= 0; i-- {
		if a, err = q.parse(t.Answers[i]); err == nil {
			return a, t.Answers[i], nil
		}
	}
	return answer.Answer{}, "", err
}

// keepGuarded returns what of the answers stands on the page, and counts in drops what does not: all of the answer that
// counts, and what is new in the one that was to repair its quotes.
func (t transcript) keepGuarded(q question, drops map[string]int) ([]entity.Entity, error) {
	if t.Refused != "" {
		drops["refused"]++
		return nil, nil
	}
	first, _, err := t.readLastAnswer(q)
	if err != nil {
		drops[string(fault.InvalidJSON)]++
		return nil, nil //nolint:nilerr // counted
	}
	checked, err := guardProposals(q.in, first.Proposals)
	if err != nil {
		return nil, err
	}
	found := checked.Entities
	count := func(r guard.Result) {
		for reason, n := range r.Counts() {
			drops[reason] += n
		}
	}
	count(checked)
	if t.Repair == nil {
		return found, nil
	}
	again, err := q.parse(*t.Repair)
	if err != nil {
		drops[string(fault.InvalidJSON)]++
		return found, nil //nolint:nilerr // counted
	}
	if checked, err = guardProposals(q.in, again.Proposals); err != nil {
		return nil, err
	}
	count(checked)
	return mergeRepaired(q.in.PageID, found, checked.Entities), nil
}

// findOrAsk returns what the model says about a page: what it said before, if it was asked.
func (m *Model) findOrAsk(ctx context.Context, q question) (transcript, error) {
	of := q.content.Units[0]
	key := model.LLMAnswer{
		SourceID: of.SourceID, SnapshotID: of.SnapshotID, Model: m.Chat.Name(), PromptVersion: int(m.Prompt),
		InputHash: digest.HexParts(q.asked.System, q.asked.User, string(q.schema)),
	}
	said, found, err := m.Answers.Find(ctx, key)
	if err != nil {
		return transcript{}, err
	}
	outcome := OutcomeRemembered
	if !found {
		var t transcript
		if t, err = m.askModel(ctx, q); err != nil {
			return t, err
		}
		if said, err = json.Marshal(t); err != nil {
			return t, err
		}
		if said, err = m.Answers.Keep(ctx, key, said); err != nil {
			return t, err
		}
		outcome = outcomeOf(t, q)
	}
	if m.Count != nil {
		m.Count(ctx, outcome)
	}
	var t transcript
	if err := json.Unmarshal(said, &t); err != nil {
		return t, fault.Permanent(fault.Internal, fmt.Errorf("a stored answer of %s: %w", key.Model, err))
	}
	return t, nil
}

func outcomeOf(t transcript, q question) string {
	if t.Refused != "" {
		return OutcomeRefused
	}
	if _, _, err := t.readLastAnswer(q); err != nil {
		return OutcomeInvalid
	}
	return OutcomeUsed
}
