package pages

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/gateway/internal/room"
)

// stored is an object store of one segment, which counts what is asked.
type stored struct {
	data  []byte
	asked int
}

func (s *stored) GetRange(_ context.Context, _ blobstore.Bucket, _ string, off, n int64) ([]byte, error) {
	s.asked++
	if off < 0 || off+n > int64(len(s.data)) {
		return nil, io.ErrUnexpectedEOF
	}
	return s.data[off : off+n], nil
}

// segmentOf makes a segment of 16 pages, whose texts do not shrink.
func segmentOf(t *testing.T, textBytes int) []byte {
	t.Helper()
	var w segment.Writer
	for no := 1; no <= 16; no++ {
		var text strings.Builder
		for x := uint64(no) + 1; text.Len() < textBytes; x = x*6364136223846793005 + 1442695040888963407 {
			fmt.Fprintf(&text, "%x", x)
		}
		frame, err := segment.EncodeFrame(segment.Frame{Page: model.Page{PageNo: no}, Units: []model.Unit{{IRID: fmt.Sprint("ir", no),
			FieldsRaw: model.Fields{Text: text.String()}, Evidence: []model.Evidence{{BBox: &model.BBox{X: float64(no)}}}}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Add(no, frame); err != nil {
			t.Fatal(err)
		}
	}
	data, _, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestAPageIsReadInFewQuestions: one for a small segment, two for the index and the
// page of another, three for a page that is large itself; and the page is the one that
// was asked for, by both ways to read it.
func TestAPageIsReadInFewQuestions(t *testing.T) {
	for textBytes, most := range map[int]int{100: 1, 10 << 10: 2, 200 << 10: 3} {
		objects := &stored{data: segmentOf(t, textBytes)}
		row := model.SegmentRow{From: 1, To: 16, ObjectKey: "k", ByteLength: int64(len(objects.data))}
		memory := room.New(1<<30, time.Second)
		reader := Reader{Objects: objects, Memory: memory}
		for no := 1; no <= 16; no++ {
			objects.asked = 0
			boxes, err := reader.Boxes(t.Context(), row, no)
			if err != nil || len(boxes) != 1 || boxes[0].IRID != fmt.Sprint("ir", no) || boxes[0].Boxes[0].X != float64(no) {
				t.Fatalf("page %d has the boxes %+v, %v", no, boxes, err)
			}
			if objects.asked > most {
				t.Errorf("a page of %d bytes took %d questions, %d are enough", textBytes, objects.asked, most)
			}
			doc := &Document{reader: reader, rows: []model.SegmentRow{row}}
			if err := doc.Use(t.Context(), no, func(f segment.Frame) error {
				if f.Page.PageNo != no || len(f.Units[0].FieldsRaw.Text) < textBytes {
					t.Errorf("page %d is %d", no, f.Page.PageNo)
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		}
		if now, _ := memory.Held(); now != 0 {
			t.Errorf("%d bytes are held in the end", now)
		}
		row.ByteLength++
		if _, err := reader.Boxes(t.Context(), row, 1); err == nil {
			t.Error("a segment that is shorter than its row says was read")
		}
		objects.data[0] ^= 1
		row.ByteLength--
		if _, err := reader.Boxes(t.Context(), row, 1); err == nil {
			t.Error("a damaged page was read")
		}
	}
}

// TestHeadingsBeforeAPage: the last heading with a text before a page is found in its
// segment and those before, no further back than is asked for.
func TestHeadingsBeforeAPage(t *testing.T) {
	headings := map[int][]string{1: {"One"}, 3: {"Two", "Three"}, 5: {" "}, 20: {"Four"}}
	store := keyed{}
	var rows []model.SegmentRow
	for _, r := range []model.PageRange{{From: 1, To: 16}, {From: 17, To: 32}} {
		var w segment.Writer
		for no := r.From; no <= r.To; no++ {
			f := segment.Frame{Page: model.Page{PageNo: no}, Units: []model.Unit{{Type: model.UnitParagraph, FieldsRaw: model.Fields{Text: "text"}}}}
			for _, text := range headings[no] {
				f.Units = append(f.Units, model.Unit{Type: model.UnitHeading, FieldsRaw: model.Fields{Text: text}})
			}
			frame, err := segment.EncodeFrame(f)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Add(no, frame); err != nil {
				t.Fatal(err)
			}
		}
		data, _, err := w.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprint(r.From)
		store[key] = data
		rows = append(rows, model.SegmentRow{From: r.From, To: r.To, ObjectKey: key, ByteLength: int64(len(data))})
	}
	memory := room.New(1<<30, time.Second)
	document := &Document{reader: Reader{Objects: store, Memory: memory}, rows: rows}
	for _, tt := range []struct {
		page, reach int
		want        string
		at          int
	}{
		{1, 64, "", 0}, {2, 64, "One", 1}, {3, 64, "One", 1}, {4, 64, "Three", 3}, {6, 64, "Three", 3}, {17, 64, "Three", 3}, {20, 64, "Three", 3},
		{21, 64, "Four", 20}, {32, 64, "Four", 20}, {19, 16, "Three", 3}, {20, 16, "", 0}, {2, 0, "", 0},
	} {
		got, at, err := document.HeadingBefore(t.Context(), tt.page, tt.reach)
		text := ""
		if got != nil {
			text = got.FieldsRaw.Text
		}
		if err != nil || text != tt.want || at != tt.at {
			t.Errorf("before page %d, %d pages back: %q on page %d, %v", tt.page, tt.reach, text, at, err)
		}
	}
	if now, _ := memory.Held(); now != 0 {
		t.Errorf("%d bytes are held in the end", now)
	}
	store["1"][0] ^= 1
	if _, _, err := document.HeadingBefore(t.Context(), 2, 64); err == nil {
		t.Error("a damaged page was read")
	}
}

// keyed is an object store by keys.
type keyed map[string][]byte

func (k keyed) GetRange(_ context.Context, _ blobstore.Bucket, key string, off, n int64) ([]byte, error) {
	if off < 0 || off+n > int64(len(k[key])) {
		return nil, io.ErrUnexpectedEOF
	}
	return k[key][off : off+n], nil
}
