package layout

import (
	"reflect"
	"strings"
	"testing"
)

// together puts the glyphs of several calls of set onto one page, in this order
// of drawing.
func together(parts ...[]Glyph) []Glyph {
	var out []Glyph
	for _, part := range parts {
		for _, g := range part {
			g.Seq, g.Index, g.End = len(out), 2*len(out), 2*len(out)+1
			out = append(out, g)
		}
	}
	return out
}

func with(glyphs []Glyph, change func(g *Glyph)) []Glyph {
	for i := range glyphs {
		change(&glyphs[i])
	}
	return glyphs
}

func bold(glyphs []Glyph) []Glyph { return with(glyphs, func(g *Glyph) { g.Bold = true }) }

// names of the kinds, for what tests expect.
var names = map[Kind]string{
	Paragraph: "p", Heading: "h", ListItem: "item", Caption: "caption", Footnote: "note",
	PageHeader: "head", PageFooter: "foot", Code: "code", Box: "box",
}

// kinds returns the blocks of a page of 600 by 800 points, text in 10 points, each
// with its kind.
func kinds(p Page) []string {
	p.Width, p.Height = 600, 800
	if p.Facts.BodySize == 0 {
		p.Facts.BodySize = 10
	}
	blocks, words := Analyze(p)
	out := texts(blocks, words)
	for i := range blocks {
		out[i] = names[blocks[i].Kind] + ": " + out[i]
	}
	return out
}

