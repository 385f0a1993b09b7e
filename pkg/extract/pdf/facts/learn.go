package facts

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/extract/pdf/layout"
)

// MaxSample is how many pages are looked at, within the 32 of contracts 4. Each
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
	Lines []layout.Line  // in reading order, without those in tables
	Fonts map[string]int // characters by font
}

// Learn fills in what the sample shows: body, styles, running heads.
func (d *Document) Learn(pages []Page) {
	d.Version = Version
	d.Styles, d.Running, d.Sample, d.Hyphenated = []Style{}, []Running{}, []Sheet{}, []string{}
	if d.Outline == nil {
		d.Outline = []Entry{}
	}
	for i := range pages {
		d.Sample = append(d.Sample, pages[i].Sheet)
	}
	d.learnBody(pages)
	d.learnRunning(pages)
	d.learnStyles(pages)
	d.learnHyphenated(pages)
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
		blocks := layout.Blocks(layout.Page{Width: pages[i].Width, Height: pages[i].Height, Facts: d.Page(pages[i].PageNo, pages[i].Height)}, pages[i].Lines)
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

// raised is the share of the line's size below which its first character can be a
// raised one.
const raised = 0.86

// candidate is a line near the upper or lower edge of a page.
type candidate struct {
	foot   bool
	from   float64
	text   string
	pageNo int
	number int // what it begins or ends with, less the page's own; none otherwise
	numbed bool
	outer  bool // nothing on the page stands further out
	far    bool // beyond edge: it must count the pages
}

const (
	// edge is the share of the page's height in which running heads stand.
	edge = 0.15
	// numberEdge is the same for a page's number that stands alone.
	numberEdge = 0.22
	// edgeLines is how many heights from the edge on are looked at.
	edgeLines = 4
)

// nothingElse reports whether most pages that have text would have none but
// running heads and feet.
func (d *Document) nothingElse(pages []Page) bool {
	bare, filled := 0, 0
	for i := range pages {
		lines, all := 0, 0
		rest := false
		for k := range pages[i].Lines {
			l := &pages[i].Lines[k]
			lines += len(l.Glyphs)
			rest = rest || d.running(l, pages[i].Height) == layout.Paragraph
		}
		for _, n := range pages[i].Fonts {
			all += n
		}
		rest = rest || all > 2*lines // a table, whose text is in no line
		switch {
		case rest:
			filled++
		case len(pages[i].Lines) > 0:
			bare++
		}
	}
	return bare > filled
}

func (d *Document) learnRunning(pages []Page) {
	var all []candidate
	for i := range pages {
		all = append(all, candidates(&pages[i], false)...)
		all = append(all, candidates(&pages[i], true)...)
	}
	least := 2
	if len(pages) > 8 {
		least = 3
	}
	found := repeated(all, least, len(pages))
	found = append(found, bands(all, found, len(pages))...)
	found = append(found, turned(pages, least)...)
	slices.SortStableFunc(found, func(a, b Running) int {
		return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(rank(a.Foot), rank(b.Foot)), cmp.Compare(a.From, b.From), cmp.Compare(a.Text, b.Text))
	})
	d.Running = append(d.Running, found[:min(len(found), maxRunning)]...)
	if d.nothingElse(pages) {
		d.Running = []Running{} // what most pages consist of is their text
	}
}

// sideShare is the share of the page's width at its sides in which turned texts
// are looked at.
const sideShare = 0.1

// turned returns the texts in the side margins that do not run to the right and
// stand on at least so many pages. They count as feet.
func turned(pages []Page, least int) []Running {
	on := map[Running]int{}
	var out []Running
	for i := range pages {
		seen := map[Running]bool{}
		for k := range pages[i].Lines {
			l := &pages[i].Lines[k]
			side := sideShare * pages[i].Width
			if l.Turn == 0 || l.Hidden || len(l.Glyphs) > 120 || l.Box.Right > side && l.Box.Left < pages[i].Width-side {
				continue
			}
			r := Running{Foot: true, Text: Fold(l.String()), Turn: l.Turn}
			if r.Text == "" || seen[r] {
				continue
			}
			seen[r] = true
			if on[r]++; on[r] == least {
				out = append(out, r)
			}
		}
	}
	return out
}

func rank(foot bool) int {
	if foot {
		return 1
	}
	return 0
}

// candidates returns the lines of a page that can be running heads or feet.
func candidates(p *Page, foot bool) []candidate {
	var out []candidate
	for i := range p.Lines {
		l := &p.Lines[i]
		from := l.Base
		if foot {
			from = p.Height - l.Base
		}
		if l.Turn != 0 || from > numberEdge*p.Height || len(l.Glyphs) > 250 {
			continue
		}
		c := candidate{foot: foot, from: from, text: Fold(l.String()), pageNo: p.PageNo}
		if c.far = from > edge*p.Height; c.far && strings.Trim(c.text, "#-–— ") != "" {
			continue
		}
		c.number, c.numbed = number(l)
		c.number -= p.PageNo
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(a.from, b.from) })
	heights := 0
	for i := range out {
		if i == 0 || out[i].from-out[i-1].from > heightSlack {
			heights++
		}
		if heights > edgeLines {
			return out[:i]
		}
		out[i].outer = heights == 1
	}
	return out
}

