package verify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/container/kinds"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/sandbox"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/pkg/verify"
)

func TestMain(m *testing.M) {
	if sandbox.Child(map[string]sandbox.Role{child.RoleName: child.Builtin().Role}) {
		return
	}
	os.Exit(m.Run())
}

const document = `<!DOCTYPE html><html lang="en"><title>T</title><p>The level of the lake rose.</p></html>`

// library is a document with one chunk in real stores.
type library struct {
	*testing.T
	reader     *verify.Reader
	snapshot   model.Snapshot
	run        model.Run
	row        model.SegmentRow
	chunk      model.Chunk
	state      model.ChunkState
	collection string
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	env := devtest.Start(t)
	ctx := t.Context()
	l := &library{T: t, collection: env.Collection + "_m_4"}
	db, err := catalog.Open(ctx, catalog.Config{URL: env.PostgresURL, Schema: env.Schema})
	l.must(err)
	t.Cleanup(db.Close)
	l.must(db.Migrate(ctx))
	blobs, err := blobstore.Open(ctx, blobstore.Config{Endpoint: env.S3Endpoint, AccessKey: env.S3AccessKey,
		SecretKey: env.S3SecretKey, BucketPrefix: env.BucketPrefix})
	l.must(err)
	l.must(blobs.EnsureBuckets(ctx))
	vectors, err := vectorstore.Open(ctx, vectorstore.Config{Addr: env.QdrantAddr})
	l.must(err)
	t.Cleanup(func() { _ = vectors.Close() })
	l.must(vectors.Collection(l.collection).Ensure(ctx, 4))
	l.must(vectors.SetAlias(ctx, env.Collection, l.collection))
	children, err := child.New(child.Config{Workers: 1, TempDir: t.TempDir()}, blobs.FetchRaw)
	l.must(err)
	t.Cleanup(children.Close)
	l.reader = &verify.Reader{Catalog: db, Blobs: blobs, Vectors: vectors, Alias: env.Collection, Extractor: children, Containers: kinds.All()}
	l.capture()
	l.extract()
	l.land()
	l.push(l.chunk.PointID, vectorstore.PayloadOf(l.chunk, l.state, l.collection))
	return l
}

func (l *library) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

func (l *library) capture() {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	hash, url := digest.Content([]byte(document)), "https://example.org/lake"
	l.snapshot = model.Snapshot{SnapshotID: digest.SnapshotID("lake", "r", hash), DocumentID: digest.DocumentID("lake", url),
		RequestID: "r", SourceID: "lake", SourceName: "The lake", SnapshotKind: model.KindHTML, FinalType: model.TypeHTML, URL: url,
		URLCanonical: url, ExternalID: url, RetrievedAt: at, ContentHash: hash, ByteLength: int64(len(document)), LastModified: at,
		LastModifiedOrigin: "http_header", SourceType: "official", Domain: "civics", Layer: model.LayerHot}
	l.putRaw(document)
	c := model.Capture{SourceID: "lake", RequestID: "r", RequestDigest: "d", Request: json.RawMessage(`{}`)}
	_, _, err := l.reader.Catalog.AcceptCapture(l.Context(), c, "test", time.Minute)
	l.must(err)
	_, err = l.reader.Catalog.RecordCapture(l.Context(), c, l.snapshot, nil, func(model.Standing) bool { return false })
	l.must(err)
	rules, err := digest.SourceRulesDigest(l.snapshot.UnitRules())
	l.must(err)
	l.run, err = l.reader.Catalog.StartRun(l.Context(), model.Run{SnapshotID: l.snapshot.SnapshotID,
		ExtractionID: digest.ExtractionID(extract.ParserVersion, rules, ""), SourceID: "lake", DocumentID: l.snapshot.DocumentID,
		PageCount: 1, ParserVersion: extract.ParserVersion, RulesDigest: rules}, []string{digest.PageID(l.snapshot.SnapshotID, 1)}, "")
	l.must(err)
}

func (l *library) putRaw(raw string) {
	key, err := blobstore.RawKey("lake", l.snapshot.ContentHash)
	l.must(err)
	l.put(blobstore.Raw, key, []byte(raw))
}

// put writes an object in place of the one that is there.
func (l *library) put(b blobstore.Bucket, key string, data []byte) {
	l.Helper()
	l.must(l.reader.Blobs.Delete(l.Context(), b, key))
	_, err := l.reader.Blobs.PutOnce(l.Context(), b, key, data, "application/octet-stream")
	l.must(err)
}

