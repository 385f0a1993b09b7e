// Package picture reads the kinds of picture that scans come as: PNG, JPEG,
// JPEG 2000, TIFF of one or many pages, WebP, GIF and BMP. Probe looks at headers alone,
// so that a picture that is too large is refused before a pixel of it is
// decoded; Decode makes grey pixels of one page, upright by what the file says
// of its orientation.
package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// What a picture may ask for.
const (
	// MaxPixels bounds one page: A1 at 300 dpi.
	MaxPixels = 72_000_000
	// MaxPages bounds the pages of a TIFF.
	MaxPages = 10_000
)

// Resolutions up to screenDPI are what programs write that know none; they are
// believed of pictures that are no larger than maxScreen inches by them.
const (
	screenDPI = 96
	maxScreen = 20
)

// The formats.
const (
	PNG  = "png"
	JPEG = "jpeg"
	TIFF = "tiff"
	WebP = "webp"
	GIF  = "gif"
	BMP  = "bmp"

	JPEG2000 = "jpeg2000"
)

// webpAnimation is the flag of an animation in a WebP file's header.
const webpAnimation = 2

// Info is what the header of a picture says.
type Info struct {
	Format string
	Pages  []Page
}

// Page is one picture of the file, as stored.
type Page struct {
	Width, Height int // pixels
	// Orientation is EXIF's, 1 to 8: 1 is upright.
	Orientation int
	// DPI is the vertical resolution, 0 when the file does not say.
	DPI int

	offset uint32 // of a TIFF's directory

	// Of a JPEG 2000 picture: how many components it has, and colours where it has
	// a palette, and its opacity as opacityOf says it.
	components, palette, opacity int
}

// Turn returns what makes the page upright: first the picture is mirrored, left
// for right, then turned clockwise.
func (p Page) Turn() (mirrored bool, degrees int) {
	switch p.Orientation {
	case 2:
		return true, 0
	case 3:
		return false, 180
	case 4:
		return true, 180
	case 5:
		return true, 270
	case 6:
		return false, 90
	case 7:
		return true, 90
	case 8:
		return false, 270
	}
	return false, 0
}

// Error says why there is nothing to be read in a picture.
type Error struct {
	Reason  fault.Reason // malformed, limit_exceeded or unsupported_type
	Message string
}

// Error returns the sentence.
func (e *Error) Error() string { return e.Message }

func malformed(format string, args ...any) error {
	return &Error{fault.Malformed, fmt.Sprintf(format, args...)}
}

// Probe reads the header. It fails with an *Error.
func Probe(raw []byte) (Info, error) {
	format := sniff(raw)
	var (
		pages []Page
		err   error
	)
	switch format {
	case PNG:
		pages, err = one(probePNG(raw))
	case JPEG:
		pages, err = one(probeJPEG(raw))
	case TIFF:
		pages, err = probeTIFF(raw)
	case GIF:
		pages, err = one(probeGIF(raw))
	case WebP:
		if len(raw) > 20 && string(raw[12:16]) == "VP8X" && raw[20]&webpAnimation != 0 {
			return Info{}, &Error{fault.UnsupportedType, "an animated WebP picture"}
		}
		config, e := webp.DecodeConfig(bytes.NewReader(raw))
		pages, err = one(Page{Width: config.Width, Height: config.Height}, e)
	case BMP:
		config, e := bmp.DecodeConfig(bytes.NewReader(raw))
		pages, err = one(Page{Width: config.Width, Height: config.Height}, e)
	case JPEG2000:
		j, e := streamOf(raw)
		pages, err = one(j.page, e)
	case "":
		return Info{}, &Error{fault.UnsupportedType, "the picture is none of PNG, JPEG, JPEG 2000, TIFF, WebP, GIF and BMP"}
	}
	if bad := (*Error)(nil); errors.As(err, &bad) {
		return Info{}, bad
	}
	if errors.Is(err, bmp.ErrUnsupported) {
		return Info{}, &Error{fault.UnsupportedType, err.Error()}
	}
	if err != nil {
		return Info{}, malformed("the header of the %s picture cannot be read: %v", format, err)
	}
	for i := range pages {
		p := &pages[i]
		if p.Width < 1 || p.Height < 1 {
			return Info{}, malformed("page %d of the %s picture has %d x %d pixels", i+1, format, p.Width, p.Height)
		}
		if p.Width > MaxPixels/p.Height {
			return Info{}, &Error{fault.LimitExceeded, fmt.Sprintf("page %d of the %s picture has %d x %d pixels, limit %d in all",
				i+1, format, p.Width, p.Height, MaxPixels)}
		}
		if p.Orientation < 1 || p.Orientation > 8 {
			p.Orientation = 1
		}
		if p.DPI < 30 || p.DPI > 4800 || p.DPI <= screenDPI && max(p.Width, p.Height) > maxScreen*p.DPI {
			p.DPI = 0
		}
	}
	return Info{Format: format, Pages: pages}, nil
}

