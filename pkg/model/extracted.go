package model

import "encoding/json"

// ExtractedDocument is what the pages of a document's current version say of goals, practices and the like
// (seeds#extraction), as the gateway answers and the command exports it.
type ExtractedDocument struct {
	UploadID   string          `json:"uploadId"` // the snapshot that is current; "" where none is
	Slug       string          `json:"slug"`
	DocumentID string          `json:"document_id"`
	SourceID   string          `json:"source_id,omitempty"` // of the export
	URL        string          `json:"url,omitempty"`       // of the export; redacted
	Pages      []ExtractedPage `json:"pages"`               // those that were read, in their order
	Rollup     Rollup          `json:"rollup"`              // what they add up to
}

// Rollup is what the entities of a document add up to.
type Rollup struct {
	TotalGoals     int      `json:"totalGoals"`             // how many goals
	TotalBMPs      int      `json:"totalBMPs"`              // how many practices
	CompletionRate *float64 `json:"completionRate"`         // percent, 0 to 100: mean of the progress of goals, practices and activities; nil where fewer than two say it
	CompletionOf   []string `json:"completionOf,omitempty"` // ids of the entities that it is the mean of
}

// ExtractedPage are the entities of a page, and what became of it. An entity is a JSON object with the fields of its
// type, evidence and grounds (docs/entities.md).
type ExtractedPage struct {
	PageID           string                       `json:"pageId"` // UUID of the page
	PageNo           int                          `json:"pageNo"` // from 1
	Goals            []json.RawMessage            `json:"goals"`
	BMPs             []json.RawMessage            `json:"bmps"` // best management practices
	Implementation   []json.RawMessage            `json:"implementation"`
	Monitoring       []json.RawMessage            `json:"monitoring"`
	Outreach         []json.RawMessage            `json:"outreach"`
	GeographicAreas  []json.RawMessage            `json:"geographicAreas"`
	Own              map[string][]json.RawMessage `json:"own,omitempty"`     // of the source's own schemas, by type, as permits.permit
	Confidence       float64                      `json:"confidence"`        // mean of the entities'; 0 without any
	Dropped          map[string]int               `json:"dropped,omitempty"` // what the guard did not let pass, by reason
	Status           PageStatus                   `json:"status"`            // processed, failed, or pending when it is queued again
	Reason           string                       `json:"reason,omitempty"`
	Message          string                       `json:"error_message,omitempty"`
	ExtractorVersion int                          `json:"extractor_version"` // of the rules
	PromptVersion    int                          `json:"prompt_version"`    // 0 without a model
}
