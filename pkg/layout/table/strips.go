package table

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/colophon-dev/colophon/pkg/layout"
)

const (
	// textGap is how wide the white space between columns of words is at least,
	// in ems; columnGap does for figures, fewGap when the rows are few, and linedGap
	// where the words behind it begin at one place.
	textGap  = 1.0
	fewGap   = 0.6
	linedGap = 0.5
	// linedSlack is how far, in ems, their beginnings may be off.
	linedSlack = 0.15
	// linedNear is how far behind them, in ems, another text of the column may begin.
	linedNear = 3
	// wideGap is how wide a gap in a line is that no space between words is.
	wideGap = 0.7
)

// word is the extent of a word, and whether it is a figure.
type word struct {
	extent
	figure bool
	text   string // of a short one
	// opens: it is the beginning of a figure whose digits stand in groups; group: it
	// can be one of the further groups.
	opens, group bool
}

// strips returns the middles of the strips of white space that divide the rows
// into columns, and the size of the text.
func strips(rows [][]layout.Line) (edges []float64, em float64) {
	rows = beside(rows)
	var sizes []float64
	for _, row := range rows {
		for i := range row {
			sizes = append(sizes, row[i].Size)
		}
	}
	words := wholeRows(rows)
	if len(words) < 2 && len(words) < len(rows) || len(words) == 0 {
		return nil, 0
	}
	sort.Float64s(sizes)
	em = sizes[len(sizes)/2]
	for _, s := range open(words, len(words)/10) {
		if dividesWords(words, s, em) {
			if s = emptiest(words, s); !inFigures(words, s, em) {
				edges = append(edges, (s.from+s.to)/2)
			}
		}
	}
	return withoutStrays(words, withoutSigns(words, edges)), em
}

// wholeRows returns the words of the rows of several texts, without those whose
// texts may stand over several columns: rows of less than half as many as most
// have, and rows of fewer that begin where others have their second text.
func wholeRows(rows [][]layout.Line) [][]word {
	var counts []int
	var ends []float64
	for _, row := range rows {
		if len(row) > 1 {
			counts, ends = append(counts, len(row)), append(ends, row[0].At.Right)
		}
	}
	if len(counts) == 0 {
		return nil
	}
	slices.Sort(counts)
	slices.Sort(ends)
	usual, end := counts[len(counts)/2], ends[len(ends)/2]
	var words [][]word
	for _, row := range rows {
		if len(row) > 1 && 2*len(row) >= usual && (len(row) >= usual || row[0].At.Left <= end) {
			words = append(words, rowWords(row))
		}
	}
	return words
}

// emptiest returns the widest part of a strip that the fewest words take.
func emptiest(rows [][]word, s extent) extent {
	var ends []end
	for _, row := range rows {
		for _, w := range row {
			if from, to := math.Max(w.from, s.from), math.Min(w.to, s.to); from < to {
				ends = append(ends, end{from, 1}, end{to, -1})
			}
		}
	}
	ends = append(ends, end{s.to, 0})
	slices.SortFunc(ends, end.compare)
	best, part, fewest, n := s, s, math.MaxInt, 0
	at := s.from
	for _, e := range ends {
		switch {
		case e.at <= at:
		case n < fewest:
			part = extent{at, e.at}
			best, fewest = part, n
		case n == fewest && at == part.to:
			part.to = e.at
		case n == fewest:
			part = extent{at, e.at}
		}
		if part.to-part.from > best.to-best.from && n == fewest {
			best = part
		}
		at, n = math.Max(at, e.at), n+e.step
	}
	return best
}

// besideStep is how far apart, in ems, baselines of lines are that overlap.
const besideStep = 0.7

// beside joins rows whose lines overlap: a text of two lines and the figures at
// half its height.
func beside(rows [][]layout.Line) [][]layout.Line {
	var out [][]layout.Line
	last := math.Inf(-1)
	for _, row := range rows {
		if n := len(out); n > 0 && row[0].Base-last <= besideStep*row[0].Size {
			out[n-1] = append(slices.Clone(out[n-1]), row...)
		} else {
			out = append(out, row)
		}
		last = row[0].Base
	}
	return out
}

func rowWords(row []layout.Line) []word {
	var out []word
	for i := range row {
		l := &row[i]
		start := 0
		for k := 1; k <= len(l.Glyphs); k++ {
			if k < len(l.Glyphs) && !layout.Apart(&l.Glyphs[k-1], &l.Glyphs[k]) {
				continue
			}
			e := extent{math.Inf(1), math.Inf(-1)}
			for n := start; n < k; n++ {
				e = extent{math.Min(e.from, l.Glyphs[n].At.Left), math.Max(e.to, l.Glyphs[n].At.Right)}
			}
			own := l.Glyphs[start:k]
			out = append(out, word{e, isFigure(own), short(own), opensFigure(own), isGroup(own)})
			start = k
		}
	}
	slices.SortStableFunc(out, func(a, b word) int { return cmp.Compare(a.from, b.from) })
	return out
}

