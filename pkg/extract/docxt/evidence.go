package docxt

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Mark is a part of a unit's text in which an entity was found.
type Mark struct {
	Start, End int    // bytes of the text, half open
	Key        string // type and id of the entity, as in goal:reduce-nitrogen-0f3a9c12
}

// Annotate returns the HTML of a page as Build does, with where it is said: each block has the page's
// number and its box, and the marks of units, by their ir_id, are spans (contracts#served-html). It is served and
// never stored, and without what it adds it is what Build returns.
func Annotate(pageNo int, units []model.Unit, lang *model.Language, marks map[string][]Mark) string {
	w := &writer{pageNo: pageNo, lang: lang, served: true, marks: marks}
	w.line(fmt.Sprintf("<!-- DOCXT:PAGE index=%d", pageNo) + emptyNames)
	for i := range units {
		w.unit(&units[i])
	}
	w.closeLists(0)
	w.closeSections(0)
	return w.b.String()
}

// place returns the attributes of a block that say where the unit stands; none where the HTML is stored.
func (w *writer) place() string {
	if !w.served || w.now == nil {
		return ""
	}
	out := ` data-page="` + strconv.Itoa(w.pageNo) + `"`
	if b, ok := boxOf(w.now); ok {
		out += fmt.Sprintf(` data-bbox="%s %s %s %s"`, short(b.X), short(b.Y), short(b.W), short(b.H))
	}
	return out
}

// boxOf returns the box around all places of a unit.
func boxOf(u *model.Unit) (all model.BBox, ok bool) {
	for _, e := range u.Evidence {
		b := e.BBox
		switch {
		case b == nil:
		case !ok:
			all, ok = *b, true
		default:
			right, bottom := max(all.X+all.W, b.X+b.W), max(all.Y+all.H, b.Y+b.H)
			all.X, all.Y = min(all.X, b.X), min(all.Y, b.Y)
			all.W, all.H = right-all.X, bottom-all.Y
		}
	}
	return all, ok
}

// short writes a number between 0 and 1 as boxes are stored, in six decimals at most.
func short(v float64) string { return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64) }

// inline writes text of the unit from a byte of its text on, with its marks.
func (w *writer) inline(text string, from int) string { return w.marked(text, from, inline) }

// preformatted writes the text of a pre element, whose first line end is dropped by every reader of HTML.
func (w *writer) preformatted(text string) string {
	out := w.marked(text, 0, escape)
	if strings.HasPrefix(text, "\n") || strings.HasPrefix(text, "\r") {
		if strings.HasPrefix(out, spanStart) {
			return out // the line end does not follow the tag, and stays
		}
		out = "\n" + out
	}
	return out
}

const spanStart = `<span data-docxt="evidence" data-key="`

// marked writes a part of the unit's text, which begins at a byte of it. Where marks overlap, spans begin and end
// at each of their ends, so that they are nested and never cross.
func (w *writer) marked(text string, from int, write func(string) string) string {
	if !w.served || w.now == nil {
		return write(text)
	}
	var marks []Mark
	cuts := []int{0, len(text)}
	for _, m := range w.marks[w.now.IRID] {
		m.Start, m.End = max(m.Start-from, 0), min(m.End-from, len(text))
		if m.Start < m.End {
			marks, cuts = append(marks, m), append(cuts, m.Start, m.End)
		}
	}
	if len(marks) == 0 {
		return write(text)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var b strings.Builder
	for i := 0; i+1 < len(cuts); i++ {
		var keys []string
		for _, m := range marks {
			if m.Start <= cuts[i] && cuts[i+1] <= m.End {
				keys = append(keys, m.Key)
			}
		}
		slices.Sort(keys)
		keys = slices.Compact(keys)
		for _, key := range keys {
			b.WriteString(spanStart + attr(key) + `">`)
		}
		b.WriteString(write(text[cuts[i]:cuts[i+1]]))
		b.WriteString(strings.Repeat("</span>", len(keys)))
	}
	return b.String()
}
