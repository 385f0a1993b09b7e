package prepare

import "image"

// sampleShare is the part of a page's height that tells its direction and
// language, and sampleRows the rows of pixels that do at most.
const (
	sampleShare = 6
	sampleRows  = 420
)

// Sample returns the band of the picture that has the most ink on it. It shares
// the pixels.
func Sample(g *image.Gray) *image.Gray {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	rows := min(max(h/sampleShare, min(h, sampleRows)), h)
	limit := uint8(min(otsu(g), 255))
	dark := make([]int, h+1) // of all rows above
	for y := range h {
		n := 0
		row := g.Pix[y*g.Stride : y*g.Stride+w]
		for x := 1; x < w; x++ {
			if row[x] < limit && row[x-1] >= limit { // strokes, however thick
				n++
			}
		}
		dark[y+1] = dark[y] + n
	}
	best := 0
	for y := 0; y+rows <= h; y++ {
		if dark[y+rows]-dark[y] > dark[best+rows]-dark[best] {
			best = y
		}
	}
	out := image.NewGray(image.Rect(0, 0, w, rows))
	for y := range rows {
		copy(out.Pix[y*out.Stride:], g.Pix[(best+y)*g.Stride:(best+y)*g.Stride+w])
	}
	return out
}
