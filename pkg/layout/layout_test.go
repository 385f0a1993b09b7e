package layout

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

// set draws lines of text as glyphs, half an em wide, each line at its place.
func set(size float64, lines ...placed) []Glyph {
	var out []Glyph
	for _, l := range lines {
		x, space := l.x, rune(' ')
		for _, r := range l.text {
			if r == ' ' {
				x, space = x+0.3*size, ' '
				continue
			}
			box := Rect{Left: x, Right: x + 0.5*size, Top: l.y - 0.8*size, Bottom: l.y + 0.2*size}
			i := len(out)
			g := Glyph{Seq: i, Index: 2 * i, End: 2*i + 1, Rune: r, Box: box, At: box, Base: l.y, Size: size, Space: space}
			if r == '¬' {
				g.Rune, g.Hyphen = 2, true
			}
			out = append(out, g)
			x, space = x+0.5*size, 0
		}
	}
	return out
}

type placed struct {
	x, y float64
	text string
}

func texts(blocks []Block, w Words) []string {
	var out []string
	for i := range blocks {
		text, _ := blocks[i].Text(w)
		out = append(out, text)
	}
	return out
}

func analyze(glyphs []Glyph) []string {
	blocks, words := Analyze(Page{Width: 600, Height: 800, Glyphs: glyphs})
	return texts(blocks, words)
}

