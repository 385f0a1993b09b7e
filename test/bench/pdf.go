package bench

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"math/rand/v2"
	"strings"
)

// A4 in points, and the type of the pages that PDF makes.
const (
	sheetWidth, sheetHeight = 595, 842
	leftMargin              = 72
	lineHeight              = 14
	lineLetters             = 84 // of Times 11 in the width of the text
)

// PDF returns a text PDF of so many pages, equal byte for byte for equal
// arguments: running heads, numbered headings, some 3,000 characters a page in
// paragraphs, lists, and a ruled table on each fifth page. Other seeds give other
// words.
func PDF(seed uint64, pages int) []byte {
	w := &pdfWriter{words: newWords(seed)}
	w.begin(pages)
	for no := 1; no <= pages; no++ {
		w.page(no)
	}
	return w.end()
}

// pdfWriter writes the objects of a PDF file one after the other: 1 is the
// catalog, 2 the page tree, 3 to 5 are fonts, then come a page and its content
// in turn.
type pdfWriter struct {
	words   *words
	out     bytes.Buffer
	offsets []int
	content strings.Builder
	section int
}

func (w *pdfWriter) object(body string) {
	w.offsets = append(w.offsets, w.out.Len())
	fmt.Fprintf(&w.out, "%d 0 obj\n%s\nendobj\n", len(w.offsets), body)
}

