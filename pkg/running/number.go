package running

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/digest"
)

// pageWords are the words for a page that its number stands after, in small letters.
// A number after any other word belongs to that word: "Art. 3", "Step 3". "S." is
// not among them: it is a page in German and a section in English.
var pageWords = []string{
	"page", "pages", "pag", "pag.", "pág", "pág.", "p", "p.", "pp.", "pg", "pg.", "página", "pagina", "pàgina", "pàxina", "paxina",
	"seite", "blatt", "bl.", "side", "sida", "sid.", "síða", "sivu", "oldal", "strona", "str.", "strana", "stran", "stranica", "puslapis",
	"lappuse", "lk", "lehekülg", "faqe", "orri", "orria", "orrialdea", "leathanach", "tudalen", "folio", "fol.", "paġna",
	"pajenn", "sayfa", "sahifa", "halaman", "hal.", "trang", "ukurasa", "страница", "стр", "стр.", "сторінка", "стор.",
	"страна", "σελίδα", "σελ", "σελ.", "էջ", "გვერდი", "עמוד", "עמ'", "صفحة", "صفحه", "ص", "पृष्ठ", "पेज", "পৃষ্ঠা", "பக்கம்", "หน้า", "第", "쪽", "페이지",
}

// sheetWords are words for a leaf of paper. They count where the number and its word
// are all of a part; within a text a leaf may be any other.
var sheetWords = []string{
	"sheet", "leaf", "feuille", "feuillet", "foglio", "fg.", "facciata", "hoja", "folha", "fl.", "fls.", "full", "foaie", "fila", "blad", "bladzijde",
	"blz", "blz.", "bogen", "arkusz", "list", "lap", "лист", "аркуш", "φύλλο",
}

// totalWords stand between a page's number and how many pages there are.
const totalWords = `of|de|sur|di|von|av|af|van|out of|z|ze|iz|od|из|із|din|su|dari|sa|/|\|`

