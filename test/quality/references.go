package quality

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"text/tabwriter"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/test/questions"
)

// tunedOn are the documents of test/questions on which the following of references was
// tuned; the others were counted with only.
var tunedOn = []string{"foreshore-act", "lei-bibliotecas", "plano-bacia", "sentencia-molinos", "council-minutes"}

// Behind is how well questions find their passages: those whose answer stands behind a
// reference, those that are asked of the passage itself, and those that were committed before they were first asked.
type Behind struct {
	Rows   []BehindRow `json:"rows"`
	Missed []string    `json:"missed"` // of the last: the questions that no hit answers, by id
}

// BehindRow is the scores of some questions.
type BehindRow struct {
	Questions string  `json:"questions"` // which they are
	N         int     `json:"n"`
	Recall    float64 `json:"recall"` // answered by one of the first ten hits, 0..1
	NDCG      float64 `json:"ndcg"`   // nDCG@10 with one right passage
}

// behindHits is how many hits are looked at.
const behindHits = 10

// RunReferences hands the documents of test/questions to one system and asks its gateway all
// questions. The settings COLOPHON_EMBED_… and COLOPHON_RERANK_… are the system's.
func RunReferences(ctx context.Context, o RetrievalOptions) (r Behind, err error) {
	set, err := questions.Read()
	if err != nil {
		return r, err
	}
	dir, err := os.MkdirTemp("", "colophon-quality-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	folder, state := filepath.Join(dir, "documents"), filepath.Join(dir, "state")
	if err := errors.Join(os.Chmod(dir, 0o711), os.Mkdir(folder, 0o755), os.Mkdir(state, 0o711)); err != nil {
		return r, err
	}
	for _, d := range set.Documents {
		if err := os.WriteFile(filepath.Join(folder, d.ID+path.Ext(d.File)), d.Content, 0o644); err != nil {
			return r, err
		}
	}
	s, err := startSystem(ctx, o.Colophon, state, runtime.NumCPU(), searchSettings(os.Environ())...)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.end()) }()
	if _, err := s.capture(ctx, folder, retrievalLimit); err != nil {
		return r, err
	}
	values, err := config.ReadFile(filepath.Join(s.dir, config.EndpointsFile))
	if err != nil {
		return r, err
	}
	at := values[config.Prefix+"GATEWAY_URL"]
	for _, q := range set.References {
		place, err := placeOf(ctx, at, q.Text, q.Passage)
		if err != nil {
			return r, fmt.Errorf("question %s: %w", q.ID, err)
		}
		half := "behind a reference, documents that nothing was tuned on"
		if slices.Contains(tunedOn, q.Document) {
			half = "behind a reference, the other documents"
		}
		r.add(half, place)
		r.add("behind a reference", place)
	}
	for _, q := range set.Questions {
		place, err := placeOf(ctx, at, q.Text, q.Passage)
		if err != nil {
			return r, fmt.Errorf("question %s: %w", q.ID, err)
		}
		r.add("of the passage itself", place)
	}
	for _, q := range set.Unasked {
		place, err := placeOf(ctx, at, q.Text, q.Passage)
		if err != nil {
			return r, fmt.Errorf("question %s: %w", q.ID, err)
		}
		r.add("in other words, committed before they were asked", place)
		if place < 0 {
			r.Missed = append(r.Missed, q.ID+" "+q.Text)
		}
	}
	for i := range r.Rows {
		r.Rows[i].Recall, r.Rows[i].NDCG = r.Rows[i].Recall/float64(r.Rows[i].N), r.Rows[i].NDCG/float64(r.Rows[i].N)
	}
	return r, nil
}

// add counts a question whose answer is the hit at a place, from 0; -1 for none.
func (r *Behind) add(which string, place int) {
	at := slices.IndexFunc(r.Rows, func(row BehindRow) bool { return row.Questions == which })
	if at < 0 {
		r.Rows, at = append(r.Rows, BehindRow{Questions: which}), len(r.Rows)
	}
	row := &r.Rows[at]
	row.N++
	if place >= 0 {
		row.Recall++
		row.NDCG += 1 / math.Log2(float64(place)+2)
	}
}

// placeOf asks a question, and returns which of the first hits has more than half of the
// passage, -1 for none.
func placeOf(ctx context.Context, at, question, passage string) (int, error) {
	q := url.Values{"q": {question}, "limit": {fmt.Sprint(behindHits)}, "boxes": {"false"}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"/v1/search?"+q.Encode(), nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Hits []struct {
			Content string `json:"content"`
		} `json:"hits"`
	}
	if response.StatusCode != http.StatusOK {
		return 0, errors.New(response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return 0, err
	}
	for i, hit := range answer.Hits {
		if questions.Share(hit.Content, passage) > 0.5 {
			return i, nil
		}
	}
	return -1, nil
}

// Write prints the scores as a table.
func (r Behind) Write(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "questions\tn\tRecall@10\tnDCG@10")
	for _, row := range r.Rows {
		_, _ = fmt.Fprintf(table, "%s\t%d\t%.3f\t%.3f\n", row.Questions, row.N, row.Recall, row.NDCG)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, q := range r.Missed {
		if _, err := fmt.Fprintln(w, "not found:", q); err != nil {
			return err
		}
	}
	return nil
}
