package model

import (
	"errors"
	"fmt"
	"strings"
)

// UnitType is the type of an IR unit (contracts#unit-types).
type UnitType string

// The types of units.
const (
	UnitHeading    UnitType = "heading"
	UnitParagraph  UnitType = "paragraph"
	UnitListItem   UnitType = "list_item"
	UnitDefinition UnitType = "definition"
	UnitQuote      UnitType = "quote"
	UnitCode       UnitType = "code"
	UnitTable      UnitType = "table"
	UnitFigure     UnitType = "figure"
	UnitCaption    UnitType = "caption"
	UnitFootnote   UnitType = "footnote"
	UnitFormField  UnitType = "form_field"
	UnitAnnotation UnitType = "annotation"
	UnitLink       UnitType = "link"
	UnitRecord     UnitType = "record"
	UnitPageHeader UnitType = "page_header"
	UnitPageFooter UnitType = "page_footer"
	UnitFurniture  UnitType = "furniture"
	UnitError      UnitType = "error"
)

// Unit is one block of a page, as found (seeds#capture, IR unit).
type Unit struct {
	IRID          string     `json:"ir_id"` // ir_ and 26 characters of base32, of page, run and locator
	SourceID      string     `json:"source_id"`
	SourceName    string     `json:"source_name"`
	SnapshotID    string     `json:"snapshot_id"`
	RetrievedAt   Time       `json:"retrieved_at"`
	Type          UnitType   `json:"type"`           // heading, paragraph, list_item, definition, quote, code, table, figure, caption, footnote, form_field, annotation, link, record, page_header, page_footer, furniture or error
	Role          string     `json:"role,omitempty"` // of furniture: navigation, banner, cookie, footer, related, comments
	Evidence      []Evidence `json:"evidence"`       // where in the captured bytes it stands, at least one place
	RecordLocator Locator    `json:"record_locator"` // which entry of the source it is
	FieldsRaw     Fields     `json:"fields_raw"`     // what was found
	ParseWarnings []string   `json:"parse_warnings"` // what went wrong on the way, as sentences
	ParserVersion string     `json:"parser_version"`
	OCREngine     string     `json:"ocr_engine,omitempty"`  // name of the engine that read it; empty for text that was there
	OCRVersion    string     `json:"ocr_version,omitempty"` // version of that engine
	SourceRef     *SourceRef `json:"source_ref,omitempty"`  // where it stands, for people; made when the unit is shown, never stored
}

// Chunked reports whether the unit's text goes into chunks: page furniture is
// kept and left out, error units stand for what is missing (contracts#unit-types), and
// the address that a link leads to is no text of the page.
func (u Unit) Chunked() bool {
	switch u.Type {
	case UnitFurniture, UnitPageHeader, UnitPageFooter, UnitLink, UnitError:
		return false
	default:
		return u.FieldsRaw.Text != ""
	}
}

