package stagetest

import (
	"errors"
	"testing"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/devtest/stagetest/base"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// TestAWorldBehindDoors: a closed door makes its server unavailable and no other; what
// was there is there when it is open again.
func TestAWorldBehindDoors(t *testing.T) {
	w := NewBehindDoors(t)
	s := w.Capture(devtest.PDF(2, ""), model.KindPDF, nil)
	read := map[*Door]func() error{
		w.CatalogDoor: func() error {
			_, err := w.DB.Snapshot(t.Context(), s.SnapshotID)
			return err
		},
		w.ObjectsDoor: func() error {
			_, err := w.Blobs.Get(t.Context(), blobstore.Raw, w.RawKey(s), s.ContentHash)
			return err
		},
	}
	for closed := range read {
		w.Unavailable(closed, func() error {
			for door, from := range read {
				if err := from(); door != closed && err != nil {
					t.Errorf("the other store: %v", err)
				}
			}
			return read[closed]()
		})
	}
}

// TestADocumentInAWorld goes as far as the stages before the chunker bring it.
func TestADocumentInAWorld(t *testing.T) {
	w := New(t)
	s := w.Capture("text", model.KindHTML, func(s *model.Snapshot) { s.Filename = "a.html" })
	run := w.Start(model.Run{SnapshotID: s.SnapshotID, ExtractionID: "0123456789abcdef", SourceID: s.SourceID, DocumentID: s.DocumentID,
		PageCount: 2, ParserVersion: "1", Why: "capture"})
	frame := func(no int, status model.PageStatus) segment.Frame {
		return segment.Frame{Page: model.Page{PageID: digest.PageID(s.SnapshotID, no), SnapshotID: s.SnapshotID, ExtractionID: run.ExtractionID,
			ParserVersion: "1", PageNo: no, Status: status}}
	}
	said := w.Extract(run, model.PageRange{From: 1, To: 2}, 0, []segment.Frame{frame(1, model.PageProcessed), frame(2, model.PageFailed)})
	if data, err := w.Blobs.Get(t.Context(), blobstore.Derived, said.ObjectKey, said.Digest); err != nil || len(data) == 0 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if said.Processed != 1 || said.Failed != 1 || w.Run(run).PageCount != 2 || len(w.Runs(s)) != 1 {
		t.Errorf("%+v", said)
	}
	before := w.Dump()
	if w.Finish(run, model.RunSuperseded); w.Run(run).State != model.RunSuperseded || w.Dump() == before {
		t.Errorf("%+v", w.Run(run))
	}
}

// TestAnEarThatRefuses: what is refused is not heard.
func TestAnEarThatRefuses(t *testing.T) {
	var e base.Ear
	down := fault.Unavailable(errors.New("the bus is down"))
	e.Refuse(func(n int, _ event.Data) error {
		if n == 1 {
			return down
		}
		return nil
	})
	one, two := event.SnapshotStored{SnapshotID: "1"}, event.SnapshotStored{SnapshotID: "2"}
	if first, second := e.Emit(t.Context(), one), e.Emit(t.Context(), two); first != nil || !errors.Is(second, down) {
		t.Errorf("%v, %v", first, second)
	}
	e.Refuse(nil)
	if err := e.Emit(t.Context(), two); err != nil {
		t.Error(err)
	}
	if said := e.Heard(); len(said) != 2 || said[0] != one || said[1] != two || len(e.Heard()) > 0 {
		t.Errorf("%+v", said)
	}
}
