package facts

import (
	"cmp"
	"math"
	"slices"

	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/running"
)

// MaxSample is how many pages are looked at (contracts#facts). Each
// costs the engine as much as extracting it does; twice as many make no facts
// better on a corpus of documents with ground truth.
const MaxSample = 16

// SampleOf returns the numbers, from 1, of the pages to look at in a document
// of n pages: all, or pairs of neighbours evenly spread, since left and right
// pages have different heads.
func SampleOf(n int) []int {
	var out []int
	if n <= MaxSample {
		for i := range n {
			out = append(out, i+1)
		}
		return out
	}
	const pairs = MaxSample / 2
	for k := range pairs {
		first := 1 + k*(n-2)/(pairs-1)
		out = append(out, first, first+1)
	}
	return out
}

// Page is what is learnt from: one page of the sample.
type Page struct {
	Sheet
	Lines  []layout.Line  // in reading order, without those in tables
	Tables []layout.Rect  // the places of tables
	Fonts  map[string]int // characters by font
	// Boxed are the characters in tables, which Lines are without, by size.
	Boxed map[float64]running.Boxed
}

// CountBoxed counts the characters of a page that are in no rest, by size.
func CountBoxed(all, rest []layout.Glyph) map[float64]running.Boxed {
	out := map[float64]running.Boxed{}
	add := func(glyphs []layout.Glyph, n int) {
		for i := range glyphs {
			g := &glyphs[i]
			b := out[g.Size]
			b.Chars += n
			switch {
			case g.Marked:
				b.Content += n
			case g.Artifact:
				b.Artifacts += n
			}
			out[g.Size] = b
		}
	}
	add(all, 1)
	add(rest, -1)
	return out
}

// Learn fills in what the sample shows: body, styles, running heads.
func (d *Document) Learn(pages []Page) {
	d.Version = Version
	d.Styles, d.Sample, d.Hyphenated = []Style{}, []Sheet{}, []string{}
	if d.Outline == nil {
		d.Outline = []Entry{}
	}
	for i := range pages {
		d.Sample = append(d.Sample, pages[i].Sheet)
	}
	d.index = titlesOf(d.Outline, d.Title)
	d.learnBody(pages)
	d.learnRunning(pages)
	d.learnStyles(pages)
	d.learnHyphenated(pages)
	d.index = nil // no part of the record
}

// learnHyphenated collects the words with a hyphen inside of a line.
func (d *Document) learnHyphenated(pages []Page) {
	for i := range pages {
		for w := range layout.Hyphenated(pages[i].Lines) {
			if len(w) <= maxWord {
				d.Hyphenated = append(d.Hyphenated, w)
			}
		}
	}
	slices.Sort(d.Hyphenated)
	d.Hyphenated = slices.Compact(d.Hyphenated)
	d.Hyphenated = d.Hyphenated[:min(len(d.Hyphenated), maxHyphenated)]
}

// roundSize is how sizes are stored and compared: to a tenth of a point.
func roundSize(v float64) float64 { return math.Round(float64(v*10)) / 10 }

// learnBody finds the size in which most characters are set.
func (d *Document) learnBody(pages []Page) {
	type tally struct {
		size          float64
		n, bold, mono int
	}
	var tallies []tally
	at := map[float64]int{}
	for i := range pages {
		for k := range pages[i].Lines {
			l := &pages[i].Lines[k]
			size := roundSize(l.Size)
			t, ok := at[size]
			if !ok {
				t = len(tallies)
				at[size] = t
				tallies = append(tallies, tally{size: size})
			}
			tallies[t].n += len(l.Glyphs)
			if l.Bold {
				tallies[t].bold += len(l.Glyphs)
			}
			if l.Mono {
				tallies[t].mono += len(l.Glyphs)
			}
		}
	}
	if len(tallies) == 0 {
		return
	}
	best := slices.MaxFunc(tallies, func(a, b tally) int {
		return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(b.size, a.size))
	})
	d.Body.Size, d.Body.Bold, d.Body.Mono = best.size, 2*best.bold > best.n, 2*best.mono > best.n
	d.Body.Font = bodyFont(pages)
}

// bodyFont is the name of the font with most characters.
func bodyFont(pages []Page) string {
	total := map[string]int{}
	var names []string
	for i := range pages {
		for name, n := range pages[i].Fonts {
			if _, ok := total[name]; !ok {
				names = append(names, name)
			}
			total[name] += n
		}
	}
	slices.Sort(names)
	best := ""
	for _, name := range names {
		if best == "" || total[name] > total[best] {
			best = name
		}
	}
	return best
}

// learnStyles gives levels to the styles that headings are set in, the largest
// first.
func (d *Document) learnStyles(pages []Page) {
	var styles []Style
	for i := range pages {
		blocks := layout.Blocks(layout.Page{Width: pages[i].Width, Height: pages[i].Height, Facts: d.Page(pages[i].Sheet), Boxes: pages[i].Tables, Walls: len(pages[i].Tables)}, pages[i].Lines)
		for k := range blocks {
			if b := &blocks[k]; b.Kind == layout.Heading {
				styles = append(styles, Style{Size: roundSize(b.Size), Bold: b.Bold})
			}
		}
	}
	slices.SortStableFunc(styles, func(a, b Style) int {
		bold := 0
		if a.Bold != b.Bold {
			bold = 1
			if a.Bold {
				bold = -1
			}
		}
		return cmp.Or(cmp.Compare(b.Size, a.Size), bold)
	})
	for _, s := range styles {
		n := len(d.Styles)
		switch {
		case n == 0:
			s.Level = 1
		case near(d.Styles[n-1].Size, s.Size) && d.Styles[n-1].Bold == s.Bold:
			continue
		default:
			s.Level = min(d.Styles[n-1].Level+1, 6)
		}
		if n < 32 {
			d.Styles = append(d.Styles, s)
		}
	}
}

// learnRunning finds what repeats at the edges of the pages.
func (d *Document) learnRunning(pages []Page) {
	rows := make([]running.Page, len(pages))
	for i := range pages {
		rows[i] = rowsOf(pages[i].Sheet, pages[i].Lines, pages[i].Tables).page
		for _, b := range pages[i].Boxed {
			rows[i].Boxed.Chars += b.Chars
			rows[i].Boxed.Content += b.Content
			rows[i].Boxed.Artifacts += b.Artifacts
		}
	}
	d.Margins = running.Learn(rows, textSize(pages), d.index)
}

// textSize is the size in which most characters are set, in tables and outside: that of
// the text of a statement of account, whose lines in no table are its heads.
func textSize(pages []Page) float64 {
	on := map[float64]int{}
	for i := range pages {
		for k := range pages[i].Lines {
			on[roundSize(pages[i].Lines[k].Size)] += len(pages[i].Lines[k].Glyphs)
		}
		for size, b := range pages[i].Boxed {
			on[roundSize(size)] += b.Chars
		}
	}
	best := 0.0
	for size, n := range on {
		if n > on[best] || n == on[best] && size < best {
			best = size
		}
	}
	return best
}

// CutTitle cuts a title to MaxTitle characters.
func CutTitle(title string) string {
	if r := []rune(title); len(r) > MaxTitle {
		return string(r[:MaxTitle])
	}
	return title
}

// Trim cuts the outline to what a record may hold.
func Trim(entries []Entry) []Entry {
	out := []Entry{}
	for _, e := range entries {
		if len(out) == MaxOutline {
			break
		}
		if e.Level > maxLevels {
			continue
		}
		e.Title = CutTitle(e.Title)
		out = append(out, e)
	}
	return out
}
