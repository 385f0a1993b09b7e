package catalog

import (
	"context"
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

const entityReads = entityColumns + `, superseded`

func scanEntityRow(row pgx.CollectableRow) (e model.EntityRow, err error) {
	err = row.Scan(&e.SnapshotID, &e.PageNo, &e.Type, &e.ID, &e.SourceID, &e.DocumentID, &e.ExtractionID,
		&e.ExtractorVersion, &e.PromptVersion, &e.Ordinal, &e.Title, &e.Payload, &e.Superseded)
	return e, err
}

// EntityPages returns what became of the entities of the pages of a snapshot, under the version
// that has read each last, in page order.
func (db *DB) EntityPages(ctx context.Context, snapshotID string) ([]model.EntityPage, error) {
	rows, err := db.pool.Query(ctx, `SELECT `+entityPageColumns+`, superseded FROM entity_pages
		WHERE snapshot_id = $1 AND NOT superseded ORDER BY page_no`, snapshotID)
	if err != nil {
		return nil, fmt.Errorf("entities of %s: %w", snapshotID, Classify(err))
	}
	return collectEntityPages(rows, snapshotID)
}

// EntitiesOf returns the entities of a snapshot as its pages yield them now, in page order and
// in that of each page.
func (db *DB) EntitiesOf(ctx context.Context, snapshotID string) ([]model.EntityRow, error) {
	return db.EntitiesOfPage(ctx, snapshotID, 0)
}

// EntitiesOfPage returns those of one page, from 1; 0 is all pages.
func (db *DB) EntitiesOfPage(ctx context.Context, snapshotID string, pageNo int) ([]model.EntityRow, error) {
	rows, err := db.pool.Query(ctx, `SELECT `+entityReads+` FROM entities WHERE snapshot_id = $1 AND ($2 = 0 OR page_no = $2) AND NOT superseded
		ORDER BY page_no, ordinal`, snapshotID, pageNo)
	if err != nil {
		return nil, fmt.Errorf("entities of %s: %w", snapshotID, Classify(err))
	}
	found, err := pgx.CollectRows(rows, scanEntityRow)
	if err != nil {
		return nil, fmt.Errorf("entities of %s: %w", snapshotID, Classify(err))
	}
	return found, nil
}

// RunEntities are what is recorded of the entities of a run's pages.
type RunEntities struct {
	Annotated bool // those of all pages were told at the redo that the run has
	Redo      int  // of the run
	Pages     []model.EntityPage
	Rows      []model.EntityRow
}

// RunEntities returns what the pages of a run yield, as it was last read of it, in page order.
func (db *DB) RunEntities(ctx context.Context, snapshotID, extractionID string) (r RunEntities, err error) {
	err = pgx.BeginTxFunc(ctx, db.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		var b pgx.Batch
		b.Queue(`SELECT annotated_redo >= redo, redo FROM runs WHERE snapshot_id = $1 AND extraction_id = $2`, snapshotID, extractionID).
			QueryRow(func(row pgx.Row) error { return row.Scan(&r.Annotated, &r.Redo) })
		b.Queue(`SELECT `+entityPageColumns+`, superseded FROM entity_pages WHERE snapshot_id = $1 AND extraction_id = $2 AND NOT superseded
			ORDER BY page_no`, snapshotID, extractionID).Query(func(rows pgx.Rows) (err error) {
			r.Pages, err = collectEntityPages(rows, snapshotID)
			return err
		})
		b.Queue(`SELECT `+entityReads+` FROM entities WHERE snapshot_id = $1 AND extraction_id = $2 AND NOT superseded
			ORDER BY page_no, ordinal`, snapshotID, extractionID).Query(func(rows pgx.Rows) (err error) {
			r.Rows, err = pgx.CollectRows(rows, scanEntityRow)
			return err
		})
		return tx.SendBatch(ctx, &b).Close()
	})
	if err != nil {
		return r, fmt.Errorf("entities of %s/%s: %w", snapshotID, extractionID, Classify(err))
	}
	return r, nil
}

