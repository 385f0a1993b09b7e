package event

import "github.com/colophon-dev/colophon/pkg/model"

// OfRun returns the event that lets the chunker look at a run again, given the
// segments of it that count: that of its first range.
func OfRun(run model.Run, segments []model.SegmentRow) IRExtracted {
	d := IRExtracted{
		SnapshotID: run.SnapshotID, SourceID: run.SourceID, ExtractionID: run.ExtractionID,
		Pages: model.Ranges(run.PageCount)[0], PageCount: run.PageCount, Redo: run.Redo,
	}
	if len(segments) > 0 {
		s := segments[0]
		d.Pages = model.PageRange{From: s.From, To: s.To}
		d.ObjectKey, d.Digest, d.Processed, d.Failed = s.ObjectKey, s.Digest, s.Processed, s.Failed
	}
	return d
}
