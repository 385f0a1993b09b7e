package event

import (
	"fmt"

	"github.com/colophon-dev/colophon/pkg/model"
)

// EntitiesExtracted says that the entities of a page were read, first or again. What they are
// is in the catalog (contracts#entities).
type EntitiesExtracted struct {
	SnapshotID       string           `json:"snapshot_id"`
	SourceID         string           `json:"source_id"`
	DocumentID       string           `json:"document_id"`
	ExtractionID     string           `json:"extraction_id"`     // of the run whose units were read
	PageNo           int              `json:"page_no"`           // from 1
	ExtractorVersion int              `json:"extractor_version"` // of the rules
	PromptVersion    int              `json:"prompt_version"`    // 0 without a model
	Status           model.PageStatus `json:"status"`            // processed, or failed
	Reason           string           `json:"reason,omitempty"`
	Message          string           `json:"message,omitempty"`
	InputHash        string           `json:"input_hash"` // hex sha256 of what was read: of another one the entities may be others
	Counts           map[string]int   `json:"counts"`     // by type: goals, bmps, implementation, monitoring, outreach, geographicAreas
}

// OfEntities returns the event that says what became of the entities of a page.
func OfEntities(p model.EntityPage) EntitiesExtracted {
	counts := p.Result.Counts
	if counts == nil {
		counts = map[string]int{}
	}
	return EntitiesExtracted{
		SnapshotID: p.SnapshotID, SourceID: p.SourceID, DocumentID: p.DocumentID, ExtractionID: p.ExtractionID, PageNo: p.PageNo,
		ExtractorVersion: p.ExtractorVersion, PromptVersion: p.PromptVersion, Status: p.Status, Reason: p.Reason, Message: p.Message,
		InputHash: p.InputHash, Counts: counts,
	}
}

// Type returns TypeEntitiesExtracted.
func (EntitiesExtracted) Type() string { return TypeEntitiesExtracted }

// Source returns the source_id.
func (d EntitiesExtracted) Source() string { return d.SourceID }

// About returns snapshot, extraction, page, versions and what was read.
func (d EntitiesExtracted) About() string {
	return fmt.Sprintf("%s/%s/%d/%d.%d/%.16s", d.SnapshotID, d.ExtractionID, d.PageNo, d.ExtractorVersion, d.PromptVersion, d.InputHash)
}
