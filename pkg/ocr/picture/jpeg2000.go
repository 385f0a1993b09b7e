package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// Render draws the only page of a PDF file upright, a pixel for each of its
// points. It fails when the picture on the page cannot be decoded.
type Render func(file []byte) (image.Image, error)

// The beginnings of JPEG 2000: of a file of boxes (ISO 15444-1, annex I) and of
// a bare code stream (annex A).
const (
	boxesMagic  = "\x00\x00\x00\x0cjP  \r\n\x87\n"
	streamMagic = "\xFF\x4F\xFF\x51"
)

const (
	// maxComponents is how many components the engine knows what to do with: red,
	// green, blue and opacity, or those of print.
	maxComponents = 4
	// maxDrawn is how many pixels a JPEG 2000 picture is drawn with at most, A3 at
	// 300 dpi. Larger ones are drawn half as wide and high, or a quarter: each
	// halving leaves out a level of the code stream, and its memory and time.
	maxDrawn = 18_000_000
	// maxBoxes bounds the boxes and marker segments that are looked at.
	maxBoxes = 100_000
)

// Markers of a code stream.
const (
	startOfTile = 0xFF90
	endOfStream = 0xFFD9
)

// jpeg2000 is what the boxes around a code stream say.
type jpeg2000 struct {
	page   Page
	stream []byte
	header bool // there is a header box: it is a picture, not a film or a book
	boxes  int
}

// streamOf finds the code stream and what is said of it.
func streamOf(raw []byte) (jpeg2000, error) {
	j := jpeg2000{}
	if !bytes.HasPrefix(raw, []byte(boxesMagic)) {
		j.stream = raw
		return j, j.size()
	}
	err := j.walk(raw)
	switch {
	case err != nil:
		return j, err
	case j.stream == nil && !j.header:
		return j, &Error{fault.UnsupportedType, "a JPEG 2000 file that has no picture of its own, but pages or a film"}
	case j.stream == nil:
		return j, errors.New("no code stream")
	}
	return j, j.size()
}

// walk reads the boxes of a file, or those within one.
func (j *jpeg2000) walk(data []byte) error {
	for len(data) >= 8 && j.stream == nil {
		if j.boxes++; j.boxes > maxBoxes {
			return fmt.Errorf("more than %d boxes", maxBoxes)
		}
		size, head, kind := uint64(binary.BigEndian.Uint32(data)), uint64(8), string(data[4:8])
		if size == 0 { // as far as the file goes
			size = uint64(len(data))
		}
		if size == 1 && len(data) >= 16 {
			size, head = binary.BigEndian.Uint64(data[8:]), 16
		}
		switch {
		case size < head:
			return fmt.Errorf("box %q of %d bytes", kind, size)
		case kind == "jp2c": // how much of it there is, it says itself
			size = min(size, uint64(len(data)))
		case size > uint64(len(data)):
			return fmt.Errorf("box %q ends beyond the file", kind)
		}
		if err := j.box(kind, data[head:size]); err != nil {
			return err
		}
		data = data[size:]
	}
	return nil
}

func (j *jpeg2000) box(kind string, body []byte) error {
	switch kind {
	case "jp2h":
		j.header = true
		return j.walk(body)
	case "res ":
		return j.walk(body)
	case "resc", "resd": // as captured; as it should be shown
		if j.page.DPI == 0 && len(body) >= 10 {
			j.page.DPI = perMetre(body)
		}
	case "pclr":
		if len(body) >= 3 {
			j.page.palette = int(body[2])
		}
	case "cdef":
		j.page.opacity = opacityOf(body)
	case "jp2c":
		j.stream = body
	}
	return nil
}

// perMetre is the vertical resolution of a box, in dots per inch.
func perMetre(body []byte) int {
	over, under := float64(binary.BigEndian.Uint16(body)), float64(binary.BigEndian.Uint16(body[2:]))
	dpi := math.Round(float64(over / under * math.Pow10(int(int8(body[8]))) * 0.0254))
	if !(dpi < 1<<20) { // also 0/0
		return 0
	}
	return int(dpi)
}

// opacityOf is how a PDF file names the opacity that a channel definition box
// finds among the components: 1, or 2 where it is multiplied in already; 0 for
// none.
func opacityOf(body []byte) int {
	for at := 2; at+6 <= len(body); at += 6 {
		if kind := binary.BigEndian.Uint16(body[at+2:]); kind == 1 || kind == 2 {
			return int(kind)
		}
	}
	return 0
}

