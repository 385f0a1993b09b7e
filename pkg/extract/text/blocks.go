package text

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/model"
)

const (
	// maxHeading is how many code points a guessed heading may have.
	maxHeading = 100
	// guessed is the confidence of a heading that only its form gives away.
	guessed = 0.6
)

var (
	underline    = regexp.MustCompile(`^(={3,}|-{3,}|~{3,})$`)
	ornament     = regexp.MustCompile(`^[-=_*~#+.·•\s]{3,}$`)
	hashes       = regexp.MustCompile(`^(#{1,6})\s+(.*?)\s*#*$`)
	itemForm     = regexp.MustCompile(`^([-*+•◦▪–—]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\(?[ivxIVX]{1,5}[.)])\s+\S|^\d{1,2}(?:\.\d{1,2})+\.?\s+\p{Lu}`)
	numbered     = regexp.MustCompile(`^(\d{1,2}(?:\.\d{1,2})*)\.?\s+\p{Lu}`)
	namedSection = regexp.MustCompile(`^(?:(?i:article|art\.|artigo|articolo|articulu|artículo|artikel|chapter|chapitre|capítulo|capitolo|capitulu|kapitel|section|secção|seção|sezione|sección|abschnitt|title|titre|título|titolo|titulu|titel|annexe?|anexo|allegato|anhang|anlage|appendix|part|partie|parte|teil)\s+(?:[\dIVXLCivxlc]{1,6}|[A-Z])\b|§§?\s?\d)`)
)

// group makes blocks of the lines between two empty ones.
func (x *extraction) group(lines []line) {
	if len(lines) == 1 && ornament.MatchString(lines[0].text) {
		return // a rule across the page is no text
	}
	if x.indentedCode(lines) || x.barred(lines) || x.columned(lines) {
		return
	}
	for len(lines) > 0 {
		n, quoted := 1, isQuoted(lines[0])
		for n < len(lines) && isQuoted(lines[n]) == quoted {
			n++
		}
		if quoted {
			x.quoted(lines[:n])
		} else {
			x.plain(lines[:n])
		}
		lines = lines[n:]
	}
}

// plain makes headings, list items and a paragraph of lines.
func (x *extraction) plain(lines []line) {
	if x.heading(&lines) && len(lines) == 0 {
		return
	}
	if !hasItem(lines[0]) {
		n := firstItem(lines)
		x.indents = nil
		x.add(model.UnitParagraph, lines[:n], 1)
		lines = lines[n:]
	}
	for len(lines) > 0 {
		n := 1
		for n < len(lines) && !hasItem(lines[n]) {
			n++
		}
		x.item(lines[:n])
		lines = lines[n:]
	}
}

// isQuoted reports whether a line is marked as a quotation, as in Markdown and
// in mails.
func isQuoted(l line) bool { return strings.HasPrefix(l.text, ">") }

// quoted adds a quotation for each run of lines of one depth, without what
// marks them.
func (x *extraction) quoted(lines []line) {
	var run []line
	depth := 0
	flush := func() {
		if len(run) > 0 {
			x.indents = nil
			x.add(model.UnitQuote, run, 0.95).Depth = depth
		}
		run = nil
	}
	for _, l := range lines {
		text, n := l.text, 0
		for strings.HasPrefix(text, ">") {
			text = strings.TrimLeft(text[1:], " \t")
			n++
		}
		if n != depth || text == "" {
			flush()
		}
		if depth = n; text != "" {
			l.text = text
			run = append(run, l)
		}
	}
	flush()
}

// indentedCode takes the lines for code when all of them are indented by four
// spaces and no list goes on with them. It is Markdown that says so.
func (x *extraction) indentedCode(lines []line) bool {
	const code = 4
	if !x.markdown || len(x.indents) > 0 || slices.ContainsFunc(lines, func(l line) bool { return l.indent < code }) {
		return false
	}
	moved := slices.Clone(lines)
	for i := range moved {
		moved[i].indent -= code
	}
	x.code(moved, "")
	return true
}

// firstItem returns the index of the first line that begins a list item. One
// such line alone in a paragraph is chance ("12. of May" at a line's start),
// unless it is marked by a bullet.
func firstItem(lines []line) int {
	items, first := 0, len(lines)
	for i, l := range lines {
		if hasItem(l) {
			if items++; items == 1 {
				first = i
			}
		}
	}
	if items == 1 && strings.ContainsAny(lines[first].text[:1], "0123456789(abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		return len(lines)
	}
	return first
}

// item adds a list item. Its marker is part of the text, as printed; its depth
// is told from the indents of the items before it.
func (x *extraction) item(lines []line) {
	for len(x.indents) > 0 && x.indents[len(x.indents)-1] > lines[0].indent {
		x.indents = x.indents[:len(x.indents)-1]
	}
	if n := len(x.indents); n == 0 || x.indents[n-1] < lines[0].indent {
		x.indents = append(x.indents, lines[0].indent)
	}
	b := x.add(model.UnitListItem, lines, 0.9)
	b.Depth = len(x.indents)
	b.Marker = strings.Fields(lines[0].text)[0]
}

