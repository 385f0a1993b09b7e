package catalog_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

func collections(t *testing.T) *catalog.DB {
	t.Helper()
	env := devtest.Start(t)
	db, err := catalog.Open(t.Context(), catalog.Config{URL: env.PostgresURL, Schema: env.Schema, MaxConns: 6})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestCollections(t *testing.T) {
	db, ctx := collections(t), t.Context()
	if _, err := db.ActiveCollection(ctx, "kb"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("active collection of nothing: %v", err)
	}
	if _, err := db.PushVectors(ctx, "kb", []string{"a"}, nil); !errors.Is(err, fault.ErrNoCollection) {
		t.Errorf("push to nothing: %v", err)
	}
	first := model.Collection{Name: "kb_m_4", Alias: "kb", Model: "m", Dimensions: 4}
	second := model.Collection{Name: "kb_n_8", Alias: "kb", Model: "n", Dimensions: 8}
	elsewhere := model.Collection{Name: "other_n_8", Alias: "other", Model: "n", Dimensions: 8}
	for range 2 {
		for i, c := range []model.Collection{elsewhere, first, second} {
			want := []model.CollectionState{model.CollectionActive, model.CollectionActive, model.CollectionBuilding}[i]
			if stands, err := db.RegisterCollection(ctx, c); err != nil || stands.State != want || stands.Name != c.Name {
				t.Fatalf("%+v, %v; want it %s", stands, err, want)
			}
		}
	}
	changed := first
	changed.Dimensions = 5
	if _, err := db.RegisterCollection(ctx, changed); fault.KindOf(err) != fault.KindPermanent {
		t.Errorf("the same name for other vectors: %v", err)
	}
	active, err := db.ActiveCollection(ctx, "kb")
	if first.State = model.CollectionActive; err != nil || active != first {
		t.Errorf("active is %+v, %v", active, err)
	}
	written, err := db.WrittenCollections(ctx, "kb")
	if second.State = model.CollectionBuilding; err != nil || !slices.Equal(written, []model.Collection{first, second}) {
		t.Errorf("written are %+v, %v", written, err)
	}
}

// TestResetWaitsForPushes: what is recorded of a lost collection is forgotten
// after the pushes under way have ended, and none begins meanwhile.
func TestResetWaitsForPushes(t *testing.T) {
	db, ctx := collections(t), t.Context()
	c, err := db.RegisterCollection(ctx, model.Collection{Name: "kb_m_4", Alias: "kb", Model: "m", Dimensions: 4})
	if err != nil {
		t.Fatal(err)
	}
	nothing := func(context.Context, []model.Collection, []model.IndexItem) ([]model.VectorRow, error) {
		return nil, nil
	}
	inside, goOn := make(chan struct{}), make(chan struct{})
	pushed, reset := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := db.PushVectors(ctx, "kb", []string{"b", "a", "b"}, func(_ context.Context, _ []model.Collection, items []model.IndexItem) ([]model.VectorRow, error) {
			if len(items) != 2 || items[0].ChunkRef != "a" || items[0].Found || items[0].WantsPoint() {
				t.Errorf("items %+v", items)
			}
			close(inside)
			<-goOn
			return nil, nil
		})
		pushed <- err
	}()
	<-inside
	if busy, err := db.PushVectors(ctx, "kb", []string{"a", "c"}, nothing); err != nil || !slices.Equal(busy, []string{"a"}) {
		t.Errorf("busy are %v, %v", busy, err)
	}
	asked := make(chan struct{})
	go func() {
		_, err := db.ResetVectors(ctx, c.Name, func(context.Context) (bool, error) {
			close(asked)
			return true, nil
		})
		reset <- err
	}()
	deadline := time.After(devtest.Patience)
	for {
		if _, err = db.PushVectors(ctx, "kb", []string{"c"}, nothing); fault.KindOf(err) == fault.KindDeferred {
			break
		}
		select {
		case <-deadline:
			t.Fatalf("a push beside a reset that waits: %v", err)
		case <-asked:
			t.Fatal("the reset did not wait")
		default:
		}
	}
	close(goOn)
	if err := errors.Join(<-pushed, <-reset); err != nil {
		t.Error(err)
	}
	if _, err := db.PushVectors(ctx, "kb", []string{"a"}, nothing); err != nil {
		t.Errorf("push after the reset: %v", err)
	}
	kept, err := db.ResetVectors(ctx, c.Name, func(context.Context) (bool, error) { return false, nil })
	if kept || err != nil {
		t.Errorf("reset of what is not lost: %v, %v", kept, err)
	}
}
