package pdfium

import (
	"encoding/binary"
	"math"
)

// charTable reads what the engine knows of each character out of the instance's
// memory, where asking would take five calls a character. How the engine lays
// its table out is no part of its interface: it is that of [Version], and
// charReader checks every page's table against the engine's own answers before
// it relies on it.
//
// The table is a deque of libc++: blocks of 51 records, and a list of blocks.
type charTable struct {
	memory []byte // of the instance, as long as no call makes it grow
	blocks uint32 // address of the list of the blocks' addresses
	start  uint32 // records that the first block leaves unused
	count  uint32
}

// Offsets in the text page (core/fpdftext/cpdf_textpage.h), in bytes.
const (
	tableBlocks = 20
	tableStart  = 32
	tableCount  = 36
	tableEnd    = 40
)

// Offsets in a record, in bytes: numbers of 32 bits, but for the kind.
const (
	recordKind   = 0
	recordRune   = 4
	recordOrigin = 12 // x, y
	recordBox    = 36 // left, bottom, right, top; 20 holds the tight one
	recordMatrix = 52
	recordObject = 76
	recordSize   = 80

	blockRecords = 4096 / recordSize
)

// newCharTable finds the table of a text page. It has no characters when
// something does not lie inside the memory.
func newCharTable(memory []byte, textPage uint32) charTable {
	t := charTable{memory: memory}
	if head := t.slice(textPage, tableEnd); head != nil {
		t.blocks = binary.LittleEndian.Uint32(head[tableBlocks:])
		t.start = binary.LittleEndian.Uint32(head[tableStart:])
		t.count = binary.LittleEndian.Uint32(head[tableCount:])
	}
	return t
}

// slice returns size bytes from address at, nil outside of the memory.
func (t *charTable) slice(at, size uint32) []byte {
	end := uint64(at) + uint64(size)
	if end > uint64(len(t.memory)) {
		return nil
	}
	return t.memory[at:end:end]
}

// record returns character i, nil when it is not there.
func (t *charTable) record(i uint32) record {
	if i >= t.count {
		return nil
	}
	at := uint64(t.start) + uint64(i)
	entry := uint64(t.blocks) + 4*(at/blockRecords)
	if entry > math.MaxUint32 {
		return nil
	}
	b := t.slice(uint32(entry), 4)
	if b == nil {
		return nil
	}
	block := uint64(binary.LittleEndian.Uint32(b)) + at%blockRecords*recordSize
	if block > math.MaxUint32 {
		return nil
	}
	if b = t.slice(uint32(block), recordSize); b == nil {
		return nil
	}
	return record(b)
}

// record is one character of the table.
type record *[recordSize]byte

func number(r record, at int) uint32 { return binary.LittleEndian.Uint32(r[at : at+4]) }
func float(r record, at int) float64 { return float64(math.Float32frombits(number(r, at))) }

func matrixOf(r record) matrix {
	const at = recordMatrix
	return matrix{
		a: float(r, at), b: float(r, at+4), c: float(r, at+8),
		d: float(r, at+12), e: float(r, at+16), f: float(r, at+20),
	}
}

// glyphOf sets g, but for its kind, to what the record says.
func glyphOf(g *glyph, r record) {
	g.rune = rune(number(r, recordRune))
	g.object = uint64(number(r, recordObject))
	g.box = Rect{
		Left: float(r, recordBox), Bottom: float(r, recordBox+4),
		Right: float(r, recordBox+8), Top: float(r, recordBox+12),
	}
	if !(g.box.Left < g.box.Right && g.box.Bottom < g.box.Top) {
		g.box = g.box.normal()
	}
	g.origin = Point{X: float(r, recordOrigin), Y: float(r, recordOrigin+4)}
}
