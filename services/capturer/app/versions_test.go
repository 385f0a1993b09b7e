package app

import (
	"archive/zip"
	"bytes"
	"testing"
	"time"

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
