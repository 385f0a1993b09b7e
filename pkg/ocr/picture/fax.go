package picture

import (
	"bytes"
	"fmt"
	"image"
	"math/bits"

	"golang.org/x/image/tiff"
)

// Tags of a TIFF page that is packed as fax, and what they say (TIFF 6.0,
// sections 10 and 11).
const (
	tagFillOrder = 266
	tagT4Options = 292

	compressionRows   = 2 // each row by itself, from a byte on
	compressionGroup3 = 3
	compressionGroup4 = 4

	photometricBlackIsZero = 1
	lowBitsFirst           = 2 // of tagFillOrder
	byRowsAbove            = 1 // of tagT4Options: rows are told from those above them
)

// tiffPage decodes a page of a TIFF file.
func tiffPage(raw []byte, p Page, render Render) (image.Image, error) {
	d, _, err := directoriesOf(raw)
	if err != nil {
		return nil, err
	}
	tags, err := d.lists(p.offset)
	if err != nil {
		return nil, err
	}
	switch compression := first(tags[tagCompression]); compression {
	case compressionJPEG:
		return jpegPage(raw, p, tags)
	case compressionRows, compressionGroup3:
		return faxPage(raw, p, tags, render)
	default:
		m, err := tiff.Decode(bytes.NewReader(d.alone(p, tags)))
		if g, ok := m.(*image.Gray); ok && compression == compressionGroup4 && first(tags[tagPhotometric]) == photometricBlackIsZero {
			for i, v := range g.Pix { // the decoder takes what fax calls white for white
				g.Pix[i] = 255 - v
			}
		}
		return m, err
	}
}

// strips returns the bytes of the strips or tiles of a page, which are no more than
// those of the file.
func strips(raw []byte, tags map[uint16][]int) ([][]byte, error) {
	offsets, counts := tags[tagTileOffsets], tags[tagTileCounts]
	if len(offsets) == 0 {
		offsets, counts = tags[tagStripOffsets], tags[tagStripCounts]
	}
	if len(offsets) != len(counts) {
		return nil, fmt.Errorf("%w: %d begin and %d have a length", errStrips, len(offsets), len(counts))
	}
	out, all := make([][]byte, len(offsets)), 0
	for i, from := range offsets {
		if n := counts[i]; from < 0 || n < 0 || from+n > len(raw) {
			return nil, fmt.Errorf("%w: number %d at byte %d", errStrips, i+1, from)
		}
		out[i] = raw[from : from+counts[i]]
		if all += len(out[i]); all > len(raw) {
			return nil, fmt.Errorf("%w: they overlap", errStrips)
		}
	}
	return out, nil
}

// turnBits turns the bits of each byte about.
func turnBits(data []byte) {
	for i, b := range data {
		data[i] = bits.Reverse8(b)
	}
}

// faxPage has a page drawn whose rows are packed one by one, or as those that
// differ from the row above: the strips behind each other are one picture, which
// engines for PDF files read.
func faxPage(raw []byte, p Page, tags map[uint16][]int, render Render) (image.Image, error) {
	parts, err := strips(raw, tags)
	if err != nil {
		return nil, err
	}
	if len(parts) == 0 || len(tags[tagTileOffsets]) > 0 {
		return nil, fmt.Errorf("%w: a fax without strips", errStrips)
	}
	data := bytes.Join(parts, nil)
	if first(tags[tagFillOrder]) == lowBitsFirst {
		turnBits(data)
	}
	above := 0
	if first(tags[tagCompression]) == compressionGroup3 {
		above = first(tags[tagT4Options]) & byRowsAbove
	}
	return render(inPDF(p.Width, p.Height, fmt.Sprintf("/Filter /CCITTFaxDecode /BitsPerComponent 1 /ColorSpace /DeviceGray "+
		"/DecodeParms << /K %d /Columns %d /Rows %d /EncodedByteAlign %t /BlackIs1 %t >>", above, p.Width, p.Height,
		first(tags[tagCompression]) == compressionRows, first(tags[tagPhotometric]) == photometricBlackIsZero), data))
}
