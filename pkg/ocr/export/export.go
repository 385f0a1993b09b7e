// Package export writes OCR results in the forms that other programs read: hOCR
// 1.2 and ALTO 4.4. Both show what is in the results and nothing else. Places are
// those of the upright page.
package export

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
)

// rect is a box in pixels.
type rect struct{ left, top, right, bottom int }

func (r rect) union(s rect) rect {
	return rect{min(r.left, s.left), min(r.top, s.top), max(r.right, s.right), max(r.bottom, s.bottom)}
}

// page is a result by the engine's blocks, paragraphs and lines, in pixels.
type page struct {
	result        *ocr.Result
	width, height int
	blocks        []block
}

type block struct {
	box        rect
	paragraphs []paragraph
}

type paragraph struct {
	box   rect
	lines []line
}

type line struct {
	box   rect
	words []word
}

type word struct {
	box        rect
	text       string
	confidence float64
}

// pixelSide is how long a page is taken to be that has a size in points: what is
// written is whole pixels, at about 300 for an inch of A4.
const pixelSide = 3508

func pageOf(r *ocr.Result) page {
	scale := 1.0
	if side := math.Max(r.Width, r.Height); side < pixelSide {
		scale = pixelSide / side
	}
	p := page{result: r, width: int(math.Round(r.Width * scale)), height: int(math.Round(r.Height * scale))}
	var last *ocr.Word
	for i := range r.Words {
		w := &r.Words[i]
		box := p.pixels(w.Box)
		newBlock := last == nil || w.Block != last.Block
		newParagraph := newBlock || w.Paragraph != last.Paragraph
		if newBlock {
			p.blocks = append(p.blocks, block{box: box})
		}
		b := &p.blocks[len(p.blocks)-1]
		if newParagraph {
			b.paragraphs = append(b.paragraphs, paragraph{box: box})
		}
		q := &b.paragraphs[len(b.paragraphs)-1]
		if newParagraph || w.Line != last.Line {
			q.lines = append(q.lines, line{box: box})
		}
		l := &q.lines[len(q.lines)-1]
		l.words = append(l.words, word{box: box, text: w.Text, confidence: w.Confidence})
		l.box, q.box, b.box = l.box.union(box), q.box.union(box), b.box.union(box)
		last = w
	}
	return p
}

func (p *page) pixels(b model.BBox) rect {
	w, h := float64(p.width), float64(p.height)
	return rect{
		int(math.Round(b.X * w)), int(math.Round(b.Y * h)), int(math.Round((b.X + b.W) * w)), int(math.Round((b.Y + b.H) * h)),
	}
}

// text is s as XML may hold it.
func text(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder never fails
	return b.String()
}

// ordered returns the pages in the order of their numbers, what was read in
// several parts of one as one.
func ordered(parts []ocr.Result) []ocr.Result {
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b ocr.Result) int { return cmp.Compare(a.Page, b.Page) })
	var pages []ocr.Result
	for _, same := range chunked(parts) {
		pages = append(pages, joined(same))
	}
	return pages
}

// chunked divides results by their pages.
func chunked(parts []ocr.Result) [][]ocr.Result {
	var out [][]ocr.Result
	for i := range parts {
		if i == 0 || parts[i].Page != parts[i-1].Page {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], parts[i])
	}
	return out
}

// joined is one result of all that was read on a page. Parts that lie in several
// directions have their places on the page as its file shows it.
func joined(parts []ocr.Result) ocr.Result {
	out := parts[0]
	if len(parts) == 1 {
		return out
	}
	askew := slices.ContainsFunc(parts, func(p ocr.Result) bool { return p.Rotation != out.Rotation })
	if askew && out.Rotation%180 != 0 {
		out.Width, out.Height = out.Height, out.Width
	}
	out.Words = nil
	blocks := 0
	for i := range parts {
		last := 0
		for _, w := range parts[i].Words {
			last = max(last, w.Block)
			w.Block += blocks
			if askew {
				w.Box = parts[i].AsShown(w.Box)
			}
			out.Words = append(out.Words, w)
		}
		blocks += last
	}
	out.Confidence = ocr.MeanConfidence(out.Words)
	return out
}

// engine is who read a page.
type engine struct{ name, version string }

