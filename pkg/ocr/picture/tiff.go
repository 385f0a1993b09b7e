package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// Tags of a TIFF directory (TIFF 6.0).
const (
	tagWidth       = 256
	tagHeight      = 257
	tagOrientation = 274
	tagYResolution = 283
	tagUnit        = 296
)

// Types of a TIFF value.
const (
	typeByte      = 1
	typeShort     = 3
	typeLong      = 4
	typeRational  = 5
	typeUndefined = 7
)

var errDirectory = errors.New("broken directory")

// directories is a TIFF file by its directories; EXIF data are one too.
type directories struct {
	raw   []byte
	order binary.ByteOrder
}

func directoriesOf(raw []byte) (d directories, first uint32, err error) {
	d.raw = raw
	if len(raw) < 8 {
		return d, 0, fmt.Errorf("%w: %d bytes", errDirectory, len(raw))
	}
	switch string(raw[:4]) {
	case "II*\x00":
		d.order = binary.LittleEndian
	case "MM\x00*":
		d.order = binary.BigEndian
	default:
		return d, 0, fmt.Errorf("%w: no byte order", errDirectory)
	}
	return d, d.order.Uint32(raw[4:]), nil
}

// entries calls each with the tags of the directory at an offset that have one
// number as their value, and returns the offset of the next directory.
func (d directories) entries(offset uint32, each func(tag uint16, value uint32)) (next uint32, err error) {
	at := int64(offset)
	if at < 8 || at+2 > int64(len(d.raw)) {
		return 0, fmt.Errorf("%w at byte %d", errDirectory, offset)
	}
	n := int64(d.order.Uint16(d.raw[at:]))
	end := at + 2 + 12*n
	if n == 0 || end+4 > int64(len(d.raw)) {
		return 0, fmt.Errorf("%w at byte %d: %d entries", errDirectory, offset, n)
	}
	for at += 2; at < end; at += 12 {
		entry := d.raw[at:]
		if d.order.Uint32(entry[4:]) != 1 {
			continue
		}
		switch d.order.Uint16(entry[2:]) {
		case typeShort:
			each(d.order.Uint16(entry), uint32(d.order.Uint16(entry[8:])))
		case typeLong:
			each(d.order.Uint16(entry), d.order.Uint32(entry[8:]))
		case typeRational:
			if p := int64(d.order.Uint32(entry[8:])); p+8 <= int64(len(d.raw)) {
				if q := d.order.Uint32(d.raw[p+4:]); q > 0 {
					each(d.order.Uint16(entry), d.order.Uint32(d.raw[p:])/q)
				}
			}
		}
	}
	return d.order.Uint32(d.raw[end:]), nil
}

// probeTIFF walks the chain of directories.
func probeTIFF(raw []byte) ([]Page, error) {
	d, offset, err := directoriesOf(raw)
	if err != nil {
		return nil, err
	}
	var pages []Page
	seen := map[uint32]bool{}
	for offset != 0 {
		if seen[offset] {
			return nil, fmt.Errorf("the directory at byte %d comes twice", offset)
		}
		if len(pages) == MaxPages {
			return nil, &Error{fault.LimitExceeded, fmt.Sprintf("a TIFF picture of more than %d pages", MaxPages)}
		}
		seen[offset] = true
		p := Page{offset: offset}
		unit := uint32(2)
		next, err := d.entries(offset, func(tag uint16, value uint32) {
			switch tag {
			case tagWidth:
				p.Width = int(min(value, 1<<31-1))
			case tagHeight:
				p.Height = int(min(value, 1<<31-1))
			case tagOrientation:
				p.Orientation = int(min(value, 255))
			case tagYResolution:
				p.DPI = int(min(value, 1<<20))
			case tagUnit:
				unit = value
			}
		})
		if err != nil {
			if len(pages) > 0 { // what was found before the break can be read
				return pages, nil
			}
			return nil, err
		}
		switch unit {
		case 3: // per centimetre
			p.DPI = (p.DPI*254 + 50) / 100
		case 1:
			p.DPI = 0
		}
		pages = append(pages, p)
		offset = next
	}
	if len(pages) == 0 {
		return nil, errDirectory
	}
	return pages, nil
}

// exifOrientation is 0 when the data do not say.
func exifOrientation(data []byte) int {
	d, first, err := directoriesOf(data)
	if err != nil {
		return 0
	}
	orientation := 0
	if _, err := d.entries(first, func(tag uint16, value uint32) {
		if tag == tagOrientation {
			orientation = int(min(value, 255))
		}
	}); err != nil {
		return 0
	}
	return orientation
}

// alone returns the file with the page's directory as its first, the bits of its
// bytes in the usual order.
func (d directories) alone(p Page, tags map[uint16][]int) []byte {
	out := bytes.Clone(d.raw)
	d.order.PutUint32(out[4:], p.offset)
	if first(tags[tagFillOrder]) != lowBitsFirst {
		return out
	}
	parts, err := strips(out, tags)
	if err != nil {
		return out // which says so, when it is decoded
	}
	for _, part := range parts {
		turnBits(part)
	}
	at := int(p.offset) + 2
	for range d.order.Uint16(out[p.offset:]) {
		if d.order.Uint16(out[at:]) == tagFillOrder {
			d.order.PutUint16(out[at+8:], 1)
		}
		at += 12
	}
	return out
}
