// Package ask answers questions from passages (contracts#ask). A model writes, and what it writes
// is told sentence by sentence, as far as it stands in the passages that it cites.
package ask

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Errors of one answer.
var (
	ErrRefused = errors.New("the model does not answer")     // it, or its endpoint, refuses this question
	ErrOdd     = errors.New("the model's answer is no text") // no answer of a chat model, or a far too long one
)

// Writer is a model that writes.
type Writer interface {
	Name() string
	// Ready is nil when it may be asked; nothing is asked.
	Ready(ctx context.Context) error
	// Write hands over what the model says, as it comes, and returns what that cost, also with an error.
	// cut says that the answer was longer than it may be. ErrRefused and ErrOdd are of this question alone.
	Write(ctx context.Context, system, user string, tell func(text string) error) (cost Cost, cut bool, err error)
}

// Cost is what an answer cost, in tokens.
type Cost struct{ Question, Answer int }

// Budget says what questions may cost in one day of UTC.
type Budget interface {
	Spent(ctx context.Context) (int64, error)
	Spend(ctx context.Context, modelName string, c Cost) error
}

// Counts is told of what became of questions and sentences.
type Counts interface {
	Question(ctx context.Context, outcome model.AskOutcome, took time.Duration)
	Sentence(ctx context.Context, outcome string) // told, or a model.AskReason
}

// outcomeTold is the outcome of a sentence that is told.
const outcomeTold = "told"

// Asker answers questions.
type Asker struct {
	Writer Writer // nil: there is no model
	Budget Budget
	Daily  int64         // tokens of a day; 0: without bound
	Limit  time.Duration // of one answer
	Slots  chan struct{} // as many as answers at once
	Counts Counts
}

// How long to wait before asking again, in seconds.
const (
	retryBusy  = 2
	retryAway  = 5
	retrySpent = 3600
)

// keeping is how long a cost may take to be counted when whoever asked has gone.
const keeping = 5 * time.Second

// Answer tells the answer to a question, part by part, the end last. It returns what tell returns.
func (a *Asker) Answer(ctx context.Context, q model.AskQuestion, tell func(model.AskPart) error) error {
	began := time.Now()
	end, err := a.answer(ctx, q, tell)
	if err != nil {
		return err
	}
	if end.LeftOut == nil {
		end.LeftOut = []model.AskLeftOut{}
	}
	if err := tell(model.AskPart{End: &end}); err != nil {
		return err
	}
	a.Counts.Question(context.WithoutCancel(ctx), end.Outcome, time.Since(began))
	return nil
}

func (a *Asker) answer(ctx context.Context, q model.AskQuestion, tell func(model.AskPart) error) (model.AskEnd, error) {
	switch {
	case a.Writer == nil:
		return model.AskEnd{Outcome: model.AskNoModel}, nil
	case len(q.Passages) == 0:
		return model.AskEnd{Outcome: model.AskNothing}, nil
	}
	select {
	case a.Slots <- struct{}{}:
		defer func() { <-a.Slots }()
	default:
		return model.AskEnd{Outcome: model.AskBusy, RetryAfter: retryBusy}, nil
	}
	if a.Writer.Ready(ctx) != nil {
		return model.AskEnd{Outcome: model.AskAway, RetryAfter: retryAway}, nil
	}
	if a.Daily > 0 {
		switch spent, err := a.Budget.Spent(ctx); {
		case err != nil:
			return model.AskEnd{Outcome: model.AskAway, RetryAfter: retryAway}, nil //nolint:nilerr // the catalog is away: said as the outcome
		case spent >= a.Daily:
			return model.AskEnd{Outcome: model.AskSpent, RetryAfter: retrySpent}, nil
		}
	}
	return a.write(ctx, q, tell)
}

