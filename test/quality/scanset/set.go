// Package scanset makes pictures of pages whose text is known, as scanners and cameras would
// leave them: askew, noisy, blurred, stamped, folded, dark. All of a page is drawn from a seed,
// so that no set of them can be learned by heart.
package scanset

import (
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"strings"
)

// Page is a picture and what it says.
type Page struct {
	Class    string // what is wrong with it: one of Classes
	Language string // ISO 639-1
	Font     string
	DPI      int
	Text     string // in reading order: columns one after the other, tables by rows
	Drawn    string // the parameters, for people
	PNG      []byte // grey, with its resolution
}

// class is a kind of pages: how they are laid out, and what becomes of them then.
type class struct {
	name   string
	layout func(*sheet) error
	spoil  func(*sheet)
}

// classes are the kinds of pages.
func classes() []class {
	return []class{
		{"plain", (*sheet).prose, func(*sheet) {}},
		{"askew", (*sheet).prose, (*sheet).lean},
		{"noise", (*sheet).prose, (*sheet).grain},
		{"specks", (*sheet).prose, (*sheet).speckle},
		{"bleed", (*sheet).prose, (*sheet).bleed},
		{"stamp", (*sheet).prose, (*sheet).stamp},
		{"watermark", (*sheet).prose, (*sheet).watermark},
		{"low-resolution", (*sheet).prose, func(*sheet) {}},
		{"columns", (*sheet).columns, func(*sheet) {}},
		{"table", (*sheet).table, func(*sheet) {}},
		{"shaded", (*sheet).shadedBoxes, func(*sheet) {}},
		{"dark", (*sheet).prose, (*sheet).dim},
		{"fold", (*sheet).prose, (*sheet).fold},
		{"underlined", (*sheet).underlined, func(*sheet) {}},
		{"blur", (*sheet).prose, (*sheet).defocus},
		{"uneven", (*sheet).prose, (*sheet).light},
		{"faint", (*sheet).prose, (*sheet).fade},
		{"inverted", (*sheet).prose, (*sheet).invert},
		{"fax", (*sheet).prose, (*sheet).fax},
		{"thick", (*sheet).prose, (*sheet).thicken},
		{"bent", (*sheet).prose, (*sheet).bend},
		{"mixed", nil, nil},
	}
}

// Classes are the names of the kinds of pages.
func Classes() []string {
	var out []string
	for _, c := range classes() {
		out = append(out, c.name)
	}
	return out
}

// Make draws a page of a class. The same seed, class and number make the same page of the
// same fonts.
func Make(seed uint64, name string, number int, fonts *Fonts) (Page, error) {
	all := classes()
	at := slices.IndexFunc(all, func(c class) bool { return c.name == name })
	if at < 0 {
		return Page{}, fmt.Errorf("no class %q: there are %s", name, strings.Join(Classes(), ", "))
	}
	r := rand.New(rand.NewPCG(seed, uint64(at)<<32|uint64(number))) //nolint:gosec // nothing secret is drawn
	s, err := newSheet(r, name, fonts)
	if err != nil {
		return Page{}, err
	}
	layout, spoils := all[at].layout, []func(*sheet){all[at].spoil}
	if name == "mixed" {
		layout = []func(*sheet) error{(*sheet).prose, (*sheet).prose, (*sheet).columns, (*sheet).table, (*sheet).shadedBoxes, (*sheet).underlined}[r.IntN(6)]
		spoils = mixed(r)
	}
	if err := layout(s); err != nil {
		return Page{}, err
	}
	s.crop()
	for _, spoil := range spoils {
		spoil(s)
	}
	s.scan()
	png, err := encode(s.g, s.dpi)
	return Page{
		Class: name, Language: s.language, Font: s.fontName, DPI: s.dpi, Text: strings.TrimSpace(s.text.String()),
		Drawn: strings.Join(s.drawn, " "), PNG: png,
	}, err
}

// mixed are two or three things at once, in the order in which they befall a page.
func mixed(r *rand.Rand) []func(*sheet) {
	of := []func(*sheet){(*sheet).bleed, (*sheet).stamp, (*sheet).fade, (*sheet).fold, (*sheet).lean, (*sheet).defocus, (*sheet).light, (*sheet).dim, (*sheet).grain}
	chosen := r.Perm(len(of))[:2+r.IntN(2)]
	slices.Sort(chosen)
	out := make([]func(*sheet), len(chosen))
	for i, k := range chosen {
		out[i] = of[k]
	}
	return out
}

// between draws a number.
func (s *sheet) between(low, high float64) float64 { return low + s.rand.Float64()*(high-low) }

// note keeps a parameter for people.
func (s *sheet) note(format string, values ...any) {
	s.drawn = append(s.drawn, fmt.Sprintf(format, values...))
}

// crop leaves out the empty paper below the text, but for a margin.
func (s *sheet) crop() {
	end := min(s.y+s.inches(s.between(0.4, 1.2)), s.g.Rect.Dy())
	s.g = s.g.SubImage(image.Rect(0, 0, s.g.Rect.Dx(), end)).(*image.Gray)
}