// sizeBytes is how long a code stream is up to the components of its image and
// tile size marker segment.
const sizeBytes = 42

// size reads the image and tile size marker segment.
func (j *jpeg2000) size() error {
	s := j.stream
	if len(s) < sizeBytes || string(s[:4]) != streamMagic {
		return errors.New("no code stream")
	}
	at := func(i int) int { return int(binary.BigEndian.Uint32(s[i:])) }
	j.page.Width, j.page.Height = at(8)-at(16), at(12)-at(20)
	if j.page.components = int(binary.BigEndian.Uint16(s[40:])); j.page.components > maxComponents {
		return &Error{fault.UnsupportedType, fmt.Sprintf("a JPEG 2000 picture of %d components, and only those of up to %d are read", j.page.components, maxComponents)}
	}
	if j.page.components == 2 && j.page.opacity > 0 { // the engine would draw the grey as if all of it were to be seen
		return &Error{fault.UnsupportedType, "a JPEG 2000 picture in grey with opacity"}
	}
	return nil
}

// complete fails when a part of the code stream ends beyond the file: engines
// then draw what there is, and say nothing.
func (j *jpeg2000) complete() error {
	s := j.stream
	for at, n := 2, 0; at+4 <= len(s); n++ {
		if n > maxBoxes {
			return fmt.Errorf("more than %d marker segments", maxBoxes)
		}
		marker, size := binary.BigEndian.Uint16(s[at:]), 2+int(binary.BigEndian.Uint16(s[at+2:]))
		if marker == endOfStream {
			return nil
		}
		if marker == startOfTile && at+10 <= len(s) {
			if size = int(binary.BigEndian.Uint32(s[at+6:])); size == 0 { // as far as the stream goes
				return nil
			}
		}
		if size < 4 || at+size > len(s) {
			return fmt.Errorf("the part at byte %d ends beyond the file", at)
		}
		at += size
	}
	return nil
}

// decodeJPEG2000 has the picture drawn as the only one of a PDF file: an engine
// that reads those reads JPEG 2000.
func decodeJPEG2000(raw []byte, render Render) (image.Image, error) {
	j, err := streamOf(raw)
	if err != nil {
		return nil, err
	}
	if err := j.complete(); err != nil {
		return nil, malformed("the %s picture cannot be decoded: %v", JPEG2000, err)
	}
	p := j.page
	return render(inPDF(p.Width, p.Height, fmt.Sprintf("/Filter /JPXDecode /ColorSpace /%s /SMaskInData %d", p.colours(), p.opacity), raw))
}

// inPDF is a PDF file that shows a picture and nothing else. Its stream and what
// is said of it are those of PDF.
func inPDF(width, height int, said string, stream []byte) []byte {
	w, h := width, height
	for w*h > maxDrawn {
		w, h = max(w/2, 1), max(h/2, 1)
	}
	shown := fmt.Sprintf("%d 0 0 %d 0 0 cm /P Do", w, h)
	out := make([]byte, 0, len(stream)+2048)
	out = append(out, "%PDF-1.7\n"...)
	var offsets []int
	object := func(dictionary string, stream []byte) {
		offsets = append(offsets, len(out))
		out = fmt.Appendf(out, "%d 0 obj\n<< %s >>\n", len(offsets), dictionary)
		if stream != nil {
			out = append(append(append(out, "stream\n"...), stream...), "\nendstream\n"...)
		}
		out = append(out, "endobj\n"...)
	}
	object("/Type /Catalog /Pages 2 0 R", nil)
	object("/Type /Pages /Count 1 /Kids [3 0 R]", nil)
	object(fmt.Sprintf("/Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R /Resources << /XObject << /P 5 0 R >> >>", w, h), nil)
	object(fmt.Sprintf("/Length %d", len(shown)), []byte(shown))
	object(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d %s /Length %d", width, height, said, len(stream)), stream)
	table := len(out)
	out = fmt.Appendf(out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		out = fmt.Appendf(out, "%010d 00000 n \n", at)
	}
	return fmt.Appendf(out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, table)
}

// colours is the PDF's name of the space that the components are of.
func (p *Page) colours() string {
	n := p.components
	if p.palette > 0 {
		n = p.palette
	}
	if p.opacity > 0 {
		n--
	}
	switch n {
	case 1, 2:
		return "DeviceGray"
	case 4:
		return "DeviceCMYK"
	}
	return "DeviceRGB"
}
