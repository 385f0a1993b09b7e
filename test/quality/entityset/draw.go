package entityset

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// Draw returns the file of a page, HTML or PDF. A scan is the PDF file of the page as a grey
// picture with specks, which the PDF engine draws.
func Draw(ctx context.Context, engine *pdfium.Runtime, p Page) ([]byte, error) {
	switch p.Form {
	case "html":
		return []byte(drawHTML(p)), nil
	case "pdf":
		return drawPDF(p)
	case "scan":
		return drawScan(ctx, engine, p)
	default:
		return nil, fmt.Errorf("page %s: there is no form %q", p.Name, p.Form)
	}
}

func drawHTML(p Page) string {
	var out strings.Builder
	fmt.Fprintf(&out, "<!DOCTYPE html>\n<html lang=%q><head><meta charset=\"utf-8\"><title>%s</title></head>\n<body><main>\n", p.Language, html.EscapeString(p.Name))
	listed := false
	for _, b := range p.Blocks {
		if isItem := b.Kind == Item; isItem != listed {
			out.WriteString(map[bool]string{true: "<ul>\n", false: "</ul>\n"}[isItem])
			listed = isItem
		}
		switch b.Kind {
		case Heading:
			fmt.Fprintf(&out, "<h%d>%s</h%d>\n", b.Level, html.EscapeString(b.Text), b.Level)
		case Item:
			fmt.Fprintf(&out, "<li>%s</li>\n", html.EscapeString(b.Text))
		case Table:
			out.WriteString("<table>\n")
			if b.Caption != "" {
				fmt.Fprintf(&out, "<caption>%s</caption>\n", html.EscapeString(b.Caption))
			}
			for i, row := range b.Rows {
				tag := map[bool]string{true: "th", false: "td"}[i == 0]
				out.WriteString("<tr>")
				for _, cell := range row {
					fmt.Fprintf(&out, "<%s>%s</%s>", tag, html.EscapeString(cell), tag)
				}
				out.WriteString("</tr>\n")
			}
			out.WriteString("</table>\n")
		default:
			fmt.Fprintf(&out, "<p>%s</p>\n", html.EscapeString(b.Text))
		}
	}
	if listed {
		out.WriteString("</ul>\n")
	}
	out.WriteString("</main></body></html>\n")
	return out.String()
}

// A page of PDF, in points; the letters of a line are counted by the mean width of Helvetica's.
const (
	sheetWidth, sheetHeight = 595, 842
	margin                  = 64
	textSize, leading       = 11.0, 14.5
	cellSize, cellPadding   = 10.0, 4.0
	letter                  = 0.53 // of the size
)

// pdfPage draws the blocks of one page from the top.
type pdfPage struct {
	out strings.Builder
	y   float64 // of the next baseline
}

func drawPDF(p Page) ([]byte, error) {
	d := pdfPage{y: sheetHeight - 80}
	for _, b := range p.Blocks {
		switch b.Kind {
		case Heading:
			d.y -= 8
			d.lines("B", 18-2*float64(b.Level), margin, b.Text)
			d.y -= 4
		case Item:
			d.lines("R", textSize, margin+14, "\u2022 "+b.Text)
		case Table:
			d.table(b)
		default:
			d.lines("R", textSize, margin, b.Text)
			d.y -= 6
		}
	}
	if d.y < margin {
		return nil, fmt.Errorf("page %s does not fit a sheet", p.Name)
	}
	content, err := charmap.Windows1252.NewEncoder().String(d.out.String())
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", p.Name, err)
	}
	fonts := "/Font << /R << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> " +
		"/B << /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >> >>"
	return writePDF(fonts, []byte(content)), nil
}

// text draws a line where its baseline is.
func (d *pdfPage) text(font string, size, x, y float64, s string) {
	fmt.Fprintf(&d.out, "BT /%s %.1f Tf %.1f %.1f Td (%s) Tj ET\n", font, size, x, y, strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(s))
}

// lines draws a text from x to the right margin, broken where words end.
func (d *pdfPage) lines(font string, size, x float64, s string) {
	for _, line := range breakLines(s, sheetWidth-margin-x, size) {
		d.text(font, size, x, d.y, line)
		d.y -= size * leading / textSize
	}
}

