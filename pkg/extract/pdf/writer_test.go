package pdf

import (
	"bytes"
	"fmt"
	"strings"
)

// writer makes small PDF files. Object 1 is the catalog, 2 the page tree, 3 the
// fonts; others are numbered as they are added.
type writer struct {
	objects []string // from object 4 on
	pages   []int
	catalog string
	trailer string
	fonts   string
}

func (w *writer) add(body string) int {
	w.objects = append(w.objects, body)
	return len(w.objects) + 3
}

func (w *writer) stream(entries, data string) int {
	return w.add(fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", entries, len(data), data))
}

const letter = "/MediaBox [0 0 612 792]"

func (w *writer) page(entries, content string) {
	contents := w.stream("", content)
	w.pages = append(w.pages, w.add(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Contents %d 0 R %s >>", contents, entries)))
}

func (w *writer) bytes() []byte {
	kids := make([]string, len(w.pages))
	for i, n := range w.pages {
		kids[i] = fmt.Sprintf("%d 0 R", n)
	}
	font := func(name, base string) string {
		return fmt.Sprintf("/%s << /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >> ", name, base)
	}
	objects := append([]string{
		fmt.Sprintf("<< /Type /Catalog /Pages 2 0 R %s >>", w.catalog),
		fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] /Resources << /Font 3 0 R >> >>", len(kids), strings.Join(kids, " ")),
		"<< " + font("R", "Helvetica") + font("B", "Helvetica-Bold") + font("I", "Helvetica-Oblique") + font("C", "Courier") + w.fonts + ">>",
	}, w.objects...)
	var out bytes.Buffer
	out.WriteString("%PDF-1.7\n")
	offsets := make([]int, len(objects))
	for i, body := range objects {
		offsets[i] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, w.trailer, start)
	return out.Bytes()
}

// canvas is the content of a page.
type canvas struct{ strings.Builder }

// text draws lines from (x, y) down, 1.2 ems apart.
func (c *canvas) text(font string, size, x, y float64, lines ...string) *canvas {
	for i, line := range lines {
		line = strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(line)
		fmt.Fprintf(c, "BT /%s %g Tf %g %g Td (%s) Tj ET\n", font, size, x, y-float64(i)*1.2*size, line)
	}
	return c
}

func (c *canvas) line(x0, y0, x1, y1 float64) *canvas {
	fmt.Fprintf(c, "%g %g m %g %g l S\n", x0, y0, x1, y1)
	return c
}

func document(contents ...string) []byte {
	var w writer
	for _, content := range contents {
		w.page(letter, content)
	}
	return w.bytes()
}

// article is a page with a title, headings, paragraphs, a broken word, a list
// and a footnote.
func article() []byte {
	var c canvas
	c.text("B", 20, 72, 720, "Water of the valley")
	c.text("R", 11, 72, 690,
		"The river rises above the village and runs for eleven kilometres through the commu-",
		"nity before it meets the sea. Two weirs were built, one of them in the nineteenth cen-",
		"tury, and both are kept by the self-help association of the farmers of the valley.")
	c.text("R", 11, 72, 640,
		"A second paragraph stands below a gap and speaks of other things for two lines, so",
		"that it can be told from the first one.")
	c.text("B", 11, 72, 600, "1.1 What was decided")
	c.text("R", 11, 72, 580,
		"The council decided the following points in its meeting of the twelfth of June, with")
	c.text("R", 11, 72, 566, "all votes but one:")
	c.text("R", 11, 90, 546, "1. to repair the upper weir before the winter;")
	c.text("R", 11, 90, 530, "2. to measure the water every month, and to write down what was found in the", "    book of the association;")
	c.text("R", 11, 90, 500, "3. to report.")
	c.text("R", 8, 72, 90, "1 The book is kept in the town hall.")
	return document(c.String())
}

// columns is a page in two columns under a title that spans both.
func columns() []byte {
	var c canvas
	c.text("B", 18, 72, 720, "A report in two columns")
	left := []string{"The left column begins here and", "goes on for several lines that are", "about as wide as the column, each", "of them full until the last which", "is short."}
	right := []string{"The right column holds other text", "which must never be read across", "from the left one, whatever lines", "stand at the same height in the", "end."}
	c.text("R", 10, 72, 680, left...)
	c.text("R", 10, 320, 680, right...)
	return document(c.String())
}

// numberedLines is a page whose line numbers are drawn before its text.
func numberedLines() []byte {
	var c canvas
	for i := range 6 {
		c.text("C", 11, 60, 700-24*float64(i), fmt.Sprint(i+1))
	}
	for i, line := range []string{"PROCEEDINGS OF THE COURT", "The clerk opened the case and", "read what had been written in", "the matter of the two weirs."} {
		c.text("C", 11, 100, 700-24*float64(i), line)
	}
	return document(c.String())
}

// running is a document of n pages with heads that change with the chapter and
// page numbers at the foot.
func running(n int) []byte {
	var w writer
	for i := range n {
		var c canvas
		chapter := 1 + i/3
		c.text("I", 9, 72, 760, fmt.Sprintf("Page %d", i+1)).text("I", 9, 130, 760, fmt.Sprintf("Chapter %d: Of %s", chapter, []string{"rivers", "weirs", "fields", "roads"}[chapter%4]))
		for k := range 12 {
			c.text("R", 11, 72, 700-14*float64(k), fmt.Sprintf("Page %d says in its line %d that %s of the valley are kept with care by all", i+1, k+1, strings.Repeat("x", 1+(i*7+k*3)%5)))
		}
		c.text("R", 9, 300, 40, fmt.Sprintf("- %d -", i+1))
		w.page(letter, c.String())
	}
	return w.bytes()
}

// ruled is a page with a ruled table with a spanning head and a spanning first
// column, a caption above and text below.
func ruled() []byte {
	var c canvas
	c.text("B", 10, 72, 720, "Table 1. Measures by year")
	xs, ys := []float64{72, 200, 300, 400}, []float64{700, 680, 660, 640, 620}
	for _, y := range ys {
		from := xs[0]
		if y == 680 {
			from = xs[1] // the first head spans two rows
		}
		if y == 640 {
			from = xs[1] // so does the first name
		}
		c.line(from, y, xs[3], y)
	}
	for i, x := range xs {
		top := ys[0]
		if i == 2 {
			top = ys[1] // the second head spans two columns
		}
		c.line(x, top, x, ys[4])
	}
	cell := func(font string, col, row int, text string) { c.text(font, 10, xs[col]+4, ys[row]-14, text) }
	cell("B", 0, 0, "Place")
	cell("B", 1, 0, "Water, m3")
	cell("B", 1, 1, "2030")
	cell("B", 2, 1, "2031")
	cell("R", 0, 2, "Upper weir")
	cell("R", 1, 2, "1,200")
	cell("R", 2, 2, "1,310")
	cell("R", 1, 3, "900")
	cell("R", 2, 3, "15 %")
	c.text("R", 10, 72, 590, "What the table shows was measured at noon and written down on the same day.")
	return document(c.String())
}

// alignedTable is a page with a table without rulings between two paragraphs.
func alignedTable() []byte {
	var c canvas
	c.text("R", 10, 72, 720, "The water of the valley was measured at three places over four years.")
	for i, row := range [][]string{
		{"Place", "2030", "2031", "Change"}, {"Upper weir", "1,200", "1,310", "9.2 %"}, {"Lower weir", "900", "885", "-1.7 %"},
		{"Mill", "455", "470", "3.3 %"}, {"Bridge of the old road", "1,010", "-", "-"}, {"Total", "3,565", "2,665", ""},
	} {
		for k, cell := range row {
			c.text("R", 10, []float64{72, 230, 320, 400}[k], 690-14*float64(i), cell)
		}
	}
	c.text("R", 10, 72, 590, "No water was measured at the bridge in the second year, since it was closed.")
	return document(c.String())
}

// turned is the article on a page that is turned by rotation degrees, drawn so
// that it stands upright.
func turned(rotation int) []byte {
	matrix := map[int]string{0: "1 0 0 1 0 0", 90: "0 1 -1 0 612 0", 180: "-1 0 0 -1 612 792", 270: "0 -1 1 0 0 792"}[rotation]
	var c canvas
	c.text("B", 20, 72, 500, "Turned page")
	c.text("R", 11, 72, 470, "This text stands upright when the page is shown as it is", "meant to be shown, whatever its rotation says in the end.")
	var w writer
	w.page(fmt.Sprintf("%s /Rotate %d", letter, rotation), matrix+" cm\n"+c.String())
	return w.bytes()
}

// unreadable is a page in a font whose characters map to the private use area.
func unreadable() []byte {
	var w writer
	cmap := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n1 begincodespacerange <00> <FF> endcodespacerange\n1 beginbfrange <20> <7E> <E020> endbfrange\nendcmap end end"
	n := w.stream("", cmap)
	w.fonts = fmt.Sprintf("/P << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode %d 0 R >> ", n)
	var c canvas
	c.text("P", 11, 72, 700, "nothing of this can be read outside", "of the font that it is set in")
	w.page(letter, c.String())
	return w.bytes()
}

// others is a page with a picture, hidden text, text outside of its CropBox, a
// link, a note and form fields.
func others() []byte {
	var w writer
	image := w.stream("/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8", "\x7f")
	link := w.add("<< /Type /Annot /Subtype /Link /Rect [72 690 200 704] /A << /S /URI /URI (https://example.org/weir) >> >>")
	note := w.add("<< /Type /Annot /Subtype /Text /Rect [400 690 420 710] /Contents (Check this figure.) >>")
	field := w.add("<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /TU (Your name) /V (Ghjuvanni) /Rect [72 200 200 220] >>")
	w.catalog = fmt.Sprintf("/AcroForm << /Fields [%d 0 R] >>", field)
	var c canvas
	c.text("R", 11, 72, 692, "The weir has a page of its own, and what it says there is true.")
	c.WriteString("q 200 0 0 150 72 400 cm /Im Do Q\n")
	c.text("R", 10, 72, 385, "Figure 1: The upper weir")
	c.WriteString("BT 3 Tr /R 11 Tf 72 300 Td (An invisible line of text) Tj 0 Tr ET\n")
	c.text("R", 11, 72, 770, "Cut off by the printer")
	w.page(fmt.Sprintf("%s /CropBox [36 36 576 740] /Annots [%d 0 R %d 0 R %d 0 R] /Resources << /Font 3 0 R /XObject << /Im %d 0 R >> >>", letter, link, note, field, image), c.String())
	w.trailer = fmt.Sprintf("/Info %d 0 R", w.add("<< /Title (A page with a bit of everything) >>"))
	return w.bytes()
}

// scanned is a page with a picture and nothing else.
func scanned() []byte {
	var w writer
	image := w.stream("/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8", "\x7f")
	w.page(fmt.Sprintf("%s /Resources << /XObject << /Im %d 0 R >> >>", letter, image), "612 0 0 792 0 0 cm /Im Do")
	return w.bytes()
}