// Fields are a unit's fields_raw (contracts#unit).
type Fields struct {
	BlockID     string    `json:"block_id"`                   // {type}_{position}_{first 8 digits of its hash}
	HTML        string    `json:"html,omitempty"`             // decoded raw slice, unchanged; made of the structure where html_made says so
	Markdown    string    `json:"markdown,omitempty"`         // the block in Markdown
	Text        string    `json:"text"`                       // line-end hyphens joined
	TextPrinted string    `json:"text_printed,omitempty"`     // as printed, when it differs from text
	OCRText     string    `json:"ocr_text,omitempty"`         // what OCR read, equal to text; only of units that OCR read
	Links       []Link    `json:"links,omitempty"`            // links in the block
	Images      []Image   `json:"images,omitempty"`           // pictures in the block
	Verbatim    bool      `json:"verbatim"`                   // always true (seeds#conventions)
	Language    *Language `json:"language,omitempty"`         // language of the block, when it differs from the page's
	Level       int       `json:"level,omitempty"`            // of a heading, 1..6
	Depth       int       `json:"depth,omitempty"`            // of a list item or a definition, 1 = outermost
	Marker      string    `json:"marker,omitempty"`           // of a list item or footnote, as printed
	Continues   bool      `json:"continues,omitempty"`        // it goes on on the next page
	Continued   bool      `json:"continued,omitempty"`        // it goes on from the page before
	Confidence  float64   `json:"confidence"`                 // 0..1
	Flags       []string  `json:"quality_flags,omitempty"`    // what was noticed, such as incomplete or unclear
	Notes       string    `json:"extraction_notes,omitempty"` // how it was made, for people
	Table       *Table    `json:"table,omitempty"`            // the table, of units of that type
	Error       *Failure  `json:"error,omitempty"`            // what failed, of units of that type
	// Values are the fields of an entry rule, by name, as found; of a figure its caption.
	Values map[string][]string `json:"values,omitempty"`
	// Groups are the fields that have parts: each group is one occurrence.
	Groups map[string][]map[string]string `json:"groups,omitempty"`
	// BlockHash is the block hash: of the text, of a unit without text that of its
	// picture (contracts#block-hash). Made when the unit is shown, never stored.
	BlockHash string `json:"block_hash,omitempty"`
	// BlockHashHTML is the hash of html and text (contracts#block-hash-html). Made when
	// the unit is shown, never stored.
	BlockHashHTML string `json:"block_hash_html,omitempty"`
	// HTMLMade says that html is no slice of the captured bytes, which have none, but
	// was made of the unit's structure when it was shown (contracts#shown-fields).
	HTMLMade bool `json:"html_made,omitempty"`
}

// Link is an absolute link found in a unit.
type Link struct {
	URL  string `json:"url"`  // where it leads, absolute
	Text string `json:"text"` // its text
}

// Image is a picture found in a unit: its address, or the digest of what is drawn on the
// page of a PDF file.
type Image struct {
	URL    string `json:"url,omitempty"`    // where it is, absolute
	SHA256 string `json:"sha256,omitempty"` // hex digest of what is drawn, of a figure without text (contracts#picture-digest)
	Alt    string `json:"alt,omitempty"`    // its alternative text
}

// Failure is what an error unit holds (seeds#conventions, "Error Handling").
type Failure struct {
	Type         string `json:"type"`                    // extraction_failed
	Reason       string `json:"reason"`                  // one of a closed list, such as parser_crashed
	Message      string `json:"message"`                 // the reason as a sentence
	RawHTML      string `json:"raw_html,omitempty"`      // the markup that could not be read
	RawText      string `json:"raw_text,omitempty"`      // the text that could not be read
	FallbackText string `json:"fallback_text,omitempty"` // what could be saved, never chunked
}

// Language is the language of a page or block (seeds#conventions, language tag).
type Language struct {
	Lang         string          `json:"lang"`                // ISO 639-1
	Confidence   float64         `json:"lang_confidence"`     // 0 to 1
	Origin       string          `json:"origin,omitempty"`    // html_lang, meta, detected, url, region, source
	Multilingual bool            `json:"multilingual"`        // whether several languages have a share
	Languages    []LanguageShare `json:"languages,omitempty"` // the languages by their share
}

// LanguageShare is one language of a multilingual page and its share of the
// characters, 0..1.
type LanguageShare struct {
	Code     string  `json:"code"`     // ISO 639-1
	Coverage float64 `json:"coverage"` // share of the characters, 0 to 1
}

