package app

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/devtest/stagetest"
	"github.com/colophon-dev/colophon/pkg/llm/chat"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// asking is a bus on which questions are answered by a scripted endpoint.
type asking struct {
	*stagetest.World
	conn *stream.Conn
}

// newAsking answers questions with the model of an endpoint, with none where s is nil.
func newAsking(t *testing.T, s *script, change func(*config.Chat)) *asking {
	t.Helper()
	c := config.Chat{PromptVersion: 2, Timeout: devtest.Patience, Calls: 1, AskTimeout: devtest.Patience, AskCalls: 2}
	if change != nil {
		change(&c)
	}
	var m *chat.Model
	if s != nil {
		c.URL, c.Model = s.URL+"/v1", "scripted"
		var err error
		if m, err = chat.Open(chat.ConfigOf(c)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Close)
	}
	env := devtest.Start(t)
	conn, err := stream.Connect(t.Context(), stream.Config{URL: env.NATSURL, Name: "annotator", Prefix: env.Prefix, StreamPrefix: env.StreamPrefix})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	w := stagetest.New(t)
	tel := telemetry.Nop()
	stop, err := answerQuestions(t.Context(), conn, newAsker(w.DB, m, c, tel), tel.Logger)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return &asking{w, conn}
}

func question() model.AskQuestion {
	p := func(n int, language, text string) model.AskPassage {
		return model.AskPassage{N: n, ChunkRef: fmt.Sprintf("chunk-%d", n), Type: model.ChunkFact, Status: model.StatusConfirmed, InfoDate: "2024-03-15",
			Source: "Town of Valdoro", Language: language, Text: text}
	}
	alleged := p(3, "en", "The association claims that the mayor sold the bridge to his brother.")
	alleged.Type, alleged.Status = model.ChunkAllegation, model.StatusUnderReview
	return model.AskQuestion{Question: "What of the bridge?", Passages: []model.AskPassage{
		p(1, "en", "The bridge costs $5 million. The school costs $3 million."),
		p(2, "fr", "Le conseil a voté le budget du pont le 3 mai 2024."), alleged,
	}}
}

// ask puts a question, and returns the sentences and the end of its answer.
func (a *asking) ask(q model.AskQuestion) (said []model.AskSentence, end model.AskEnd) {
	a.Helper()
	data, err := json.Marshal(q)
	if err != nil {
		a.Fatal(err)
	}
	for part, err := range a.conn.Ask(a.Context(), model.AskSubject, model.AskedSubject, data, devtest.Patience) {
		if err != nil {
			a.Fatal(err)
		}
		var p model.AskPart
		if err := json.Unmarshal(part, &p); err != nil {
			a.Fatal(err)
		}
		switch {
		case p.Sentence != nil:
			said = append(said, *p.Sentence)
		case p.End != nil:
			return said, *p.End
		}
	}
	a.Fatal("the answer has no end")
	return said, end
}

const (
	bridge = "The bridge costs $5 million [1]."
	voted  = "Le conseil a voté le budget du pont le 3 mai 2024. [2]"
)

