package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

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
	BareP50   time.Duration `json:"bare_p50"`   // of the same ones, without these and who else holds their blocks
	BareP99   time.Duration `json:"bare_p99"`
	CPU       time.Duration `json:"cpu"` // of the first, of all processes

	Parts map[string]Usage `json:"parts"` // of the same, by process

	FirstStages []Stage `json:"first_stages"` // of the first, as the gateway tells it
	AgainStages []Stage `json:"again_stages"` // of the same ones again
	Together    []Round `json:"together"`     // the same ones, some at once

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
	wordsLimit      = 20 * time.Minute
)

// Stage is how long one part of a search took.
type Stage struct {
	Name string        `json:"name"` // as Server-Timing names it
	P50  time.Duration `json:"p50"`
	P99  time.Duration `json:"p99"`
}

// Round is how long searches took that so many callers asked, each one after the other.
type Round struct {
	Callers   int           `json:"callers"`
	P50       time.Duration `json:"p50"` // of those that were answered
	P99       time.Duration `json:"p99"`
	PerSecond float64       `json:"per_second"` // answers
	CPU       time.Duration `json:"cpu"`        // of all processes, for one answer
	Shed      int           `json:"shed"`       // turned away with Retry-After; none was asked again
}

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
	if err := sys.indexed(ctx); err != nil {
		return r, err
	}
	o.Progress("an archive of %d chunks", r.Chunks)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: searchCrowd}}
	defer client.CloseIdleConnections()
	for range 5 { // connections are opened, plans made
		if _, err := sys.askSearch(ctx, client, "the", ""); err != nil {
			return r, err
		}
	}
	r.Questions = min(searchQuestions, len(a.questions))
	questions := a.questions[:r.Questions]
	var first, again, barely, bare []asked
	before := sys.monitor.look()
	for _, pass := range []struct {
		params string
		to     *[]asked
	}{{"", &first}, {"", &again}, {"&boxes=false", &barely}, {"&boxes=false&blocks=false", &bare}} {
		for _, q := range questions {
			one, err := sys.askSearch(ctx, client, q, pass.params)
			if err != nil {
				return r, err
			}
			*pass.to = append(*pass.to, one)
		}
		if pass.to == &first {
			r.Parts = less(sys.monitor.look(), before)
			r.CPU = Growth{Parts: r.Parts}.cpu()
		}
	}
	for _, one := range first {
		r.Boxes += one.boxes
	}
	r.FirstP50, r.FirstP99, r.FirstStages = tookAt(first, 50), tookAt(first, 99), stages(first)
	r.AgainP50, r.AgainP99, r.AgainStages = tookAt(again, 50), tookAt(again, 99), stages(again)
	r.BarelyP50 = tookAt(barely, 50)
	r.BareP50, r.BareP99 = tookAt(bare, 50), tookAt(bare, 99)
	o.Progress("%d questions, four times", r.Questions)
	for _, callers := range []int{1, 8, 64} {
		round, err := sys.askTogether(ctx, client, questions, callers)
		if err != nil {
			return r, err
		}
		r.Together = append(r.Together, round)
	}
	o.Progress("the same by 1, 8 and 64 callers")
	return r, r.crowd(ctx, sys, client, questions)
}

// indexed waits until the janitor has made the words of all chunks, which it does after they have
// landed, beside whatever is measured, and has the server write down what it has in memory.
func (s *system) indexed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, wordsLimit)
	defer cancel()
	err := s.poll(ctx, func() (done bool, err error) {
		err = s.pg.QueryRow(ctx, `SELECT NOT EXISTS (SELECT 1 FROM colophon.chunk_words WHERE words IS NULL)`).Scan(&done)
		return done, err
	})
	if err != nil {
		return fmt.Errorf("the words of the archive: %w", err)
	}
	for _, sql := range []string{`VACUUM ANALYZE`, `CHECKPOINT`} {
		if _, err := s.pg.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// asked is what came of a question.
type asked struct {
	took   time.Duration
	boxes  int                      // of all hits
	stages map[string]time.Duration // by the names of Server-Timing
}

// tookAt returns the least time that p percent of questions do not exceed.
func tookAt(all []asked, p int) time.Duration {
	took := make([]time.Duration, len(all))
	for i, one := range all {
		took[i] = one.took
	}
	return percentile(took, p)
}

// stages sums up the parts of searches, in the order of their names.
func stages(all []asked) []Stage {
	byName := make(map[string][]time.Duration)
	for _, one := range all {
		for name, took := range one.stages {
			byName[name] = append(byName[name], took)
		}
	}
	var list []Stage
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		list = append(list, Stage{Name: name, P50: percentile(byName[name], 50), P99: percentile(byName[name], 99)})
	}
	return list
}

