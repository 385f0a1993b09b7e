// Package drawn makes pictures of pages for tests.
package drawn

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Page draws lines of text of 11 points on white, at a resolution, on a page
// that is inches wide and high, from an inch below its top.
func Page(lines []string, dpi int, wide, high float64) (*image.Gray, error) {
	g := image.NewGray(image.Rect(0, 0, int(wide*float64(dpi)), int(high*float64(dpi))))
	draw.Draw(g, g.Rect, image.White, image.Point{}, draw.Src)
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, err
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: 11, DPI: float64(dpi), Hinting: font.HintingFull})
	if err != nil {
		return nil, err
	}
	d := font.Drawer{Dst: g, Src: image.Black, Face: face}
	for i, text := range lines {
		d.Dot = fixed.P(dpi, dpi+i*dpi/4)
		d.DrawString(text)
	}
	return g, face.Close()
}

// Skewed turns a picture clockwise by an angle in degrees, on white, its size
// kept.
func Skewed(g *image.Gray, degrees float64) *image.Gray {
	out := image.NewGray(g.Rect)
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	cx, cy := float64(g.Rect.Dx())/2, float64(g.Rect.Dy())/2
	for y := range g.Rect.Dy() {
		for x := range g.Rect.Dx() {
			dx, dy := float64(x)-cx, float64(y)-cy
			from := image.Pt(int(math.Round(dx*cos+dy*sin+cx)), int(math.Round(dy*cos-dx*sin+cy)))
			v := color.Gray{Y: 255}
			if from.In(g.Rect) {
				v = g.GrayAt(from.X, from.Y)
			}
			out.SetGray(x, y, v)
		}
	}
	return out
}

// Text is what the tests' pages say.
func Text() []string {
	return []string{
		"The council met on the first Monday of March and heard the", "report of the water board. Twelve households upstream of the",
		"old mill have asked for a new meter, and the board agrees that", "each of them shall have one before the end of the summer.",
		"The mayor thanked the members for their work and closed the", "meeting at half past nine. The next one is in the school, since",
		"the roof of the hall will be mended by then. Nobody objected", "to the minutes of the last meeting, which were read aloud.",
	}
}
