// Package overlay draws what was found on a page over its picture: a box around
// each unit in the colour of its type, with its type and its place in reading
// order, and one around each word that OCR read, so that a person can see at a
// glance what extraction made of a page.
package overlay

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
)

// Mark is one unit as it is drawn.
type Mark struct {
	Type  model.UnitType `json:"type"`
	Label string         `json:"label"` // ASCII
	// Box is around all of the unit; Parts are the places of its evidence when
	// there are several.
	Box   model.BBox   `json:"box"`
	Parts []model.BBox `json:"parts,omitempty"`
	// Columns are the edges of a table's columns, 0..1 of the page's width, when
	// those of its rows are not known; else Cells are its cells.
	Columns []float64    `json:"columns,omitempty"`
	Cells   []model.BBox `json:"cells,omitempty"`
}

// Word is one word that OCR read, as it is drawn.
type Word struct {
	Box model.BBox `json:"box"` // of the page as it is drawn
	Low bool       `json:"low,omitempty"`
}

// Words returns the words of OCR results of a page. upright says that the page is
// drawn as a result turned it; else it is drawn as its file shows it.
func Words(results []ocr.Result, upright bool) []Word {
	var out []Word
	for i := range results {
		for _, w := range results[i].Words {
			box := w.Box
			if !upright {
				box = results[i].AsShown(box)
			}
			out = append(out, Word{Box: box, Low: w.Confidence < ocr.LowConfidence})
		}
	}
	return out
}

// Marks returns the units that have a box on the page, in reading order. A label
// is the unit's number from 1, its type, and what is special about it: a
// heading's level, a list item's depth, "<" for continued and ">" for continues.
func Marks(units []model.Unit) []Mark {
	var out []Mark
	for i := range units {
		u := &units[i]
		m := Mark{Type: u.Type, Label: label(i+1, u)}
		for _, e := range u.Evidence {
			if e.BBox != nil {
				m.Parts = append(m.Parts, *e.BBox)
			}
		}
		if len(m.Parts) == 0 {
			continue
		}
		m.Box = union(m.Parts)
		if t := u.FieldsRaw.Table; t != nil && t.BBox != nil {
			m.Box, m.Cells = *t.BBox, cells(t)
			if m.Cells == nil {
				m.Columns = t.ColumnEdges
			}
		}
		if len(m.Parts) == 1 {
			m.Parts = nil
		}
		out = append(out, m)
	}
	return out
}

// cells returns the places of the table's cells, merged ones whole; nil when its
// edges do not say them.
func cells(t *model.Table) []model.BBox {
	xs, ys := t.ColumnEdges, t.RowEdges
	if len(xs) != len(t.Columns)+1 || len(ys) != t.HeaderRows+len(t.Rows)+1 {
		return nil
	}
	type place struct{ row, col int }
	inside := map[place]bool{} // of a merged cell, but not its first
	spans := map[place]model.TableSpan{}
	for _, s := range t.Spans {
		s.RowSpan, s.ColSpan = min(max(s.RowSpan, 1), len(ys)-1-s.Row), min(max(s.ColSpan, 1), len(xs)-1-s.Col)
		spans[place{s.Row, s.Col}] = s
		for r := range s.RowSpan {
			for c := range s.ColSpan {
				inside[place{s.Row + r, s.Col + c}] = r+c > 0
			}
		}
	}
	var out []model.BBox
	for row := range len(ys) - 1 {
		for col := range len(xs) - 1 {
			if inside[place{row, col}] {
				continue
			}
			right, bottom := xs[col+1], ys[row+1]
			if s, ok := spans[place{row, col}]; ok && s.RowSpan > 0 && s.ColSpan > 0 {
				right, bottom = xs[col+s.ColSpan], ys[row+s.RowSpan]
			}
			out = append(out, model.BBox{X: xs[col], Y: ys[row], W: right - xs[col], H: bottom - ys[row]})
		}
	}
	return out
}

func label(n int, u *model.Unit) string {
	f := &u.FieldsRaw
	s := fmt.Sprintf("%d %s", n, u.Type)
	switch {
	case u.Type == model.UnitHeading:
		s += fmt.Sprintf(" %d", f.Level)
	case u.Type == model.UnitListItem && f.Depth > 1:
		s += fmt.Sprintf(" %d", f.Depth)
	case f.Table != nil:
		s += fmt.Sprintf(" %dx%d %s %.2f", f.Table.HeaderRows+len(f.Table.Rows), len(f.Table.Columns), f.Table.Source, f.Table.Confidence)
	case u.Role != "":
		s += " " + u.Role
	}
	if f.Continued {
		s += " <"
	}
	if f.Continues {
		s += " >"
	}
	return s
}

