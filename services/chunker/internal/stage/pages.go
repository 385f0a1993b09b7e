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
	if p.total() > keepFrames {
		data, err := p.bytes(ctx, i)
		if err != nil {
			return err
		}
		return eachFrame(data, f)
	}
	frames, err := p.frames(ctx, i)
	if err != nil {
		return err
	}
	for _, frame := range frames {
		if err := handOn(frame, f); err != nil {
			return err
		}
	}
	return nil
}

func handOn(frame segment.Frame, f func(segment.Frame) error) error {
	err := f(frame)
	if err != nil && fault.KindOf(err) == fault.KindTransient {
		return fmt.Errorf("page %d: %w", frame.Page.PageNo, err)
	}
	return err
}

// eachFrame reads a segment page by page.
func eachFrame(data []byte, f func(segment.Frame) error) error {
	reader, err := segment.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return internal("the stored segment cannot be read: %w", err)
	}
	for n := range reader.Index() {
		frame, err := reader.Frame(n)
		if err != nil {
			return internal("the stored segment cannot be read: %w", err)
		}
		if err := handOn(frame, f); err != nil {
			return err
		}
	}
	return nil
}

// framesOf reads a segment whole.
func framesOf(data []byte) (frames []segment.Frame, err error) {
	err = eachFrame(data, func(frame segment.Frame) error {
		frames = append(frames, frame)
		return nil
	})
	return frames, err
}

// total is how large the segments are together, in bytes.
func (p *pages) total() int64 {
	total := int64(0)
	for _, row := range p.rows {
		total += row.ByteLength
	}
	return total
}

// frames returns the pages of a segment, and keeps them.
func (p *pages) frames(ctx context.Context, i int) ([]segment.Frame, error) {
	if frames, ok := p.read[i]; ok {
		return frames, nil
	}
	data, frames := p.ahead.wait(p.rows[i])
	var err error
	if data == nil {
		data, err = p.store.Segment(ctx, p.rows[i])
	}
	if err == nil && frames == nil {
		frames, err = framesOf(data)
	}
	if err != nil {
		return nil, err
	}
	if p.read == nil {
		p.read = make(map[int][]segment.Frame, len(p.rows))
	}
	p.read[i] = frames
	return frames, nil
}

// bytes returns a segment, and keeps it unless the document is large.
func (p *pages) bytes(ctx context.Context, i int) ([]byte, error) {
	if data, ok := p.kept[i]; ok {
		return data, nil
	}
	data, _ := p.ahead.wait(p.rows[i])
	if data == nil {
		var err error
		if data, err = p.store.Segment(ctx, p.rows[i]); err != nil {
			return nil, err
		}
	}
	if p.total() <= keepBytes {
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
	done   chan struct{}
	data   []byte          // nil when it could not be read
	frames []segment.Frame // of one that is small; nil when they could not be read
}

// readAhead begins to read the segment that an event names when it is all of its
// document. For others nothing is begun: most of their events find a run that
// waits for more. What goes wrong is told by the reading that finds nothing here.
func (s *Stage) readAhead(ctx context.Context, d event.IRExtracted) *ahead {
	if d.Pages.From != 1 || d.Pages.To < d.PageCount {
		return nil
	}
	a := &ahead{digest: d.Digest, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		data, err := s.segments.Segment(ctx, model.SegmentRow{
			SnapshotID: d.SnapshotID, ExtractionID: d.ExtractionID, From: d.Pages.From, To: d.Pages.To, Redo: d.Redo,
			ObjectKey: d.ObjectKey, Digest: d.Digest,
		})
		if err != nil {
			return
		}
		if a.data = data; len(data) > keepFrames {
			return
		}
		if frames, err := framesOf(data); err == nil {
			a.frames = frames
		}
	}()
	return a
}

// wait returns the bytes of the row's segment, and its pages when it is small, or
// nothing when it is another, could not be read or was handed out before.
func (a *ahead) wait(row model.SegmentRow) (data []byte, frames []segment.Frame) {
	if a == nil || a.done == nil || a.digest != row.Digest {
		return nil, nil
	}
	<-a.done
	data, frames = a.data, a.frames
	*a = ahead{}
	return data, frames
}
