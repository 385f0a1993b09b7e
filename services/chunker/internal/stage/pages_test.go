package stage

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// shelf holds one segment, under its key.
type shelf struct{ key string }

func (s shelf) Segment(_ context.Context, row model.SegmentRow) ([]byte, error) {
	if row.ObjectKey != s.key {
		return nil, errors.New("there is no such object")
	}
	return []byte(s.key), nil
}

func (s shelf) Proposals(context.Context, model.Enrichment) ([]byte, error) { return nil, nil }

func TestReadAhead(t *testing.T) {
	t.Parallel()
	s := &Stage{segments: shelf{"there"}}
	said := func(to, pages int, key string) event.IRExtracted {
		return event.IRExtracted{Pages: model.PageRange{From: 1, To: to}, PageCount: pages, ObjectKey: key, Digest: "d"}
	}
	for name, c := range map[string]struct {
		said   event.IRExtracted
		digest string
		want   string
	}{
		"all of its document":           {said(3, 3, "there"), "d", "there"},
		"a part of its document":        {said(16, 20, "there"), "d", ""},
		"the last part of its document": {event.IRExtracted{Pages: model.PageRange{From: 17, To: 20}, PageCount: 20, ObjectKey: "there", Digest: "d"}, "d", ""},
		"another one counts now":        {said(3, 3, "there"), "e", ""},
		"one that cannot be read":       {said(3, 3, "gone"), "d", ""},
	} {
		a := s.readAhead(t.Context(), c.said)
		row := model.SegmentRow{ObjectKey: c.said.ObjectKey, Digest: c.digest}
		if got, frames := a.wait(row); string(got) != c.want || frames != nil {
			t.Errorf("%s: %q, %d pages", name, got, len(frames))
		}
		if again, _ := a.wait(row); again != nil {
			t.Errorf("%s: handed out twice", name)
		}
	}
	// What was not read ahead is read when it is wanted.
	for _, key := range []string{"there", "gone"} {
		p := pages{store: s.segments, rows: []model.SegmentRow{{ObjectKey: key, Digest: "d"}}, ahead: s.readAhead(t.Context(), said(3, 3, key))}
		data, err := p.bytes(t.Context(), 0)
		if again, errAgain := p.bytes(t.Context(), 0); string(again) != string(data) || (errAgain == nil) != (err == nil) {
			t.Errorf("%s: %q, %v", key, again, errAgain)
		}
		if (err == nil) != (key == "there") {
			t.Errorf("%s: %q, %v", key, data, err)
		}
	}
}

// held holds one segment.
type held []byte

func (h held) Segment(context.Context, model.SegmentRow) ([]byte, error) { return h, nil }

func (h held) Proposals(context.Context, model.Enrichment) ([]byte, error) { return nil, nil }

func TestPagesAreReadAhead(t *testing.T) {
	t.Parallel()
	var w segment.Writer
	for no := 1; no <= 2; no++ {
		frame, err := segment.EncodeFrame(segment.Frame{Page: model.Page{PageNo: no}})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Add(no, frame); err != nil {
			t.Fatal(err)
		}
	}
	data, sum, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	s := &Stage{segments: held(data)}
	row := model.SegmentRow{Digest: sum, ByteLength: int64(len(data))}
	a := s.readAhead(t.Context(), event.IRExtracted{Pages: model.PageRange{From: 1, To: 2}, PageCount: 2, Digest: sum})
	if <-a.done; len(a.frames) != 2 {
		t.Fatalf("%d pages are read ahead", len(a.frames))
	}
	p := pages{rows: []model.SegmentRow{row}, ahead: a} // without a store: nothing is read again
	for range 2 {
		var got []int
		err := p.each(t.Context(), func(f segment.Frame) error {
			got = append(got, f.Page.PageNo)
			return nil
		})
		if err != nil || !slices.Equal(got, []int{1, 2}) {
			t.Errorf("%v, %v", got, err)
		}
	}
}
