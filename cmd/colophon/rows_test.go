package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/convert"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/reconcile"
	"github.com/colophon-dev/colophon/pkg/verify"
)

// TestRows changes every column of the catalog that can be derived or is bound, loses
// rows and adds some, one at a time, and sees that verify finds each; and that it finds
// nothing in what the system has written itself. Each change is made in a row of the
// next kind; with COLOPHON_ROWS=all in rows of every kind, some 2,300 changes in minutes.
func TestRows(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a system")
	}
	t.Setenv("COLOPHON_OCR", "on")
	t.Setenv("COLOPHON_OCR_ENGINE", "fake:crash@3")
	t.Setenv("COLOPHON_OCR_WORKERS", "1")
	t.Setenv("COLOPHON_FETCH_NETWORKS", "127.0.0.0/8")
	var alarms []string
	l := newLibraryOf(t, func(l *library, tmp *convert.Temporary) { alarms = l.watched(func(func() int) { l.fillRows(tmp) }) })
	tables := l.tables()
	for _, part := range []struct {
		name string
		test func()
	}{
		{"beside work", func() {
			if len(alarms) > 0 {
				l.Errorf("false alarms while work was under way:\n%s", strings.Join(alarms, "\n"))
			}
		}},
		{"sound", func() {
			if breaks := l.breaksNow(nil, true); len(breaks) > 0 {
				l.Fatalf("a false alarm:\n%s", strings.Join(breaks, "\n"))
			}
		}},
		{"columns", func() { l.namesColumns(tables) }},
		{"values", func() { l.changesValues(tables) }},
		{"rows", func() { l.changesRows(tables) }},
		{"odd values", func() { l.survivesOddValues(tables) }},
	} {
		t.Run(part.name, func(t *testing.T) {
			l.T = t
			part.test()
		})
		l.T = t
	}
}

// watched does work, and returns what verify finds meanwhile, again and again. The work is
// told how often everything was verified so far.
func (l *library) watched(work func(looks func() int)) (alarms []string) {
	l.Helper()
	sys, err := l.cli.System(l.Context())
	l.must(err)
	defer sys.Close()
	sys.Reader.Age = reconcile.DefaultAge
	ctx, stop := context.WithCancel(l.Context())
	var watching errgroup.Group
	var looks atomic.Int64
	watching.Go(func() error {
		for ; ctx.Err() == nil; looks.Add(1) {
			now := time.Now()
			found, err := sys.Reader.Stores(ctx, now.Add(-reconcile.DefaultAge), now.Add(-reconcile.DefaultObjectAge))
			if err != nil && ctx.Err() == nil {
				return err
			}
			sweep := verify.Sweep{Reader: sys.Reader, Workers: 1}
			err = sweep.Run(ctx, "", func(g verify.Group) error {
				found = append(found, g.Breaks...)
				for _, p := range g.Proofs {
					found = append(found, p.Breaks...)
				}
				return nil
			})
			if err != nil && ctx.Err() == nil {
				return err
			}
			for _, b := range found {
				if alarm := fmt.Sprintf("(%s) %s: %s", b.Step, b.Where, b.What); !slices.Contains(alarms, alarm) {
					alarms = append(alarms, alarm)
				}
			}
		}
		return nil
	})
	work(func() int { return int(looks.Load()) })
	stop()
	l.must(watching.Wait())
	l.Logf("verified %d times meanwhile", looks.Load())
	return alarms
}

// tableOf is a table of the catalog as the database describes it.
type tableOf struct {
	name    string
	columns []columnOf
	key     []string // of its primary key
}

type columnOf struct {
	name, kind string
	null       bool // it may be absent
}

func (l *library) tables() []tableOf {
	rows, err := l.pg.Query(l.Context(), `SELECT c.table_name, c.column_name, c.data_type, c.is_nullable = 'YES',
			EXISTS (SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
				WHERE i.indisprimary AND i.indrelid = (quote_ident(c.table_schema) || '.' || quote_ident(c.table_name))::regclass AND a.attname = c.column_name)
		FROM information_schema.columns c WHERE c.table_schema = current_schema() ORDER BY 1, c.ordinal_position`)
	l.must(err)
	var tables []tableOf
	var table string
	var column columnOf
	var key bool
	_, err = pgx.ForEachRow(rows, []any{&table, &column.name, &column.kind, &column.null, &key}, func() error {
		if len(tables) == 0 || tables[len(tables)-1].name != table {
			tables = append(tables, tableOf{name: table})
		}
		t := &tables[len(tables)-1]
		t.columns = append(t.columns, column)
		if key {
			t.key = append(t.key, column.name)
		}
		return nil
	})
	l.must(err)
	for _, t := range tables {
		l.sql(`CREATE TEMP TABLE kept_` + t.name + ` AS TABLE ` + t.name)
	}
	return tables
}

