package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// faxMark says which pixels of the pages of fax.tif are black.
func faxMark(x, y int) bool { return y < 7 && x < 15 || x == 50 && y == 25 }

// Each way to pack a fax, and no packing and LZW, with 0 for white and for black,
// bits from both ends, in one strip and in four: all pages are the same picture.
func TestFax(t *testing.T) {
	raw, render := testdata(t, "fax.tif"), engine(t)
	info, err := Probe(raw)
	if err != nil || len(info.Pages) != 64 {
		t.Fatalf("%d pages, %v", len(info.Pages), err)
	}
	for no := range info.Pages {
		g, _, err := Decode(raw, no+1, render)
		if err != nil || g.Rect != image.Rect(0, 0, 60, 31) {
			t.Errorf("page %d: %v", no+1, err)
			continue
		}
		wrong := 0
		for y := range 31 {
			for x := range 60 {
				if dark(g, x, y) != faxMark(x, y) {
					wrong++
				}
			}
		}
		if wrong > 0 {
			t.Errorf("page %d: %d pixels are wrong", no+1, wrong)
		}
	}
	cut := bytes.Clone(raw[:len(raw)-len(raw)/2])
	at := binary.LittleEndian.Uint32(cut[4:])
	for i := range uint32(binary.LittleEndian.Uint16(cut[at:])) {
		if entry := cut[at+2+12*i:]; binary.LittleEndian.Uint16(entry) == tagStripCounts {
			binary.LittleEndian.PutUint32(entry[8:], uint32(len(cut)))
		}
	}
	reason(t, "a strip that ends beyond the file", cut, fault.Malformed)
	le, tags := binary.LittleEndian, map[uint16]uint32{} // of the second page, in four strips
	again := bytes.Clone(raw)
	for at, n := info.Pages[1].offset+2, le.Uint16(again[info.Pages[1].offset:]); n > 0; at, n = at+12, n-1 {
		tags[le.Uint16(again[at:])] = at
	}
	for _, tag := range []uint16{tagStripOffsets, tagStripCounts} { // four times the same half of the file
		entry := again[tags[tag]:]
		le.PutUint16(entry[2:], typeLong)
		le.PutUint32(entry[8:], uint32(len(again)))
		for range 4 {
			again = le.AppendUint32(again, uint32(len(raw)/2))
		}
	}
	le.PutUint32(again[4:], info.Pages[1].offset)
	if _, _, err := Decode(again, 1, render); err == nil || !strings.Contains(err.Error(), "overlap") {
		t.Errorf("strips that overlap: %v", err)
	}
}
