package app

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/current"
)

// apart counts the chunks of a document whose states are not what its versions make of
// them, as a proof finds out.
func (w *world) apart(documentID string) (n int) {
	w.Helper()
	history, links, err := w.DB.DocumentLinks(w.Context(), documentID)
	if err != nil {
		w.Fatal(err)
	}
	stands := map[string]model.ChunkState{}
	for _, l := range links {
		stands[l.ChunkRef] = l.State
	}
	for _, want := range current.States(history, links) {
		if have := stands[want.ChunkRef]; have.Layer != want.Layer || have.Repeats != want.Repeats || have.Since != want.Since {
			n++
		}
	}
	return n
}

// TestWhatIsNotDecidedYetIsNoBreak: between the row of a capture that makes no run and the
// chunker's work, however long that takes, the states are those of what was decided last,
// and nothing is found; what is wrong by that is found all the same.
func TestWhatIsNotDecidedYetIsNoBreak(t *testing.T) {
	w := newWorld(t)
	one, two := []string{"# A|x.|# B|y."}, []string{"# A|x.|# C|z."}
	zip := func(doc string, day int) version { return version{doc: doc, day: day, kind: model.TypeZIP} }
	said := func(doc string, day int, name string, pages []string) version {
		return version{doc: doc, day: day, bytes: name, pages: pages}
	}
	for doc, all := range map[string][]version{
		"https://example.org/zip":     {said("https://example.org/zip", 1, "one", one), zip("https://example.org/zip", 2)},
		"https://example.org/again":   {said("https://example.org/again", 1, "one", one), zip("https://example.org/again", 2), said("https://example.org/again", 3, "one", one)},
		"https://example.org/between": {said("https://example.org/between", 1, "one", one), said("https://example.org/between", 3, "one", one), said("https://example.org/between", 2, "two", two)},
	} {
		last := all[len(all)-1]
		for _, v := range all[:len(all)-1] {
			w.arrive(v, all)
		}
		s := w.record(last, func(before model.Standing) bool {
			reads, err := w.snapshotOf(last).ReadsDigest()
			if err != nil {
				t.Fatal(err)
			}
			return before.Reads == reads
		})
		if d, err := w.DB.Unsettled(t.Context(), s.DocumentID); err != nil || d == nil {
			t.Fatalf("%s is settled: %v", doc, err)
		}
		if n := w.apart(s.DocumentID); n > 0 {
			t.Errorf("%s: %d chunks are broken before it is decided", doc, n)
		}
		found, err := w.DB.Contradictions(t.Context(), s.DocumentID, time.Now().Add(-time.Hour))
		if err != nil || len(found) > 0 {
			t.Errorf("%s: %v, %v", doc, found, err)
		}
		ref := w.chunks(s.DocumentID)[0].Chunk.ChunkRef
		broken := func(statement string) {
			if _, err := w.pool().Exec(t.Context(), statement, ref); err != nil {
				t.Fatal(err)
			}
		}
		broken(`UPDATE chunk_state SET since = '2001-01-01' WHERE chunk_ref = $1`)
		if n := w.apart(s.DocumentID); n != 1 {
			t.Errorf("%s: %d chunks are broken, want the one that is", doc, n)
		}
		broken(`UPDATE chunk_state s SET since = c.record->>'info_date' FROM chunks c WHERE c.chunk_ref = s.chunk_ref AND s.chunk_ref = $1`)
		w.settle(s)
		if n := w.apart(s.DocumentID); n > 0 {
			t.Errorf("%s: %d chunks are broken after it was decided", doc, n)
		}
	}
}

// TestAPromotedChunkWaitsForItsVector: a manifest whose chunk stands for a text since a
// moment ago, because the one that stood for it went, is not called wrong for the vector
// that is on its way.
func TestAPromotedChunkWaitsForItsVector(t *testing.T) {
	w := newWorld(t)
	page := []string{"# Rule|Said by both."}
	first, _ := w.land(version{source: "one", doc: docA, day: 5, pages: page})
	second, _ := w.land(version{source: "two", doc: docA, day: 5, pages: page})
	for _, statement := range []string{
		`INSERT INTO collections (name, alias, model, dimensions, state, created_at) VALUES ('c_m_2', 'c', 'm', 2, 'active', now() - interval '1 day')`,
		`INSERT INTO chunk_vectors (chunk_ref, collection, point_id, pushed_rev, present, pushed_at)
			SELECT c.chunk_ref, 'c_m_2', c.point_id, s.rev, s.duplicate_of = '', now() - interval '1 day' FROM chunks c JOIN chunk_state s USING (chunk_ref)`,
		`UPDATE chunk_manifests SET vector_status = 'present', last_pushed_collection = 'c_m_2', updated_at = now() - interval '1 day'`,
		`UPDATE chunk_log SET at = now() - interval '1 day', published = true`,
	} {
		if _, err := w.pool().Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	vectors := func() (found []string) {
		all, err := w.DB.Contradictions(t.Context(), second.DocumentID, time.Now().Add(-time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			found = append(found, c.What)
		}
		return found
	}
	w.land(version{source: "one", doc: docA, day: 6, pages: []string{"# Other|Now this."}})
	if !w.of(second, "both").State.HasPoint() || w.of(first, "both").State.Layer != model.LayerArchive {
		t.Fatal("nobody was promoted")
	}
	const called = "its vectors are called present, and none of its chunks have theirs"
	if found := vectors(); slices.Contains(found, called) {
		t.Errorf("a moment after: %v", found)
	}
	if _, err := w.pool().Exec(t.Context(), `UPDATE chunk_log SET at = now() - interval '2 hours'`); err != nil {
		t.Fatal(err)
	}
	if found := vectors(); !slices.Contains(found, called) {
		t.Errorf("two hours after: %v", found)
	}
}

// statements changes rows as the product does not.
type statements struct{ *world }

// Exec runs one.
func (s statements) Exec(ctx context.Context, statement string, args ...any) (tag pgconn.CommandTag, err error) {
	err = s.DB.Tx(ctx, func(tx pgx.Tx) error {
		tag, err = tx.Exec(ctx, statement, args...)
		return err
	})
	return tag, err
}

func (w *world) pool() statements { return statements{w} }
