// Package segment is the byte format of IR segments (contracts#segment-bytes): one zstd
// frame a page (line 1 the page's record, then one unit a line, all JCS), then
// an index frame with each frame's place and sha256, then a skippable frame
// with the index's offset. One page can be read and verified alone.
package segment

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// MaxFrame is the largest decompressed page frame in bytes that a reader
// accepts: a defence against decompression bombs.
const MaxFrame = 256 << 20

// keptLines is how large a buffer an Encoder keeps of each of two, in bytes.
const keptLines = 4 << 20

// usualUnits is how many units a reader makes room for before it has read them.
const usualUnits = 256

const (
	skippableMagic = 0x184D2A50
	trailerLength  = 16 // magic, size, offset of the index
)

// Frame is one page with its units.
type Frame struct {
	Page  model.Page
	Units []model.Unit
}

// IndexEntry is one line of the index.
type IndexEntry struct {
	PageNo int    `json:"page_no"`
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
	SHA256 string `json:"sha256"` // hex, of the compressed frame
}

type index struct {
	Pages []IndexEntry `json:"pages"`
}

// EncodeFrame returns the compressed frame of one page; see Encoder.
func EncodeFrame(f Frame) ([]byte, error) { return new(Encoder).Frame(f) }

// Compress returns raw as one zstd frame: equal bytes give equal frames.
func Compress(raw []byte) ([]byte, error) {
	enc, err := encoder()
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return enc.EncodeAll(raw, nil), nil
}

// encoder and decoder are what all frames of a process are written and read with,
// by as many goroutines at once as there are cores: to make one costs as much as a
// small page. The fastest level makes frames of pages a twentieth larger in less
// than half of the time: the tables of the next level leave no room in the cache.
var (
	encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithWindowSize(1<<20), zstd.WithEncoderLevel(zstd.SpeedFastest))
	})
	decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(MaxFrame))
	})
)

// Encoder makes frames and keeps its buffers from one to the next. The zero
// value is ready. It is not safe for concurrent use.
type Encoder struct {
	canonical digest.Canonical
	lines     []byte
	packed    []byte
}

// Frame returns the compressed frame of one page. It is a pure function of the
// frame: equal frames give equal bytes, whatever was encoded before. A frame
// that no reader would accept is a permanent LimitExceeded.
func (e *Encoder) Frame(f Frame) ([]byte, error) {
	lines, err := e.canonical.Append(slices.Grow(e.lines[:0], usualSize(f)), &f.Page)
	if err != nil {
		return nil, fmt.Errorf("page %d: %w", f.Page.PageNo, err)
	}
	for i := range f.Units {
		if lines, err = e.canonical.Append(append(lines, '\n'), &f.Units[i]); err != nil {
			return nil, fmt.Errorf("page %d: %s: %w", f.Page.PageNo, f.Units[i].IRID, err)
		}
	}
	lines = append(lines, '\n')
	if e.lines = lines; len(lines) > keptLines {
		e.lines = nil
	}
	if len(lines) > MaxFrame {
		return nil, fault.Permanent(fault.LimitExceeded, fmt.Errorf("page %d: %d bytes of units and HTML, limit %d",
			f.Page.PageNo, len(lines), MaxFrame))
	}
	enc, err := encoder()
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	packed := enc.EncodeAll(lines, e.packed[:0])
	if e.packed = packed; len(packed) > keptLines {
		e.packed = nil
	}
	return bytes.Clone(packed), nil
}

// usualSize is about how many bytes the lines of a frame have: what is longest in
// them, and what stands around it.
func usualSize(f Frame) int {
	const around, escapes = 1 << 10, 16
	n := len(f.Page.HTML) + around
	for i := range f.Units {
		fields := &f.Units[i].FieldsRaw
		n += len(fields.Text) + len(fields.HTML) + len(fields.Markdown) + around
	}
	return n + n/escapes
}

// Writer collects the frames of one range, in page order.
type Writer struct {
	buf   bytes.Buffer
	index index
}

// Add appends an encoded frame of the page.
func (w *Writer) Add(pageNo int, frame []byte) error {
	if n := len(w.index.Pages); n > 0 && w.index.Pages[n-1].PageNo >= pageNo {
		return fmt.Errorf("page %d after page %d: a segment is written in order", pageNo, w.index.Pages[n-1].PageNo)
	}
	sum := sha256.Sum256(frame)
	w.index.Pages = append(w.index.Pages, IndexEntry{
		PageNo: pageNo, Offset: int64(w.buf.Len()), Length: int64(len(frame)), SHA256: hex.EncodeToString(sum[:]),
	})
	w.buf.Write(frame)
	return nil
}

// Bytes closes the segment and returns it with its hex sha256.
func (w *Writer) Bytes() (data []byte, sha string, err error) {
	raw, err := digest.JCS(w.index)
	if err != nil {
		return nil, "", fmt.Errorf("index: %w", err)
	}
	frame, err := Compress(raw)
	if err != nil {
		return nil, "", err
	}
	offset := uint64(w.buf.Len())
	w.buf.Write(frame)
	trailer := make([]byte, 0, trailerLength)
	trailer = binary.LittleEndian.AppendUint32(trailer, skippableMagic)
	trailer = binary.LittleEndian.AppendUint32(trailer, 8)
	trailer = binary.LittleEndian.AppendUint64(trailer, offset)
	w.buf.Write(trailer)
	sum := sha256.Sum256(w.buf.Bytes())
	return w.buf.Bytes(), hex.EncodeToString(sum[:]), nil
}