func (l *library) extract() {
	r := model.PageRange{From: 1, To: 1}
	results, err := l.reader.Extractor.Extract(l.Context(), l.snapshot, l.run, nil, r)
	l.must(err)
	var w segment.Writer
	l.must(w.Add(1, results[0].Frame))
	data, sum, err := w.Bytes()
	l.must(err)
	l.row = model.SegmentRow{SnapshotID: l.run.SnapshotID, ExtractionID: l.run.ExtractionID, From: 1, To: 1, Digest: sum,
		ByteLength: int64(len(data)), Processed: 1}
	l.row.ObjectKey, err = l.reader.Blobs.PutSegment(l.Context(), l.row, "lake", data)
	l.must(err)
	_, err = l.reader.Catalog.PutSegment(l.Context(), l.row, []model.Page{results[0].Page})
	l.must(err)
	frame, err := segment.DecodeFrame(results[0].Frame)
	l.must(err)
	l.makeChunk(frame.Units[len(frame.Units)-1])
}

func (l *library) makeChunk(u model.Unit) {
	s := l.snapshot
	c := model.Chunk{DocHash: digest.DocHash("lake", s.ExternalID, digest.LastModified(s.LastModified), "html"), Generation: 1, ChunkID: "0",
		DocumentID: s.DocumentID, SourceID: "lake", SnapshotID: s.SnapshotID, ExtractionID: l.run.ExtractionID,
		Type: model.ChunkFact, Status: model.StatusUnderReview, InfoDate: "2026-03-04", InfoDateOrigin: s.LastModifiedOrigin,
		Source: s.SourceName, SourceType: s.SourceType, DocType: "html", Domain: s.Domain, Language: "en", URL: s.URL, PageHint: 1,
		Layer: model.LayerHot, ParserVersion: l.run.ParserVersion, ChunkerVersion: "1", HeaderVersion: header.Version,
		Anchors: []model.Anchor{{Type: "article", Text: "Art. 2", Page: 1}}, Tokens: 20}
	c.ChunkRef = digest.ChunkRef(c.DocHash, c.ChunkID)
	c.PointID = digest.PointID(c.ChunkRef)
	head := header.Of(s, c)
	c.Content = u.FieldsRaw.Text
	c.Text = head + c.Content
	c.TextHash, c.ContentTextHash = digest.Text(c.Text), digest.Text(c.Content)
	c.Provenance = model.Provenance{
		Source: model.ProvenanceSource{SourceID: "lake", RecordPointer: model.RecordPointer{Kind: "snapshot", SnapshotID: s.SnapshotID,
			RetrievedAt: s.RetrievedAt}},
		Segments: []model.Segment{{End: len(head), Synthetic: model.SyntheticHeader},
			{Start: len(head), End: len(c.Text), IRID: u.IRID, To: len(c.Content), Page: 1}},
	}
	l.must(c.Validate())
	l.chunk, l.state = c, model.ChunkState{ChunkRef: c.ChunkRef, Layer: model.LayerHot, Rev: 1}
}

func (l *library) land() {
	c := l.chunk
	v := model.Version{DocHash: c.DocHash, Generation: 1, SnapshotID: c.SnapshotID, ExtractionID: c.ExtractionID,
		Chunks: model.ChunkSet{DocHash: c.DocHash, Generation: 1}}
	l.must(l.reader.Catalog.LockDocument(l.Context(), c.DocumentID, time.Second, func(tx *catalog.DocumentTx) error {
		return errors.Join(
			tx.AddChunks(l.Context(), []model.Chunk{c}), tx.AddStates(l.Context(), l.run, "run", []model.ChunkState{l.state}),
			tx.AddManifest(l.Context(), model.Manifest{DocHash: c.DocHash, Generation: 1, DocumentID: c.DocumentID, SourceID: "lake",
				SnapshotID: c.SnapshotID, ExtractionID: c.ExtractionID, ChunkCount: 1, Status: "done", ChunkerVersion: "1",
				HeaderVersion: header.Version, SegmentsDigest: digest.HexParts(l.row.Digest)}, v),
		)
	}))
}

func (l *library) push(id string, payload vectorstore.Payload) {
	l.Helper()
	payload.PushedAt = "2026-03-05T00:00:00Z"
	l.must(l.reader.Vectors.Collection(l.collection).Upsert(l.Context(), []vectorstore.Point{l.point(id, payload)}))
}