// RequeueEntities has the entities of pages of a run read again, of all when none are named:
// the event ir.extracted of the run, told again, does it. It returns how many pages these are.
// One that was never read is due anyway.
func (db *DB) RequeueEntities(ctx context.Context, run model.Run, pages []int) (int, error) {
	if pages == nil {
		pages = []int{}
	}
	n := 0
	err := db.Tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, db.lockKey("entities", run.SnapshotID)); err != nil {
			return err
		}
		numbers, err := collectAs(ctx, tx, `UPDATE entity_pages SET status = 'pending', reason = '', error_message = '', attempts = 0, updated_at = now()
			WHERE snapshot_id = $1 AND extraction_id = $2 AND NOT superseded AND (cardinality($3::int[]) = 0 OR page_no = ANY($3))
			RETURNING page_no`, run.SnapshotID, run.ExtractionID, pages)
		if err != nil {
			return err
		}
		n = len(numbers)
		if _, err := tx.Exec(ctx, bindEntityPage().inserted(`entity_pages b`, `WHERE b.snapshot_id = $1 AND b.page_no = ANY($2)`),
			run.SnapshotID, numbers); err != nil {
			return err
		}
		done, err := tx.Exec(ctx, `UPDATE runs SET annotated_redo = -1, reconciled = 0, progress_at = now()
			WHERE snapshot_id = $1 AND extraction_id = $2 AND state IN ('done', 'partial', 'failed')`, run.SnapshotID, run.ExtractionID)
		if err == nil && done.RowsAffected() == 0 {
			return fault.Permanent(fault.RequestConflict, fmt.Errorf("%w: it has not ended, or another has taken its place", fault.ErrRunMoved))
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("entities of %s/%s: %w", run.SnapshotID, run.ExtractionID, err)
	}
	return n, nil
}

func collectAs(ctx context.Context, tx pgx.Tx, query string, args ...any) ([]int32, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int32])
}

// EntityFilter narrows the entities of current versions. What is empty lets everything through.
type EntityFilter struct {
	Type, SourceID, DocumentID string
	Query                      string // words of the title or of the evidence, in any case
	After                      string // the place of the last one that was had
	Limit                      int
}

// ListedEntity is an entity with its place in the list.
type ListedEntity struct {
	model.EntityRow
	Place string // by what the list goes on after it
}

// PlaceForm is what a place in the list of entities looks like: snapshot, page, type and id.
const PlaceForm = `^(snap_[a-z2-7]{26})\.([1-9][0-9]{0,8})\.([A-Za-z][A-Za-z0-9_]{0,63}(?:\.[A-Za-z][A-Za-z0-9_]{0,63})?)\.([a-z0-9-]{1,80})$`

var placeForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(PlaceForm) })

// Entities returns entities of the current versions of documents, in the order of their keys.
// Those of sources that are disabled are left out.
func (db *DB) Entities(ctx context.Context, f EntityFilter) ([]ListedEntity, error) {
	after := []string{"", "0", "", ""}
	if f.After != "" {
		found := placeForm().FindStringSubmatch(f.After)
		if found == nil {
			return nil, fault.Permanent(fault.Malformed, fmt.Errorf("%q is no place in the list", f.After))
		}
		after = found[1:]
	}
	rows, err := db.pool.Query(ctx, `SELECT `+entityReads+` FROM entities e WHERE NOT superseded
			AND ($1 = '' OR entity_type = $1) AND ($2 = '' OR source_id = $2) AND ($3 = '' OR document_id = $3)
			AND ($4 = '' OR position(lower($4) IN lower(title || ' ' || (payload->>'evidence'))) > 0)
			AND EXISTS (SELECT 1 FROM documents d WHERE d.document_id = e.document_id AND d.current_snapshot_id = e.snapshot_id)
			AND source_id NOT IN (SELECT source_id FROM sources WHERE state = 'disabled')
			AND (snapshot_id COLLATE "C", page_no, entity_type COLLATE "C", entity_id COLLATE "C") > ($5, $6::int, $7, $8)
		ORDER BY snapshot_id COLLATE "C", page_no, entity_type COLLATE "C", entity_id COLLATE "C" LIMIT $9`,
		f.Type, f.SourceID, f.DocumentID, f.Query, after[0], after[1], after[2], after[3], f.Limit)
	if err != nil {
		return nil, fmt.Errorf("entities: %w", Classify(err))
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (l ListedEntity, err error) {
		if l.EntityRow, err = scanEntityRow(row); err != nil {
			return l, err
		}
		l.Place = strings.Join([]string{l.SnapshotID, strconv.Itoa(l.PageNo), l.Type, l.ID}, ".")
		return l, nil
	})
	if err != nil {
		return nil, fmt.Errorf("entities: %w", Classify(err))
	}
	return found, nil
}