// numerals are the numbers from 1 on in words, by language: deeds and contracts have
// few pages.
var numerals = [][]string{
	{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"},
	{"eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf", "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn", "zwanzig"},
	{"un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze", "treize", "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf", "vingt"},
	{"uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci", "undici", "dodici", "tredici", "quattordici", "quindici", "sedici", "diciassette", "diciotto", "diciannove", "venti"},
	{"uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce", "trece", "catorce", "quince", "dieciséis", "diecisiete", "dieciocho", "diecinueve", "veinte"},
	{"um", "dois", "três", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez", "onze", "doze", "treze", "catorze", "quinze", "dezasseis", "dezassete", "dezoito", "dezanove", "vinte"},
}

// spelledWords are the words of all numerals.
func spelledWords() []string { return slices.Concat(numerals...) }

const (
	// arabic and roman are the numbers that can be a page's: the volumes of a gazette
	// are counted through a year.
	arabic = `\d{1,5}`
	roman  = `(?:m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3}))`
	number = `(` + arabic + `|` + roman + `)`
)

var (
	// alone is a number that is all of a part, perhaps between strokes, brackets or
	// ornaments, after a word for page ("page no. 3") or the number of its chapter, and
	// before the number of all pages ("3 of 7", "3 (7)") or a word for page ("3. oldal").
	alone = regexp.MustCompile(`^(?:` + words(pageWords, sheetWords) + `\s*(?::|no\.?|nr\.?|n[°º.])?\s*)?[-–—~\[(<«*=|•·\p{So}]{0,3}\s*(?:[a-z]-|\d{1,2}[-–])??` + number + `\s*[-–—~\])>»*=|•·\p{So}]{0,3}\.?(?:\s*(?:` + totalWords + `)\s*\d{1,4}|\s*\(\d{1,4}\))?\s*[-–—~\])>»|•·]?\s*(?:页|頁|ページ|쪽|페이지|` + words(pageWords) + `)?$`)
	// named is a number after a word for page, at the end of a part or before a separator
	// or the number of all: "page 3 of the diary" speaks of a page. leafed is one after a
	// word for a leaf and before the number of all.
	named  = regexp.MustCompile(`(?:^|[\s(,;:|/·•–—-])(?:` + words(pageWords) + `)\s*(?:[a-z]-)?` + number + `(?:\s*(?:` + totalWords + `)\s*\d{1,4}(?:$|[\s),;:|/·•–—-])|$|\s*[),;:|/·•–—-])`)
	leafed = regexp.MustCompile(`(?:^|[\s(,;:|/·•–—-])(?:` + words(sheetWords) + `)\s*` + number + `\s*(?:` + totalWords + `)\s*\d{1,4}(?:$|[\s),;:|/·•–—-])`)
	// first and last are a number at an end of a part, perhaps with a word for a page or
	// a leaf and the number of all, set off by a separator with white space: "2026/3" is
	// the number of something else. A stroke may also stand on its other side: "- 3 -".
	first = regexp.MustCompile(`^(?:[–—-]\s*)?(?:` + words(pageWords, sheetWords) + `\s*)?(?:[a-z]-)?` + number + `(?:\s*(?:` + totalWords + `)\s*\d{1,4})?\s*[|/·•‖~■▪◆–—-]\s`)
	last  = regexp.MustCompile(`\s[|/·•‖~■▪◆–—-]\s*(?:` + words(pageWords, sheetWords) + `\s*)?(?:[a-z]-)?` + number + `(?:\s*(?:` + totalWords + `)\s*\d{1,4})?(?:\s*[–—-])?$`)
	// counted is the number of a page by its looks: after a word for a page, or before the
	// number of all.
	counted = regexp.MustCompile(`(?:^|[\s(,;:|/·•–—-])(?:` + words(pageWords, sheetWords) + `\s*` + number + `|` + arabic + `\s*(?:` + totalWords + `)\s*\d{1,4})(?:$|[\s),;:|/·•–—-])`)
	// lettered is a number after letters without white space, or after one letter, all of
	// a part: the pages of an annex are or S1, S2, those of a German book S. 3. So
	// are stations, questions, sections: which letters stand before the numbers of pages
	// must be learnt.
	lettered = regexp.MustCompile(`^(\p{L}{1,3}[-–./]?|\p{L}\.?\s)([1-9]\d{0,3})$`)
	// stamped is the number of a page among those of all files of a case, all of a part: a
	// code and a number of so many digits that it is not filled yet.
	stamped = regexp.MustCompile(`^(\p{L}[\p{L}\d]{0,11}[-–_. ]?)(0\d{4,9})$`)
	// spelled is a number in words after a word for page: "Page three of five".
	spelled = regexp.MustCompile(`(?:^|[\s(,;:|/·•–—-])(?:` + words(pageWords) + `)\s+(` + words(spelledWords()) + `)(?:\s+(?:` + totalWords + `)\s+(?:` + words(spelledWords()) + `))?(?:$|\s*[),;:|/·•–—-])`)
	// pointing are words before one for page that point to another: "see page 3",
	// "continued from page 2".
	pointing = regexp.MustCompile(`(?:^|[\s(])(?:see|cf\.?|from|on|onto|to|at|in|of|the|this|next|last|and|until|over|foot|top|siehe|vgl\.?|auf|von|vom|der|dieser?|und|ab|bis|zur?|voir|vers|sur|de|du|des|à|la|en|et|cette|suite|ver|véase|vedi|vide|segue|sigue|a|al|alla|di|da|na|su|y|e)\s+$`)
	// plainLabel is a label that is a number, as "iv" or "A-3": a file can also call
	// its pages "Art. 3".
	plainLabel = regexp.MustCompile(`^(?:\p{L}{0,3}[-–.]?` + arabic + `|` + roman + `)$`)
)

// words is a pattern of any of the words, the longest first.
func words(lists ...[]string) string {
	quoted := slices.Concat(lists...)
	for i, w := range quoted {
		quoted[i] = regexp.QuoteMeta(w)
	}
	slices.SortFunc(quoted, func(a, b string) int { return len(b) - len(a) })
	return `(?:` + strings.Join(quoted, "|") + `)`
}

// Offset is how far the printed numbers of pages are from their place in the file.
type Offset struct {
	Roman bool `json:"roman,omitempty"`
	Shift int  `json:"shift"` // printed number less the page's number from 1
}

// span is a number in a folded part.
type span struct{ from, to int }

// maxRoman is how many bytes a part has at most in which a Roman number is looked for:
// looking costs, and nearly all lines of text have no number at all.
const maxRoman = 60

// numbersIn returns where in a folded part numbers stand that can be the page's:
// alone, after a word for page, or at an end and set off by a separator.
func numbersIn(part string) []span {
	if len(part) <= maxText {
		if m := spelled.FindStringSubmatchIndex(part); m != nil && !pointsAt(part, m) {
			return []span{{m[2], m[3]}}
		}
	}
	if !strings.ContainsAny(part, figuresAll) && (len(part) > maxRoman || !strings.ContainsAny(part, "ivxlcdm")) || len(part) > maxText {
		return nil
	}
	var out []span
	add := func(m []int) {
		if m != nil && m[2] < m[3] && !slices.Contains(out, span{m[2], m[3]}) {
			out = append(out, span{m[2], m[3]})
		}
	}
	if m := alone.FindStringSubmatchIndex(part); m != nil {
		if !stamped.MatchString(part) && !isFileNumber(part) {
			add(m)
		}
		return out
	}
	if m := named.FindStringSubmatchIndex(part); m != nil && !pointsAt(part, m) {
		add(m)
	}
	add(leafed.FindStringSubmatchIndex(part))
	if len(out) == 0 {
		add(first.FindStringSubmatchIndex(part))
		add(last.FindStringSubmatchIndex(part))
	}
	slices.SortFunc(out, func(a, b span) int { return a.from - b.from })
	return out
}

// fraction is a number of a total, alone, as "2/3": which also is how shares, votes and
// the numbers of files are written.
var fraction = regexp.MustCompile(`^[-–—~(\[]?\s*(\d{1,5})\s*(?:` + totalWords + `)\s*(\d{1,4})\W*$`)

// isFileNumber reports whether a part is a number of a year or beyond its total, as
// "3/2026" or "7/3": that of a file, and of no page.
func isFileNumber(part string) bool {
	m := fraction.FindStringSubmatch(part)
	if m == nil {
		return false
	}
	n, _ := value(m[1])
	all, _ := value(m[2])
	return n > all || all >= firstYear && all <= lastYear
}

// pointsAt reports whether the words before a match of a word for page point to that page.
func pointsAt(part string, m []int) bool {
	_, size := utf8.DecodeRuneInString(part[m[0]:])
	return m[0] > 0 && pointing.MatchString(part[:m[0]+size])
}

// value reads a number, Arabic, in words, or Roman in small letters; 0 when it is none.
func value(s string) (n int, isRoman bool) {
	if n, err := strconv.Atoi(s); err == nil {
		return n, false
	}
	for _, language := range numerals {
		if i := slices.Index(language, s); i >= 0 {
			return i + 1, false
		}
	}
	digits := map[byte]int{'i': 1, 'v': 5, 'x': 10, 'l': 50, 'c': 100, 'd': 500, 'm': 1000}
	for i := range len(s) {
		d := digits[s[i]]
		if i+1 < len(s) && d < digits[s[i+1]] {
			d = -d
		}
		n += d
	}
	return n, true
}

// fold is a part in the form in which texts are compared: all but case and white
// space counts, every digit too.
func fold(s string) string { return digest.TextNormV1(s) }

// placeholder stands in a key for the page's own number.
const placeholder = "#"

// key is the row as it is compared between pages: folded parts, sorted, since left
// and right pages have them the other way round, and divided by tabs, with a
// placeholder for the page's own number. owned: there is one. bare: there is nothing
// else.
func (f *Facts) key(p *Page, r *Row) (key string, owned, bare bool) {
	parts := make([]string, len(r.Parts))
	bare = true
	for i := range r.Parts {
		var own, only bool
		parts[i], own, only = f.partKeyIn(p, r, fold(r.Parts[i].Text))
		owned, bare = owned || own, bare && only
	}
	slices.Sort(parts)
	return strings.Join(parts, "\t"), owned, bare
}

// partKeyIn is partKey of a part of a row, which may be a title with the page's number
// beside it.
func (f *Facts) partKeyIn(p *Page, r *Row, part string) (key string, owned, bare bool) {
	key, owned, bare = f.partKey(p, part)
	titled := f.Titled == TitledAll || f.Titled == TitledSmall && f.isSmall(r)
	if !owned && (titled || f.Mirrored) {
		title, number, leads, ok := splitTitle(part)
		if ok && f.own(p, number) && (titled || leads == (p.No%2 == 0)) {
			return title + " " + placeholder, true, false
		}
	}
	if word, ok := f.labelOwn(p, r, part); !owned && ok {
		return word + " " + placeholder, true, false
	}
	return key, owned, bare
}

// labelOwn returns the one word of a part that has the page's number beside it, where that
// is known to be so.
func (f *Facts) labelOwn(p *Page, r *Row, part string) (word string, ok bool) {
	if !f.Labelled || !f.isSmall(r) {
		return "", false
	}
	word, number, ok := splitLabel(part)
	return word, ok && f.own(p, number)
}

// isLabel reports a row that is such a word and the page's number, and nothing else.
func (f *Facts) isLabel(p *Page, r *Row) bool {
	if len(r.Parts) != 1 {
		return false
	}
	part := fold(r.Parts[0].Text)
	_, owned, _ := f.partKey(p, part)
	_, ok := f.labelOwn(p, r, part)
	return ok && !owned
}

// partKey is the key of one folded part.
func (f *Facts) partKey(p *Page, part string) (key string, owned, bare bool) {
	if label := fold(p.Label); label != "" && plainLabel.MatchString(label) && part == label {
		return placeholder, true, true
	}
	if len(f.Letters) > 0 {
		if letters, number, ok := splitLetters(part); ok && slices.Contains(f.Letters, letters) && f.ownLettered(p, number) {
			return letters + placeholder, true, true
		}
	}
	if f.ByChapter && byChapter.MatchString(part) {
		return placeholder, true, true
	}
	spans := numbersIn(part)
	for _, s := range slices.Backward(spans) {
		if f.own(p, part[s.from:s.to]) {
			bare = len(spans) == 1 && (alone.MatchString(part) || spelledAlone(part))
			part = part[:s.from] + placeholder + part[s.to:]
			owned = true
		}
	}
	if !owned {
		part, owned = f.quoteKey(p, part)
	} else if counted.MatchString(strings.ReplaceAll(part, placeholder, "1")) {
		part = clock.ReplaceAllString(part, "${1}:")
	}
	return part, owned, bare
}

// clock is the time of day at which a page was printed, beside its number: pages of one
// file are printed in different minutes.
var clock = regexp.MustCompile(`(^|[\s,])\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?\b`)

// splitLetters divides a part into the letters and the number behind them that are all of
// it.
func splitLetters(part string) (letters, number string, ok bool) {
	for _, pattern := range []*regexp.Regexp{lettered, stamped} {
		if m := pattern.FindStringSubmatch(part); m != nil {
			return m[1], m[2], true
		}
	}
	return "", "", false
}

// farShift is how far the printed numbers of pages are at least from their places in the
// file for a number within a text to be the page's, as in "12 Rep. 211 (2026)": things
// that are counted page by page have such numbers only by chance.
const farShift = 10

const figuresAll = "0123456789"

// figures are the Arabic numbers of a part.
var figures = regexp.MustCompile(`(?:^|[\s(\[,;:–—-])(` + arabic + `)(?:$|[\s)\],;:.–—-])`)

// quoteKey is the key of a part that quotes the page's number, which is far from the
// page's place in the file, in its text.
func (f *Facts) quoteKey(p *Page, part string) (key string, owned bool) {
	if len(part) > maxText || !slices.ContainsFunc(f.Offsets, func(o Offset) bool { return !o.Roman && o.Shift >= farShift }) {
		return part, false
	}
	for _, m := range slices.Backward(figures.FindAllStringSubmatchIndex(part, -1)) {
		n, _ := value(part[m[2]:m[3]])
		if n-p.No >= farShift && slices.Contains(f.Offsets, Offset{Shift: n - p.No}) {
			return part[:m[2]] + placeholder + part[m[3]:], true
		}
	}
	return part, false
}

// spelledAlone reports a part that is a page's number in words and nothing else.
func spelledAlone(part string) bool {
	m := spelled.FindStringIndex(part)
	return m != nil && m[0] == 0 && m[1] == len(part)
}

// own reports whether the number is the page's: its label, or what the offsets of
// the document make of its place.
func (f *Facts) own(p *Page, s string) bool {
	if s == "" {
		return false
	}
	if s == fold(p.Label) {
		return true
	}
	n, isRoman := value(s)
	return slices.Contains(f.Offsets, Offset{Roman: isRoman, Shift: n - p.No}) || isRoman && n <= p.No && f.inFront(p)
}

// ownLettered is own of a number behind letters. That of a stamp, which begins with 0,
// is counted apart: it proves no other number.
func (f *Facts) ownLettered(p *Page, number string) bool {
	n, _ := value(number)
	if number[0] == '0' && slices.Contains(f.Stamps, n-p.No) {
		return true
	}
	return f.own(p, number)
}

// inFront reports a page before the one that is numbered 1 in Arabic numbers: those
// before it have Roman ones, if they have any, from where on nobody knows.
func (f *Facts) inFront(p *Page) bool {
	return slices.ContainsFunc(f.Offsets, func(o Offset) bool { return !o.Roman && p.No+o.Shift < 1 })
}
