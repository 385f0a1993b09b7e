package catalog

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// What is decided once and cannot be made again out of anything that is stored, such
// as why a request failed or what a server's headers were, is bound: a digest of it
// lies in a row of bindings, written by the statement or the transaction that decides
// it, and verify computes it again. A digest in the row itself would go and come with
// the row; this one is missed by a row that was added, and misses one that was lost.
//
// A digest is the sha256 of the text that PostgreSQL writes of the JSON array of the
// values; a time is in it as its seconds since 1970. Which values these are must never
// change for a kind: new ones are bound by a kind of their own.

// binding is one kind of digest.
type binding struct {
	kind   string
	name   string // of a bound row in what verify says
	rows   string // what is bound, under the alias b
	where  string // which of them, beginning with WHERE; "" for all
	key    string
	values []string
	group  bool   // one digest binds several rows, in the order of order
	order  string // of these
	mine   string // says of a row that it is of document $1
}

func (b binding) digest() string {
	array := `jsonb_build_array(` + strings.Join(b.values, ", ") + `)`
	if b.group {
		array = `jsonb_agg(` + array + ` ORDER BY ` + b.order + `)`
	}
	return `sha256(convert_to(` + array + `::text, 'UTF8'))`
}

// selected selects the key and the digest of rows; where begins with WHERE, or is
// empty.
func (b binding) selected(rows, where string) string {
	query := `SELECT '` + b.kind + `' AS kind, ` + b.key + ` AS key, ` + b.digest() + ` AS digest FROM ` + rows + ` ` + where
	if b.group {
		query += ` GROUP BY ` + b.key
	}
	return query
}

// inserted writes the digests of rows, of those that have one the new one.
func (b binding) inserted(rows, where string) string {
	return `INSERT INTO bindings (kind, key, digest) ` + b.selected(rows, where) +
		` ON CONFLICT (kind, key) DO UPDATE SET digest = EXCLUDED.digest`
}

// removed takes back the digests of rows, which are open again.
func (b binding) removed(rows string) string {
	return `DELETE FROM bindings o USING ` + rows + ` WHERE o.kind = '` + b.kind + `' AND o.key = ` + b.key
}

func seconds(column string) string { return `extract(epoch FROM ` + column + `)` }

// ofDecision are the rows of decisions: what a request came to, with the snapshot
// that was recorded for it or that it is a repetition of.
const ofDecision = ` b LEFT JOIN snapshots s ON s.snapshot_id = b.snapshot_id`

// bindRequest binds what was asked for.
func bindRequest() binding {
	return binding{
		kind: "request", name: "capture", rows: `captures b`, key: `b.source_id || '/' || b.request_id`,
		values: []string{`b.source_id`, `b.request_id`, `b.request_digest`, `b.request`, `b.url_canonical`, `b.container`, seconds(`b.requested_at`)},
		mine:   `b.document_id = $1`,
	}
}

// bindDecision binds what became of a request that is not open, with the record of its
// snapshot.
func bindDecision() binding {
	return binding{
		kind: "decision", name: "capture", rows: `captures` + ofDecision, where: `WHERE b.outcome IS NOT NULL`, key: `b.source_id || '/' || b.request_id`,
		values: []string{`b.source_id`, `b.request_id`, `b.outcome`, `b.reason`, `b.message`, `b.snapshot_id`, `b.document_id`,
			`b.fetch_status`, seconds(`b.retry_after`), seconds(`b.decided_at`), `s.record`},
		mine: `b.document_id = $1`,
	}
}

// bindRun binds how a run began.
func bindRun() binding {
	return binding{
		kind: "run", name: "run", rows: `runs b`, key: `b.snapshot_id || '/' || b.extraction_id`,
		values: []string{`b.snapshot_id`, `b.extraction_id`, `b.source_id`, `b.document_id`, `b.run_order`, `b.parser_version`,
			`b.rules_digest`, `b.rules`, `b.why`, seconds(`b.created_at`)},
		mine: `b.document_id = $1`,
	}
}

// bindEnd binds how a run that is not under way ended.
func bindEnd() binding {
	return binding{
		kind: "end", name: "run", rows: `runs b`, where: `WHERE b.state NOT IN ('queued', 'running')`, key: `b.snapshot_id || '/' || b.extraction_id`,
		values: []string{`b.snapshot_id`, `b.extraction_id`, `b.state`, `b.redo`, `b.page_count`, `b.reason`, `b.message`,
			`b.facts_key`, `b.facts_digest`, seconds(`b.finished_at`)},
		mine: `b.document_id = $1`,
	}
}

// bindSegment binds which object holds the pages of a range.
func bindSegment() binding {
	return binding{
		kind: "segment", name: "segment", rows: `ir_segments b`, key: `concat_ws('/', b.snapshot_id, b.extraction_id, b.from_page, b.redo)`,
		values: []string{`b.snapshot_id`, `b.extraction_id`, `b.from_page`, `b.to_page`, `b.redo`, `b.object_key`, `b.digest`,
			`b.byte_length`, `b.processed`, `b.failed`, seconds(`b.created_at`)},
		mine: `b.snapshot_id IN (SELECT o.snapshot_id FROM snapshots o WHERE o.document_id = $1)`,
	}
}

