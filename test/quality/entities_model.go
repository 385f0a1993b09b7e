package quality

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/colophon-dev/colophon/test/quality/entityset"
)

// ChatModel is a chat model behind an OpenAI-compatible endpoint.
type ChatModel struct {
	URL     string // up to its version; empty: there is none, and rules find entities alone
	Model   string
	Timeout time.Duration // of one call
	Answer  int           // tokens of one answer, at most
}

// modelLimit is how long all pages may take. A small model takes a minute for each.
const modelLimit = 3 * time.Hour

// firstOf leaves out all but the first n pages of each half; 0 leaves out none.
func firstOf(pages []entityset.Page, n int) (first []entityset.Page) {
	of := make(map[string]int)
	for _, p := range pages {
		if of[p.Half]++; n == 0 || of[p.Half] <= n {
			first = append(first, p)
		}
	}
	return first
}

// extractPages has a whole system find the entities of pages, whose annotator asks the model, one
// page at a time.
func extractPages(ctx context.Context, o EntityOptions, dir string, pages []entityset.Page) (found, units conversion, err error) {
	folder := filepath.Join(dir, "pages")
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return found, units, err
	}
	names, err := drawPages(ctx, folder, pages)
	if err != nil {
		return found, units, err
	}
	s, err := startSystem(ctx, o.Colophon, filepath.Join(dir, "system"), 1, "CHAT_URL="+o.Chat.URL, "CHAT_MODEL="+o.Chat.Model,
		"CHAT_TIMEOUT="+o.Chat.Timeout.String(), "CHAT_CALLS=1", "CHAT_ANSWER_TOKENS="+strconv.Itoa(o.Chat.Answer))
	if err != nil {
		return found, units, err
	}
	defer func() { err = errors.Join(err, s.end()) }()
	results, err := s.capture(ctx, folder, modelLimit)
	if err != nil {
		return found, units, err
	}
	found.outputs, found.reasons, units.outputs = make(map[string][]byte), make(map[string]string), make(map[string][]byte)
	for _, r := range results {
		name := path.Base(r.URL)
		switch {
		case !slices.Contains(names, name):
			return found, units, fmt.Errorf("%s is none of the pages", r.URL)
		case r.SnapshotID == "" || r.State != "done":
			found.reasons[name] = fmt.Sprintf("%s %s", r.Outcome, r.State)
			continue
		}
		written, err := s.say(ctx, "export", "entities", "--to", "json", "--document", r.DocumentID)
		if err != nil {
			return found, units, err
		}
		var documents []json.RawMessage
		if err := json.Unmarshal(written, &documents); err != nil || len(documents) != 1 {
			return found, units, fmt.Errorf("entities of %s: %d documents, %w", name, len(documents), err)
		}
		found.outputs[name] = documents[0]
		if units.outputs[name], err = s.say(ctx, "export", "ir", "--snapshot", r.SnapshotID); err != nil {
			return found, units, err
		}
	}
	return found, units, nil
}
