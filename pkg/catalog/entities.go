package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// EntityWork returns a run with the pages of a range, or of all ranges once every one has its
// segment, and what is recorded of their entities under a version. No such run is ErrNotFound.
func (db *DB) EntityWork(ctx context.Context, snapshotID, extractionID string, r model.PageRange, extractor, prompt int) (w model.EntityWork, err error) {
	var own []byte // schemas of the snapshot
	err = db.pool.QueryRow(ctx, `SELECT `+runColumns+`, `+complete+`, (SELECT s.record->'source_entities' FROM snapshots s WHERE s.snapshot_id = r.snapshot_id)
		FROM runs r WHERE snapshot_id = $1 AND extraction_id = $2`,
		snapshotID, extractionID, model.RangeSize).Scan(append(runFields(&w.Run), &w.Complete, &own)...)
	if err != nil {
		return w, fmt.Errorf("run %s/%s: %w", snapshotID, extractionID, Classify(err))
	}
	if w.Run.Rules != nil {
		w.Schemas = w.Run.Rules.Entities
	} else if len(own) > 0 {
		if err := json.Unmarshal(own, &w.Schemas); err != nil {
			return w, fmt.Errorf("snapshot %s: its schemas of entities: %w", snapshotID, err)
		}
	}
	if w.Complete {
		r = model.PageRange{From: 1, To: w.Run.PageCount}
	}
	w.Stamps = make(map[int]int64)
	var b pgx.Batch
	// The stamps first: what comes in after them is seen by who compares them again.
	b.Queue(`SELECT from_page, sum(redo + 1) FROM ir_segments WHERE snapshot_id = $1 AND extraction_id = $2 AND from_page <= $3
		GROUP BY from_page`, snapshotID, extractionID, r.To).Query(func(rows pgx.Rows) error {
		var from int
		var stamp int64
		_, err := pgx.ForEachRow(rows, []any{&from, &stamp}, func() error { w.Stamps[from] = stamp; return nil })
		return err
	})
	b.Queue(`SELECT NOT EXISTS (SELECT 1 FROM pages WHERE snapshot_id = $1 AND extraction_id = $2 AND page_no < $3 AND status = 'pending')`,
		snapshotID, extractionID, r.From).QueryRow(func(row pgx.Row) error { return row.Scan(&w.Ready) })
	b.Queue(`SELECT p.page_no, p.redo, p.status, p.content_hash, p.record->'open_sections', e.status, e.input_hash, e.extraction_id, e.run_order
		FROM pages p LEFT JOIN entity_pages e ON e.snapshot_id = p.snapshot_id AND e.page_no = p.page_no
			AND e.extractor_version = $5 AND e.prompt_version = $6 AND NOT e.superseded
		WHERE p.snapshot_id = $1 AND p.extraction_id = $2 AND p.page_no BETWEEN $3 AND $4 ORDER BY p.page_no`,
		snapshotID, extractionID, r.From, r.To, extractor, prompt).Query(func(rows pgx.Rows) (err error) {
		w.Pages, err = pgx.CollectRows(rows, scanEntityInput)
		return err
	})
	if err := db.pool.SendBatch(ctx, &b).Close(); err != nil {
		return w, fmt.Errorf("entities of %s: %w", snapshotID, Classify(err))
	}
	if r.From > 1 && w.Ready {
		w.Open, err = db.OpenSections(ctx, snapshotID, extractionID, r.From)
	}
	return w, err
}

func scanEntityInput(row pgx.CollectableRow) (in model.EntityInput, err error) {
	var open []byte
	var status, input, extraction *string
	var order *int
	if err := row.Scan(&in.PageNo, &in.Redo, &in.Status, &in.ContentHash, &open, &status, &input, &extraction, &order); err != nil {
		return in, err
	}
	if status != nil {
		in.Known = &model.EntityPage{PageNo: in.PageNo, Status: model.PageStatus(*status), InputHash: *input, ExtractionID: *extraction, RunOrder: *order}
	}
	if len(open) > 0 {
		err = json.Unmarshal(open, &in.Open)
	}
	return in, err
}

// PutEntities records what pages yield: an entity that is there is replaced and keeps its
// created_at, what a page does not yield any more is marked superseded, and so is what was
// recorded of it by other versions. Where a later run has read the snapshot, or a newer extractor
// one of the pages, it is fault.ErrRunMoved, and where a segment has come in since the pages were read it is deferred:
// then nothing is written.
func (db *DB) PutEntities(ctx context.Context, w model.EntityWrite) error {
	numbers := make([]int32, len(w.Pages))
	newest := 0
	for i, p := range w.Pages {
		numbers[i] = int32(p.PageNo)
		newest = max(newest, p.ExtractorVersion)
	}
	err := db.Tx(ctx, func(tx pgx.Tx) error {
		if err := db.holdEntities(ctx, tx, w, numbers, newest); err != nil {
			return err
		}
		var b pgx.Batch
		if err := askPutEntities(&b, w, numbers); err != nil {
			return err
		}
		return tx.SendBatch(ctx, &b).Close()
	})
	if err != nil {
		return fmt.Errorf("entities of pages %d and on of %s: %w", w.From, w.Run.SnapshotID, err)
	}
	return nil
}

