package running

import (
	"cmp"
	"math"
	"slices"
)

// Facts are what is known of the running heads and feet of a document. A page and
// its facts decide what goes, its neighbours do not.
type Facts struct {
	// Sampled is how many pages were looked at.
	Sampled int `json:"sampled"`
	// Pitch is the distance of the baselines of the text, Size that of its type.
	Pitch float64 `json:"pitch"`
	Size  float64 `json:"size"`
	// Tagged: the file says of nearly all of its text what it is; Artifacts: what it
	// calls an artifact can be believed.
	Tagged    bool     `json:"tagged,omitempty"`
	Artifacts bool     `json:"artifacts,omitempty"`
	Offsets   []Offset `json:"offsets,omitempty"`    // of printed numbers, sorted
	Letters   []string `json:"letters,omitempty"`    // what stands before printed numbers, as "s" in S12, sorted
	Stamps    []int    `json:"stamps,omitempty"`     // of stamped numbers, which begin with 0: what is added to the page, for them alone
	ByChapter bool     `json:"by_chapter,omitempty"` // pages are numbered by chapter, as 2.1
	Titled    int      `json:"titled,omitempty"`     // titles have the page's number beside them: TitledSmall, TitledAll
	// Labelled: one word has the page's number beside it, in small type.
	Labelled bool `json:"labelled,omitempty"`
	// Mirrored: titles have the page's number beside them, before them on left (even)
	// pages and behind them on right ones.
	Mirrored bool    `json:"mirrored,omitempty"`
	Places   []Place `json:"places,omitempty"` // heads first, from the edge inwards
	Sides    []Aside `json:"sides,omitempty"`  // texts in side margins
	// Read: OCR has read the pages, whose heights and sizes are not exact.
	Read bool `json:"read,omitempty"`
}

// Place is a height, size and weight in which running texts stand.
type Place struct {
	Foot bool    `json:"foot,omitempty"`
	From float64 `json:"from"` // of the baseline, from the upper edge; of a foot from the lower one
	Size float64 `json:"size"`
	Bold bool    `json:"bold,omitempty"`
	// Texts are keys of whole rows that stand there on several pages, sorted.
	Texts []string `json:"texts,omitempty"`
	// Changing: most pages have a head here that changes with the chapter. Parts are
	// the keys of its parts, or of their pieces, that stand here on more pages than one
	// or in the text of an earlier page.
	Changing bool     `json:"changing,omitempty"`
	Parts    []string `json:"parts,omitempty"`
}

// Aside is a text in the side margins of several pages.
type Aside struct {
	Turn int     `json:"turn"`
	From float64 `json:"from,omitempty"` // of the baseline of an upright one, from the upper edge
	Size float64 `json:"size"`
	Text string  `json:"text"` // its key
}

// Titles are the titles of a document's outline, by their core, each with the first
// page that it leads to.
type Titles map[string]int

// AddTitle adds a title that leads to page pageNo, from 1; 0 leads nowhere.
func (t Titles) AddTitle(title string, pageNo int) {
	if c := core(fold(title)); pageNo > 0 && c != "" {
		if at, ok := t[c]; !ok || pageNo < at {
			t[c] = pageNo
		}
	}
}

// AddOwn adds the title of the document itself, as its metadata has it.
func (t Titles) AddOwn(title string) {
	if c := core(fold(title)); len(c) >= leastTitle {
		t[c] = 0
	}
}

// own reports whether a core is that of the document's own title.
func (t Titles) own(core string) bool {
	no, known := t[core]
	return known && no == 0
}

const (
	// fewPages is how many pages a document has in which two pages prove a text and
	// not three.
	fewPages = 8
	// heightSlack is how far a running head may be off, in points; readSlack is the
	// share of the page's height for pictures, which are laid on the glass by hand.
	heightSlack, readSlack = 2, 0.012
	// sizeSlack is how much sizes of one style differ at most, readSize how much the
	// heights of lines that OCR has read.
	sizeSlack, readSize = 0.04, 0.3
	// taggedShare is the share of the characters, in tenths, of which the file must
	// say what they are for that to count; maxArtifacts that of artifacts beyond
	// which a program has called everything one.
	taggedShare, maxArtifacts = 8, 4
	// maxPlaces, maxTexts and maxOffsets bound the record.
	maxPlaces, maxTexts, maxOffsets = 64, 64, 8
	// defaultPitch is that of text in which no two rows follow each other, in ems.
	defaultPitch = 1.2
)

