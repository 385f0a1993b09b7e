package model

import (
	"slices"
	"strconv"
	"strings"
)

// PageOCR is the decision to read a page, or a part of it, by OCR, and what came
// of it: the stored result that the page's units are made of (contracts#ocr-pages,
// contracts#proof), or why there is none. Without either the page waits for OCR, or OCR
// is off.
type PageOCR struct {
	Region *BBox  `json:"region,omitempty"` // of the page as its file shows it; nil: all of it
	Why    string `json:"why"`              // the decision with its numbers

	Engine  string `json:"engine,omitempty"`  // name of the engine that read it
	Version string `json:"version,omitempty"` // of the engine
	Key     string `json:"key,omitempty"`     // hex sha256 of [picture, languages, parameters] (contracts#ocr-result)
	Digest  string `json:"digest,omitempty"`  // hex sha256 of the stored result

	Reason  string `json:"reason,omitempty"`        // of its failure (contracts#reasons)
	Message string `json:"error_message,omitempty"` // the reason as a sentence
}

// Answered reports whether OCR has ended, well or not.
func (o PageOCR) Answered() bool { return o.Key != "" || o.Reason != "" }

// Part is the decision alone, without what came of it.
func (o PageOCR) Part() PageOCR { return PageOCR{Region: o.Region, Why: o.Why} }

// Same reports whether both are about the same part of a page.
func (o PageOCR) Same(p PageOCR) bool {
	if o.Region == nil || p.Region == nil {
		return o.Region == nil && p.Region == nil
	}
	return *o.Region == *p.Region
}

// OCRTask is one page, or a part of it, that a run has read by OCR: the row that
// says which stored result counts there (contracts#stored-results).
type OCRTask struct {
	SnapshotID   string   `json:"snapshot_id"`
	ExtractionID string   `json:"extraction_id"`
	Redo         int      `json:"redo"`
	PageNo       int      `json:"page_no"` // from 1
	Part         int      `json:"part"`    // among those of its page, from 0
	Picture      string   `json:"picture"` // hex sha256 that names the picture, whoever reads it
	Languages    []string `json:"languages,omitempty"`
	DPI          int      `json:"dpi,omitempty"` // 0: as the engine's preprocessing decides
	OCR          PageOCR  `json:"ocr"`
}

// StoredResult is a row of stored_results: which object counts as what was read
// in a picture (contracts#stored-results). The first one that is recorded does.
type StoredResult struct {
	Kind       string `json:"kind"` // ocr
	SourceID   string `json:"source_id"`
	Picture    string `json:"picture"` // as of the task
	Run        string `json:"run"`     // digest of the settings of an explicit OCR run, else empty
	Key        string `json:"key"`     // hex sha256 of [picture, languages, parameters]
	SnapshotID string `json:"snapshot_id"`
	Engine     string `json:"engine"`
	Version    string `json:"version"`
	ObjectKey  string `json:"object_key"`
	Digest     string `json:"digest"` // hex sha256 of the object
}

// RunOCR is the OCR of a run: what was asked for, and who reads.
type RunOCR struct {
	// Run is the digest of Settings, a part of the extraction_id (contracts#extraction-id);
	// empty: the run uses whatever result was stored first.
	Run      string       `json:"run,omitempty"`
	Settings *OCRSettings `json:"settings,omitempty"` // what was asked for, of an explicit OCR run
	// Engine and Version of whoever read the run's first page, empty before.
	Engine  string `json:"engine,omitempty"`
	Version string `json:"version,omitempty"` // version of the engine
	// Also are the others that read pages of the run, "engine version" each,
	// sorted: when the engine was upgraded meanwhile, or results of an older one
	// stand. Each page and each unit names its own.
	Also []string `json:"also,omitempty"`
}

// Asked returns what another run inherits: what was asked for, not who read.
func (o *RunOCR) Asked() *RunOCR {
	if o == nil || o.Run == "" {
		return nil
	}
	return &RunOCR{Run: o.Run, Settings: o.Settings}
}

// OCRSettings ask for an OCR run of its own, whose units stand beside those of
// the runs before.
type OCRSettings struct {
	Name      string   `json:"name"`                // tells it from other runs with the same settings
	Languages []string `json:"languages,omitempty"` // ISO 639-1, the best first; none: the source's
	DPI       int      `json:"dpi,omitempty"`       // dots per inch; 0: 200, and 300 where confidence is low
}

// firstOfLanguages is the parser_version from which on a picture is read for each
// hint of languages by itself. Before, documents with the same picture and other
// hints had whatever was read first.
const firstOfLanguages = 7

// PictureLanguages are the languages that name a picture of the document, for a run
// under a parser_version.
func (s Snapshot) PictureLanguages(parserVersion string) []string {
	if n, err := strconv.Atoi(parserVersion); err == nil && n < firstOfLanguages {
		return nil
	}
	return s.OCRLanguages()
}

// OCRLanguages are what is known of the document's languages, ISO 639-1, the best
// first; none when OCR has to find out.
func (s Snapshot) OCRLanguages() []string {
	var out []string
	for _, l := range append([]string{s.Language, s.SourceLanguage}, s.SourceLanguages...) {
		l, _, _ = strings.Cut(strings.ToLower(l), "-")
		if l != "" && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}
