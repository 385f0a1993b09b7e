package docxt

import (
	"fmt"
	"strings"
)

// FillFigures returns the HTML of a page with the src of those figures that were
// stored without one, by figure id: pictures that are cut out of their page have
// an address only once they are (contracts#pictures, contracts#docxt).
func FillFigures(html string, src map[string]string) string {
	if len(src) == 0 {
		return html
	}
	lines := strings.Split(html, "\n")
	for i := 0; i+1 < len(lines); i++ {
		rest, ok := strings.CutPrefix(lines[i], figureStart)
		if !ok {
			continue
		}
		id, _, _ := strings.Cut(rest, `"`)
		marker, empty := strings.CutSuffix(lines[i], ` src="" -->`)
		if address := attr(src[id]); empty && address != "" {
			lines[i] = marker + fmt.Sprintf(` src="%s" -->`, address)
			lines[i+1] = strings.Replace(lines[i+1], `<img src=""`, fmt.Sprintf(`<img src="%s"`, address), 1)
		}
	}
	return strings.Join(lines, "\n")
}

// figureStart begins the marker of a figure; text cannot, since it is escaped.
const figureStart = `<!-- DOCXT:FIGURE id="`
