package quality

import (
	"fmt"
	"regexp"
	"strings"
)

// numbering is what a heading or item may begin with on one side alone.
var numbering = regexp.MustCompile(`^\s*(?:(?i:chapter|chapitre|capitolo|capítulo|kapitel|appendix|annexe|appendice|anhang)\s+)?(?:\(?\d+(?:\.\d+)*[.)]?|[A-Z](?:\.\d+)+\.?|[A-Z]\.|\(?[a-zivx]{1,4}[.)]|[^\pL\pN\s])\s+`)

const (
	// idLetters is how many letters and digits of a block tell it from others.
	idLetters = 60
	// leastLetters and leastInside are how many it needs: to be compared with whole
	// blocks, and to be looked for within others.
	leastLetters, leastInside = 4, 8
)

// wholeKey is the letters and digits of a block without its number or mark.
func wholeKey(text string) string {
	for range 2 {
		text = text[len(numbering.FindString(text)):]
	}
	return strings.Map(func(r rune) rune {
		if alphanumeric(r) {
			return r
		}
		return -1
	}, strings.ToLower(Canon(text)))
}

// idOf is the beginning of a block's key.
func idOf(key string) string {
	n := 0
	for i := range key {
		if n == idLetters {
			return key[:i]
		}
		n++
	}
	return key
}

// scoreBlocks holds the units of a document against its label (docs/quality.md).
func scoreBlocks(label madeLabel, units []outUnit, tables []Table) BlockScore {
	s := BlockScore{Kinds: map[string]Hits{}}
	truthKeys, outKeys := make([]string, len(label.Blocks)), make([]string, len(units))
	truthIDs, outIDs := map[string]int{}, map[string]int{}
	outAt := map[string]int{}
	var truthText, outText strings.Builder
	for i, b := range label.Blocks {
		truthKeys[i] = wholeKey(b.Text)
		truthIDs[idOf(truthKeys[i])]++
		truthText.WriteString(truthKeys[i] + "\n")
	}
	for i, u := range units {
		outKeys[i] = wholeKey(u.text)
		id := idOf(outKeys[i])
		outIDs[id]++
		outAt[id] = i
		outText.WriteString(outKeys[i])
	}
	for _, t := range tables { // what stands in a table is read, though as no block
		for _, c := range t.Cells {
			outText.WriteString(wholeKey(c.Text))
		}
	}
	note := func(format string, args ...any) { s.Wrong = append(s.Wrong, fmt.Sprintf(format, args...)) }
	for i, b := range label.Blocks {
		id := idOf(truthKeys[i])
		if b.Kind == "table" || b.Kind == "other" {
			continue
		}
		h := s.Kinds[b.Kind]
		switch {
		case len(id) < leastLetters || truthIDs[id] > 1 || outIDs[id] > 1:
			s.Unaligned++
			continue
		case outIDs[id] == 1:
			h.Truth++
			if u := units[outAt[id]]; u.kind == b.Kind {
				h.Right++
			} else if b.Kind != "paragraph" {
				note("%s is %s: %s", b.Kind, u.kind, b.Text)
			}
		case len(id) >= leastInside && strings.Contains(outText.String(), id):
			h.Truth++
			if b.Kind != "paragraph" {
				note("%s within another block, or cut: %s", b.Kind, b.Text)
			}
		default:
			s.Unaligned++
			continue
		}
		if b.Kind != "paragraph" {
			s.Kinds[b.Kind] = h
			continue
		}
		s.Whole.Truth++
		if at, ok := outAt[id]; ok && outKeys[at] == truthKeys[i] {
			s.Whole.Right++
		} else {
			note("paragraph not whole: %s", b.Text)
		}
	}
	for i, u := range units {
		id := idOf(outKeys[i])
		if u.kind == "paragraph" || u.kind == "other" || outIDs[id] > 1 || len(id) < leastLetters {
			continue
		}
		if truthIDs[id] == 1 || truthIDs[id] == 0 && len(id) >= leastInside && strings.Contains(truthText.String(), id) {
			h := s.Kinds[u.kind]
			h.Out++
			s.Kinds[u.kind] = h
			if truthIDs[id] == 0 {
				note("%s is a part of another block: %s", u.kind, u.text)
			}
		}
	}
	s.scoreTables(label.Tables, tables, note)
	return s
}

// scoreTables counts the tables: found is one of which the output has half of the relations.
func (s *BlockScore) scoreTables(truth, out []Table, note func(string, ...any)) {
	s.TableScore = ScoreTables(truth, out)
	wanted, found := relationsOf(truth), relationsOf(out)
	h := Hits{Truth: len(truth), Out: len(out)}
	taken := make([]bool, len(found))
	for i := range wanted {
		best, at := 0, -1
		for j := range found {
			if n := common(wanted[i], found[j]); n > best && !taken[j] {
				best, at = n, j
			}
		}
		if at >= 0 && 2*best >= size(wanted[i]) {
			h.Right++
			taken[at] = true
		} else {
			note("table not found: %.60s", tableText(truth[i]))
		}
	}
	for j := range found {
		some := false
		for i := range wanted {
			some = some || common(wanted[i], found[j]) > 0
		}
		if !some {
			s.False++
			note("false table: %.60s", tableText(out[j]))
		}
	}
	s.Kinds["table"] = h
}

// tableText is what the cells say, divided by strokes.
func tableText(t Table) string {
	var texts []string
	for _, c := range t.Cells {
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, " | ")
}