// short returns the text of up to three characters; of more, the first three.
func short(glyphs []layout.Glyph) string {
	var b strings.Builder
	for i := range glyphs[:min(3, len(glyphs))] {
		b.WriteRune(glyphs[i].Rune)
	}
	return b.String()
}

// end is where a word begins, or ends.
type end struct {
	at   float64
	step int // 1, or -1
}

func (e end) compare(o end) int { return cmp.Or(cmp.Compare(e.at, o.at), cmp.Compare(e.step, o.step)) }

// open returns the strips that words of at most so many rows take.
func open(rows [][]word, most int) []extent {
	var ends []end
	for _, row := range rows {
		for _, w := range row {
			ends = append(ends, end{w.from, 1}, end{w.to, -1})
		}
	}
	slices.SortFunc(ends, end.compare)
	var out []extent
	n, start, seen := 0, 0.0, false
	for _, e := range ends {
		before := n
		n += e.step
		switch {
		case before <= most && n > most:
			if seen {
				out = append(out, extent{start, e.at})
			}
			seen = true
		case before > most && n <= most:
			start = e.at
		}
	}
	return out
}

// dividesWords reports whether a strip is wide enough to stand between columns,
// with text on both sides of it in enough of the rows.
func dividesWords(rows [][]word, s extent, em float64) bool {
	both, figures, lined, near, width := 0, 0, 0, 0, s.to-s.from
	for _, row := range rows {
		left, right := -1, -1
		crossed := false
		for i, w := range row {
			switch {
			case w.to <= s.from+0.01:
				left = i
			case w.from >= s.to-0.01:
				if right < 0 {
					right = i
				}
			default:
				crossed = true
			}
		}
		if left < 0 || right < 0 || crossed {
			continue
		}
		both++
		figures += layout.CountIf(row[left].figure || row[right].figure)
		lined += layout.CountIf(row[right].from <= s.to+float64(linedSlack*em))
		near += layout.CountIf(row[right].from <= s.to+float64(linedNear*em)) // else nothing stands in the column behind it
	}
	least := float64(textGap)
	switch {
	case 2*figures > both && len(rows) < fewRows:
		least = fewGap
	case 2*figures > both:
		least = columnGap
	case near >= fewRows && 5*lined >= 4*near && 4*near >= both:
		least = linedGap
	}
	if width < least*em {
		return false
	}
	return 2*both >= len(rows) || both >= 2 && 5*both >= len(rows) && width >= textGap*em
}

// The signs that belong to the figure after them, and to the one before them.
const (
	signsBefore = "$€£¥(<>≤≥±~+-−–"
	signsAfter  = "%‰)*†‡§¶#°"
)

// signs reports whether a word is of these signs alone.
func signs(glyphs []layout.Glyph, of string) bool { return strings.Trim(short(glyphs), of) == "" }

// withoutSigns drops the edges beside columns of signs that belong to the
// figures next to them: currencies before them, marks and units after them.
func withoutSigns(rows [][]word, edges []float64) []float64 {
	var out []float64
	for k, x := range edges {
		left, right := math.Inf(-1), math.Inf(1)
		if k > 0 {
			left = edges[k-1]
		}
		if k+1 < len(edges) {
			right = edges[k+1]
		}
		if !onlySigns(rows, left, x, signsBefore) && !onlySigns(rows, x, right, signsAfter) {
			out = append(out, x)
		}
	}
	return out
}

// withoutStrays drops the edges around a single text that stands beside the
// column that it belongs to: the one next to it in which its row has none.
func withoutStrays(rows [][]word, edges []float64) []float64 {
	if len(rows) < fewRows {
		return edges
	}
	out := slices.Clone(edges)
	for k := 1; k <= len(out); k++ { // column k begins at edge k-1
		in := filled(rows, out, k)
		if len(in) != 1 {
			continue
		}
		row := rows[in[0]]
		switch {
		case k > 1 && len(filled([][]word{row}, out, k-1)) == 0:
			out = slices.Delete(out, k-1, k)
		case k < len(out) && len(filled([][]word{row}, out, k+1)) == 0:
			out = slices.Delete(out, k, k+1)
		default:
			continue
		}
		k--
	}
	return out
}

// filled returns the rows that have a word in column k of the edges.
func filled(rows [][]word, edges []float64, k int) []int {
	from, to := math.Inf(-1), math.Inf(1)
	if k > 0 {
		from = edges[k-1]
	}
	if k < len(edges) {
		to = edges[k]
	}
	var out []int
	for i, row := range rows {
		if slices.ContainsFunc(row, func(w word) bool { m := (w.from + w.to) / 2; return m > from && m < to }) {
			out = append(out, i)
		}
	}
	return out
}

// onlySigns reports whether all words between two places are of these signs,
// and one of them is more than a dash.
func onlySigns(rows [][]word, from, to float64, signs string) bool {
	n, dashes := 0, 0
	for _, row := range rows {
		for _, w := range row {
			if middle := (w.from + w.to) / 2; middle <= from || middle >= to {
				continue
			}
			if strings.Trim(w.text, signs) != "" {
				return false
			}
			n++
			dashes += layout.CountIf(strings.Trim(w.text, "-−–") == "")
		}
	}
	return n > dashes
}