// classes returns the class of each column, by table and name.
func classes() map[string]catalog.Class {
	out := make(map[string]catalog.Class)
	for _, c := range catalog.Columns() {
		out[c.Table+"."+c.Name] = c.Class
	}
	return out
}

// namesColumns holds the table of classes against the database.
func (l *library) namesColumns(tables []tableOf) {
	said := classes()
	if len(said) != len(catalog.Columns()) {
		l.Error("a column has two classes")
	}
	for _, t := range tables {
		for _, c := range t.columns {
			if _, ok := said[t.name+"."+c.name]; !ok {
				l.Errorf("%s.%s has no class", t.name, c.name)
			}
			delete(said, t.name+"."+c.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(said)) {
		l.Errorf("%s has a class and is no column", name)
	}
	for _, c := range catalog.Columns() {
		primary := c.Table == "sources" || c.Table == "audit" && c.Name != "published" || c.Table == "captures" && c.Name == "reason"
		if (c.Class == catalog.Primary) != primary || c.Why == "" {
			l.Errorf("%+v", c)
		}
	}
}

// rowOf is a row as it was before all changes.
type rowOf struct {
	kept      string   // where it lies in the copy of its table
	here      string   // says of row t of the table that it is this one
	snapshots []string // that it names
	text      string   // as JSON
}

// rows returns rows of a table: some of each kind that it holds.
func (l *library) rows(t tableOf, each int) []rowOf {
	kinds := map[string]string{
		"captures": "coalesce(outcome, '') || reason || (container <> '')::text || (snapshot_id <> '')::text", "runs": "state || redo || why || (facts_key <> '')::text || (ocr IS NOT NULL)::text || (rules IS NOT NULL)::text",
		"pages": "status || redo || (record ? 'ocr')::text", "chunk_manifests": "(same_as <> '')::text || generation", "documents": "ingest_status || final_type",
		"snapshots": "snapshot_kind || process::text", "chunk_state": "layer || (repeats <> '')::text || (duplicate_of <> '')::text", "chunk_log": "change || cause",
		"chunk_vectors": "present::text", "bindings": "kind", "ir_segments": "redo::text || failed || processed", "ocr_tasks": "state || redo", "fetch_windows": "(snapshot_id = '')::text",
		"stored_results": "run", "entity_pages": "status", "entities": "entity_type || superseded", "document_identities": "(merged_with <> '')::text || (external_id = identity)::text",
	}
	kind := cmp.Or(kinds[t.name], "''")
	found, err := l.pg.Query(l.Context(), `SELECT place, to_jsonb(kept) FROM (SELECT ctid::text AS place, t.*, row_number() OVER (PARTITION BY `+kind+
		` ORDER BY md5(t::text)) AS nth FROM kept_`+t.name+` t) kept WHERE nth <= $1`, each)
	l.must(err)
	var rows []rowOf
	var all []map[string]any
	var place string
	var fields map[string]any
	key := strings.Join(t.key, ", ")
	_, err = pgx.ForEachRow(found, []any{&place, &fields}, func() error {
		rows = append(rows, rowOf{kept: place, here: `(` + key + `) = (SELECT ` + key + ` FROM kept_` + t.name + ` WHERE ctid = '` + place + `')`})
		all, fields = append(all, fields), nil
		return nil
	})
	l.must(err)
	for i := range rows {
		rows[i].snapshots = l.snapshotsOf(all[i])
		text, err := json.Marshal(all[i])
		l.must(err)
		rows[i].text = string(text)
	}
	return rows
}

// snapshotsOf returns the snapshots whose verification looks at a row: those that it
// names, and the last one of its document.
func (l *library) snapshotsOf(fields map[string]any) []string {
	var out []string
	for _, name := range []string{"snapshot_id", "current_snapshot_id", "key"} {
		if id, _ := fields[name].(string); strings.HasPrefix(id, "snap_") {
			id, _, _ = strings.Cut(id, "/")
			out = append(out, id)
		}
	}
	last, err := l.pg.Query(l.Context(), `SELECT max(snapshot_id COLLATE "C") FROM kept_snapshots WHERE document_id = $1
		OR document_id IN (SELECT document_id FROM kept_chunks WHERE chunk_ref = $2) HAVING count(*) > 0`, fields["document_id"], fields["chunk_ref"])
	l.must(err)
	ids, err := pgx.CollectRows(last, pgx.RowTo[string])
	l.must(err)
	return append(out, ids...)
}

// changesOf are expressions that make another value of a column, under a name each.
func changesOf(t tableOf, c columnOf) map[string]string {
	q := pgx.Identifier{c.name}.Sanitize()
	out := map[string]string{}
	switch c.kind {
	case "text":
		out["another"] = `(SELECT o.` + q + ` FROM ` + t.name + ` o WHERE o.` + q + ` <> t.` + q + ` AND o.` + q + ` <> '' ORDER BY md5(o::text) LIMIT 1)`
		out["longer"] = q + ` || 'x'`
		out["empty"] = `''`
	case "jsonb":
		out["one more key"] = `coalesce(nullif(` + q + `, 'null'), '{}') || '{"zz": 1}'`
		out["one key less"] = q + ` - (SELECT k FROM jsonb_object_keys(` + q + `) k ORDER BY md5(k) LIMIT 1)`
		out["empty"], out["a list"], out["a word"] = `'{}'`, `'[]'`, `'"x"'`
	case "integer", "bigint":
		out["more"], out["less"] = q+` + 1`, q+` - 1`
	case "boolean":
		out["not"] = `NOT ` + q
	case "timestamp with time zone":
		out["later"] = q + ` + interval '1 second'`
		out["set"] = `coalesce(` + q + `, now() - interval '1 hour')`
	case "uuid":
		out["another"] = `gen_random_uuid()`
	case "bytea":
		out["another"] = `set_byte(` + q + `, 3, 255 - get_byte(` + q + `, 3))`
	case "ARRAY":
		out["one more"], out["none"] = q+` || 1::bigint`, `'{}'`
	case "xid8":
		out["another"] = `(` + q + `::text::bigint + 1)::text::xid8`
	}
	if c.null && t.name+"."+c.name != "chunks.blocks" { // chunks of before have none: they are not named, and nothing wrong is said
		out["absent"] = `NULL`
	}
	return out
}

// changesValues changes one value after the other.
func (l *library) changesValues(tables []tableOf) {
	said, began, everyRow := classes(), time.Now(), os.Getenv("COLOPHON_ROWS") == "all"
	turn, count, slowest := 0, 0, time.Duration(0)
	for _, t := range tables {
		rows := l.rows(t, 1)
		for _, c := range t.columns {
			if class := said[t.name+"."+c.name]; class != catalog.Derived && class != catalog.Bound {
				continue
			}
			changes := changesOf(t, c)
			if len(changes) == 0 {
				l.Errorf("%s.%s: no change is known of a %s", t.name, c.name, c.kind)
			}
			for _, name := range slices.Sorted(maps.Keys(changes)) {
				turn++
				for i := range rows {
					row := rows[(turn+i)%len(rows)]
					q := pgx.Identifier{c.name}.Sanitize()
					after, changed := l.damage(t, `UPDATE `+t.name+` t SET `+q+` = `+changes[name]+` WHERE `+row.here+
						` AND (`+changes[name]+`)::text IS DISTINCT FROM `+q+`::text`)
					if !changed {
						continue
					}
					count++
					at := time.Now()
					if breaks := l.breaksNow(append(after, row.snapshots...), false); len(breaks) == 0 {
						l.Errorf("not found: %s.%s: %s, in %v", t.name, c.name, name, row)
					}
					slowest = max(slowest, time.Since(at))
					l.restore(t, row)
					if !everyRow {
						break
					}
				}
			}
		}
	}
	l.Logf("%d values changed in %.1f s, the slowest look %.2f s", count, time.Since(began).Seconds(), slowest.Seconds())
}

// damage gives a statement, and returns the snapshots that the changed row names.
func (l *library) damage(t tableOf, statement string) (snapshots []string, changed bool) {
	l.Helper()
	l.sql(`SET session_replication_role = replica`)
	defer l.sql(`RESET session_replication_role`)
	rows, err := l.pg.Query(l.Context(), statement+` RETURNING t.ctid::text, to_jsonb(t)`)
	l.must(err)
	var fields map[string]any
	_, err = pgx.ForEachRow(rows, []any{&l.damaged, &fields}, func() error {
		changed = true
		return nil
	})
	if err != nil {
		if strings.Contains(err.Error(), "duplicate key") || strings.Contains(err.Error(), "violates") || strings.Contains(err.Error(), "cannot ") {
			return nil, false // the database itself refuses it
		}
		l.Fatalf("%s: %v", statement, err)
	}
	return l.snapshotsOf(fields), changed
}

// restore puts a row back that was changed or lost, and takes one away that was
// added in its likeness.
func (l *library) restore(t tableOf, row rowOf) {
	l.sql(`SET session_replication_role = replica; DELETE FROM ` + t.name + ` WHERE ctid = '` + l.damaged + `';
		INSERT INTO ` + t.name + ` SELECT k.* FROM kept_` + t.name + ` k WHERE ctid = '` + row.kept + `' AND NOT EXISTS (
			SELECT 1 FROM ` + t.name + ` t WHERE ` + row.here + `); RESET session_replication_role`)
}

// changesRows loses a row of each kind, and adds rows like those that there are.
func (l *library) changesRows(tables []tableOf) {
	said := classes()
	lost, added := 0, 0
	for _, t := range tables {
		held := slices.ContainsFunc(t.columns, func(c columnOf) bool {
			class := said[t.name+"."+c.name]
			return class == catalog.Derived || class == catalog.Bound
		})
		if !held {
			continue
		}
		for _, row := range l.rows(t, 1) {
			after, _ := l.damage(t, `DELETE FROM `+t.name+` t WHERE `+row.here)
			if breaks := l.breaksNow(append(after, row.snapshots...), false); len(breaks) == 0 {
				l.Errorf("not found: a row of %s is lost (%v)", t.name, row.snapshots)
			}
			l.restore(t, row)
			lost++
			for _, key := range t.key {
				after, changed := l.damage(t, l.addition(t, key, row))
				if !changed {
					continue
				}
				if breaks := l.breaksNow(append(after, row.snapshots...), false); len(breaks) == 0 {
					l.Errorf("not found: a row of %s is added, with another %s", t.name, key)
				}
				l.restore(t, row)
				added++
			}
		}
	}
	l.Logf("%d rows lost, %d added", lost, added)
}

// addition is a statement that adds a row like another, but for a part of its key and
// what else no two rows may share.
func (l *library) addition(t tableOf, key string, row rowOf) string {
	alone := map[string][]string{"chunks": {"point_id", "chunk_index"}, "documents": {"external_digest"}, "chunk_log": {"rev"}, "document_identities": {"document_id"}}[t.name]
	var names, values []string
	for _, c := range t.columns {
		q := pgx.Identifier{c.name}.Sanitize()
		names = append(names, q)
		if c.name != key && !slices.Contains(alone, c.name) {
			values = append(values, q)
			continue
		}
		values = append(values, map[string]string{
			"text": q + ` || 'x'`, "integer": q + ` + 1000`, "bigint": q + ` + 1000`, "uuid": `gen_random_uuid()`,
			"bytea": `set_byte(` + q + `, 3, 255 - get_byte(` + q + `, 3))`,
		}[c.kind])
	}
	return `INSERT INTO ` + t.name + ` AS t (` + strings.Join(names, ", ") + `) SELECT ` + strings.Join(values, ", ") + ` FROM ` + t.name +
		` t WHERE ` + row.here
}

// breaksNow verifies what belongs to no single snapshot, and the snapshots that are
// named, or all: until something is found, or all of it.
func (l *library) breaksNow(snapshots []string, all bool) (breaks []string) {
	l.Helper()
	add := func(found []proof.Break) {
		for _, b := range found {
			breaks = append(breaks, fmt.Sprintf("(%s) %s: %s", b.Step, b.Where, b.What))
		}
	}
	now := time.Now()
	if all {
		return l.find(flip{}, true)
	}
	found, err := l.sys.Reader.Rows(l.Context(), "", now)
	l.must(err)
	if add(found); len(breaks) > 0 {
		return breaks
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(snapshots))) {
		var there bool
		l.must(l.pg.QueryRow(l.Context(), `SELECT EXISTS (SELECT 1 FROM snapshots WHERE snapshot_id = $1)`, id).Scan(&there))
		if !there {
			continue
		}
		g, err := l.sys.Reader.Group(l.Context(), id)
		if err != nil {
			l.Errorf("verifying ends: %v", err)
		}
		for _, p := range g.Proofs {
			add(p.Breaks)
		}
		if add(g.Breaks); len(breaks) > 0 {
			return breaks
		}
	}
	found, err = l.sys.Reader.Stores(l.Context(), now, now)
	l.must(err)
	add(found)
	return breaks
}
