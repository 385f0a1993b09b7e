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

// scorePage holds what was left out of a page against its labels. What remains of
// the texts left out when heads and feet have explained all that they can, and is
// body, is lost.
func scorePage(label headPage, text pageText) pageScore {
	heads, left := pieces(slices.Concat(label.Heads, label.Either)), pieces(text.left)
	explain(heads, left, text.kept)
	var s pageScore
	for _, h := range heads[:len(label.Heads)] {
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
	all := countOf(Words(strings.Join(slices.Concat(text.kept, text.left), "\n")))
	for _, word := range Words(strings.Join(slices.Concat(label.Body, label.Heads, label.Either), "\n")) {
		if all[word]--; all[word] < 0 {
			s.unread = append(s.unread, word)
		}
	}
	return s
}

// explain takes heads and the texts left out from each other, each word once: a
// text that is a head; then a head within a text; then a text that is a part of a
// head. A head of one word (most are numbers) is looked for at the ends of texts
// only, and not at all when a unit that is kept consists of it: else the number of
// the page would explain a figure of a sentence.
func explain(heads, left []piece, kept []string) {
	order := make([]int, len(heads)) // the longest first
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(heads[b].first()), len(heads[a].first())) })
	within := func(fits func(words, run []string, at int) bool) {
		for _, h := range order {
			for i := range left {
				if !heads[h].done() && left[i].take(heads[h].first(), fits) {
					heads[h].rest = nil
				}
			}
		}
	}
	within(func(words, run []string, _ int) bool { return len(words) == len(run) })
	within(func(words, run []string, at int) bool {
		if len(words) > 1 {
			return true
		}
		isKept := slices.ContainsFunc(kept, func(k string) bool { return slices.Equal(Words(k), words) })
		return !isKept && (at == 0 || at == len(run)-1)
	})
	for i := range left {
		left[i].rest = slices.DeleteFunc(left[i].rest, func(run []string) bool {
			for h := range heads {
				if heads[h].take(run, func(_, _ []string, _ int) bool { return true }) {
					return true
				}
			}
			return false
		})
	}
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

func pieces(texts []string) []piece {
	all := make([]piece, len(texts))
	for i, t := range texts {
		if words := Words(t); len(words) > 0 {
			all[i].rest = [][]string{words}
		}
	}
	return all
}

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
func (p *piece) take(words []string, fits func(words, run []string, at int) bool) bool {
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
// found when it is not kept, or is left out by itself; a text of the body is lost when
// it is left out and not kept.
func scoreScan(label headPage, text pageText) pageScore {
	var s pageScore
	for _, head := range label.Heads {
		if !isRead(head, text.kept) || isLeft(head, text.left) {
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

// isLeft says whether a text is one of those left out: the number of a page may also be
// that of a paragraph which is kept.
func isLeft(text string, left []string) bool {
	return slices.ContainsFunc(left, func(l string) bool { return slices.Equal(Words(l), Words(text)) })
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
