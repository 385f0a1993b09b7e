package entities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/answer"
	"github.com/colophon-dev/colophon/pkg/entity/guard"
	"github.com/colophon-dev/colophon/pkg/entity/prompt"
	"github.com/colophon-dev/colophon/pkg/entity/rules"
	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Errors of one answer, which say nothing of the next one.
var (
	ErrRefused = errors.New("the model does not answer this page") // it, or its endpoint, refuses
	ErrOdd     = errors.New("the answer is of no use")             // no answer of a chat model, or a far too long one
)

// Chat asks a model.
type Chat interface {
	Name() string
	// Ask returns what a model says next in a conversation, in JSON of a schema where its endpoint
	// knows schemas. ErrRefused and ErrOdd are of this conversation alone.
	Ask(ctx context.Context, talk []Message, schema json.RawMessage) (Said, error)
}

// Message is one of a conversation, of system, user or assistant.
type Message struct{ Role, Text string }

// Said is what a model has said, and what that cost.
type Said struct {
	Text                         string
	QuestionTokens, AnswerTokens int
}

// Answers keeps what a model said: the first answer to a question counts.
type Answers interface {
	// Find returns what was said to a question before; found is false when nobody was asked.
	Find(ctx context.Context, a model.LLMAnswer) (said []byte, found bool, err error)
	// Keep keeps what was said, and returns what counts.
	Keep(ctx context.Context, a model.LLMAnswer, said []byte) ([]byte, error)
}

// Budget says what may be spent.
type Budget interface {
	// Spent returns the tokens that the pages of a source have cost today.
	Spent(ctx context.Context, sourceID string) (int64, error)
	Spend(ctx context.Context, sourceID, modelName string, question, answer int) error
}

// budgetWait is how long pages of a source wait whose budget of the day is spent, before it is
// looked at again.
const budgetWait = 10 * time.Minute

// Model has a model propose entities beside the rules. It is right about nothing: what it
// proposes goes through the guard.
type Model struct {
	Chat    Chat
	Answers Answers
	Budget  Budget
	Daily   int64 // tokens of a source and day; 0: without bound
	Prompt  entity.Version
	Count   func(ctx context.Context, outcome string) // of answers; nil: none are counted
}

// The outcomes of answers, as they are measured.
const (
	OutcomeUsed       = "used"       // its JSON could be read
	OutcomeRemembered = "remembered" // it was kept from before
	OutcomeInvalid    = "invalid"    // no JSON, twice
	OutcomeRefused    = "refused"    // the model or its endpoint does not answer this page
)

// Outcomes returns them all.
func Outcomes() []string {
	return []string{OutcomeUsed, OutcomeRemembered, OutcomeInvalid, OutcomeRefused}
}

// Versions returns the versions of the rules and of the prompt.
func (m *Model) Versions() (extractor, prompt int) { return rules.Version, int(m.Prompt) }

// Page returns the entities of a page that the rules find or the model proposes, each of which
// stands on the page. What both say is surer than what one does. An endpoint that is of no use now
// is Unavailable, and a spent budget deferred; an answer that is of no use leaves what the rules
// have found, and a page on which these break is a permanent fault of that page.
func (m *Model) Page(ctx context.Context, in entity.PageInput) (entity.Page, error) {
	found, err := Rules{}.Page(ctx, in)
	if err != nil {
		return found, err
	}
	content := contentOf(in)
	if len(content.Units) == 0 {
		return found, nil
	}
	said, err := m.said(ctx, content)
	if err != nil {
		return found, err
	}
	drops := found.Drops
	if drops == nil {
		drops = make(map[string]int)
	}
	var proposals []entity.Entity
	switch a, why := said.use(m.Prompt); {
	case said.Refused != "":
		drops["refused"]++
	case why != nil:
		drops[string(fault.InvalidJSON)]++
	default:
		proposals = a.Proposals
	}
	checked, err := check(in, proposals)
	if err != nil {
		return found, err
	}
	for reason, n := range checked.Counts() {
		drops[reason] += n
	}
	return entity.NewPage(in, merge(in.PageID, found.Entities, checked.Entities), drops), nil
}

// check holds a model's proposals against the page.
func check(in entity.PageInput, proposals []entity.Entity) (r guard.Result, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fault.Document(fault.Internal, fmt.Errorf("what a model proposed of page %d cannot be checked: %v", in.PageNo, broken))
		}
	}()
	for i := range proposals {
		proposals[i].Confidence = likelyModel
	}
	return guard.Check(in, proposals), nil
}

