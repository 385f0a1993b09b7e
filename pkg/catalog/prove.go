package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/colophon-dev/colophon/pkg/model"
)

// ErrUnreadable says that a row holds what nothing of this build has written.
var ErrUnreadable = errors.New("cannot be read")

// Unreadable returns an error of this package as ErrUnreadable when it says that a
// value of a row is not of its form, or that a table or a column is not there, else nil: a
// proof says so of it and goes on.
func Unreadable(err error) error {
	var (
		syntax *json.SyntaxError
		typed  *json.UnmarshalTypeError
		moment *time.ParseError
		scan   pgx.ScanArgError
		pg     *pgconn.PgError

		marshal *json.MarshalerError
	)
	if errors.As(err, &syntax) || errors.As(err, &typed) || errors.As(err, &moment) || errors.As(err, &scan) ||
		errors.As(err, &marshal) || lacksSchema(err) || errors.As(err, &pg) && slices.Contains(dataCodes(), pg.Code[:min(2, len(pg.Code))]) {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return nil
}

// dataCodes are the classes of SQLSTATE that say that a statement and what the rows hold
// do not go together: a value that is none of its type, several where one must be, and
// what is beyond the program's bounds.
func dataCodes() []string { return []string{"21", "22", "54"} }

// Unanswered reports whether an error is the database's or that of the way there, and
// not one of what a row holds.
func Unanswered(err error) bool {
	var pg *pgconn.PgError
	if Unreadable(err) != nil || errors.Is(err, ErrNotFound) {
		return false
	}
	return errors.As(err, &pg) || errors.Is(err, pgx.ErrTxClosed)
}

// decodeKnown decodes a record in which nothing may stand that no field takes.
func decodeKnown(record []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(record))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// Stored is a record as a proof reads it: what cannot be read of it is said.
type Stored[T any] struct {
	Record T
	Unread string // what is wrong with it; "" when all of it is known
}

// StoredPages returns the page records of a run in page order, as Pages does.
func (db *DB) StoredPages(ctx context.Context, snapshotID, extractionID string) ([]Stored[model.Page], error) {
	rows, err := db.pool.Query(ctx, `SELECT page_id::text, page_no, status, record FROM pages
		WHERE snapshot_id = $1 AND extraction_id = $2 ORDER BY page_no, page_id`, snapshotID, extractionID)
	if err != nil {
		return nil, fmt.Errorf("pages of %s: %w", snapshotID, Classify(err))
	}
	pages, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p Stored[model.Page], err error) {
		var id string
		var no int
		var status model.PageStatus
		var record []byte
		if err := row.Scan(&id, &no, &status, &record); err != nil {
			return p, err
		}
		if err := decodeKnown(record, &p.Record); err != nil {
			p.Unread = err.Error()
		}
		p.Record.PageID, p.Record.PageNo, p.Record.Status = id, no, status
		return p, nil
	})
	if err != nil {
		return nil, fmt.Errorf("pages of %s: %w", snapshotID, Classify(err))
	}
	return pages, nil
}

// StoredOCRTasks returns what a run has had read by OCR at all of its redos, in the
// order of redos and pages.
func (db *DB) StoredOCRTasks(ctx context.Context, snapshotID, extractionID string) ([]Stored[model.OCRTask], error) {
	rows, err := db.pool.Query(ctx, `SELECT redo, page_no, part, task FROM ocr_tasks WHERE snapshot_id = $1 AND extraction_id = $2
		ORDER BY redo, page_no, part`, snapshotID, extractionID)
	if err != nil {
		return nil, fmt.Errorf("OCR tasks of %s: %w", snapshotID, Classify(err))
	}
	tasks, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (t Stored[model.OCRTask], err error) {
		var redo, page, part int
		var task []byte
		if err := row.Scan(&redo, &page, &part, &task); err != nil {
			return t, err
		}
		if err := decodeKnown(task, &t.Record); err != nil {
			t.Unread = err.Error()
		}
		t.Record.Redo, t.Record.PageNo, t.Record.Part = redo, page, part
		return t, nil
	})
	if err != nil {
		return nil, fmt.Errorf("OCR tasks of %s: %w", snapshotID, Classify(err))
	}
	return tasks, nil
}

// StoredChunk is a chunk with its state as a proof reads it: what cannot be
// read of it is said, and hides nothing else.
type StoredChunk struct {
	ChunkWithState        // with the keys of its blocks, which are nil of chunks of before
	Unread         string // what is wrong with record or provenance; "" when both can be read
	Apart          bool   // the row's columns are not those of its record
}

