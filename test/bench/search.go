package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/config"
)

// Search is how long questions took, in an archive of PDFs in one `colophon dev`.
type Search struct {
	Chunks    int           `json:"chunks"`    // in the archive
	Questions int           `json:"questions"` // one at a time, of two to five words
	FirstP50  time.Duration `json:"first_p50"` // of questions whose pages were not read before
	FirstP99  time.Duration `json:"first_p99"`
	AgainP50  time.Duration `json:"again_p50"` // of the same ones again
	AgainP99  time.Duration `json:"again_p99"`
	BarelyP50 time.Duration `json:"barely_p50"` // of the same ones, without the places of their evidence
	CPU       time.Duration `json:"cpu"`        // of the first, of all processes

	Parts map[string]Usage `json:"parts"` // of the same, by process

	Boxes    int           `json:"boxes"`     // of all hits of the first
	Crowd    int           `json:"crowd"`     // questions at once
	Answered int           `json:"answered"`  // of them
	Shed     int           `json:"shed"`      // of them: 503 with Retry-After
	SlowShed time.Duration `json:"slow_shed"` // the slowest of those
	Slowest  time.Duration `json:"slowest"`   // answer of all
}

const (
	searchQuestions = 500
	searchCrowd     = 500
)

// search fills an archive and asks it.
func (o Options) search(ctx context.Context, dir string) (r Search, err error) {
	sys, err := start(ctx, o.Colophon, dir, false, config.Prefix+"RECONCILE_EVERY=0s") // nothing is published of what is written here
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, sys.stop()) }()
	a, err := sys.newArchive(ctx, sys.alias)
	if err != nil {
		return r, err
	}
	for n := range (o.Archive + archiveChunks - 1) / archiveChunks {
		if err := a.add(ctx, n); err != nil {
			return r, fmt.Errorf("document %d of the archive: %w", n, err)
		}
		r.Chunks += archiveChunks
	}
	if _, err := sys.pg.Exec(ctx, `ANALYZE colophon.chunks, colophon.chunk_state, colophon.ir_segments, colophon.chunk_manifests`); err != nil {
		return r, err
	}
	o.Progress("an archive of %d chunks", r.Chunks)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: searchCrowd}}
	defer client.CloseIdleConnections()
	for range 5 { // connections are opened, plans made
		if _, _, err := sys.askSearch(ctx, client, "the", ""); err != nil {
			return r, err
		}
	}
	r.Questions = min(searchQuestions, len(a.questions))
	questions := a.questions[:r.Questions]
	var first, again, barely []time.Duration
	before := sys.monitor.look()
	for _, pass := range []struct {
		params string
		took   *[]time.Duration
		boxes  *int
	}{{"", &first, &r.Boxes}, {"", &again, new(int)}, {"&boxes=false", &barely, new(int)}} {
		for _, q := range questions {
			took, boxes, err := sys.askSearch(ctx, client, q, pass.params)
			if err != nil {
				return r, err
			}
			*pass.took, *pass.boxes = append(*pass.took, took), *pass.boxes+boxes
		}
		if pass.took == &first {
			r.Parts = less(sys.monitor.look(), before)
			r.CPU = Growth{Parts: r.Parts}.cpu()
		}
	}
	r.FirstP50, r.FirstP99 = percentile(first, 50), percentile(first, 99)
	r.AgainP50, r.AgainP99 = percentile(again, 50), percentile(again, 99)
	r.BarelyP50 = percentile(barely, 50)
	o.Progress("%d questions, three times", r.Questions)
	return r, r.crowd(ctx, sys, client, questions)
}

// errShed says that a search was turned away as the API describes it.
var errShed = errors.New("too many searches at once")

// askSearch asks the gateway and returns how long that took, and how many boxes the
// hits have.
func (s *system) askSearch(ctx context.Context, client *http.Client, question, params string) (took time.Duration, boxes int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.gateway+"/v1/search?q="+url.QueryEscape(question)+params, nil)
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	took = time.Since(began)
	if err != nil {
		return took, 0, err
	}
	if resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "" {
		return took, 0, errShed
	}
	if resp.StatusCode != http.StatusOK {
		return took, 0, fmt.Errorf("%q: %s: %s", question, resp.Status, body)
	}
	var answer struct {
		Hits []struct {
			Boxes []json.RawMessage `json:"boxes"`
		} `json:"hits"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return took, 0, err
	}
	for _, h := range answer.Hits {
		boxes += len(h.Boxes)
	}
	return took, boxes, nil
}

// crowd asks all at once: each question is answered, or shed.
func (r *Search) crowd(ctx context.Context, s *system, client *http.Client, questions []string) error {
	type outcome struct {
		took time.Duration
		err  error
	}
	r.Crowd = searchCrowd
	outcomes := make(chan outcome, r.Crowd)
	for i := range r.Crowd {
		go func() {
			took, _, err := s.askSearch(ctx, client, questions[i%len(questions)], "")
			outcomes <- outcome{took, err}
		}()
	}
	var problems []error
	for range r.Crowd {
		o := <-outcomes
		r.Slowest = max(r.Slowest, o.took)
		switch {
		case errors.Is(o.err, errShed):
			r.Shed++
			r.SlowShed = max(r.SlowShed, o.took)
		case o.err != nil:
			problems = append(problems, o.err)
		default:
			r.Answered++
		}
	}
	return errors.Join(problems...)
}

func (r Search) write(row func(...string)) {
	if r.Questions == 0 {
		return
	}
	row("")
	row(fmt.Sprintf("search in %d chunks of PDFs", r.Chunks), "p50 "+ms(r.FirstP50), fmt.Sprintf("p99 %s; %s of CPU time; ten hits with %.0f boxes, %d questions one at a time",
		ms(r.FirstP99), perPage(r.CPU, r.Questions), float64(r.Boxes)/float64(r.Questions), r.Questions))
	row("… the same again", "p50 "+ms(r.AgainP50), "p99 "+ms(r.AgainP99))
	row("… without boxes", "p50 "+ms(r.BarelyP50))
	row(fmt.Sprintf("%d searches at once", r.Crowd), fmt.Sprintf("%d answered", r.Answered),
		strings.TrimSpace(fmt.Sprintf("%d told to come again, after %s at most; the slowest answer after %s", r.Shed, ms(r.SlowShed), ms(r.Slowest))))
}
