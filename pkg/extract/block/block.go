// Package block holds what an extractor is given and what it finds on a page,
// before ids, hashes and DOCXT HTML are made of it. The extractors of every
// kind of file end here; package extract makes a page frame of it, for all of
// them in the same way.
package block

import (
	"encoding/json"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/language"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
)

// Input is everything that a page depends on (contracts#page-depends): the captured
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
	// OCR holds what is stored of the pages that were read by OCR; none for a
	// page that was not asked about.
	OCR []OCR
	// Words is what is kept of pages before to be faster, and no part of what
	// the page depends on; nil: nothing.
	Words *language.Memory
}

// OCR is what came of reading a page, or a part of it, by OCR: the stored result,
// or the failure in Use.
type OCR struct {
	PageNo int           `json:"page_no"`
	Use    model.PageOCR `json:"use"`
	Result *ocr.Result   `json:"result,omitempty"`
}

// Read returns what is known of a part of a page that needs OCR: the part with
// its answer, and the words, nil when there is none.
func (in Input) Read(pageNo int, part model.PageOCR) (model.PageOCR, *ocr.Result) {
	for _, o := range in.OCR {
		if o.PageNo != pageNo || !o.Use.Same(part) {
			continue
		}
		o.Use.Region, o.Use.Why = part.Region, part.Why
		return o.Use, o.Result
	}
	return part, nil
}

// MaxBlocks bounds the blocks of one page: a page with more fails as
// limit_exceeded, since its frame could not be read back. An extractor may stop
// at the first block beyond.
const MaxBlocks = 100_000

// MaxText bounds the text of a page's blocks in bytes, all forms of it together,
// in the same way.
const MaxText = 96 << 20

// View says what is drawn of a page, for people.
type View struct {
	Page   int        // from 1
	Width  int        // of the picture, in pixels
	Region model.BBox // of the full upright page; empty: all of it
	// Rotation is what the page's record says: the clockwise turn that makes it
	// upright, which OCR may have found. Nil: as its file says.
	Rotation *int
}

// Whole returns the region that is drawn.
func (v View) Whole() model.BBox {
	if v.Region == (model.BBox{}) {
		return model.BBox{W: 1, H: 1}
	}
	return v.Region
}

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

	// Facts are what the page says about itself beside that, as found.
	Facts []model.PageFact

	// Records says that the source has an entry rule, and whether it found a
	// record or not: all blocks but its records are placed by their selectors
	// (contracts#record-locator).
	Records bool

	// Visible counts the characters that a reader sees, without white space.
	// A block holds what it holds: coverage is the share of Visible that is
	// found in blocks. 0 means that the extractor has nothing to compare with.
	Visible int
	// Ledger accounts for characters, pictures and drawings; nil where the kind
	// of file has none.
	Ledger *model.Ledger
	// CoverageNote says why some characters are in no block.
	CoverageNote string

	Flags    []string
	Warnings []string

	// OCR names the parts of the page that need OCR, with what came of it.
	OCR []model.PageOCR `json:",omitempty"`
}

// Declared is what a page says about its language, best first (seeds#conventions,
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
	Continues   bool    // it goes on on the next page
	Continued   bool    // it goes on from the page before
	Confidence  float64 // 0..1
	Flags       []string
	Notes       string
	Table       *model.Table
	Lang        string // declared for this block alone
	Values      map[string][]string
	Groups      map[string][]map[string]string
	Failed      *Failed // set for a unit of type error
	Record      *Record // set for a unit that is a record of the source's entry rule

	// Evidence holds the locators; package extract completes the ids, the
	// representation kind and the hash. At least one.
	Evidence []model.Evidence
	Warnings []string

	OCREngine  string
	OCRVersion string
}

// FlagHidden marks a block that the page does not show: it is furniture, and
// no part of what coverage is counted by.
const FlagHidden = "hidden"

// FlagIncomplete marks a block of which something is missing (seeds#conventions,
// "Partial Extractions"); its notes say what.
const FlagIncomplete = "incomplete"

// Failed is a piece of a page that could not be extracted, while the rest of it
// could: it becomes an error unit (seeds#conventions, "Extraction Failures"). HTML or
// TextPrinted of the block hold the raw fragment.
type Failed struct {
	Reason  fault.Reason
	Message string
	// FallbackText is what could be had as plain text.
	FallbackText string
}

// Record is the place of a record among those of its page (seeds#capture,
// record_locator).
type Record struct {
	Index int    // 0-based, in the order of the document after the rule
	ID    string // that the source publishes, "" for none
}

// Failure is why a page could not be extracted, in words that a reader can
// act on (contracts#reasons). It is an error: an extractor returns it, and the page
// becomes one error unit.
type Failure struct {
	Reason  fault.Reason
	Message string
	// FallbackText is whatever text could be had all the same.
	FallbackText string
	// OCR names the parts of the page that need OCR, with what came of it.
	OCR []model.PageOCR
}

// Error returns the sentence.
func (f *Failure) Error() string { return f.Message }
