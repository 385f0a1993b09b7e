package app

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/gateway/internal/api"
)

// answering takes questions as the annotator does, until the test ends.
func (r *rig) answering(handle func(q model.AskQuestion, tell func(model.AskPart))) (stop func()) {
	r.t.Helper()
	stop, err := r.app.conn.Answer(r.ctx, model.AskSubject, "annotator", func(_ context.Context, question []byte, tell func([]byte) error) {
		var q model.AskQuestion
		if err := json.Unmarshal(question, &q); err != nil {
			r.t.Error(err)
		}
		handle(q, func(part model.AskPart) {
			data, err := json.Marshal(part)
			if err == nil {
				err = tell(data)
			}
			if err != nil {
				r.t.Error(err)
			}
		})
	})
	r.must(err)
	return stop
}

// sentenceOf is a sentence that cites a passage of a question.
func sentenceOf(p model.AskPassage, text string) *model.AskSentence {
	return &model.AskSentence{Text: text, SaidAs: p.Type, Status: p.Status, Citations: []model.AskCitation{
		{N: p.N, ChunkRef: p.ChunkRef, Type: p.Type, Status: p.Status, InfoDate: p.InfoDate, Source: p.Source, Quote: p.Text}}}
}

// TestAsk: a question goes with its passages to who asks the model, and what comes back is told, at once or as
// it comes; while nobody answers there are the passages, and when to ask again.
func TestAsk(t *testing.T) {
	r := newRig(t)
	r.add(doc{content: "Le pont de pierre a coûté 1200 francs.", status: model.StatusConfirmed, date: "2024-03-01"})
	r.add(doc{content: "Le maire aurait vendu le pont à son frère.", said: model.ChunkAllegation})
	body := `{"q":"pont","source":["mairie"],"limit":5}`

	none := into[api.AskProblem](t, r.post("/v1/ask", http.StatusServiceUnavailable, body))
	if none.Outcome != model.AskAway || none.Context == nil || none.Context.PromptItems != 2 {
		t.Errorf("nobody answers: %+v", none)
	}
	stop := r.answering(func(_ model.AskQuestion, tell func(model.AskPart)) {
		tell(model.AskPart{End: &model.AskEnd{Outcome: model.AskNoModel}})
	})
	if got := into[api.AskAnswer](t, r.post("/v1/ask", http.StatusOK, body)); got.Outcome != model.AskNoModel || got.Context.PromptItems != 2 || !strings.Contains(got.Why, "no chat model") {
		t.Errorf("without a model: %+v", got)
	}
	stop()

	stop = r.answering(func(_ model.AskQuestion, tell func(model.AskPart)) {
		tell(model.AskPart{End: &model.AskEnd{Outcome: model.AskBusy, RetryAfter: 7}})
	})
	resp, _ := r.requestWith(http.MethodPost, "/v1/ask", http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}, body)
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "7" {
		t.Errorf("busy: %s, again after %q", resp.Status, resp.Header.Get("Retry-After"))
	}
	stop()

	stop = r.answering(func(q model.AskQuestion, tell func(model.AskPart)) {
		tell(model.AskPart{})
		for _, p := range q.Passages {
			tell(model.AskPart{Sentence: sentenceOf(p, p.Text+" [1]")})
			tell(model.AskPart{})
		}
		tell(model.AskPart{End: &model.AskEnd{Outcome: model.AskPartial, Model: "m", Told: len(q.Passages), LeftOut: []model.AskLeftOut{{Reason: model.AskNumber, Count: 2}}}})
	})
	defer func() { stop() }()
	got := into[api.AskAnswer](t, r.post("/v1/ask", http.StatusOK, body))
	if got.Outcome != model.AskPartial || got.Told != 2 || len(got.LeftOut) != 1 || !strings.Contains(got.Why, "2 sentences of the model are left out") || got.Model != "m" {
		t.Errorf("%+v", got.AskOutcome)
	}
	if !strings.Contains(got.Answer, "(allegation, under review) Le maire aurait vendu") || strings.Contains(got.Answer, "(fact") || len(got.Sentences) != 2 {
		t.Errorf("the answer is %q", got.Answer)
	}
	r.streamed(body)

	for _, wrong := range []string{`{}`, `{"q":""}`, `{"q":5}`, `{"q":["a"]}`, `{"q":"a","limit":"5"}`, `{"q":"a","limit":1.5}`, `{"q":"a","budget":999}`, `{"q":"a","source":"x"}`,
		`{"q":"a","source":[1]}`, `{"q":"a","cursor":"x"}`, `{"q":"a","boxes":"true"}`, `{"q":"a","other":1}`, `[]`, `{"q":null}`, `{"q":"` + strings.Repeat("a", 1001) + `"}`} {
		r.post("/v1/ask", http.StatusBadRequest, wrong)
	}
	r.post("/v1/ask", http.StatusRequestEntityTooLarge, `{"q":"`+strings.Repeat("a", api.MaxBody)+`"}`)
}

// streamed reads an answer as it comes.
func (r *rig) streamed(body string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.ctx, http.MethodPost, "http://"+r.app.Addr()+"/v1/ask", strings.NewReader(body))
	r.must(err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	r.must(err)
	defer func() { _ = resp.Body.Close() }()
	var names []string
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			names = append(names, name)
		}
	}
	if got := strings.Join(names, " "); got != "context sentence sentence end" || resp.Header.Get("Content-Type") != "text/event-stream" {
		r.t.Errorf("the events are %q, of type %q", got, resp.Header.Get("Content-Type"))
	}
}

// TestAnAnswerThatDiesMidway: what was told stays, and the end says that it is not all.
func TestAnAnswerThatDiesMidway(t *testing.T) {
	r := newRig(t)
	r.add(doc{content: "Le pont de pierre a coûté 1200 francs.", status: model.StatusConfirmed})
	stop, err := r.app.conn.Answer(r.ctx, model.AskSubject, "annotator", func(_ context.Context, question []byte, tell func([]byte) error) {
		var q model.AskQuestion
		_ = json.Unmarshal(question, &q)
		data, _ := json.Marshal(model.AskPart{Sentence: sentenceOf(q.Passages[0], "Le pont [1].")})
		_ = tell(data) // and nothing more: the process is dead
	})
	r.must(err)
	defer stop()
	got := into[api.AskAnswer](t, r.post("/v1/ask", http.StatusOK, `{"q":"pont"}`))
	if got.Outcome != model.AskPartial || got.Told != 1 || len(got.Sentences) != 1 || !strings.Contains(got.Why, "did not come to its end") {
		t.Errorf("%+v", got.AskOutcome)
	}
}
