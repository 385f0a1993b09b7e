package model

import (
	"encoding/json"
	"fmt"
)

// EntityPage says what became of the entities of a page under one version of the extractor
// and of the prompt (contracts#entities).
type EntityPage struct {
	SnapshotID       string       `json:"snapshot_id"`
	PageNo           int          `json:"page_no"`           // from 1
	ExtractorVersion int          `json:"extractor_version"` // of the rules
	PromptVersion    int          `json:"prompt_version"`    // 0 without a model
	SourceID         string       `json:"source_id"`
	DocumentID       string       `json:"document_id"`
	ExtractionID     string       `json:"extraction_id"` // of the run whose units were read
	RunOrder         int          `json:"run_order"`     // of that run among those of its snapshot
	Status           PageStatus   `json:"status"`
	Reason           string       `json:"reason"` // of one that has failed
	Message          string       `json:"error_message"`
	ContentHash      string       `json:"content_hash"` // of the page
	InputHash        string       `json:"input_hash"`   // of the page and the sections that are open when it begins
	Result           EntityResult `json:"result"`
	Superseded       bool         `json:"superseded"` // another version has read the page since
}

// Name is the page in errors and in what verify says.
func (p EntityPage) Name() string {
	return fmt.Sprintf("entities of page %d of %s, version %d.%d", p.PageNo, p.SnapshotID, p.ExtractorVersion, p.PromptVersion)
}

// EntityResult is what was found on a page, counted.
type EntityResult struct {
	Counts     map[string]int `json:"counts"`     // by the name of the type's list, such as goals
	Dropped    map[string]int `json:"dropped"`    // what the guard dropped, by reason
	Confidence float64        `json:"confidence"` // mean of the entities'; 0 without any
	// Schemas are the versions of the schemas of one's own by which the page was read, by their names; those that
	// do not want the page are left out.
	Schemas map[string]int `json:"schemas,omitempty"`
}

// EntityRow is an entity of a page as the catalog has it.
type EntityRow struct {
	SnapshotID       string          `json:"snapshot_id"`
	PageNo           int             `json:"page_no"`
	Type             string          `json:"entity_type"`
	ID               string          `json:"entity_id"`
	SourceID         string          `json:"source_id"`
	DocumentID       string          `json:"document_id"`
	ExtractionID     string          `json:"extraction_id"`
	ExtractorVersion int             `json:"extractor_version"`
	PromptVersion    int             `json:"prompt_version"`
	Ordinal          int             `json:"ordinal"` // 0, 1, … on its page
	Title            string          `json:"title"`
	Payload          json.RawMessage `json:"payload"`    // with evidence, grounds, confidence and origin
	Superseded       bool            `json:"superseded"` // its page does not yield it any more
}

// EntityInput is a page of a run as its entities are asked for.
type EntityInput struct {
	PageNo      int
	Redo        int // of the segment that has it
	Status      PageStatus
	ContentHash string
	Open        []Section   // sections that it leaves open
	Known       *EntityPage // what is recorded of it under the version that was asked for; nil: nothing
}

// EntityWork is a run as the annotator finds it.
type EntityWork struct {
	Run      Run
	Complete bool           // every range has its segment, and every range of its redo that of the redo
	Ready    bool           // no page before those of Pages is pending
	Schemas  []EntitySchema // of entities of one's own, as the run has them
	Open     [][]Section    // what the pages before those of Pages leave open, in page order
	Pages    []EntityInput  // of the range, of all when the run is complete; in page order
	Stamps   map[int]int64  // by first page of a range: changes whenever a segment of it comes in
}

// Stamp changes whenever a segment of the ranges up to one comes in.
func (w EntityWork) Stamp(from int) (sum int64) {
	for first, stamp := range w.Stamps {
		if first <= from {
			sum += stamp
		}
	}
	return sum
}

// EntityWrite are the entities of pages of one range of a run.
type EntityWrite struct {
	Run      Run
	From     int   // first page of the range
	Stamp    int64 // of the ranges up to it, when they were read
	Pages    []EntityPage
	Entities []EntityRow // of these pages, none of them superseded
}

// LLMAnswer says which object holds what a language model said to a question: the first that was
// recorded (contracts#llm-answers).
type LLMAnswer struct {
	SourceID      string `json:"source_id"`
	Model         string `json:"model"`
	PromptVersion int    `json:"prompt_version"`
	InputHash     string `json:"input_hash"`  // hex sha256 of what was asked
	SnapshotID    string `json:"snapshot_id"` // for whose page it was asked first
	ObjectKey     string `json:"object_key"`
	Digest        string `json:"digest"` // hex sha256 of the object
}
