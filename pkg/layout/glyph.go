// Package layout puts the characters of a PDF page into lines, the lines into
// blocks, and the blocks into reading order, and says what each block is:
// heading, paragraph, list item, caption, footnote. It knows places, sizes and
// fonts only, nothing of the engine that found them. Every character comes out
// exactly once.
//
// Coordinates are points of the upright page, origin top left, y downwards.
package layout

import (
	"unicode"
)

// Rect is a box: Left <= Right and Top <= Bottom.
type Rect struct{ Left, Top, Right, Bottom float64 }

// Width is never negative.
func (r Rect) Width() float64 { return r.Right - r.Left }

// Height is never negative.
func (r Rect) Height() float64 { return r.Bottom - r.Top }

// Union is the smallest box around both.
func (r Rect) Union(s Rect) Rect {
	return Rect{
		Left: min(r.Left, s.Left), Right: max(r.Right, s.Right),
		Top: min(r.Top, s.Top), Bottom: max(r.Bottom, s.Bottom),
	}
}

// Holds reports whether the point lies in r.
func (r Rect) Holds(x, y float64) bool {
	return x >= r.Left && x <= r.Right && y >= r.Top && y <= r.Bottom
}

// sharedX is how much of the two boxes lies above one another, in points;
// negative: the gap between them.
func sharedX(r, s Rect) float64 {
	return min(r.Right, s.Right) - max(r.Left, s.Left)
}

// Style is what the font of a glyph says.
type Style struct{ Bold, Italic, Mono bool }

// Glyph is one visible character. White space is not a glyph: it is known by
// the glyph that follows it.
type Glyph struct {
	// Seq counts the visible characters of the page from 0; neighbours in the
	// engine's order have neighbouring numbers.
	Seq int
	// Index and End are its place in the engine's order, End exclusive.
	Index, End int
	Rune       rune
	// Box is its place on the page.
	Box Rect
	// At and Base are its place and baseline in the frame of its direction of
	// writing: the page turned about its origin so that the text runs to the
	// right.
	At   Rect
	Base float64
	// Size is that of the font, in points.
	Size float64
	// Turn is the direction of writing on the upright page, in whole degrees
	// anticlockwise, 0 to 359.
	Turn int
	// Tag is 1 + the place in Page.Tags of what the file's tags say about it, 0
	// for nothing.
	Tag int
	Style
	// Marked: the file's marked content names it as part of the document. Artifact:
	// it calls it an artifact, as running heads are. Orphan: it has an id of marked content
	// that no element of the file's structure has.
	Marked, Artifact, Orphan bool
	// Space is the white space before it, 0 for none. Drawn: it stands in the
	// file; otherwise the engine put it in.
	Space rune
	Drawn bool
	// Tight: no space stands before it, whatever the gap says.
	Tight bool
	// Hyphen: it breaks a word at the end of a line.
	Hyphen bool
	// Mapped: Rune is not the engine's, but what the font's encoding says.
	Mapped bool
	// Unclear: nobody knows for certain which character it is.
	Unclear bool
	// Hidden: the file draws it so that nobody sees it. Outside: it lies outside of the
	// part of the page that is shown.
	Hidden, Outside bool
	// Unseen says why a reader sees nothing of it. It is Seen for the text layer of a
	// scan, which is Hidden: a picture shows its words.
	Unseen Unseen
}

// Unseen says why a reader sees nothing of a glyph.
type Unseen uint8

// The reasons.
const (
	Seen            Unseen = iota
	Undrawn                // it is drawn invisible, where nothing else is
	OffPage                // it lies outside of the part of the page that is shown
	Tiny                   // it is too small for any reader
	Covered                // something was drawn over it
	BackgroundColor        // it has the colour of what it stands on
)

// rightToLeft reports whether r belongs to a script that runs to the left.
func rightToLeft(r rune) bool {
	return r >= 0x0590 && r <= 0x08FF || r >= 0xFB1D && r <= 0xFDFF || r >= 0xFE70 && r <= 0xFEFF
}

// wordRune reports whether r is part of a word.
func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
