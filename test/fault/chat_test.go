package fault

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/entity"
)

// counted is a sentence with a number and what is counted, as pages of these tests have it.
var counted = regexp.MustCompile(`[A-Z][\p{L} ]* (\d{1,6}) (\p{L}+)[\p{L} ]*\.`)

// chatServer is the endpoint of a chat model.
type chatServer struct {
	*httptest.Server
	away  atomic.Bool // it answers nothing but 503
	hangs atomic.Bool // it answers nothing at all
	open  atomic.Int64
}

// startChat serves a chat model that always answers a page in the same way: with its first
// sentence that counts something; and about a chunk with a word of that.
func startChat(t *testing.T) *chatServer {
	t.Helper()
	s := &chatServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.away.Load() {
			http.Error(w, "the model is being loaded", http.StatusServiceUnavailable)
			return
		}
		s.open.Add(1)
		defer s.open.Add(-1)
		if s.hangs.Load() {
			_, _ = io.Copy(io.Discard, r.Body) // else it is not known when the other side goes
			<-r.Context().Done()
			return
		}
		var asked struct {
			Messages []struct{ Role, Content string } `json:"messages"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.Messages) < 2 {
			http.Error(w, "this is no conversation", http.StatusBadRequest)
			return
		}
		answer := answerPage
		if strings.HasPrefix(asked.Messages[0].Content, "You describe one passage") {
			answer = answerChunk
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{
				"role": "assistant", "content": answer(asked.Messages[1].Content)}}},
			"usage": map[string]any{"prompt_tokens": 100, "completion_tokens": 50},
		})
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func answerPage(page string) string {
	answer := make(map[string][]any)
	for _, t := range entity.Types() {
		answer[t.Plural] = []any{}
	}
	if found := counted.FindStringSubmatch(page); found != nil {
		value, _ := strconv.ParseFloat(found[1], 64)
		answer["outreach"] = []any{map[string]any{"id": "counted", "audience": nil, "activity": found[2], "channel": nil, "message": nil,
			"kpi": nil, "count": map[string]any{"value": value, "unit": found[2]}, "progress": nil,
			"schedule": map[string]any{"start": nil, "end": nil}, "responsibleParty": nil, "evidence": []string{found[0]}}}
	}
	said, _ := json.Marshal(answer)
	return string(said)
}

// annotatorKills kills the annotator 20 times while it is at work; for the first ten the chat
// model is away, at least as long as outage.
func annotatorKills(outage time.Duration) func(*rig, []*item) int {
	return func(r *rig, items []*item) int {
		const times = 20
		annotator := r.services["annotator"]
		r.chat.away.Store(true)
		began := time.Now()
		r.startServices()
		random := rand.New(rand.NewPCG(asked.seed, 13))
		r.spread(items, times, func(n int) {
			if n == times/2 {
				r.linger(time.Until(began.Add(outage)))
				if told := r.strings(`SELECT 'x' FROM llm_answers LIMIT 1`); len(told) > 0 {
					r.t.Error("a model that is away has answered")
				}
				r.chat.away.Store(false)
			}
			r.linger(time.Duration(random.IntN(pick(300, 600, 3000))) * time.Millisecond)
			annotator.kill()
		})
		if died := annotator.died(); died < times {
			r.t.Errorf("%d deaths after %d kills", died, times)
		}
		return times
	}
}

// modelEntities returns how many current entities the chat model has proposed.
func (r *rig) modelEntities() int {
	return len(r.strings(`SELECT entity_id FROM entities WHERE NOT superseded AND payload->>'origin' = 'model'`))
}