func union(boxes []model.BBox) model.BBox {
	left, top, right, bottom := 1.0, 1.0, 0.0, 0.0
	for _, b := range boxes {
		left, top = math.Min(left, b.X), math.Min(top, b.Y)
		right, bottom = math.Max(right, b.X+b.W), math.Max(bottom, b.Y+b.H)
	}
	return model.BBox{X: left, Y: top, W: right - left, H: bottom - top}
}

// What words are drawn in: those of low confidence can be told at a glance.
var (
	sureWord = color.RGBA{R: 0x60, G: 0xC0, B: 0x90, A: 0xFF}
	lowWord  = color.RGBA{R: 0xF0, G: 0x30, B: 0x30, A: 0xFF}
)

// Draw draws the words, and the marks above them, over the picture of the full
// upright page.
func Draw(picture *image.RGBA, marks []Mark, words []Word) {
	for _, w := range words {
		if w.Low {
			outline(picture, rect(picture, w.Box), 2, lowWord)
		} else {
			outline(picture, rect(picture, w.Box), 1, sureWord)
		}
	}
	for _, m := range marks {
		c := colorOf(m.Type)
		for _, p := range m.Parts {
			outline(picture, rect(picture, p), 1, faint(c))
		}
		for _, cell := range m.Cells {
			outline(picture, rect(picture, cell), 1, c)
		}
		box := rect(picture, m.Box)
		for _, x := range m.Columns {
			at := int(math.Round(x * float64(picture.Rect.Dx())))
			fill(picture, image.Rect(at, box.Min.Y, at+1, box.Max.Y), c)
		}
		outline(picture, box, 2, c)
	}
	for _, m := range marks { // above all boxes
		text(picture, rect(picture, m.Box).Min, m.Label, colorOf(m.Type))
	}
}

// colorOf gives types that are easily mistaken for each other colours that are
// not.
func colorOf(t model.UnitType) color.RGBA {
	switch t {
	case model.UnitHeading:
		return color.RGBA{R: 0xC8, A: 0xFF}
	case model.UnitListItem, model.UnitDefinition:
		return color.RGBA{G: 0x80, A: 0xFF}
	case model.UnitTable:
		return color.RGBA{R: 0x80, B: 0xC0, A: 0xFF}
	case model.UnitFigure, model.UnitCaption:
		return color.RGBA{R: 0xE0, G: 0x70, A: 0xFF}
	case model.UnitPageHeader, model.UnitPageFooter, model.UnitFurniture:
		return color.RGBA{R: 0x80, G: 0x80, B: 0x80, A: 0xFF}
	case model.UnitFootnote, model.UnitQuote, model.UnitCode:
		return color.RGBA{G: 0x80, B: 0x80, A: 0xFF}
	case model.UnitLink, model.UnitAnnotation, model.UnitFormField:
		return color.RGBA{R: 0xE0, B: 0x90, A: 0xFF}
	default:
		return color.RGBA{G: 0x40, B: 0xD0, A: 0xFF}
	}
}

func faint(c color.RGBA) color.RGBA {
	half := func(v uint8) uint8 { return 0x80 + v/2 }
	return color.RGBA{R: half(c.R), G: half(c.G), B: half(c.B), A: 0xFF}
}

// rect is a box in pixels, at least one wide and high.
func rect(picture *image.RGBA, b model.BBox) image.Rectangle {
	w, h := float64(picture.Rect.Dx()), float64(picture.Rect.Dy())
	x, y := int(math.Floor(b.X*w)), int(math.Floor(b.Y*h))
	return image.Rect(x, y, max(x+1, int(math.Ceil((b.X+b.W)*w))), max(y+1, int(math.Ceil((b.Y+b.H)*h))))
}

func fill(picture *image.RGBA, r image.Rectangle, c color.RGBA) {
	draw.Draw(picture, r, image.NewUniform(c), image.Point{}, draw.Src)
}

func outline(picture *image.RGBA, r image.Rectangle, thick int, c color.RGBA) {
	fill(picture, image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+thick), c)
	fill(picture, image.Rect(r.Min.X, r.Max.Y-thick, r.Max.X, r.Max.Y), c)
	fill(picture, image.Rect(r.Min.X, r.Min.Y, r.Min.X+thick, r.Max.Y), c)
	fill(picture, image.Rect(r.Max.X-thick, r.Min.Y, r.Max.X, r.Max.Y), c)
}

// text writes a label on a ground of its colour, its lower left corner at a box's
// upper left, or inside at the top of the page.
func text(picture *image.RGBA, at image.Point, label string, ground color.RGBA) {
	face := basicfont.Face7x13
	width, height := face.Advance*len(label)+2, face.Height-2
	x := max(0, min(at.X, picture.Rect.Dx()-width))
	y := max(0, at.Y-height)
	fill(picture, image.Rect(x, y, x+width, y+height), ground)
	d := font.Drawer{Dst: picture, Src: image.White, Face: face, Dot: fixed.P(x+1, y+face.Ascent-1)}
	d.DrawString(label)
}
