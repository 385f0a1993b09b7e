package pdf

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/model"
)

// mapped adds font /M, whose codes from "A" on stand for the given texts, one
// each.
func (w *writer) mapped(texts ...string) {
	var cmap strings.Builder
	fmt.Fprintf(&cmap, "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n1 begincodespacerange <00> <FF> endcodespacerange\n%d beginbfchar\n", len(texts))
	for i, text := range texts {
		fmt.Fprintf(&cmap, "<%02X> <", 'A'+i)
		for _, r := range text {
			fmt.Fprintf(&cmap, "%04X", r)
		}
		cmap.WriteString(">\n")
	}
	cmap.WriteString("endbfchar\nendcmap end end")
	n := w.stream("", cmap.String())
	w.fonts += fmt.Sprintf("/M << /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding /ToUnicode %d 0 R >> ", n)
}

// said returns type and text of each block.
func said(blocks []block.Block) []string {
	var out []string
	for _, b := range blocks {
		out = append(out, fmt.Sprintf("%s: %s", b.Type, b.Text))
	}
	return out
}

func find(t *testing.T, blocks []block.Block, text string) *block.Block {
	t.Helper()
	for i := range blocks {
		if strings.Contains(blocks[i].Text, text) {
			return &blocks[i]
		}
	}
	t.Fatalf("no block says %q: %q", text, said(blocks))
	return nil
}

func one(w *writer, content string) []byte {
	w.page(letter, content)
	return w.bytes()
}

// fill are lines of running text.
func fill(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("line %d of the text speaks of the river and of the weirs above it, and", i+1)
	}
	out[n-1] = "ends here."
	return out
}

// odd are documents with what is rare: scripts that run to the left, accents and
// hyphens of all kinds, initials, columns, tags, drawings.
func odd() map[string][]byte {
	out := map[string][]byte{"tagged": tagged(), "columns of one paragraph": twoColumns(), "accents": accents(), "drawing": drawn()}
	for name, content := range hebrew {
		var w writer
		w.mapped(shalom...)
		out[name] = one(&w, content)
	}
	return out
}

// shalom are the letters of codes A to I.
var shalom = []string{"ש", "ל", "ו", "ם", " ", "ע", "ו", "ל", "ם"}

// hebrew says the same in the orders in which programs draw it.
var hebrew = map[string]string{
	"drawn from the left, as it is seen": "BT /M 12 Tf 300 700 Td (IHGFEDCBA) Tj ET",
	"drawn from the right, letter by letter": "BT /M 12 Tf 400 700 Td (A) Tj -7.2 0 Td (B) Tj -7.2 0 Td (C) Tj -7.2 0 Td (D) Tj " +
		"-14.4 0 Td (F) Tj -7.2 0 Td (G) Tj -7.2 0 Td (H) Tj -7.2 0 Td (I) Tj ET",
	"word by word from the right": "BT /M 12 Tf 400 700 Td (DCBA) Tj -36 0 Td (IHGF) Tj ET",
}

