// Package bench measures the chain as it runs: pages per second, CPU by part,
// latency, memory, and cost as work grows. It claims nothing; it prints what it
// measured.
package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Options say what is measured, and how much of it.
type Options struct {
	Colophon  string   // the binary; those of the services lie beside it
	Dir       string   // for the systems' data; empty: the system's temporary folder
	Rounds    int      // of throughput and of extraction; their median counts
	Documents int      // of a round
	Pages     int      // of a document
	Requests  int      // whose latency is measured
	Large     int      // pages of the document whose memory is measured; 0: none
	Growth    []int    // pages of single documents, ascending
	Archive   int      // chunks of the archive that is searched, rounded up to whole documents
	Rows      int      // of the full catalog
	Only      []string // of Figures; empty: all
	Progress  func(format string, args ...any)
}

// Figures are what Options.Only may name.
func Figures() []string {
	return []string{figureRate, figureLatency, figureParts, figureGrowth, figureTelemetry, figureExtraction, figureCapture, figureOCR, figureEntities, figureSearch, figureEndpoint, figureFull}
}

const (
	figureRate       = "rate"
	figureLatency    = "latency"
	figureParts      = "parts"
	figureGrowth     = "growth"
	figureTelemetry  = "telemetry"
	figureExtraction = "extraction"
	figureCapture    = "capture"
	figureOCR        = "ocr"
	figureEntities   = "entities"
	figureSearch     = "search"
	figureEndpoint   = "endpoint"
	figureFull       = "full"
)

func (o Options) wants(figures ...string) bool {
	return len(o.Only) == 0 || slices.ContainsFunc(figures, func(f string) bool { return slices.Contains(o.Only, f) })
}

// source registers a source that takes documents of any number of pages.
func (s *system) source(ctx context.Context, id string) error {
	record := model.DefaultSource(id)
	record.Name, record.MaxPages = "Benchmark "+id, 1<<20
	return s.db.PutSource(ctx, record)
}

// Run measures everything and returns what came out.
func Run(ctx context.Context, o Options) (r Report, err error) {
	dir, remove, err := newFolder(o.Dir)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	r.Machine = machine()
	steps := []struct {
		figures []string
		measure func() error
	}{
		{[]string{figureRate, figureLatency}, func() error { return o.together(ctx, dir+"/together", &r) }},
		{[]string{figureParts}, func() error { return o.apart(ctx, dir+"/apart", &r) }},
		{[]string{figureGrowth}, func() error { return o.grow(ctx, dir+"/grow", &r) }},
		{[]string{figureTelemetry}, func() error { r.Telemetry, err = o.telemetry(ctx, dir+"/telemetry"); return err }},
		{[]string{figureCapture}, func() error { r.Capture, err = o.capture(ctx, dir+"/capture"); return err }},
		{[]string{figureExtraction}, func() error { r.Extraction, err = o.extraction(ctx, dir); return err }},
		{[]string{figureOCR}, func() error { r.OCR, err = o.ocr(ctx, dir); return err }},
		{[]string{figureEntities}, func() error { r.Entities, err = o.entities(ctx); return err }},
		{[]string{figureSearch}, func() error { r.Search, err = o.search(ctx, dir+"/search"); return err }},
		{[]string{figureEndpoint}, func() error { r.Endpoint, err = o.endpoint(ctx, dir+"/endpoint"); return err }},
		{[]string{figureFull}, func() error { r.Full, err = o.full(ctx, dir+"/full"); return err }},
	}
	for _, step := range steps {
		if !o.wants(step.figures...) {
			continue
		}
		if err := step.measure(); err != nil {
			return r, err
		}
	}
	return r, nil
}

// round captures one round of documents under a source of its own.
func (o Options) round(ctx context.Context, s *system, name string, seed uint64, documents int) (time.Duration, error) {
	if err := s.source(ctx, name); err != nil {
		return 0, err
	}
	docs := make([]document, documents)
	for i := range docs {
		docs[i] = document{name: fmt.Sprintf("%s-%d.pdf", name, i), data: PDF(seed<<16+uint64(i), o.Pages)}
	}
	return s.process(ctx, name, docs, documents*o.Pages)
}

// warm lets every part do its work once: engines are compiled, connections
// opened, the collection made.
func (o Options) warm(ctx context.Context, s *system) error {
	_, err := o.round(ctx, s, "warm", 1, 2)
	return err
}

