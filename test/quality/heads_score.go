package quality

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// pageScore is what became of one page.
type pageScore struct {
	lost   []string // texts of the body that are left out
	found  int      // of the page's heads and feet, those that are left out
	unread []string // words of the body that are neither kept nor left out
}

// scorePage holds what was left out of a page against its labels. Each text left
// out is explained by heads and feet, each of them once: as a whole, then by a
// head within it (one of a single word only at its ends, so that the number of
// the page does not explain a figure of a sentence), then as a part of a head. What
// remains of it, and is body, is lost.
func scorePage(label headPage, text pageText) pageScore {
	heads := make([]piece, len(label.Heads))
	for i, head := range label.Heads {
		heads[i] = piece{rest: [][]string{Words(head)}}
	}
	left := make([]piece, len(text.left))
	for i, l := range text.left {
		left[i] = piece{rest: [][]string{Words(l)}}
	}
	longest := make([]int, len(heads))
	for i := range longest {
		longest[i] = i
	}
	slices.SortStableFunc(longest, func(a, b int) int { return cmp.Compare(len(heads[b].first()), len(heads[a].first())) })
	for _, fits := range []func(inside, outside []string, at int) bool{
		func(inside, outside []string, _ int) bool { return len(inside) == len(outside) },
		func(inside, outside []string, at int) bool {
			return len(inside) > 1 || at == 0 || at == len(outside)-1
		},
	} {
		for _, h := range longest {
			for i := range left {
				if !heads[h].done() && left[i].take(heads[h].first(), fits) {
					heads[h].rest = nil
				}
			}
		}
	}
	for i := range left {
		for r := 0; r < len(left[i].rest); r++ {
			for h := range heads {
				if heads[h].take(left[i].rest[r], func(_, _ []string, _ int) bool { return true }) {
					left[i].rest = slices.Delete(left[i].rest, r, r+1)
					r--
					break
				}
			}
		}
	}
	var s pageScore
	for _, h := range heads {
		if h.done() {
			s.found++
		}
	}
	body := countOf(Words(strings.Join(label.Body, "\n")))
	for _, l := range left {
		for _, run := range l.rest {
			if lost := takeWords(body, run); len(lost) > 0 {
				s.lost = append(s.lost, strings.Join(lost, " "))
			}
		}
	}
	all := countOf(Words(strings.Join(append(slices.Clone(text.kept), text.left...), "\n")))
	for _, word := range Words(strings.Join(slices.Concat(label.Body, label.Heads), "\n")) {
		if all[word]--; all[word] < 0 {
			s.unread = append(s.unread, word)
		}
	}
	return s
}

// takeWords returns the words of a run that are in a multiset, and takes them out.
func takeWords(from map[string]int, run []string) (taken []string) {
	for _, word := range run {
		if from[word] > 0 {
			from[word]--
			taken = append(taken, word)
		}
	}
	return taken
}

// piece is a text of which parts may have been explained: the runs of words that
// were not.
type piece struct{ rest [][]string }

func (p piece) done() bool { return len(p.rest) == 0 }

// first is the first run that remains.
func (p piece) first() []string {
	if p.done() {
		return nil
	}
	return p.rest[0]
}

// take removes words from the first of the remaining runs in which they stand in
// this order, side by side, and where fits says that they may be taken.
func (p *piece) take(words []string, fits func(inside, outside []string, at int) bool) bool {
	if len(words) == 0 {
		return false
	}
	for i, run := range p.rest {
		for at := 0; at+len(words) <= len(run); at++ {
			if !slices.Equal(run[at:at+len(words)], words) || !fits(words, run, at) {
				continue
			}
			var parts [][]string
			for _, part := range [][]string{run[:at], run[at+len(words):]} {
				if len(part) > 0 {
					parts = append(parts, part)
				}
			}
			p.rest = slices.Replace(p.rest, i, i+1, parts...)
			return true
		}
	}
	return false
}

// Tolerances of texts that OCR has read.
const (
	readErrors = 0.25 // of the characters of a text may be read wrongly
	shortRead  = 6    // characters: a shorter text is looked for at the ends of a unit only, where chance does not find it
)

// scoreScan holds the chunks of a page read by OCR against its labels: a head is
// found when it is not kept, a text of the body is lost when it is left out and not
// kept.
func scoreScan(label headPage, text pageText) pageScore {
	var s pageScore
	for _, head := range label.Heads {
		if !isRead(head, text.kept) {
			s.found++
		}
	}
	for _, b := range label.Body {
		if isRead(b, text.kept) {
			continue
		}
		if isRead(b, text.left) {
			s.lost = append(s.lost, b)
		} else {
			s.unread = append(s.unread, Words(b)...)
		}
	}
	return s
}

// isRead says whether a text stands in one of others, but for errors of OCR.
func isRead(text string, in []string) bool {
	wanted := []rune(strings.Join(Words(text), ""))
	if len(wanted) == 0 {
		return true
	}
	for _, t := range in {
		have := []rune(strings.Join(Words(t), ""))
		if len(wanted) < shortRead {
			// at an end, and a word of its own there
			words := Words(t)
			n := len(Words(text))
			if len(words) >= n && (slices.Equal(words[:n], Words(text)) || slices.Equal(words[len(words)-n:], Words(text))) {
				return true
			}
			continue
		}
		if float64(distanceWithin(wanted, have)) <= readErrors*float64(len(wanted)) {
			return true
		}
	}
	return false
}

// distanceWithin is the least edit distance between a text and any part of
// another.
func distanceWithin(text, within []rune) int {
	row := make([]int, len(within)+1) // zero: a part may begin anywhere
	for i := range text {
		diagonal := row[0]
		row[0] = i + 1
		for j := range within {
			substituted := diagonal
			if text[i] != within[j] {
				substituted++
			}
			diagonal = row[j+1]
			row[j+1] = min(substituted, diagonal+1, row[j]+1)
		}
	}
	return slices.Min(row)
}

// characters counts the letters and digits of texts.
func characters(texts []string) (n int) {
	for _, t := range texts {
		for _, word := range Words(t) {
			n += utf8.RuneCountInString(word)
		}
	}
	return n
}