// DocumentEntities are what the pages of a document's current version yield.
type DocumentEntities struct {
	SourceID, DocumentID, SnapshotID, Slug, URL string

	Pages []model.EntityPage // in page order
	Rows  []model.EntityRow  // in page order and in that of each page
}

// documentBatch is how many documents are asked for at once.
const documentBatch = 100

// EntityDocuments returns the current version of each document whose pages were read, in the order of document_id;
// of the one source, document or both that are named, else all but those of sources that are disabled.
func (db *DB) EntityDocuments(ctx context.Context, sourceID, documentID string) iter.Seq2[DocumentEntities, error] {
	return func(yield func(DocumentEntities, error) bool) {
		for after := ""; ; {
			batch, err := db.entityDocuments(ctx, sourceID, documentID, after)
			if err != nil {
				yield(DocumentEntities{}, err)
				return
			}
			for _, d := range batch {
				if d.Pages, err = db.EntityPages(ctx, d.SnapshotID); err == nil {
					d.Rows, err = db.EntitiesOf(ctx, d.SnapshotID)
				}
				if !yield(d, err) || err != nil {
					return
				}
				after = d.DocumentID
			}
			if len(batch) < documentBatch {
				return
			}
		}
	}
}

func (db *DB) entityDocuments(ctx context.Context, sourceID, documentID, after string) ([]DocumentEntities, error) {
	rows, err := db.pool.Query(ctx, `SELECT d.source_id, d.document_id, d.current_snapshot_id, s.record->>'slug', coalesce(s.record->>'url', '')
		FROM documents d JOIN snapshots s ON s.snapshot_id = d.current_snapshot_id
		WHERE ($1 = '' OR d.source_id = $1) AND ($2 = '' OR d.document_id = $2) AND d.document_id COLLATE "C" > $3
			AND ($1 || $2 <> '' OR d.source_id NOT IN (SELECT source_id FROM sources WHERE state = 'disabled'))
			AND EXISTS (SELECT 1 FROM entity_pages p WHERE p.snapshot_id = d.current_snapshot_id AND NOT p.superseded)
		ORDER BY d.document_id COLLATE "C" LIMIT $4`, sourceID, documentID, after, documentBatch)
	if err != nil {
		return nil, fmt.Errorf("documents with entities: %w", Classify(err))
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (d DocumentEntities, err error) {
		err = row.Scan(&d.SourceID, &d.DocumentID, &d.SnapshotID, &d.Slug, &d.URL)
		return d, err
	})
	if err != nil {
		return nil, fmt.Errorf("documents with entities: %w", Classify(err))
	}
	return found, nil
}

// OwnField is a field of entities of a source's own schemas, as it is stored.
type OwnField struct{ Name, Part string } // Part: of an object, as value and unit; empty: it is no object

// OwnFields returns which fields entities of own schemas have, of those that EntityDocuments yields, in their order. A field
// that is null everywhere has no parts.
func (db *DB) OwnFields(ctx context.Context, sourceID, documentID, typ string) ([]OwnField, error) {
	rows, err := db.pool.Query(ctx, `SELECT DISTINCT f.key COLLATE "C", coalesce(p.part, '') COLLATE "C"
		FROM entities e JOIN documents d ON d.document_id = e.document_id AND d.current_snapshot_id = e.snapshot_id
		CROSS JOIN LATERAL jsonb_each(e.payload) f
		LEFT JOIN LATERAL jsonb_object_keys(CASE WHEN jsonb_typeof(f.value) = 'object' THEN f.value ELSE '{}' END) p(part) ON true
		WHERE NOT e.superseded AND position('.' IN e.entity_type) > 0 AND ($1 = '' OR e.source_id = $1) AND ($2 = '' OR e.document_id = $2)
			AND ($3 = '' OR e.entity_type = $3) AND ($1 || $2 <> '' OR e.source_id NOT IN (SELECT source_id FROM sources WHERE state = 'disabled'))
		ORDER BY 1, 2`, sourceID, documentID, typ)
	if err != nil {
		return nil, fmt.Errorf("fields of own entities: %w", Classify(err))
	}
	fields, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (f OwnField, err error) {
		err = row.Scan(&f.Name, &f.Part)
		return f, err
	})
	if err != nil {
		return nil, fmt.Errorf("fields of own entities: %w", Classify(err))
	}
	return fields, nil
}