// together measures `colophon dev` as it is.
func (o Options) together(ctx context.Context, dir string, r *Report) (err error) {
	s, err := start(ctx, o.Colophon, dir, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := o.warm(ctx, s); err != nil {
		return err
	}
	if o.wants(figureRate) {
		if err := o.rate(ctx, s, r); err != nil {
			return err
		}
	}
	if o.wants(figureLatency) {
		r.Latency, err = o.latency(ctx, s)
	}
	return err
}

func (o Options) rate(ctx context.Context, s *system, r *Report) error {
	r.Pages = o.Documents * o.Pages
	for i := range o.Rounds {
		took, err := o.round(ctx, s, fmt.Sprintf("round%d", i), uint64(10+i), o.Documents)
		if err != nil {
			return err
		}
		r.Rates = append(r.Rates, float64(r.Pages)/took.Seconds())
		o.Progress("%d pages in %.1f s", r.Pages, took.Seconds())
	}
	r.Rate = median(r.Rates)
	return nil
}

// apart measures the CPU time and memory of each part, as processes of their
// own.
func (o Options) apart(ctx context.Context, dir string, r *Report) (err error) {
	s, err := start(ctx, o.Colophon, dir, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := o.warm(ctx, s); err != nil {
		return err
	}
	before := s.monitor.look()
	r.Pages = o.Documents * o.Pages
	took, err := o.round(ctx, s, "apart", 30, o.Documents)
	if err != nil {
		return err
	}
	r.Parts, r.RateApart = less(s.monitor.look(), before), float64(r.Pages)/took.Seconds()
	o.Progress("%d pages in %.1f s by separate processes", r.Pages, took.Seconds())
	return nil
}

// grow measures single documents: a large one by separate processes, for the
// memory of each, and the others in turn, round by round, in one process that
// counts what it does.
func (o Options) grow(ctx context.Context, dir string, r *Report) (err error) {
	if o.Large > 0 {
		g, err := o.large(ctx, dir+"/large")
		if err != nil {
			return err
		}
		r.Large = &g
	}
	if len(o.Growth) == 0 {
		return nil
	}
	address, err := devtest.FindFreeAddress()
	if err != nil {
		return err
	}
	s, err := start(ctx, o.Colophon, dir+"/growth", false, config.Prefix+"HEALTH_ADDR="+address)
	if err != nil {
		return err
	}
	s.health = address
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := o.warm(ctx, s); err != nil {
		return err
	}
	rounds := make([][]Growth, len(o.Growth))
	for n := range o.Rounds {
		for i, pages := range o.Growth {
			g, err := o.counted(ctx, s, fmt.Sprintf("growth%d-%d", pages, n), pages)
			if err != nil {
				return err
			}
			rounds[i] = append(rounds[i], g)
		}
	}
	for _, all := range rounds {
		slices.SortFunc(all, func(a, b Growth) int { return cmp.Compare(a.cpu(), b.cpu()) })
		r.Growth = append(r.Growth, all[(len(all)-1)/2])
	}
	return nil
}

// Growth is what one document of so many pages cost: of several, the one with
// the middle CPU time.
type Growth struct {
	Pages int              `json:"pages"`
	Took  time.Duration    `json:"took"`
	Parts map[string]Usage `json:"parts"`
	Work  Work             `json:"work"` // not counted for the large one
}

func (g Growth) cpu() (sum time.Duration) {
	for _, u := range g.Parts {
		sum += u.CPU
	}
	return sum
}

func (o Options) large(ctx context.Context, dir string) (g Growth, err error) {
	s, err := start(ctx, o.Colophon, dir, true)
	if err != nil {
		return g, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	return o.single(ctx, s, "large", o.Large)
}

func (o Options) counted(ctx context.Context, s *system, name string, pages int) (Growth, error) {
	before, err := s.work(ctx)
	if err != nil {
		return Growth{}, err
	}
	g, err := o.single(ctx, s, name, pages)
	if err != nil {
		return g, err
	}
	if err := settle(ctx); err != nil {
		return g, err
	}
	after, err := s.work(ctx)
	g.Work = after.less(before)
	return g, err
}

func (o Options) single(ctx context.Context, s *system, name string, pages int) (Growth, error) {
	g := Growth{Pages: pages}
	if err := s.source(ctx, name); err != nil {
		return g, err
	}
	before := s.monitor.look()
	docs := []document{{name: name + ".pdf", data: PDF(seedOf(name), pages)}}
	var err error
	if g.Took, err = s.process(ctx, name, docs, pages); err != nil {
		return g, fmt.Errorf("a document of %d pages: %w", pages, err)
	}
	g.Parts = less(s.monitor.look(), before)
	o.Progress("one document of %d pages in %.1f s", pages, g.Took.Seconds())
	return g, nil
}

// seedOf makes a seed of a name, so that no two documents are the same.
func seedOf(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return h.Sum64()
}

// settle waits until PostgreSQL has added up what idle connections did: after
// 10 seconds at the latest (PGSTAT_IDLE_INTERVAL).
func settle(ctx context.Context) error {
	timer := time.NewTimer(11 * time.Second)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Latency is how long small HTML documents took that came one at a time.
type Latency struct {
	Requests int           `json:"requests"`
	Bytes    int           `json:"bytes"`     // of all
	Chunks   int           `json:"chunks"`    // of all
	FirstP50 time.Duration `json:"first_p50"` // until the first chunk event
	FirstP99 time.Duration `json:"first_p99"`
	LastP50  time.Duration `json:"last_p50"` // until the last
	LastP99  time.Duration `json:"last_p99"`
	DiskP50  time.Duration `json:"disk_p50"` // a write that waits for the disk, one between two documents
	DiskP99  time.Duration `json:"disk_p99"`
}

// latency sends one small document after the other, each when the one before it
// is done, and stops the time from the publishing of the request to the arrival
// of chunk events at a subscriber.
func (o Options) latency(ctx context.Context, s *system) (l Latency, err error) {
	const source, warmUp = "latency", 10
	l.Requests = o.Requests
	var firsts, lasts []time.Duration
	if err := s.source(ctx, source); err != nil {
		return l, err
	}
	d, err := openDisk(s.dir)
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	arrived := make(chan *nats.Msg, 1024)
	for _, kind := range []string{event.TypeChunkCreated, event.TypeRunCompleted} {
		if _, err := s.nc.ChanSubscribe(event.Subject("colophon", kind, source), arrived); err != nil {
			return l, err
		}
	}
	if err := s.nc.Flush(); err != nil {
		return l, err
	}
	const pause = 100 * time.Millisecond // low load: what follows a run, its vectors, is over
	for i := range warmUp + o.Requests {
		data := HTML(uint64(i))
		at := time.Now().UTC().Truncate(time.Second)
		name := fmt.Sprintf("%d.html", i)
		request := event.CaptureRequested{
			RequestID: name, SourceID: source, URL: "file:///" + name, RetrievedAt: &at, Filename: name,
			Inline: &event.Inline{ContentBase64: data},
		}
		began := time.Now()
		if err := s.send(ctx, []event.CaptureRequested{request}); err != nil {
			return l, err
		}
		first, last, chunks, err := s.arrival(ctx, arrived, began)
		if err != nil {
			return l, err
		}
		if i >= warmUp {
			firsts, lasts = append(firsts, first), append(lasts, last)
			l.Chunks, l.Bytes = l.Chunks+chunks, l.Bytes+len(data)
			if err := d.write(); err != nil {
				return l, err
			}
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return l, ctx.Err()
		}
	}
	l.FirstP50, l.FirstP99 = percentile(firsts, 50), percentile(firsts, 99)
	l.LastP50, l.LastP99 = percentile(lasts, 50), percentile(lasts, 99)
	l.DiskP50, l.DiskP99 = percentile(d.took, 50), percentile(d.took, 99)
	o.Progress("%d small documents", l.Requests)
	return l, nil
}

// arrival waits for the chunks of one document until its run is complete.
func (s *system) arrival(ctx context.Context, arrived <-chan *nats.Msg, began time.Time) (first, last time.Duration, chunks int, err error) {
	timeout := time.NewTimer(startLimit)
	defer timeout.Stop()
	for {
		select {
		case m := <-arrived:
			if m.Header.Get(event.HeaderType) == event.TypeRunCompleted {
				if chunks == 0 {
					err = errors.New("a document has no chunks")
				}
				return first, last, chunks, err
			}
			last = time.Since(began)
			if chunks++; chunks == 1 {
				first = last
			}
		case <-timeout.C:
			return 0, 0, 0, errors.New("no chunk came")
		case <-ctx.Done():
			return 0, 0, 0, ctx.Err()
		}
	}
}

// median returns the middle of values, the lower one of two.
func median[T float64 | time.Duration](values []T) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}

// percentile returns the least value that p percent of all do not exceed.
func percentile(values []time.Duration, p int) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)*p+99)/100-1]
}
