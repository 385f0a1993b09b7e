package scanset

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
)

// sheet is a page that is being made.
type sheet struct {
	rand     *rand.Rand
	language string
	fontName string
	dpi      int
	points   float64
	fonts    *Fonts
	font     int
	face     font.Face
	words    writer

	g     *image.Gray
	y     int // where the next line begins
	left  int // of the text
	right int
	lead  int // from line to line
	text  strings.Builder
	drawn []string
}

// newSheet draws paper, font and language.
func newSheet(r *rand.Rand, name string, fonts *Fonts) (*sheet, error) {
	s := &sheet{rand: r, fonts: fonts, language: languages[r.IntN(len(languages))], font: r.IntN(len(fonts.parsed))}
	s.fontName = fonts.names[s.font]
	s.dpi = []int{150, 150, 200, 200, 200, 300}[r.IntN(6)]
	s.points = s.between(9, 12.5)
	if name == "low-resolution" {
		s.dpi, s.points = 72+r.IntN(49), s.between(10, 13)
	}
	s.words = writer{rand: r, of: tongues[s.language]}
	var err error
	if s.face, err = fonts.face(s.font, s.points, s.dpi); err != nil {
		return nil, err
	}
	wide, high := 8.27, 11.69
	if s.rand.IntN(3) == 0 {
		wide, high = 5.83, 8.27
	}
	s.g = image.NewGray(image.Rect(0, 0, s.inches(wide), s.inches(high)))
	draw.Draw(s.g, s.g.Rect, image.White, image.Point{}, draw.Src)
	margin := s.between(0.6, 1)
	s.left, s.right, s.y = s.inches(margin), s.inches(wide-margin), s.inches(s.between(0.5, 0.9))
	s.lead = int(s.points / 72 * float64(s.dpi) * s.between(1.15, 1.5))
	s.note("%s %.1fpt %ddpi", s.fontName, s.points, s.dpi)
	return s, nil
}

func (s *sheet) inches(n float64) int { return int(n * float64(s.dpi)) }

// put draws a line of text with its left end at x, its baseline at y, and returns where it ends.
func (s *sheet) put(text string, x, y int, tone uint8) int {
	d := font.Drawer{Dst: s.g, Src: image.NewUniform(color.Gray{Y: tone}), Face: s.face, Dot: fixed.P(x, y)}
	d.DrawString(text)
	return d.Dot.X.Round()
}

func (s *sheet) width(text string) int { return font.MeasureString(s.face, text).Round() }

// wrap divides a text in lines that are so wide at most.
func (s *sheet) wrap(text string, wide int) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(text) {
		if next := strings.TrimSpace(line + " " + word); line == "" || s.width(next) <= wide {
			line = next
			continue
		}
		out = append(out, line)
		line = word
	}
	return append(out, line)
}

// block writes a text between two edges below what stands there, and returns the baselines.
// Each line is told with its ends.
func (s *sheet) block(text string, left, right int, tone uint8, told func(from, to, baseline int)) {
	for _, line := range s.wrap(text, right-left) {
		s.y += s.lead
		end := s.put(line, left, s.y, tone)
		if told != nil {
			told(left, end, s.y)
		}
	}
	s.text.WriteString(text + "\n")
}

// room reports whether so many lines fit below what stands there.
func (s *sheet) room(lines int) bool { return s.y+(lines+2)*s.lead < s.g.Rect.Dy() }

// prose lays out a heading, paragraphs, and now and then the number of the page.
func (s *sheet) prose() error {
	if s.rand.IntN(2) == 0 {
		s.block(s.words.title(), s.left, s.right, 0, nil)
		s.y += s.lead / 2
	}
	for range 2 + s.rand.IntN(3) {
		text := s.words.paragraph(2 + s.rand.IntN(4))
		if !s.room(len(s.wrap(text, s.right-s.left))) {
			break
		}
		s.block(text, s.left, s.right, 0, nil)
		s.y += s.lead * s.rand.IntN(2) / 2
	}
	if s.rand.IntN(3) == 0 && s.room(3) {
		s.y += 2 * s.lead
		s.block(s.words.number(), (s.left+s.right)/2, s.right, 0, nil)
	}
	return nil
}

// columns lays out two or three columns.
func (s *sheet) columns() error {
	n := 2
	if s.right-s.left > s.inches(5.5) && s.points < 11 && s.rand.IntN(3) == 0 {
		n = 3
	}
	gutter := s.inches(s.between(0.2, 0.45))
	wide := (s.right - s.left - (n-1)*gutter) / n
	if s.rand.IntN(2) == 0 {
		s.block(s.words.title(), s.left, s.right, 0, nil)
		s.y += s.lead
	}
	top, bottom := s.y, s.y
	for i := range n {
		s.y = top
		left := s.left + i*(wide+gutter)
		for range 2 + s.rand.IntN(2) {
			if text := s.words.paragraph(2 + s.rand.IntN(2)); s.room(len(s.wrap(text, wide))) {
				s.block(text, left, left+wide, 0, nil)
				s.y += s.lead / 2
			}
		}
		bottom = max(bottom, s.y)
	}
	if s.y = bottom; s.rand.IntN(3) == 0 { // a rule between the columns
		for i := 1; i < n; i++ {
			x := s.left + i*(wide+gutter) - gutter/2
			s.fill(image.Rect(x, top, x+s.hair(), bottom), 0)
		}
	}
	s.note("columns=%d", n)
	return nil
}