func TestRightToLeft(t *testing.T) {
	const want = "שלום עולם"
	for name, content := range hebrew {
		var w writer
		w.mapped(shalom...)
		if got := said(pageOf(t, one(&w, content), 1).Blocks); !slices.Equal(got, []string{"paragraph: " + want}) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	var w writer
	w.mapped("ש", "ל", "ו", "ם", "(", ")", "1", "2", " ")
	content := "BT /M 12 Tf 300 700 Td (GHIEABFIDCBA) Tj ET" // seen: 12 (של) שלום backwards
	got := said(pageOf(t, one(&w, content), 1).Blocks)
	if len(got) != 1 || !strings.HasPrefix(got[0], "paragraph: שלום (") || !strings.HasSuffix(got[0], ") 12") {
		t.Errorf("brackets and numbers: %q", got)
	}
}

func TestOneGlyphForSeveralLetters(t *testing.T) {
	var w writer
	w.mapped("ﬁ", "ffi", "e", "c", "t", "o")
	page := pageOf(t, one(&w, "BT /M 12 Tf 72 700 Td (FBDC) Tj 100 0 Td (AE) Tj ET"), 1)
	if b := find(t, page.Blocks, "office"); b.Text != "office" && !strings.HasPrefix(b.Text, "office ") {
		t.Errorf("%q", b.Text)
	}
	find(t, page.Blocks, "fit"[:2])
	if a := page.Ledger.Characters; a.Failed != 0 || a.Placed != a.Found {
		t.Errorf("%+v", a)
	}
}

// accents draws an acute over an e.
func accents() []byte {
	var w writer
	return one(&w, "BT /R 12 Tf 72 700 Td (caf) Tj ET BT /R 12 Tf 89 700 Td (e) Tj ET BT /R 12 Tf 90.3 700 Td (\\264) Tj ET BT /R 12 Tf 100 700 Td (du port) Tj ET")
}

func TestAccentsDrawnApart(t *testing.T) {
	b := find(t, pageOf(t, accents(), 1).Blocks, "caf")
	if b.Text != "café du port" || !slices.Contains(b.Flags, FlagMapped) {
		t.Errorf("%q %v", b.Text, b.Flags)
	}
}

// A letter without its dot and an accent over it are the letter with the accent.
func TestAccentOverADotlessLetter(t *testing.T) {
	var w writer
	w.mapped("ı", "´")
	b := find(t, pageOf(t, one(&w, "BT /R 12 Tf 72 700 Td (Caf) Tj /M 12 Tf 89 0 Td (A) Tj -0.2 0 Td (B) Tj ET"), 1).Blocks, "Caf")
	if b.Text != "Caf í" {
		t.Errorf("%q", b.Text)
	}
}

// Letters that the file slants are upright text.
func TestSlantedLetters(t *testing.T) {
	var w writer
	blocks := pageOf(t, one(&w, "BT /R 12 Tf 72 700 Td (A name ) Tj 1 0 0.25 1 118 700 Tm (in slanted letters) Tj 1 0 0 1 214 700 Tm ( goes on) Tj ET"), 1).Blocks
	if got := said(blocks); len(got) != 1 || got[0] != "paragraph: A name in slanted letters goes on" || len(blocks[0].Flags) > 0 {
		t.Errorf("%q %v", got, blocks[0].Flags)
	}
}

func TestSoftHyphens(t *testing.T) {
	var w writer
	w.mapped("\u00AD")
	content := "BT /R 11 Tf 72 700 Td (all the water of the valley flows through the com) Tj /M 11 Tf (A) Tj /R 11 Tf 0 -13.2 Td (munity of the far) Tj /M 1 Tf (A) Tj /R 11 Tf (mers.) Tj ET"
	b := find(t, pageOf(t, one(&w, content), 1).Blocks, "water")
	if !strings.HasSuffix(b.Text, "the community of the farmers.") || !strings.Contains(b.TextPrinted, "com") || b.TextPrinted == b.Text {
		t.Errorf("%q, printed %q", b.Text, b.TextPrinted)
	}
}

func TestLetterSpacingAndScripts(t *testing.T) {
	var w writer
	content := "BT /B 16 Tf 6 Tc 72 720 Td (ANNUAL REPORT) Tj ET BT 0 Tc /R 11 Tf 72 690 Td (The weir holds 300 m) Tj /R 7 Tf 4 Ts (3) Tj 0 Ts ET " +
		"BT /R 11 Tf 182 690 Td (of water and H) Tj ET BT /R 7 Tf 253 687 Td (2) Tj ET BT /R 11 Tf 257 690 Td (O is what it is.) Tj ET"
	blocks := pageOf(t, one(&w, content), 1).Blocks
	if b := find(t, blocks, "ANNUAL"); b.Text != "ANNUAL REPORT" || b.Type != model.UnitHeading {
		t.Errorf("letter-spaced heading: %s %q", b.Type, b.Text)
	}
	if b := find(t, blocks, "The weir"); !strings.Contains(b.Text, "H2O is") || !strings.Contains(b.Text, "m3") {
		t.Errorf("raised and lowered characters: %q", b.Text)
	}
}

func TestDropCap(t *testing.T) {
	var c canvas
	c.text("R", 33, 72, 676, "T")
	c.text("R", 11, 94, 700, "he river rises above the village and runs for eleven kilometres", "through the land of the valley before it meets the sea. Its", "water was shared by all from the beginning on.")
	c.text("R", 11, 72, 660.4, "In the year of the flood the upper weir broke, and had to be built again.")
	if b := find(t, pageOf(t, document(c.String()), 1).Blocks, "river rises"); !strings.HasPrefix(b.Text, "The river rises") {
		t.Errorf("%q", b.Text)
	}
}

func TestSidebar(t *testing.T) {
	var c canvas
	body := fill(9)
	c.text("R", 11, 72, 700, body[:4]...)
	c.text("R", 9, 470, 700, "Beside the text", "stands what is", "good to know", "about the river.")
	c.text("R", 11, 72, 700-4*13.2, body[4:]...)
	got := said(pageOf(t, document(c.String()), 1).Blocks)
	if len(got) != 2 || strings.Count(strings.Join(got, "\n"), "Beside the text stands what is good to know about the river.") != 1 {
		t.Errorf("a text with a sidebar drawn in its middle: %q", got)
	}
}

// twoColumns is a page with one paragraph in two columns.
func twoColumns() []byte {
	var c canvas
	left, right := fill(12), fill(12)
	for i := range left {
		left[i], right[i] = "words of the left column that go on and", "words of the right column as they go on"
	}
	right[11] = "it ends."
	c.text("R", 10, 72, 700, left...)
	c.text("R", 10, 290, 700, right...)
	return document(c.String())
}

func TestParagraphsAcrossColumns(t *testing.T) {
	got := said(pageOf(t, twoColumns(), 1).Blocks)
	if len(got) != 1 || !strings.Contains(got[0], "left column that go on and words of the right") {
		t.Errorf("%d blocks: %q", len(got), got)
	}
}

func TestParagraphsAcrossPages(t *testing.T) {
	var w writer
	var first, second canvas
	first.text("R", 11, 72, 720, "Some say that their").text("R", 11, 72, 690, strings.Split(strings.Repeat("the water of the valley is shared by all who live along the river and\n", 45), "\n")[:45]...)
	second.text("R", 11, 72, 720, "by those who come to see it.", "")
	second.text("R", 11, 72, 690, "Another paragraph begins here.")
	w.page(letter, first.String())
	w.page(letter, second.String())
	raw := w.bytes()
	a, b := pageOf(t, raw, 1).Blocks, pageOf(t, raw, 2).Blocks
	if last := a[len(a)-1]; !last.Continues || last.Continued {
		t.Errorf("the first half: %d blocks, %v %v", len(a), last.Continues, last.Continued)
	}
	if len(b) != 2 || !b[0].Continued || b[1].Continued {
		t.Errorf("the second half: %q", said(b))
	}
}

// TestTheWordsOfContinues holds what readers of the schemas are told against a paragraph
// that goes over two pages: its first half says that it goes on, its second that it
// goes on from the page before, under the names that are on the wire.
func TestTheWordsOfContinues(t *testing.T) {
	var first, second canvas
	first.text("R", 11, 72, 720, strings.Split("T"+strings.Repeat("the water of the valley is shared by all who live along the river and\n", 48)[1:], "\n")[:48]...)
	second.text("R", 11, 72, 720, "by those who come to see it.")
	raw := document(first.String(), second.String())
	parsed, err := parser.ParseFile(token.NewFileSet(), "../../model/unit.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{} // by name on the wire
	ast.Inspect(parsed, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok && f.Tag != nil && f.Comment != nil {
			name, _, _ := strings.Cut(strings.TrimPrefix(f.Tag.Value, "`json:\""), ",")
			said[name] = strings.TrimSpace(f.Comment.Text())
		}
		return true
	})
	for pageNo, want := range map[int]string{1: "it goes on on the next page", 2: "it goes on from the page before"} {
		found := pageOf(t, raw, pageNo).Blocks
		if len(found) != 1 {
			t.Fatalf("page %d has %d blocks", pageNo, len(found))
		}
		wire, err := json.Marshal(model.Fields{Continues: found[0].Continues, Continued: found[0].Continued})
		if err != nil {
			t.Fatal(err)
		}
		for name, words := range map[string]string{"continues": said["continues"], "continued": said["continued"]} {
			if flagged := strings.Contains(string(wire), `"`+name+`":true`); flagged != (words == want) {
				t.Errorf("page %d: %s is %v, and it is said of it: %s", pageNo, name, flagged, words)
			}
		}
	}
}

func TestHeadsOfChapters(t *testing.T) {
	var w writer
	names := []string{"Rivers", "Weirs", "Fields"}
	for i := range 12 {
		var c canvas
		c.text("I", 9, 72, 760, fmt.Sprint(i+7)).text("I", 9, 480, 760, fmt.Sprintf("%d.%d. %s", 1+i/4, 1, names[i/4]))
		c.text("R", 11, 72, 700, fill(20+i%3)...)
		w.page(letter, c.String())
	}
	raw := w.bytes()
	for pageNo := 1; pageNo <= 12; pageNo++ {
		b := pageOf(t, raw, pageNo).Blocks
		if b[0].Type != model.UnitPageHeader || b[len(b)-1].Type == model.UnitPageHeader || !strings.Contains(b[0].Text+b[1].Text, names[(pageNo-1)/4]) ||
			b[1].Type != model.UnitPageHeader && !strings.Contains(b[0].Text, names[(pageNo-1)/4]) {
			t.Errorf("page %d: %q", pageNo, said(b))
		}
	}
}

// drawn is a page with a drawing with labels and a caption.
func drawn() []byte {
	var w writer
	var c canvas
	c.text("R", 11, 72, 720, "A drawing stands below this line.")
	c.WriteString("200 500 m 250 650 300 650 350 500 c S 220 500 m 260 600 l S 230 500 m 280 620 l S 210 490 m 330 560 l S 200 490 m 350 490 l S\n")
	c.text("R", 9, 240, 600, "flow").text("R", 9, 300, 510, "time")
	c.text("R", 10, 72, 470, "Figure 2: Flow over time")
	return one(&w, c.String())
}

func TestFigures(t *testing.T) {
	page := pageOf(t, drawn(), 1)
	i := slices.IndexFunc(page.Blocks, func(b block.Block) bool { return b.Type == model.UnitFigure })
	if i < 0 {
		t.Fatalf("no figure: %q", said(page.Blocks))
	}
	f := page.Blocks[i]
	if f.Text != "flow\ntime" || !slices.Equal(f.Values["caption"], []string{"Figure 2: Flow over time"}) || f.Evidence[0].CharSpan != nil || len(f.Evidence) != 3 {
		t.Errorf("%q %v %+v", f.Text, f.Values, f.Evidence)
	}
	if d := page.Ledger.Drawings; d.Found != 1 || d.Placed != 1 || d.Failed != 0 {
		t.Errorf("drawings: %+v", d)
	}
}

// tagged is a page whose tags say that its second line is a heading that comes
// first, and what its picture shows.
func tagged() []byte {
	var w writer
	image := w.stream("/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8", "\x7f")
	next := len(w.objects) + 4
	page, root := next+1, next+2
	mark := func(id int, tag, content string) string {
		return fmt.Sprintf("/%s << /MCID %d >> BDC\n%s\nEMC\n", tag, id, content)
	}
	var c strings.Builder
	order := []int{5, 3, 1, 4, 2, 0} // drawn in leaps
	for _, k := range order {
		tag, id := "P", k
		c.WriteString(mark(id, tag, fmt.Sprintf("BT /R 11 Tf 72 %d Td (%s) Tj ET", 700-20*k, []string{
			"What was found", "The first thing that was found is this one.", "The second thing was found a year later.",
			"The third one is not certain.", "The fourth was lost again.", "The fifth is the last one."}[k])))
	}
	c.WriteString(mark(6, "Figure", "q 200 0 0 150 72 400 cm /Im Do Q"))
	w.page(fmt.Sprintf("%s /StructParents 0 /Resources << /Font 3 0 R /XObject << /Im %d 0 R >> >>", letter, image), c.String())
	if len(w.objects)+3 != page {
		panic("objects moved")
	}
	var kids strings.Builder
	for k := range 7 {
		kind := "/S /P"
		switch k {
		case 0:
			kind = "/S /H2"
		case 6:
			kind = "/S /Figure /Alt (A weir in winter)"
		}
		fmt.Fprintf(&kids, "%d 0 R ", w.add(fmt.Sprintf("<< /Type /StructElem %s /P %d 0 R /Pg %d 0 R /K %d >>", kind, root+9, page, k)))
	}
	parents := w.add(fmt.Sprintf("<< /Nums [0 [%s]] >>", kids.String()))
	tree := w.add(fmt.Sprintf("<< /Type /StructTreeRoot /K %d 0 R /ParentTree %d 0 R >>", parents+2, parents))
	w.add(fmt.Sprintf("<< /Type /StructElem /S /Document /P %d 0 R /K [%s] >>", tree, kids.String()))
	w.catalog = fmt.Sprintf("/MarkInfo << /Marked true >> /StructTreeRoot %d 0 R", tree)
	return w.bytes()
}

func TestTags(t *testing.T) {
	blocks := pageOf(t, tagged(), 1).Blocks
	if b := blocks[0]; b.Type != model.UnitHeading || b.Level != 2 || b.Text != "What was found" {
		t.Errorf("%s %d %q", b.Type, b.Level, b.Text)
	}
	last := -1
	text := strings.Join(said(blocks), "\n")
	for _, word := range []string{"first", "second", "third", "fourth", "fifth"} {
		at := strings.Index(text, word)
		if at < last {
			t.Errorf("%q out of order: %q", word, text)
		}
		last = at
	}
	f := blocks[len(blocks)-1]
	if f.Type != model.UnitFigure || len(f.Images) != 1 || f.Images[0].Alt != "A weir in winter" {
		t.Errorf("%+v", f)
	}
}

func TestInteractive(t *testing.T) {
	got := said(pageOf(t, others(), 1).Blocks)
	for _, want := range []string{"link: https://example.org/weir", "annotation: Check this figure.", "form_field: Ghjuvanni"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	b := find(t, pageOf(t, others(), 1).Blocks, "a page of its own")
	if len(b.Links) != 1 || b.Links[0].URL != "https://example.org/weir" || !strings.HasPrefix(b.Text, b.Links[0].Text) || b.Links[0].Text == "" {
		t.Errorf("%+v", b.Links)
	}
}

// TestLedger: all that is on a page is in some unit, or it is said why not.
func TestLedger(t *testing.T) {
	all := samples()
	all["tagged"] = tagged()
	for name, raw := range all {
		page := pageOf(t, raw, 1)
		for what, a := range map[string]model.Account{"characters": page.Ledger.Characters, "pictures": page.Ledger.Pictures, "drawings": page.Ledger.Drawings} {
			sum := a.Placed + a.Failed
			for _, s := range a.Skipped {
				sum += s.Count
			}
			if a.Failed != 0 || sum != a.Found {
				t.Errorf("%s, %s: %+v", name, what, a)
			}
		}
	}
}

// TestPageNumberHighUp: a lone number far from the foot is the page's when it is its
// number, and text when it is not.
func TestPageNumberHighUp(t *testing.T) {
	for number, want := range map[string]model.UnitType{"1": model.UnitPageFooter, "4": model.UnitParagraph, "1250": model.UnitParagraph} {
		var c canvas
		c.text("R", 11, 72, 700, fill(30)...)
		c.text("R", 10, 303, 130, number)
		blocks := pageOf(t, document(c.String()), 1).Blocks
		if last := blocks[len(blocks)-1]; last.Type != want || last.Text != number {
			t.Errorf("%s: %q", number, said(blocks))
		}
	}
}