// point is a point of the chunk with its vectors.
func (l *library) point(id string, payload vectorstore.Payload) vectorstore.Point {
	indices, values := retrieval.Sparse(l.chunk.Text)
	return vectorstore.Point{ID: id, Dense: []float32{1, 0, 0, 0}, Sparse: vectorstore.Sparse{Indices: indices, Values: values}, Payload: payload}
}

func (l *library) exec(sql string, args ...any) {
	l.Helper()
	l.must(l.reader.Catalog.Tx(l.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(l.Context(), sql, args...)
		return err
	}))
}

// verify proves the chunk as the catalog has it and returns the verdict and the
// breaks as "step where: what".
func (l *library) verify() (verdict proof.Verdict, breaks string) {
	l.Helper()
	c, err := l.reader.Catalog.Chunk(l.Context(), l.chunk.ChunkRef)
	l.must(err)
	proofs, err := proof.Verify(l.Context(), l.reader, []proof.Item{{Chunk: c, State: l.state}})
	l.must(err)
	for _, b := range proofs[0].Breaks {
		breaks += b.Step + " " + b.Where + ": " + b.What + "\n"
	}
	return proofs[0].Verdict, breaks
}

func TestFromThePointToTheRawBytes(t *testing.T) {
	l := newLibrary(t)
	if verdict, breaks := l.verify(); verdict != proof.Verified || breaks != "" {
		t.Fatalf("%s\n%s", verdict, breaks)
	}
	// What became of the run later changes nothing of what was proved.
	l.exec(`UPDATE runs SET state = 'failed', reason = 'timeout', message = 'too slow', redo = 1`)
	if verdict, breaks := l.verify(); verdict != proof.Verified || breaks != "" {
		t.Errorf("after a redo that failed: %s\n%s", verdict, breaks)
	}
}

func TestEveryStoreIsRead(t *testing.T) {
	for _, c := range []struct {
		name, want string
		flip       func(l *library)
	}{
		{"raw bytes", "a raw bytes of", func(l *library) { l.putRaw(strings.Replace(document, "rose", "fell", 1)) }},
		{"raw bytes gone", "a raw bytes of", func(l *library) {
			key, err := blobstore.RawKey("lake", l.snapshot.ContentHash)
			l.must(err)
			l.must(l.reader.Blobs.Delete(l.Context(), blobstore.Raw, key))
		}},
		{"segment", "b segment of pages 1–1", func(l *library) {
			data, err := l.reader.Blobs.Get(l.Context(), blobstore.Derived, l.row.ObjectKey, "")
			l.must(err)
			l.put(blobstore.Derived, l.row.ObjectKey, bytes.Replace(data, data[8:9], []byte{data[8] ^ 1}, 1))
		}},
		{"segment gone", "b segment of pages 1–1", func(l *library) {
			l.must(l.reader.Blobs.Delete(l.Context(), blobstore.Derived, l.row.ObjectKey))
		}},
		{"segment's row", "b page 1: no segment", func(l *library) { l.exec(`DELETE FROM ir_segments`) }},
		{"manifest", "b manifest", func(l *library) { l.exec(`DELETE FROM chunk_manifests`) }},
		{"snapshot's record", "d doc_hash", func(l *library) {
			l.exec(`UPDATE snapshots SET record = jsonb_set(record, '{last_modified}', '"2020-01-01T00:00:00Z"')`)
		}},
		{"chunk's text", "e text[", func(l *library) {
			l.exec(`UPDATE chunks SET text = replace(text, 'rose', 'fell'), content = replace(content, 'rose', 'fell')`)
		}},
		{"chunk's provenance", "e text[", func(l *library) {
			l.exec(`UPDATE chunks SET provenance = jsonb_set(provenance, '{segments,1,ir_id}', '"ir_other"')`)
		}},
		{"no point", "is not in", func(l *library) {
			l.must(l.reader.Vectors.Collection(l.collection).Delete(l.Context(), []string{l.chunk.PointID}))
		}},
		{"a point's text", "its payload in", func(l *library) {
			p := vectorstore.PayloadOf(l.chunk, l.state, l.collection)
			p.Text = strings.Replace(p.Text, "rose", "fell", 1)
			l.push(l.chunk.PointID, p)
		}},
		{"a point's layer", "its payload in", func(l *library) {
			l.exec(`UPDATE chunk_state SET layer = 'archive'`)
			l.state.Layer = model.LayerArchive
		}},
		{"a point's anchor", "its payload in", func(l *library) {
			p := vectorstore.PayloadOf(l.chunk, l.state, l.collection)
			p.AnchorText = "Art. 3"
			l.push(l.chunk.PointID, p)
		}},
		{"a second point", "a second time, as", func(l *library) {
			l.push(digest.PointID("other"), vectorstore.PayloadOf(l.chunk, l.state, l.collection))
		}},
		{"a point that must not be there", "although the chunk repeats another", func(l *library) {
			l.exec(`UPDATE chunk_state SET repeats = 'other:0'`)
			l.state.Repeats = "other:0"
		}},
		{"a point that says another chunk stands for it", "its payload in", func(l *library) {
			other := "other:0"
			l.must(l.reader.Vectors.Collection(l.collection).SetPayload(l.Context(), []string{l.chunk.PointID}, vectorstore.Change{DuplicateOf: &other}))
		}},
		{"no collection", "there is no collection", func(l *library) {
			l.must(l.reader.Vectors.RemoveAlias(l.Context(), l.reader.Alias))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLibrary(t)
			c.flip(l)
			if verdict, breaks := l.verify(); verdict != proof.Broken || !strings.Contains(breaks, c.want) {
				t.Errorf("%s\n%s", verdict, breaks)
			}
		})
	}
}

