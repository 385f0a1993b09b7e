package api

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/gateway/internal/consolidate"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// Asker puts questions to who may ask a chat model.
type Asker interface {
	// Ask yields the parts of an answer as they come, the end last. An error is that nobody answers,
	// or that of ctx.
	Ask(ctx context.Context, q model.AskQuestion) iter.Seq2[model.AskPart, error]
}

// AskAnswer is the answer to a question.
type AskAnswer struct {
	AskOutcome
	Question  string              `json:"question"`  // as it was asked
	Answer    string              `json:"answer"`    // the sentences, a line each; what is no confirmed fact begins with what it is
	Sentences []model.AskSentence `json:"sentences"` // with what each cites
	Context   consolidate.Answer  `json:"context"`   // the passages, as /v1/answer-context tells them
}

// AskOutcome says how an answer has ended.
type AskOutcome struct {
	Outcome model.AskOutcome   `json:"outcome"`  // answered, partial, nothing, refused or no_model; with 503 busy, spent or away
	Why     string             `json:"why"`      // the outcome as a sentence
	Model   string             `json:"model"`    // that has answered; empty where none was asked
	Told    int                `json:"told"`     // how many sentences are told
	LeftOut []model.AskLeftOut `json:"left_out"` // sentences of the model that are not told, by why
}

// AskProblem is why there is no answer now, with the passages where they are known.
type AskProblem struct {
	Problem
	Outcome model.AskOutcome    `json:"outcome,omitempty"` // busy, spent or away
	Context *consolidate.Answer `json:"context,omitempty"` // the passages, as /v1/answer-context tells them
}

// ask answers a question from what a search finds.
func (a *API) ask(w http.ResponseWriter, r *http.Request) error {
	values, err := askedFor(r)
	if err != nil {
		return err
	}
	told, found, err := a.contextOf(r, values)
	if err != nil {
		return err
	}
	w.Header().Set("Server-Timing", serverTiming(found.Times))
	out := askWriter{api: a, w: w, context: told, streams: wantsEvents(r)}
	end, err := out.tell(r.Context(), a.Asker.Ask(r.Context(), questionOf(told)))
	if err != nil {
		return err
	}
	return out.end(end)
}

// questionOf is what is asked: the question, with the passages as far as the prompt has them.
func questionOf(told consolidate.Answer) model.AskQuestion {
	q := model.AskQuestion{Question: told.Query, AsOf: told.AsOf, Passages: []model.AskPassage{}}
	for i, item := range told.Items()[:told.PromptItems] {
		q.Passages = append(q.Passages, model.AskPassage{
			N: item.N, ChunkRef: item.ChunkRef, Type: model.ChunkType(item.Type), Status: model.ChunkStatus(item.Status),
			InfoDate: item.InfoDate, Source: item.Source, Language: item.Language, Text: told.SearchResults[i].Content[0].Text,
		})
	}
	return q
}

// askedFor reads the body of a question as the parameters of a context. A list must be one, a number
// one, and all else a text.
func askedFor(r *http.Request) (url.Values, error) {
	var body map[string]any
	if err := readBody(r, &body); err != nil {
		return nil, err
	}
	lists := filterLists(new(search.Filter))
	values := make(url.Values)
	for name, given := range body {
		wrong := bad("%s is of another type", clip(name))
		switch v := given.(type) {
		case string:
			if lists[name] != nil || slices.Contains(numbersOfAsk(), name) || name == "boxes" {
				return nil, wrong
			}
			values.Set(name, v)
		case float64:
			if !slices.Contains(numbersOfAsk(), name) || v != math.Trunc(v) || math.Abs(v) > math.MaxInt32 {
				return nil, wrong
			}
			values.Set(name, strconv.FormatInt(int64(v), 10))
		case []any:
			if lists[name] == nil {
				return nil, wrong
			}
			for _, one := range v {
				text, ok := one.(string)
				if !ok {
					return nil, wrong
				}
				values.Add(name, text)
			}
		default:
			return nil, wrong
		}
	}
	return values, nil
}

// numbersOfAsk are the parameters that are numbers.
func numbersOfAsk() []string { return []string{"limit", "budget"} }

// wantsEvents reports whether a request asks for server-sent events.
func wantsEvents(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept"), ",") {
		if kind, _, err := mime.ParseMediaType(part); err == nil && kind == "text/event-stream" {
			return true
		}
	}
	return false
}

// askWriter writes an answer: at once, or as it comes.
type askWriter struct {
	api       *API
	w         http.ResponseWriter
	context   consolidate.Answer
	streams   bool
	begun     bool // something was sent
	sentences []model.AskSentence
}