// Reader reads a segment, whole or page by page, through ranges.
type Reader struct {
	src  io.ReaderAt
	size int64
	idx  index
}

// NewReader reads the index of a segment of size bytes. It returns an error
// when trailer or index are damaged, or the index is not of pages in order,
// frame after frame.
func NewReader(src io.ReaderAt, size int64) (*Reader, error) {
	if size < trailerLength {
		return nil, fmt.Errorf("a segment of %d bytes is too short", size)
	}
	trailer := make([]byte, trailerLength)
	if _, err := src.ReadAt(trailer, size-trailerLength); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the trailer: %w", err)
	}
	if binary.LittleEndian.Uint32(trailer) != skippableMagic || binary.LittleEndian.Uint32(trailer[4:]) != 8 {
		return nil, errors.New("the segment's trailer is damaged")
	}
	offset := binary.LittleEndian.Uint64(trailer[8:])
	if offset > uint64(size-trailerLength) {
		return nil, errors.New("the segment's index lies outside of it")
	}
	frame := make([]byte, size-trailerLength-int64(offset))
	if _, err := src.ReadAt(frame, int64(offset)); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the index: %w", err)
	}
	raw, err := Decompress(frame)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	r := &Reader{src: src, size: int64(offset)}
	if err := json.Unmarshal(raw, &r.idx); err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	return r, r.checkIndex()
}

func (r *Reader) checkIndex() error {
	at := int64(0)
	for i, e := range r.idx.Pages {
		if e.Offset != at || e.Length <= 0 || e.Length > r.size-at {
			return fmt.Errorf("index entry %d does not follow the one before it", i)
		}
		if i > 0 && e.PageNo <= r.idx.Pages[i-1].PageNo {
			return fmt.Errorf("page %d after page %d in the index", e.PageNo, r.idx.Pages[i-1].PageNo)
		}
		at += e.Length
	}
	if at != r.size {
		return fmt.Errorf("the index covers %d of %d bytes", at, r.size)
	}
	return nil
}

// Index returns the places of the frames, in page order.
func (r *Reader) Index() []IndexEntry { return r.idx.Pages }

// Raw returns the compressed frame of the i-th page after checking its sha256.
func (r *Reader) Raw(i int) ([]byte, error) {
	e := r.idx.Pages[i]
	frame := make([]byte, e.Length)
	if _, err := r.src.ReadAt(frame, e.Offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("page %d: %w", e.PageNo, err)
	}
	sum := sha256.Sum256(frame)
	if got := hex.EncodeToString(sum[:]); got != e.SHA256 {
		return nil, fmt.Errorf("page %d: its frame has sha256 %s, the index says %s", e.PageNo, got, e.SHA256)
	}
	return frame, nil
}

// Size returns how many bytes the i-th page has when it is decompressed, as the
// head of its frame says, or MaxFrame where that does not say it.
func (r *Reader) Size(i int) (int64, error) {
	e := r.idx.Pages[i]
	head := make([]byte, min(e.Length, zstd.HeaderMaxSize))
	if _, err := r.src.ReadAt(head, e.Offset); err != nil && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("page %d: %w", e.PageNo, err)
	}
	var h zstd.Header
	if err := h.Decode(head); err != nil {
		return 0, fmt.Errorf("page %d: zstd: %w", e.PageNo, err)
	}
	if !h.HasFCS || h.FrameContentSize > MaxFrame {
		return MaxFrame, nil
	}
	return int64(h.FrameContentSize), nil
}

// Frame returns the i-th page, verified.
func (r *Reader) Frame(i int) (Frame, error) {
	raw, err := r.Raw(i)
	if err != nil {
		return Frame{}, err
	}
	if raw, err = Decompress(raw); err != nil {
		return Frame{}, err
	}
	return parseFrame(raw)
}

// DecodeFrame reads one compressed page frame.
func DecodeFrame(frame []byte) (Frame, error) {
	raw, err := Decompress(frame)
	if err != nil {
		return Frame{}, err
	}
	return parseFrame(raw)
}

// parseFrame reads with the successor of the standard library's decoder, which
// takes a third of its time and refuses what no encoder has written: a name twice,
// bytes that are no UTF-8.
func parseFrame(raw []byte) (Frame, error) {
	var f Frame
	lines := jsontext.NewDecoder(bytes.NewBuffer(raw))
	if err := json.UnmarshalDecode(lines, &f.Page); err != nil {
		return Frame{}, fmt.Errorf("page record: %w", err)
	}
	f.Units = slices.Grow(f.Units, min(max(bytes.Count(raw, []byte{'\n'})-1, 0), usualUnits))
	var u model.Unit
	for {
		u = model.Unit{}
		err := json.UnmarshalDecode(lines, &u)
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if err != nil {
			return Frame{}, fmt.Errorf("page %d, unit %d: %w", f.Page.PageNo, len(f.Units), err)
		}
		f.Units = append(f.Units, u)
	}
}

// Decompress reads one zstd frame of at most MaxFrame bytes of content.
func Decompress(frame []byte) ([]byte, error) {
	dec, err := decoder()
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	out, err := dec.DecodeAll(frame, nil)
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return out, nil
}
