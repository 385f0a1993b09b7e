package quote

import (
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Bounds of a quotation.
const (
	MaxQuote   = 4000 // code points that may be asked for
	MinLetters = 12   // letters, digits and signs below which nothing is proved
	minPart    = 6    // likewise of a part between two omissions
	maxParts   = 10   // parts of one quotation
)

// Verdict is what is said of a quotation.
type Verdict string

// The verdicts. Only Exact says that the quotation stands there as it is written.
const (
	Exact     Verdict = "exact"      // it stands there, letter by letter
	OtherCase Verdict = "other_case" // it stands there, but for letters in upper or lower case
	InParts   Verdict = "in_parts"   // its parts stand there in their order; what the omissions leave out is not said
	NotFound  Verdict = "not_found"  // no text of the corpus has it
	TooShort  Verdict = "too_short"  // it would prove nothing
	Undecided Verdict = "undecided"  // not all texts were read that may have it: too many have all of its words, or have come too lately
)

// Standing is whether what a place says is what its document says now.
type Standing string

// The standings.
const (
	Current    Standing = "current"    // its document says so, in the version that is asked for
	Superseded Standing = "superseded" // an earlier version of its document said so
	Archived   Standing = "archived"   // its document says so, and is kept in the archive
)

// Request asks where a quotation stands. What is empty lets everything through.
type Request struct {
	Quote     string   `json:"quote"`              // the quotation, at most 4,000 characters
	Source    []string `json:"source,omitempty"`   // source_ids of which one must have it
	Document  string   `json:"document,omitempty"` // document_id of the document that must have it
	Languages []string `json:"language,omitempty"` // ISO 639-1
	AsOf      string   `json:"as_of,omitempty"`    // YYYY-MM-DD: what was dated then or before
	Limit     int      `json:"limit,omitempty"`    // how many places are told, 1 to 50; 10 when it is not given
}

// Answer says where a quotation stands.
type Answer struct {
	Verdict  Verdict  `json:"verdict"`         // exact, other_case, in_parts, not_found, too_short or undecided
	Exact    bool     `json:"exact"`           // whether it stands there letter by letter, in one piece
	Standing Standing `json:"standing"`        // of the first place: current, superseded or archived; empty when there is none
	AsOf     string   `json:"as_of,omitempty"` // YYYY-MM-DD, when it was asked for
	Letters  int      `json:"letters"`         // how many letters, digits and signs the quotation has
	Parts    int      `json:"parts"`           // how many parts it was taken for: more than 1 where omissions divide it
	Reason   string   `json:"reason"`          // the verdict as a sentence
	Places   []Place  `json:"places"`          // where it stands: what is current first, then the newest first
	More     bool     `json:"more"`            // there may be more places
}

// Place is where a quotation, or a part of it, stands.
type Place struct {
	Part       int      `json:"part"`       // which part of the quotation, from 1
	ChunkRef   string   `json:"chunk_ref"`  // the chunk that it begins in
	Standing   Standing `json:"standing"`   // current, superseded or archived
	OtherCase  bool     `json:"other_case"` // letters have another case, beside the first
	Text       string   `json:"text"`       // as it stands there
	Before     string   `json:"before"`     // up to 160 characters before it
	After      string   `json:"after"`      // up to 160 characters behind it
	Ranges     []Range  `json:"ranges"`     // the chunks that it stands in, in their order
	DocumentID string   `json:"document_id"`
	SourceID   string   `json:"source_id"`
	Source     string   `json:"source"` // display name of the source
	SnapshotID string   `json:"snapshot_id"`
	URL        string   `json:"url"`
	Title      string   `json:"title"`
	DocType    string   `json:"doc_type"`
	Language   string   `json:"language"`
	Page       int      `json:"page"`                 // 1-based page that it begins on, 0 when there is none
	Type       string   `json:"type"`                 // fact, allegation or opinion
	Status     string   `json:"status"`               // under_review, confirmed, refuted or obsolete
	InfoDate   string   `json:"info_date"`            // YYYY-MM-DD
	Successor  *After   `json:"came_after,omitempty"` // of what is superseded: what came after it
}

// Range is a part of a chunk's text.
type Range struct {
	ChunkRef string `json:"chunk_ref"`
	Start    int    `json:"start"` // first byte in the chunk's text
	End      int    `json:"end"`   // byte behind the last one
	Units    []Unit `json:"units"` // what its bytes are from, in the order of the text
	Proof    string `json:"proof"` // path of the proof of the chunk, made when it is asked for
}

// Unit is the part of an IR unit that a range is from.
type Unit struct {
	IRID     string      `json:"ir_id"`
	Page     int         `json:"page"`           // 1-based
	From     int         `json:"from"`           // first byte in the unit's text
	To       int         `json:"to"`             // byte behind the last one
	Evidence int         `json:"evidence"`       // index into the unit's evidence
	BBox     *model.BBox `json:"bbox,omitempty"` // where the evidence stands on its page, of documents with pages
}

// After is what came after a chunk that its document no longer says.
type After struct {
	Reason     string      `json:"reason"`          // replaced, removed, rearranged, taken_down or no_current_version
	Since      time.Time   `json:"since"`           // when it was moved to the archive
	Cause      string      `json:"cause,omitempty"` // why, as its event said
	DocumentID string      `json:"document_id"`
	SnapshotID string      `json:"snapshot_id,omitempty"` // of the current version
	URL        string      `json:"url,omitempty"`         // of the document
	Chunks     []Successor `json:"successors"`            // what stands where it stood, at most ten, in their order
}

// Successor is a chunk of the current version.
type Successor struct {
	ChunkRef string `json:"chunk_ref"`
	Content  string `json:"content"`   // the chunk without its header
	Page     int    `json:"page"`      // 1-based page
	InfoDate string `json:"info_date"` // YYYY-MM-DD
	Status   string `json:"status"`    // under_review, confirmed, refuted or obsolete
}
