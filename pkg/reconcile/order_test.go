package reconcile_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/reconcile"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// before makes of rows of today those that were written before it was recorded what is
// read of a snapshot.
func (r *rig) before(statements ...string) {
	r.t.Helper()
	r.must(r.db.Tx(r.ctx, func(tx pgx.Tx) error {
		for _, s := range append(statements, `UPDATE snapshots SET reads_digest = '', version = NULL`) {
			if _, err := tx.Exec(r.ctx, s); err != nil {
				return err
			}
		}
		return nil
	}))
}

// captured records a capture of a document on a day; what change does to it is read of
// it.
func (r *rig) captured(document string, day int, change func(*model.Snapshot)) model.Snapshot {
	r.t.Helper()
	c := r.accept()
	url := "https://example.org/" + document
	at := time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC)
	s := model.Snapshot{
		DocumentID: digest.DocumentID(source, url), RequestID: c.RequestID, SourceID: source, SourceName: "Mairie",
		SnapshotKind: model.KindHTML, FinalType: model.TypeHTML, URL: url, URLCanonical: url, ExternalID: url, RetrievedAt: at,
		LastModified: at, LastModifiedOrigin: "http_header", ContentHash: digest.Content([]byte(document)), ByteLength: 2,
		SourceType: "official", Domain: "civics", Layer: model.LayerHot, RuleVersions: map[string]string{},
	}
	change(&s)
	s.SnapshotID = digest.SnapshotID(source, c.RequestID, s.ContentHash)
	_, err := r.db.RecordCapture(r.ctx, c, s, nil, func(model.Standing) bool { return true })
	r.must(err)
	r.must(r.db.CaptureAnnounced(r.ctx, source, c.RequestID))
	return s
}

// landed lets a snapshot have a run that was made into a chunk, all of it said, and
// makes it current.
func (r *rig) landed(s model.Snapshot) {
	r.t.Helper()
	run := r.run(s, 1)
	r.segment(run, model.PageRange{From: 1, To: 1})
	r.chunk(s, run)
	r.publishLog(run)
	r.sql(`UPDATE documents SET current_snapshot_id = $1, current_extraction_id = $2, current_doc_hash = $3, current_generation = 1,
		title = 'A title', meta = '{"title": "A title"}'
		WHERE document_id = $4`, s.SnapshotID, run.ExtractionID, digest.HexParts(s.SnapshotID), s.DocumentID)
}

func (r *rig) sql(statement string, args ...any) {
	r.t.Helper()
	r.must(r.db.Tx(r.ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(r.ctx, statement, args...)
		return err
	}))
}

