package app

import (
	"fmt"
	"slices"
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/services/indexer/internal/sync"
)

// TestAudit: a vector store that has lost some points, or has those of an older copy
// of itself again, is made equal to the catalog.
func TestAudit(t *testing.T) {
	r := newRig(t)
	refs := r.document("a", []string{"one", "two", "three", "four", "five"})
	r.handle(r.created(refs...)...)
	r.change("a", model.ChunkState{ChunkRef: refs[1], Layer: model.LayerArchive}, model.ChunkState{ChunkRef: refs[4], Layer: model.LayerArchive})
	r.handle(r.superseded("a", refs[1], 2)) // and that of the fifth is on its way
	r.wantStatus("a", model.VectorPresent)
	audit := func(times int) {
		t.Helper()
		auditor := &sync.Auditor{Syncer: r.syncer, Record: r.db, Look: r.store}
		for range times {
			if err := auditor.Audit(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	due := func() (refs []string) {
		t.Helper()
		return ask[[]string](r, `SELECT coalesce(array_agg(s.chunk_ref ORDER BY s.chunk_ref), '{}') FROM chunk_state s
			LEFT JOIN chunk_vectors v ON v.chunk_ref = s.chunk_ref WHERE v.pushed_rev IS DISTINCT FROM s.rev`)
	}
	audit(3)
	if got := due(); !slices.Equal(got, refs[4:]) {
		t.Fatalf("nothing is lost, and due are %v", got)
	}
	before := r.points.counts()

	// A point is lost, another has the layer of yesterday, a third is nobody's.
	if err := r.collection().Delete(t.Context(), []string{digest.PointID(refs[0])}); err != nil {
		t.Fatal(err)
	}
	if err := r.collection().SetPayload(t.Context(), []string{digest.PointID(refs[1])}, vectorstore.Change{Layer: string(model.LayerHot)}); err != nil {
		t.Fatal(err)
	}
	stray := vectorstore.Point{ID: digest.PointID("nobody:0"), Dense: make([]float32, retrieval.HashDimensions)}
	stray.Dense[0] = 1
	if err := r.collection().Upsert(t.Context(), []vectorstore.Point{stray}); err != nil {
		t.Fatal(err)
	}
	audit(1)
	if got := due(); !slices.Equal(got, []string{refs[0], refs[1], refs[4]}) {
		t.Errorf("due are %v", got)
	}
	if after := r.points.counts(); after[2] != before[2]+1 {
		t.Errorf("%d points were deleted", after[2]-before[2])
	}
	if got := ask[model.VectorStatus](r, `SELECT vector_status FROM chunk_manifests WHERE document_id = 'a'`); got != model.VectorPartial {
		t.Errorf("the manifest of lost vectors says %s", got)
	}
	r.handle(r.created(refs[0])...)
	r.handle(r.superseded("a", refs[1], 2), r.superseded("a", refs[4], 2))
	r.wantEqual()
	r.wantStatus("a", model.VectorPresent)
	audit(3)
	r.wantEqual()
}

// TestAuditOfMany: one audit compares a part, and all when the numbers differ.
func TestAuditOfMany(t *testing.T) {
	r := newRig(t)
	texts := make([]string, 46)
	for i := range texts {
		texts[i] = fmt.Sprintf("text %d", i)
	}
	refs := r.document("a", texts)
	r.handle(r.created(refs...)...)
	auditor := &sync.Auditor{Syncer: r.syncer, Record: r.db, Look: r.store, Window: 20}
	audit := func() int {
		t.Helper()
		if err := auditor.Audit(t.Context()); err != nil {
			t.Fatal(err)
		}
		return len(refs) - ask[int](r, `SELECT count(*) FROM chunk_vectors`)
	}
	if n := audit(); n != 0 {
		t.Fatalf("%d chunks are due, and nothing is lost", n)
	}
	var lost []string
	for i, ref := range refs {
		if i%5 == 0 {
			lost = append(lost, digest.PointID(ref))
		}
	}
	if err := r.collection().Delete(t.Context(), lost); err != nil {
		t.Fatal(err)
	}
	// A fresh look counts at once; that the numbers differ twice makes it look at all.
	auditor = &sync.Auditor{Syncer: r.syncer, Record: r.db, Look: r.store, Window: 20}
	if n := audit(); n == 0 || n == len(lost) {
		t.Errorf("after the first audit %d chunks are due, of %d", n, len(lost))
	}
	if n := audit(); n != len(lost) {
		t.Errorf("%d chunks are due, %d points are lost", n, len(lost))
	}
	r.handle(r.created(refs...)...)
	r.wantEqual()
}

// TestCollectionOfOtherVectors: somebody has deleted the collection and made one of
// its name for other vectors. No chunk is blamed for that.
func TestCollectionOfOtherVectors(t *testing.T) {
	r := newRig(t)
	old := r.document("a", []string{"one", "two"})
	r.handle(r.created(old...)...)
	other := func() {
		t.Helper()
		if err := r.collection().Drop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := r.collection().Ensure(t.Context(), 4); err != nil {
			t.Fatal(err)
		}
	}
	other()
	created := r.created(r.document("b", []string{"three"})...)
	r.handle(created...)
	r.wantStatus("b", model.VectorPresent)
	r.handle(r.created(old...)...)
	r.wantEqual()

	// With points in it, it is left alone, and waited for.
	other()
	foreign := vectorstore.Point{ID: digest.PointID("other"), Dense: []float32{1, 0, 0, 0}}
	if err := r.collection().Upsert(t.Context(), []vectorstore.Point{foreign}); err != nil {
		t.Fatal(err)
	}
	r.exec(`DELETE FROM chunk_vectors`)
	for _, err := range r.stage.HandleBatch(t.Context(), append(created, r.created(old...)...), r.emit) {
		if fault.KindOf(err) != fault.KindUnavailable {
			t.Errorf("with other vectors in the collection: %v", err)
		}
	}
	if n, err := r.collection().Count(t.Context(), vectorstore.Filter{}); err != nil || n != 1 {
		t.Errorf("%d points, %v", n, err)
	}
	if err := r.collection().Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.handle(append(created, r.created(old...)...)...)
	r.wantEqual()
}