// hair is how thick a drawn line is, in pixels.
func (s *sheet) hair() int { return max(1, s.inches(s.between(0.004, 0.012))) }

func (s *sheet) fill(r image.Rectangle, tone uint8) {
	draw.Draw(s.g, r, image.NewUniform(color.Gray{Y: tone}), image.Point{}, draw.Src)
}

// table lays out a paragraph, a table and a paragraph: ruled in full, between its rows, or not
// at all, its head shaded or not.
func (s *sheet) table() error {
	s.block(s.words.paragraph(1+s.rand.IntN(2)), s.left, s.right, 0, nil)
	columns, rows := 3+s.rand.IntN(2), 5+s.rand.IntN(7)
	if s.right-s.left < s.inches(5) {
		columns = 3
	}
	wide := (s.right - s.left) / columns
	ruled, head := s.rand.IntN(3), s.rand.IntN(3) // ruled: not, across, in full; head: plain, grey, white on dark
	high, pad, hair := s.lead*13/10, s.inches(0.06), s.hair()
	s.y += s.lead
	top := s.y
	for row := range rows {
		if !s.room(2) {
			break
		}
		tone := uint8(0)
		if shade := image.Rect(s.left, s.y, s.left+columns*wide, s.y+high); row == 0 && head == 1 {
			s.fill(shade, uint8(s.between(195, 235)))
		} else if row == 0 && head == 2 {
			s.fill(shade, uint8(s.between(20, 120)))
			tone = 255
		}
		for column := range columns {
			cell := s.cell(row, column)
			for s.width(cell) > wide-2*pad {
				cell = s.words.number()
			}
			x := s.left + column*wide + pad
			if column > 0 && row > 0 {
				x = s.left + (column+1)*wide - pad - s.width(cell)
			}
			s.put(cell, x, s.y+high-s.lead*4/10, tone)
			s.text.WriteString(cell + " ")
		}
		s.text.WriteString("\n")
		if ruled > 0 {
			s.fill(image.Rect(s.left, s.y, s.left+columns*wide, s.y+hair), 0)
		}
		s.y += high
	}
	if ruled > 0 {
		s.fill(image.Rect(s.left, s.y, s.left+columns*wide+hair, s.y+hair), 0)
	}
	for column := 0; ruled == 2 && column <= columns; column++ {
		s.fill(image.Rect(s.left+column*wide, top, s.left+column*wide+hair, s.y), 0)
	}
	s.y += s.lead
	if s.room(6) {
		s.block(s.words.paragraph(1), s.left, s.right, 0, nil)
	}
	s.note("rows=%d columns=%d ruled=%d head=%d", rows, columns, ruled, head)
	return nil
}

// cell is what stands in a table.
func (s *sheet) cell(row, column int) string {
	switch {
	case row == 0:
		return capital(s.words.one(s.words.of.things))
	case column == 0:
		return s.words.one(places)
	case column == 1:
		return s.words.sum()
	}
	return s.words.number()
}

// shadedBoxes lays out paragraphs, some of which stand in boxes: dark on grey, or light on dark.
func (s *sheet) shadedBoxes() error {
	for i := range 3 + s.rand.IntN(2) {
		text := s.words.paragraph(1 + s.rand.IntN(3))
		pad := s.inches(s.between(0.08, 0.16))
		lines := len(s.wrap(text, s.right-s.left-2*pad))
		if !s.room(lines + 1) {
			break
		}
		kind := s.rand.IntN(3)
		if i == 0 {
			kind = 1 + s.rand.IntN(2)
		}
		tone := uint8(0)
		if box := image.Rect(s.left, s.y+s.lead/4, s.right, s.y+lines*s.lead+2*pad+s.lead/4); kind > 0 {
			ground := s.between(165, 235)
			if kind == 2 {
				ground, tone = s.between(10, 120), uint8(s.between(235, 255))
			}
			s.fill(box, uint8(ground))
			s.note("box=%.0f", ground)
		}
		s.y += pad - s.lead/8
		s.block(text, s.left+pad, s.right-pad, tone, nil)
		s.y += pad + s.lead/2
	}
	return nil
}

// underlined lays out prose of which some paragraphs, or all, have a line below each line.
func (s *sheet) underlined() error {
	thick, below := max(1, s.inches(s.between(0.004, 0.02))), int(s.between(0.03, 0.2)*s.points/72*float64(s.dpi))
	all := s.rand.IntN(2) == 0
	for i := range 3 + s.rand.IntN(2) {
		text := s.words.paragraph(1 + s.rand.IntN(3))
		if !s.room(len(s.wrap(text, s.right-s.left))) {
			break
		}
		var line func(from, to, baseline int)
		if all || i == 0 || s.rand.IntN(2) == 0 {
			line = func(from, to, baseline int) {
				s.fill(image.Rect(from, baseline+below, to, baseline+below+thick), 0)
			}
		}
		s.block(text, s.left, s.right, 0, line)
		s.y += s.lead / 2
	}
	s.note("thick=%d below=%d all=%v", thick, below, all)
	return nil
}
