package ocr

import "image"

// Reader is an engine: it finds the words on an upright picture. It is used by
// one goroutine at a time, in a child that may be killed at any moment.
type Reader interface {
	// Engine says what it is.
	Engine() Engine
	// Read returns the words of the picture in the engine's order, in pixels.
	// languages are the engine's names, at least one, all of them present.
	Read(g *image.Gray, dpi int, languages []string) ([]Found, error)
	// ReadLine is Read of a picture that has one line of words and nothing else.
	ReadLine(g *image.Gray, dpi int, languages []string) ([]Found, error)
	// Script tells the script of an upright picture; its name is "" where the engine
	// cannot tell.
	Script(g *image.Gray, dpi int) (Script, error)
	// Close frees the engine.
	Close() error
}

// Script is what a page is written in, as the engine calls it: Latin, Cyrillic, Greek, Arabic.
type Script struct {
	Name       string
	Confidence float64 // how far it is ahead of the next: 0 for not at all, above 1 for clearly
}

// Found is a word as an engine finds it.
type Found struct {
	Text                   string
	Box                    image.Rectangle
	Confidence             float64 // 0..1
	Block, Paragraph, Line int     // from 1, each within the one before it
}