// holdEntities waits for who writes entities of the same snapshot, and looks whether what was
// read still counts.
func (db *DB) holdEntities(ctx context.Context, tx pgx.Tx, w model.EntityWrite, pages []int32, newest int) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, db.lockKey("entities", w.Run.SnapshotID)); err != nil {
		return err
	}
	var state model.RunState
	var stamp int64
	var later bool
	err := tx.QueryRow(ctx, `SELECT r.state, (SELECT coalesce(sum(g.redo + 1), 0) FROM ir_segments g
			WHERE g.snapshot_id = r.snapshot_id AND g.extraction_id = r.extraction_id AND g.from_page <= $3),
			EXISTS (SELECT 1 FROM entity_pages e WHERE e.snapshot_id = r.snapshot_id
				AND (e.run_order > r.run_order OR e.page_no = ANY($4) AND e.extractor_version > $5))
		FROM runs r WHERE r.snapshot_id = $1 AND r.extraction_id = $2`,
		w.Run.SnapshotID, w.Run.ExtractionID, w.From, pages, newest).Scan(&state, &stamp, &later)
	switch {
	case err != nil:
		return err
	case later || state == model.RunSuperseded || state == model.RunRemoved:
		return fault.Permanent(fault.RequestConflict, fmt.Errorf("%w: a later run or version has the entities", fault.ErrRunMoved))
	case stamp != w.Stamp:
		return fault.Defer(0, errors.New("pages have come in since entities were read from them"))
	}
	return nil
}

const entityPageColumns = `snapshot_id, page_no, extractor_version, prompt_version, source_id, document_id, extraction_id, run_order,
	status, reason, error_message, content_hash, input_hash, result`

const entityColumns = `snapshot_id, page_no, entity_type, entity_id, source_id, document_id, extraction_id,
	extractor_version, prompt_version, ordinal, title, payload`

// askPutEntities queues what PutEntities writes.
func askPutEntities(b *pgx.Batch, w model.EntityWrite, numbers []int32) error {
	pages, err := json.Marshal(w.Pages)
	if err != nil {
		return err
	}
	rows := w.Entities
	if rows == nil {
		rows = []model.EntityRow{}
	}
	slices.SortFunc(rows, func(a, b model.EntityRow) int { return slices.Compare(entityKey(a), entityKey(b)) })
	entities, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	id := w.Run.SnapshotID
	askPastEnd(b, w.Run)
	b.Queue(`UPDATE entity_pages e SET superseded = true, updated_at = now()
		FROM jsonb_populate_recordset(NULL::entity_pages, $2) p
		WHERE e.snapshot_id = $1 AND e.page_no = p.page_no AND NOT e.superseded
			AND (e.extractor_version, e.prompt_version) <> (p.extractor_version, p.prompt_version)`, id, string(pages))
	b.Queue(`INSERT INTO entity_pages (`+entityPageColumns+`, attempts)
		SELECT `+entityPageColumns+`, 1 FROM jsonb_populate_recordset(NULL::entity_pages, $1) ORDER BY page_no
		ON CONFLICT (snapshot_id, page_no, extractor_version, prompt_version) DO UPDATE SET extraction_id = EXCLUDED.extraction_id,
			run_order = EXCLUDED.run_order, status = EXCLUDED.status, reason = EXCLUDED.reason, error_message = EXCLUDED.error_message,
			content_hash = EXCLUDED.content_hash, input_hash = EXCLUDED.input_hash, result = EXCLUDED.result, superseded = false,
			announced = false, attempts = entity_pages.attempts + 1, updated_at = now()`, string(pages))
	b.Queue(`UPDATE entities e SET superseded = true, updated_at = now() WHERE e.snapshot_id = $1 AND e.page_no = ANY($2) AND NOT e.superseded
		AND NOT EXISTS (SELECT 1 FROM jsonb_populate_recordset(NULL::entities, $3) n
			WHERE n.page_no = e.page_no AND n.entity_type = e.entity_type AND n.entity_id = e.entity_id)`, id, numbers, string(entities))
	b.Queue(`INSERT INTO entities (`+entityColumns+`)
		SELECT `+entityColumns+` FROM jsonb_populate_recordset(NULL::entities, $1) ORDER BY page_no, entity_type, entity_id
		ON CONFLICT (snapshot_id, page_no, entity_type, entity_id) DO UPDATE SET extraction_id = EXCLUDED.extraction_id,
			extractor_version = EXCLUDED.extractor_version, prompt_version = EXCLUDED.prompt_version, ordinal = EXCLUDED.ordinal,
			title = EXCLUDED.title, payload = EXCLUDED.payload, superseded = false, updated_at = now()`, string(entities))
	b.Queue(bindEntityPage().inserted(`entity_pages b`, `WHERE b.snapshot_id = $1 AND b.page_no = ANY($2)`), id, numbers)
	b.Queue(bindEntities().inserted(`entities b`, `WHERE b.snapshot_id = $1 AND b.page_no = ANY($2)`), id, numbers)
	return nil
}