// tell tells an answer as it comes, and returns how it has ended: who answers may go away midway, which is
// an end, too. The error is that of ctx, or of who has asked.
func (o *askWriter) tell(ctx context.Context, parts iter.Seq2[model.AskPart, error]) (model.AskEnd, error) {
	for part, err := range parts {
		switch {
		case ctx.Err() != nil && len(o.sentences) == 0:
			return model.AskEnd{}, ctx.Err()
		case err != nil:
			return model.AskEnd{Outcome: lost(len(o.sentences)), Told: len(o.sentences), RetryAfter: 1, LeftOut: []model.AskLeftOut{}}, nil
		case part.End != nil:
			return *part.End, nil
		case part.Sentence != nil:
			o.sentences = append(o.sentences, *part.Sentence)
			if err := o.event("sentence", part.Sentence); err != nil {
				return model.AskEnd{}, err
			}
		case o.begun: // so that nobody between takes the connection for dead
			_, _ = o.w.Write([]byte(": it is worked on\n\n"))
			o.flush()
		}
	}
	return model.AskEnd{Outcome: lost(len(o.sentences)), Told: len(o.sentences), LeftOut: []model.AskLeftOut{}}, nil
}

// lost is the outcome where who answers has gone.
func lost(told int) model.AskOutcome {
	if told > 0 {
		return model.AskPartial
	}
	return model.AskAway
}

// end tells how an answer has ended, and all of it where it does not stream.
func (o *askWriter) end(end model.AskEnd) error {
	if end.LeftOut == nil {
		end.LeftOut = []model.AskLeftOut{}
	}
	outcome := AskOutcome{Outcome: end.Outcome, Why: whyOf(end), Model: end.Model, Told: len(o.sentences), LeftOut: end.LeftOut}
	switch {
	case isAway(end.Outcome) && !o.begun:
		return o.unavailable(outcome, end.RetryAfter)
	case o.streams:
		return o.event("end", outcome)
	}
	if o.sentences == nil {
		o.sentences = []model.AskSentence{}
	}
	return o.api.answer(o.w, AskAnswer{AskOutcome: outcome, Question: o.context.Query, Answer: textOf(o.sentences), Sentences: o.sentences, Context: o.context})
}

// isAway reports whether there may be an answer later.
func isAway(o model.AskOutcome) bool {
	return o == model.AskAway || o == model.AskBusy || o == model.AskSpent
}

// unavailable answers with the passages alone, and when to ask again.
func (o *askWriter) unavailable(outcome AskOutcome, retryAfter int) error {
	h := o.w.Header()
	h.Set("Retry-After", strconv.Itoa(max(retryAfter, 1)))
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	body, err := json.Marshal(AskProblem{
		Problem: Problem{Type: "about:blank", Title: http.StatusText(http.StatusServiceUnavailable), Status: http.StatusServiceUnavailable, Detail: outcome.Why},
		Outcome: outcome.Outcome, Context: &o.context,
	})
	if err != nil {
		return fmt.Errorf("encoding the answer: %w", err)
	}
	o.w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = o.w.Write(append(body, '\n')) // a caller who has gone needs no answer
	return nil
}

// event sends an event where the answer streams; the first one comes behind the passages.
func (o *askWriter) event(name string, data any) error {
	if !o.streams {
		return nil
	}
	if !o.begun {
		o.begun = true
		h := o.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no") // a proxy is to hand it on as it comes
		if err := o.event("context", o.context); err != nil {
			return err
		}
	}
	body, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encoding an event: %w", err)
	}
	if _, err := fmt.Fprintf(o.w, "event: %s\ndata: %s\n\n", name, body); err != nil {
		return err
	}
	o.flush()
	return nil
}

// flush sends what was written; a writer that cannot does so at the end.
func (o *askWriter) flush() { _ = http.NewResponseController(o.w).Flush() }

// textOf puts the sentences of an answer together. What is no confirmed fact is told as what it is.
func textOf(sentences []model.AskSentence) string {
	lines := make([]string, len(sentences))
	for i, s := range sentences {
		lines[i] = s.Text
		if s.SaidAs != model.ChunkFact || s.Status != model.StatusConfirmed {
			lines[i] = fmt.Sprintf("(%s, %s) %s", s.SaidAs, strings.ReplaceAll(string(s.Status), "_", " "), s.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// whyOf says in a sentence how an answer has ended.
func whyOf(end model.AskEnd) string {
	left := 0
	for _, l := range end.LeftOut {
		left += l.Count
	}
	counted := fmt.Sprintf("%d sentences of the model are left out, since they do not stand in what they cite", left)
	if left == 1 {
		counted = "one sentence of the model is left out, since it does not stand in what it cites"
	}
	switch end.Outcome {
	case model.AskAnswered:
		return "All that the model said stands in the passages that it cites."
	case model.AskPartial:
		if left == 0 {
			return "The model did not come to its end."
		}
		return "Not all is told: " + counted + "."
	case model.AskNothing:
		if left == 0 {
			return "No passage answers the question."
		}
		return "Nothing is told: " + counted + "."
	case model.AskRefused:
		return "The model does not answer this question: the passages are all there is."
	case model.AskNoModel:
		return "There is no chat model: the passages are the answer."
	case model.AskBusy:
		return "too many questions at once: ask again"
	case model.AskSpent:
		return "what questions may cost today is spent: the passages are all there is"
	default:
		return "the chat model does not answer: the passages are all there is until it does"
	}
}