// TestRowsOfBeforeAreOrdered: one pass records which snapshots are versions, lets those be
// processed that arrival has kept from it, takes containers out, and lets the chunker
// decide what is current; the next has nothing to do.
func TestRowsOfBeforeAreOrdered(t *testing.T) {
	r := newRig(t)
	in := func(encoding string) func(*model.Snapshot) { return func(s *model.Snapshot) { s.Encoding = encoding } }
	// The right encoding came later, and was unchanged.
	wrong := r.captured("letters", 1, in("iso-8859-1"))
	r.landed(wrong)
	right := r.captured("letters", 2, in("koi8-r"))
	// A container that was woken as if it were a document, and failed.
	r.landed(r.captured("turned", 1, func(*model.Snapshot) {}))
	zip := r.captured("turned", 2, func(s *model.Snapshot) { s.SnapshotKind, s.FinalType = model.KindContainer, model.TypeZIP })
	run := r.run(zip, 1)
	// Two that are right, but for what was not recorded of them.
	r.landed(r.captured("plain", 1, func(*model.Snapshot) {}))
	same := r.captured("plain", 2, func(s *model.Snapshot) { s.LastModified = s.LastModified.Add(time.Hour) })
	r.before(
		fmt.Sprintf(`UPDATE snapshots SET process = snapshot_id <> '%s' AND snapshot_id <> '%s'`, right.SnapshotID, same.SnapshotID),
		fmt.Sprintf(`UPDATE runs SET state = 'failed', reason = 'unsupported_type', announced_redo = 0 WHERE snapshot_id = '%s'`, run.SnapshotID),
		`UPDATE documents SET ingest_status = 'error', error_message = 'there is no extractor', unsettled_at = NULL`)
	report := r.pass("order of versions 3/0/0", "snapshots 1/1/0", "documents 1/1/0")
	if !strings.Contains(report.String(), "3 found, 2 repaired") {
		t.Errorf("the report says %q", report)
	}
	if stored := as[event.SnapshotStored](t, r.drain(stream.ConsumerSplit, 1)[0]); stored.SnapshotID != right.SnapshotID {
		t.Errorf("to be processed is %s, want %s", stored.SnapshotID, right.SnapshotID)
	}
	if again := as[event.IRExtracted](t, r.drain(stream.ConsumerChunk, 1)[0]); again.SnapshotID == wrong.SnapshotID || again.SnapshotID == zip.SnapshotID {
		t.Errorf("the chunker is asked about %s", again.SnapshotID)
	}
	if d, err := r.db.Document(r.ctx, zip.DocumentID); err != nil || d.IngestStatus != model.IngestDone || d.ErrorMessage != "" {
		t.Errorf("the document of the container is %s, %q: %v", d.IngestStatus, d.ErrorMessage, err)
	}
	if run, err := r.db.Run(r.ctx, zip.SnapshotID, run.ExtractionID); err != nil || run.State != model.RunSuperseded {
		t.Errorf("the run of the container is %s: %v", run.State, err)
	}
	for next, err := range r.db.NewestSnapshots(r.ctx, source) {
		if r.must(err); next.SnapshotID == zip.SnapshotID || next.SnapshotID == same.SnapshotID || next.SnapshotID == wrong.SnapshotID {
			t.Errorf("%s is the newest version of its document", next.SnapshotID)
		}
	}
	if left, err := r.db.UnorderedDocuments(r.ctx, "", 10); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
	// What is not settled is asked for again, and given up at last.
	r.run(right, 1)
	r.sql(`UPDATE runs SET state = 'superseded' WHERE snapshot_id = $1`, right.SnapshotID)
	for range 2 {
		r.pass("documents 1/1/0")
		r.drain(stream.ConsumerChunk, 1)
	}
	r.pass("documents 1/0/1")
	r.pass()
}

// TestChunksOfBeforeAreMovedToTheirLayer: what older programs left to stand for a text in
// the archive is asked for anew once, and nothing that is right.
func TestChunksOfBeforeAreMovedToTheirLayer(t *testing.T) {
	r := newRig(t)
	r.landed(r.captured("plain", 1, func(*model.Snapshot) {}))
	kept := r.captured("kept", 1, func(s *model.Snapshot) { s.Layer = model.LayerArchive })
	r.landed(kept)
	r.sql(`UPDATE chunk_state SET layer = 'archive' WHERE chunk_ref IN (SELECT chunk_ref FROM chunks WHERE document_id = $1)`, kept.DocumentID)
	r.pass()
	r.sql(`UPDATE chunk_state SET duplicate_of = 'another' WHERE chunk_ref IN (SELECT chunk_ref FROM chunks WHERE document_id = $1)`, kept.DocumentID)
	r.pass("order of versions 1/0/0", "documents 1/1/0")
	if again := as[event.IRExtracted](t, r.drain(stream.ConsumerChunk, 1)[0]); again.SnapshotID != kept.SnapshotID {
		t.Errorf("the chunker is asked about %s", again.SnapshotID)
	}
}

// TestMetaOfBeforeIsAskedFor: of documents that say nothing of their current version, or
// what another one says, the chunker is asked once; of none that has no version.
func TestMetaOfBeforeIsAskedFor(t *testing.T) {
	r := newRig(t)
	r.landed(r.captured("plain", 1, func(*model.Snapshot) {}))
	bare, stale := r.captured("bare", 1, func(*model.Snapshot) {}), r.captured("stale", 1, func(*model.Snapshot) {})
	r.landed(bare)
	r.landed(stale)
	r.captured("waits", 1, func(*model.Snapshot) {})
	r.sql(`UPDATE documents SET meta = '{}' WHERE document_id = $1`, bare.DocumentID)
	r.sql(`UPDATE documents SET title = 'Another title' WHERE document_id = $1`, stale.DocumentID)
	r.pass("order of versions 2/0/0", "documents 2/2/0")
	asked := make(map[string]bool)
	for _, e := range r.drain(stream.ConsumerChunk, 2) {
		asked[as[event.IRExtracted](t, e).SnapshotID] = true
	}
	if !asked[bare.SnapshotID] || !asked[stale.SnapshotID] {
		t.Errorf("the chunker is asked about %v", asked)
	}
}