func TestParagraphs(t *testing.T) {
	tests := []struct {
		name  string
		lines []placed
		want  []string
	}{
		{"lines of one paragraph", []placed{{50, 100, "the first line of it goes on and"}, {50, 112, "ends in the second."}},
			[]string{"the first line of it goes on and ends in the second."}},
		{"a gap", []placed{{50, 100, "one block of text, as wide as it"}, {50, 112, "can be."}, {50, 140, "Another one."}},
			[]string{"one block of text, as wide as it can be.", "Another one."}},
		{"indents", []placed{{50, 100, "all that is said here fills lines"}, {60, 112, "Then an indent begins another one"}, {50, 124, "which goes on."}},
			[]string{"all that is said here fills lines", "Then an indent begins another one which goes on."}},
		{"a short last line", []placed{{50, 100, "a paragraph that fills its line to"}, {50, 112, "the end."}, {50, 124, "Next to it stands another, wider."}},
			[]string{"a paragraph that fills its line to the end.", "Next to it stands another, wider."}},
		{"a broken word", []placed{{50, 100, "a word at the end of a line is bro¬"}, {50, 112, "ken here."}},
			[]string{"a word at the end of a line is broken here."}},
		{"a word that has a hyphen", []placed{{50, 100, "the self-help of farmers and the self¬"}, {50, 112, "help of others."}},
			[]string{"the self-help of farmers and the self-help of others."}},
		{"a name after a hyphen", []placed{{50, 100, "from the village of Santa Maria di Castel¬"}, {50, 112, "Vecchio."}},
			[]string{"from the village of Santa Maria di Castel-Vecchio."}},
		{"a browser's hyphen", []placed{{50, 100, "a word at the end of a line is bro‐"}, {50, 112, "ken here."}},
			[]string{"a word at the end of a line is broken here."}},
		{"a broken word in capitals", []placed{{50, 100, "ALL OF THIS IS SAID IN CAPITALS, BRO¬"}, {50, 112, "KEN HERE."}},
			[]string{"ALL OF THIS IS SAID IN CAPITALS, BROKEN HERE."}},
		{"hanging indents", []placed{{50, 100, "Abel, K. (2030). Of weirs, their use, 25,"}, {70, 112, "105-239."}, {50, 124, "Berg, L. (2031). Of mills, their use, 26,"}, {70, 136, "11-20."}},
			[]string{"Abel, K. (2030). Of weirs, their use, 25, 105-239.", "Berg, L. (2031). Of mills, their use, 26, 11-20."}},
		{"a gap between even lines", []placed{{50, 100, "four lines that stand at one distance"}, {50, 112, "from each other, all of them as wide"}, {50, 124, "as they can be, and then one that is"}, {50, 136, "a little further down than the others"}, {50, 151, "Another begins."}},
			[]string{"four lines that stand at one distance from each other, all of them as wide as they can be, and then one that is a little further down than the others", "Another begins."}},
		{"a line in the middle above a full one", []placed{{130, 100, "Table of all weirs"}, {60, 112, "The paragraph below it begins with an indent"}, {50, 124, "and goes on to the other edge of its column."}},
			[]string{"Table of all weirs", "The paragraph below it begins with an indent and goes on to the other edge of its column."}},
		{"bullets drawn last", []placed{{70, 100, "one of the points that are made"}, {70, 112, "another one that is made here"}, {58, 112, "◦"}, {58, 100, "•"}},
			[]string{"• one of the points that are made", "◦ another one that is made here"}},
		{"items", []placed{{50, 100, "• one of the points that are made"}, {58, 112, "on two lines"}, {50, 124, "• another one"}},
			[]string{"• one of the points that are made on two lines", "• another one"}},
		{"contents", []placed{{50, 100, "1 Of rivers"}, {300, 100, "2"}, {50, 112, "2 Of weirs"}, {300, 112, "4"}, {50, 124, "3 Of fields"}, {300, 124, "7"}},
			[]string{"1 Of rivers 2", "2 Of weirs 4", "3 Of fields 7"}},
		{"articles of a law", []placed{{50, 100, "Art. 1 This law holds for all of it."}, {50, 112, "§ 1 It holds from today on for all."}, {50, 124, "§ 2 Nothing else holds."}},
			[]string{"Art. 1 This law holds for all of it.", "§ 1 It holds from today on for all.", "§ 2 Nothing else holds."}},
	}
	for _, test := range tests {
		if got := analyze(set(10, test.lines...)); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestSuperscriptStaysInItsLine(t *testing.T) {
	glyphs := set(10, placed{50, 100, "a measure of x2 in it"})
	for i := range glyphs {
		if glyphs[i].Rune == '2' {
			glyphs[i].Base, glyphs[i].Size, glyphs[i].Space = 96, 7, '\n'
		}
	}
	if got := analyze(glyphs); !reflect.DeepEqual(got, []string{"a measure of x2 in it"}) {
		t.Errorf("got %q", got)
	}
}

func TestLeapsAreReadByPlace(t *testing.T) {
	var lines []placed
	var want []string
	for i := range 20 {
		text := strings.Repeat("x", 20) + string(rune('a'+i))
		lines = append([]placed{{50, 100 + 12*float64(i), text}}, lines...)
		want = append(want, text)
	}
	got := analyze(set(10, lines...))
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("lines that are drawn from the foot up must be read from the top down: %q", got)
	}
}

func TestBoxesHaveTheirPlace(t *testing.T) {
	glyphs := set(10, placed{50, 100, "above the table"}, placed{50, 300, "below the table"}, placed{350, 100, "in the column beside"})
	blocks, words := Analyze(Page{Width: 600, Height: 800, Glyphs: glyphs, Boxes: []Rect{{50, 120, 250, 280}}, Walls: 1})
	if got, want := texts(blocks, words), []string{"above the table", "", "below the table", "in the column beside"}; !reflect.DeepEqual(got, want) || blocks[1].Kind != Box {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzAnalyze(f *testing.F) {
	f.Add([]byte("\x10\x20\x30\x40abc\x00\xff\x80\x7f"), 10.0)
	f.Add([]byte(strings.Repeat("\x01\x00\x02\x03", 40)), 0.5)
	f.Fuzz(func(t *testing.T, data []byte, size float64) {
		if !(math.Abs(size) < 1e7) || len(data) > 4000 {
			t.Skip()
		}
		glyphs := random(data, math.Abs(size)+0.05)
		analyzed(t, Page{Width: 600, Height: 800, Glyphs: glyphs, Facts: Facts{BodySize: size}})
	})
}

// random scatters glyphs by the bytes: four of them each.
func random(data []byte, size float64) []Glyph {
	var out []Glyph
	x, y := 0.0, 0.0
	for i := 0; i+3 < len(data); i += 4 {
		a, b, c, d := data[i], data[i+1], data[i+2], data[i+3]
		x += float64(int8(a)) / 8
		y += float64(int8(b)) / 32
		s := size * (1 + float64(c%4)/4)
		box := Rect{Left: x, Right: x + s/2, Top: y - s, Bottom: y}
		g := Glyph{
			Seq: len(out), Index: i, End: i + 1, Rune: rune(d) + 1, Box: box, At: box, Base: y, Size: s,
			Turn: 90 * int(c>>6), Hyphen: d == '-', Hidden: c&15 == 15, Style: Style{Bold: c&16 != 0, Mono: c&32 != 0},
		}
		if d > 200 {
			g.Space = ' '
		}
		if d == 199 {
			g.Rune = 'م'
		}
		out = append(out, g)
		x += s / 2
	}
	return out
}

// TestFormulas: a large operator hangs above the baseline, with its limits at
// its right, and the line goes on after it.
func TestFormulas(t *testing.T) {
	glyphs := set(10, placed{50, 100, "so that"}, placed{86, 92, "∑"}, placed{106, 100, "of all is one."})
	at := func(text string, x, y float64) []Glyph { return set(7, placed{x, y, text}) }
	head, tail := glyphs[:7], glyphs[7:]
	var all []Glyph
	for _, part := range [][]Glyph{head, at("n", 91, 95), at("i=1", 91, 103), tail[0:]} {
		all = append(all, part...)
	}
	for i := range all {
		all[i].Seq, all[i].Index, all[i].End = i, 2*i, 2*i+1
	}
	all[6].Space, all[8].Space, all[11].Space = ' ', ' ', ' '
	if got, want := analyze(all), []string{"so that ∑n i=1 of all is one."}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
