package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/colophon-dev/colophon/test/programs"
)

// bridgeText is what is captured, and bridgeSays what the model answers from it: a sentence that stands there,
// one that is made up, and one that cites nothing.
const (
	bridgeText = "The bridge of Valdoro costs $5 million and belongs to Alder Run.\n\nThe association claims that the mayor sold the bridge to his brother.\n"
	bridgeSays = "The bridge of Valdoro costs $5 million [1].\nThe bridge costs $6 million [1].\nEverybody likes the bridge.\n"
)

// chatModel is a scripted chat endpoint that streams; while it is away it answers 503.
type chatModel struct {
	*httptest.Server
	away atomic.Bool
}

func startChat(t *testing.T) *chatModel {
	t.Helper()
	m := &chatModel{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Stream bool `json:"stream"`
		}
		if json.NewDecoder(r.Body).Decode(&asked); m.away.Load() {
			http.Error(w, "away", http.StatusServiceUnavailable)
			return
		}
		if !asked.Stream { // about a page
			_, _ = w.Write([]byte(`{"choices":[{"message":{"role":"assistant","content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for text := range strings.SplitAfterSeq(bridgeSays, " ") {
			data, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"delta": map[string]any{"content": text}}}})
			_, _ = w.Write([]byte("data: " + string(data) + "\n\n"))
		}
		_, _ = w.Write([]byte("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"))
	}))
	t.Cleanup(m.Close)
	return m
}

// TestAskTheWholeChain: a document is captured, a question is asked, and what is told stands in what it cites, down to the proof; while
// the model is away, and without one, there are the passages.
func TestAskTheWholeChain(t *testing.T) {
	programs.NeedServers(t)
	chat, dir, files := startChat(t), t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(files, "bridge.txt"), []byte(bridgeText), 0o600); err != nil {
		t.Fatal(err)
	}
	w := startDev(t, dir, []string{"COLOPHON_CHAT_URL=" + chat.URL + "/v1", "COLOPHON_CHAT_MODEL=scripted", "COLOPHON_CHAT_ASK_TIMEOUT=10s"})
	w.must(0, "source", "add", "valdoro", "--name", "Town of Valdoro", "--language", "en")
	w.must(0, "capture", "--wait", "--source", "valdoro", files)
	out := w.must(0, "ask", "What does the bridge cost?").out
	for _, want := range []string{"The bridge of Valdoro costs $5 million [1].", "[1] ", "2 sentences of the model are left out", "1 number not found", "1 uncited"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if strings.Contains(out, "$6 million") || strings.Contains(out, "Everybody") {
		t.Errorf("it tells what does not stand there:\n%s", out)
	}
	ref := regexp.MustCompile(`[0-9a-f]{64}:[0-9]+`).FindString(out)
	if proved := w.must(0, "check-quote", "--proof", "The bridge of Valdoro costs $5 million").out; ref == "" || !strings.Contains(proved, ref) {
		t.Errorf("%s is cited, and the proof is\n%s", ref, proved)
	}
	var answer struct {
		Outcome string `json:"outcome"`
		Told    int    `json:"told"`
	}
	if err := json.Unmarshal([]byte(w.must(0, "ask", "What does the bridge cost?", "--json").out), &answer); err != nil || answer.Outcome != "partial" || answer.Told != 1 {
		t.Errorf("%+v, %v", answer, err)
	}
	chat.away.Store(true)
	if r := w.must(4, "ask", "What does the bridge cost?"); !strings.Contains(r.out, "Answer the question from the passages") || !strings.Contains(r.err, "does not answer") {
		t.Errorf("while the model is away: %s\n%s", r.out, r.err)
	}
	w.stop()

	w = startDev(t, dir, nil)
	if out := w.must(0, "ask", "What does the bridge cost?").out; !strings.Contains(out, "There is no chat model") || !strings.Contains(out, "costs $5 million") {
		t.Errorf("without a model:\n%s", out)
	}
	w.stop()
}
