package catalog

import (
	"fmt"

	"github.com/colophon-dev/colophon/pkg/model"
)

// runContradictions hold runs against their snapshot, and pages, segments and the
// ranges of redos against their run. What the pages say is read with their segments.
func runContradictions() []string {
	ofRun := func(row string) string {
		return `r.snapshot_id = ` + row + `.snapshot_id AND r.extraction_id = ` + row + `.extraction_id`
	}
	return []string{
		`SELECT 'run ' || r.snapshot_id || '/' || r.extraction_id, 'its source or document is not that of its snapshot'
		FROM runs r LEFT JOIN snapshots s ON s.snapshot_id = r.snapshot_id
		WHERE ($1 = '' OR r.document_id = $1 OR s.document_id = $1)
		AND (s.source_id, s.document_id) IS DISTINCT FROM (r.source_id, r.document_id)`,

		`SELECT 'runs of ' || r.snapshot_id, 'their order is not 1, 2, … but ' || string_agg(r.run_order::text, ', ' ORDER BY r.run_order)
		FROM runs r WHERE $1 = '' OR r.document_id = $1 GROUP BY r.snapshot_id
		HAVING min(r.run_order) <> 1 OR max(r.run_order) <> count(*) OR count(DISTINCT r.run_order) <> count(*)`,

		`SELECT 'run ' || r.snapshot_id || '/' || r.extraction_id, format('is at redo %s, and was asked for %s', r.redo, coalesce(w.redo, 0))
		FROM runs r LEFT JOIN (SELECT snapshot_id, extraction_id, max(redo) AS redo FROM run_ranges GROUP BY 1, 2) w ON ` + ofRun("w") + `
		WHERE ($1 = '' OR r.document_id = $1) AND r.redo <> coalesce(w.redo, 0)`,

		`SELECT 'run ' || coalesce(r.snapshot_id || '/' || r.extraction_id, p.snapshot_id || '/' || p.extraction_id), CASE WHEN r.state IS NULL
			THEN 'has pages and does not exist' ELSE format('has %s pages up to number %s, of %s', coalesce(p.n, 0), coalesce(p.last, 0), r.page_count) END
		FROM runs r FULL JOIN (SELECT snapshot_id, extraction_id, count(DISTINCT page_no) AS n, count(*) AS rows, max(page_no) AS last, min(page_no) AS first
			FROM pages GROUP BY 1, 2) p ON ` + ofRun("p") + `
		WHERE ($1 = '' OR r.document_id = $1) AND (r.page_count, r.page_count, r.page_count, 1) IS DISTINCT FROM (p.n, p.rows, p.last, p.first)`,

		`SELECT 'page ' || p.page_no || ' of ' || p.snapshot_id, 'its columns are not those of its record' FROM pages p
		WHERE ($1 = '' OR p.snapshot_id IN (SELECT s.snapshot_id FROM snapshots s WHERE s.document_id = $1)) AND p.record <> '{}'
		AND (p.page_id::text, p.extraction_id, p.snapshot_id, p.page_no::text, p.status, p.reason, p.error_message, p.content_hash, p.page_hash)
			IS DISTINCT FROM (p.record->>'page_id', p.record->>'extraction_id', p.record->>'snapshot_id', p.record->>'page_no',
			p.record->>'status', coalesce(p.record->>'reason', ''), coalesce(p.record->>'error_message', ''), p.record->>'content_hash',
			p.record->>'page_hash')`,

		// A page that no segment holds waits, or has failed with its run.
		fmt.Sprintf(`SELECT 'page ' || p.page_no || ' of ' || p.snapshot_id, CASE WHEN g.redo IS NULL THEN 'is ' || p.status || ' and in no segment'
			ELSE format('is of redo %%s, its segment of redo %%s', p.redo, g.redo) END
		FROM pages p JOIN runs r ON %s LEFT JOIN LATERAL (SELECT max(g.redo) AS redo FROM ir_segments g
			WHERE g.snapshot_id = p.snapshot_id AND g.extraction_id = p.extraction_id
			AND g.from_page = (p.page_no::bigint - 1) / %[2]d * %[2]d + 1 AND g.to_page >= p.page_no) g ON true
		WHERE ($1 = '' OR r.document_id = $1) AND CASE WHEN g.redo IS NOT NULL THEN p.redo <> g.redo OR p.record = '{}'
			ELSE p.record <> '{}' OR p.redo <> 0 OR p.content_hash <> '' OR p.page_hash <> ''
				OR p.status <> 'pending' AND (p.status, r.state, p.reason, p.error_message) <> ('failed', 'failed', r.reason, r.message)
				OR p.status = 'pending' AND (r.state IN ('done', 'partial', 'failed') OR p.reason <> '' OR p.error_message <> '') END`,
			ofRun("p"), model.RangeSize),

		fmt.Sprintf(`SELECT format('segment of pages %%s–%%s of %%s/%%s, redo %%s', g.from_page, g.to_page, g.snapshot_id, g.extraction_id, g.redo),
			CASE WHEN r.state IS NULL THEN 'its run does not exist' WHEN g.redo > 0 AND w.redo IS NULL THEN 'nobody has asked for it'
			ELSE 'is no range of ' || r.page_count || ' pages' END
		FROM ir_segments g LEFT JOIN runs r ON %s
		LEFT JOIN run_ranges w ON w.snapshot_id = g.snapshot_id AND w.extraction_id = g.extraction_id AND w.redo = g.redo AND w.from_page = g.from_page
		WHERE ($1 = '' OR r.document_id = $1) AND (r.state IS NULL OR g.redo < 0 OR g.redo > 0 AND w.redo IS NULL
			OR (g.from_page::bigint - 1) %% %[2]d <> 0 OR g.from_page > greatest(r.page_count, 1) OR g.processed::bigint + g.failed <> g.to_page::bigint - g.from_page + 1
			OR g.to_page <> least(g.from_page::bigint + %[2]d - 1, greatest(r.page_count, 1)) AND NOT (g.redo < r.redo AND g.from_page = 1 AND g.to_page = 1))`,
			ofRun("g"), model.RangeSize),

		// A redo that something else than its pages has ended may lack some.
		`SELECT format('range %s of %s/%s, redo %s', w.from_page, w.snapshot_id, w.extraction_id, w.redo),
			CASE WHEN r.state IS NULL THEN 'its run does not exist' ELSE 'was asked for and has no segment' END
		FROM run_ranges w LEFT JOIN runs r ON ` + ofRun("w") + `
		WHERE ($1 = '' OR r.document_id = $1) AND (r.state IS NULL OR (r.state IN ('done', 'partial') AND w.redo = r.redo
			OR EXISTS (SELECT 1 FROM chunk_manifests m WHERE m.snapshot_id = w.snapshot_id AND m.extraction_id = w.extraction_id AND m.redo = w.redo)
			OR w.from_page > greatest(r.page_count, 1) OR (w.from_page::bigint - 1) % ` + fmt.Sprint(model.RangeSize) + ` <> 0)
			AND NOT EXISTS (SELECT 1 FROM ir_segments g WHERE g.snapshot_id = w.snapshot_id AND g.extraction_id = w.extraction_id
				AND g.redo = w.redo AND g.from_page = w.from_page))`,
	}
}

