package app

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// asked counts what a catalog is asked: statements, and ways to the server and back, on
// which several may go.
type asked struct{ statements, ways atomic.Int64 }

func (a *asked) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	a.statements.Add(1)
	a.ways.Add(1)
	return ctx
}

func (a *asked) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (a *asked) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	a.statements.Add(int64(d.Batch.Len()))
	a.ways.Add(1)
	return ctx
}

func (a *asked) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (a *asked) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// TestStatementsOfAnEvent: how many statements, on how many ways, the catalog is asked for
// an event, of which each page brings one. Who raises a number says why.
func TestStatementsOfAnEvent(t *testing.T) {
	w := newWorld(t)
	count := &asked{}
	db, err := catalog.Open(t.Context(), catalog.Config{URL: w.Env.PostgresURL, Schema: w.Env.Schema, Tracer: count})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	counted := Stage(db, w.Blobs, slog.New(slog.DiscardHandler), config.Enrichment{})
	w.stage = counted
	handle := func(v version) func() error {
		run := w.capture(v)
		e := w.extract(run, model.PageRange{From: 1, To: 1}, 0, v.pages)
		return func() error { return counted.Handle(t.Context(), e, w.Emit) }
	}
	first := handle(version{doc: docA, day: 5, pages: []string{"# A|One.|# B|Two."}})
	late := version{doc: docA, day: 4, pages: []string{"# A|One.|# B|Four."}}
	container := version{doc: docA, day: 9, pages: []string{"x"}, kind: model.TypeZIP}
	failing := w.capture(version{doc: docB, day: 5, pages: []string{"One."}})
	failed := w.extract(failing, model.PageRange{From: 1, To: 1}, 0, []string{"One."})
	for _, c := range []struct {
		name string
		do   func() error
		want string
	}{
		{"a first version", first, "25 statements, 5 ways"},
		{"the same event again", first, "4 statements, 4 ways"},
		{"one that says more", handle(version{doc: docA, day: 6, pages: []string{"# A|One.|# B|Two.|# C|Three."}}), "26 statements, 6 ways"},
		{"one that says the same", handle(version{doc: docA, day: 7, pages: []string{"# A|One.|# B|Two.|# C|Three."}}), "19 statements, 4 ways"},
		{"one that says less", handle(version{doc: docA, day: 8, pages: []string{"# A|One."}}), "32 statements, 10 ways"},
		{"one that was captured before", handle(late), "31 statements, 10 ways"},
		{"a run that has failed", func() error {
			return counted.Fail(t.Context(), failed, fault.AttemptsExhausted, "four attempts", w.Emit)
		}, "15 statements, 6 ways"},
		{"a container, twice", func() error { w.arrive(container, nil); return nil }, "29 statements, 11 ways"},
	} {
		count.statements.Store(0)
		count.ways.Store(0)
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%d statements, %d ways", count.statements.Load(), count.ways.Load()); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
