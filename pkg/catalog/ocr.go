package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// kindOCR is the kind of stored results that OCR makes.
const kindOCR = "ocr"

// How an OCR task is answered; until then it waits.
const (
	taskDone   = "done"
	taskFailed = "failed"
)

// PlanOCR records what a range of a run has to have read by OCR, and returns the
// tasks as they stand, in page order. A picture that was read before, under the
// same explicit OCR run or under none, has its answer at once: re-parsing never
// runs OCR again. What is recorded already stays as it is.
func (db *DB) PlanOCR(ctx context.Context, run model.Run, r model.PageRange, redo int, tasks []model.OCRTask) ([]model.OCRTask, error) {
	n := len(tasks)
	pages, parts, records, pictures := make([]int32, n), make([]int32, n), make([]string, n), make([]string, n)
	for i, t := range tasks {
		raw, err := json.Marshal(t)
		if err != nil {
			return nil, fmt.Errorf("OCR task of page %d: %w", t.PageNo, err)
		}
		pages[i], parts[i], records[i], pictures[i] = int32(t.PageNo), int32(t.Part), string(raw), t.Picture
	}
	var planned []model.OCRTask
	err := db.Tx(ctx, func(tx pgx.Tx) (err error) {
		planned, err = planOCR(ctx, tx, run, r, redo, pages, parts, records, pictures)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("OCR tasks of %s: %w", run.SnapshotID, err)
	}
	return planned, nil
}

// planOCR is PlanOCR in one transaction: a run names the engines of what it has answers
// of, and no others. Of each task its page, part, record and picture are given.
func planOCR(ctx context.Context, tx pgx.Tx, run model.Run, r model.PageRange, redo int, pages, parts []int32, records, pictures []string) ([]model.OCRTask, error) {
	_, err := tx.Exec(ctx, `INSERT INTO ocr_tasks (snapshot_id, extraction_id, redo, page_no, part, state, task)
		SELECT $1, $2, $3, p.page_no, p.part, CASE WHEN s.key IS NULL THEN 'waiting' ELSE 'done' END,
			CASE WHEN s.key IS NULL THEN p.task ELSE jsonb_set(p.task, '{ocr}', p.task->'ocr' || jsonb_build_object(
				'engine', s.engine, 'version', s.version, 'key', s.key, 'digest', s.digest)) END
		FROM unnest($4::int[], $5::int[], $6::jsonb[], $7::text[]) AS p(page_no, part, task, picture)
		LEFT JOIN stored_results s ON s.kind = $8 AND s.source_id = $9 AND s.picture = p.picture AND s.run = $10
		ORDER BY p.page_no, p.part ON CONFLICT DO NOTHING`,
		run.SnapshotID, run.ExtractionID, redo, pages, parts, records, pictures, kindOCR, run.SourceID, run.OCRRun())
	if err != nil {
		return nil, err
	}
	planned, err := readOCRTasks(ctx, tx, run.SnapshotID, run.ExtractionID, r, redo)
	if err != nil {
		return nil, err
	}
	named := map[[2]string]bool{{}: true} // no name: the page waits, or has failed
	for _, t := range planned {
		engine := [2]string{t.OCR.Engine, t.OCR.Version}
		if named[engine] {
			continue
		}
		named[engine] = true
		if _, err := tx.Exec(ctx, nameEngine, run.SnapshotID, run.ExtractionID, t.OCR.Engine, t.OCR.Version); err != nil {
			return nil, fmt.Errorf("naming its engine: %w", err)
		}
	}
	return planned, nil
}

// nameEngine makes a run name whoever read the first of its pages, and all
// others besides.
const nameEngine = `UPDATE runs SET progress_at = now(), reconciled = 0, ocr = CASE
	WHEN coalesce(ocr->>'engine', '') = '' THEN coalesce(ocr, '{}') || jsonb_build_object('engine', $3::text, 'version', $4::text)
	WHEN ocr->>'engine' = $3 AND ocr->>'version' = $4 THEN ocr
	ELSE jsonb_set(ocr, '{also}', (SELECT jsonb_agg(name ORDER BY name COLLATE "C") FROM (
		SELECT jsonb_array_elements_text(coalesce(ocr->'also', '[]')) AS name UNION SELECT $3 || ' ' || $4) AS names)) END
	WHERE snapshot_id = $1 AND extraction_id = $2`

// OCRTasks returns what a range of a run has read by OCR at a redo, in page order.
func (db *DB) OCRTasks(ctx context.Context, snapshotID, extractionID string, r model.PageRange, redo int) ([]model.OCRTask, error) {
	tasks, err := readOCRTasks(ctx, db.pool, snapshotID, extractionID, r, redo)
	if err != nil {
		return nil, fmt.Errorf("OCR tasks of %s: %w", snapshotID, Classify(err))
	}
	return tasks, nil
}

func readOCRTasks(ctx context.Context, q asker, snapshotID, extractionID string, r model.PageRange, redo int) ([]model.OCRTask, error) {
	rows, err := q.Query(ctx, `SELECT task FROM ocr_tasks WHERE snapshot_id = $1 AND extraction_id = $2 AND redo = $3
		AND page_no BETWEEN $4 AND $5 ORDER BY page_no, part`, snapshotID, extractionID, redo, r.From, r.To)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (t model.OCRTask, err error) {
		var raw []byte
		if err := row.Scan(&raw); err != nil {
			return t, err
		}
		return t, json.Unmarshal(raw, &t)
	})
}

