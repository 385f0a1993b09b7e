package entity

import (
	"encoding/json"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// InputHash returns the hex sha256 of what entities of a page are read from: the content_hash of
// the page and the sections that are open when it begins (contracts#entities).
func InputHash(contentHash string, open []model.Section) (string, error) {
	canonical, err := digest.JCS([]any{contentHash, orEmpty(open)})
	if err != nil {
		return "", fmt.Errorf("what entities are read from: %w", err)
	}
	return digest.Hex(canonical), nil
}

// Stored returns a page as the catalog has it: the record of which snapshot, run, versions and
// input are given, completed by what was found, and a row for each entity.
func Stored(of model.EntityPage, p Page) (model.EntityPage, []model.EntityRow, error) {
	of.Status, of.Result = model.PageProcessed, model.EntityResult{Counts: p.Counts(), Dropped: p.Drops, Confidence: p.Confidence}
	rows := make([]model.EntityRow, len(p.Entities))
	for i, e := range p.Entities {
		payload, err := json.Marshal(e)
		if err != nil {
			return of, nil, err
		}
		rows[i] = model.EntityRow{
			SnapshotID: of.SnapshotID, PageNo: of.PageNo, Type: e.Type, ID: e.ID, SourceID: of.SourceID, DocumentID: of.DocumentID,
			ExtractionID: of.ExtractionID, ExtractorVersion: of.ExtractorVersion, PromptVersion: of.PromptVersion,
			Ordinal: i, Title: e.Title(), Payload: payload,
		}
	}
	return of, rows, nil
}

// Restored returns the entity of a stored payload.
func Restored(typ string, payload []byte) (Entity, error) {
	e, wrong, err := DecodeEntity(typ, payload)
	if err == nil && len(wrong) > 0 {
		err = fmt.Errorf("fields of another shape: %v", wrong)
	}
	if err != nil {
		return e, fmt.Errorf("stored entity: %w", err)
	}
	var made struct {
		Grounds    []Ground `json:"grounds"`
		Confidence float64  `json:"confidence"`
		Origin     string   `json:"origin"`
		FoundBy    string   `json:"found_by"`
	}
	if err := json.Unmarshal(payload, &made); err != nil {
		return e, fmt.Errorf("stored entity: %w", err)
	}
	e.Grounds, e.Confidence, e.Origin, e.FoundBy = orEmpty(made.Grounds), made.Confidence, made.Origin, made.FoundBy
	return e, nil
}