const storedColumns = `c.chunk_ref, c.chunk_index, ` + chunkColumns + `,
		coalesce(s.layer, ''), coalesce(s.repeats, ''), coalesce(s.since, ''), coalesce(s.duplicate_of, ''),
		coalesce(s.rev, 0), coalesce(s.changed_by, ''),
		(c.chunk_ref, c.point_id::text, c.doc_hash, c.generation::text, c.chunk_index::text, c.document_id, c.source_id,
			c.snapshot_id, c.text_hash, c.content_text_hash, c.source_type) IS DISTINCT FROM
			(c.record->>'chunk_ref', c.record->>'point_id', c.record->>'doc_hash', c.record->>'generation',
			c.record->>'chunk_index', c.record->>'document_id', c.record->>'source_id', c.record->>'snapshot_id',
			c.record->>'text_hash', c.record->>'content_text_hash', c.record->>'source_type'), c.blocks
	FROM chunks c LEFT JOIN chunk_state s ON s.chunk_ref = c.chunk_ref`

// StoredChunks returns the chunks with these chunk_refs, by generation and
// place; those that do not exist are left out.
func (db *DB) StoredChunks(ctx context.Context, refs []string) ([]StoredChunk, error) {
	rows, err := db.pool.Query(ctx, `SELECT `+storedColumns+` WHERE c.chunk_ref = ANY($1)
		ORDER BY c.doc_hash COLLATE "C", c.generation, c.chunk_index`, refs)
	if err != nil {
		return nil, fmt.Errorf("chunks: %w", Classify(err))
	}
	var index int
	chunks, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (StoredChunk, error) { return scanStored(row, &index) })
	if err != nil {
		return nil, fmt.Errorf("chunks: %w", Classify(err))
	}
	return chunks, nil
}

// GenerationChunks yields the chunks of one generation of a doc_hash in order,
// in slices of at most 500. A chunk without a state comes with the zero state.
// It holds no connection while the caller works, and ends at the first error.
func (db *DB) GenerationChunks(ctx context.Context, docHash string, generation int) iter.Seq2[[]StoredChunk, error] {
	return func(yield func([]StoredChunk, error) bool) {
		after := -1
		for {
			rows, err := db.pool.Query(ctx, `SELECT `+storedColumns+`
				WHERE c.doc_hash = $1 AND c.generation = $2 AND c.chunk_index > $3
				ORDER BY c.chunk_index LIMIT $4`, docHash, generation, after, groupSize)
			var group []StoredChunk
			if err == nil {
				group, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (StoredChunk, error) { return scanStored(row, &after) })
			}
			if err != nil {
				yield(nil, fmt.Errorf("chunks of %s, generation %d: %w", docHash, generation, Classify(err)))
				return
			}
			if len(group) > 0 && !yield(group, nil) || len(group) < groupSize {
				return
			}
		}
	}
}

func scanStored(row pgx.CollectableRow, index *int) (StoredChunk, error) {
	var (
		c                  StoredChunk
		ref, text, content string
		provenance, record []byte
		blocks             []int64
	)
	s := &c.State
	if err := row.Scan(&ref, index, &text, &content, &provenance, &record,
		&s.Layer, &s.Repeats, &s.Since, &s.DuplicateOf, &s.Rev, &s.ChangedBy, &c.Apart, &blocks); err != nil {
		return c, err
	}
	if err := decodeKnown(record, &c.Chunk); err != nil {
		c.Unread = "its record: " + err.Error()
	}
	c.Chunk.Text, c.Chunk.Content, c.Chunk.Blocks = text, content, blocks
	if err := decodeKnown(provenance, &c.Chunk.Provenance); err != nil {
		c.Unread = "its provenance: " + err.Error()
	}
	s.ChunkRef = ref
	return c, nil
}

// DocumentLinks returns what the versions of a document are decided by and all of its
// chunks with their states, in the order of the chunks, of one moment.
func (db *DB) DocumentLinks(ctx context.Context, documentID string) (h model.History, links []model.ChunkLink, err error) {
	tx, err := db.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return h, nil, fmt.Errorf("chunks of %s: %w", documentID, Classify(err))
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if h.Landed, err = collectAll(ctx, tx, scanLanded, landedOf, documentID); err == nil {
		h.Captured, err = collectAll(ctx, tx, scanOneCaptured, orderedCaptures, documentID)
	}
	if err == nil {
		err = scanRecorded(tx.QueryRow(ctx, recordedOf, documentID), &h.Recorded)
	}
	if err == nil {
		links, err = collectAll(ctx, tx, scanLink, `SELECT `+linkColumns+` FROM chunks c JOIN chunk_state s ON s.chunk_ref = c.chunk_ref
			WHERE c.document_id = $1 ORDER BY c.doc_hash COLLATE "C", c.generation, c.chunk_index`, documentID)
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) { // a document without a row is missed elsewhere
		return model.History{}, nil, fmt.Errorf("chunks of %s: %w", documentID, Classify(err))
	}
	return h, links, nil
}

// collectAll returns the rows of a query.
func collectAll[T any](ctx context.Context, tx pgx.Tx, scan pgx.RowToFunc[T], query string, args ...any) ([]T, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}

