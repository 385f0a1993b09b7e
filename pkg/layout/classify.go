package layout

import (
	"math"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxHeading is how many characters a heading may have.
	maxHeading = 200
	// larger is how much larger than the text a heading by size is.
	larger = 1.12
)

var (
	numbered = regexp.MustCompile(`^(\d{1,2}(?:\.\d{1,2})*)\.?\s+\p{Lu}`)
	named    = regexp.MustCompile(`^(?i:article|art\.|artigo|articolo|articulu|artículo|chapter|chapitre|capítulo|capitolo|capitulu|section|secção|seção|sezione|title|titre|título|titolo|titulu|annexe?|anexo|allegato|part|partie|parte|kapitel|abschnitt)\s+[\dIVXLC]{1,6}(?:\W|$)`)
	captions = regexp.MustCompile(`^(?i:table|tableau|tabela|tabella|tabla|tabelle|tab\.|figure|fig\.|figura|abbildung|abb\.|graphique|gráfico|grafico|chart|exhibit|map|carte|quadro|box|encadré|listing|algorithm|algorithme|algoritmo|scheme|diagram|plate)\s*[\dIVXA-Z][\d.\-–A-Za-z]*\s*[.:–—-]?(\s|$)`)
)

// classify types the blocks of a page.
func classify(p Page, blocks []Block) {
	seen := mostlySeen(blocks)
	for i := range blocks {
		b := &blocks[i]
		b.Confidence = 1
		text := b.plain()
		if kind := b.Lines[0].Running; kind != Paragraph {
			b.Kind, b.Confidence = kind, 0.95
			continue
		}
		switch {
		case captions.MatchString(text) && utf8.RuneCountInString(text) < 600 && !endsOpen(text):
			b.Kind, b.Confidence = Caption, 0.85
		case p.tag(b).Kind == Caption:
			b.Kind, b.Confidence = Caption, 0.9
		case p.tag(b).Kind == Footnote:
			b.Kind, b.Confidence = Footnote, 0.9
			b.Marker, _, _ = b.Lines[0].noteMark()
		case !p.Facts.BodyMono && isCode(b):
			b.Kind, b.Confidence = Code, 0.8
		default:
			heading(p, b, text, seen)
		}
	}
	footnotes(p, blocks)
	items(blocks)
	numberedHeadings(blocks)
	tableNotes(p, blocks)
	italics(blocks)
	tableTitles(p, blocks)
}

// isSentence reports a text that ends like a sentence or in the middle of one,
// and is not just a number or name with a point.
func isSentence(text string) bool {
	switch text[len(text)-1] {
	case ',', ';':
		return true
	case '.':
		return strings.Count(text, " ") > 3 || !numbered.MatchString(text) && !named.MatchString(text)
	}
	return false
}

// endsOpen reports a text that refers to a table rather than naming one:
// "Table 3 shows that …".
func endsOpen(text string) bool {
	words := strings.Fields(text)
	if len(words) < 3 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(words[2])
	head := words[1]
	return unicode.IsLower(r) && !strings.ContainsAny(head[len(head)-1:], ".:") && (len(text) > 60 || strings.HasSuffix(text, "."))
}

func isCode(b *Block) bool {
	for i := range b.Lines {
		if !b.Lines[i].Mono {
			return false
		}
	}
	return len(b.Lines) > 1
}

// mostlySeen reports whether most of the text is shown on the page.
func mostlySeen(blocks []Block) bool {
	seen := 0
	for i := range blocks {
		n := 0
		for k := range blocks[i].Lines {
			n += len(blocks[i].Lines[k].Glyphs)
		}
		if blocks[i].Hidden || blocks[i].Outside {
			n = -n
		}
		seen += n
	}
	return seen > 0
}