// Table is a table (seeds#conventions): header rows joined into columns, the rest as rows.
type Table struct {
	Columns     []string    `json:"columns"`                // names of the columns; several header rows are joined with " / "
	Rows        [][]Cell    `json:"rows"`                   // rows below the header, each a list of cells
	Caption     string      `json:"caption,omitempty"`      // caption of the table
	Spans       []TableSpan `json:"spans,omitempty"`        // merged cells
	Source      string      `json:"source"`                 // ruled, heuristic, html, text, ocr
	Confidence  float64     `json:"confidence"`             // 0 to 1
	HeaderRows  int         `json:"header_rows"`            // how many rows are the header
	CSV         string      `json:"csv,omitempty"`          // RFC 4180, all rows
	CellRanges  []CellRange `json:"cell_ranges,omitempty"`  // where each cell stands in the unit's text
	Warnings    []string    `json:"warnings,omitempty"`     // what went wrong on the way, as sentences
	BBox        *BBox       `json:"bbox,omitempty"`         // the table's box on the page
	ColumnEdges []float64   `json:"column_edges,omitempty"` // left to right, 0..1
	RowEdges    []float64   `json:"row_edges,omitempty"`    // from the top down, 0..1, header rows included
}

// CellRange says where a cell's text lies in the unit's text, in bytes. Row and
// Col count grid rows and columns from 0, header rows included.
type CellRange struct {
	Row   int `json:"row"`   // grid row, from 0
	Col   int `json:"col"`   // grid column, from 0
	Start int `json:"start"` // first byte in the unit's text
	End   int `json:"end"`   // byte behind the last one
}

// TableSpan is a merged cell, in grid rows and columns from 0 with header rows
// counted.
type TableSpan struct {
	Row     int    `json:"row"`     // grid row, from 0
	Col     int    `json:"col"`     // grid column, from 0
	RowSpan int    `json:"rowspan"` // how many rows
	ColSpan int    `json:"colspan"` // how many columns
	Content string `json:"content"` // text of the cell
}

// BBox is a box of the full upright page, normalised to [0, 1], origin top
// left (seeds#capture). Values are rounded to six decimals before they are stored.
type BBox struct {
	X float64 `json:"x"` // left edge, 0 to 1 of the page's width
	Y float64 `json:"y"` // upper edge, 0 to 1 of the page's height
	W float64 `json:"w"` // width, 0 to 1
	H float64 `json:"h"` // height, 0 to 1
}

// Span is a half-open range [Start, End).
type Span struct {
	Start int64 `json:"start"` // first one, from 0
	End   int64 `json:"end"`   // the one behind the last
}

// Lines are the lines from First to Last of a text file, both inclusive, from 1. A line
// ends with U+000A, U+000D or both.
type Lines struct {
	First int `json:"first"` // line of the first byte
	Last  int `json:"last"`  // line of the last byte
}

// Evidence is a place in the captured bytes (seeds#capture, fragment pointer). Which
// locators are present depends on the kind of the snapshot (contracts#evidence).
type Evidence struct {
	SourceID           string `json:"source_id"`
	SnapshotID         string `json:"snapshot_id"`
	ByteSpan           *Span  `json:"byte_span,omitempty"`          // bytes of the captured file
	Lines              *Lines `json:"lines,omitempty"`              // lines of a text file that byte_span touches
	CSSSelector        string `json:"css_selector,omitempty"`       // CSS selector of the element
	XPath              string `json:"xpath,omitempty"`              // XPath of the element
	TextQuote          string `json:"text_quote,omitempty"`         // first 300 code points
	PageNumber         int    `json:"page_number,omitempty"`        // page, from 1
	PageIndex          *int   `json:"page_index,omitempty"`         // picture in a file of several, from 0
	RotationDegrees    *int   `json:"rotation_degrees,omitempty"`   // how far the page is turned to stand upright: 0, 90, 180 or 270
	BBox               *BBox  `json:"bbox,omitempty"`               // box on the full upright page
	Crop               *BBox  `json:"crop,omitempty"`               // the visible part of the page, when it is not all of it
	PDFTextQuote       string `json:"pdf_text_quote,omitempty"`     // the PDF engine's text of char_span, unchanged
	CharSpan           *Span  `json:"char_span,omitempty"`          // engine's indexes on the page
	OCRTextQuote       string `json:"ocr_text_quote,omitempty"`     // what OCR read there
	RepresentationKind string `json:"fragment_representation_kind"` // raw_bytes or locator_jcs_v1
	FragmentHash       string `json:"fragment_hash"`                // sha256: and hex, of what fragment_representation_kind names
}

