package devtest

import (
	"fmt"
	"strings"
)

// PDF makes a PDF of n pages with a line of text each; rest is a comment after its end.
func PDF(n int, rest string) string {
	pages := make([]string, n)
	for i := range pages {
		pages[i] = fmt.Sprintf("BT /F 12 Tf 40 300 Td (This is the text of page %d of the report.) Tj ET", i+1)
	}
	return PDFOf(pages...) + "% " + rest + "\n"
}

// PDFOf makes a PDF of pages of 300 by 400 points with these content streams, whose font
// is /F, Helvetica.
func PDFOf(pages ...string) string {
	var out strings.Builder
	out.WriteString("%PDF-1.7\n")
	var offsets []int
	object := func(body string) {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	kids := ""
	for i := range pages {
		kids += fmt.Sprintf("%d 0 R ", 4+2*i)
	}
	object(fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] /MediaBox [0 0 300 400] "+
		"/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>", len(pages), kids))
	for i, text := range pages {
		object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(text), text))
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Contents %d 0 R >>", 3+2*i))
	}
	xref := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return out.String()
}