// Learn finds out what repeats on pages, in the order of their numbers. size is that
// of the document's text; titles may be nil.
func Learn(pages []Page, size float64, titles Titles) Facts {
	f := Facts{Sampled: len(pages), Size: size}
	f.learn(pages, titles)
	return f
}

func (f *Facts) learn(pages []Page, titles Titles) {
	f.learnPitch(pages)
	f.learnMarks(pages)
	f.learnOffsets(pages, titles)
	f.learnLetters(pages)
	f.learnByChapter(pages)
	f.learnTitled(pages, titles)
	found := f.candidates(pages)
	byKey := make(map[string][]candidate)
	for i := range found {
		byKey[found[i].key] = append(byKey[found[i].key], found[i])
	}
	f.learnPlaces(pages, found, byKey, titles)
	f.learnChanging(pages, found, byKey, titles)
	f.learnOnce(pages, found, titles)
	f.learnSides(pages)
	f.sort()
	if f.nothingElse(pages, titles) {
		f.Places = nil // what most pages consist of is their text
	}
}

// least is how many pages prove a text.
func (f *Facts) least() int {
	if f.Sampled > fewPages {
		return 3
	}
	return 2
}

func (f *Facts) learnPitch(pages []Page) {
	if f.Read {
		return // known from the lines of paragraphs
	}
	var steps []float64
	for i := range pages {
		rows := pages[i].Rows
		for k := 1; k < len(rows); k++ {
			a, b := &rows[k-1], &rows[k]
			step := b.Base - a.Base
			if !a.Solid && !b.Solid && f.sameSize(a.Size, b.Size) && step > 0.5*a.Size && step < 3*a.Size {
				steps = append(steps, step)
			}
		}
	}
	if f.Pitch = defaultPitch * f.Size; len(steps) > 0 {
		slices.Sort(steps)
		f.Pitch = round(max(steps[(len(steps)-1)/2], f.Size)) // columns beside each other have no smaller one
	}
}

// learnMarks finds out whether what the file says by marked content is to be
// believed.
func (f *Facts) learnMarks(pages []Page) {
	all, content, artifacts := 0, 0, 0
	for i := range pages {
		all += pages[i].Boxed.Chars
		content += pages[i].Boxed.Content
		artifacts += pages[i].Boxed.Artifacts
		for k := range pages[i].Rows {
			r := &pages[i].Rows[k]
			n := r.Chars
			all += n
			switch r.Mark {
			case Content:
				content += n
			case Artifact:
				artifacts += n
			}
		}
	}
	f.Tagged = content > 0 && 10*(content+artifacts) >= taggedShare*all
	f.Artifacts = artifacts > 0 && 10*artifacts <= maxArtifacts*all
}

