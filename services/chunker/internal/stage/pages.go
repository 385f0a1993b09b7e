package stage

import (
	"bytes"
	"context"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

const (
	// keepBytes is how large a document's segments may be together to be kept
	// between the survey and the chunking; larger ones are read twice.
	keepBytes = 16 << 20
	// keepFrames is the same for keeping the pages themselves: reading them is
	// most of the chunker's work, and they take some ten times as much memory.
	keepFrames = 1 << 20
)

// pages reads a run's pages in order, one segment at a time.
type pages struct {
	store Segments
	rows  []model.SegmentRow
	ahead *ahead                  // a segment that is being read; nil: none
	kept  map[int][]byte          // segments of a small document, by place
	read  map[int][]segment.Frame // those of a very small one
}

func (p *pages) each(ctx context.Context, f func(segment.Frame) error) error {
	for i, row := range p.rows {
		if err := p.segment(ctx, i, f); err != nil {
			return fmt.Errorf("pages %d–%d: %w", row.From, row.To, err)
		}
	}
	return nil
}

func (p *pages) segment(ctx context.Context, i int, f func(segment.Frame) error) error {
	if frames, ok := p.read[i]; ok {
		for _, frame := range frames {
			if err := hand(frame, f); err != nil {
				return err
			}
		}
		return nil
	}
	data, err := p.bytes(ctx, i)
	if err != nil {
		return err
	}
	reader, err := segment.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return internal("the stored segment cannot be read: %w", err)
	}
	var frames []segment.Frame
	keep := p.total() <= keepFrames
	for n := range reader.Index() {
		frame, err := reader.Frame(n)
		if err != nil {
			return internal("the stored segment cannot be read: %w", err)
		}
		if keep {
			frames = append(frames, frame)
		}
		if err := hand(frame, f); err != nil {
			return err
		}
	}
	if keep {
		if p.read == nil {
			p.read = make(map[int][]segment.Frame, len(p.rows))
		}
		p.read[i] = frames
	}
	return nil
}

func hand(frame segment.Frame, f func(segment.Frame) error) error {
	err := f(frame)
	if err != nil && fault.KindOf(err) == fault.KindTransient {
		return fmt.Errorf("page %d: %w", frame.Page.PageNo, err)
	}
	return err
}

// total is how large the segments are together, in bytes.
func (p *pages) total() int64 {
	total := int64(0)
	for _, row := range p.rows {
		total += row.ByteLength
	}
	return total
}

func (p *pages) bytes(ctx context.Context, i int) ([]byte, error) {
	if data, ok := p.kept[i]; ok {
		return data, nil
	}
	data, err := p.ahead.wait(p.rows[i]), error(nil)
	if data == nil {
		data, err = p.store.Segment(ctx, p.rows[i])
	}
	if err != nil {
		return nil, err
	}
	if total := p.total(); total > keepFrames && total <= keepBytes {
		if p.kept == nil {
			p.kept = make(map[int][]byte, len(p.rows))
		}
		p.kept[i] = data
	}
	return data, nil
}

// ahead is a segment that is read while the catalog is asked whether it is wanted.
type ahead struct {
	digest string
	data   chan []byte // one, nil when it could not be read
}

// readAhead begins to read the segment that an event names when it is all of its
// document. For others nothing is begun: most of their events find a run that
// waits for more. What goes wrong is told by the reading that finds nothing here.
func (s *Stage) readAhead(ctx context.Context, d event.IRExtracted) *ahead {
	if d.Pages.From != 1 || d.Pages.To < d.PageCount {
		return nil
	}
	a := &ahead{digest: d.Digest, data: make(chan []byte, 1)}
	go func() {
		data, err := s.segments.Segment(ctx, model.SegmentRow{
			SnapshotID: d.SnapshotID, ExtractionID: d.ExtractionID, From: d.Pages.From, To: d.Pages.To, Redo: d.Redo,
			ObjectKey: d.ObjectKey, Digest: d.Digest,
		})
		if err != nil {
			data = nil
		}
		a.data <- data
	}()
	return a
}

// wait returns the bytes of the row's segment, nil when it is another, could not
// be read or was handed out before.
func (a *ahead) wait(row model.SegmentRow) []byte {
	if a == nil || a.digest != row.Digest {
		return nil
	}
	a.digest = ""
	return <-a.data
}