// heading takes a heading off the front of the lines, when there is one: one
// that is marked as such (underlined, or with number signs), or a line alone
// whose form leaves little doubt. What marks it is not part of its text.
func (x *extraction) heading(lines *[]line) bool {
	first := (*lines)[0]
	if m := hashes.FindStringSubmatch(first.text); m != nil && m[2] != "" {
		first.text = m[2]
		x.addHeading(first, len(m[1]), 0.95, "marked by number signs")
		*lines = (*lines)[1:]
		return true
	}
	if len(*lines) > 1 && underline.MatchString((*lines)[1].text) && length(first) <= maxHeading {
		level := 1
		if (*lines)[1].text[0] != '=' {
			level = 2
		}
		b := x.addHeading(first, level, 0.95, "underlined")
		b.Evidence[0].ByteSpan.End = x.doc.At((*lines)[1].end)
		b.Evidence[0].Lines = x.doc.Lines(first.start, (*lines)[1].end)
		*lines = (*lines)[2:]
		return true
	}
	if length(first) > maxHeading || endsSentence(first.text) {
		return false
	}
	if len(*lines) > 1 {
		return x.headingAbove(lines)
	}
	level, note := 0, ""
	switch m := numbered.FindStringSubmatch(first.text); {
	case m != nil:
		level, note = levelOfNumber(m[1]), "a guess: numbered, alone in its paragraph"
	case namedSection.MatchString(first.text):
		level, note = levelOfName(first.text), "a guess: named and numbered, alone in its paragraph"
	case upperCase(first.text):
		level, note = 2, "a guess: upper case, alone in its paragraph"
	default:
		return false
	}
	x.addHeading(first, level, guessed, note)
	*lines = nil
	return true
}

// headingAbove takes a numbered heading off the front of plain lines when it was
// ended on purpose: the next line begins a sentence or a numbered part, whose first
// word had room behind it.
func (x *extraction) headingAbove(lines *[]line) bool {
	first, next := (*lines)[0], (*lines)[1]
	m := numbered.FindStringSubmatch(first.text)
	if x.markdown || m == nil || !startsAnew.MatchString(next.text) || hasItem(next) && !strings.HasPrefix(next.text, m[1]+".") {
		return false
	}
	widest := 0
	for _, l := range *lines {
		widest = max(widest, l.indent+length(l))
	}
	word, _, _ := strings.Cut(next.text, " ")
	if first.indent+length(first)+1+utf8.RuneCountInString(word) > widest {
		return false
	}
	x.addHeading(first, levelOfNumber(m[1]), guessed, "a guess: numbered, on a line of its own")
	*lines = (*lines)[1:]
	return true
}

// startsAnew matches a line that begins a sentence or a numbered part.
var startsAnew = regexp.MustCompile(`^(?:\d{1,2}(?:\.\d{1,2})+\.?\s+)?\p{Lu}`)

// hasItem reports whether a line begins a list item.
func hasItem(l line) bool { return mayBeItem(l.text) && itemForm.MatchString(l.text) }

// mayBeItem reports whether a text begins as one that itemForm matches: of a letter
// there are five at most, and a sign behind them.
func mayBeItem(text string) bool {
	const most = 5
	n := 0
	for n < len(text) && (text[n] >= 'a' && text[n] <= 'z' || text[n] >= 'A' && text[n] <= 'Z') {
		if n++; n > most {
			return false
		}
	}
	if n == 0 {
		return true
	}
	return n < len(text) && (text[n] == '.' || text[n] == ')')
}

// levelOfNumber returns the level of a heading by the parts of its number.
func levelOfNumber(number string) int { return min(2+strings.Count(number, "."), 6) }

// levelOfName ranks the named parts of a regulation: titles hold chapters,
// chapters sections, sections articles.
func levelOfName(s string) int {
	s = strings.ToLower(s)
	for _, rank := range []struct {
		level int
		names []string
	}{{3, []string{"chap", "cap", "kap"}}, {4, []string{"sec", "seç", "sez", "absch"}}, {5, []string{"art", "§"}}} {
		for _, name := range rank.names {
			if strings.HasPrefix(s, name) {
				return rank.level
			}
		}
	}
	return 2
}

func (x *extraction) addHeading(l line, level int, confidence float64, note string) *block.Block {
	b := x.add(model.UnitHeading, []line{l}, confidence)
	b.Level, b.Notes = level, "heading "+note
	x.indents = nil
	if x.title == "" {
		x.title = l.text
	}
	return b
}

func endsSentence(s string) bool {
	return strings.ContainsRune(".,;:!?", rune(s[len(s)-1]))
}

// upperCase reports whether a line is written in capitals: at least four
// letters, none of them small.
func upperCase(s string) bool {
	letters := 0
	for _, r := range s {
		if unicode.IsLower(r) {
			return false
		}
		if unicode.IsUpper(r) {
			letters++
		}
	}
	return letters >= 4
}
