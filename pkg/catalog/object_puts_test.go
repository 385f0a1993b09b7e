package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

func never(model.Standing) bool { return false }

// TestCaptureAtOnce: rows are there when the object is, and once.
func TestCaptureAtOnce(t *testing.T) {
	db := openCatalog(t)
	ctx := t.Context()
	s := snapshotOf("a", 1)
	c := captureOf(s.RequestID, "x")
	c.SourceID, c.RequestedAt = s.SourceID, time.Now()
	gone := errors.New("the store is away")
	if _, _, err := db.CaptureAtOnce(ctx, c, s, never, func(context.Context) error { return gone }); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
	missing := func(context.Context) error {
		if _, err := db.Capture(ctx, c.SourceID, c.RequestID); !errors.Is(err, catalog.ErrNotFound) {
			return fmt.Errorf("before its bytes: %w", err)
		}
		return nil
	}
	row, first, err := db.CaptureAtOnce(ctx, c, s, never, missing)
	if err != nil || !first || row.Outcome != "stored" || row.SnapshotID != s.SnapshotID {
		t.Errorf("%+v, %t, %v", row, first, err)
	}
	if _, err := db.Snapshot(ctx, s.SnapshotID); err != nil {
		t.Error(err)
	}
	other := snapshotOf("b", 2)
	if _, first, err := db.CaptureAtOnce(ctx, c, other, never, func(context.Context) error { return nil }); first || err != nil {
		t.Errorf("again: %t, %v", first, err)
	}
	if _, err := db.Snapshot(ctx, other.SnapshotID); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("again: %v", err)
	}
}

// TestPutsThatAskTheCatalog: transactions that wait for objects leave connections to
// the puts, which need them.
func TestPutsThatAskTheCatalog(t *testing.T) {
	db := openCatalog(t)
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			s := snapshotOf(fmt.Sprint("s", i), 1)
			c := captureOf(s.RequestID, "x")
			c.SourceID, c.RequestedAt = s.SourceID, time.Now()
			if _, first, err := db.CaptureAtOnce(t.Context(), c, s, never, db.Ping); err != nil || !first {
				t.Errorf("%t, %v", first, err)
			}
		})
	}
	all.Wait()
}

// TestASegmentBesideItsObject: rows are there when the object is.
func TestASegmentBesideItsObject(t *testing.T) {
	db := openCatalog(t)
	ctx := t.Context()
	run := startRun(t, db, addSnapshot(t, db, snapshotOf("a", 1)), "x", 2)
	row, pages := rangeOf(run, model.PageRange{From: 1, To: 2}, 0)
	gone := errors.New("the store is away")
	if _, err := db.PutSegmentBeside(ctx, row, pages, func(context.Context) error { return gone }); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
	missing := func(context.Context) error {
		if _, err := db.Segment(ctx, row.SnapshotID, row.ExtractionID, 1, 0); !errors.Is(err, catalog.ErrNotFound) {
			return fmt.Errorf("before its object: %w", err)
		}
		return nil
	}
	if got, err := db.PutSegmentBeside(ctx, row, pages, missing); err != nil || got != row {
		t.Errorf("%+v, %v", got, err)
	}
	finish(t, db, run, model.RunRemoved)
	if _, err := db.PutSegmentBeside(ctx, row, pages, func(context.Context) error { return nil }); !errors.Is(err, fault.ErrRunMoved) {
		t.Errorf("of a run that was removed: %v", err)
	}
}
