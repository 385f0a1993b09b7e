package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/colophon-dev/colophon/test/programs"
)

// startEnricher is a chat model that proposes for each chunk what stands in it, what does not, and what the text tells it to.
func startEnricher(t *testing.T) (url string, away *atomic.Bool) {
	t.Helper()
	away = new(atomic.Bool)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Messages []struct{ Content string } `json:"messages"`
		}
		if _ = json.NewDecoder(r.Body).Decode(&asked); away.Load() || len(asked.Messages) < 2 {
			http.Error(w, "away", http.StatusServiceUnavailable)
			return
		}
		text := `{}`
		if strings.Contains(asked.Messages[0].Content, "type_guess") {
			text = `{"topic":"bridge","tags":["Alder Run","Loch Ness"],"actors":["Ada Lovelace"],"kind_of_content":"sonnet","type_guess":"allegation","legal_cues":[]}`
		}
		body, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"finish_reason": "stop",
			"message": map[string]any{"role": "assistant", "content": text}}}})
		_, _ = w.Write(body)
	}))
	t.Cleanup(s.Close)
	return s.URL, away
}

// TestEnrichTheWholeChain: a source that wants its chunks enriched has them by the rules while the model is away, beside another source,
// and with what of the model's answer stands in them when it is back; all of it is proved.
func TestEnrichTheWholeChain(t *testing.T) {
	programs.NeedServers(t)
	url, away := startEnricher(t)
	dir, files := t.TempDir(), t.TempDir()
	town := filepath.Join(files, "town.yaml")
	text := strings.Repeat("The bridge of Valdoro costs $5 million and belongs to Alder Run.\n\n", 3) + bridgeText
	for name, data := range map[string]string{
		town: "source_id: valdoro\nname: Town of Valdoro\nlanguage: en\nenrich: later\n", filepath.Join(files, "in", "bridge.txt"): text,
		filepath.Join(files, "other", "mill.txt"): "The mill of Valdoro was built in 1890.\n", filepath.Join(files, "never.yaml"): "source_id: never\nenrich: sometimes\n",
		filepath.Join(files, "wait.yaml"): "source_id: waits\nlanguage: en\nenrich: wait\n", filepath.Join(files, "held", "bridge.txt"): strings.ReplaceAll(text, "Valdoro", "Monteria"),
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	away.Store(true)
	w := startDev(t, dir, []string{"COLOPHON_CHAT_URL=" + url + "/v1", "COLOPHON_CHAT_MODEL=scripted"})
	w.must(0, "source", "apply", "-f", town)
	w.must(0, "source", "apply", "-f", filepath.Join(files, "wait.yaml"))
	if r := w.must(2, "source", "apply", "-f", filepath.Join(files, "never.yaml")); !strings.Contains(r.err, "enrich") {
		t.Errorf("a mode that is not there: %s", r.err)
	}
	w.must(0, "source", "add", "mill", "--name", "Mill", "--language", "en")
	w.must(0, "capture", "--source", "valdoro", filepath.Join(files, "in")) // --wait would wait for entities, which wait for the model
	w.must(0, "capture", "--source", "waits", filepath.Join(files, "held"))
	w.must(0, "capture", "--source", "mill", filepath.Join(files, "other"))
	await(t, "chunks are there by the rules", func() bool {
		out := w.must(0, "export", "chunks").out
		return strings.Contains(out, "The bridge of Valdoro") && strings.Contains(out, "The mill of Valdoro")
	})
	await(t, "a version is held", func() bool { return strings.Contains(w.must(0, "status").out, "not quiet: 1 versions land when") })
	if out := w.must(0, "export", "chunks").out; strings.Contains(out, `"Alder Run"`) || strings.Contains(out, "Monteria") {
		t.Errorf("enriched, or landed, without a model:\n%s", out)
	}
	away.Store(false)
	w.must(0, "capture", "--wait", "--source", "waits", filepath.Join(files, "held")) // it is quiet when what was held has landed
	held := 0
	for line := range strings.Lines(w.must(0, "export", "chunks").out) {
		if strings.Contains(line, "Monteria") {
			if held++; !strings.Contains(line, `"Alder Run"`) || strings.Contains(line, `"generation":2`) {
				t.Errorf("of a version that waits: %s", line)
			}
		}
	}
	if held == 0 {
		t.Error("what was held has not landed")
	}
	await(t, "the chunks are enriched", func() bool {
		for line := range strings.Lines(w.must(0, "export", "chunks").out) {
			if strings.Contains(line, `"Alder Run"`) && !strings.Contains(line, "Monteria") {
				return true
			}
		}
		return false
	})
	out := w.must(0, "export", "chunks").out
	if strings.Contains(out, "Loch Ness") || strings.Contains(out, "Ada Lovelace") || strings.Contains(out, "sonnet") {
		t.Errorf("what the model made up is in\n%s", out)
	}
	w.must(0, "verify", "--all")
	w.stop()
}
