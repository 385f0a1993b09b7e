package running

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

// besideNumber marks the key of a title that was counted with a number beside it.
const besideNumber = "beside a number: "

// Claims proves of the running heads and feet of a PDF that they are some: that what
// is left out of its chunks stands elsewhere in it too, page numbers aside. It knows
// nothing of how they were found. The zero value is ready to use: all pages are
// added, then Open says what is left to be looked for in their text, and Search looks.
type Claims struct {
	facts  Facts    // of which Offsets and Letters count
	titled []Offset // of numbers beside titles
	claims []claim
	on     map[string]int // pages by key of a row or part
	last   map[string]int // the page that was counted last
	open   []claim
	titles Titles // the document's own
}

// claim is a unit that says it is a running head or foot.
type claim struct {
	page Page
	id   string
	text string
	rows [][]string // folded parts
	// aside: the file sets it outside of its text, so that a number beside one word is the page's
	aside bool
}

// split divides a part into a title and the number beside it.
func (c *claim) split(part string) (title, number string, ok bool) {
	if c.aside {
		return splitBeside(part)
	}
	title, number, _, ok = splitTitle(part)
	return title, number, ok
}

// Unproved is a unit that is left out of chunks and stands nowhere else.
type Unproved struct {
	PageNo int
	IRID   string
	Text   string
}

// firstVersion is the parser_version from which on units of PDF files are running
// heads only where that can be proved.
const firstVersion = 7

// Add takes the next page.
func (c *Claims) Add(page model.Page, units []model.Unit) {
	if page.Title != "" {
		c.titles = Titles{}
		c.titles.AddOwn(page.Title)
	}
	for i := range units {
		u := &units[i]
		if u.Type != model.UnitPageHeader && u.Type != model.UnitPageFooter || len(u.Evidence) == 0 || u.Evidence[0].PageNumber == 0 || isProved(u) {
			continue
		}
		found := claim{page: Page{No: page.PageNo, Label: page.Label}, id: u.IRID, text: u.FieldsRaw.Text, aside: slices.Contains(u.FieldsRaw.Flags, FlagOutside)}
		printed := u.FieldsRaw.TextPrinted
		if printed == "" {
			printed = u.FieldsRaw.Text
		}
		for row := range strings.SplitSeq(printed, "\n") {
			var parts []string
			for part := range strings.SplitSeq(row, "\t") {
				parts = append(parts, fold(part))
			}
			found.rows = append(found.rows, parts)
		}
		c.claims = append(c.claims, found)
	}
}

// isProved reports a unit that the file itself proves, or one of an older version.
func isProved(u *model.Unit) bool {
	version, err := strconv.Atoi(u.ParserVersion)
	return err != nil || version < firstVersion || slices.Contains(u.FieldsRaw.Flags, FlagArtifact) || slices.Contains(u.FieldsRaw.Flags, FlagOutline)
}

// Open proves by each other what can be, and reports whether claims are left that
// the text of the document must prove.
func (c *Claims) Open() bool {
	c.learnOffsets()
	c.on, c.last = make(map[string]int), make(map[string]int)
	for i := range c.claims {
		for _, row := range c.claims[i].rows {
			keys := c.keys(&c.claims[i], row)
			c.count(joinKeys(keys), c.claims[i].page.No)
			for _, k := range keys {
				for _, piece := range allPieces(k) {
					c.count(piece, c.claims[i].page.No)
				}
				if title, _, ok := c.claims[i].split(k); ok {
					c.count(besideNumber+title, c.claims[i].page.No)
				}
			}
		}
	}
	c.open = nil
	for i := range c.claims {
		if rest := c.unproved(&c.claims[i]); len(rest) > 0 {
			open := c.claims[i]
			open.rows = [][]string{rest}
			c.open = append(c.open, open)
		}
	}
	return len(c.open) > 0
}

// joinKeys is the key of a row whose parts may stand the other way round.
func joinKeys(keys []string) string { return strings.Join(slices.Sorted(slices.Values(keys)), "\t") }

func (c *Claims) count(key string, pageNo int) {
	if c.last[key] != pageNo {
		c.last[key] = pageNo
		c.on[key]++
	}
}