// number is the number that the line begins or ends with, but for that of a note:
// raised, or with a sign behind it.
func number(l *layout.Line) (n int, ok bool) {
	text := []rune(l.String())
	from := 0
	for from < len(text) && unicode.IsDigit(text[from]) {
		from++
	}
	if from < len(text) && (strings.ContainsRune(".)", text[from]) || from > 0 && l.Glyphs[0].Size < raised*l.Size) {
		from = 0
	}
	to := len(text)
	for to > 0 && unicode.IsDigit(text[to-1]) {
		to--
	}
	for _, s := range []string{string(text[to:]), string(text[:from])} {
		if v, err := strconv.Atoi(s); err == nil && len(s) <= 5 {
			return v, true
		}
	}
	return 0, false
}

// repeated returns the texts that stand at one height on at least so many
// pages; on most pages, where something stands further out: "Definition 7" may
// begin the text of many.
func repeated(all []candidate, least, pages int) []Running {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(rank(a.foot), rank(b.foot)), cmp.Compare(a.text, b.text), cmp.Compare(a.from, b.from), cmp.Compare(a.pageNo, b.pageNo))
	})
	var out []Running
	for start := 0; start < len(sorted); {
		end := start + 1
		for end < len(sorted) && sorted[end].foot == sorted[start].foot && sorted[end].text == sorted[start].text && sorted[end].from-sorted[start].from <= heightSlack {
			end++
		}
		group := sorted[start:end]
		n, outer := distinct(group), 0
		for i := range group {
			outer += rank(group[i].outer)
			if group[i].far && (!group[i].numbed || group[i].number != group[0].number) {
				n = 0 // a number that does not count the pages
			}
		}
		if c := group[len(group)/2]; c.text != "" && n >= least && (2*outer >= len(group) || 5*n >= 2*pages) {
			out = append(out, Running{Foot: c.foot, From: roundSize(c.from), Text: c.text})
		}
		start = end
	}
	return out
}

func distinct(c []candidate) int {
	n := 0
	seen := map[int]bool{}
	for i := range c {
		if !seen[c[i].pageNo] {
			seen[c[i].pageNo] = true
			n++
		}
	}
	return n
}

// bands returns the heights at which most pages have a running head or foot
// that changes with the chapter: most of the lines there repeat or hold the
// page's number, and nothing else stands further out.
func bands(all []candidate, known []Running, pages int) []Running {
	if pages < 3 {
		return nil
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(rank(a.foot), rank(b.foot)), cmp.Compare(a.from, b.from), cmp.Compare(a.pageNo, b.pageNo))
	})
	var out []Running
	for start := 0; start < len(sorted); {
		end := start + 1
		for end < len(sorted) && sorted[end].foot == sorted[start].foot && sorted[end].from-sorted[start].from <= heightSlack {
			end++
		}
		group := sorted[start:end]
		outermost := start == 0 || sorted[start-1].foot != group[0].foot || len(out) > 0 && out[len(out)-1].Foot == group[0].foot
		if outermost && 2*distinct(group) >= pages && mostlyRunning(group, known) {
			out = append(out, Running{Foot: group[0].foot, From: roundSize(group[len(group)/2].from)})
		}
		start = end
	}
	return out
}

// mostlyRunning reports whether three fifths of the group repeat or hold the
// page's number.
func mostlyRunning(group []candidate, known []Running) bool {
	offsets := map[int]int{}
	for i := range group {
		if group[i].numbed {
			offsets[group[i].number]++
		}
	}
	pages := map[string]int{} // neighbours of the sample share the head of their chapter
	type onPage struct {
		text   string
		pageNo int
	}
	seen := map[onPage]bool{}
	for i := range group {
		if at := (onPage{group[i].text, group[i].pageNo}); at.text != "" && !seen[at] {
			seen[at] = true
			pages[at.text]++
		}
	}
	n := 0
	for i := range group {
		c := &group[i]
		repeats := pages[c.text] >= 2 && c.outer || slices.ContainsFunc(known, func(r Running) bool {
			return r.Foot == c.foot && r.Text == c.text && math.Abs(r.From-c.from) <= heightSlack
		})
		if repeats || c.numbed && offsets[c.number] >= 2 {
			n++
		}
	}
	return 5*n >= 3*len(group)
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
		if r := []rune(e.Title); len(r) > MaxTitle {
			e.Title = string(r[:MaxTitle])
		}
		out = append(out, e)
	}
	return out
}