// engines are those of the pages, each once.
func engines(pages []ocr.Result) []engine {
	var out []engine
	for _, r := range pages {
		if e := (engine{r.Engine, r.Version}); !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// HOCR writes the pages, in the order of their numbers, as one hOCR document.
func HOCR(pages []ocr.Result, title string) string {
	pages = ordered(pages)
	var b strings.Builder
	var systems []string
	for _, e := range engines(pages) {
		systems = append(systems, e.name+" "+e.version)
	}
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml">
<head>
<title>%s</title>
<meta http-equiv="Content-Type" content="text/html;charset=utf-8"/>
<meta name="ocr-system" content="%s"/>
<meta name="ocr-capabilities" content="ocr_page ocr_carea ocr_par ocr_line ocrx_word ocrp_wconf"/>
</head>
<body>
`, text(title), text(strings.Join(systems, ", ")))
	for _, r := range pages {
		p := pageOf(&r)
		fmt.Fprintf(&b, "<div class='ocr_page' id='page_%d' title='bbox 0 0 %d %d; ppageno %d'>\n", r.Page, p.width, p.height, r.Page-1)
		for i, area := range p.blocks {
			fmt.Fprintf(&b, " <div class='ocr_carea' id='block_%d_%d' title='%s'>\n", r.Page, i+1, hocrBox(area.box))
			for _, q := range area.paragraphs {
				fmt.Fprintf(&b, "  <p class='ocr_par' title='%s'>\n", hocrBox(q.box))
				for _, l := range q.lines {
					fmt.Fprintf(&b, "   <span class='ocr_line' title='%s'>", hocrBox(l.box))
					for k, w := range l.words {
						if k > 0 {
							b.WriteByte(' ')
						}
						fmt.Fprintf(&b, "<span class='ocrx_word' title='%s; x_wconf %d'>%s</span>", hocrBox(w.box), int(math.Round(100*w.confidence)), text(w.text))
					}
					b.WriteString("</span>\n")
				}
				b.WriteString("  </p>\n")
			}
			b.WriteString(" </div>\n")
		}
		b.WriteString("</div>\n")
	}
	b.WriteString("</body>\n</html>\n")
	return b.String()
}

func hocrBox(r rect) string { return fmt.Sprintf("bbox %d %d %d %d", r.left, r.top, r.right, r.bottom) }

// ALTO writes the pages, in the order of their numbers, as one ALTO document;
// file is the name of what was read.
func ALTO(pages []ocr.Result, file string) string {
	pages = ordered(pages)
	var b strings.Builder
	readers := engines(pages)
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.loc.gov/standards/alto/ns-v4# http://www.loc.gov/alto/v4/alto-4-4.xsd">
<Description>
<MeasurementUnit>pixel</MeasurementUnit>
<sourceImageInformation><fileName>%s</fileName></sourceImageInformation>
`, text(file))
	for i, e := range readers {
		fmt.Fprintf(&b, "<Processing ID=\"OCR_%d\"><processingSoftware><softwareName>%s</softwareName><softwareVersion>%s</softwareVersion></processingSoftware></Processing>\n",
			i+1, text(e.name), text(e.version))
	}
	b.WriteString("</Description>\n<Layout>\n")
	for _, r := range pages {
		p := pageOf(&r)
		id := strconv.Itoa(r.Page)
		fmt.Fprintf(&b, "<Page ID=\"page_%s\" PHYSICAL_IMG_NR=\"%s\" WIDTH=\"%d\" HEIGHT=\"%d\" PC=\"%.3f\" PROCESSINGREFS=\"OCR_%d\">\n<PrintSpace HPOS=\"0\" VPOS=\"0\" WIDTH=\"%d\" HEIGHT=\"%d\">\n",
			id, id, p.width, p.height, r.Confidence, 1+slices.Index(readers, engine{r.Engine, r.Version}), p.width, p.height)
		for i, area := range p.blocks {
			for j, q := range area.paragraphs {
				fmt.Fprintf(&b, " <TextBlock ID=\"block_%s_%d_%d\" %s>\n", id, i+1, j+1, altoBox(q.box))
				for _, l := range q.lines {
					fmt.Fprintf(&b, "  <TextLine %s>", altoBox(l.box))
					for k, w := range l.words {
						if k > 0 {
							b.WriteString("<SP/>")
						}
						fmt.Fprintf(&b, "<String %s WC=\"%.3f\" CONTENT=\"%s\"/>", altoBox(w.box), w.confidence, text(w.text))
					}
					b.WriteString("</TextLine>\n")
				}
				b.WriteString(" </TextBlock>\n")
			}
		}
		b.WriteString("</PrintSpace>\n</Page>\n")
	}
	b.WriteString("</Layout>\n</alto>\n")
	return b.String()
}

func altoBox(r rect) string {
	return fmt.Sprintf("HPOS=\"%d\" VPOS=\"%d\" WIDTH=\"%d\" HEIGHT=\"%d\"", r.left, r.top, r.right-r.left, r.bottom-r.top)
}
