package search

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/gateway/internal/room"
)

// madePages has a page for every question, and counts what is asked.
type madePages struct {
	Catalog
	asked int
	units int
	fails map[int]error // by page
}

func (m *madePages) ChunkPageSegments(_ context.Context, pages []catalog.ChunkPage) (map[catalog.ChunkPage]model.SegmentRow, error) {
	rows := make(map[catalog.ChunkPage]model.SegmentRow)
	for _, p := range pages {
		rows[p] = model.SegmentRow{From: p.PageNo, To: p.PageNo}
	}
	return rows, nil
}

func (m *madePages) Boxes(_ context.Context, _ model.SegmentRow, pageNo int) ([]segment.UnitBoxes, error) {
	m.asked++
	if err := m.fails[pageNo]; err != nil {
		return nil, err
	}
	units := make([]segment.UnitBoxes, m.units)
	for i := range units {
		units[i] = segment.UnitBoxes{IRID: string(rune('a' + i)), Boxes: []*model.BBox{{X: float64(pageNo)}, nil}}
	}
	return units, nil
}

func chunkOn(pages ...int) filled {
	c := model.Chunk{DocHash: "d", Generation: 1, DocType: "pdf"}
	for _, p := range pages {
		c.Provenance.Segments = append(c.Provenance.Segments, model.Segment{IRID: "a", Page: p}, model.Segment{Synthetic: "separator"})
	}
	return filled{chunk: catalog.ChunkWithState{Chunk: c}}
}

// TestPagesAreReadOnce: the pages of one answer are read once each, and those of the
// next are known, as far as they have room.
func TestPagesAreReadOnce(t *testing.T) {
	made := &madePages{units: 20}
	s := &Searcher{Boxes: newBoxReader(made, made, []model.FinalType{model.TypePDF}, 10<<10), Log: slog.New(slog.DiscardHandler)}
	ask := func(pages ...int) []Hit {
		t.Helper()
		hits := make([]Hit, 2)
		if _, err := s.addBoxes(t.Context(), hits, []filled{chunkOn(pages...), chunkOn(pages...)}); err != nil {
			t.Fatal(err)
		}
		return hits
	}
	for range 3 {
		hits := ask(1, 2)
		if len(hits[1].Boxes) != 2 || hits[1].Boxes[1].BBox.X != 2 || hits[1].Boxes[1].Page != 2 {
			t.Fatalf("the boxes are %+v", hits[1].Boxes)
		}
	}
	if made.asked != 2 {
		t.Errorf("two pages were read %d times", made.asked)
	}
	for page := 3; page < 60; page++ {
		ask(page)
		if s.Boxes.bytes > 10<<10 {
			t.Fatalf("%d bytes are kept", s.Boxes.bytes)
		}
	}
	before := made.asked
	if ask(59); made.asked != before {
		t.Error("the last page was not kept")
	}
	if ask(1); made.asked != before+1 {
		t.Error("a page that was not asked for the longest was kept")
	}
	sum := 0
	for _, p := range s.Boxes.pages.Values() {
		sum += p.bytes
	}
	if sum != s.Boxes.bytes || s.Boxes.bytes == 0 {
		t.Errorf("%d bytes are counted, %d are kept", s.Boxes.bytes, sum)
	}
	made.units = 200 // more than there is room for
	if hits := ask(100); len(hits[0].Boxes) != 1 || s.Boxes.bytes > 10<<10 {
		t.Errorf("a large page has the boxes %+v, and %d bytes are kept", hits[0].Boxes, s.Boxes.bytes)
	}
}

// TestADamagedPageCostsItsBoxes and nothing else; a store that is away, or no memory,
// is told.
func TestADamagedPageCostsItsBoxes(t *testing.T) {
	made := &madePages{units: 1, fails: map[int]error{2: io.ErrUnexpectedEOF}}
	s := &Searcher{Boxes: newBoxReader(made, made, []model.FinalType{model.TypePDF}, 10<<10), Log: slog.New(slog.DiscardHandler)}
	hits := make([]Hit, 1)
	if _, err := s.addBoxes(t.Context(), hits, []filled{chunkOn(1, 2, 3)}); err != nil || len(hits[0].Boxes) != 2 {
		t.Errorf("%+v, %v", hits[0].Boxes, err)
	}
	for _, away := range []error{fault.Unavailable(errors.New("away")), room.ErrFull} {
		made.fails[4] = away
		if _, err := s.addBoxes(t.Context(), make([]Hit, 1), []filled{chunkOn(4)}); !errors.Is(err, away) {
			t.Errorf("%v instead of %v", err, away)
		}
	}
}