// StoredOCR returns the result that counts for a picture under an explicit OCR
// run or none (""); else one of the same key, which was read in the same way
// for another run. ErrNotFound says that nobody has read it.
func (db *DB) StoredOCR(ctx context.Context, sourceID, picture, run, key string) (model.StoredResult, error) {
	s, err := scanOCR(db.pool.QueryRow(ctx, `SELECT `+ocrColumns+` FROM stored_results
		WHERE kind = $1 AND source_id = $2 AND (picture = $3 AND run = $4 OR key = $5)
		ORDER BY picture = $3 AND run = $4 DESC, run LIMIT 1`, kindOCR, sourceID, picture, run, key))
	if err != nil {
		return s, fmt.Errorf("stored OCR result %s: %w", key, Classify(err))
	}
	return s, nil
}

// EachStoredResult calls look with every stored result, in the order of their keys. It
// holds a connection until it returns.
func (db *DB) EachStoredResult(ctx context.Context, look func(model.StoredResult)) error {
	rows, err := db.pool.Query(ctx, `SELECT `+ocrColumns+` FROM stored_results
		ORDER BY kind COLLATE "C", source_id COLLATE "C", picture COLLATE "C", run COLLATE "C"`)
	if err == nil {
		for rows.Next() {
			var s model.StoredResult
			if s, err = scanOCR(rows); err != nil {
				break
			}
			look(s)
		}
		rows.Close()
	}
	if err == nil {
		err = rows.Err()
	}
	if err != nil {
		return fmt.Errorf("stored results: %w", Classify(err))
	}
	return nil
}

const ocrColumns = `kind, source_id, picture, run, key, snapshot_id, engine, version, object_key, digest`

func scanOCR(row pgx.Row) (s model.StoredResult, err error) {
	err = row.Scan(&s.Kind, &s.SourceID, &s.Picture, &s.Run, &s.Key, &s.SnapshotID, &s.Engine, &s.Version, &s.ObjectKey, &s.Digest)
	return s, err
}

// PutOCR records what was read for a task, unless another was first, and answers
// the task with the result that counts; the run names whoever read its pages. A task that is answered stays as it is.
func (db *DB) PutOCR(ctx context.Context, t model.OCRTask, s model.StoredResult) error {
	s.Kind = kindOCR
	err := db.Tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO stored_results (`+ocrColumns+`)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
			s.Kind, s.SourceID, s.Picture, s.Run, s.Key, s.SnapshotID, s.Engine, s.Version, s.ObjectKey, s.Digest); err != nil {
			return err
		}
		counts, err := scanOCR(tx.QueryRow(ctx, `SELECT `+ocrColumns+` FROM stored_results
			WHERE kind = $1 AND source_id = $2 AND picture = $3 AND run = $4`, s.Kind, s.SourceID, s.Picture, s.Run))
		if err != nil {
			return err
		}
		t.OCR.Engine, t.OCR.Version, t.OCR.Key, t.OCR.Digest = counts.Engine, counts.Version, counts.Key, counts.Digest
		if answered, err := answer(ctx, tx, t, taskDone); err != nil || !answered {
			return err
		}
		_, err = tx.Exec(ctx, nameEngine, t.SnapshotID, t.ExtractionID, counts.Engine, counts.Version)
		return err
	})
	if err != nil {
		return fmt.Errorf("OCR result of page %d of %s: %w", t.PageNo, t.SnapshotID, err)
	}
	return nil
}

// FailOCR records that a task cannot be done, for the reason that its OCR field
// holds. A task that is answered stays as it is.
func (db *DB) FailOCR(ctx context.Context, t model.OCRTask) error {
	if t.OCR.Reason == "" {
		return errors.New("a failed OCR task needs a reason")
	}
	err := db.Tx(ctx, func(tx pgx.Tx) error {
		if answered, err := answer(ctx, tx, t, taskFailed); err != nil || !answered {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE runs SET progress_at = now(), reconciled = 0 WHERE snapshot_id = $1 AND extraction_id = $2`,
			t.SnapshotID, t.ExtractionID)
		return err
	})
	if err != nil {
		return fmt.Errorf("OCR failure of page %d of %s: %w", t.PageNo, t.SnapshotID, err)
	}
	return nil
}

// answer ends the wait of a task, and tells whether it waited.
func answer(ctx context.Context, tx pgx.Tx, t model.OCRTask, state string) (bool, error) {
	raw, err := json.Marshal(t)
	if err != nil {
		return false, err
	}
	tag, err := tx.Exec(ctx, `UPDATE ocr_tasks SET state = $6, task = $7, updated_at = now()
		WHERE snapshot_id = $1 AND extraction_id = $2 AND redo = $3 AND page_no = $4 AND part = $5 AND state = 'waiting'`,
		t.SnapshotID, t.ExtractionID, t.Redo, t.PageNo, t.Part, state, string(raw))
	return tag.RowsAffected() > 0, err
}
