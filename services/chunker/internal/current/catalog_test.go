package current

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest/stagetest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// beside repeats on a real catalog what the story's memory is asked for.
type beside struct {
	*stagetest.World
	seen int64 // of the log
}

// land does what a landing does, in one transaction that holds the document.
func (b *beside) land(s step, t Timeline, run model.Run, added []model.ChunkLink) error {
	b.Helper()
	of := s.captured()
	b.record(s.doc, of)
	return b.DB.LockDocument(b.Context(), s.doc, time.Second, func(tx *catalog.DocumentTx) error {
		ctx := b.Context()
		if t.landing == nothingLands {
			return t.Move(ctx, tx, run)
		}
		v := t.Landed()
		m := model.Manifest{DocHash: v.DocHash, Generation: v.Generation, DocumentID: s.doc, SourceID: "s", SnapshotID: v.SnapshotID,
			ExtractionID: v.ExtractionID, Status: "done", SameAs: v.SameAs, DocType: "html", ChunkCount: len(added), VectorStatus: model.VectorNone}
		if err := tx.AddManifest(ctx, m, v); err != nil {
			return err
		}
		var chunks []model.Chunk
		for _, l := range added {
			chunks = append(chunks, model.Chunk{ChunkRef: l.ChunkRef, DocHash: l.Set.DocHash, Generation: l.Set.Generation,
				ChunkID: digest.ChunkID(l.ChunkIndex, l.Set.Generation), ChunkIndex: l.ChunkIndex, PointID: digest.PointID(l.ChunkRef),
				DocumentID: s.doc, SourceID: "s", SnapshotID: v.SnapshotID, ExtractionID: v.ExtractionID, Text: "t", Content: "c",
				TextHash: l.TextHash, ContentTextHash: l.ContentTextHash, SourceType: l.SourceType, Type: l.Type, Status: l.Status,
				SectionPath: l.SectionPath, InfoDate: l.InfoDate, Layer: l.Layer, DocType: l.Facets.DocType, Territory: l.Facets.Territory})
		}
		if err := tx.AddChunks(ctx, chunks); err != nil {
			return err
		}
		return t.Land(ctx, tx, run, "capture", added)
	})
}

// record makes the rows of a document and of a capture of it, if there are none.
func (b *beside) record(document string, of model.Captured) {
	b.Helper()
	b.exec(`INSERT INTO documents (document_id, source_id, external_id, external_digest, slug)
		VALUES ($1, 's', $1, sha256(convert_to($1, 'UTF8')), $1) ON CONFLICT DO NOTHING`, document)
	b.exec(`INSERT INTO snapshots (snapshot_id, document_id, source_id, content_hash, retrieved_at, snapshot_kind, final_type, process, record)
		VALUES ($1, $2, 's', $1, $3, 'html', 'html', true, '{}') ON CONFLICT DO NOTHING`, of.SnapshotID, document, of.RetrievedAt)
}

func (b *beside) exec(sql string, args ...any) {
	b.Helper()
	err := b.DB.Tx(b.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(b.Context(), sql, args...)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

// holds compares the catalog with the memory: states, who stands, and what the last
// step has logged.
func (b *beside) holds(w *story) {
	b.Helper()
	refs := make([]string, len(w.chunks))
	for i, l := range w.chunks {
		refs[i] = l.ChunkRef
	}
	states, err := b.DB.ChunkStates(b.Context(), refs)
	if err != nil || len(states) != len(w.states) {
		b.Errorf("%d states of %d, %v", len(states), len(w.states), err)
	}
	for _, s := range states {
		s.ChangedBy, s.Current = "", model.DocumentCurrent{}
		if want := w.states[s.ChunkRef]; s != want {
			b.Errorf("in the catalog %+v\nin memory %+v", s, want)
		}
	}
	knowledge, logged := make(map[model.KnowledgeKey]string), []string{}
	err = b.DB.Tx(b.Context(), func(tx pgx.Tx) error { return b.read(tx, knowledge, &logged) })
	if err != nil {
		b.Fatal(err)
	}
	for key, ref := range w.knowledge {
		if knowledge[key] != ref {
			b.Errorf("%s stands for %v, in memory %s", knowledge[key], key, ref)
		}
	}
	want := w.news()
	for ref, cause := range w.first {
		want = append(want, fmt.Sprintf("%s %s", ref, cause))
	}
	slices.Sort(logged)
	slices.Sort(want)
	if len(knowledge) != len(w.knowledge) || !slices.Equal(logged, want) {
		b.Errorf("%d texts, %d in memory; logged was %q, in memory %q", len(knowledge), len(w.knowledge), logged, want)
	}
}

// read returns who stands for what, and the entries of the log that are new.
func (b *beside) read(tx pgx.Tx, knowledge map[model.KnowledgeKey]string, logged *[]string) error {
	rows, err := tx.Query(b.Context(), `SELECT text_hash, source_type, chunk_ref FROM knowledge`)
	if err != nil {
		return err
	}
	var key model.KnowledgeKey
	var ref string
	if _, err := pgx.ForEachRow(rows, []any{&key.TextHash, &key.SourceType, &ref}, func() error {
		knowledge[key] = ref
		return nil
	}); err != nil {
		return err
	}
	if rows, err = tx.Query(b.Context(), `SELECT seq, chunk_ref || ' ' || cause || CASE replaced_by WHEN '' THEN '' ELSE ' ' || replaced_by END
		FROM chunk_log WHERE seq > $1 ORDER BY seq`, b.seen); err != nil {
		return err
	}
	var said string
	_, err = pgx.ForEachRow(rows, []any{&b.seen, &said}, func() error {
		*logged = append(*logged, said)
		return nil
	})
	return err
}

// TestTheCatalogDecidesAlike lets histories happen in memory and in a real catalog: what
// the tables of these tests rest on is what the catalog does.
func TestTheCatalogDecidesAlike(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		b := &beside{World: stagetest.New(t)}
		w := newStory(t)
		w.also = b.land
		for _, s := range randomSteps(rand.New(rand.NewPCG(seed, 21))) {
			w.tell(s)
			if b.holds(w); t.Failed() {
				t.Fatalf("seed %d, after %+v", seed, s)
			}
		}
	}
}

var _ Store = (*catalog.DocumentTx)(nil)