func breakLines(s string, width, size float64) (out []string) {
	most := int(width / (size * letter))
	line := ""
	for word := range strings.FieldsSeq(s) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > most {
			out = append(out, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(out, line)
}

// table draws a ruled table of equal columns.
func (d *pdfPage) table(b Block) {
	if b.Caption != "" {
		d.y -= 4
		d.lines("B", cellSize, margin, b.Caption)
	}
	width := float64(sheetWidth-2*margin) / float64(len(b.Rows[0]))
	top := d.y + cellSize + cellPadding - 2
	rule := func(x1, y1, x2, y2 float64) {
		fmt.Fprintf(&d.out, "0.7 w %.1f %.1f m %.1f %.1f l S\n", x1, y1, x2, y2)
	}
	y := top
	rule(margin, y, sheetWidth-margin, y)
	for i, row := range b.Rows {
		font, most := "R", 0
		if i == 0 {
			font = "B"
		}
		for c, cell := range row {
			broken := breakLines(cell, width-2*cellPadding, cellSize)
			for n, line := range broken {
				d.text(font, cellSize, margin+width*float64(c)+cellPadding, y-cellPadding-cellSize+1-float64(n)*cellSize*1.2, line)
			}
			most = max(most, len(broken))
		}
		y -= 2*cellPadding + cellSize*1.2*float64(most)
		rule(margin, y, sheetWidth-margin, y)
	}
	for c := range len(b.Rows[0]) + 1 {
		rule(margin+width*float64(c), top, margin+width*float64(c), y)
	}
	d.y = y - 18
}

// writePDF writes a PDF file of one page with these resources, and objects that follow the page's.
func writePDF(resources string, content []byte, objects ...[]byte) []byte {
	var out bytes.Buffer
	var offsets []int
	object := func(body []byte) {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	out.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	object([]byte("<< /Type /Catalog /Pages 2 0 R >>"))
	object([]byte("<< /Type /Pages /Count 1 /Kids [3 0 R] >>"))
	object(fmt.Appendf(nil, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R /Resources << %s >> >>", sheetWidth, sheetHeight, resources))
	object(stream("", content))
	for _, o := range objects {
		object(o)
	}
	xref := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return out.Bytes()
}

func stream(entries string, data []byte) []byte {
	return fmt.Appendf(nil, "<< %s /Length %d >>\nstream\n%s\nendstream", entries, len(data), data)
}

// A scan has 200 dots an inch, and a speck for each few thousand of them.
const (
	scanWidth = sheetWidth * 200 / 72
	speckOf   = 4000
)

func drawScan(ctx context.Context, engine *pdfium.Runtime, p Page) ([]byte, error) {
	printed, err := drawPDF(p)
	if err != nil {
		return nil, err
	}
	if engine == nil {
		return nil, fmt.Errorf("page %s: no engine to draw a scan with", p.Name)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	doc, err := engine.Load(printed, "")
	if err != nil {
		return nil, err
	}
	defer doc.Close()
	picture, err := doc.Render(0, pdfium.Box{W: 1, H: 1}, scanWidth)
	if err != nil {
		return nil, err
	}
	grey := image.NewGray(picture.Bounds())
	r := rand.New(rand.NewPCG(uint64(len(printed)), uint64(len(p.Name))))
	for i := range grey.Pix {
		grey.Pix[i] = 30 + byte(int(picture.Pix[4*i])*200/255) + byte(r.IntN(14))
		if r.IntN(speckOf) == 0 {
			grey.Pix[i] = byte(r.IntN(160))
		}
	}
	var coded bytes.Buffer
	if err := jpeg.Encode(&coded, grey, &jpeg.Options{Quality: 80}); err != nil {
		return nil, err
	}
	size := grey.Bounds().Size()
	entries := fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode", size.X, size.Y)
	content := fmt.Appendf(nil, "q %d 0 0 %d 0 0 cm /P Do Q", sheetWidth, sheetHeight)
	return writePDF("/XObject << /P 5 0 R >>", content, stream(entries, coded.Bytes())), nil
}