// heading types b as a heading when the outline, its size, its weight or its
// number say so; seen: most text of the page is shown, so that what is not is
// none.
func heading(p Page, b *Block, text string, seen bool) {
	length := utf8.RuneCountInString(text)
	if seen && (b.Hidden || b.Outside) {
		return // in the file for other reasons than to be read
	}
	if length > maxHeading || b.rows > 4 || length < 2 || !strings.ContainsFunc(text, unicode.IsLetter) {
		return
	}
	if t := p.tag(b); t.Kind == Heading {
		style := t.Level
		if style == 0 && p.Facts.Level != nil {
			style = p.Facts.Level(b.Size, b.Bold)
		}
		b.makeHeading(max(style, 1), "by its tag", 0.95)
		return
	}
	if p.Facts.Titled != nil {
		if level := p.Facts.Titled(text); level > 0 {
			b.makeHeading(level, "in the outline", 0.98)
			return
		}
	}
	if b.bulleted() {
		return // large or bold as slides and lists of terms set it
	}
	body := p.Facts.BodySize
	if body == 0 {
		body = b.Size
	}
	sentence := isSentence(text)
	level := 0
	if p.Facts.Level != nil {
		level = p.Facts.Level(b.Size, b.Bold)
	}
	switch {
	case b.Size >= larger*body && length <= maxHeading && (b.Size >= 1.3*body || !sentence):
		b.makeHeading(b.level(level, text, 1), "by its size", 0.9)
	case b.Bold && !p.Facts.BodyBold && b.Size >= 0.95*body && b.rows <= 3 && length <= 150 && !sentence && !strings.HasSuffix(text, ":"):
		b.makeHeading(b.level(level, text, 2), "by its weight", 0.8)
	case b.rows == 1 && length <= 100 && !sentence && b.Size >= 0.95*body && named.MatchString(text) && length <= 60:
		b.makeHeading(b.level(level, text, 2), "by its name and number", 0.7)
	case b.rows == 1 && length <= 80 && !sentence && b.Size >= 0.95*body && isUpper(text) && strings.Count(text, " ") > 0 && b.alone():
		b.makeHeading(b.level(level, text, 2), "in capitals", 0.6)
	}
}

// bulleted reports whether the block begins with a bullet: a sign that counts nothing.
func (b *Block) bulleted() bool {
	first := b.firstRow()
	m := marker(&first)
	return m != "" && !startsNumber(m)
}

// italics types as headings the short lines in italics that stand above a
// paragraph in upright type.
func italics(blocks []Block) {
	for i := 0; i+1 < len(blocks); i++ {
		b, next := &blocks[i], &blocks[i+1]
		if b.Kind != Paragraph || !b.italic || b.rows != 1 || b.full || next.Kind != Paragraph || next.italic || next.Turn != b.Turn {
			continue
		}
		text := b.plain()
		r, _ := utf8.DecodeRuneInString(text)
		if utf8.RuneCountInString(text) > 80 || endsSentence(&b.Lines[len(b.Lines)-1]) || !unicode.IsUpper(r) || !sameSize(b.Size, next.Size) {
			continue
		}
		if math.Abs(b.At.Left-next.At.Left) < 2*b.Size && next.At.Top > b.At.Top && next.At.Width() > 1.5*b.At.Width() {
			b.makeHeading(4, "in italics above a paragraph", 0.6)
		}
	}
}

// level is the number's depth where there is a number, else what the document
// says about the style, else the guess.
func (b *Block) level(style int, text string, guess int) int {
	if m := numbered.FindStringSubmatch(text); m != nil && strings.Contains(m[1], ".") {
		return min(1+strings.Count(m[1], "."), 6)
	}
	if style > 0 {
		return style
	}
	return guess
}

func (b *Block) makeHeading(level int, guess string, confidence float64) {
	b.Kind, b.Level, b.Guess, b.Confidence = Heading, min(max(level, 1), 6), guess, confidence
}

// alone reports whether the block does not fill its line.
func (b *Block) alone() bool { return !b.full }

// plain is the text of the block as far as rules look at it.
func (b *Block) plain() string {
	var s strings.Builder
	for i := range b.Lines {
		if i > 0 {
			s.WriteByte(' ')
		}
		b.Lines[i].text(&s, true)
		if s.Len() > 4096 {
			break
		}
	}
	return strings.TrimSpace(s.String())
}

// continuations marks the last block of the body as going on when it fills
// the page without ending a sentence, and the first as going on from before
// when it begins in the middle of one.
func continuations(p Page, blocks []Block) {
	first, last := -1, -1
	for i := range blocks {
		b := &blocks[i]
		if b.Turn != 0 || b.Hidden || b.Outside || b.doubtful() {
			continue
		}
		switch b.Kind {
		case Paragraph, ListItem, Heading, Caption, Code:
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return
	}
	if b := &blocks[first]; b.Kind == Paragraph && b.Lines[0].lowerStart() && b.At.Top < 0.35*p.Height {
		b.Continued = true
	}
	b := &blocks[last]
	end := &b.Lines[len(b.Lines)-1]
	if (b.Kind == Paragraph || b.Kind == ListItem) && b.At.Bottom > 0.6*p.Height && (end.endsWithHyphen() || b.full && end.At.Width() >= proseWidth*end.Size && !endsSentence(end)) {
		b.Continues = true
	}
}
