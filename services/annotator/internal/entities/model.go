package entities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/custom"
	"github.com/colophon-dev/colophon/pkg/entity/guard"
	"github.com/colophon-dev/colophon/pkg/entity/prompt"
	"github.com/colophon-dev/colophon/pkg/entity/rules"
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

// Versions returns the versions of the rules and of the prompt.
func (m *Model) Versions() (extractor, prompt int) { return rules.Version, int(m.Prompt) }

// Page returns the entities of a page that the rules find or the model proposes, each of which
// stands on the page; first those of the six types, then those of schemas of one's own that want the page, for each of
// which the model is asked by itself. What both say is surer than what one does. An endpoint that is of no use now
// is Unavailable, and a spent budget deferred; an answer that is of no use leaves what the rules
// have found, and a page on which these break is a permanent fault of that page.
func (m *Model) Page(ctx context.Context, in entity.PageInput, own custom.Set) (entity.Page, error) {
	found, err := byRules(in, func() entity.Page { return rules.Extract(in) })
	content := contentOf(in)
	if err != nil || len(content.Units) == 0 {
		return own.Noted(found), err
	}
	q, err := m.aboutSix(in, content)
	if err != nil {
		return found, err
	}
	p, err := m.addProposals(ctx, q, found)
	if err != nil {
		return found, err
	}
	for _, s := range own.Wanting(in) {
		if found, err = byRules(in, func() entity.Page { return s.Extract(in) }); err != nil {
			return found, err
		}
		if q, err = aboutOwn(s, in, content); err != nil {
			return found, err
		}
		if found, err = m.addProposals(ctx, q, found); err != nil {
			return found, err
		}
		p = s.Added(in, p, found)
	}
	return own.Noted(p), nil
}

// addProposals returns what the rules have found, with what the model proposes and the guard lets pass.
func (m *Model) addProposals(ctx context.Context, q question, found entity.Page) (entity.Page, error) {
	said, err := m.findOrAsk(ctx, q)
	if err != nil {
		return found, err
	}
	drops := found.Drops
	if drops == nil {
		drops = make(map[string]int)
	}
	proposed, err := said.keepGuarded(q, drops)
	if err != nil {
		return found, err
	}
	return entity.NewPage(q.in, mergeProposals(q.in.PageID, found.Entities, proposed), drops), nil
}

// guardProposals holds a model's proposals against the page.
func guardProposals(in entity.PageInput, proposals []entity.Entity) (r guard.Result, err error) {
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

// askModel asks the model about a page; once more, with what is wrong, where it gives no answer that
// can be used as it is; and once more, with the reasons, where quotes do not stand on the page.
func (m *Model) askModel(ctx context.Context, q question) (transcript, error) {
	sourceID := q.content.Units[0].SourceID
	if m.Daily > 0 {
		spent, err := m.Budget.Spent(ctx, sourceID)
		if err != nil {
			return transcript{}, err
		}
		if spent >= m.Daily {
			return transcript{}, fault.Defer(budgetWait, fmt.Errorf("the pages of source %s have cost %d tokens today, limit %d", sourceID, spent, m.Daily))
		}
	}
	begin := []Message{{Role: "system", Text: q.asked.System}, {Role: "user", Text: q.asked.User}}
	talk := begin
	var t transcript
	for range 2 {
		text, err := m.askOnce(ctx, sourceID, talk, q.schema)
		if errors.Is(err, ErrRefused) {
			t.Refused = err.Error()
			return t, nil
		}
		if err != nil && !errors.Is(err, ErrOdd) {
			return t, err
		}
		t.Answers = append(t.Answers, text)
		wrong := q.listFaults(text, err)
		if len(wrong) == 0 {
			break
		}
		talk = append(begin[:2:2], Message{Role: "assistant", Text: clipText(text)}, Message{Role: "user", Text: prompt.Retry(wrong)})
	}
	return t, m.askToRepair(ctx, q, begin, &t)
}

// askToRepair asks once more where the guard did not find what an answer quotes.
func (m *Model) askToRepair(ctx context.Context, q question, begin []Message, t *transcript) error {
	a, text, err := t.readLastAnswer(q)
	if err != nil {
		return nil //nolint:nilerr // there is no answer of which anything could be repaired
	}
	checked, err := guardProposals(q.in, a.Proposals)
	if err != nil {
		return err
	}
	reasons := listUnquoted(checked.Drops)
	if len(reasons) == 0 {
		return nil
	}
	again, err := m.askOnce(ctx, q.content.Units[0].SourceID,
		append(begin[:2:2], Message{Role: "assistant", Text: clipText(text)}, Message{Role: "user", Text: prompt.Repair(reasons)}), q.schema)
	if err != nil && !errors.Is(err, ErrRefused) && !errors.Is(err, ErrOdd) {
		return err
	}
	t.Repair = &again // empty where it was refused
	return nil
}

// askOnce asks once, and counts what that costs.
func (m *Model) askOnce(ctx context.Context, sourceID string, talk []Message, schema json.RawMessage) (string, error) {
	a, err := m.Chat.Ask(ctx, talk, schema)
	if a.QuestionTokens > 0 {
		if err := m.Budget.Spend(ctx, sourceID, m.Chat.Name(), a.QuestionTokens, a.AnswerTokens); err != nil {
			return "", err
		}
	}
	if err != nil {
		return "", err
	}
	return a.Text, nil
}

// mostRepeated is how much of an answer that is of no use the model is shown again.
const mostRepeated = 16 << 10

func clipText(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), mostRepeated)], "")
}
