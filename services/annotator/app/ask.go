package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/instrument"
	"github.com/colophon-dev/colophon/pkg/llm"
	"github.com/colophon-dev/colophon/pkg/llm/chat"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/services/annotator/internal/ask"
)

// beat is how often whoever has asked is told that the answer is worked on: so it knows that somebody
// does, and the server says when it has gone.
const beat = 2 * time.Second

// newAsker returns what answers questions, by a model that is not there or calls of their own beside
// those about pages.
func newAsker(db *catalog.DB, m *chat.Model, c config.Chat, tel *telemetry.Telemetry) *ask.Asker {
	a := &ask.Asker{
		Budget: questionBudget{newBudget(db, tel.Meter)}, Daily: c.AskDailyTokens, Limit: c.AskTimeout,
		Slots: make(chan struct{}, max(c.AskCalls, 1)), Counts: countQuestions(tel.Meter),
	}
	if m != nil {
		a.Writer = writer{m.Beside(max(c.AskCalls, 1)), c.AskTimeout}
	}
	return a
}

// writer is a chat model in the words of who answers questions.
type writer struct {
	*chat.Model
	limit time.Duration
}

// Write hands over what the model says, as it comes.
func (w writer) Write(ctx context.Context, system, user string, tell func(text string) error) (ask.Cost, bool, error) {
	said, err := w.Stream(ctx, []chat.Message{{Role: "system", Text: system}, {Role: "user", Text: user}}, w.limit, tell)
	switch {
	case errors.Is(err, chat.ErrRefused), errors.Is(err, llm.ErrNotTaken):
		err = fmt.Errorf("%w: %w", ask.ErrRefused, err)
	case errors.Is(err, chat.ErrOdd), errors.Is(err, llm.ErrTooLarge):
		err = fmt.Errorf("%w: %w", ask.ErrOdd, err)
	}
	return ask.Cost{Question: said.QuestionTokens, Answer: said.AnswerTokens}, said.Cut, err
}

// questionBudget counts what questions cost, under a source_id that no source has.
type questionBudget struct{ budget }

const noSource = ""

// Spent returns the tokens of today.
func (b questionBudget) Spent(ctx context.Context) (int64, error) {
	return b.budget.Spent(ctx, noSource)
}

// Spend adds what an answer has cost.
func (b questionBudget) Spend(ctx context.Context, modelName string, c ask.Cost) error {
	return b.budget.Spend(ctx, noSource, modelName, c.Question, c.Answer)
}

// questionCounts measures questions and sentences.
type questionCounts struct {
	questions metric.Float64Histogram
	sentences metric.Int64Counter
}

func countQuestions(m metric.Meter) questionCounts {
	return questionCounts{instrument.Histogram(m, instrument.AskDuration), instrument.Counter(m, instrument.AskSaid)}
}

// Question implements ask.Counts.
func (c questionCounts) Question(ctx context.Context, outcome model.AskOutcome, took time.Duration) {
	c.questions.Record(ctx, took.Seconds(), metric.WithAttributes(attribute.String("outcome", string(outcome))))
}

// Sentence implements ask.Counts.
func (c questionCounts) Sentence(ctx context.Context, outcome string) {
	c.sentences.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", outcome)))
}

// answerQuestions takes questions from the bus until the function that is returned is called.
func answerQuestions(ctx context.Context, conn *stream.Conn, asker *ask.Asker, log *slog.Logger) (stop func(), err error) {
	return conn.Answer(ctx, model.AskSubject, Name, func(ctx context.Context, question []byte, tell func(part []byte) error) {
		p := &parts{tell: tell}
		var q model.AskQuestion
		if err := json.Unmarshal(question, &q); err != nil {
			log.WarnContext(ctx, "a question cannot be read", slog.Any("error", err))
			return
		}
		ended := make(chan struct{})
		var beating sync.WaitGroup
		beating.Go(func() { p.beat(ctx, ended) })
		err := asker.Answer(ctx, q, p.say)
		close(ended)
		beating.Wait()
		if err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "an answer could not be told", slog.Any("error", err))
		}
	})
}

// parts tells the parts of one answer, one after the other.
type parts struct {
	mu   sync.Mutex
	tell func(part []byte) error
}

func (p *parts) say(part model.AskPart) error {
	data, err := json.Marshal(part)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tell(data)
}

// beat says at once, and every so often, that the answer is worked on.
func (p *parts) beat(ctx context.Context, ended <-chan struct{}) {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		select {
		case <-ended:
			return
		default:
		}
		_ = p.say(model.AskPart{}) // who has gone is noticed by the server's word
		select {
		case <-ticker.C:
		case <-ended:
			return
		case <-ctx.Done():
			return
		}
	}
}