// TestAnAnswerThatSaysAnything: whatever the endpoint answers, what is told stands in what it cites, and what
// is left out is counted.
func TestAnAnswerThatSaysAnything(t *testing.T) {
	for name, c := range map[string]struct {
		reply   reply
		told    int
		outcome model.AskOutcome
		left    string // reasons with their counts
	}{
		"right":                 {reply{text: bridge + "\n" + voted + "\n"}, 2, model.AskAnswered, ""},
		"on one line":           {reply{text: bridge + " " + voted}, 2, model.AskAnswered, ""},
		"not as a stream":       {reply{text: bridge + "\n" + voted, whole: true}, 2, model.AskAnswered, ""},
		"in fences":             {reply{text: "```\n" + bridge + "\n```\n- " + voted}, 2, model.AskAnswered, ""},
		"wrong":                 {reply{text: "The bridge costs $6 million [1].\n" + voted}, 1, model.AskPartial, "number_not_found 1"},
		"uncited":               {reply{text: "The bridge costs $5 million.\n" + voted}, 1, model.AskPartial, "uncited 1"},
		"cites what is not":     {reply{text: "The bridge costs $5 million [7].\n" + voted}, 1, model.AskPartial, "unknown_passage 1"},
		"cites another":         {reply{text: "The bridge costs $5 million [2].\n" + voted}, 1, model.AskPartial, "number_not_found 1"},
		"stitched":              {reply{text: "The bridge costs $3 million [1].\n" + voted}, 1, model.AskPartial, "not_together 1"},
		"all made up":           {reply{text: "The tower fell in 1999 [1].\nEverybody knows."}, 0, model.AskNothing, "uncited 1, date_not_found 1"},
		"an allegation as fact": {reply{text: "The mayor sold the bridge [3].\n" + bridge}, 1, model.AskPartial, "qualified 1"},
		"cut":                   {reply{text: bridge + "\nLe conseil a voté le budget du pont", finish: "length"}, 1, model.AskPartial, "cut 1"},
		"dies midway":           {reply{text: bridge + "\nLe conseil a voté", dies: true}, 1, model.AskPartial, "cut 1"},
		"dies at once":          {reply{dies: true}, 0, model.AskAway, ""},
		"late":                  {reply{hang: true}, 0, model.AskAway, ""},
		"too many requests":     {reply{status: 429, body: "slow down"}, 0, model.AskAway, ""},
		"a server's error":      {reply{status: 500, body: "no"}, 0, model.AskAway, ""},
		"takes no question":     {reply{status: 400, body: "too long"}, 0, model.AskRefused, ""},
		"refuses":               {reply{refusal: "I cannot help with that"}, 0, model.AskRefused, ""},
		"filtered":              {reply{finish: "content_filter"}, 0, model.AskRefused, ""},
		"by somebody else":      {reply{text: bridge, role: "user"}, 0, model.AskNothing, ""},
		"no envelope":           {reply{status: 200, body: "<html>"}, 0, model.AskNothing, ""},
		"none":                  {reply{text: "NONE"}, 0, model.AskNothing, ""},
		"nothing":               {reply{}, 0, model.AskNothing, ""},
		"10 MB":                 {reply{text: bridge + "\n" + strings.Repeat("x", 10<<20)}, 1, model.AskPartial, "cut 1"},
		"on and on":             {reply{text: strings.Repeat("So it is.\n", 5000)}, 0, model.AskNothing, "uncited 200"},
		"says it twice":         {reply{text: bridge + "\n" + bridge + "\n"}, 1, model.AskAnswered, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAsking(t, startScript(t, func(talk) reply { return c.reply }), func(settings *config.Chat) {
				if c.reply.hang {
					settings.AskTimeout = 300 * time.Millisecond
				}
			})
			said, end := a.ask(question())
			var left []string
			for _, l := range end.LeftOut {
				left = append(left, fmt.Sprintf("%s %d", l.Reason, l.Count))
			}
			if len(said) != c.told || end.Told != c.told || end.Outcome != c.outcome || strings.Join(left, ", ") != c.left || end.Model != "scripted" {
				t.Errorf("%d told, %+v", len(said), end)
			}
			for _, s := range said {
				for _, cite := range s.Citations {
					if !strings.Contains(question().Passages[cite.N-1].Text, cite.Quote) || cite.ChunkRef != question().Passages[cite.N-1].ChunkRef {
						t.Errorf("%q cites %+v", s.Text, cite)
					}
				}
			}
		})
	}
}

// TestAnAllegationIsToldAsSuch: its type travels with what is said of it.
func TestAnAllegationIsToldAsSuch(t *testing.T) {
	a := newAsking(t, startScript(t, func(talk) reply {
		return reply{text: "The association claims that the mayor sold the bridge to his brother [3]."}
	}), nil)
	said, end := a.ask(question())
	if len(said) != 1 || said[0].SaidAs != model.ChunkAllegation || said[0].Status != model.StatusUnderReview || said[0].Citations[0].Type != model.ChunkAllegation || end.Outcome != model.AskAnswered {
		t.Errorf("%+v, %+v", said, end)
	}
}

// TestQuestionsAreBounded: without a model, with too many questions at once, with the day's tokens spent.
func TestQuestionsAreBounded(t *testing.T) {
	a := newAsking(t, nil, nil)
	if said, end := a.ask(question()); len(said) != 0 || end.Outcome != model.AskNoModel {
		t.Errorf("without a model: %+v", end)
	}
	hangs := startScript(t, func(talk) reply { return reply{hang: true} })
	a = newAsking(t, hangs, func(c *config.Chat) { c.AskCalls, c.AskTimeout = 1, devtest.Patience })
	data, err := json.Marshal(question())
	if err != nil {
		t.Fatal(err)
	}
	for range a.conn.Ask(t.Context(), model.AskSubject, model.AskedSubject, data, devtest.Patience) {
		if len(hangs.calls()) == 0 {
			continue // it says that it works on it until it asks
		}
		if _, end := a.ask(question()); end.Outcome != model.AskBusy || end.RetryAfter == 0 {
			t.Errorf("a second question: %+v", end)
		}
		break // whoever has asked goes, and the answer ends
	}
	for deadline := time.Now().Add(devtest.Patience); ; {
		hangs.set(func(talk) reply { return reply{text: bridge} })
		if _, end := a.ask(question()); end.Outcome == model.AskAnswered {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("the slot of who has gone is not free: %+v", end)
		}
	}
	a = newAsking(t, startScript(t, func(talk) reply { return reply{text: bridge} }), func(c *config.Chat) { c.AskDailyTokens = 150 })
	if _, end := a.ask(question()); end.Outcome != model.AskAnswered {
		t.Errorf("the first: %+v", end)
	}
	if _, end := a.ask(question()); end.Outcome != model.AskSpent {
		t.Errorf("the second: %+v", end)
	}
	if _, end := a.ask(model.AskQuestion{Question: "What?"}); end.Outcome != model.AskNothing {
		t.Errorf("without passages: %+v", end)
	}
}
