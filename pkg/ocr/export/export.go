// Package export writes OCR results in the forms that other programs read: hOCR
// 1.2 and ALTO 4.4. Both show what is in the results and nothing else.
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

func ordered(pages []ocr.Result) []ocr.Result {
	pages = slices.Clone(pages)
	slices.SortStableFunc(pages, func(a, b ocr.Result) int { return cmp.Compare(a.Page, b.Page) })
	return pages
}

// HOCR writes the pages, in the order of their numbers, as one hOCR document.
func HOCR(pages []ocr.Result, title string) string {
	var b strings.Builder
	system := "colophon"
	if len(pages) > 0 {
		system = pages[0].Engine + " " + pages[0].Version
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
`, text(title), text(system))
	for _, r := range ordered(pages) {
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
	var b strings.Builder
	engine, version := "colophon", ""
	if len(pages) > 0 {
		engine, version = pages[0].Engine, pages[0].Version
	}
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.loc.gov/standards/alto/ns-v4# http://www.loc.gov/alto/v4/alto-4-4.xsd">
<Description>
<MeasurementUnit>pixel</MeasurementUnit>
<sourceImageInformation><fileName>%s</fileName></sourceImageInformation>
<Processing ID="OCR"><processingSoftware><softwareName>%s</softwareName><softwareVersion>%s</softwareVersion></processingSoftware></Processing>
</Description>
<Layout>
`, text(file), text(engine), text(version))
	for _, r := range ordered(pages) {
		p := pageOf(&r)
		id := strconv.Itoa(r.Page)
		fmt.Fprintf(&b, "<Page ID=\"page_%s\" PHYSICAL_IMG_NR=\"%s\" WIDTH=\"%d\" HEIGHT=\"%d\" PC=\"%.3f\">\n<PrintSpace HPOS=\"0\" VPOS=\"0\" WIDTH=\"%d\" HEIGHT=\"%d\">\n",
			id, id, p.width, p.height, r.Confidence, p.width, p.height)
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