func one(p Page, err error) ([]Page, error) { return []Page{p}, err }

// sniff tells the format by its first bytes.
func sniff(raw []byte) string {
	for _, m := range []struct{ magic, format string }{
		{"\x89PNG\r\n\x1a\n", PNG}, {"\xFF\xD8\xFF", JPEG}, {"II*\x00", TIFF}, {"MM\x00*", TIFF}, {"GIF87a", GIF}, {"GIF89a", GIF}, {"BM", BMP},
		{boxesMagic, JPEG2000}, {streamMagic, JPEG2000},
	} {
		if bytes.HasPrefix(raw, []byte(m.magic)) {
			return m.format
		}
	}
	if len(raw) >= 12 && string(raw[:4]) == "RIFF" && string(raw[8:12]) == "WEBP" {
		return WebP
	}
	return ""
}

// probePNG walks the chunks before the pixels.
func probePNG(raw []byte) (Page, error) {
	var p Page
	for at := 8; at+8 <= len(raw); {
		size := int64(binary.BigEndian.Uint32(raw[at:]))
		kind := string(raw[at+4 : at+8])
		from, to := at+8, int64(at)+8+size
		if kind == "IDAT" || kind == "IEND" {
			break
		}
		if to > int64(len(raw)) {
			return p, fmt.Errorf("chunk %q ends beyond the file", kind)
		}
		data := raw[from:to]
		switch {
		case kind == "IHDR" && size >= 13:
			w, h := binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:])
			p.Width, p.Height = int(min(w, 1<<31-1)), int(min(h, 1<<31-1))
		case kind == "pHYs" && size >= 9 && data[8] == 1: // per metre
			p.DPI = int(int64(binary.BigEndian.Uint32(data[4:]))*254+5000) / 10000
		case kind == "eXIf":
			p.Orientation = exifOrientation(data)
		}
		at = int(to) + 4
	}
	if p.Width == 0 {
		return p, fmt.Errorf("no IHDR chunk")
	}
	return p, nil
}

func probeGIF(raw []byte) (Page, error) {
	if len(raw) < 10 {
		return Page{}, fmt.Errorf("%d bytes", len(raw))
	}
	return Page{Width: int(binary.LittleEndian.Uint16(raw[6:])), Height: int(binary.LittleEndian.Uint16(raw[8:]))}, nil
}

// probeJPEG walks the segments before the pixels.
func probeJPEG(raw []byte) (Page, error) {
	var p Page
	for at := 2; at+4 <= len(raw); {
		if raw[at] != 0xFF {
			return p, fmt.Errorf("no marker at byte %d", at)
		}
		marker := raw[at+1]
		if marker == 0xFF || marker == 0x01 || marker >= 0xD0 && marker <= 0xD8 { // fill, or a marker that stands alone
			at++
			if marker != 0xFF {
				at++
			}
			continue
		}
		size := int(binary.BigEndian.Uint16(raw[at+2:]))
		if size < 2 || at+2+size > len(raw) {
			return p, fmt.Errorf("segment %#x ends beyond the file", marker)
		}
		data := raw[at+4 : at+2+size]
		switch {
		case marker == 0xE0 && len(data) >= 12 && string(data[:5]) == "JFIF\x00":
			p.DPI = jfifDPI(data)
		case marker == 0xE1 && bytes.HasPrefix(data, []byte("Exif\x00\x00")):
			p.Orientation = exifOrientation(data[6:])
		case marker >= 0xC0 && marker <= 0xCF && !slices.Contains([]byte{0xC4, 0xC8, 0xCC}, marker) && len(data) >= 5:
			p.Height, p.Width = int(binary.BigEndian.Uint16(data[1:])), int(binary.BigEndian.Uint16(data[3:]))
			return p, nil
		case marker == 0xDA || marker == 0xD9:
			return p, fmt.Errorf("pixels without a frame header")
		}
		at += 2 + size
	}
	return p, fmt.Errorf("no frame header")
}

func jfifDPI(data []byte) int {
	density := int(binary.BigEndian.Uint16(data[10:]))
	switch data[7] {
	case 1:
		return density
	case 2: // per centimetre
		return (density*254 + 50) / 100
	}
	return 0
}
