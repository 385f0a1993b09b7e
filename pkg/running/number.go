package running

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

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
	alone = regexp.MustCompile(`^(?:` + words(pageWords, sheetWords) + `\s*(?::|no\.?|nr\.?|n[°º.])?\s*)?[-–—~\[(<«*=|•·\p{So}]{0,3}\s*(?:[a-z]-|\d{1,2}[-–])?` + number + `\s*[-–—~\])>»*=|•·\p{So}]{0,3}\.?(?:\s*(?:` + totalWords + `)\s*\d{1,4}|\s*\(\d{1,4}\))?\s*[-–—~\])>»|•·]?\s*(?:页|頁|ページ|쪽|페이지|` + words(pageWords) + `)?$`)
	// named is a number after a word for page, somewhere in a part, or after one for a
	// leaf and before the number of all.
	named  = regexp.MustCompile(`(?:^|[\s(,;:|/·•–—-])(?:` + words(pageWords) + `)\s*(?:[a-z]-)?` + number + `(?:$|[\s),;:|/·•–—-])`)
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
	// spelled is a number in words after a word for page: "Page three of five".
	spelled = regexp.MustCompile(`(?:^|[\s(,;:|/·•–—-])(?:` + words(pageWords) + `)\s+(` + words(spelledWords()) + `)(?:\s+(?:` + totalWords + `)\s+(?:` + words(spelledWords()) + `))?(?:$|[\s),;:|/·•–—-])`)
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
		if m := spelled.FindStringSubmatchIndex(part); m != nil {
			return []span{{m[2], m[3]}}
		}
	}
	if !strings.ContainsAny(part, "0123456789") && (len(part) > maxRoman || !strings.ContainsAny(part, "ivxlcdm")) || len(part) > maxText {
		return nil
	}
	var out []span
	add := func(m []int) {
		if m != nil && m[2] < m[3] && !slices.Contains(out, span{m[2], m[3]}) {
			out = append(out, span{m[2], m[3]})
		}
	}
	if m := alone.FindStringSubmatchIndex(part); m != nil {
		add(m)
		return out
	}
	add(named.FindStringSubmatchIndex(part))
	add(leafed.FindStringSubmatchIndex(part))
	if len(out) == 0 {
		add(first.FindStringSubmatchIndex(part))
		add(last.FindStringSubmatchIndex(part))
	}
	return out
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
	return key, owned, bare
}

// partKey is the key of one folded part.
func (f *Facts) partKey(p *Page, part string) (key string, owned, bare bool) {
	if label := fold(p.Label); label != "" && plainLabel.MatchString(label) && part == label {
		return placeholder, true, true
	}
	if m := lettered.FindStringSubmatch(part); m != nil && slices.Contains(f.Letters, m[1]) && f.own(p, m[2]) {
		return m[1] + placeholder, true, true
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
	}
	return part, owned, bare
}

// farShift is how far the printed numbers of pages are at least from their places in the
// file for a number within a text to be the page's, as in "12 Rep. 211 (2026)": things
// that are counted page by page have such numbers only by chance.
const farShift = 10

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

// inFront reports a page before the one that is numbered 1 in Arabic numbers: those
// before it have Roman ones, if they have any, from where on nobody knows.
func (f *Facts) inFront(p *Page) bool {
	return slices.ContainsFunc(f.Offsets, func(o Offset) bool { return !o.Roman && p.No+o.Shift < 1 })
}

// learnLetters finds the letters that stand before the numbers of pages, as in S12: on
// enough pages a row that is apart, in small type or at the foot and far from the text,
// has nothing else, and its number runs with the pages.
func (f *Facts) learnLetters(pages []Page) {
	type run struct {
		letters string
		offset  Offset
	}
	on := map[run]int{}
	for i := range pages {
		p := &pages[i]
		seen := map[run]bool{}
		for _, foot := range []bool{false, true} {
			for _, k := range p.edgeRows(foot) {
				r := &p.Rows[k]
				c := candidate{page: p, row: k, foot: foot}
				if !p.apart(k, foot, f) || !f.isSmall(r) && !(foot && f.isFar(c)) {
					break
				}
				for _, part := range r.Parts {
					if m := lettered.FindStringSubmatch(fold(part.Text)); m != nil {
						n, _ := value(m[2])
						seen[run{m[1], Offset{Shift: n - p.No}}] = true
					}
				}
			}
		}
		for o := range seen {
			on[o]++
		}
	}
	var runs []run
	for r, n := range on {
		if n >= f.least() {
			runs = append(runs, r)
		}
	}
	slices.SortFunc(runs, func(a, b run) int {
		return cmp.Or(cmp.Compare(on[b], on[a]), cmp.Compare(a.letters, b.letters), cmp.Compare(a.offset.Shift, b.offset.Shift))
	})
	for _, r := range runs[:min(len(runs), maxOffsets)] {
		if !slices.Contains(f.Letters, r.letters) {
			f.Letters = append(f.Letters, r.letters)
		}
		if !slices.Contains(f.Offsets, r.offset) {
			f.Offsets = append(f.Offsets, r.offset)
		}
	}
	slices.Sort(f.Letters)
}