// TestChangesOfSourcesAreTold: what was changed and not told, since the process died
// between the two, is told by a pass, in its order and once; what was told is not.
func TestChangesOfSourcesAreTold(t *testing.T) {
	r := newRig(t)
	acting := catalog.Acting(r.ctx, "cli/ada", "asked for by the clerk")
	s := model.DefaultSource("town")
	r.must(r.db.PutSource(acting, s))
	s.Name, s.Territory = "The town", "Valdoro"
	r.must(r.db.PutSource(acting, s))
	r.must(r.db.PutSource(acting, s)) // nothing is another
	r.must(r.db.SetSourceState(acting, "town", model.SourceDisabled))
	_, err := r.db.RegisterSource(r.ctx, model.DefaultSource("unknown"))
	r.must(err)
	r.must(r.db.PutSource(acting, model.DefaultSource("short")))
	r.must(r.db.RemoveSource(acting, "short"))
	told, err := r.db.UntoldSourceChanges(r.ctx, time.Now().Add(time.Hour), catalog.Page{Limit: 1})
	r.must(err)
	r.must(r.db.MarkSourceChangesTold(r.ctx, told[0].Seq)) // the first was told at once
	if waits := r.passWith(reconcile.Options{SkipObjects: true, Age: time.Hour}); waits.Found() != 0 {
		t.Errorf("%+v", waits) // the process that made them may still be about to tell them
	}
	r.pass("source changes 5/5/0")
	var before int64
	for _, want := range []event.SourceChanged{
		{SourceID: "town", Change: event.SourceSet, Fields: []string{"name", "territory"}, State: model.SourceDisabled, Who: "cli/ada", Why: "asked for by the clerk"},
		{SourceID: "town", Change: event.SourceDisabled, State: model.SourceDisabled, Who: "cli/ada", Why: "asked for by the clerk"},
		{SourceID: "unknown", Change: event.SourceAdded, State: model.SourceEnabled, Who: "capturer", Why: "its first request"},
		{SourceID: "short", Change: event.SourceAdded, Who: "cli/ada", Why: "asked for by the clerk"},
		{SourceID: "short", Change: event.SourceRemoved, Who: "cli/ada", Why: "asked for by the clerk"},
	} {
		got, err := event.As[event.SourceChanged](r.next())
		r.must(err)
		if got.Seq <= before || time.Since(got.At) > time.Hour || got.At.Location() != time.UTC {
			t.Errorf("%+v after number %d", got, before)
		}
		before = got.Seq
		got.Seq, got.At = 0, time.Time{}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("told %+v\nwant %+v", got, want)
		}
	}
	r.pass()
}

// TestStatusesOfBeforeAreRepaired: a page, a container at its URL that cannot be read, and
// the page again, which is unchanged: older programs left the document in error.
func TestStatusesOfBeforeAreRepaired(t *testing.T) {
	r := newRig(t)
	first := r.captured("agenda", 1, func(*model.Snapshot) {})
	r.landed(first)
	c := r.captured("agenda", 2, func(s *model.Snapshot) { s.SnapshotKind, s.FinalType = model.KindContainer, model.TypeZIP })
	r.sql(`UPDATE captures SET outcome = 'failed', message = 'broken' WHERE snapshot_id = $1`, c.SnapshotID)
	r.captured("agenda", 3, func(*model.Snapshot) {})
	r.sql(`UPDATE documents SET ingest_status = 'error', error_message = 'broken', unsettled_at = NULL`)
	r.pass("order of versions 1/0/0")
	if d, err := r.db.Document(r.ctx, first.DocumentID); err != nil || d.IngestStatus != model.IngestDone || d.ErrorMessage != "" {
		t.Errorf("the document is %s, %q: %v", d.IngestStatus, d.ErrorMessage, err)
	}
	r.pass()
}