// bindManifest binds what was made of a run.
func bindManifest() binding {
	return binding{
		kind: "manifest", name: "manifest", rows: `chunk_manifests b`, key: `b.doc_hash || '/' || b.generation`,
		values: []string{`b.doc_hash`, `b.generation`, `b.document_id`, `b.source_id`, `b.snapshot_id`, `b.extraction_id`, `b.redo`,
			`b.chunk_count`, `b.fingerprint`, `b.segments_digest`, `b.chunker_version`, `b.header_version`, seconds(`b.created_at`)},
		mine: `b.document_id = $1`,
	}
}

// bindLog binds what one transaction of a run wrote to the log of chunks.
func bindLog() binding {
	return binding{
		kind: "log", name: "log of the run", rows: `chunk_log b`, key: `concat_ws('/', b.snapshot_id, b.extraction_id, b.redo, b.txid)`,
		values: []string{`b.seq`, `b.chunk_ref`, `b.rev`, `b.change`, `b.cause`, `b.replaced_by`, seconds(`b.at`)},
		group:  true, order: `b.seq`,
		mine: `b.snapshot_id IN (SELECT o.snapshot_id FROM snapshots o WHERE o.document_id = $1)`,
	}
}

// bindEntityPage binds what became of the entities of a page under one version.
func bindEntityPage() binding {
	return binding{
		kind: "annotation", name: "annotation", rows: `entity_pages b`,
		key: `concat_ws('/', b.snapshot_id, b.page_no, b.extractor_version, b.prompt_version)`,
		values: []string{`b.snapshot_id`, `b.page_no`, `b.extractor_version`, `b.prompt_version`, `b.source_id`, `b.document_id`,
			`b.extraction_id`, `b.run_order`, `b.status`, `b.reason`, `b.error_message`, `b.content_hash`, `b.input_hash`, `b.result`, `b.superseded`},
		mine: `b.document_id = $1`,
	}
}

// bindEntities binds the entities of a page, with those that it does not yield any more.
func bindEntities() binding {
	return binding{
		kind: "entities", name: "entities of page", rows: `entities b`, key: `b.snapshot_id || '/' || b.page_no`,
		values: []string{`b.entity_type`, `b.entity_id`, `b.source_id`, `b.document_id`, `b.extraction_id`, `b.extractor_version`,
			`b.prompt_version`, `b.ordinal`, `b.title`, `b.payload`, `b.superseded`, seconds(`b.created_at`)},
		group: true, order: `b.entity_type COLLATE "C", b.entity_id COLLATE "C"`,
		mine: `b.document_id = $1`,
	}
}

// bindLLMAnswer binds which object holds what a model said.
func bindLLMAnswer() binding {
	return binding{
		kind: "answer", name: "answer of a model", rows: `llm_answers b`, key: `concat_ws('/', b.source_id, b.model, b.prompt_version, b.input_hash)`,
		values: []string{`b.source_id`, `b.model`, `b.prompt_version`, `b.input_hash`, `b.snapshot_id`, `b.object_key`, `b.digest`, seconds(`b.created_at`)},
		mine:   `b.snapshot_id IN (SELECT o.snapshot_id FROM snapshots o WHERE o.document_id = $1)`,
	}
}

// bindings are all kinds of digests.
func bindings() []binding {
	return []binding{bindRequest(), bindDecision(), bindRun(), bindEnd(), bindSegment(), bindManifest(), bindLog(), bindEntityPage(), bindEntities(), bindLLMAnswer()}
}

// BindRows binds the rows that have no digest, and returns how many these were: those
// that a build has written that knew of none. Rows that somebody has added by hand
// are among them from then on, which is why nothing but an upgrade calls it.
func (db *DB) BindRows(ctx context.Context) (int, error) {
	count := 0
	own, err := db.unhurried()
	if err != nil {
		return 0, fmt.Errorf("binding rows: %w", err)
	}
	conn, err := pgx.ConnectConfig(ctx, own)
	if err != nil {
		return 0, fmt.Errorf("binding rows: %w", Classify(err))
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, b := range bindings() {
		done, err := conn.Exec(ctx, `INSERT INTO bindings (kind, key, digest) SELECT n.kind, n.key, n.digest FROM (`+
			b.selected(b.rows, b.where)+`) n WHERE NOT EXISTS (SELECT 1 FROM bindings o WHERE o.kind = n.kind AND o.key = n.key)
			ON CONFLICT DO NOTHING`)
		if err != nil {
			return count, fmt.Errorf("binding rows: %w", Classify(err))
		}
		count += int(done.RowsAffected())
	}
	return count, nil
}
