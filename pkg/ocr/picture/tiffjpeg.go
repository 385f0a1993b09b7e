package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"slices"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// Tags of a TIFF page that is packed as JPEG (TIFF Technical Note 2).
const (
	tagCompression  = 259
	tagPhotometric  = 262
	tagStripOffsets = 273
	tagRowsPerStrip = 278
	tagStripCounts  = 279
	tagTileWidth    = 322
	tagTileHeight   = 323
	tagTileOffsets  = 324
	tagTileCounts   = 325
	tagTables       = 347

	compressionJPEG = 7
	photometricRGB  = 2
)

var errStrips = errors.New("strips or tiles that are not there")

// jpegPage decodes a page whose strips or tiles are JPEG pictures.
func jpegPage(raw []byte, p Page, tags map[uint16][]int) (*image.Gray, error) {
	parts, err := strips(raw, tags)
	if err != nil {
		return nil, err
	}
	width, height := first(tags[tagTileWidth]), first(tags[tagTileHeight])
	if len(tags[tagTileOffsets]) == 0 {
		width, height = p.Width, first(tags[tagRowsPerStrip])
		if height < 1 || height > p.Height {
			height = p.Height
		}
	}
	if width < 1 || height < 1 || width > MaxPixels || height > MaxPixels {
		return nil, fmt.Errorf("%w: %d x %d pixels each", errStrips, width, height)
	}
	across, down := (p.Width+width-1)/width, (p.Height+height-1)/height
	if len(parts) < across*down {
		return nil, fmt.Errorf("%w: %d of %d", errStrips, len(parts), across*down)
	}
	tables := tags[tagTables]
	out := image.NewGray(image.Rect(0, 0, p.Width, p.Height))
	for i := range across * down {
		if len(parts[i]) < 4 {
			return nil, fmt.Errorf("%w: number %d has %d bytes", errStrips, i+1, len(parts[i]))
		}
		whole := abbreviated(tables, parts[i], first(tags[tagPhotometric]) == photometricRGB)
		config, err := jpeg.DecodeConfig(bytes.NewReader(whole))
		if err != nil {
			return nil, err
		}
		if config.Width > width || config.Height > height {
			return nil, fmt.Errorf("%w: number %d has %d x %d pixels", errStrips, i+1, config.Width, config.Height)
		}
		if config.Width > MaxPixels/max(config.Height, 1) {
			return nil, &Error{fault.LimitExceeded, fmt.Sprintf("strip or tile %d has %d x %d pixels, limit %d in all", i+1, config.Width, config.Height, MaxPixels)}
		}
		part, err := jpeg.Decode(bytes.NewReader(whole))
		if err != nil {
			return nil, err
		}
		at := image.Pt(i%across*width, i/across*height)
		grey := Gray(part)
		draw.Draw(out, grey.Rect.Add(at), grey, image.Point{}, draw.Src)
	}
	return out, nil
}

// abbreviated joins the tables that all strips share with one of them. Colours
// that are red, green and blue already are marked so (Adobe's marker).
func abbreviated(tables []int, strip []byte, rgb bool) []byte {
	out := []byte{0xFF, 0xD8}
	if rgb {
		out = append(out, 0xFF, 0xEE, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 0)
	}
	if n := len(tables); n > 4 {
		for _, b := range tables[2 : n-2] {
			out = append(out, byte(b))
		}
	}
	return append(out, strip[2:]...)
}

func first(values []int) int {
	if len(values) == 0 {
		return 0
	}
	return values[0]
}

// lists returns the tags above that the directory at an offset has, with all
// their numbers.
func (d directories) lists(offset uint32) (map[uint16][]int, error) {
	at := int64(offset)
	if at < 8 || at+2 > int64(len(d.raw)) {
		return nil, fmt.Errorf("%w at byte %d", errDirectory, offset)
	}
	end := at + 2 + 12*int64(d.order.Uint16(d.raw[at:]))
	if end > int64(len(d.raw)) {
		return nil, fmt.Errorf("%w at byte %d", errDirectory, offset)
	}
	out := map[uint16][]int{}
	for at += 2; at < end; at += 12 {
		entry := d.raw[at:]
		tag := d.order.Uint16(entry)
		if !slices.Contains([]uint16{tagCompression, tagPhotometric, tagStripOffsets, tagRowsPerStrip, tagStripCounts,
			tagTileWidth, tagTileHeight, tagTileOffsets, tagTileCounts, tagTables, tagFillOrder, tagT4Options}, tag) {
			continue
		}
		size := map[uint16]int64{typeByte: 1, typeShort: 2, typeLong: 4, typeUndefined: 1}[d.order.Uint16(entry[2:])]
		n := int64(d.order.Uint32(entry[4:]))
		from := at + 8
		if size*n > 4 {
			from = int64(d.order.Uint32(entry[8:]))
		}
		if size == 0 || from+size*n > int64(len(d.raw)) {
			continue
		}
		values := make([]int, n)
		for i := range values {
			switch data := d.raw[from+int64(i)*size:]; size {
			case 1:
				values[i] = int(data[0])
			case 2:
				values[i] = int(d.order.Uint16(data))
			default:
				values[i] = int(d.order.Uint32(data))
			}
		}
		out[tag] = values
	}
	return out, nil
}
