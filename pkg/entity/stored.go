package entity

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/model"
)

// InputHash returns the hex sha256 of what entities of a page are read from: the content_hash of
// the page, the sections that are open when it begins, and schemas of one's own where there are any
// (contracts#entities).
func InputHash(contentHash string, open []model.Section, own []model.EntitySchema) (string, error) {
	parts := []any{contentHash, orEmpty(open)}
	if len(own) > 0 {
		parts = append(parts, own)
	}
	canonical, err := digest.JCS(parts)
	if err != nil {
		return "", fmt.Errorf("what entities are read from: %w", err)
	}
	return digest.Hex(canonical), nil
}

// Stored returns a page as the catalog has it: the record of which snapshot, run, versions and
// input are given, completed by what was found, and a row for each entity.
func Stored(of model.EntityPage, p Page) (model.EntityPage, []model.EntityRow, error) {
	of.Status, of.Result = model.PageProcessed, model.EntityResult{Counts: p.Counts(), Dropped: p.Drops, Confidence: p.Confidence, Schemas: p.Schemas}
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

// IsOwn reports whether a type is one of a schema of one's own: it is called by the schema's name, a dot, and its own.
func IsOwn(typ string) bool { return strings.Contains(typ, ".") }

// OwnType returns what a type of a schema of one's own is called where entities of all types are.
func OwnType(schema, typ string) string { return schema + "." + typ }

// Restored returns the entity of a stored payload. Of one of a schema of one's own the values are as JSON has them.
func Restored(typ string, payload []byte) (Entity, error) {
	decode := DecodeEntity
	if IsOwn(typ) {
		decode = decodeOwn
	}
	e, wrong, err := decode(typ, payload)
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
		Schema     string   `json:"schema"`
		SchemaNo   int      `json:"schema_version"`
	}
	if err := json.Unmarshal(payload, &made); err != nil {
		return e, fmt.Errorf("stored entity: %w", err)
	}
	e.Grounds, e.Confidence, e.Origin, e.FoundBy = orEmpty(made.Grounds), made.Confidence, made.Origin, made.FoundBy
	e.Schema, e.SchemaNo = made.Schema, made.SchemaNo
	return e, nil
}

// Marks returns where the quotes of a page's stored entities stand, by ir_id, for its HTML.
func Marks(rows []model.EntityRow) (map[string][]docxt.Mark, error) {
	marks := make(map[string][]docxt.Mark)
	for _, row := range rows {
		var found struct {
			Grounds []Ground `json:"grounds"`
		}
		if err := json.Unmarshal(row.Payload, &found); err != nil {
			return nil, fmt.Errorf("stored entity %s: %w", row.ID, err)
		}
		for _, g := range found.Grounds {
			if g.Field == fieldEvidence {
				marks[g.IRID] = append(marks[g.IRID], docxt.Mark{Start: g.Start, End: g.End, Key: row.Type + ":" + row.ID})
			}
		}
	}
	return marks, nil
}

// fieldEvidence is the field of the ground of a quote.
const fieldEvidence = "evidence"

// decodeOwn reads an entity of a schema of one's own, whose fields are not known here.
func decodeOwn(typ string, payload []byte) (Entity, []string, error) {
	e := Entity{Type: typ, Values: make(map[string]any)}
	var fields map[string]any
	if err := json.Unmarshal(payload, &fields); err != nil {
		return e, nil, err
	}
	var made struct {
		ID       string   `json:"id"`
		Evidence []string `json:"evidence"`
	}
	if err := json.Unmarshal(payload, &made); err != nil {
		return e, nil, err
	}
	e.ID, e.Evidence = made.ID, made.Evidence
	for name, v := range fields {
		if v != nil && !IsMade(name) {
			e.Values[name] = v
		}
	}
	return e, nil, nil
}

// IsMade reports whether a field of a stored entity is none of its type: every entity has it.
func IsMade(field string) bool { return slices.Contains(madeFields(), field) }

func madeFields() []string {
	return []string{"id", "evidence", "grounds", "confidence", "origin", "found_by", "schema", "schema_version"}
}
