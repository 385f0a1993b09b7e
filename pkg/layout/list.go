package layout

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	bullets    = "•◦▪▫■□●○‣⁃∙·►▶➢➤✓✔–—-*\uF0B7\uF0A7\uF076\uF0D8\uF0FC"
	numberItem = regexp.MustCompile(`^(\(?\d{1,3}[.)]|\[(?:\d{1,3}|\pL[\pL+]{0,8}\d{2,4}[a-z]?)\]|\(?[a-zA-Z][.)]|\(?[ivx]{1,6}[.)]|[IVX]{1,6}[.)]|[IVX]{1,6}\s?[-–—]|\d{1,2}°|[a-z]\s?[-–—])$`)
	bareItem   = regexp.MustCompile(`^([IVXL]{1,7}|[a-z]|\d{1,2})$`)
	// article begins the articles and paragraphs of laws.
	article = regexp.MustCompile(`^(§|Art\.|Arts\.|ARTIGO|Artigo|ARTICLE|Article|ARTICOLO|Articolo|ARTICULU|Articulu|ARTÍCULO|Artículo|Parágrafo|PARÁGRAFO|Section|SECTION)$`)
)

// marker returns the mark that the row begins with when it can be a list
// item, "" otherwise. What follows the mark stands apart from it.
func marker(r *row) string {
	first := r.first()
	word, gapped := first.wordAt(0)
	if word == "" || !gapped && len(r.lines) == 1 {
		return ""
	}
	if rest := []rune(word); len(rest) == 1 && (strings.ContainsRune(bullets, rest[0]) || unclear(rest[0]) && r.last().wordy() && len(r.last().Glyphs) >= leastItem) {
		return word
	}
	if last := word[len(word)-1]; len(word) > 1 && last >= 'a' && last <= 'z' {
		return "" // as most rows; no mark of more than a letter ends so
	}
	if numberItem.MatchString(word) {
		return word
	}
	if bareItem.MatchString(word) { // "II – the rest"
		if dash, more := first.wordAt(len([]rune(word))); more && strings.ContainsRune("-–—", []rune(dash)[0]) && len([]rune(dash)) == 1 {
			return word + " " + dash
		}
	}
	return ""
}

// leastItem is how many characters stand behind a bullet that is no character
// known.
const leastItem = 16

// unclear reports a character that means nothing outside of its font.
func unclear(r rune) bool { return unicode.Is(unicode.Co, r) || unicode.IsControl(r) }

// isArticle reports whether the row begins an article or a numbered paragraph
// of a law.
func isArticle(r *row) bool {
	word, more := r.first().wordAt(0)
	return more && (article.MatchString(word) || strings.HasPrefix(word, "§"))
}

// isNote reports whether the row begins with a raised mark, or with signs that
// stand for notes.
func isNote(r *row) bool {
	word, raised, more := r.first().noteMark()
	return more && (raised && noteMark.MatchString(word) || word != "" && strings.Trim(word, "*†‡§¶") == "")
}

// wordAt returns the word of the line that begins at glyph i, at most 12
// characters of it, and whether something follows it in the line.
func (l *Line) wordAt(i int) (word string, more bool) {
	var b strings.Builder
	for k := i; k < len(l.Glyphs); k++ {
		if k > i && spaceBetween(&l.Glyphs[k-1], &l.Glyphs[k]) != 0 {
			return b.String(), true
		}
		if k-i == 12 {
			return "", false
		}
		b.WriteRune(l.Glyphs[k].shown())
	}
	return b.String(), false
}

// isItem reports whether the row begins with a mark that is no chance: a
// bullet, or a number or letter with a sign after it.
func isItem(r *row) bool {
	m := marker(r)
	if m == "" {
		return false
	}
	// "A. Smith": a capital and a point are an initial as often as a mark.
	if c := []rune(m); len(c) == 2 && unicode.IsUpper(c[0]) && c[1] == '.' && r.at.Left > r.left+float64(3*r.size) {
		return false
	}
	return true
}

// isInitial reports a mark that is an initial as often: "A.".
func isInitial(m string) bool { return len(m) == 2 && m[0] >= 'A' && m[0] <= 'Z' && m[1] == '.' }

// lettered returns the capital letters that blocks begin with as marks, by letter
// from A, with room for a neighbour on both sides.
func lettered(blocks []Block) (found ['Z' - 'A' + 3]bool) {
	for i := range blocks {
		if word, more := blocks[i].Lines[0].wordAt(0); more && isInitial(word) {
			found[word[0]-'A'+1] = true
		}
	}
	return found
}

// firstRow is the row that the block begins with, in which a mark may be a line of its own.
func (b *Block) firstRow() row {
	first := row{lines: b.Lines[:1], at: b.Lines[0].At, left: b.left, size: b.Size}
	if len(b.Lines) > 1 && sameRow(&b.Lines[0], &b.Lines[1]) {
		first.lines = b.Lines[:2]
	}
	return first
}

// items types the blocks that begin with a mark, and tells their depth from
// their indents: an item is one deeper than the nearest one before it that
// begins further left, as long as only items and what belongs to them lie
// between.
func items(blocks []Block) {
	var indents []float64
	letters := lettered(blocks) // "A." is a mark where "B." is one, else an initial
	for i := range blocks {
		b := &blocks[i]
		if b.Kind != Paragraph {
			if b.Kind == Heading {
				indents = nil
			}
			continue
		}
		first := b.firstRow()
		m := marker(&first)
		if m == "" || !isItem(&first) || isInitial(m) && !letters[m[0]-'A'] && !letters[m[0]-'A'+2] {
			if len(indents) > 0 && b.At.Left <= indents[0]+float64(0.5*b.Size) {
				indents = nil
			}
			continue
		}
		left := b.Lines[0].At.Left
		for len(indents) > 0 && left < indents[len(indents)-1]-float64(0.5*b.Size) {
			indents = indents[:len(indents)-1]
		}
		if n := len(indents); n == 0 || left > indents[n-1]+float64(0.5*b.Size) {
			indents = append(indents, left)
		}
		b.Kind, b.Marker, b.Depth, b.Confidence = ListItem, m, len(indents), 0.9
	}
}
