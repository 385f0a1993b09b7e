package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	embedding "github.com/colophon-dev/colophon/pkg/devtest/endpoint"
)

// How questions are put while a collection takes another's place.
const (
	questionsEach  = 20 * time.Millisecond // one: 50 a second
	questionsOpen  = 32                    // at most at once: where the machine is slower, fewer are put
	questionsAfter = 25                    // as many as are put before and after
)

// numbered begins each of these questions; no document says it.
const numbered = "police cars q"

// put is a question that was put, and what became of it.
type put struct {
	question string
	model    string // of the collection that answered
	began    time.Time
	ended    time.Time
	wrong    string
}

// whileAsked runs f while 50 questions a second are put to the gateway, some before it
// begins and some after its end.
func whileAsked(t *testing.T, w *world, f func()) (all []put, ended time.Time) {
	t.Helper()
	gateway := endpoint(t, w.dir, "COLOPHON_GATEWAY_URL")
	var mu sync.Mutex
	var group sync.WaitGroup
	open, stop := make(chan struct{}, questionsOpen), make(chan struct{})
	begun := make(chan struct{})
	group.Go(func() {
		tick := time.NewTicker(questionsEach)
		defer tick.Stop()
		left := -1 // as many as are still put after the end
		for n := 0; left != 0; n++ {
			if n == questionsAfter {
				close(begun)
			}
			<-tick.C
			open <- struct{}{}
			question := fmt.Sprint(numbered, n)
			group.Go(func() {
				one := putQuestion(gateway, question)
				<-open
				mu.Lock()
				defer mu.Unlock()
				all = append(all, one)
			})
			select {
			case <-stop:
				if left--; left < 0 {
					left = questionsAfter
				}
			default:
			}
		}
	})
	<-begun
	f()
	ended = time.Now()
	close(stop)
	group.Wait()
	return all, ended
}

// putQuestion puts a question, again where a busy gateway says when to.
func putQuestion(gateway, question string) put {
	for until := time.Now().Add(devtest.Patience); ; {
		one, again := putOnce(gateway, question)
		if again == 0 || time.Now().After(until) {
			return one
		}
		<-time.After(again)
	}
}

// putOnce puts a question once; again is when the gateway, to which too much was put at once, is to be
// asked again.
func putOnce(gateway, question string) (one put, again time.Duration) {
	one = put{question: question, began: time.Now()}
	response, err := http.Get(gateway + "/v1/search?q=" + url.QueryEscape(question))
	if err == nil {
		defer func() { _ = response.Body.Close() }()
		var body []byte
		if body, err = io.ReadAll(response.Body); err == nil {
			var a answer
			switch err = json.Unmarshal(body, &a); {
			case response.StatusCode == http.StatusServiceUnavailable && strings.Contains(string(body), "too much is asked at once"):
				seconds, wrong := strconv.Atoi(response.Header.Get("Retry-After"))
				again, err = time.Duration(seconds)*time.Second, wrong
				one.wrong = fmt.Sprintf("to be asked again after %q", response.Header.Get("Retry-After"))
			case response.StatusCode != http.StatusOK:
				one.wrong = fmt.Sprintf("status %d: %.200s", response.StatusCode, body)
			case err == nil && (a.WordsOnly || a.first() != "vehicles.txt"):
				one.wrong = fmt.Sprintf("words only %v, first %s", a.WordsOnly, a.first())
			}
			one.model = "made-up"
			if strings.Contains(a.Collection, "made-up-2") {
				one.model = "made-up-2"
			}
		}
	}
	if err != nil {
		one.wrong = err.Error()
	}
	one.ended = time.Now()
	return one, again
}

// checkSwap: no question failed, each was answered by the vectors of the model that it was
// embedded with, and once one was answered by the new model all later ones were.
func checkSwap(t *testing.T, model *embedding.Server, all []put, ended time.Time) {
	t.Helper()
	asked := make(map[string][]string) // models, by question
	for _, r := range model.Requests() {
		for _, text := range r.Input {
			asked[text] = append(asked[text], r.Model)
		}
	}
	by := make(map[string]int)
	first := time.Time{} // answer of the new model
	for _, one := range all {
		if one.model == "made-up-2" && (first.IsZero() || one.ended.Before(first)) {
			first = one.ended
		}
	}
	for _, one := range all {
		by[one.model]++
		switch {
		case one.wrong != "":
			t.Errorf("%s: %s", one.question, one.wrong)
		case !slices.Contains(asked[one.question], one.model):
			t.Errorf("%s was embedded by %v and answered from vectors of %s", one.question, asked[one.question], one.model)
		case one.model == "made-up" && (one.began.After(ended) || !first.IsZero() && one.began.After(first)):
			t.Errorf("%s was put after the new model had answered, and answered by the old one", one.question)
		}
	}
	t.Logf("%d questions: %v", len(all), by)
	if by["made-up"] == 0 || by["made-up-2"] == 0 {
		t.Error("one of the models has answered nothing: there is nothing to show")
	}
}
