package model

// RangeSize is how many pages of a snapshot are one unit of work: the ranges
// are [16k+1, 16k+16] (contracts#segment).
const RangeSize = 16

// RunState is where a run stands (contracts#run). The chunker sets the terminal
// ones (contracts#quiet).
type RunState string

// The states of a run.
const (
	RunQueued     RunState = "queued"
	RunRunning    RunState = "running"
	RunDone       RunState = "done"
	RunPartial    RunState = "partial"
	RunFailed     RunState = "failed"
	RunSuperseded RunState = "superseded"
	RunRemoved    RunState = "removed"
)

// Terminal reports whether a run in this state needs no more work.
func (s RunState) Terminal() bool {
	switch s {
	case RunDone, RunPartial, RunFailed, RunSuperseded, RunRemoved:
		return true
	default:
		return false
	}
}

// Run is one extraction of one snapshot under one extraction_id: the anchor of
// fan-in and reconcile. Redo counts repetitions under the same extraction_id.
type Run struct {
	SnapshotID    string   `json:"snapshot_id"`
	ExtractionID  string   `json:"extraction_id"`
	SourceID      string   `json:"source_id"`
	DocumentID    string   `json:"document_id"`
	State         RunState `json:"state"`               // queued, running, done, partial (some pages failed), failed (all did), superseded or removed
	PageCount     int      `json:"page_count"`          // pages of the document; 1 when it could not be split
	Redo          int      `json:"redo"`                // the newest repetition: failed pages are extracted again under the next number
	RunOrder      int      `json:"run_order"`           // 1, 2, … among the runs of its snapshot
	Reason        string   `json:"reason,omitempty"`    // of the splitter, then of the first failed page
	Message       string   `json:"message,omitempty"`   // the reason as a sentence
	ParserVersion string   `json:"parser_version"`      // version of the parser that the run belongs to
	RulesDigest   string   `json:"source_rules_digest"` // hex sha256 of the source's rules that shape units
	// Rules are those of the source when the run began; nil: the ones that were
	// copied to the snapshot.
	Rules       *UnitRules `json:"source_rules,omitempty"`
	FactsKey    string     `json:"facts_key,omitempty"`    // object in the derived bucket
	FactsDigest string     `json:"facts_digest,omitempty"` // hex sha256 of the document's facts
	Why         string     `json:"why,omitempty"`          // capture, reparse, retry, version
	OCR         *RunOCR    `json:"ocr,omitempty"`          // nil: no page was read by OCR
}

// OCRRun is the digest of the settings of an explicit OCR run, else empty.
func (r Run) OCRRun() string {
	if r.OCR == nil {
		return ""
	}
	return r.OCR.Run
}

// Unsplit reports whether the run stands for a document whose pages could not
// be found: it has one page, which fails for the run's reason (contracts#error-unit). Of
// a document of one page that failed later it cannot be told apart.
func (r Run) Unsplit() bool { return r.Reason != "" && r.PageCount <= 1 && r.FactsKey == "" }

// PageRange is an inclusive range of 1-based page numbers.
type PageRange struct {
	From int `json:"from"` // first page, from 1
	To   int `json:"to"`   // last page, inclusive
}

// Ranges returns the ranges of a snapshot of n pages, in order: [1,16],
// [17,32], … and the rest. n below 1 counts as 1.
func Ranges(n int) []PageRange {
	if n < 1 {
		n = 1
	}
	out := make([]PageRange, 0, (n+RangeSize-1)/RangeSize)
	for from := 1; from <= n; from += RangeSize {
		out = append(out, PageRange{From: from, To: min(from+RangeSize-1, n)})
	}
	return out
}

// PageStatus is where a page stands.
type PageStatus string

// The states of a page.
const (
	PagePending   PageStatus = "pending"
	PageProcessed PageStatus = "processed"
	PageFailed    PageStatus = "failed"
)

