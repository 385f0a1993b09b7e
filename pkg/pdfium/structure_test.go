package pdfium

import (
	"fmt"
	"slices"
	"testing"
)

// tagged is a page whose second line is a heading in its tags, and whose third
// has none.
func tagged(marked string) []byte {
	var w writer
	page := w.page("/MediaBox [0 0 612 792] /StructParents 0 "+helvetica,
		"/P << /MCID 0 >> BDC BT /F 12 Tf 72 700 Td (text) Tj ET EMC /H1 << /MCID 1 >> BDC BT /F 12 Tf 72 720 Td (head) Tj ET EMC BT /F 12 Tf 72 20 Td (7) Tj ET")
	tree := page + 5
	first := w.add(fmt.Sprintf("<< /Type /StructElem /S /P /P %d 0 R /Pg %d 0 R /K 0 >>", page+3, page))
	second := w.add(fmt.Sprintf("<< /Type /StructElem /S /H1 /Alt (said aloud) /P %d 0 R /Pg %d 0 R /K 1 >>", page+3, page))
	w.add(fmt.Sprintf("<< /Type /StructElem /S /Document /P %d 0 R /K [%d 0 R %d 0 R] >>", tree, second, first))
	parents := w.add(fmt.Sprintf("<< /Nums [0 [%d 0 R %d 0 R]] >>", first, second))
	w.add(fmt.Sprintf("<< /Type /StructTreeRoot /K %d 0 R /ParentTree %d 0 R >>", page+3, parents))
	w.catalog = fmt.Sprintf("/MarkInfo << /Marked %s >> /StructTreeRoot %d 0 R", marked, tree)
	return w.bytes()
}

func TestStructure(t *testing.T) {
	for marked, want := range map[string][]Content{"true": {{Mark: 1, Element: 1}, {Mark: 0, Element: 2}}, "false": nil} {
		d, err := engines.Load(tagged(marked), "")
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		p, err := d.Page(0)
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.Structure()
		if err != nil || !slices.Equal(s.Contents, want) {
			t.Errorf("marked %s: %+v, %v", marked, s, err)
		}
		if want == nil {
			continue
		}
		if s.Elements[0] != (Element{Type: "Document", Parent: -1}) || s.Elements[1] != (Element{Type: "H1", Alt: "said aloud", Parent: 0}) {
			t.Errorf("%+v", s.Elements)
		}
		chars, _, err := p.Chars()
		if err != nil {
			t.Fatal(err)
		}
		marks := map[rune]int{}
		for _, c := range chars {
			marks[c.Rune] = c.Mark
		}
		if marks['x'] != 0 || marks['h'] != 1 || marks['7'] != -1 {
			t.Errorf("%v", marks)
		}
	}
}