// learnOffsets finds out how the printed numbers of pages run.
func (f *Facts) learnOffsets(pages []Page, titles Titles) {
	on, said := map[Offset]int{}, map[Offset]bool{} // pages; that some row says it is the page's
	var lone []loneNumber
	var rows []edgeNumber
	for i := range pages {
		lone = append(lone, pages[i].loneNumbers(f)...)
		rows = append(rows, pages[i].edgeNumbers(f)...)
	}
	mirrored := [2]bool{isMirroredEdge(rows, false), isMirroredEdge(rows, true)}
	seen := map[Offset]int{} // the page that was counted last
	for _, n := range rows {
		things := f.countsThings(pages, n, mirrored[kindOf(n.foot)], titles)
		for _, part := range n.page.Rows[n.row].Parts {
			text := fold(part.Text)
			for _, s := range numbersIn(text) {
				v, isRoman := value(text[s.from:s.to])
				o := Offset{isRoman, v - n.page.No}
				if mirrored[kindOf(n.foot)] || counted.MatchString(text) || text[s.from:s.to] == fold(n.page.Label) {
					said[o] = true
				}
				if !things && seen[o] != n.page.No {
					seen[o] = n.page.No
					on[o]++
				}
			}
		}
	}
	for i := range pages {
		for k := range pages[i].Sides {
			if o, ok := sideNumber(&pages[i], &pages[i].Sides[k]); ok && seen[o] != pages[i].No {
				seen[o] = pages[i].No
				on[o]++
			}
		}
	}
	for o, n := range on {
		if (n >= f.least() || f.Sampled < fewerPages && o == (Offset{})) && !isChance(lone, o, n) && (said[o] || !areYears(pages, o)) {
			f.Offsets = append(f.Offsets, o)
		}
	}
	slices.SortFunc(f.Offsets, func(a, b Offset) int {
		return cmp.Or(cmp.Compare(on[b], on[a]), cmp.Compare(a.Shift, b.Shift), cmp.Compare(kindOf(a.Roman), kindOf(b.Roman)))
	})
	f.Offsets = f.Offsets[:min(len(f.Offsets), maxOffsets)]
}

// areYears reports an offset that makes years of all pages.
func areYears(pages []Page, o Offset) bool {
	return !o.Roman && pages[0].No+o.Shift >= firstYear && pages[len(pages)-1].No+o.Shift <= lastYear
}

// edgeNumbers returns the rows at the edges of a page that have what can be its number,
// and are apart from the text, or outwards of one that is.
func (p *Page) edgeNumbers(f *Facts) []edgeNumber {
	var out []edgeNumber
	for _, foot := range []bool{false, true} {
		var held []edgeNumber // only a row that is apart can prove them
		for _, k := range p.edgeRows(foot) {
			r := &p.Rows[k]
			if p.from(r, foot) > numberEdge*p.Height {
				break
			}
			for i, part := range r.Parts {
				text := fold(part.Text)
				if spans := numbersIn(text); len(spans) > 0 {
					n, _ := value(text[spans[0].from:spans[0].to])
					held = append(held, edgeNumber{page: p, row: k, foot: foot, number: n, leads: i == 0 && (part.Left+part.Right)/2 < p.Width/2})
					break
				}
			}
			if p.apart(k, foot, f) { // heads of several rows are apart as a whole
				out, held = append(out, held...), nil
			}
		}
	}
	return out
}

// loneNumber is an Arabic number that is all of the outermost row at an edge of a page.
type loneNumber struct {
	pageNo int
	foot   bool
	offset Offset
}

// loneNumbers returns those of a page, one of each edge at most.
func (p *Page) loneNumbers(f *Facts) []loneNumber {
	var out []loneNumber
	for _, foot := range []bool{false, true} {
		edge := p.edgeRows(foot)
		if len(edge) == 0 || len(p.Rows[edge[0]].Parts) != 1 || !p.apart(edge[0], foot, f) {
			continue
		}
		part := fold(p.Rows[edge[0]].Parts[0].Text)
		if spans := numbersIn(part); len(spans) == 1 && alone.MatchString(part) {
			if n, isRoman := value(part[spans[0].from:spans[0].to]); !isRoman {
				out = append(out, loneNumber{p.No, foot, Offset{Shift: n - p.No}})
			}
		}
	}
	return out
}

const (
	// chanceShare is the share of the lone numbers that run with the pages, in quarters,
	// up to which numbers between them may be others: one may be read wrongly.
	chanceShare = 1
	// leastRun is how many lone numbers must run with the pages where most do not, as
	// those of an annex that is numbered anew.
	leastRun = 3
)