// TestAnswersOfModelsAreRead: what a model said is there, and is what was kept.
func TestAnswersOfModelsAreRead(t *testing.T) {
	l := newLibrary(t)
	said := []byte(`{"answers":["{}"]}`)
	a := model.LLMAnswer{SourceID: "lake", Model: "m", PromptVersion: 1, InputHash: digest.Hex([]byte("asked")), SnapshotID: l.snapshot.SnapshotID}
	var err error
	a.ObjectKey, _, a.Digest, err = l.reader.Blobs.PutLLM(l.Context(), a.SourceID, a.Model, "1", a.InputHash, said)
	l.must(err)
	_, err = l.reader.Catalog.PutLLMAnswer(l.Context(), a)
	l.must(err)
	for _, c := range []struct {
		want string // "" for no break
		flip func()
	}{
		{"", func() {}},
		{"its object is not what was kept", func() {
			l.put(blobstore.Derived, a.ObjectKey, bytes.Replace(said, []byte("{}"), []byte("[]"), 1))
		}},
		{"its object does not exist", func() { l.must(l.reader.Blobs.Delete(l.Context(), blobstore.Derived, a.ObjectKey)) }},
		{"its object_key is not made of", func() { l.exec(`UPDATE llm_answers SET object_key = 'lake/llm/m/1/other.json'`) }},
	} {
		c.flip()
		breaks, err := l.reader.Stores(l.Context(), time.Now().Add(-time.Hour), time.Now().Add(-time.Hour))
		l.must(err)
		var found []string
		for _, b := range breaks {
			if strings.HasPrefix(b.Where, "answer of m to ") {
				found = append(found, b.What)
			}
		}
		if len(found) != min(1, len(c.want)) || !strings.HasPrefix(strings.Join(found, ""), c.want) {
			t.Errorf("want %q, found %q", c.want, found)
		}
	}
}

func TestAChunkWithoutAPoint(t *testing.T) {
	l := newLibrary(t)
	l.must(l.reader.Vectors.Collection(l.collection).Delete(l.Context(), []string{l.chunk.PointID}))
	l.state.Repeats = "other:0"
	if verdict, breaks := l.verify(); verdict != proof.Verified {
		t.Errorf("%s\n%s", verdict, breaks)
	}
	l.must(l.reader.Vectors.RemoveAlias(l.Context(), l.reader.Alias))
	if verdict, breaks := l.verify(); verdict != proof.Verified {
		t.Errorf("%s\n%s", verdict, breaks)
	}
}

func TestAnotherParserAnchors(t *testing.T) {
	l := newLibrary(t)
	run := l.run
	run.ParserVersion = "0"
	if _, err := l.reader.Remake(l.Context(), l.snapshot, run, nil, model.PageRange{From: 1, To: 1}, nil); !errors.Is(err, proof.ErrOtherParser) {
		t.Errorf("%v", err)
	}
}

func TestAStoreThatIsAwayIsNoFinding(t *testing.T) {
	l := newLibrary(t)
	l.reader.Catalog.Close()
	_, err := proof.Verify(context.WithoutCancel(l.Context()), l.reader, []proof.Item{{Chunk: l.chunk, State: l.state}})
	if fault.KindOf(err) != fault.KindUnavailable || errors.Is(err, proof.ErrGone) {
		t.Errorf("%v", err)
	}
}