// SnapshotIDs returns the next snapshots in the order of their ids, of one
// document or, when documentID is "", of all.
func (db *DB) SnapshotIDs(ctx context.Context, documentID, after string, limit int) ([]string, error) {
	rows, err := db.pool.Query(ctx, `SELECT snapshot_id FROM snapshots
		WHERE snapshot_id COLLATE "C" > $2 AND ($1 = '' OR document_id = $1) ORDER BY snapshot_id COLLATE "C" LIMIT $3`,
		documentID, after, limit)
	if err != nil {
		return nil, fmt.Errorf("snapshots: %w", Classify(err))
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("snapshots: %w", Classify(err))
	}
	return ids, nil
}

// MissingSnapshots returns those of the snapshots that do not exist, in their order.
func (db *DB) MissingSnapshots(ctx context.Context, ids []string) ([]string, error) {
	missing, err := strays(ctx, db.pool, `SELECT id FROM unnest($1::text[]) AS u(id)
		WHERE NOT EXISTS (SELECT 1 FROM snapshots s WHERE s.snapshot_id = u.id) ORDER BY id COLLATE "C"`, ids)
	if err != nil {
		return nil, fmt.Errorf("snapshots: %w", Classify(err))
	}
	return missing, nil
}

// CountSnapshots returns how many snapshots have an id up to the given one, and
// how many there are.
func (db *DB) CountSnapshots(ctx context.Context, upTo string) (before, all int, err error) {
	err = db.pool.QueryRow(ctx, `SELECT count(*) FILTER (WHERE snapshot_id COLLATE "C" <= $1), count(*) FROM snapshots`,
		upTo).Scan(&before, &all)
	if err != nil {
		err = fmt.Errorf("snapshots: %w", Classify(err))
	}
	return before, all, err
}

// CountDue returns how many requests there are, and how many snapshots are to be made into
// chunks and have not failed.
func (db *DB) CountDue(ctx context.Context) (captures, due int, err error) {
	err = db.pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM captures), (SELECT count(*) FROM snapshots s WHERE s.process
		AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.snapshot_id = s.snapshot_id AND r.state IN ('failed', 'superseded', 'removed')))`).Scan(&captures, &due)
	if err != nil {
		err = fmt.Errorf("what is to have chunks: %w", Classify(err))
	}
	return captures, due, err
}

// RunManifests returns all manifests of a run, by doc_hash and generation.
func (db *DB) RunManifests(ctx context.Context, snapshotID, extractionID string) ([]model.Manifest, error) {
	return db.manifests(ctx, `snapshot_id = $1 AND extraction_id = $2 ORDER BY doc_hash COLLATE "C", generation`,
		snapshotID, extractionID)
}

// AllSegments returns the segments of a run with those that no longer count, by
// first page and redo.
func (db *DB) AllSegments(ctx context.Context, snapshotID, extractionID string) ([]model.SegmentRow, error) {
	return db.segments(ctx, `SELECT `+segmentColumns+` FROM ir_segments
		WHERE snapshot_id = $1 AND extraction_id = $2 ORDER BY from_page, redo`, snapshotID, extractionID)
}

const vectorRowColumns = `v.chunk_ref, v.collection, v.point_id::text, v.pushed_rev, v.present`

// VectorRows returns the next rows of chunk_vectors of a collection that say
// that the point is there, in the order of chunk_ref.
func (db *DB) VectorRows(ctx context.Context, collection, after string, limit int) ([]model.VectorRow, error) {
	return db.vectorRows(ctx, `SELECT `+vectorRowColumns+` FROM chunk_vectors v
		WHERE v.collection = $1 AND v.present AND v.chunk_ref > $2 ORDER BY v.chunk_ref LIMIT $3`, collection, after, limit)
}

// RowsOfPoints returns the rows of chunk_vectors of a collection that say that
// these points are there, as far as they are points of chunks.
func (db *DB) RowsOfPoints(ctx context.Context, collection string, ids []string) ([]model.VectorRow, error) {
	return db.vectorRows(ctx, `SELECT `+vectorRowColumns+` FROM chunks c
		JOIN chunk_vectors v ON v.chunk_ref = c.chunk_ref AND v.point_id = c.point_id
		WHERE v.collection = $1 AND v.present AND c.point_id = ANY($2::uuid[])`, collection, ids)
}

func (db *DB) vectorRows(ctx context.Context, query string, args ...any) ([]model.VectorRow, error) {
	rows, err := db.pool.Query(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("chunk_vectors: %w", Classify(err))
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (model.VectorRow, error) {
		var r model.VectorRow
		err := row.Scan(&r.ChunkRef, &r.Collection, &r.PointID, &r.Rev, &r.Present)
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("chunk_vectors: %w", Classify(err))
	}
	return found, nil
}
