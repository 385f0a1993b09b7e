// Package block holds what an extractor is given and what it finds on a page,
// before ids, hashes and DOCXT HTML are made of it. The extractors of every
// kind of file end here; package extract makes a page frame of it, for all of
// them in the same way.
package block

import (
	"encoding/json"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Input is everything that a page depends on (contracts 4): the captured
// bytes, the snapshot's stored record, the run's extraction_id, and the
// document facts that the splitter found.
type Input struct {
	Raw          []byte
	Snapshot     model.Snapshot
	ExtractionID string
	Facts        json.RawMessage // nil when the kind of file has none
	// RunReason is set when the snapshot could not be split: every page is
	// then an error unit with this reason and RunMessage.
	RunReason  string
	RunMessage string
}

// MaxBlocks bounds the blocks of one page: a page with more fails as
// limit_exceeded, since its frame could not be read back. An extractor may stop
// at the first block beyond.
const MaxBlocks = 100_000

// Page is what an extractor found on one page.
type Page struct {
	Blocks []Block // in reading order

	Label    string  // as printed, "iv"
	Width    float64 // upright, PDF points or pixels; 0 when there is none
	Height   float64
	Rotation int

	Title     string   // the document's own, when it stands on this page
	Canonical string   // rel=canonical as found
	Languages Declared // what the page says about its language

	// Visible counts the characters that a reader sees, without white space.
	// A block holds what it holds: coverage is the share of Visible that is
	// found in blocks. 0 means that the extractor has nothing to compare with.
	Visible int
	// CoverageNote says why some characters are in no block.
	CoverageNote string

	Flags    []string
	Warnings []string
}

// Declared is what a page says about its language, best first (seed 000,
// "Detection Priority").
type Declared struct {
	HTMLLang string
	MetaLang string
}

// Block is one block of a page.
type Block struct {
	Type model.UnitType
	Role string // of furniture

	Text        string
	TextPrinted string // when it differs from Text
	OCRText     string
	HTML        string
	Markdown    string
	Links       []model.Link
	Images      []model.Image
	Level       int
	Depth       int
	Marker      string
	Continues   bool
	Continued   bool
	Confidence  float64 // 0..1
	Flags       []string
	Notes       string
	Table       *model.Table
	Lang        string // declared for this block alone
	Values      map[string][]string

	// Evidence holds the locators; package extract completes the ids, the
	// representation kind and the hash. At least one.
	Evidence []model.Evidence
	Warnings []string

	OCREngine  string
	OCRVersion string
}

// Failure is why a page could not be extracted, in words that a reader can
// act on (contracts 9). It is an error: an extractor returns it, and the page
// becomes one error unit.
type Failure struct {
	Reason  fault.Reason
	Message string
	// FallbackText is whatever text could be had all the same.
	FallbackText string
}

// Error returns the sentence.
func (f *Failure) Error() string { return f.Message }