func (w *pdfWriter) begin(pages int) {
	w.out.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	w.object("<</Type/Catalog/Pages 2 0 R>>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 6+2*i)
	}
	w.object(fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", pages, kids.String()))
	for _, name := range []string{"Times-Roman", "Helvetica-Bold", "Helvetica"} {
		w.object("<</Type/Font/Subtype/Type1/Encoding/WinAnsiEncoding/BaseFont/" + name + ">>")
	}
}

func (w *pdfWriter) page(no int) {
	w.content.Reset()
	w.text(3, 8, leftMargin, sheetHeight-36, "Proceedings of the water council of Valdoro")
	w.text(3, 8, sheetWidth/2, 30, fmt.Sprint(no))
	y := sheetHeight - 72
	if no%2 == 1 {
		w.section++
		w.text(2, 14, leftMargin, y, fmt.Sprintf("%d. %s", w.section, w.words.title()))
		y -= 2 * lineHeight
	}
	if no%5 == 0 {
		y = w.table(y)
	}
	for y > 130 {
		if w.words.pick(5) == 0 {
			y = w.list(y)
			continue
		}
		y = w.paragraph(y)
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write([]byte(w.content.String())) // a bytes.Buffer takes everything
	_ = z.Close()
	number := len(w.offsets) + 1
	w.object(fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Contents %d 0 R/Resources<</Font<</F1 3 0 R/F2 4 0 R/F3 5 0 R>>>>>>",
		sheetWidth, sheetHeight, number+1))
	w.object(fmt.Sprintf("<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream", packed.Len(), packed.String()))
}

func (w *pdfWriter) text(font int, size, x, y int, s string) {
	s = strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(s)
	fmt.Fprintf(&w.content, "BT /F%d %d Tf %d %d Td (%s) Tj ET\n", font, size, x, y, s)
}

func (w *pdfWriter) paragraph(y int) int {
	for _, line := range wrap(w.words.paragraph(), lineLetters) {
		if y < 60 {
			break
		}
		w.text(1, 11, leftMargin, y, line)
		y -= lineHeight
	}
	return y - lineHeight/2
}

func (w *pdfWriter) list(y int) int {
	for i := range 3 {
		w.text(1, 11, leftMargin+12, y, fmt.Sprintf("%c) %s", 'a'+i, w.words.title()))
		y -= lineHeight
	}
	return y - lineHeight/2
}

// table draws a ruled table of six rows and four columns.
func (w *pdfWriter) table(y int) int {
	const rows, columns, width, height = 6, 4, 110, 18
	top := y + height - 5
	for r := range rows + 1 {
		fmt.Fprintf(&w.content, "%d %d m %d %d l S\n", leftMargin, top-r*height, leftMargin+columns*width, top-r*height)
	}
	for c := range columns + 1 {
		fmt.Fprintf(&w.content, "%d %d m %d %d l S\n", leftMargin+c*width, top, leftMargin+c*width, top-rows*height)
	}
	for r := range rows {
		for c := range columns {
			cell, font := fmt.Sprintf("%d,%03d", w.words.pick(90), w.words.pick(1000)), 3
			if r == 0 || c == 0 {
				cell = w.words.word()
			}
			if r == 0 {
				font = 2
			}
			w.text(font, 9, leftMargin+c*width+4, y-r*height, cell)
		}
	}
	return y - rows*height - lineHeight
}

func (w *pdfWriter) end() []byte {
	at := w.out.Len()
	fmt.Fprintf(&w.out, "xref\n0 %d\n0000000000 65535 f \n", len(w.offsets)+1)
	for _, offset := range w.offsets {
		fmt.Fprintf(&w.out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&w.out, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(w.offsets)+1, at)
	return w.out.Bytes()
}

// wrap breaks text into lines of at most so many letters.
func wrap(text string, letters int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > letters {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// HTML returns a page of about 20 KB: an article with headings, paragraphs,
// lists and a table, between navigation and a foot.
func HTML(seed uint64) []byte {
	const length = 20 << 10
	w := newWords(seed)
	var b strings.Builder
	title := w.title()
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title></head>\n<body>\n"+
		"<nav><a href=\"/\">Home</a> <a href=\"/council\">Council</a> <a href=\"/archive\">Archive</a></nav>\n<main><article><h1>%s</h1>\n", title, title)
	for b.Len() < length-600 {
		fmt.Fprintf(&b, "<h2>%s</h2>\n<p>%s</p>\n<p>%s</p>\n", w.title(), w.paragraph(), w.paragraph())
		fmt.Fprintf(&b, "<ul><li>%s</li><li>%s</li></ul>\n", w.title(), w.title())
	}
	b.WriteString("<table><tr><th>Measure</th><th>Cost</th></tr>\n")
	for range 4 {
		fmt.Fprintf(&b, "<tr><td>%s</td><td>%d</td></tr>\n", w.word(), w.pick(10000))
	}
	b.WriteString("</table></article></main>\n<footer>Council of Valdoro</footer></body></html>\n")
	return []byte(b.String())
}

// words makes sentences of a small vocabulary.
type words struct{ random *rand.Rand }

func newWords(seed uint64) *words { return &words{rand.New(rand.NewPCG(seed, 7))} }

const vocabulary = "the of and to in a is that for on as with by this are from at which be was water river council " +
	"district measure station flow level report plan cost year season bank meadow bridge canal supply drought flood " +
	"quality nitrogen phosphorus sediment gauge household farmer village engineer inspection permit charge review " +
	"committee meeting resolution article paragraph budget contract tender repair maintenance reservoir pump pipeline " +
	"treatment discharge threshold target baseline average maximum minimum upstream downstream annual monthly weekly " +
	"approved recorded measured compared published adopted rejected postponed extended reduced increased maintained"

func (w *words) pick(n int) int { return w.random.IntN(n) }

func (w *words) word() string {
	all := strings.Fields(vocabulary)
	return all[w.pick(len(all))]
}

func (w *words) sentence(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = w.word()
	}
	s := strings.Join(all, " ")
	return strings.ToUpper(s[:1]) + s[1:]
}

func (w *words) title() string { return w.sentence(4 + w.pick(4)) }

func (w *words) paragraph() string {
	var b strings.Builder
	for range 4 + w.pick(4) {
		fmt.Fprintf(&b, "%s in %d. ", w.sentence(9+w.pick(12)), 1900+w.pick(126))
	}
	return strings.TrimSpace(b.String())
}
