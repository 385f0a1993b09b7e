package running

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Read collects what OCR has read at the edges of a document's pages, and says which
// of its units are running heads and feet. A page alone does not show that, so that
// its units are text; whoever sees all pages leaves out what is proved to repeat.
// The zero value is ready to use.
type Read struct {
	pages   []Page
	members [][][]string // ir_ids by page and row
	heights []float64    // of lines
	pitches []float64    // of the lines of paragraphs
	sizes   map[string]int
	out     map[string]bool
	titles  Titles // the document's own
}

// Add takes the next page. Pages on which OCR has read nothing are of no interest.
func (c *Read) Add(page model.Page, units []model.Unit) {
	if page.Title != "" {
		c.titles, c.out = Titles{}, nil
		c.titles.AddOwn(page.Title)
	}
	if !slices.ContainsFunc(units, func(u model.Unit) bool { return u.OCREngine != "" }) || page.Height <= 0 || page.Width <= 0 {
		return
	}
	c.out = nil
	rows := make([]unitRow, 0, len(units))
	for i := range units {
		if r, ok := c.row(page, &units[i]); ok {
			rows = append(rows, r)
		}
	}
	rows = joinRows(rows)
	p := Page{No: page.PageNo, Label: page.Label, Width: page.Width, Height: page.Height}
	if n := len(rows); n > 2*Reach {
		var rest []string
		for i := range rows[Reach : n-Reach] {
			if r := &rows[Reach+i]; r.Chars <= maxText {
				rest = append(rest, r.Text())
			}
		}
		p.Rest = func() []string { return rest }
		rows = slices.Delete(rows, Reach, n-Reach)
	}
	var members [][]string
	if c.sizes == nil {
		c.sizes = make(map[string]int)
	}
	for i := range rows {
		p.Rows, members = append(p.Rows, rows[i].Row), append(members, rows[i].ids)
		for k, id := range rows[i].ids {
			c.sizes[id] = rows[i].sizes[k]
		}
	}
	c.pages, c.members = append(c.pages, p), append(c.members, members)
}

// Characters is how many characters the units that are left out have.
func (c *Read) Characters() int {
	if c.out == nil {
		c.decide()
	}
	n := 0
	for id := range c.out {
		n += c.sizes[id]
	}
	return n
}

// LeftOut reports whether a unit of the pages is a running head or foot.
func (c *Read) LeftOut(irID string) bool {
	if c.out == nil {
		c.decide()
	}
	return c.out[irID]
}

func (c *Read) decide() {
	c.out = make(map[string]bool)
	if len(c.pages) < 2 {
		return // nothing repeats
	}
	f := Facts{Sampled: len(c.pages), Size: median(c.heights), Pitch: median(c.pitches), Read: true}
	if f.Pitch == 0 {
		f.Pitch = readPitch * f.Size
	}
	f.learn(c.pages, c.titles)
	for i := range c.pages {
		for k, kind := range Decide(&c.pages[i], &f, c.titles).Rows {
			if kind != Body {
				for _, id := range c.members[i][k] {
					c.out[id] = true
				}
			}
		}
	}
}

// unitRow is a row with the units that stand in it.
type unitRow struct {
	Row
	left, right float64
	ids         []string
	sizes       []int // characters, by ids
}

const (
	// readPitch is the distance of baselines as a multiple of the height of a line's
	// ink.
	readPitch = 1.5
	// letterShare is the width of a letter as a share of the distance of baselines: by
	// it the lines of a box are counted.
	letterShare = 0.42
	// inkShare is the height of a line's ink as a share of the distance of baselines.
	inkShare = 0.7
)

// row is a unit as a row: what is neither a paragraph nor a heading nor the one line of
// an item ("3. The mill" can be the head of a chapter), or was not read by OCR, is solid.
func (c *Read) row(page model.Page, u *model.Unit) (unitRow, bool) {
	if len(u.Evidence) != 1 || u.Evidence[0].BBox == nil || !u.Chunked() {
		return unitRow{}, false
	}
	b := u.Evidence[0].BBox
	top, height, width := b.Y*page.Height, b.H*page.Height, b.W*page.Width
	r := unitRow{left: b.X * page.Width, right: (b.X + b.W) * page.Width, ids: []string{u.IRID}, sizes: make([]int, 1)}
	r.Top, r.Base = top, top+height
	r.Chars = model.Visible(u.FieldsRaw.Text)
	lines := 1.0
	if width > 0 {
		lines = math.Max(1, math.Round(math.Sqrt(letterShare*float64(r.Chars)*height/width)))
	}
	isText := u.Type == model.UnitParagraph || u.Type == model.UnitHeading || u.Type == model.UnitListItem && lines == 1
	if u.OCREngine == "" || !isText {
		r.Solid, r.Chars = true, 0
		return r, true
	}
	r.sizes[0] = r.Chars
	if lines > 1 {
		pitch := height / (lines - 1 + inkShare)
		c.pitches, r.Size, r.First = append(c.pitches, pitch), inkShare*pitch, top+inkShare*pitch
	} else {
		r.Size = height
	}
	c.heights = append(c.heights, r.Size)
	parts := strings.Split(cmp.Or(u.FieldsRaw.TextPrinted, u.FieldsRaw.Text), "\t")
	for i, text := range parts { // where each stands is not known: spread over the width
		r.Parts = append(r.Parts, Part{Text: text, Left: r.left + width*float64(i)/float64(len(parts)), Right: r.left + width*float64(i+1)/float64(len(parts))})
	}
	return r, true
}

// joinRows sorts rows from the top down, and makes one of those that stand side by
// side.
func joinRows(rows []unitRow) []unitRow {
	slices.SortStableFunc(rows, func(a, b unitRow) int { return cmp.Or(cmp.Compare(a.Base, b.Base), cmp.Compare(a.left, b.left)) })
	var out []unitRow
	for _, r := range rows {
		n := len(out)
		if n == 0 || r.Solid || out[n-1].Solid || r.First > 0 || out[n-1].First > 0 || (r.Top+r.Base)/2 > out[n-1].Base || r.left < out[n-1].right && out[n-1].left < r.right {
			out = append(out, r)
			continue
		}
		a := &out[n-1]
		if r.left < a.left {
			a.Parts = append(slices.Clone(r.Parts), a.Parts...)
		} else {
			a.Parts = append(a.Parts, r.Parts...)
		}
		a.ids, a.sizes = append(a.ids, r.ids...), append(a.sizes, r.sizes...)
		a.left, a.right, a.Top, a.Base = math.Min(a.left, r.left), math.Max(a.right, r.right), math.Min(a.Top, r.Top), math.Max(a.Base, r.Base)
		a.Size, a.Chars = math.Max(a.Size, r.Size), a.Chars+r.Chars
	}
	return out
}

// median is the middle of some lengths, 0 of none.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(v))
	return sorted[(len(sorted)-1)/2]
}
