package proof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// keptRanges is how many ranges of a document have their frames in memory.
const keptRanges = 4

// pageRange is one segment with its pages as stored and checked.
type pageRange struct {
	row      model.SegmentRow
	frames   map[int]segment.Frame // nil when they were put out of memory
	breaks   []Break               // of the segment as a whole
	ofPage   map[int][]Break       // of one page
	anchored bool
}

// where names the segment.
func (p *pageRange) where() string {
	return fmt.Sprintf("segment of pages %d–%d", p.row.From, p.row.To)
}

func (p *pageRange) fail(format string, args ...any) {
	p.breaks = append(p.breaks, Break{Step: "b", Where: p.where(), What: fmt.Sprintf(format, args...)})
}

// pages returns the range that holds a page, checked: segment against row,
// frames against index, frames against the pages made again. Each range is
// checked once.
func (d *document) pages(ctx context.Context, page int) (*pageRange, error) {
	i := slices.IndexFunc(d.rows, func(r model.SegmentRow) bool { return r.From <= page && page <= r.To })
	if i < 0 {
		return &pageRange{breaks: []Break{{Step: "b", Where: fmt.Sprintf("page %d", page), What: "no segment holds it"}}}, nil
	}
	p, checked := d.ranges[d.rows[i].From]
	if checked && p.frames != nil {
		return p, nil
	}
	if !checked {
		p = &pageRange{row: d.rows[i], ofPage: make(map[int][]Break)}
		d.ranges[p.row.From] = p
	}
	d.keep(p)
	reader, err := d.open(ctx, p, !checked)
	if err != nil || reader == nil {
		return p, err
	}
	return p, d.read(ctx, p, reader, !checked)
}

// keep makes room for the frames of a range.
func (d *document) keep(p *pageRange) {
	p.frames = make(map[int]segment.Frame, p.row.To-p.row.From+1)
	d.recent = append(d.recent, p.row.From)
	if len(d.recent) > keptRanges {
		d.ranges[d.recent[0]].frames = nil
		d.recent = d.recent[1:]
	}
}

// open reads a segment and holds it against its row; nil says that it is not to
// be read any further.
func (d *document) open(ctx context.Context, p *pageRange, check bool) (*segment.Reader, error) {
	if !check && len(p.breaks) > 0 {
		return nil, nil //nolint:nilnil // what is broken was said
	}
	data, err := d.reader.Object(ctx, p.row.ObjectKey)
	if errors.Is(err, ErrGone) {
		p.fail("does not exist")
		return nil, nil //nolint:nilnil // that is a break
	}
	if err != nil {
		return nil, err
	}
	if got := digest.Hex(data); got != p.row.Digest || int64(len(data)) != p.row.ByteLength {
		p.fail("sha256 is %s over %d bytes, recorded %s over %d", got, len(data), p.row.Digest, p.row.ByteLength)
		return nil, nil //nolint:nilnil // that is a break
	}
	reader, err := segment.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		p.fail("cannot be read: %v", err)
		return nil, nil //nolint:nilnil,nilerr // that is a break
	}
	if n := p.row.To - p.row.From + 1; len(reader.Index()) != n {
		p.fail("holds %d pages", len(reader.Index()))
		return nil, nil //nolint:nilnil // that is a break
	}
	return reader, nil
}

// read decodes the frames of a range and, to check it, compares them with the
// pages made again.
func (d *document) read(ctx context.Context, p *pageRange, reader *segment.Reader, check bool) error {
	var again [][]byte
	if check && d.remake {
		var err error
		again, err = d.reader.Remake(ctx, d.snapshot, d.run, d.facts, model.PageRange{From: p.row.From, To: p.row.To})
		switch {
		case errors.Is(err, ErrOtherParser):
			p.anchored = true
		case err != nil:
			return err
		case len(again) != len(reader.Index()):
			return fmt.Errorf("%s: %d pages were made again", p.where(), len(again))
		}
	}
	for i, entry := range reader.Index() {
		stored, err := reader.Raw(i)
		if err == nil {
			var f segment.Frame
			if f, err = segment.DecodeFrame(stored); err == nil {
				p.frames[entry.PageNo] = f
			}
		}
		if !check {
			continue
		}
		what, step := "", "b"
		frame := p.frames[entry.PageNo]
		switch {
		case err != nil:
			what = err.Error()
		case entry.PageNo != p.row.From+i || frame.Page.PageNo != entry.PageNo:
			what = "is out of order in its segment"
		case again != nil && !bytes.Equal(stored, again[i]) && !byChance(frame.Page):
			step, what = "c", "extracted again from the raw bytes it comes out otherwise"
		}
		if what != "" {
			p.ofPage[entry.PageNo] = append(p.ofPage[entry.PageNo], Break{Step: step, Where: fmt.Sprintf("page %d", entry.PageNo), What: what})
		}
	}
	return nil
}

// byChance reports whether a page failed for a reason that need not come back
// when it is extracted again.
func byChance(page model.Page) bool {
	switch fault.Reason(page.Reason) {
	case fault.Timeout, fault.LimitExceeded, fault.ParserCrashed, fault.Internal, fault.AttemptsExhausted:
		return page.Status == model.PageFailed
	default:
		return false
	}
}
