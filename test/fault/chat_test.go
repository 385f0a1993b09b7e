package fault

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"testing"

	"github.com/colophon-dev/colophon/pkg/entity"
)

// counted is a sentence with a number and what is counted, as pages of these tests have it.
var counted = regexp.MustCompile(`[A-Z][\p{L} ]* (\d{1,6}) (\p{L}+)[\p{L} ]*\.`)

// startChat serves a chat model that always answers a page in the same way: with its first
// sentence that counts something.
func startChat(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Messages []struct{ Role, Content string } `json:"messages"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.Messages) < 2 {
			http.Error(w, "this is no conversation", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{
				"role": "assistant", "content": answerPage(asked.Messages[1].Content)}}},
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
