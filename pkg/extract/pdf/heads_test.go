package pdf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// drawPages is a document of n pages, each drawn by draw; number is from 1.
func drawPages(n int, draw func(c *canvas, number int)) []byte {
	contents := make([]string, n)
	for i := range contents {
		var c canvas
		draw(&c, i+1)
		contents[i] = c.String()
	}
	return document(contents...)
}

// prose are lines of text that no two pages share.
func prose(page, lines int) []string {
	out := make([]string, lines)
	for i := range out {
		out[i] = fmt.Sprintf("What line %d of sheet %d has to say of the %s is said nowhere else in it", i+1, page, strings.Repeat("very ", 1+(page*3+i)%4)+"old weir")
	}
	return out
}

// runningTexts are the running heads and feet of all pages of a document, "page: text".
func runningTexts(t *testing.T, raw []byte) []string {
	t.Helper()
	in := inputOf(t, raw)
	x := New(engine)
	defer x.Release()
	n, err := x.Pages(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for no := 1; no <= n; no++ {
		page, err := x.Page(t.Context(), in, no)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range page.Blocks {
			if b.Type == model.UnitPageHeader || b.Type == model.UnitPageFooter {
				out = append(out, fmt.Sprintf("%d: %s", no, b.Text))
			}
		}
	}
	return out
}

// TestTextAtTheEdgesIsText: what stands at the edges of pages and is no running head
// is in no unit that chunks leave out, however much it looks like one.
func TestTextAtTheEdgesIsText(t *testing.T) {
	for name, raw := range map[string][]byte{
		"the total of an invoice": drawPages(1, func(c *canvas, _ int) {
			c.text("B", 14, 72, 750, "Invoice 2026-117").text("R", 11, 72, 700, prose(1, 10)...)
			c.text("R", 11, 72, 50, "Total amount due in francs 1250")
		}),
		"a lone sum": drawPages(1, func(c *canvas, _ int) {
			c.text("R", 11, 72, 700, prose(1, 20)...).text("R", 11, 500, 45, "1250")
		}),
		"lone sums of several pages": drawPages(5, func(c *canvas, number int) {
			c.text("R", 11, 72, 700, prose(number, 20)...).text("R", 11, 500, 45, fmt.Sprint(1000+number*number*7))
		}),
		"the date of a letter": drawPages(1, func(c *canvas, _ int) {
			c.text("R", 11, 72, 760, "The water board of the valley").text("R", 11, 72, 700, prose(1, 20)...)
			c.text("R", 11, 72, 50, "Signed at Ponte Leccia on 3 June 2026")
		}),
		"the date of a letter of two pages": drawPages(2, func(c *canvas, number int) {
			c.text("R", 11, 72, 700, prose(number, 20)...)
			if number == 2 {
				c.text("R", 11, 72, 50, "Signed at Ponte Leccia on 3 June 2026")
			}
		}),
		"articles on top of each page": drawPages(14, func(c *canvas, number int) {
			c.text("B", 11, 72, 750, fmt.Sprintf("Art. %d", number)).text("R", 11, 72, 715, prose(number, 20)...)
		}),
		"sections on top of each page": drawPages(14, func(c *canvas, number int) {
			c.text("B", 11, 72, 750, fmt.Sprintf("§ %d", number)).text("R", 11, 72, 715, prose(number, 20)...)
		}),
		"steps of slides": drawPages(9, func(c *canvas, number int) {
			c.text("B", 24, 72, 740, fmt.Sprintf("Step %d: open valve %d", number, number+3)).text("R", 16, 72, 640, fmt.Sprintf("Turn it %d times", number*number), "and wait for the water")
		}),
		"rows of a table at both edges": drawPages(6, func(c *canvas, number int) {
			for k := range 45 {
				y := 750 - 15.5*float64(k)
				c.text("R", 10, 72, y, fmt.Sprintf("Station AC-%03d", number*45+k)).text("R", 10, 300, y, fmt.Sprint(7*k+number)).text("R", 10, 450, y, "clear")
			}
		}),
		"measurements, and the tails of their lines": drawPages(12, func(c *canvas, number int) {
			c.text("R", 11, 72, 750, fmt.Sprintf("reasons of quality. Station AC-%03d was closed for %d days.", number, 3*number))
			c.text("R", 11, 72, 736, prose(number, 48)...)
			c.text("R", 11, 72, 50, fmt.Sprintf("The concentration of dissolved oxygen was measured %d times at station AC-%03d for", 11+number, 20+number))
		}),
		"a motion that ends ten pages": drawPages(10, func(c *canvas, number int) {
			c.text("R", 11, 72, 750, prose(number, 49)...)
			c.text("R", 11, 72, 60, "The motion is carried unanimously.")
		}),
		"decisions": drawPages(20, func(c *canvas, number int) {
			c.text("R", 11, 72, 750, fmt.Sprintf("Decision %d: the goal of 2027 is met.", number))
			c.text("R", 11, 72, 700, prose(number, 30)...)
			c.text("R", 11, 72, 60, fmt.Sprintf("Decision %d is final.", number))
		}),
		"files of decisions": drawPages(10, func(c *canvas, number int) {
			c.text("B", 11, 72, 750, fmt.Sprintf("Decision 2026/%d", number)).text("R", 11, 72, 715, prose(number, 30)...)
			c.text("R", 11, 72, 50, fmt.Sprintf("File AC-%d", number))
		}),
		"a sentence that goes over the foot": drawPages(4, func(c *canvas, number int) {
			c.text("R", 11, 72, 700, append(prose(number, 30), "and the weirs of the valley are open to")...)
			c.text("R", 9, 72, 275, "all who come to see them")
			c.text("R", 9, 72, 60, "all who come to see them")
			c.text("R", 11, 72, 90, "and the weirs of the valley are open to")
		}),
		"a line in the type of the text, one pitch below it": drawPages(6, func(c *canvas, number int) {
			c.text("R", 11, 72, 700, append(prose(number, 48), "Carried with all votes")...)
		}),
	} {
		if got := runningTexts(t, raw); len(got) > 0 {
			t.Errorf("%s: running heads and feet %q", name, got)
		}
	}
}

// TestRunningHeadsAreFound: what repeats apart from the text is found, on each page,
// with its number.
func TestRunningHeadsAreFound(t *testing.T) {
	type page struct{ head, foot string }
	for name, c := range map[string]struct {
		pages int
		head  func(n int) (left, right string)
		foot  func(n int) (left, right string)
		want  func(n int) page
	}{
		"a head and Page n of m": {2, func(int) (string, string) { return "Water report 2026", "" }, func(n int) (string, string) { return "", fmt.Sprintf("Page %d of 2", n) },
			func(n int) page { return page{"Water report 2026", fmt.Sprintf("Page %d of 2", n)} }},
		"mirrored heads": {12, func(n int) (string, string) {
			if n%2 == 0 {
				return fmt.Sprint(n + 30), "The valley and its water"
			}
			return "What was measured", fmt.Sprint(n + 30)
		}, nil, func(n int) page {
			if n%2 == 0 {
				return page{fmt.Sprintf("%d The valley and its water", n+30), ""}
			}
			return page{fmt.Sprintf("What was measured %d", n+30), ""}
		}},
		"numbers between strokes": {5, nil, func(n int) (string, string) { return fmt.Sprintf("- %d -", n), "" }, func(n int) page { return page{"", fmt.Sprintf("- %d -", n)} }},
		"Roman numbers":           {6, nil, func(n int) (string, string) { return "", []string{"iii", "iv", "v", "vi", "vii", "viii"}[n-1] }, func(n int) page { return page{"", []string{"iii", "iv", "v", "vi", "vii", "viii"}[n-1]} }},
		"set off by a separator": {3, func(n int) (string, string) { return fmt.Sprintf("Water report | %d", n), "" }, nil,
			func(n int) page { return page{fmt.Sprintf("Water report | %d", n), ""} }},
		"a number of its chapter": {4, nil, func(n int) (string, string) { return fmt.Sprintf("7-%d", 40+n), "" }, func(n int) page { return page{"", fmt.Sprintf("7-%d", 40+n)} }},
		"in Portuguese":           {3, nil, func(n int) (string, string) { return "Conselho das águas", fmt.Sprintf("Página %d de 3", n) }, func(n int) page { return page{"", fmt.Sprintf("Conselho das águas Página %d de 3", n)} }},
	} {
		raw := drawPages(c.pages, func(d *canvas, n int) {
			d.text("R", 11, 72, 700, prose(n, 20+n%3)...)
			for _, edge := range []struct {
				of func(n int) (string, string)
				y  float64
			}{{c.head, 760}, {c.foot, 40}} {
				if edge.of != nil {
					left, right := edge.of(n)
					d.text("R", 9, 72, edge.y, winAnsi(left)).text("R", 9, 400, edge.y, winAnsi(right))
				}
			}
		})
		want := []string{}
		for n := 1; n <= c.pages; n++ {
			p := c.want(n)
			for _, text := range []string{p.head, p.foot} {
				if text != "" {
					want = append(want, fmt.Sprintf("%d: %s", n, text))
				}
			}
		}
		if got := runningTexts(t, raw); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// winAnsi writes the letters of Latin-1 as a PDF string has them.
func winAnsi(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteByte(byte(r))
	}
	return b.String()
}

// TestAFootUnderATableIsAFoot: the foot of each page is one also where a table fills
// the page above it, and the rows of the table stay.
func TestAFootUnderATableIsAFoot(t *testing.T) {
	raw := drawPages(5, func(c *canvas, number int) {
		for k := range 40 {
			y := 740 - 16*float64(k)
			c.text("R", 10, 72, y, fmt.Sprintf("Station AC-%03d", number*40+k)).text("R", 10, 300, y, fmt.Sprint(7*k+number)).text("R", 10, 450, y, "clear")
		}
		c.text("R", 8, 72, 40, "Water board of the valley").text("R", 8, 500, 40, fmt.Sprint(number))
	})
	want := []string{}
	for n := range 5 {
		want = append(want, fmt.Sprintf("%d: Water board of the valley %d", n+1, n+1))
	}
	if got := runningTexts(t, raw); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// markedDocument is a file of one page whose texts are in marked content, tagged when
// body has marked-content ids.
func markedDocument(body, edge string) []byte {
	var w writer
	var c canvas
	fmt.Fprintf(&c, "%s\n", body)
	c.text("R", 11, 72, 700, prose(1, 20)...)
	fmt.Fprintf(&c, "EMC\n%s\n", edge)
	c.text("R", 11, 72, 40, "Registered in the valley under number 4411")
	c.WriteString("EMC\n")
	w.page(letter+" /StructParents 0", c.String())
	w.catalog = "/MarkInfo << /Marked true >>"
	return w.bytes()
}

// TestMarkedContentDecides: an artifact is a foot though it stands on one page only;
// content is text; where all is an artifact nothing is.
func TestMarkedContentDecides(t *testing.T) {
	foot := []string{"1: Registered in the valley under number 4411"}
	for name, c := range map[string]struct {
		raw  []byte
		want []string
	}{
		"an artifact":              {markedDocument("/P << /MCID 0 >> BDC", "/Artifact << /Type /Pagination /Subtype /Footer >> BDC"), foot},
		"an artifact without tags": {markedDocument("/Span BMC", "/Artifact BMC"), foot},
		"content":                  {markedDocument("/P << /MCID 0 >> BDC", "/P << /MCID 1 >> BDC"), []string{}},
		"all artifacts":            {markedDocument("/Artifact BMC", "/Artifact BMC"), []string{}},
		"nothing":                  {markedDocument("/Span BMC", "/Span BMC"), []string{}},
	} {
		if got := runningTexts(t, c.raw); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// orphanDocument is a file of tagged pages. Each has a word and its number above, which an
// element of the page's tree has when it is linked, of the type of a box that means nothing.
func orphanDocument(n int, linked bool) []byte {
	var w writer
	for i := range n {
		var c canvas
		c.WriteString("/Div << /MCID 0 >> BDC\n")
		c.text("R", 8, 72, 760, fmt.Sprintf("Dunmore %d", i+1))
		c.WriteString("EMC /P << /MCID 1 >> BDC\n")
		c.text("R", 11, 72, 700, prose(i, 20)...)
		c.WriteString("EMC\n")
		w.page(fmt.Sprintf("%s /StructParents %d", letter, i), c.String())
	}
	parents := len(w.objects) + 3 + 2*n + 1
	tree, top := parents+1, parents+2
	var nums, kids strings.Builder
	for i, page := range w.pages {
		head := w.add(fmt.Sprintf("<< /Type /StructElem /S /Div /P %d 0 R /Pg %d 0 R /K 0 >>", top, page))
		text := w.add(fmt.Sprintf("<< /Type /StructElem /S /P /P %d 0 R /Pg %d 0 R /K 1 >>", top, page))
		fmt.Fprintf(&nums, "%d [%d 0 R %d 0 R] ", i, head, text)
		if linked {
			fmt.Fprintf(&kids, "%d 0 R ", head)
		}
		fmt.Fprintf(&kids, "%d 0 R ", text)
	}
	w.add(fmt.Sprintf("<< /Nums [%s] >>", nums.String()))
	w.add(fmt.Sprintf("<< /Type /StructTreeRoot /K %d 0 R /ParentTree %d 0 R >>", top, parents))
	w.add(fmt.Sprintf("<< /Type /StructElem /S /Document /P %d 0 R /K [%s] >>", tree, kids.String()))
	w.catalog = fmt.Sprintf("/MarkInfo << /Marked true >> /StructTreeRoot %d 0 R", tree)
	return w.bytes()
}

// TestWhatNoElementHas: a word and the page's number are a head where the tree of a tagged
// file leaves them out, as it does the boxes in the margins of printed web pages, and text
// where they are in a box of it.
func TestWhatNoElementHas(t *testing.T) {
	want := []string{"1: Dunmore 1", "2: Dunmore 2", "3: Dunmore 3", "4: Dunmore 4"}
	if got := runningTexts(t, orphanDocument(4, false)); !slices.Equal(got, want) {
		t.Errorf("left out: %q", got)
	}
	if got := runningTexts(t, orphanDocument(4, true)); len(got) != 0 {
		t.Errorf("in a box: %q", got)
	}
}

// TestContentThatRepeatsIsText: what the tags of a file call content is text, also
// where it repeats at the edge of each page.
func TestContentThatRepeatsIsText(t *testing.T) {
	var w writer
	for n := range 4 {
		var c canvas
		c.WriteString("/P << /MCID 0 >> BDC\n")
		c.text("R", 11, 72, 700, prose(n, 20)...)
		c.WriteString("EMC /P << /MCID 1 >> BDC\n")
		c.text("R", 8, 72, 40, "Approved by the board")
		c.WriteString("EMC\n")
		w.page(letter, c.String())
	}
	for marked, want := range map[string]int{"true": 0, "false": 4} {
		w.catalog = fmt.Sprintf("/MarkInfo << /Marked %s >>", marked)
		if got := runningTexts(t, w.bytes()); len(got) != want {
			t.Errorf("marked %s: %q", marked, got)
		}
	}
}