// Page is the record of one page: line 1 of its frame in the IR segment, and
// (without HTML and its units) its row in the catalog.
type Page struct {
	PageID        string     `json:"page_id"` // UUID made of snapshot_id and page_no
	SnapshotID    string     `json:"snapshot_id"`
	ExtractionID  string     `json:"extraction_id"`
	ParserVersion string     `json:"parser_version"`
	PageNo        int        `json:"page_no"`                       // 1-based
	Label         string     `json:"label,omitempty"`               // the page's printed number, as the document names it
	Width         float64    `json:"width,omitempty"`               // upright, PDF points or pixels
	Height        float64    `json:"height,omitempty"`              // upright, PDF points or pixels
	Rotation      int        `json:"rotation,omitempty"`            // degrees by which the file turns the page, clockwise: 0, 90, 180 or 270
	Title         string     `json:"title,omitempty"`               // the document's own, found on this page
	Canonical     string     `json:"canonical,omitempty"`           // rel=canonical as found; recorded, never identity
	Status        PageStatus `json:"status"`                        // pending, processed or failed
	Reason        string     `json:"reason,omitempty"`              // why it failed: one of a closed list, such as timeout, malformed, ocr_failed
	Message       string     `json:"error_message,omitempty"`       // the reason as a sentence
	ContentHash   string     `json:"content_hash"`                  // of HTML (contracts#page-content-hash)
	FoldedHash    string     `json:"content_hash_folded,omitempty"` // as content_hash, quotation marks made alike (contracts#page-content-hash-folded)
	PageHash      string     `json:"page_hash"`                     // hex sha256 of the hashes of its blocks in reading order
	UnitCount     int        `json:"unit_count"`                    // units of the page
	Coverage      float64    `json:"coverage"`                      // 0..1, share of visible characters that are in some unit
	CoverageNote  string     `json:"coverage_note,omitempty"`       // why coverage is below 1
	Ledger        *Ledger    `json:"coverage_ledger,omitempty"`     // what was found on a page of a PDF file or of the web, and what became of it
	LeftOut       *LeftOut   `json:"left_out,omitempty"`            // characters that no chunk has, where there are some
	Quality       float64    `json:"quality"`                       // 0..1
	Flags         []string   `json:"quality_flags,omitempty"`       // what was noticed, such as incomplete or unclear
	Warnings      []string   `json:"warnings,omitempty"`            // what went wrong on the way, as sentences
	Language      *Language  `json:"language,omitempty"`            // language of the page and its shares
	Facts         []PageFact `json:"facts,omitempty"`               // what the page says about itself
	OCR           []PageOCR  `json:"ocr,omitempty"`                 // its parts that need OCR
	OpenSections  []Section  `json:"open_sections,omitempty"`       // sections of its own headings that are open at its end, the outermost first (contracts#open-sections)
	HTML          string     `json:"html,omitempty"`                // DOCXT HTML; id and slug of the PAGE marker empty
}

// Section is what a SECTION_START marker says of a section (contracts#docxt).
type Section struct {
	Kind  string `json:"kind"`  // summary, goal, bmp, implementation, monitoring, outreach, administrative, table, figure, footnote or generic (contracts#section-kind)
	Level int    `json:"level"` // from 1, the level of its heading
	Text  string `json:"text"`  // of its heading on one line, at most 300 code points
}

// PageFact is one thing that a page says about itself, as found: a meta element,
// a value of its JSON-LD, a time element.
type PageFact struct {
	Origin string `json:"origin"` // meta, json_ld, time
	Name   string `json:"name"`   // of the meta element, path of the JSON-LD value, lower-case itemprop or class of the time element
	Value  string `json:"value"`  // as found
}

// Ledger accounts for what is on a page: of its characters, pictures and
// drawings, how many are in some unit, were left out and why, or were lost.
type Ledger struct {
	Characters Account `json:"characters"` // of the text layer, of a web page all text between its tags; white space not counted
	Pictures   Account `json:"pictures"`   // pictures, of any size
	Drawings   Account `json:"drawings"`   // groups of drawn paths that are not lines of tables
}

// Account is one line of the ledger: Found = Placed + Skipped + Failed.
type Account struct {
	Found   int       `json:"found"`             // how many there are
	Placed  int       `json:"placed"`            // in some unit; of a web page in one of its own matter, no furniture
	Skipped []Skipped `json:"skipped,omitempty"` // sorted by reason
	Failed  int       `json:"failed,omitempty"`  // in none, without a reason
}

// Skipped counts what was left out for one reason.
type Skipped struct {
	Reason string `json:"reason"` // why they are in no unit, such as invisible; of a web page what they are: furniture, head, hidden, script, style, template or alternative
	Count  int    `json:"count"`  // how many
}

// SegmentRow is one row of ir_segments: it says which object counts.
type SegmentRow struct {
	SnapshotID   string `json:"snapshot_id"`
	ExtractionID string `json:"extraction_id"`
	From         int    `json:"from"`       // first page of the range, from 1
	To           int    `json:"to"`         // last page of the range
	Redo         int    `json:"redo"`       // repetition of the range; the highest counts
	ObjectKey    string `json:"object_key"` // its object in the derived bucket
	Digest       string `json:"digest"`     // hex sha256 of the object
	ByteLength   int64  `json:"byte_length"`
	Processed    int    `json:"processed"` // pages by status
	Failed       int    `json:"failed"`    // pages that failed
}
