package stagetest

import (
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// Capture stores bytes and records them as a snapshot of kind, of a document whose URL
// is made of them. change, which may be nil, has the last word on the snapshot.
func (w *World) Capture(raw string, kind model.SnapshotKind, change func(*model.Snapshot)) model.Snapshot {
	w.Helper()
	hash := digest.Content([]byte(raw))
	request := "r-" + hash[7:15]
	url := "https://example.org/" + request
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := model.Snapshot{SnapshotID: digest.SnapshotID("s", request, hash), DocumentID: digest.DocumentID("s", url), RequestID: request,
		SourceID: "s", SourceName: "S", SnapshotKind: kind, FinalType: model.FinalType(kind), URL: url, URLCanonical: url, ExternalID: url,
		RetrievedAt: at, LastModified: at, ContentHash: hash, ByteLength: int64(len(raw)), Layer: model.LayerHot}
	if change != nil {
		change(&s)
	}
	if _, err := w.Blobs.PutOnce(w.Context(), blobstore.Raw, w.RawKey(s), []byte(raw), "application/octet-stream"); err != nil {
		w.Fatal(err)
	}
	w.Record(s, func(model.Standing) bool { return false })
	return s
}

// RawKey returns the key of a snapshot's bytes.
func (w *World) RawKey(s model.Snapshot) string {
	w.Helper()
	key, err := blobstore.RawKey(s.SourceID, s.ContentHash)
	if err != nil {
		w.Fatal(err)
	}
	return key
}

// Record records a snapshot as the capturer does; unchanged says, of what stands,
// whether the snapshot says nothing new.
func (w *World) Record(s model.Snapshot, unchanged func(model.Standing) bool) {
	w.Helper()
	stored, err := digest.JCS(map[string]string{"request_id": s.RequestID, "source_id": s.SourceID})
	if err != nil {
		w.Fatal(err)
	}
	c := model.Capture{SourceID: s.SourceID, RequestID: s.RequestID, RequestDigest: digest.Hex(stored), Request: stored, RequestedAt: s.RetrievedAt}
	if _, _, err := w.DB.AcceptCapture(w.Context(), c, "test", time.Minute); err != nil {
		w.Fatal(err)
	}
	if _, err := w.DB.RecordCapture(w.Context(), c, s, nil, unchanged); err != nil {
		w.Fatal(err)
	}
}

// Extract stores the segment of a range and records it, as the extractor does, and
// returns what it says of it. Frames are those of the pages of r, in their order.
func (w *World) Extract(run model.Run, r model.PageRange, redo int, frames []segment.Frame) event.IRExtracted {
	w.Helper()
	var out segment.Writer
	var pages []model.Page
	row := model.SegmentRow{SnapshotID: run.SnapshotID, ExtractionID: run.ExtractionID, From: r.From, To: r.To, Redo: redo}
	for _, f := range frames {
		frame, err := segment.EncodeFrame(f)
		if err == nil {
			err = out.Add(f.Page.PageNo, frame)
		}
		if err != nil {
			w.Fatal(err)
		}
		pages = append(pages, f.Page)
		if f.Page.Status == model.PageFailed {
			row.Failed++
		} else {
			row.Processed++
		}
	}
	data, sum, err := out.Bytes()
	if err != nil {
		w.Fatal(err)
	}
	row.Digest, row.ByteLength = sum, int64(len(data))
	row.ObjectKey = blobstore.SegmentKey(run.SourceID, run.ExtractionID, run.SnapshotID, r.From, r.To, sum)
	if _, err := w.Blobs.PutOnce(w.Context(), blobstore.Derived, row.ObjectKey, data, "application/zstd"); err != nil {
		w.Fatal(err)
	}
	if _, err := w.DB.PutSegment(w.Context(), row, pages); err != nil {
		w.Fatal(err)
	}
	return event.IRExtracted{SnapshotID: run.SnapshotID, SourceID: run.SourceID, ExtractionID: run.ExtractionID, Pages: r,
		PageCount: run.PageCount, Redo: redo, ObjectKey: row.ObjectKey, Digest: sum, Processed: row.Processed, Failed: row.Failed}
}
