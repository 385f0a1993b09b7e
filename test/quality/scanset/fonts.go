package scanset

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
)

// The halves of the fonts: what is tuned is tuned on the first, and judged on the second.
const (
	LookedAt = "looked-at"
	Unseen   = "unseen"
)

// family is a font of a Debian package.
type family struct{ half, pack, file string }

// families are the fonts that pages are set in, below /usr/share: serif, sans serif and
// those of typewriters in each half.
var families = []family{
	{LookedAt, "fonts-dejavu-core", "fonts/truetype/dejavu/DejaVuSerif.ttf"},
	{LookedAt, "fonts-dejavu-core", "fonts/truetype/dejavu/DejaVuSans.ttf"},
	{LookedAt, "fonts-liberation2", "fonts/truetype/liberation2/LiberationSerif-Regular.ttf"},
	{LookedAt, "fonts-liberation2", "fonts/truetype/liberation2/LiberationSans-Regular.ttf"},
	{LookedAt, "fonts-liberation2", "fonts/truetype/liberation2/LiberationMono-Regular.ttf"},
	{LookedAt, "fonts-liberation2", "fonts/truetype/liberation2/LiberationSerif-Italic.ttf"},
	{LookedAt, "fonts-liberation2", "fonts/truetype/liberation2/LiberationSans-Bold.ttf"},
	{LookedAt, "fonts-crosextra-carlito", "fonts/truetype/crosextra/Carlito-Regular.ttf"},
	{LookedAt, "fonts-ebgaramond", "fonts/opentype/ebgaramond/EBGaramond12-Regular.otf"},
	{LookedAt, "fonts-texgyre", "texmf/fonts/opentype/public/tex-gyre/texgyrebonum-regular.otf"},
	{LookedAt, "fonts-texgyre", "texmf/fonts/opentype/public/tex-gyre/texgyreadventor-regular.otf"},
	{Unseen, "fonts-freefont-ttf", "fonts/truetype/freefont/FreeSerif.ttf"},
	{Unseen, "fonts-freefont-ttf", "fonts/truetype/freefont/FreeSansBold.ttf"},
	{Unseen, "fonts-freefont-ttf", "fonts/truetype/freefont/FreeMono.ttf"},
	{Unseen, "fonts-crosextra-caladea", "fonts/truetype/crosextra/Caladea-Regular.ttf"},
	{Unseen, "fonts-linuxlibertine", "fonts/opentype/linux-libertine/LinLibertine_R.otf"},
	{Unseen, "fonts-linuxlibertine", "fonts/opentype/linux-libertine/LinLibertine_RI.otf"},
	{Unseen, "fonts-linuxlibertine", "fonts/opentype/linux-libertine/LinBiolinum_R.otf"},
	{Unseen, "fonts-texgyre", "texmf/fonts/opentype/public/tex-gyre/texgyreschola-regular.otf"},
	{Unseen, "fonts-texgyre", "texmf/fonts/opentype/public/tex-gyre/texgyreheros-regular.otf"},
	{Unseen, "fonts-courier-prime", "fonts/opentype/courier-prime/Courier Prime Sans.otf"},
	{Unseen, "fonts-gfs-didot", "fonts/opentype/didot/GFSDidot.otf"},
}

// Fonts are fonts that are ready to be drawn with, by several goroutines.
type Fonts struct {
	names  []string
	parsed []*opentype.Font
}

// OpenFonts opens the fonts of a half, all with "". It fails with the package of one that is
// not installed.
func OpenFonts(half string) (*Fonts, error) {
	out := &Fonts{}
	for _, f := range families {
		if half != "" && f.half != half {
			continue
		}
		data, err := os.ReadFile(filepath.Join("/usr/share", f.file))
		if err != nil {
			return nil, fmt.Errorf("a font of the Debian package %s is missing: %w", f.pack, err)
		}
		parsed, err := opentype.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.file, err)
		}
		out.names, out.parsed = append(out.names, filepath.Base(f.file)), append(out.parsed, parsed)
	}
	if len(out.parsed) == 0 {
		return nil, fmt.Errorf("no fonts of %q: there are %s and %s", half, LookedAt, Unseen)
	}
	return out, nil
}

// face is a font in a size, which one goroutine may use.
func (f *Fonts) face(number int, points float64, dpi int) (font.Face, error) {
	return opentype.NewFace(f.parsed[number], &opentype.FaceOptions{Size: points, DPI: float64(dpi), Hinting: font.HintingNone})
}
