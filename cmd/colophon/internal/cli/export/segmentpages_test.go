package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// segmentObjects are segments by key; it counts how often each is read as a whole, and how
// often a part of it.
type segmentObjects struct {
	objects map[string][]byte
	whole   map[string]int
	parts   int
	away    error
}

func (s *segmentObjects) Get(_ context.Context, _ blobstore.Bucket, key, want string) ([]byte, error) {
	s.whole[key]++
	data, there := s.objects[key]
	switch {
	case s.away != nil:
		return nil, s.away
	case !there:
		return nil, fault.Permanent(fault.Internal, blobstore.ErrNotFound)
	case digest.Hex(data) != want:
		return nil, fault.Permanent(fault.Internal, blobstore.ErrDamaged)
	}
	return data, nil
}

func (s *segmentObjects) GetRange(_ context.Context, _ blobstore.Bucket, key string, off, n int64) ([]byte, error) {
	s.parts++
	data := make([]byte, n)
	_, err := io.ReadFull(io.NewSectionReader(bytes.NewReader(s.objects[key]), off, n), data)
	return data, err
}

// add stores a segment of pages, each with a unit of its number.
func (s *segmentObjects) add(t *testing.T, from, to int) (row model.SegmentRow, frames []segment.IndexEntry) {
	t.Helper()
	var w segment.Writer
	for page := from; page <= to; page++ {
		frame, err := segment.EncodeFrame(segment.Frame{Page: model.Page{PageNo: page}, Units: []model.Unit{{IRID: fmt.Sprint("u", page)}}})
		if err == nil {
			err = w.Add(page, frame)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	data, _, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	r, err := segment.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	key := fmt.Sprint("segment ", from)
	s.objects[key] = data
	return model.SegmentRow{From: from, To: to, ObjectKey: key, Digest: digest.Hex(data), ByteLength: int64(len(data))}, r.Index()
}

// TestADamagedPageCostsItself: and none beside it in its segment, which is read once. A segment
// that is gone is asked for once.
func TestADamagedPageCostsItself(t *testing.T) {
	store := &segmentObjects{objects: make(map[string][]byte), whole: make(map[string]int)}
	first, frames := store.add(t, 1, 16)
	second, _ := store.add(t, 17, 32)
	third, _ := store.add(t, 33, 40)
	store.objects[first.ObjectKey] = slices.Clone(store.objects[first.ObjectKey])
	store.objects[first.ObjectKey][frames[4].Offset+frames[4].Length/2] ^= 1 // of page 5
	delete(store.objects, second.ObjectKey)
	pages := newSegmentPages(store, []model.SegmentRow{first, second, third})
	for range 3 { // of each page many chunks are made
		for page := 1; page <= 41; page++ {
			units, err := pages.units(t.Context(), page)
			lost := page == 5 || page >= 17 && page <= 32 || page == 41
			if (err != nil) != lost || !lost && units[fmt.Sprint("u", page)].IRID == "" || mayComeBack(t.Context(), err) {
				t.Errorf("page %d: %v, %v", page, units, err)
			}
		}
	}
	if store.whole[first.ObjectKey] != 1 || store.whole[second.ObjectKey] != 1 || store.whole[third.ObjectKey] != 1 || store.parts > 16+4 {
		t.Errorf("read %v, and %d parts", store.whole, store.parts)
	}
}

// TestAStoreThatIsAwayIsAskedAgain: it is no damage.
func TestAStoreThatIsAwayIsAskedAgain(t *testing.T) {
	store := &segmentObjects{objects: make(map[string][]byte), whole: make(map[string]int), away: fault.Unavailable(errors.New("away"))}
	row, _ := store.add(t, 1, 2)
	pages := newSegmentPages(store, []model.SegmentRow{row})
	if _, err := pages.units(t.Context(), 1); !mayComeBack(t.Context(), err) {
		t.Errorf("%v", err)
	}
	store.away = nil
	if _, err := pages.units(t.Context(), 1); err != nil {
		t.Error(err)
	}
}
