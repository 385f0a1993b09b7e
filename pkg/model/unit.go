package model

import (
	"errors"
	"fmt"
	"strings"
)

// UnitType is the type of an IR unit (contracts 6).
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

// Unit is seed 002's IR unit: one block of a page, as found.
type Unit struct {
	IRID          string     `json:"ir_id"`
	SourceID      string     `json:"source_id"`
	SourceName    string     `json:"source_name"`
	SnapshotID    string     `json:"snapshot_id"`
	RetrievedAt   Time       `json:"retrieved_at"`
	Type          UnitType   `json:"type"`
	Role          string     `json:"role,omitempty"` // of furniture: navigation, banner, cookie, footer, related, comments
	Evidence      []Evidence `json:"evidence"`
	RecordLocator Locator    `json:"record_locator"`
	FieldsRaw     Fields     `json:"fields_raw"`
	ParseWarnings []string   `json:"parse_warnings"`
	ParserVersion string     `json:"parser_version"`
	OCREngine     string     `json:"ocr_engine,omitempty"`
	OCRVersion    string     `json:"ocr_version,omitempty"`
}

// Chunked reports whether the unit's text goes into chunks: page furniture is
// kept and left out, error units stand for what is missing (contracts 6), and
// the address that a link leads to is no text of the page.
func (u Unit) Chunked() bool {
	switch u.Type {
	case UnitFurniture, UnitPageHeader, UnitPageFooter, UnitLink, UnitError:
		return false
	default:
		return u.FieldsRaw.Text != ""
	}
}

// Fields are a unit's fields_raw (contracts 6).
type Fields struct {
	BlockID     string    `json:"block_id"`
	HTML        string    `json:"html,omitempty"` // decoded raw slice, unchanged
	Markdown    string    `json:"markdown,omitempty"`
	Text        string    `json:"text"`                   // line-end hyphens joined
	TextPrinted string    `json:"text_printed,omitempty"` // as printed, when it differs from text
	OCRText     string    `json:"ocr_text,omitempty"`
	Links       []Link    `json:"links,omitempty"`
	Images      []Image   `json:"images,omitempty"`
	Verbatim    bool      `json:"verbatim"` // always true (seed 000)
	Language    *Language `json:"language,omitempty"`
	Level       int       `json:"level,omitempty"`  // of a heading, 1..6
	Depth       int       `json:"depth,omitempty"`  // of a list item, 1 = outermost
	Marker      string    `json:"marker,omitempty"` // of a list item or footnote, as printed
	Continues   bool      `json:"continues,omitempty"`
	Continued   bool      `json:"continued,omitempty"`
	Confidence  float64   `json:"confidence"` // 0..1
	Flags       []string  `json:"quality_flags,omitempty"`
	Notes       string    `json:"extraction_notes,omitempty"`
	Table       *Table    `json:"table,omitempty"`
	Error       *Failure  `json:"error,omitempty"`
	// Values are the fields of an entry rule, by name, as found.
	Values map[string][]string `json:"values,omitempty"`
	// Groups are the fields that have parts: each group is one occurrence.
	Groups map[string][]map[string]string `json:"groups,omitempty"`
}

// Link is an absolute link found in a unit.
type Link struct {
	URL  string `json:"url"`
	Text string `json:"text"`
}

