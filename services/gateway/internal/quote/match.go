package quote

import "strings"

// maxSteps bounds the comparisons of one quotation with one text: a text of one letter
// fits a quotation of that letter everywhere.
const maxSteps = 8 << 20

// match is where a quotation stands in a text.
type match struct {
	from, to int  // symbols
	cased    bool // letters have another case, beside the first
}

// find returns where q stands in t, in order and without overlap. It is exact: all symbols
// and all that stands between them are the same under fold, no word and no number is cut at
// the ends. done is false when it was given up.
func find(t, q folded) (found []match, done bool) {
	if q.Len() == 0 {
		return nil, true
	}
	steps := 0
	for offset := 0; ; {
		i := strings.Index(t.letters[offset:], q.letters)
		if i < 0 {
			return found, true
		}
		if steps > maxSteps {
			return found, false
		}
		from := t.symbolAt(offset + i)
		m, n, ok := fits(t, q, from)
		steps += n + 1
		if ok && whole(t, q, from) {
			found = append(found, m)
			offset = len(t.letters)
			if m.to < t.Len() {
				offset = t.at[m.to]
			}
			continue
		}
		offset = len(t.letters)
		if from+1 < t.Len() {
			offset = t.at[from+1]
		}
	}
}

// fits compares q with the symbols of t from one on, whose letters are the same.
func fits(t, q folded, from int) (m match, steps int, ok bool) {
	m = match{from: from, to: from + q.Len()}
	for i, s := range q.symbols {
		is := t.symbols[from+i]
		if i > 0 && !s.gap.same(is.gap) {
			return m, i, false
		}
		m.cased = m.cased || i > 0 && s.raw != is.raw
	}
	return m, q.Len(), true
}

// reaches reports whether symbols [from, to) of a quotation stand in a text, and all of
// the quotation behind them, as far as the text goes: whether the quotation may begin before
// the text, or end behind it.
func reaches(t, q folded, from, to int) bool {
	part := q.part(from, to)
	for offset := 0; offset < len(t.letters); {
		i := strings.Index(t.letters[offset:], part)
		if i < 0 {
			return false
		}
		offset += i
		rest, behind := q.letters[q.at[from]:], t.letters[offset:]
		if n := min(len(rest), len(behind)); rest[:n] == behind[:n] {
			return true
		}
		offset += width(t.letters[offset:])
	}
	return false
}