// isChance reports an offset that n pages have only because some of their lone numbers
// happen to be as far apart as the pages: sums, results.
func isChance(lone []loneNumber, o Offset, n int) bool {
	for _, foot := range []bool{false, true} {
		of, all, first, last := 0, 0, 0, 0
		for _, l := range lone {
			if l.foot != foot {
				continue
			}
			if all++; l.offset == o {
				of++
				first, last = min(cmp.Or(first, l.pageNo), l.pageNo), max(last, l.pageNo)
			}
		}
		if of < n {
			continue // other rows have it too
		}
		others := 0
		for _, l := range lone {
			if l.foot == foot && l.offset != o && l.pageNo > first && l.pageNo < last {
				others++
			}
		}
		return 4*others > chanceShare*of || 2*of < all && of < leastRun
	}
	return false
}

// fewerPages is how many pages a document has at least in which a page's number must
// be seen on several: "Page 2 of 2" stands alone where the first page has none.
const fewerPages = 4

func kindOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// candidate is a row at an edge of a page that can be a running head by itself.
type candidate struct {
	page  *Page
	row   int // in page.Rows
	foot  bool
	from  float64
	key   string
	owned bool // it holds the page's own number
	bare  bool // and nothing else
	apart bool // from what follows inwards
	outer bool // nothing but what is apart stands further out
}

func (c *candidate) r() *Row { return &c.page.Rows[c.row] }

// candidates returns the rows at the edges of pages.
func (f *Facts) candidates(pages []Page) []candidate {
	var out []candidate
	for i := range pages {
		p := &pages[i]
		for _, foot := range []bool{false, true} {
			outer := true
			for _, k := range p.edgeRows(foot) {
				c := candidate{page: p, row: k, foot: foot, from: p.from(&p.Rows[k], foot), outer: outer}
				c.key, c.owned, c.bare = f.key(p, c.r())
				c.apart = p.apart(k, foot, f)
				outer = outer && c.apart
				out = append(out, c)
			}
		}
	}
	return out
}

// near reports whether two rows stand at one height, in one size and weight.
func (f *Facts) near(p *Page, from float64, size float64, bold bool, at *Place) bool {
	slack := float64(heightSlack)
	if f.Read {
		return math.Abs(from-at.From) <= readSlack*p.Height && f.sameSize(size, at.Size)
	}
	return math.Abs(from-at.From) <= slack && f.sameSize(size, at.Size) && bold == at.Bold
}

// sameSize reports whether two sizes are of one style.
func (f *Facts) sameSize(a, b float64) bool {
	slack := sizeSlack
	if f.Read {
		slack = readSize
	}
	return math.Abs(a-b) <= slack*math.Max(a, b)
}

// isSmall and isLarge compare a row with the type of the text.
func (f *Facts) isSmall(r *Row) bool {
	if f.Read {
		return r.Size <= readSmaller*f.Size
	}
	return r.Size <= smaller*f.Size
}

func (f *Facts) isLarge(r *Row) bool {
	if f.Read {
		return r.Size > readLarger*f.Size
	}
	return r.Size > larger*f.Size
}

// round is how lengths are stored: to a tenth of a point.
func round(v float64) float64 { return math.Round(v*10) / 10 }

// sort puts the record into its order and cuts it to its bounds.
func (f *Facts) sort() {
	slices.SortStableFunc(f.Places, func(a, b Place) int {
		return cmp.Or(cmp.Compare(kindOf(a.Foot), kindOf(b.Foot)), cmp.Compare(a.From, b.From), cmp.Compare(a.Size, b.Size), cmp.Compare(kindOf(a.Bold), kindOf(b.Bold)))
	})
	f.Places = f.Places[:min(len(f.Places), maxPlaces)]
	slices.SortStableFunc(f.Sides, func(a, b Aside) int {
		return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Text, b.Text), cmp.Compare(a.Size, b.Size))
	})
	f.Sides = f.Sides[:min(len(f.Sides), maxTexts)]
}

// nothingElse reports whether most pages that have text would have none but running
// heads and feet.
func (f *Facts) nothingElse(pages []Page, titles Titles) bool {
	bare, filled := 0, 0
	for i := range pages {
		p := &pages[i]
		if len(p.Rows) == 0 {
			continue
		}
		if slices.Contains(Decide(p, f, titles).Rows, Body) {
			filled++
		} else {
			bare++
		}
	}
	return bare > filled
}
