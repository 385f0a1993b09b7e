// Package facts holds what a page of a PDF needs to know of its document:
// the size of its text, its styles of headings, its running heads and feet, its
// outline (contracts#facts). The splitter learns it once, from a fixed sample of
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
	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/running"
)

// Version is that of the record. Its history:
//
//	1  texts of running heads with all digits folded
//	2  running heads by package running: margins instead of running
//	3  parts of heads sorted; letters before page numbers; the size that margins compare
//	   with is that of tables too
//	4  the document's own title; titles beside page numbers by type and side
//	5  numbers of pages by chapter; upright texts in side margins
//	6  one word beside page numbers
const Version = 6

// Document is the record. Lengths are points of the upright page.
type Document struct {
	Version   int           `json:"version"`
	PageCount int           `json:"page_count"`
	Body      Body          `json:"body"`
	Styles    []Style       `json:"heading_styles"` // level 1 first
	Margins   running.Facts `json:"margins"`        // running heads and feet
	Outline   []Entry       `json:"outline"`        // in reading order
	// Title is the document's own, as its metadata has it, cut to MaxTitle characters:
	// running heads say it.
	Title string `json:"title,omitempty"`
	// Hyphenated are the words that are written with a hyphen inside of a line, in
	// small letters without it, sorted: at most maxHyphenated of them.
	Hyphenated []string `json:"hyphenated"`
	Sample     []Sheet  `json:"sample"` // the pages that were looked at

	index running.Titles // of Outline, made when it is needed
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

// Bounds of the record (contracts#event-size).
const (
	MaxTitle   = 200
	MaxOutline = 5000
	maxLevels  = 8
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

// Page returns what layout asks about this page.
func (d *Document) Page(s Sheet) layout.Facts {
	var titles []Entry
	for _, e := range d.Outline {
		if e.PageNo == s.PageNo {
			titles = append(titles, Entry{Title: foldTitle(e.Title), Level: e.Level})
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
		Level:    d.level,
		Titled:   func(text string) int { return titled(titles, text) },
		Running:  func(lines []layout.Line, tables []layout.Rect) { d.running(s, lines, tables) },
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
	text = foldTitle(text)
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

// foldTitle returns text as titles are compared: textnorm_v1, each run of digits as "#", a
// lone Roman number too.
func foldTitle(text string) string {
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

// titles are those of the outline and the document's own, by their cores.
func (d *Document) titles() running.Titles {
	if d.index == nil {
		d.index = titlesOf(d.Outline, d.Title)
	}
	return d.index
}

func titlesOf(outline []Entry, own string) running.Titles {
	out := make(running.Titles, len(outline))
	for _, e := range outline {
		out.AddTitle(e.Title, e.PageNo)
	}
	out.AddOwn(own)
	return out
}

// running says of the lines of a page which are running heads and feet.
func (d *Document) running(s Sheet, lines []layout.Line, tables []layout.Rect) {
	rows := rowsOf(s, lines, tables)
	found := running.Decide(&rows.page, &d.Margins, d.titles())
	for i, members := range rows.lines {
		for _, k := range members {
			lines[k].Running, lines[k].Doubtful, lines[k].Why = kindOf(found.Rows[i]), found.Doubtful[i], found.Why[i].Flag()
		}
	}
	for i, k := range rows.sides {
		lines[k].Running, lines[k].Why = kindOf(found.Sides[i]), found.SideWhy[i].Flag()
	}
}

func kindOf(k running.Kind) layout.Kind {
	switch k {
	case running.Head:
		return layout.PageHeader
	case running.Foot:
		return layout.PageFooter
	}
	return layout.Paragraph
}
