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
	frames   map[int]segment.Frame   // nil when they were put out of memory
	units    map[model.UnitPlace]int // where each unit is in its frame
	breaks   []Break                 // of the segment as a whole
	ofPage   map[int][]Break         // of one page
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
	p.frames, p.units = make(map[int]segment.Frame, p.row.To-p.row.From+1), make(map[model.UnitPlace]int)
	d.recent = append(d.recent, p.row.From)
	if len(d.recent) > keptRanges {
		gone := d.ranges[d.recent[0]]
		gone.frames, gone.units = nil, nil
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
	stored, errs := make([][]byte, len(reader.Index())), make([]error, len(reader.Index()))
	for i, entry := range reader.Index() {
		if stored[i], errs[i] = reader.Raw(i); errs[i] == nil {
			var f segment.Frame
			if f, errs[i] = segment.DecodeFrame(stored[i]); errs[i] == nil {
				p.frames[entry.PageNo] = f
				for n := range slices.Backward(f.Units) { // of several with one id the first counts
					p.units[model.UnitPlace{Page: entry.PageNo, IRID: f.Units[n].IRID}] = n
				}
			}
		}
	}
	if !check {
		return nil
	}
	again, err := d.again(ctx, p, len(stored))
	if err != nil {
		return err
	}
	for i, entry := range reader.Index() {
		what, step := "", "b"
		frame := p.frames[entry.PageNo]
		switch {
		case errs[i] != nil:
			what = errs[i].Error()
		case entry.PageNo != p.row.From+i || frame.Page.PageNo != entry.PageNo:
			what = "is out of order in its segment"
		case again != nil && len(p.ofPage[entry.PageNo]) == 0 && !bytes.Equal(stored[i], again[i]) && !byChance(frame.Page):
			step, what = "c", "extracted again from the raw bytes it comes out otherwise"
		}
		if what != "" {
			p.ofPage[entry.PageNo] = append(p.ofPage[entry.PageNo], Break{Step: step, Where: fmt.Sprintf("page %d", entry.PageNo), What: what})
		}
	}
	return nil
}

// again makes the pages of a range again, nil when that cannot be done, out of
// the stored OCR results that they name.
func (d *document) again(ctx context.Context, p *pageRange, pages int) ([][]byte, error) {
	read, err := d.ocrOf(ctx, p)
	if err != nil || !d.remake {
		return nil, err
	}
	again, err := d.reader.Remake(ctx, d.snapshot, d.run, d.facts, model.PageRange{From: p.row.From, To: p.row.To}, read)
	switch {
	case errors.Is(err, ErrOtherParser):
		p.anchored = true
		return nil, nil
	case err != nil:
		return nil, err
	case len(again) != pages:
		return nil, fmt.Errorf("%s: %d pages were made again", p.where(), len(again))
	}
	return again, nil
}

// ocrOf reads the stored OCR results that the pages of a range name, and holds
// them against the digests that are named (contracts#proof).
func (d *document) ocrOf(ctx context.Context, p *pageRange) ([]PageRead, error) {
	var read []PageRead
	for no := p.row.From; no <= p.row.To; no++ {
		for _, use := range p.frames[no].Page.OCR {
			if !use.Answered() {
				continue
			}
			one := PageRead{PageNo: no, OCR: use}
			if use.Key != "" {
				var err error
				one.Result, err = d.reader.OCRResult(ctx, d.snapshot.SourceID, use)
				what := ""
				switch got := digest.Hex(one.Result); {
				case errors.Is(err, ErrGone):
					what = "does not exist"
				case err != nil:
					return nil, err
				case got != use.Digest:
					what = fmt.Sprintf("sha256 is %s, recorded %s", got, use.Digest)
				}
				if what != "" {
					p.ofPage[no] = append(p.ofPage[no], Break{Step: "c", Where: fmt.Sprintf("OCR result of page %d", no), What: what})
					continue
				}
			}
			read = append(read, one)
		}
	}
	return read, nil
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
