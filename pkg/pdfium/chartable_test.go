package pdfium

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestCharTable reads every character of real documents out of the memory and
// by asking, and expects the same.
func TestCharTable(t *testing.T) {
	for _, name := range []string{"watershed-report.pdf", "regulamento-conselho-aguas.pdf"} {
		raw, err := os.ReadFile(filepath.Join("..", "..", "test", "documents", name))
		if err != nil {
			t.Fatal(err)
		}
		d := load(t, raw)
		for index := range min(d.PageCount(), 8) {
			p := page(t, d, index)
			n, err := p.CountChars()
			if err != nil {
				t.Fatal(err)
			}
			r := newCharReader(p, n)
			if n == 0 || r.table.count != uint32(n) {
				t.Fatalf("%s, page %d: the table has %d of %d characters", name, index+1, r.table.count, n)
			}
			for i := range n {
				if !r.agrees(i) {
					t.Fatalf("%s, page %d, character %d: the table has %+v, the engine says %+v",
						name, index+1, i, r.seen, r.ask(uint64(i)))
				}
			}
		}
	}
}

// TestCharTableDoubted expects that a table that is not what the engine says is
// left alone, and that asking gives the same characters.
func TestCharTableDoubted(t *testing.T) {
	d := load(t, simple("Two words\nand a second line"))
	p := page(t, d, 0)
	want, _ := chars(t, p)
	n := len(want)
	table := func(change func(*charTable)) charTable {
		c := newCharTable(slices.Clone(d.engine.view()), uint32(p.text))
		change(&c)
		return c
	}
	for name, doubted := range map[string]charTable{
		"another count":         table(func(c *charTable) { c.count++ }),
		"blocks elsewhere":      table(func(c *charTable) { c.blocks += 4 }),
		"blocks nowhere":        table(func(c *charTable) { c.blocks = 1<<32 - 4 }),
		"another start":         table(func(c *charTable) { c.start++ }),
		"no memory":             table(func(c *charTable) { c.memory = nil }),
		"another rune":          table(func(c *charTable) { c.record(0)[recordRune]++ }),
		"another place":         table(func(c *charTable) { c.record(uint32(n - 1))[recordOrigin]++ }),
		"another matrix":        table(func(c *charTable) { c.record(uint32(n / 2))[recordMatrix]++ }),
		"another box":           table(func(c *charTable) { c.record(0)[recordBox]++ }),
		"another object":        table(func(c *charTable) { c.record(0)[recordObject]++ }),
		"what the engine holds": table(func(*charTable) {}),
	} {
		r := newCharReader(p, n)
		r.relyOn(doubted, n)
		if relied := r.table.count != 0; relied != (name == "what the engine holds") {
			t.Errorf("%s: relied on: %v", name, relied)
		}
		for i := range n {
			var got Char
			if r.read(&got, i); got != want[i] {
				t.Errorf("%s: character %d is %+v, want %+v", name, i, got, want[i])
			}
		}
	}
}

// FuzzCharTable reads a table out of any memory: what lies outside is not there.
func FuzzCharTable(f *testing.F) {
	memory := make([]byte, 4096)
	binary.LittleEndian.PutUint32(memory[8+tableBlocks:], 64)
	binary.LittleEndian.PutUint32(memory[8+tableCount:], 51)
	binary.LittleEndian.PutUint32(memory[64:], 16)
	f.Add(memory, uint32(8), uint32(50))
	f.Add(memory, uint32(8), uint32(0))
	f.Add([]byte{}, uint32(1<<32-1), uint32(1<<32-1))
	f.Fuzz(func(_ *testing.T, memory []byte, page, i uint32) {
		table := newCharTable(memory, page)
		if r := table.record(i); r != nil {
			glyphOf(&glyph{}, r)
			matrixOf(r)
		}
	})
}
