package rounds

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/reconcile"
)

// passes answers each pass with the next of its answers, and notes what was asked.
type passes struct {
	asked   []reconcile.Options
	at      []time.Time
	answers []answer
	stop    context.CancelFunc // called by the last
}

type answer struct {
	report reconcile.Report
	err    error
}

func (p *passes) Run(_ context.Context, o reconcile.Options) (reconcile.Report, error) {
	a := p.answers[len(p.asked)]
	p.asked, p.at = append(p.asked, o), append(p.at, time.Now())
	if len(p.asked) == len(p.answers) {
		p.stop()
	}
	return a.report, a.err
}

// seen is a report of a pass that looked at the objects.
func seen() reconcile.Report {
	return reconcile.Report{Counts: []*reconcile.Count{{What: string(blobstore.Raw) + " objects"}, {What: string(blobstore.Derived) + " objects"}}}
}

func TestObjectsAreLookedAtOnceADay(t *testing.T) {
	away := errors.New("the catalog is away")
	plain := reconcile.Report{Counts: []*reconcile.Count{{What: "captures"}}}
	for name, c := range map[string]struct {
		every   time.Duration
		answers []answer
		want    string // for each pass: whether it looks at objects
	}{
		"once a day":                  {24 * time.Hour, []answer{{report: seen()}, {report: plain}, {report: plain}, {report: plain}, {report: seen()}}, "yes no no no yes"},
		"never":                       {0, []answer{{report: plain}, {report: plain}}, "no no"},
		"a pass that failed":          {24 * time.Hour, []answer{{report: seen(), err: away}, {report: seen()}, {report: plain}}, "yes yes no"},
		"another janitor was at work": {24 * time.Hour, []answer{{report: reconcile.Report{Busy: true}}, {report: seen()}, {report: plain}}, "yes yes no"},
		"there were no streams":       {24 * time.Hour, []answer{{report: reconcile.Report{Missing: []string{"stream IR"}}}, {report: seen()}, {report: plain}}, "yes yes no"},
		"no vector store all the while": {24 * time.Hour, []answer{
			{report: reconcile.Report{Counts: seen().Counts, Missing: []string{"the vector store does not answer"}}}, {report: plain},
		}, "yes no"},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p := &passes{answers: c.answers, stop: cancel}
			r := &Rounds{Reconciler: p, Every: 6 * time.Hour, Age: time.Minute, ObjectsEvery: c.every, ObjectAge: time.Hour, Log: slog.New(slog.DiscardHandler)}
			began := time.Now()
			r.Run(ctx)
			var looked []string
			for i, o := range p.asked {
				if o.SkipObjects {
					looked = append(looked, "no")
				} else {
					looked = append(looked, "yes")
				}
				if o.Age != time.Minute || o.ObjectAge != time.Hour || o.DryRun {
					t.Errorf("%s: pass %d is asked for %+v", name, i, o)
				}
				if after := p.at[i].Sub(began); after != time.Duration(i+1)*6*time.Hour {
					t.Errorf("%s: pass %d was made after %s", name, i, after)
				}
			}
			if got := strings.Join(looked, " "); got != c.want {
				t.Errorf("%s: looked at objects: %s, want %s", name, got, c.want)
			}
		})
	}
}

// TestNoPasses: what is switched off makes none, and ends when it is told to.
func TestNoPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 1000*time.Hour)
		defer cancel()
		p := &passes{}
		(&Rounds{Reconciler: p, Log: slog.New(slog.DiscardHandler)}).Run(ctx)
		if len(p.asked) > 0 {
			t.Errorf("asked for %+v", p.asked)
		}
	})
}