// contentOf is a page as a model gets it: without furniture and running heads.
func contentOf(in entity.PageInput) entity.PageInput {
	units := make([]model.Unit, 0, len(in.Units))
	for _, u := range in.Units {
		if u.Chunked() {
			units = append(units, u)
		}
	}
	in.Units = units
	return in
}

// transcript is what was said about a page, as it is kept.
type transcript struct {
	Answers []string `json:"answers"`           // in their order; the last one counts
	Refused string   `json:"refused,omitempty"` // why there is none
}

// use reads the answer that counts: the last that can be read.
func (t transcript) use(v entity.Version) (answer.Answer, error) {
	err := answer.ErrNoJSON
	for i := len(t.Answers) - 1; i >= 0; i-- {
		var a answer.Answer
		if a, err = answer.Parse(v, t.Answers[i]); err == nil {
			return a, nil
		}
	}
	return answer.Answer{}, err
}

// said returns what the model says about a page: what it said before, if it was asked.
func (m *Model) said(ctx context.Context, in entity.PageInput) (transcript, error) {
	var lang *model.Language
	if in.Language != "" {
		lang = &model.Language{Lang: in.Language}
	}
	html, _ := docxt.Build(in.PageNo, in.Units, lang)
	asked, err := prompt.Of(m.Prompt, docxt.Reopen(html, in.Open))
	if err != nil {
		return transcript{}, fault.Permanent(fault.Internal, err)
	}
	schema, err := json.Marshal(entity.Schema(m.Prompt))
	if err != nil {
		return transcript{}, err
	}
	key := model.LLMAnswer{
		SourceID: in.Units[0].SourceID, SnapshotID: in.Units[0].SnapshotID, Model: m.Chat.Name(), PromptVersion: int(m.Prompt),
		InputHash: digest.HexParts(asked.System, asked.User, string(schema)),
	}
	said, found, err := m.Answers.Find(ctx, key)
	if err != nil {
		return transcript{}, err
	}
	outcome := OutcomeRemembered
	if !found {
		var t transcript
		if t, err = m.ask(ctx, key.SourceID, asked, schema); err != nil {
			return t, err
		}
		if said, err = json.Marshal(t); err != nil {
			return t, err
		}
		if said, err = m.Answers.Keep(ctx, key, said); err != nil {
			return t, err
		}
		outcome = m.outcomeOf(t)
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

func (m *Model) outcomeOf(t transcript) string {
	if t.Refused != "" {
		return OutcomeRefused
	}
	if _, err := t.use(m.Prompt); err != nil {
		return OutcomeInvalid
	}
	return OutcomeUsed
}

// ask asks the model about a page, and once more, with what is wrong, where it gives no answer that
// can be used as it is.
func (m *Model) ask(ctx context.Context, sourceID string, asked prompt.Messages, schema json.RawMessage) (transcript, error) {
	if m.Daily > 0 {
		spent, err := m.Budget.Spent(ctx, sourceID)
		if err != nil {
			return transcript{}, err
		}
		if spent >= m.Daily {
			return transcript{}, fault.Defer(budgetWait, fmt.Errorf("the pages of source %s have cost %d tokens today, limit %d", sourceID, spent, m.Daily))
		}
	}
	talk := []Message{{Role: "system", Text: asked.System}, {Role: "user", Text: asked.User}}
	var t transcript
	for range 2 {
		a, err := m.Chat.Ask(ctx, talk, schema)
		if a.QuestionTokens > 0 {
			if err := m.Budget.Spend(ctx, sourceID, m.Chat.Name(), a.QuestionTokens, a.AnswerTokens); err != nil {
				return t, err
			}
		}
		var wrong []string
		switch {
		case errors.Is(err, ErrRefused):
			t.Refused = err.Error()
			return t, nil
		case errors.Is(err, ErrOdd):
			t.Answers, wrong = append(t.Answers, ""), []string{err.Error()}
		case err != nil:
			return t, err
		default:
			t.Answers = append(t.Answers, a.Text)
			read, bad := answer.Parse(m.Prompt, a.Text)
			if bad == nil && len(read.Wrong) == 0 {
				return t, nil
			}
			if wrong = read.Wrong; bad != nil {
				wrong = []string{bad.Error()}
			}
		}
		talk = append(talk[:2:2], Message{Role: "assistant", Text: clip(a.Text)}, Message{Role: "user", Text: prompt.Retry(wrong)})
	}
	return t, nil
}

// mostRepeated is how much of an answer that is of no use the model is shown again.
const mostRepeated = 16 << 10

func clip(text string) string { return text[:min(len(text), mostRepeated)] }