// Image is a picture found in a unit: an absolute URL, or the digest of a
// stored PNG.
type Image struct {
	URL    string `json:"url,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	Alt    string `json:"alt,omitempty"`
}

// Failure is what an error unit holds (seed 000, "Error Handling").
type Failure struct {
	Type         string `json:"type"` // extraction_failed
	Reason       string `json:"reason"`
	Message      string `json:"message"`
	RawHTML      string `json:"raw_html,omitempty"`
	RawText      string `json:"raw_text,omitempty"`
	FallbackText string `json:"fallback_text,omitempty"`
}

// Language is seed 000's language tag.
type Language struct {
	Lang         string          `json:"lang"` // ISO 639-1
	Confidence   float64         `json:"lang_confidence"`
	Origin       string          `json:"origin,omitempty"` // html_lang, meta, detected, url, region
	Multilingual bool            `json:"multilingual"`
	Languages    []LanguageShare `json:"languages,omitempty"`
}

// LanguageShare is one language of a multilingual page and its share of the
// characters, 0..1.
type LanguageShare struct {
	Code     string  `json:"code"`
	Coverage float64 `json:"coverage"`
}

// Table is seed 000's table: header rows joined into columns, the rest as rows.
type Table struct {
	Columns     []string    `json:"columns"`
	Rows        [][]Cell    `json:"rows"`
	Caption     string      `json:"caption,omitempty"`
	Spans       []TableSpan `json:"spans,omitempty"`
	Source      string      `json:"source"` // ruled, heuristic, html, text, ocr
	Confidence  float64     `json:"confidence"`
	HeaderRows  int         `json:"header_rows"`
	CSV         string      `json:"csv,omitempty"` // RFC 4180, all rows
	CellRanges  []CellRange `json:"cell_ranges,omitempty"`
	Warnings    []string    `json:"warnings,omitempty"`
	BBox        *BBox       `json:"bbox,omitempty"`
	ColumnEdges []float64   `json:"column_edges,omitempty"` // left to right, 0..1
}

// CellRange says where a cell's text lies in the unit's text, in bytes. Row and
// Col count grid rows and columns from 0, header rows included.
type CellRange struct {
	Row   int `json:"row"`
	Col   int `json:"col"`
	Start int `json:"start"`
	End   int `json:"end"`
}

// TableSpan is a merged cell, in grid rows and columns from 0 with header rows
// counted.
type TableSpan struct {
	Row     int    `json:"row"`
	Col     int    `json:"col"`
	RowSpan int    `json:"rowspan"`
	ColSpan int    `json:"colspan"`
	Content string `json:"content"`
}

// BBox is a box of the full upright page, normalised to [0, 1], origin top
// left (seed 002). Values are rounded to six decimals before they are stored.
type BBox struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// Span is a half-open range [Start, End).
type Span struct {
	Start int64 `json:"start"`
	End   int64 `json:"end"`
}

// Evidence is seed 002's fragment pointer. Which locators are present depends
// on the kind of the snapshot (contracts 6).
type Evidence struct {
	SourceID           string `json:"source_id"`
	SnapshotID         string `json:"snapshot_id"`
	ByteSpan           *Span  `json:"byte_span,omitempty"`
	CSSSelector        string `json:"css_selector,omitempty"`
	XPath              string `json:"xpath,omitempty"`
	TextQuote          string `json:"text_quote,omitempty"` // first 300 code points
	PageNumber         int    `json:"page_number,omitempty"`
	PageIndex          *int   `json:"page_index,omitempty"`
	RotationDegrees    *int   `json:"rotation_degrees,omitempty"`
	BBox               *BBox  `json:"bbox,omitempty"`
	Crop               *BBox  `json:"crop,omitempty"`
	PDFTextQuote       string `json:"pdf_text_quote,omitempty"`
	CharSpan           *Span  `json:"char_span,omitempty"` // engine's indexes on the page
	OCRTextQuote       string `json:"ocr_text_quote,omitempty"`
	RepresentationKind string `json:"fragment_representation_kind"` // raw_bytes or locator_jcs_v1
	FragmentHash       string `json:"fragment_hash"`
}

// The kinds of what fragment_hash is made of (contracts 1).
const (
	RepresentationRaw     = "raw_bytes"
	RepresentationLocator = "locator_jcs_v1"
)

// Locator is seed 002's record_locator.
type Locator struct {
	Kind           string `json:"kind"`
	SourceRecordID string `json:"source_record_id,omitempty"`
	URLCanonical   string `json:"url_canonical,omitempty"`
	EntryIndex     *int   `json:"entry_index,omitempty"`
	CSSSelector    string `json:"css_selector,omitempty"`
	TextQuote      string `json:"text_quote,omitempty"`
	PageNumber     int    `json:"page_number,omitempty"`
	BBox           *BBox  `json:"bbox,omitempty"`
	BlockIndex     *int   `json:"block_index,omitempty"`
}

// The kinds of record locators (seed 002).
const (
	LocatorRecord = "source_record_id"
	LocatorEntry  = "url_canonical+entry_index"
	LocatorQuote  = "css_selector+text_quote"
	LocatorBlock  = "page+bbox+block_index"
)

// Validate returns an error that names the first thing that breaks seed 002:
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
		return fmt.Errorf("%s: verbatim must be true (seed 000)", u.IRID)
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