// learnOffsets finds how the numbers of the claims run.
func (c *Claims) learnOffsets() {
	on, titled, letters := map[Offset]int{}, map[Offset]int{}, map[string]int{}
	var folios []chapterFolio
	for i := range c.claims {
		p := &c.claims[i].page
		seen := map[Offset]bool{}
		for _, row := range c.claims[i].rows {
			for _, part := range row {
				for _, s := range numbersIn(part) {
					n, isRoman := value(part[s.from:s.to])
					seen[Offset{isRoman, n - p.No}] = true
				}
				if l, number, ok := splitLetters(part); ok {
					n, _ := value(number)
					letters[l]++
					seen[Offset{Shift: n - p.No}] = true
				}
				if folio, ok := chapterFolioOf(p.No, part); ok {
					folios = append(folios, folio)
				}
				if _, number, ok := c.claims[i].split(part); ok {
					n, isRoman := value(number)
					titled[Offset{isRoman, n - p.No}]++
				}
			}
		}
		for o := range seen {
			on[o]++
		}
	}
	c.facts.Offsets, c.facts.Letters, c.titled = nil, nil, nil
	slices.SortStableFunc(folios, func(a, b chapterFolio) int { return cmp.Compare(a.pageNo, b.pageNo) })
	c.facts.ByChapter = runWithPages(folios)
	for l, n := range letters {
		if n >= 2 {
			c.facts.Letters = append(c.facts.Letters, l)
		}
	}
	for o, n := range titled {
		if n >= 2 {
			c.titled = append(c.titled, o)
		}
	}
	for o, n := range on {
		if n >= 2 || o == (Offset{}) {
			c.facts.Offsets = append(c.facts.Offsets, o)
		}
	}
}

func (c *Claims) keys(claim *claim, row []string) []string {
	out := make([]string, len(row))
	for i, part := range row {
		out[i], _, _ = c.facts.partKey(&claim.page, part)
	}
	return out
}

// unproved returns the cores of the parts of a claim, or of their pieces, that no
// other claim proves.
func (c *Claims) unproved(claim *claim) []string {
	var out []string
	for _, row := range claim.rows {
		keys := c.keys(claim, row)
		if c.on[joinKeys(keys)] >= 2 {
			continue
		}
		for i, part := range row {
			if _, _, bare := c.facts.partKey(&claim.page, part); !bare {
				out = append(out, c.unprovedPieces(claim, keys[i])...)
			}
		}
	}
	return out
}

// unprovedPieces is unproved of a key.
func (c *Claims) unprovedPieces(claim *claim, key string) []string {
	if key == placeholder || c.on[key] >= 2 {
		return nil
	}
	pieces := piecesOf(key)
	if len(pieces) == 0 {
		if title, number, ok := claim.split(key); ok {
			if n, isRoman := value(number); slices.Contains(c.titled, Offset{isRoman, n - claim.page.No}) {
				if key = title; c.on[besideNumber+title] >= 2 {
					return nil
				}
			}
		}
		if title := titleOf(key); title != "" && !c.titles.own(title) {
			return []string{title}
		}
		return nil
	}
	var out []string
	for _, piece := range pieces {
		out = append(out, c.unprovedPieces(claim, piece)...)
	}
	return out
}

// Search looks in the text of a page for what is not proved. All pages are searched,
// each once.
func (c *Claims) Search(units []model.Unit) {
	if len(c.open) == 0 {
		return
	}
	for i := range units {
		u := &units[i]
		if !u.Chunked() {
			continue
		}
		text := strings.ReplaceAll(strings.Join(strings.Fields(fold(u.FieldsRaw.Text)), ""), "ß", "ss")
		for k := range c.open {
			c.open[k].rows[0] = slices.DeleteFunc(c.open[k].rows[0], func(part string) bool { return strings.Contains(text, part) })
		}
	}
	c.open = slices.DeleteFunc(c.open, func(o claim) bool { return len(o.rows[0]) == 0 })
}

// Left returns what nothing proves.
func (c *Claims) Left() []Unproved {
	var out []Unproved
	for i := range c.open {
		out = append(out, Unproved{PageNo: c.open[i].page.No, IRID: c.open[i].id, Text: c.open[i].text})
	}
	return out
}
