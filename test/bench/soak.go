package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
)

// SoakOptions say how long a system runs and how much it is given to do.
type SoakOptions struct {
	Colophon string        // the binary; those of the services lie beside it
	Dir      string        // for the system's data; empty: the system's temporary folder
	Measured time.Duration // of the time that counts
	Warm     time.Duration // of the same load before it
	Every    time.Duration // between samples
	Load     float64       // share of the documents per second that the system can do
	Progress func(format string, args ...any)
}

const (
	soakSource  = "soak"
	calibration = 60 // documents by which the full load is measured
	versions    = 40 // documents that change now and then
)

// Soak runs the services as processes of their own under a steady load and
// reports whether anything of them grows: memory that is still in use after the
// garbage collection, resident memory, goroutines, file descriptors; and what
// the catalog, the streams and the objects grow by.
//
// The load is new web pages, pages that change, PDFs, repeats of what is known,
// and files that cannot be read.
func Soak(ctx context.Context, o SoakOptions) (r SoakReport, err error) {
	dir, remove, err := newFolder(o.Dir)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	s, err := start(ctx, o.Colophon, dir+"/soak", true,
		"COLOPHON_HEALTH_ADDR=127.0.0.1:0", "COLOPHON_LOG_FORMAT=json", "COLOPHON_LOG_LEVEL=info") // the log says where metrics are
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.source(ctx, soakSource); err != nil {
		return r, err
	}
	l := load{random: rand.New(rand.NewPCG(1, 2))}
	full, err := o.calibrate(ctx, s, &l)
	if err != nil {
		return r, err
	}
	r.Machine, r.Full, r.Load = machine(), full, full*o.Load
	o.Progress("full load is %.1f documents/s; going on with %.1f", r.Full, r.Load)
	if err := o.run(ctx, s, &l, &r); err != nil {
		return r, err
	}
	return r, s.drain(ctx, l.sent)
}

// calibrate measures how many documents a second the system can do.
func (o SoakOptions) calibrate(ctx context.Context, s *system, l *load) (float64, error) {
	var took time.Duration
	for range 2 { // the first warms every part
		requests := make([]event.CaptureRequested, calibration)
		for i := range requests {
			requests[i] = l.next()
		}
		began := time.Now()
		if err := s.send(ctx, requests); err != nil {
			return 0, err
		}
		if err := s.drain(ctx, l.sent); err != nil {
			return 0, err
		}
		took = time.Since(began)
	}
	return calibration / took.Seconds(), nil
}

// drain waits until everything that was sent has an end.
func (s *system) drain(ctx context.Context, sent []string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	return s.poll(ctx, func() (bool, error) {
		var decided, running int
		err := s.pg.QueryRow(ctx, `SELECT
			(SELECT count(*) FROM colophon.captures WHERE source_id = $1 AND outcome IS NOT NULL),
			(SELECT count(*) FROM colophon.runs WHERE source_id = $1 AND state IN ('queued', 'running'))`,
			soakSource).Scan(&decided, &running)
		if err != nil || decided < len(sent) || running > 0 {
			return false, err
		}
		last, err := s.db.Progress(ctx, soakSource, sent)
		return last.Quiet(), err
	})
}

// run gives the system its load, and takes samples.
func (o SoakOptions) run(ctx context.Context, s *system, l *load, r *SoakReport) error {
	interval := time.Duration(float64(time.Second) / r.Load)
	next, look := time.NewTicker(interval), time.NewTicker(o.Every)
	defer next.Stop()
	defer look.Stop()
	began := time.Now()
	for {
		select {
		case <-next.C:
			if err := s.send(ctx, []event.CaptureRequested{l.next()}); err != nil {
				return err
			}
		case <-look.C:
			if time.Since(began) < o.Warm {
				continue
			}
			sample, err := s.sample(ctx)
			if err != nil {
				return err
			}
			last := time.Since(began) >= o.Warm+o.Measured
			if len(r.Samples) == 0 || last {
				if sample.Store.Objects, err = s.objectBytes(ctx); err != nil {
					return err
				}
			}
			r.Samples = append(r.Samples, sample)
			if len(r.Samples)%12 == 1 {
				o.Progress("%d documents in all, %d waiting", len(l.sent), sample.Store.Waiting)
			}
			if last {
				return nil
			}
		case err := <-s.ended:
			s.ended <- err
			return fmt.Errorf("colophon dev ended: %w\n%s", err, s.log.String())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// load makes the requests of a soak.
type load struct {
	random *rand.Rand
	sent   []string // request ids
	kept   []event.CaptureRequested
}

// next returns one more request. Of twenty, eleven are new pages, three are
// changes of pages, three are PDFs, two repeat what is known, and one cannot be
// read.
func (l *load) next() event.CaptureRequested {
	n := uint64(len(l.sent))
	at := time.Unix(1_700_000_000+int64(n), 0).UTC()
	r := event.CaptureRequested{RequestID: fmt.Sprintf("soak-%d", n), SourceID: soakSource, RetrievedAt: &at}
	page := func(name string, data []byte) {
		r.URL, r.Filename, r.Inline = "file:///"+name, name, &event.Inline{ContentBase64: data}
	}
	switch kind := l.random.IntN(20); {
	case kind < 11:
		page(fmt.Sprintf("page-%d.html", n), HTML(n))
	case kind < 14:
		page(fmt.Sprintf("changes-%d.html", l.random.IntN(versions)), HTML(n))
	case kind < 17:
		page(fmt.Sprintf("report-%d.pdf", n), PDF(n, 8))
	case kind < 19 && len(l.kept) > 0:
		again := l.kept[l.random.IntN(len(l.kept))]
		page(again.Filename, again.Inline.ContentBase64)
	default:
		data := PDF(n, 1)
		page(fmt.Sprintf("torn-%d.pdf", n), data[:len(data)/3])
	}
	if len(l.kept) < 200 {
		l.kept = append(l.kept, r)
	}
	l.sent = append(l.sent, r.RequestID)
	return r
}

// slope is the median of the slopes between all pairs of samples (Theil and
// Sen), by the sample: a few outliers do not move it.
func slope(values []float64) float64 {
	var slopes []float64
	for i := range values {
		for j := i + 1; j < len(values); j++ {
			slopes = append(slopes, (values[j]-values[i])/float64(j-i))
		}
	}
	if len(slopes) == 0 {
		return 0
	}
	slices.Sort(slopes)
	return slopes[len(slopes)/2]
}