// The kinds of what fragment_hash is made of (contracts#fragment-hash).
const (
	RepresentationRaw     = "raw_bytes"
	RepresentationLocator = "locator_jcs_v1"
)

// Locator says which entry of a source a unit is (seeds#capture, record_locator).
type Locator struct {
	Kind           string `json:"kind"` // source_record_id, url_canonical+entry_index, css_selector+text_quote or page+bbox+block_index
	SourceRecordID string `json:"source_record_id,omitempty"`
	URLCanonical   string `json:"url_canonical,omitempty"`
	EntryIndex     *int   `json:"entry_index,omitempty"`  // place among the entries of the page, from 0
	CSSSelector    string `json:"css_selector,omitempty"` // CSS selector of the element
	TextQuote      string `json:"text_quote,omitempty"`   // first 300 code points
	PageNumber     int    `json:"page_number,omitempty"`  // page, from 1
	BBox           *BBox  `json:"bbox,omitempty"`         // box on the full upright page
	BlockIndex     *int   `json:"block_index,omitempty"`  // place on the page in reading order, from 0
}

// The kinds of record locators (seeds#capture).
const (
	LocatorRecord = "source_record_id"
	LocatorEntry  = "url_canonical+entry_index"
	LocatorQuote  = "css_selector+text_quote"
	LocatorBlock  = "page+bbox+block_index"
)

// Validate returns an error that names the first thing that is wrong (seeds#capture):
// a unit without evidence, an unknown locator, a box outside the page.
func (u Unit) Validate() error {
	if !strings.HasPrefix(u.IRID, "ir_") {
		return fmt.Errorf("ir_id %q: must begin with ir_", u.IRID)
	}
	if len(u.Evidence) == 0 {
		return fmt.Errorf("%s: a unit must have evidence", u.IRID)
	}
	switch u.RecordLocator.Kind {
	case LocatorRecord, LocatorEntry, LocatorQuote, LocatorBlock:
	default:
		return fmt.Errorf("%s: record_locator.kind %q is not in the list", u.IRID, u.RecordLocator.Kind)
	}
	if !u.FieldsRaw.Verbatim {
		return fmt.Errorf("%s: verbatim must be true", u.IRID)
	}
	for i, e := range u.Evidence {
		if err := e.validate(); err != nil {
			return fmt.Errorf("%s: evidence %d: %w", u.IRID, i, err)
		}
	}
	if (u.Type == UnitError) != (u.FieldsRaw.Error != nil) {
		return fmt.Errorf("%s: an error unit, and only one, has an error", u.IRID)
	}
	return nil
}

func (e Evidence) validate() error {
	if !strings.HasPrefix(e.FragmentHash, "sha256:") {
		return fmt.Errorf("fragment_hash %q does not begin with the name of its hash", e.FragmentHash)
	}
	if e.ByteSpan == nil && e.BBox == nil {
		return errors.New("neither byte_span nor bbox is given")
	}
	if e.ByteSpan != nil && (e.ByteSpan.Start < 0 || e.ByteSpan.End < e.ByteSpan.Start) {
		return fmt.Errorf("byte_span %d–%d is not a range", e.ByteSpan.Start, e.ByteSpan.End)
	}
	if b := e.BBox; b != nil {
		const slack = 1e-6
		if b.X < 0 || b.Y < 0 || b.W < 0 || b.H < 0 || b.X+b.W > 1+slack || b.Y+b.H > 1+slack {
			return fmt.Errorf("bbox %+v is outside the page", *b)
		}
	}
	return nil
}
