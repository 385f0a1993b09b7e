package facts

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// lineAt is a line of text at a height.
func lineAt(text string, base, size float64) layout.Line {
	var glyphs []layout.Glyph
	x, space := 72.0, rune(0)
	for _, r := range text {
		if r == ' ' {
			x, space = x+0.3*size, ' '
			continue
		}
		box := layout.Rect{Left: x, Right: x + size/2, Top: base - size, Bottom: base}
		glyphs = append(glyphs, layout.Glyph{Seq: len(glyphs), Rune: r, Box: box, At: box, Base: base, Size: size, Space: space})
		x, space = x+size/2, 0
	}
	return layout.LineOf(glyphs)
}

func TestSampleOf(t *testing.T) {
	for _, n := range []int{1, 2, 31, 32, 33, 34, 100, 5000} {
		pages := SampleOf(n)
		if len(pages) != min(n, MaxSample) || pages[0] != 1 || pages[len(pages)-1] != n {
			t.Errorf("%d pages: sample of %d, from %d to %d", n, len(pages), pages[0], pages[len(pages)-1])
		}
		for i := 1; i < len(pages); i++ {
			if pages[i] < pages[i-1] || n > 40 && pages[i] == pages[i-1] {
				t.Errorf("%d pages: %v is not in order", n, pages)
			}
		}
	}
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"Page 12 of 340": "page # of #", "  xiv ": "#", "1.2. METRIC  SPACES 9": "#.#. metric spaces #", "civil law xii": "civil law #", "": "",
	} {
		if got := foldTitle(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// book is a document of n pages: heads that change with each page, text, numbers at
// the foot, and pages that begin with a definition.
func book(n int) []Page {
	var pages []Page
	for i := range n {
		p := Page{Sheet: Sheet{PageNo: i + 1, Width: 600, Height: 800}}
		p.Lines = append(p.Lines, lineAt(fmt.Sprintf("Page %d | Of rivers", i+1), 30, 9))
		if i%3 == 0 {
			p.Lines = append(p.Lines, lineAt(fmt.Sprintf("Definition %d", i+1), 70, 11))
		}
		for k := range 20 {
			p.Lines = append(p.Lines, lineAt(fmt.Sprintf("the %dth line of text on page %d is like none of the others", k*7+i, i), 90+14*float64(k), 11))
		}
		p.Lines = append(p.Lines, lineAt(fmt.Sprintf("Page %d", i+1), 770, 9))
		pages = append(pages, p)
	}
	return pages
}

// kindsOf are the kinds of the lines of a page, by their text.
func kindsOf(d *Document, p Page) map[string]layout.Kind {
	lines := slices.Clone(p.Lines)
	d.Page(p.Sheet).Running(lines, p.Tables)
	kinds := map[string]layout.Kind{}
	for i := range lines {
		kinds[lines[i].String()] = lines[i].Running
	}
	return kinds
}

func expectKinds(t *testing.T, d *Document, p Page, want map[string]layout.Kind) {
	t.Helper()
	kinds := kindsOf(d, p)
	for text, kind := range want {
		if got, ok := kinds[text]; !ok || got != kind {
			t.Errorf("page %d: %q is %d, want %d; known: %+v", p.PageNo, text, got, kind, d.Margins)
		}
	}
}

func TestRunningHeads(t *testing.T) {
	d := &Document{}
	d.Learn(book(12))
	expectKinds(t, d, book(12)[6], map[string]layout.Kind{"Page 7 | Of rivers": layout.PageHeader, "Page 7": layout.PageFooter, "Definition 7": layout.Paragraph})
	if d.Body.Size != 11 || d.Body.Bold {
		t.Errorf("body %+v", d.Body)
	}
	single := &Document{}
	single.Learn(book(1))
	if len(single.Margins.Places) != 0 {
		t.Errorf("nothing repeats on one page: %+v", single.Margins)
	}
}

// TestOnlyTextIsNoRunningHead: pages of one line that repeats keep it as their text.
func TestOnlyTextIsNoRunningHead(t *testing.T) {
	var pages []Page
	for i := range 12 {
		pages = append(pages, Page{Sheet: Sheet{PageNo: i + 1, Width: 600, Height: 800}, Lines: []layout.Line{
			lineAt("Left blank for the notes of the reader", 70, 11),
		}})
	}
	d := &Document{}
	d.Learn(pages)
	if len(d.Margins.Places) != 0 {
		t.Errorf("their only text is a running head: %+v", d.Margins)
	}
}

func TestTitles(t *testing.T) {
	d := &Document{Outline: []Entry{{Title: "The upper weir", Level: 2, PageNo: 3}}}
	for text, want := range map[string]int{"The upper weir": 2, "3.1 The Upper Weir": 2, "The lower weir": 0} {
		if got := d.Page(Sheet{PageNo: 3}).Titled(text); got != want {
			t.Errorf("%q: level %d, want %d", text, got, want)
		}
	}
	if d.Page(Sheet{PageNo: 4}).Titled("The upper weir") != 0 {
		t.Error("an entry counts on its own page only")
	}
}

func TestRecordComesBack(t *testing.T) {
	d := &Document{PageCount: 12, Outline: []Entry{{Title: "é \"x\"", Level: 1, PageNo: 1}}}
	d.Learn(book(12))
	raw, err := d.JSON()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Parse(raw)
	if err != nil || !reflect.DeepEqual(d, back) {
		t.Errorf("%v: got %+v, want %+v", err, back, d)
	}
	again, _ := back.JSON()
	if !bytes.Equal(raw, again) {
		t.Error("the record is not canonical")
	}
	if _, err := Parse([]byte("{")); err == nil {
		t.Error("a damaged record must be an error")
	}
	empty, err := Parse(nil)
	if err != nil || empty.Page(Sheet{PageNo: 1}).BodySize != 0 {
		t.Errorf("no record is an empty one: %+v, %v", empty, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"body":{"size":11},"margins":{"sampled":3,"pitch":12,"size":10,"places":[{"from":30,"size":10,"texts":["a line"]}]},"outline":[{"title":"b","page_no":1}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := Parse(raw)
		if err != nil {
			return
		}
		p := d.Page(Sheet{PageNo: 1, Width: 600, Height: 800})
		p.Running([]layout.Line{lineAt("a line", 30, 10), lineAt("1", 780, 10)}, []layout.Rect{{Left: 50, Top: 100, Right: 300, Bottom: 200}})
		p.Titled("a line")
		p.Level(10, true)
	})
}

// What stands turned in the side margins of several pages is no text of them; what
// stands there once, or turned in the middle, is.
func TestTurnedMargins(t *testing.T) {
	turned := func(text string, x float64) layout.Line {
		l := lineAt(text, 500, 7)
		l.Turn, l.Box = 90, layout.Rect{Left: x, Right: x + 7, Top: 400, Bottom: 600}
		return l
	}
	pages := book(6)
	for i := range pages {
		pages[i].Lines = append(pages[i].Lines, turned("set by the printer of the valley", 10), turned("a side of a table", 300))
	}
	pages[0].Lines = append(pages[0].Lines, turned("received in June", 580))
	d := &Document{}
	d.Learn(pages)
	expectKinds(t, d, pages[3], map[string]layout.Kind{"set by the printer of the valley": layout.PageFooter, "a side of a table": layout.Paragraph})
	expectKinds(t, d, pages[0], map[string]layout.Kind{"received in June": layout.Paragraph})
	again := book(6)[3]
	again.Lines = append(again.Lines, lineAt("set by the printer of the valley", 400, 11))
	expectKinds(t, d, again, map[string]layout.Kind{"set by the printer of the valley": layout.Paragraph})
}

// TestUprightSides: a number alone in a side margin is the page's where it runs with the
// pages, and a text is no text of them where several pages have it at one height; marks of
// paragraphs, of which a margin has several, are text.
func TestUprightSides(t *testing.T) {
	at := func(text string, x, base float64) layout.Line {
		l := lineAt(text, base, 7)
		l.Box.Left, l.Box.Right = x, x+3*float64(len(text))
		l.At.Left, l.At.Right = l.Box.Left, l.Box.Right
		return l
	}
	pages := book(6)
	for i := range pages {
		for k := range pages[i].Lines {
			pages[i].Lines[k].Box.Left, pages[i].Lines[k].Box.Right = 70, 500
		}
		pages[i].Lines[len(pages[i].Lines)-1] = at("draft", 10, 400)
		pages[i].Lines = append(pages[i].Lines, at(fmt.Sprint(i+4), 575, 300), at("note", 41, 210+20*float64(i)), at("7", 60, 250), at("8", 60, 280))
	}
	d := &Document{}
	d.Learn(pages)
	expectKinds(t, d, pages[3], map[string]layout.Kind{"draft": layout.PageFooter, "7": layout.Paragraph, "8": layout.Paragraph, "note": layout.Paragraph})
	expectKinds(t, d, pages[2], map[string]layout.Kind{"6": layout.Paragraph}) // the page has its number in its head
	for i := range pages {
		pages[i].Lines = slices.DeleteFunc(pages[i].Lines, func(l layout.Line) bool { return strings.HasPrefix(l.String(), "Page ") })
	}
	alone := &Document{}
	alone.Learn(pages)
	expectKinds(t, alone, pages[2], map[string]layout.Kind{"6": layout.PageFooter})
}

// TestHeadsOfOneChapter: the head of a page that no other page shares counts only
// where its words stand elsewhere too.
func TestHeadsOfOneChapter(t *testing.T) {
	pages := book(3)
	for i, head := range []string{"Of rivers", "Of rivers", "Of weirs"} {
		pages[i].Lines[0] = lineAt(head, 30, 9)
	}
	pages[0].Lines = slices.Insert(pages[0].Lines, 5, lineAt("1 Of rivers", 400, 14))
	d := &Document{PageCount: 3}
	d.Learn(pages)
	expectKinds(t, d, pages[1], map[string]layout.Kind{"Of rivers": layout.PageHeader})
	expectKinds(t, d, pages[2], map[string]layout.Kind{"Of weirs": layout.Paragraph})
	d.Outline = []Entry{{Title: "3. Of weirs", Level: 1, PageNo: 2}}
	d.Learn(pages)
	expectKinds(t, d, pages[2], map[string]layout.Kind{"Of weirs": layout.PageHeader})
	d.Outline = nil
	pages[2].Lines = slices.Insert(pages[2].Lines, 5, lineAt("2 Of weirs", 400, 14))
	d.Learn(pages)
	expectKinds(t, d, pages[2], map[string]layout.Kind{"Of weirs": layout.PageHeader})
}

// Notes at the foot of each page, whose numbers go up with those of the pages, are
// no running feet.
func TestNotesAreNoRunningFeet(t *testing.T) {
	pages := book(4)
	for i := range pages {
		lines := pages[i].Lines
		lines[len(lines)-1] = lineAt(fmt.Sprintf("%d. What the text of page %d leaves unsaid %s", i+1, i+1, []string{"of rivers", "of weirs", "of mills", "of roads"}[i]), 770, 9)
	}
	d := &Document{PageCount: 4}
	d.Learn(pages)
	expectKinds(t, d, pages[2], map[string]layout.Kind{pages[2].Lines[len(pages[2].Lines)-1].String(): layout.Paragraph})
}