// askPastEnd marks what an earlier run of the snapshot has read of pages that this one, which comes in its place, has not.
func askPastEnd(b *pgx.Batch, run model.Run) {
	past := []any{run.SnapshotID, run.PageCount}
	b.Queue(`UPDATE entity_pages SET superseded = true, updated_at = now() WHERE snapshot_id = $1 AND page_no > $2 AND NOT superseded`, past...)
	b.Queue(`UPDATE entities SET superseded = true, updated_at = now() WHERE snapshot_id = $1 AND page_no > $2 AND NOT superseded`, past...)
	b.Queue(bindEntityPage().inserted(`entity_pages b`, `WHERE b.snapshot_id = $1 AND b.page_no > $2`), past...)
	b.Queue(bindEntities().inserted(`entities b`, `WHERE b.snapshot_id = $1 AND b.page_no > $2`), past...)
}

func entityKey(r model.EntityRow) []string {
	return []string{fmt.Sprintf("%09d", r.PageNo), r.Type, r.ID}
}

// UntoldEntityPages returns the pages of a run whose entities were not told, in page order,
// at most limit.
func (db *DB) UntoldEntityPages(ctx context.Context, snapshotID, extractionID string, limit int) ([]model.EntityPage, error) {
	rows, err := db.pool.Query(ctx, `SELECT `+entityPageColumns+`, superseded FROM entity_pages
		WHERE snapshot_id = $1 AND extraction_id = $2 AND NOT announced AND NOT superseded AND status <> 'pending'
		ORDER BY page_no LIMIT $3`, snapshotID, extractionID, limit)
	if err != nil {
		return nil, fmt.Errorf("entities of %s: %w", snapshotID, Classify(err))
	}
	return collectEntityPages(rows, snapshotID)
}

func collectEntityPages(rows pgx.Rows, snapshotID string) ([]model.EntityPage, error) {
	pages, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p model.EntityPage, err error) {
		var result []byte
		err = row.Scan(&p.SnapshotID, &p.PageNo, &p.ExtractorVersion, &p.PromptVersion, &p.SourceID, &p.DocumentID, &p.ExtractionID,
			&p.RunOrder, &p.Status, &p.Reason, &p.Message, &p.ContentHash, &p.InputHash, &result, &p.Superseded)
		if err == nil {
			err = json.Unmarshal(result, &p.Result)
		}
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("entities of %s: %w", snapshotID, Classify(err))
	}
	return pages, nil
}

// MarkEntitiesTold records that the entities of pages were told, as they are now.
func (db *DB) MarkEntitiesTold(ctx context.Context, pages []model.EntityPage) error {
	if len(pages) == 0 {
		return nil
	}
	told, err := json.Marshal(pages)
	if err != nil {
		return err
	}
	_, err = db.pool.Exec(ctx, `UPDATE entity_pages e SET announced = true FROM jsonb_populate_recordset(NULL::entity_pages, $1) p
		WHERE e.snapshot_id = p.snapshot_id AND e.page_no = p.page_no AND e.extractor_version = p.extractor_version
			AND e.prompt_version = p.prompt_version AND e.extraction_id = p.extraction_id AND e.input_hash = p.input_hash AND e.status = p.status`, string(told))
	if err != nil {
		return fmt.Errorf("telling entities of %s: %w", pages[0].SnapshotID, Classify(err))
	}
	return nil
}

// MarkRunAnnotated records that the entities of all pages of a run were told at its redo, unless
// another has begun since.
func (db *DB) MarkRunAnnotated(ctx context.Context, run model.Run) error {
	_, err := db.pool.Exec(ctx, `UPDATE runs SET annotated_redo = greatest(annotated_redo, $3)
		WHERE snapshot_id = $1 AND extraction_id = $2 AND redo = $3`, run.SnapshotID, run.ExtractionID, run.Redo)
	if err != nil {
		return fmt.Errorf("run %s/%s: %w", run.SnapshotID, run.ExtractionID, Classify(err))
	}
	return nil
}
