package running

import (
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

// totalWords stand between a page's number and how many pages there are.
const totalWords = `of|de|sur|di|von|av|af|van|out of|z|ze|iz|od|из|із|din|su|dari|sa|/`

const (
	// arabic and roman are the numbers that can be a page's: the volumes of a gazette
	// are counted through a year.
	arabic = `\d{1,5}`
	roman  = `(?:m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3}))`
	number = `(` + arabic + `|` + roman + `)`
)

var (
	// alone is a number that is all of a part, perhaps between strokes or brackets, after
	// a word for page ("page no. 3") or the number of its chapter, and before the number of all pages.
	alone = regexp.MustCompile(`^(?:` + words() + `\s*(?::|no\.?|nr\.?|n[°º.])?\s*)?[-–—~\[(<«*=|•·]{0,2}\s*(?:[a-z]-|\d{1,2}[-–])?` + number + `\s*[-–—~\])>»*=|•·]{0,2}\.?(?:\s*(?:` + totalWords + `)\s*\d{1,4})?\s*[-–—~\])>»|•·]?\s*(?:页|頁|ページ|쪽|페이지)?$`)
	// named is a number after a word for page, somewhere in a part.
	named = regexp.MustCompile(`(?:^|[\s(,;:|/·•–—-])(?:` + words() + `)\s*` + number + `(?:$|[\s),;:|/·•–—-])`)
	// first and last are a number at an end of a part, set off by a separator.
	// with white space: "2026/3" is the number of something else.
	first = regexp.MustCompile(`^` + number + `\s*[|/·•‖~■▪◆–—-]\s`)
	last  = regexp.MustCompile(`\s[|/·•‖~■▪◆–—-]\s*` + number + `$`)
	// plainLabel is a label that is a number, as "iv" or "A-3": a file can also call
	// its pages "Art. 3".
	plainLabel = regexp.MustCompile(`^(?:\p{L}{0,3}[-–.]?` + arabic + `|` + roman + `)$`)
)

func words() string {
	quoted := make([]string, len(pageWords))
	for i, w := range pageWords {
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
	if len(out) == 0 {
		add(first.FindStringSubmatchIndex(part))
		add(last.FindStringSubmatchIndex(part))
	}
	return out
}

// value reads a number, Arabic or Roman in small letters; 0 when it is none.
func value(s string) (n int, isRoman bool) {
	if n, err := strconv.Atoi(s); err == nil {
		return n, false
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

// key is the row as it is compared between pages: folded parts, divided by tabs,
// with a placeholder for the page's own number. owned: there is one. bare: there is
// nothing else.
func (f *Facts) key(p *Page, r *Row) (key string, owned, bare bool) {
	parts := make([]string, len(r.Parts))
	bare = true
	for i := range r.Parts {
		var own, only bool
		parts[i], own, only = f.partKey(p, fold(r.Parts[i].Text))
		owned, bare = owned || own, bare && only
	}
	return strings.Join(parts, "\t"), owned, bare
}

// partKey is the key of one folded part.
func (f *Facts) partKey(p *Page, part string) (key string, owned, bare bool) {
	if label := fold(p.Label); label != "" && plainLabel.MatchString(label) && part == label {
		return placeholder, true, true
	}
	spans := numbersIn(part)
	for _, s := range slices.Backward(spans) {
		if f.own(p, part[s.from:s.to]) {
			bare = len(spans) == 1 && alone.MatchString(part)
			part = part[:s.from] + placeholder + part[s.to:]
			owned = true
		}
	}
	return part, owned, bare
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