func expect(t *testing.T, p Page, want ...string) {
	t.Helper()
	if got := kinds(p); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestInvisibleTextComesLast(t *testing.T) {
	hidden := with(set(30, placed{50, 300, "zyx"}), func(g *Glyph) { g.Hidden = true })
	shown := set(10, placed{50, 100, "What can be seen is read first, and goes"}, placed{50, 112, "on below, whatever else is in the file."})
	expect(t, Page{Glyphs: together(hidden, shown)},
		"p: What can be seen is read first, and goes on below, whatever else is in the file.", "p: zyx")
	expect(t, Page{Glyphs: together(with(hidden, func(g *Glyph) { g.Hidden = false }), shown)},
		"h: zyx", "p: What can be seen is read first, and goes on below, whatever else is in the file.")
}

func TestScriptsDrawnApart(t *testing.T) {
	line := func(x, y float64, text string) []Glyph { return set(10, placed{x, y, text}) }
	lowered := func(x float64) []Glyph { return set(6, placed{x, 103, "A"}) }
	expect(t, Page{Glyphs: together(line(50, 100, "In that year the value of U"), lowered(173.5), line(180, 100, "was set to a tenth of that of U"),
		lowered(320), line(50, 112, "2. All others stay as they are in this text."))},
		"p: In that year the value of UA was set to a tenth of that of UA 2. All others stay as they are in this text.")

	raised := set(6, placed{50, 196, "a"})
	expect(t, Page{Glyphs: together(raised, set(10, placed{60, 200, "What is said of the value above"}))},
		"p: a What is said of the value above")
}

func TestFootnotesOfColumns(t *testing.T) {
	mark := func(glyphs []Glyph) []Glyph {
		glyphs[0].Base, glyphs[0].Size = glyphs[0].Base-2, 5
		return glyphs
	}
	left := set(10, placed{50, 100, "The text of the first of the two columns of"}, placed{50, 112, "this page goes on for some lines and then it"})
	note := mark(set(7, placed{50, 140, "1 Said in a note at the foot of its column."}))
	right := set(10, placed{320, 100, "breaks off, and begins again at the head of"}, placed{320, 112, "the other one, where it also ends at last."})
	expect(t, Page{Glyphs: together(left, note, right)},
		"p: The text of the first of the two columns of this page goes on for some lines and then it breaks off, and begins again at the head of the other one, where it also ends at last.",
		"note: 1 Said in a note at the foot of its column.")
}

func TestPartsAroundBoxes(t *testing.T) {
	glyphs := set(10, placed{50, 100, "A sentence that a picture stands in the middle"}, placed{50, 112, "of breaks off above it and will go on below the"},
		placed{50, 400, "picture, where it ends."}, placed{50, 430, "Another begins with a capital letter."})
	expect(t, Page{Glyphs: glyphs, Boxes: []Rect{{50, 130, 300, 380}}},
		"p: A sentence that a picture stands in the middle of breaks off above it and will go on below the picture, where it ends.",
		"box: ", "p: Another begins with a capital letter.")
}

func TestNotesOfTables(t *testing.T) {
	table := Rect{50, 100, 400, 200}
	notes := set(8, placed{50, 212, "† Not of this year."}, placed{50, 224, "1. Of all that were asked."}, placed{50, 236, "Source: the council."})
	after := set(10, placed{50, 270, "Text that goes on below the table and its notes, as wide as it"}, placed{50, 282, "can be."})
	item := set(8, placed{50, 320, "1. An item of a list, in small print as well."})
	expect(t, Page{Glyphs: together(after, item, notes), Boxes: []Rect{table}, Walls: 1},
		"box: ", "p: Text that goes on below the table and its notes, as wide as it can be.", "item: 1. An item of a list, in small print as well.",
		"note: † Not of this year.", "note: 1. Of all that were asked.", "p: Source: the council.")
}

func TestCaptions(t *testing.T) {
	table, other := Rect{50, 150, 300, 300}, Rect{50, 450, 300, 600}
	title := func(y float64) []Glyph {
		return together(set(10, placed{50, y, "Table 4."}), bold(set(12, placed{50, y + 13, "Water by place and year"})))
	}
	text := set(10, placed{50, 330, "What the table says is told in the text below, for all who"}, placed{50, 342, "read it."})
	expect(t, Page{Glyphs: together(text, title(125)), Boxes: []Rect{table}, Walls: 1},
		"caption: Table 4. Water by place and year", "box: ", "p: What the table says is told in the text below, for all who read it.")
	expect(t, Page{Glyphs: together(title(620), text), Boxes: []Rect{table, other}, Walls: 2},
		"box: ", "p: What the table says is told in the text below, for all who read it.", "box: ", "caption: Table 4. Water by place and year")

	open := together(set(10, placed{50, 420, "Figure 2. Water of the two springs by month –"}), bold(set(10, placed{50, 432, "all of the valley, 2031"})))
	expect(t, Page{Glyphs: together(open, text), Boxes: []Rect{other}},
		"p: What the table says is told in the text below, for all who read it.", "caption: Figure 2. Water of the two springs by month – all of the valley, 2031", "box: ")
}

func TestSeveralDrawings(t *testing.T) {
	glyphs := set(10, placed{60, 300, "(a) The upper weir"}, placed{260, 300, "(b) The lower weir"}, placed{50, 330, "Both were built long ago."})
	p := Page{Glyphs: glyphs, Boxes: []Rect{{250, 150, 400, 290}, {50, 150, 200, 290}}, Firsts: []int{16, 1}}
	blocks, words := Analyze(p)
	if got := texts(blocks, words); len(got) != 5 || got[1] != "(a) The upper weir" || blocks[0].Ref != 1 || blocks[2].Ref != 0 {
		t.Errorf("got %q", got)
	}
}

// TestOnlyFactsMakeRunningHeads: nothing is a running head because of where it stands
// or what it looks like; a lone number at the foot stays.
func TestOnlyFactsMakeRunningHeads(t *testing.T) {
	head := together(set(12, placed{50, 40, "42"}), set(12, placed{400, 40, "Of rivers and weirs"}))
	foot := set(10, placed{50, 770, "1250"})
	body := set(10, placed{50, 100, "The text of the page stands where text stands on every page and"}, placed{50, 112, "goes on for two lines."})
	said := "p: The text of the page stands where text stands on every page and goes on for two lines."
	expect(t, Page{Glyphs: together(head, body, foot)}, "h: 42 Of rivers and weirs", said, "p: 1250")
	facts := Facts{Running: func(lines []Line, _ []Rect) {
		for i := range lines {
			if lines[i].Base < 50 {
				lines[i].Running = PageHeader
			}
		}
	}}
	expect(t, Page{Glyphs: together(head, body, foot), Facts: facts}, "head: 42 Of rivers and weirs", said, "p: 1250")
}

// TestSentencesGoPastDoubtfulRows: what stands where running feet do, and is none for
// certain, is text, and does not end the sentence that goes over the page.
func TestSentencesGoPastDoubtfulRows(t *testing.T) {
	body := set(10, placed{50, 680, "The text of the page stands where text stands on every page and"}, placed{50, 692, "goes on for two lines of the same width, and then on the page"})
	foot := set(10, placed{50, 770, "Of rivers and weirs"})
	for doubtful, want := range map[bool]bool{true: true, false: false} {
		p := Page{Width: 600, Height: 800, Glyphs: together(body, foot), Facts: Facts{BodySize: 10, Running: func(lines []Line, _ []Rect) {
			lines[len(lines)-1].Doubtful = doubtful
		}}}
		blocks, _ := Analyze(p)
		if len(blocks) != 2 || blocks[0].Continues != want || blocks[1].Kind != Paragraph {
			t.Errorf("doubtful %v: %+v", doubtful, blocks)
		}
	}
}

func TestNumberedHeadings(t *testing.T) {
	text := func(x, y float64) []placed {
		return []placed{{x, y, "What there is to say of it fills a line of the page and goes on"}, {x, y + 12, "in the next."}}
	}
	chapter := append([]placed{{50, 100, "3. Of weirs"}}, text(50, 130)...)
	chapter = append(append(chapter, placed{50, 170, "3.1 Of the upper weir"}), text(50, 200)...)
	body := "p: What there is to say of it fills a line of the page and goes on in the next."
	expect(t, Page{Glyphs: set(10, chapter...)}, "h: 3. Of weirs", body, "h: 3.1 Of the upper weir", body)

	hung := append([]placed{{50, 100, "1. Of weirs"}}, text(70, 130)...)
	expect(t, Page{Glyphs: set(10, hung...)}, "item: 1. Of weirs", body)
	list := append([]placed{{50, 100, "1. Of weirs"}, {50, 125, "2. Of rivers"}}, text(50, 150)...)
	expect(t, Page{Glyphs: set(10, list...)}, "item: 1. Of weirs", "item: 2. Of rivers", body)
}

func TestProseRunsOn(t *testing.T) {
	expect(t, Page{Glyphs: set(10,
		placed{50, 100, "A line of running text that is as wide as the column is, said"}, placed{50, 112, "once more: its lines are not all as wide as the widest of"},
		placed{50, 124, "Ajaccio and the other towns."})},
		"p: A line of running text that is as wide as the column is, said once more: its lines are not all as wide as the widest of Ajaccio and the other towns.")
}

func TestTitlesOfTables(t *testing.T) {
	table := Rect{50, 150, 450, 300}
	text := set(10, placed{50, 100, "The council estimates the costs as follows, for each of the two weirs of the"}, placed{50, 112, "valley:"})
	expect(t, Page{Glyphs: together(text, set(10, placed{203, 142, "Estimated costs of all"})), Boxes: []Rect{table}, Walls: 1},
		"p: The council estimates the costs as follows, for each of the two weirs of the valley:", "caption: Estimated costs of all", "box: ")
	expect(t, Page{Glyphs: together(text, set(10, placed{50, 142, "Estimated costs of all"})), Boxes: []Rect{table}, Walls: 1},
		"p: The council estimates the costs as follows, for each of the two weirs of the valley:", "p: Estimated costs of all", "box: ")
}

// Footnotes that are drawn from the foot up, and before the text, are read behind
// it from the top down.
func TestFootnotesInOrder(t *testing.T) {
	notes := set(7, placed{50, 760, "3 of the third"}, placed{50, 750, "2 of the second"}, placed{50, 740, "1 of the first"})
	text := set(10, placed{50, 100, "The text of the page has three notes, which stand below it in small print,"}, placed{50, 112, "one by one."})
	expect(t, Page{Glyphs: together(notes, text)},
		"p: The text of the page has three notes, which stand below it in small print, one by one.",
		"note: 1 of the first", "note: 2 of the second", "note: 3 of the third")
}

func TestInitialsAreNoMarks(t *testing.T) {
	expect(t, Page{Glyphs: set(10, placed{50, 100, "Yours faithfully,"}, placed{50, 140, "A. Casanova"})}, "p: Yours faithfully,", "p: A. Casanova")
	expect(t, Page{Glyphs: set(10, placed{50, 100, "A. Of rivers"}, placed{50, 140, "B. Of weirs"})}, "item: A. Of rivers", "item: B. Of weirs")
}

func TestNumberInSentence(t *testing.T) {
	wide := placed{50, 88, "A line that is wider than the others are, so that none of them is full, goes"}
	expect(t, Page{Glyphs: set(10, wide, placed{50, 100, "the value that was used in the book of the year is one of"}, placed{50, 112, "2. All others are of the weir itself."})},
		"p: A line that is wider than the others are, so that none of them is full, goes the value that was used in the book of the year is one of 2. All others are of the weir itself.")
	expect(t, Page{Glyphs: set(10, wide, placed{50, 100, "the points that were decided in the year of the flood are"}, placed{50, 112, "1. to mend the weir."}, placed{50, 124, "2. to measure it."})},
		"p: A line that is wider than the others are, so that none of them is full, goes the points that were decided in the year of the flood are",
		"item: 1. to mend the weir.", "item: 2. to measure it.")
}

// A raised mark stands apart from its note, also where no space does.
func TestMarkOfNote(t *testing.T) {
	text := set(10, placed{50, 100, "The text of the page goes on for some lines and then it"}, placed{50, 112, "ends where this second one of them does."})
	note := set(7, placed{50, 400, "1Said in a note at the foot of the page."})
	note[0].Base, note[0].Size = note[0].Base-2, 5
	expect(t, Page{Glyphs: together(text, note)},
		"p: The text of the page goes on for some lines and then it ends where this second one of them does.",
		"note: 1 Said in a note at the foot of the page.")
}

// Letters of a word may stand apart, but less than its neighbours.
func TestLetterSpacedHead(t *testing.T) {
	glyphs := set(10, placed{50, 100, "Of weirs and mills"})
	for i := range glyphs {
		by := 1.6 * float64(i)
		glyphs[i].Box.Left, glyphs[i].Box.Right = glyphs[i].Box.Left+by, glyphs[i].Box.Right+by
		glyphs[i].At = glyphs[i].Box
		if i%2 == 1 && glyphs[i].Space == 0 {
			glyphs[i].Space = ' ' // as engines have it, here and there
		}
	}
	if got := analyze(glyphs); len(got) != 1 || got[0] != "Of weirs and mills" {
		t.Errorf("got %q", got)
	}
}

// An entry ends with the number of its page behind points, a list of numbers that
// goes on does not end it.
func TestEntriesWithPoints(t *testing.T) {
	expect(t, Page{Glyphs: set(10, placed{50, 100, "Weirs of the upper valley . . . . . . . . . 14"}, placed{50, 112, "Mills . . . . . . . . . . . . . . . . 2, 7, 31,"},
		placed{80, 124, "33, 40"}, placed{50, 136, "Measures, and what they show ........ xii"}, placed{50, 148, "words below it"})},
		"p: Weirs of the upper valley . . . . . . . . . 14", "p: Mills . . . . . . . . . . . . . . . . 2, 7, 31, 33, 40",
		"p: Measures, and what they show ........ xii", "p: words below it")
}

// References in small print are a list, however far down the page they stand, and
// the names in them no marks; notes at the foot of the page are notes.
func TestReferences(t *testing.T) {
	small := set(8, placed{50, 100, "[7] K. Abel, S. Berg, and L. Cole. Of the weirs of the whole valley,"}, placed{62, 110, "T. Dale. The mills of the valley below the weirs, 2031."},
		placed{50, 124, "[8] S. Berg. Of mills, 2030."}, placed{50, 500, "[9] L. Cole. Of water, 2032."})
	text := set(10, placed{320, 100, "The second column holds text as wide as it"}, placed{320, 112, "can be, in the size of most of the text."})
	expect(t, Page{Glyphs: together(small, text)},
		"item: [7] K. Abel, S. Berg, and L. Cole. Of the weirs of the whole valley, T. Dale. The mills of the valley below the weirs, 2031.",
		"item: [8] S. Berg. Of mills, 2030.", "item: [9] L. Cole. Of water, 2032.",
		"p: The second column holds text as wide as it can be, in the size of most of the text.")
	expect(t, Page{Glyphs: set(10, placed{50, 100, "[Abe31] K. Abel. Of the weirs of the whole valley and of"}, placed{90, 112, "What they hold, 2031."},
		placed{50, 124, "[BC30b] S. Berg and L. Cole. Of mills, 2030."})},
		"item: [Abe31] K. Abel. Of the weirs of the whole valley and of What they hold, 2031.", "item: [BC30b] S. Berg and L. Cole. Of mills, 2030.")
	note := set(8, placed{50, 500, "[9] Of water, said in a note."})
	expect(t, Page{Glyphs: together(note, text)},
		"p: The second column holds text as wide as it can be, in the size of most of the text.", "note: [9] Of water, said in a note.")
}

func TestLoweredLetterOfAName(t *testing.T) {
	glyphs := set(10, placed{50, 100, "Set with TEX in one piece"})
	for i := range glyphs {
		if glyphs[i].Rune == 'E' || glyphs[i].Rune == 'X' {
			glyphs[i].At.Left, glyphs[i].At.Right = glyphs[i].At.Left-1.5, glyphs[i].At.Right-1.5
		}
		if glyphs[i].Rune == 'E' {
			glyphs[i].Base += 3
			glyphs[i].At.Top, glyphs[i].At.Bottom = glyphs[i].At.Top+3, glyphs[i].At.Bottom+3
		}
	}
	expect(t, Page{Glyphs: glyphs}, "p: Set with TEX in one piece")
}

func TestTablesBelowEachOther(t *testing.T) {
	glyphs := set(10, placed{50, 90, "Table 1: Of weirs"}, placed{50, 170, "Table 2: Of mills"}, placed{50, 250, "Table 3: Of water"})
	expect(t, Page{Glyphs: glyphs, Boxes: []Rect{{50, 100, 300, 150}, {50, 180, 300, 230}, {50, 260, 300, 310}}, Walls: 3},
		"caption: Table 1: Of weirs", "box: ", "caption: Table 2: Of mills", "box: ", "caption: Table 3: Of water", "box: ")
}

// A narrow table in the middle of the page comes behind what stands above it at the
// page's left edge.
func TestNarrowTablesBelowShortLines(t *testing.T) {
	line := "Text that fills its line from one edge of the page to the other, as most of it does."
	above := set(10, placed{50, 100, line}, placed{50, 112, line}, placed{50, 124, "and ends here."})
	below := set(10, placed{50, 400, line}, placed{50, 412, line}, placed{50, 424, "and ends there."})
	table := Rect{250, 180, 350, 370}
	text := "p: " + line + " " + line + " and ends here."
	end := "p: " + line + " " + line + " and ends there."
	for _, c := range []struct{ name, want string }{
		{"Table 3. Weirs", "caption: Table 3. Weirs"},
		{"Table 3. Weirs, mills and the like of the town", "caption: Table 3. Weirs, mills and the like of the town"},
		{"The weirs:", "p: The weirs:"},
	} {
		expect(t, Page{Glyphs: together(above, set(10, placed{50, 160, c.name}), below), Boxes: []Rect{table}, Walls: 1},
			text, c.want, "box: ", end)
	}
}

// Heads over columns of figures, right of long names, begin at places of their own:
// they are no column of text.
func TestHeadsBesideNamesAreNoColumn(t *testing.T) {
	var lines []Line
	add := func(x, y float64, text string) { lines = append(lines, LineOf(set(10, placed{x, y, text}))) }
	for i := range 12 {
		add(50, 100+14*float64(i), "Names of places and of rivers")
	}
	for i, x := range []float64{230, 265, 300, 335, 370} {
		add(x, 90+40*float64(i), "Samples taken and counted")
	}
	if got := Columns(lines); len(got) != 1 {
		t.Errorf("heads make %d columns", len(got))
	}
	for i := range 5 {
		add(260, 100+14*float64(i), "Text of another column runs on")
	}
	if got := Columns(lines); len(got) < 2 {
		t.Errorf("two columns of text are %d", len(got))
	}
}
