// Package facts holds what a page of a PDF needs to know of its document:
// the size of its text, its styles of headings, its running heads and feet, its
// outline (contracts 4). The splitter learns it once, from a fixed sample of
// pages, so that a page comes out the same alone or among others.
package facts

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/pdf/layout"
)

// Version is that of the record.
const Version = 1

// Document is the record. Lengths are points of the upright page.
type Document struct {
	Version   int       `json:"version"`
	PageCount int       `json:"page_count"`
	Body      Body      `json:"body"`
	Styles    []Style   `json:"heading_styles"` // level 1 first
	Running   []Running `json:"running"`        // heads first, from the edge inwards
	Outline   []Entry   `json:"outline"`        // in reading order
	// Hyphenated are the words that are written with a hyphen inside of a line, in
	// small letters without it, sorted: at most maxHyphenated of them.
	Hyphenated []string `json:"hyphenated"`
	Sample     []Sheet  `json:"sample"` // the pages that were looked at
}

// Body is the type that most of the text is set in. Size 0: there is no text.
type Body struct {
	Font string  `json:"font"`
	Size float64 `json:"size"`
	Bold bool    `json:"bold"`
	Mono bool    `json:"mono"` // all letters have one width
}

// Style is a style of headings and its level.
type Style struct {
	Size  float64 `json:"size"`
	Bold  bool    `json:"bold"`
	Level int     `json:"level"`
}

// Running is one running head or foot.
type Running struct {
	Foot bool `json:"foot"`
	// From is the distance of its baseline from the upper edge, of a foot from
	// the lower one.
	From float64 `json:"from"`
	// Text is folded by Fold; empty: whatever stands at this height.
	Text string `json:"text"`
	// Turn is the direction of writing of a text in the side margins, which has no
	// height of its own.
	Turn int `json:"turn,omitempty"`
}

// Entry is one bookmark, its title cut to MaxTitle characters.
type Entry struct {
	Title  string `json:"title"`
	Level  int    `json:"level"`
	PageNo int    `json:"page_no"` // 0: leads nowhere in this document
}

// Sheet is a page of the sample.
type Sheet struct {
	PageNo   int     `json:"page_no"`
	Label    string  `json:"label"`
	Width    float64 `json:"width"`
	Height   float64 `json:"height"`
	Rotation int     `json:"rotation"`
}

// Bounds of the record (contracts 2).
const (
	MaxTitle   = 200
	MaxOutline = 5000
	maxLevels  = 8
	maxRunning = 64
	// maxHyphenated words of at most maxWord bytes are kept.
	maxHyphenated, maxWord = 500, 40
)

// Parse reads a record; nil gives an empty one, which knows nothing.
func Parse(raw json.RawMessage) (*Document, error) {
	d := &Document{}
	if len(raw) == 0 {
		return d, nil
	}
	if err := json.Unmarshal(raw, d); err != nil {
		return nil, fmt.Errorf("document facts: %w", err)
	}
	return d, nil
}

// JSON returns the record as RFC 8785 canonical JSON.
func (d *Document) JSON() (json.RawMessage, error) {
	raw, err := digest.JCS(d)
	if err != nil {
		return nil, fmt.Errorf("document facts: %w", err)
	}
	return raw, nil
}

// Page returns what layout asks about page pageNo, from 1, of this height.
func (d *Document) Page(pageNo int, height float64) layout.Facts {
	var titles []Entry
	for _, e := range d.Outline {
		if e.PageNo == pageNo {
			titles = append(titles, Entry{Title: Fold(e.Title), Level: e.Level})
		}
	}
	words := make(layout.Words, len(d.Hyphenated))
	for _, w := range d.Hyphenated {
		words[w] = true
	}
	return layout.Facts{
		Words:    words,
		BodySize: d.Body.Size,
		BodyBold: d.Body.Bold,
		BodyMono: d.Body.Mono,
		Few:      d.PageCount <= fewPages,
		Level:    d.level,
		Titled:   func(text string) int { return titled(titles, text) },
		Running:  func(l *layout.Line) layout.Kind { return d.running(l, height) },
	}
}

func (d *Document) level(size float64, bold bool) int {
	level := 0
	for _, s := range d.Styles {
		if near(s.Size, size) && (level == 0 || s.Bold == bold) {
			level = s.Level
			if s.Bold == bold {
				break
			}
		}
	}
	return level
}

// near is how sizes of one style differ at most: by 4 %.
func near(a, b float64) bool { return math.Abs(a-b) <= 0.04*math.Max(a, b) }

// titled returns the level of the entry that text is, with or without its
// number.
func titled(titles []Entry, text string) int {
	if len(titles) == 0 {
		return 0
	}
	text = Fold(text)
	for _, e := range titles {
		if e.Title == "" {
			continue
		}
		if text == e.Title || unnumbered(text) == unnumbered(e.Title) {
			return e.Level
		}
	}
	return 0
}

// unnumbered is folded text without the number that it begins with.
func unnumbered(s string) string {
	rest := strings.TrimLeft(s, "#.() ")
	if rest == "" {
		return s
	}
	return rest
}

// Fold returns text as running heads and titles are compared: textnorm_v1,
// each run of digits as "#", a lone Roman number too.
func Fold(text string) string {
	var b strings.Builder
	digits := false
	for _, r := range digest.TextNormV1(text) {
		if unicode.IsDigit(r) {
			if !digits {
				b.WriteByte('#')
			}
			digits = true
			continue
		}
		digits = false
		b.WriteRune(r)
	}
	words := strings.Split(b.String(), " ")
	for _, i := range []int{0, len(words) - 1} {
		if isRoman(words[i]) {
			words[i] = "#"
		}
	}
	return strings.Join(words, " ")
}

var roman = regexp.MustCompile(`^c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$`)

func isRoman(s string) bool { return s != "" && roman.MatchString(s) }

// fewPages is how many pages a document has in which a running head need not
// repeat.
const fewPages = 3

// heightSlack is how far a running head may be off, in points.
const heightSlack = 3

func (d *Document) running(l *layout.Line, height float64) layout.Kind {
	folded := ""
	for _, r := range d.Running {
		if l.Turn != r.Turn {
			continue
		}
		from, kind := l.Base, layout.PageHeader
		if r.Foot {
			from, kind = height-l.Base, layout.PageFooter
		}
		if r.Turn == 0 && math.Abs(from-r.From) > heightSlack {
			continue
		}
		if r.Text == "" {
			return kind
		}
		if folded == "" {
			folded = Fold(l.String())
		}
		if folded == r.Text {
			return kind
		}
	}
	return layout.Paragraph
}
