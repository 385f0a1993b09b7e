package app

import (
	"archive/zip"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestTheSameBytesReadOtherwiseAreAVersion: equal bytes at one URL are unchanged when only
// their date is newer, and a version when they are read otherwise, whichever comes first.
func TestTheSameBytesReadOtherwiseAreAVersion(t *testing.T) {
	const bytes = "<p>\xf0\xd2\xcf\xd4\xcf\xcb\xcf\xcc</p>"
	for name, c := range map[string]struct {
		change func(*event.CaptureRequested)
		want   event.Outcome
	}{
		"another charset":       {func(r *event.CaptureRequested) { r.ContentType = "text/html; charset=koi8-r" }, event.OutcomeStored},
		"another encoding":      {func(r *event.CaptureRequested) { r.Encoding = "koi8-r" }, event.OutcomeStored},
		"another media type":    {func(r *event.CaptureRequested) { r.ContentType = "text/plain" }, event.OutcomeStored},
		"another file name":     {func(r *event.CaptureRequested) { r.Filename = "table.csv" }, event.OutcomeStored},
		"another language":      {func(r *event.CaptureRequested) { r.Language = "ru" }, event.OutcomeStored},
		"another region":        {func(r *event.CaptureRequested) { r.Region = "FR" }, event.OutcomeStored},
		"another final URL":     {func(r *event.CaptureRequested) { r.URL += "?utm_source=x" }, event.OutcomeStored},
		"only a date":           {func(r *event.CaptureRequested) { r.LastModified = r.RetrievedAt }, event.OutcomeUnchanged},
		"only what is not read": {func(r *event.CaptureRequested) { r.SnapshotGroupID, r.Metadata = "night", map[string]string{"a": "b"} }, event.OutcomeUnchanged},
	} {
		for _, backwards := range []bool{false, true} {
			b := fresh(t, nil)
			first, second := inline("r1", bytes), inline("r2", bytes)
			early, late := asked.Add(time.Hour), asked.Add(48*time.Hour)
			for _, r := range []*event.CaptureRequested{&first, &second} {
				r.ContentType, r.Language, r.LastModified = "text/html; charset=iso-8859-1", "it", &asked
			}
			first.RetrievedAt, second.RetrievedAt = &early, &late
			c.change(&second)
			if backwards {
				first, second = second, first
			}
			if done := b.outcome(first); done.Outcome != event.OutcomeStored {
				t.Fatalf("%s: the first is %s", name, done.Outcome)
			}
			want := c.want
			if backwards { // the earlier one is a version in any case
				want = event.OutcomeStored
			}
			if done := b.outcome(second); done.Outcome != want {
				t.Errorf("%s, backwards %t: the second is %s, want %s", name, backwards, done.Outcome, want)
			}
		}
	}
}

// TestALatePageDoesNotWakeAContainer: a ZIP file at a URL, and an earlier page of that
// URL that comes after it: the container is not processed, and the document is not in
// error.
func TestALatePageDoesNotWakeAContainer(t *testing.T) {
	b := fresh(t, nil)
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	member, err := w.Create("a.html")
	if err == nil {
		_, err = member.Write([]byte(page))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	second, first := asked.Add(48*time.Hour), asked
	container := inline("zip", packed.String())
	container.Filename, container.RetrievedAt = "a.zip", &second
	if err := b.handle(b.event(container)); err != nil {
		t.Fatal(err)
	}
	b.drain()
	late := inline("html", page)
	late.RetrievedAt = &first
	if err := b.handle(b.event(late)); err != nil {
		t.Fatal(err)
	}
	var stored []event.SnapshotStored
	var done event.CaptureCompleted
	for _, e := range b.drain() {
		switch e := e.(type) {
		case event.SnapshotStored:
			stored = append(stored, e)
		case event.CaptureCompleted:
			done = e
		}
	}
	if len(stored) != 1 || stored[0].SnapshotID != done.SnapshotID || stored[0].SnapshotKind != model.KindHTML {
		t.Errorf("to be processed: %+v", stored)
	}
	d, err := b.db.Document(t.Context(), done.DocumentID)
	if err != nil || d.IngestStatus != model.IngestDone || d.FinalType != model.TypeZIP {
		t.Errorf("the document is %s, of type %s: %v", d.IngestStatus, d.FinalType, err)
	}
	wrong, err := b.db.Contradictions(t.Context(), done.DocumentID, asked)
	if err != nil || len(wrong) > 0 {
		t.Errorf("%v, %v", wrong, err)
	}
}

// TestTheStatusIsThatOfTheNewestCapture: whatever comes first, a document has ended as what
// is captured of it last by its date: a page that can be read (P) or not (X), a ZIP file
// that can (Z) or not (Q), also when that page is unchanged since before the file.
func TestTheStatusIsThatOfTheNewestCapture(t *testing.T) {
	b := fresh(t, nil)
	for _, history := range []string{"PQP", "PZP", "XQX", "PQX", "XZP", "QPQ", "PXP", "PQPQ", "PPQP", "XQPX", "PQQP"} {
		for _, order := range permutations(len(history)) {
			address := fmt.Sprintf("https://example.org/%s/%v", history, order)
			var document string
			for _, i := range order {
				document = b.arrive(address, i, history[i])
			}
			d, err := b.db.Document(t.Context(), document)
			want := map[byte]string{'P': "", 'Z': "", 'X': "unreadable", 'Q': d.ErrorMessage}[history[len(history)-1]]
			if err != nil || (d.IngestStatus == model.IngestError) != (want != "") || d.ErrorMessage != want {
				t.Errorf("%s in the order %v: %s, %q: %v", history, order, d.IngestStatus, d.ErrorMessage, err)
			}
		}
	}
	wrong, err := b.db.MisjudgedDocuments(t.Context(), "", 1000)
	if err != nil || len(wrong) > 0 {
		t.Errorf("called wrong are %v, %v", wrong, err)
	}
}

// arrive hands over a capture of the day i, and does for what is to be processed what
// splitter, extractor and chunker would have done, as far as the status depends on it.
func (b *bench) arrive(address string, i int, kind byte) (documentID string) {
	b.t.Helper()
	at := asked.Add(time.Duration(i) * 24 * time.Hour)
	r := inline(fmt.Sprintf("%s-%d", address, i), map[byte]string{
		'P': page, 'X': page + "<p>X</p>", 'Q': "PK\x03\x04broken", 'Z': "PK\x05\x06" + string(make([]byte, 18)),
	}[kind])
	r.URL, r.RetrievedAt, r.ContentType = address, &at, ""
	if err := b.handle(b.event(r)); err != nil {
		b.t.Fatal(err)
	}
	for _, e := range b.drain() {
		switch e := e.(type) {
		case event.CaptureCompleted:
			documentID = e.DocumentID
		case event.SnapshotStored:
			b.process(e)
		}
	}
	return documentID
}

func (b *bench) process(stored event.SnapshotStored) {
	b.t.Helper()
	s := b.snapshot(stored.SnapshotID)
	state, message := model.RunDone, ""
	if strings.Contains(string(b.raw(s.ContentHash)), "<p>X</p>") {
		state, message = model.RunFailed, "unreadable"
	}
	if err := b.exec(`INSERT INTO runs (snapshot_id, extraction_id, source_id, document_id, state, message, page_count, run_order, parser_version, rules_digest)
		VALUES ($1, 'x', $2, $3, $4, $5, 1, 1, $6, '')`, s.SnapshotID, s.SourceID, s.DocumentID, state, message, versions().Parser); err != nil {
		b.t.Fatal(err)
	}
	if err := b.exec(`INSERT INTO chunk_manifests (doc_hash, generation, document_id, source_id, snapshot_id, extraction_id, redo, canonical_url,
		doc_type, chunk_count, status, segments_digest, chunker_version, header_version)
		SELECT $3, 1, $1, $2, $3, 'x', 0, '', 'html', 0, 'done', '', $4, $5 WHERE $6 = 'done'`,
		s.DocumentID, s.SourceID, s.SnapshotID, versions().Chunker, versions().Header, state); err != nil {
		b.t.Fatal(err)
	}
	if err := b.db.LockDocument(b.t.Context(), s.DocumentID, time.Second, func(d *catalog.DocumentTx) error {
		return d.SetIngestStatus(b.t.Context())
	}); err != nil {
		b.t.Fatal(err)
	}
}

// permutations returns all orders of n things.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var all [][]int
	for _, p := range permutations(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(p), at, n-1))
		}
	}
	return all
}