func (a *Asker) write(ctx context.Context, q model.AskQuestion, tell func(model.AskPart) error) (model.AskEnd, error) {
	r := &reading{passages: readPassages(q.Passages), tell: tell, left: make(map[model.AskReason]int), count: func(outcome string) { a.Counts.Sentence(ctx, outcome) }}
	limited, cancel := context.WithTimeout(ctx, a.Limit)
	defer cancel()
	cost, cut, err := a.Writer.Write(limited, rules, promptOf(q), r.take)
	if cost.Question+cost.Answer > 0 {
		// What was paid counts, whether or not somebody still waits.
		counting, done := context.WithTimeout(context.WithoutCancel(ctx), keeping)
		_ = a.Budget.Spend(counting, a.Writer.Name(), cost) // the catalog is away: the answer is told all the same
		done()
	}
	if r.gone != nil {
		return model.AskEnd{}, r.gone
	}
	complete := err == nil && !cut
	if _ = r.end(complete); r.gone != nil {
		return model.AskEnd{}, r.gone
	}
	end := model.AskEnd{Model: a.Writer.Name(), Told: r.told, LeftOut: r.leftOut()}
	switch away := fault.KindOf(err) == fault.KindUnavailable || errors.Is(err, context.DeadlineExceeded); {
	case r.told > 0 && complete && len(end.LeftOut) == 0:
		end.Outcome = model.AskAnswered
	case r.told > 0:
		end.Outcome = model.AskPartial
	case away:
		end.Outcome, end.RetryAfter = model.AskAway, retryAway
	case errors.Is(err, ErrRefused):
		end.Outcome = model.AskRefused
	case err != nil && !errors.Is(err, ErrOdd) && !errors.Is(err, errEnough):
		end.Outcome, end.RetryAfter = model.AskAway, retryAway
	default:
		end.Outcome = model.AskNothing
	}
	return end, nil
}

// reading is an answer as it comes.
type reading struct {
	passages passages
	tell     func(model.AskPart) error
	count    func(outcome string)
	line     strings.Builder // what has come of the line that has no end yet
	told     int
	left     map[model.AskReason]int
	seen     []string // sentences that were told
	gone     error    // of tell: nobody waits for the answer any more
}

// mostLine is how many bytes of a line are kept: what is longer is no sentence.
const mostLine = 16 << 10

// mostSentences is how many sentences of an answer are looked at. A model that goes on and on is cut.
const mostSentences = 200

// errEnough ends an answer that goes on and on.
var errEnough = errors.New("the answer has too many sentences")

// take takes what comes of an answer, and tells the sentences of the lines that are whole.
func (r *reading) take(text string) error {
	for text != "" {
		line, rest, whole := strings.Cut(text, "\n")
		if room := mostLine - r.line.Len(); len(line) > room {
			line = line[:max(room, 0)]
		}
		r.line.WriteString(line)
		if !whole {
			return nil
		}
		text = rest
		if err := r.end(true); err != nil {
			return err
		}
	}
	return nil
}

// end tells what the last line says. Where it is not whole, as when the model did not come to its end, its
// last sentence is left out.
func (r *reading) end(whole bool) error {
	line := r.line.String()
	r.line.Reset()
	sentences := sentencesOf(line)
	for i, s := range sentences {
		if strings.Trim(s, ". ") == none {
			continue
		}
		if r.told+r.sum() >= mostSentences {
			return errEnough
		}
		if !whole && i == len(sentences)-1 || len(line) >= mostLine {
			r.leave(model.AskCut)
			continue
		}
		told, reason := r.passages.check(s)
		if reason != "" {
			r.leave(reason)
			continue
		}
		if slices.Contains(r.seen, told.Text) {
			continue // it says so again
		}
		r.seen = append(r.seen, told.Text)
		r.told++
		r.count(outcomeTold)
		if r.gone = r.tell(model.AskPart{Sentence: &told}); r.gone != nil {
			return r.gone
		}
	}
	return nil
}

func (r *reading) leave(reason model.AskReason) {
	r.left[reason]++
	r.count(string(reason))
}

func (r *reading) sum() (n int) {
	for _, c := range r.left {
		n += c
	}
	return n
}

// leftOut counts what is not told, by its reason.
func (r *reading) leftOut() []model.AskLeftOut {
	out := []model.AskLeftOut{}
	for _, reason := range model.AskReasons() {
		if n := r.left[reason]; n > 0 {
			out = append(out, model.AskLeftOut{Reason: reason, Count: n})
		}
	}
	return out
}