// ocrContradictions hold what OCR was asked for against what it has answered.
func ocrContradictions() []string {
	const task = `'OCR task of page ' || t.page_no || ', part ' || t.part || ' of ' || t.snapshot_id || '/' || t.extraction_id`
	const run = ` LEFT JOIN runs r ON r.snapshot_id = t.snapshot_id AND r.extraction_id = t.extraction_id`
	const result = `s.kind = 'ocr' AND s.source_id = r.source_id AND s.picture = t.task->>'picture' AND s.run = coalesce(r.ocr->>'run', '')`
	return []string{
		`SELECT ` + task + `, 'its columns are not those of its record' FROM ocr_tasks t` + run + `
		WHERE ($1 = '' OR r.document_id = $1) AND (t.snapshot_id, t.extraction_id, t.redo::text, t.page_no::text, t.part::text, t.state)
			IS DISTINCT FROM (t.task->>'snapshot_id', t.task->>'extraction_id', t.task->>'redo', t.task->>'page_no', t.task->>'part',
			CASE WHEN t.task->'ocr' ? 'key' THEN 'done' WHEN t.task->'ocr' ? 'reason' THEN 'failed' ELSE 'waiting' END)`,

		`SELECT ` + task + `, CASE WHEN r.state IS NULL THEN 'its run does not exist' WHEN t.redo > r.redo THEN 'is of a redo that was not asked for'
			WHEN p.page_no IS NULL THEN 'its page does not exist' ELSE 'waits although its run is ' || r.state END
		FROM ocr_tasks t` + run + ` LEFT JOIN pages p ON p.snapshot_id = t.snapshot_id AND p.extraction_id = t.extraction_id AND p.page_no = t.page_no
		WHERE ($1 = '' OR r.document_id = $1) AND (r.state IS NULL OR t.redo > r.redo OR p.page_no IS NULL
			OR t.state = 'waiting' AND r.state IN ('done', 'partial') AND p.status = 'processed' AND p.redo = t.redo)`,

		`SELECT ` + task + `, CASE WHEN s.key IS NULL THEN 'the result that it was answered by is not there'
			ELSE 'was answered by another result than the one that counts' END
		FROM ocr_tasks t` + run + ` LEFT JOIN stored_results s ON ` + result + `
		WHERE ($1 = '' OR r.document_id = $1) AND t.state = 'done' AND (s.engine, s.version, s.key, s.digest) IS DISTINCT FROM
			(t.task->'ocr'->>'engine', t.task->'ocr'->>'version', t.task->'ocr'->>'key', t.task->'ocr'->>'digest')`,

		// A result counts from the moment in which the task was answered that it was read
		// for, unless that had failed before.
		`SELECT 'stored result ' || s.key || ' (' || s.kind || ', run "' || s.run || '")', 'was read for no task' FROM stored_results s
		WHERE ($1 = '' OR s.snapshot_id IN (SELECT n.snapshot_id FROM snapshots n WHERE n.document_id = $1))
		AND NOT EXISTS (SELECT 1 FROM ocr_tasks t JOIN runs r ON r.snapshot_id = t.snapshot_id AND r.extraction_id = t.extraction_id
			WHERE t.snapshot_id = s.snapshot_id AND (t.state = 'done' AND t.updated_at = s.created_at OR t.state = 'failed') AND ` + result + `)`,

		`SELECT 'run ' || r.snapshot_id || '/' || r.extraction_id, 'has an OCR record of a form that none is written in' FROM runs r
		WHERE ($1 = '' OR r.document_id = $1) AND CASE WHEN r.ocr IS NULL THEN false WHEN jsonb_typeof(r.ocr) <> 'object' THEN true
			ELSE jsonb_typeof(coalesce(r.ocr->'also', '[]')) <> 'array' OR r.ocr - ARRAY['run', 'settings', 'engine', 'version', 'also'] <> '{}'
				OR (r.ocr ? 'run') <> (r.ocr ? 'settings') OR (r.ocr ? 'engine') <> (r.ocr ? 'version') OR NOT r.ocr ?| ARRAY['run', 'engine'] END`,

		// A run names who has read its pages in the transaction that says so, however it ends.
		`SELECT 'run ' || r.snapshot_id || '/' || r.extraction_id, 'names other OCR engines than have read its pages'
		FROM runs r LEFT JOIN LATERAL (SELECT coalesce(array_agg(DISTINCT (t.task->'ocr'->>'engine') || ' ' || (t.task->'ocr'->>'version')), '{}') AS names
			FROM ocr_tasks t WHERE t.snapshot_id = r.snapshot_id AND t.extraction_id = r.extraction_id AND t.state = 'done') t ON true
		WHERE ($1 = '' OR r.document_id = $1) AND (r.ocr IS NOT NULL OR t.names <> '{}') AND r.state NOT IN ('queued', 'running')
		AND CASE WHEN jsonb_typeof(coalesce(r.ocr->'also', '[]')) <> 'array' THEN true
			ELSE (SELECT coalesce(array_agg(n ORDER BY n COLLATE "C"), '{}') FROM (SELECT (r.ocr->>'engine') || ' ' || (r.ocr->>'version') AS n WHERE r.ocr ? 'engine'
				UNION ALL SELECT jsonb_array_elements_text(coalesce(r.ocr->'also', '[]'))) e)
			IS DISTINCT FROM (SELECT coalesce(array_agg(n ORDER BY n COLLATE "C"), '{}') FROM unnest(t.names) n) END`,
	}
}