// askTogether has callers ask all questions, each caller one after the other.
func (s *system) askTogether(ctx context.Context, client *http.Client, questions []string, callers int) (Round, error) {
	r := Round{Callers: callers}
	next := make(chan string)
	var (
		mu  sync.Mutex
		all []asked
	)
	before, began := s.monitor.look(), time.Now()
	asking, ctx := errgroup.WithContext(ctx)
	for range callers {
		asking.Go(func() error {
			for q := range next {
				one, err := s.askSearch(ctx, client, q, "")
				if err != nil && !errors.Is(err, errShed) {
					return err
				}
				mu.Lock()
				if err == nil {
					all = append(all, one)
				} else {
					r.Shed++
				}
				mu.Unlock()
			}
			return nil
		})
	}
	asking.Go(func() error {
		defer close(next)
		for _, q := range questions {
			select {
			case next <- q:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	if err := asking.Wait(); err != nil {
		return r, err
	}
	r.P50, r.P99 = tookAt(all, 50), tookAt(all, 99)
	r.PerSecond = float64(len(all)) / time.Since(began).Seconds()
	r.CPU = Growth{Parts: less(s.monitor.look(), before)}.cpu() / time.Duration(max(1, len(all)))
	return r, nil
}

// errShed says that a search was turned away as the API describes it.
var errShed = errors.New("too many searches at once")

// askSearch asks the gateway. A question that was turned away took its time, too.
func (s *system) askSearch(ctx context.Context, client *http.Client, question, params string) (one asked, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.gateway+"/v1/search?q="+url.QueryEscape(question)+params, nil)
	if err != nil {
		return one, err
	}
	began := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return one, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	one.took = time.Since(began)
	if err != nil {
		return one, err
	}
	if resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "" {
		return one, errShed
	}
	if resp.StatusCode != http.StatusOK {
		return one, fmt.Errorf("%q: %s: %s", question, resp.Status, body)
	}
	var answer struct {
		Hits []struct {
			Boxes []json.RawMessage `json:"boxes"`
		} `json:"hits"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return one, err
	}
	for _, h := range answer.Hits {
		one.boxes += len(h.Boxes)
	}
	one.stages, err = parseTiming(resp.Header.Get("Server-Timing"))
	return one, err
}

// parseTiming reads a Server-Timing header of plain names and durations.
func parseTiming(header string) (map[string]time.Duration, error) {
	all := make(map[string]time.Duration)
	for field := range strings.SplitSeq(header, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(field), ";dur=")
		ms, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil {
			return nil, fmt.Errorf("Server-Timing %q: want name;dur=milliseconds, …", header)
		}
		all[name] = time.Duration(ms * float64(time.Millisecond))
	}
	return all, nil
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
			one, err := s.askSearch(ctx, client, questions[i%len(questions)], "")
			outcomes <- outcome{one.took, err}
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
	writeStages(row, r.FirstStages)
	row("… the same again", "p50 "+ms(r.AgainP50), "p99 "+ms(r.AgainP99))
	writeStages(row, r.AgainStages)
	row("… without boxes", "p50 "+ms(r.BarelyP50))
	row("… without boxes and sources of blocks", "p50 "+ms(r.BareP50), "p99 "+ms(r.BareP99))
	for _, t := range r.Together {
		row(fmt.Sprintf("… by %d callers", t.Callers), "p50 "+ms(t.P50), fmt.Sprintf("p99 %s; %.0f a second; %s of CPU time; %d told to come again", ms(t.P99), t.PerSecond, ms(t.CPU), t.Shed))
	}
	row(fmt.Sprintf("%d searches at once", r.Crowd), fmt.Sprintf("%d answered", r.Answered),
		strings.TrimSpace(fmt.Sprintf("%d told to come again, after %s at most; the slowest answer after %s", r.Shed, ms(r.SlowShed), ms(r.Slowest))))
}

// writeStages writes a row for each part of a search.
func writeStages(row func(...string), all []Stage) {
	for _, one := range all {
		row("… of which "+one.Name, "p50 "+perPage(one.P50, 1), "p99 "+perPage(one.P99, 1))
	}
}
