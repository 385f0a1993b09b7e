package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/redact"
)

// The bounds of what one look at old rows reads and returns: status is asked for every
// second, and raw records may be many.
const (
	oldRowsRead   = 5000
	oldRowsListed = 20
)

// Held is which rows of one table hold what today's rules would not store: they were
// written under older ones, and nothing rewrites them. Values are never told.
type Held struct {
	What string   `json:"what"`           // capture, snapshot, document, source, audit row
	N    int      `json:"count"`          // of the rows that were read
	Read int      `json:"read"`           // the oldest rows of the table, at most 5,000
	More bool     `json:"more,omitempty"` // whether there are others, which were not read
	IDs  []string `json:"ids,omitempty"`  // the first 20: ids, of captures source_id and request_id, of the audit seq
}

// HeldSecrets looks for rows that hold secrets under today's rules. Their ids are told
// as they would be stored today.
func (db *DB) HeldSecrets(ctx context.Context) ([]Held, error) {
	var all []Held
	for _, table := range []struct {
		what, sql string
		holds     func(text string) (bool, error)
	}{
		{"capture", `SELECT source_id || '/' || request_id, request::text FROM captures ORDER BY accepted_at LIMIT $1`, requestHolds},
		{"snapshot", `SELECT snapshot_id, record::text FROM snapshots ORDER BY created_at LIMIT $1`, snapshotHolds},
		{"document", `SELECT document_id, jsonb_build_array(external_id, canonical_url)::text FROM documents ORDER BY first_seen_at LIMIT $1`, documentHolds},
		{"source", `SELECT source_id, record::text FROM sources ORDER BY updated_at, source_id LIMIT $1`, sourceHolds},
		{"audit row", `SELECT seq::text, jsonb_build_array(who, action, target, why)::text FROM audit ORDER BY seq LIMIT $1`, auditHolds},
	} {
		held := Held{What: table.what}
		rows, err := db.pool.Query(ctx, table.sql, oldRowsRead+1)
		if err != nil {
			return nil, fmt.Errorf("rows that hold secrets: %w", Classify(err))
		}
		var id, text string
		_, err = pgx.ForEachRow(rows, []any{&id, &text}, func() error {
			if held.More = held.Read == oldRowsRead; held.More {
				return nil
			}
			held.Read++
			holds, err := table.holds(text)
			if err != nil {
				return fmt.Errorf("%s %s: %w", table.what, redact.Text(id, redact.Log), err)
			}
			if holds {
				if held.N++; len(held.IDs) < oldRowsListed {
					held.IDs = append(held.IDs, redact.Text(id, redact.Log))
				}
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("rows that hold secrets: %w", Classify(err))
		}
		if held.N > 0 || held.More {
			all = append(all, held)
		}
	}
	return all, nil
}

func documentHolds(texts string) (bool, error) {
	var names [2]string
	if err := json.Unmarshal([]byte(texts), &names); err != nil {
		return false, err
	}
	return recordHolds(names[0]) || urlHolds(names[1]), nil
}

func sourceHolds(record string) (bool, error) {
	var s model.Source
	if err := json.Unmarshal([]byte(record), &s); err != nil {
		return false, err
	}
	return slices.ContainsFunc(sourceTexts(&s), func(text *string) bool { return textHolds(*text) }), nil
}

func auditHolds(texts string) (bool, error) {
	var all []string
	if err := json.Unmarshal([]byte(texts), &all); err != nil {
		return false, err
	}
	return slices.ContainsFunc(all, textHolds), nil
}

func snapshotHolds(record string) (bool, error) {
	var s model.Snapshot
	if err := json.Unmarshal([]byte(record), &s); err != nil {
		return false, err
	}
	return recordHolds(s.ExternalID) || recordHolds(s.SourceRecordID) ||
		slices.ContainsFunc(append(s.RedirectChain, s.URL, s.URLCanonical), urlHolds) ||
		slices.ContainsFunc([]string{s.RobotsPolicyNotes, s.Filename, s.HTTPContentDisposition, s.FetchToolVersion}, textHolds) ||
		metadataHolds(s.Metadata) || headersHold(s.ResponseHeaders) || headersHold(s.RequestHeaders), nil
}

func requestHolds(request string) (bool, error) {
	var r event.CaptureRequested
	if err := json.Unmarshal([]byte(request), &r); err != nil {
		return false, err
	}
	return recordHolds(r.SourceRecordID) || slices.ContainsFunc(append(r.RedirectChain, r.URL), urlHolds) ||
		slices.ContainsFunc([]string{r.RobotsPolicyNotes, r.Filename, r.FetchToolVersion, r.SnapshotGroupID}, textHolds) ||
		metadataHolds(r.Metadata) || headersHold(r.Headers), nil
}

// What is stored went through these functions, and each of them keeps what it has left.

func urlHolds(url string) bool { return redact.URL(url, redact.Stored) != url }

func textHolds(text string) bool { return redact.Text(text, redact.Stored) != text }

func recordHolds(id string) bool { return redact.RecordID(id) != id }

func metadataHolds(metadata map[string]string) bool {
	for name, value := range metadata {
		if textHolds(name) || redact.Value(name, value, redact.Stored) != value {
			return true
		}
	}
	return false
}

func headersHold(headers map[string][]string) bool {
	for name, values := range headers {
		for _, value := range values {
			if redact.Header(name, value) != value {
				return true
			}
		}
	}
	return false
}

// Parted is a document that older rules held for one with another.
type Parted struct {
	DocumentID string `json:"document_id"`
	MergedWith string `json:"merged_with"`
}

// PartedDocuments returns how many documents older rules had merged with another, and
// the first 20 of them.
func (db *DB) PartedDocuments(ctx context.Context) (parted []Parted, total int, err error) {
	rows, err := db.pool.Query(ctx, `SELECT document_id, merged_with, count(*) OVER () FROM document_identities
		WHERE merged_with <> '' ORDER BY merged_with, document_id LIMIT $1`, oldRowsListed)
	if err != nil {
		return nil, 0, fmt.Errorf("parted documents: %w", Classify(err))
	}
	var p Parted
	if _, err := pgx.ForEachRow(rows, []any{&p.DocumentID, &p.MergedWith, &total}, func() error {
		parted = append(parted, p)
		return nil
	}); err != nil {
		return nil, 0, fmt.Errorf("parted documents: %w", Classify(err))
	}
	return parted, total, nil
}
