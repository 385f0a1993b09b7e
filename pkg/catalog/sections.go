package catalog

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// OpenSections returns what pages of a run before page before, from 1, leave open, in
// page order: of all that can still be open, which are those from the last page on that
// leaves a section of level 1.
func (db *DB) OpenSections(ctx context.Context, snapshotID, extractionID string, before int) ([][]model.Section, error) {
	rows, err := db.pool.Query(ctx, `SELECT record->'open_sections' FROM pages
		WHERE snapshot_id = $1 AND extraction_id = $2 AND page_no < $3 AND record ? 'open_sections'
			AND page_no >= coalesce((SELECT max(page_no) FROM pages WHERE snapshot_id = $1 AND extraction_id = $2
				AND page_no < $3 AND record->'open_sections'->0->'level' = '1'), 1)
		ORDER BY page_no`, snapshotID, extractionID, before)
	if err != nil {
		return nil, fmt.Errorf("sections of %s: %w", snapshotID, Classify(err))
	}
	open, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (sections []model.Section, err error) {
		var raw []byte
		if err := row.Scan(&raw); err != nil {
			return nil, err
		}
		return sections, json.Unmarshal(raw, &sections)
	})
	if err != nil {
		return nil, fmt.Errorf("sections of %s: %w", snapshotID, Classify(err))
	}
	return open, nil
}
