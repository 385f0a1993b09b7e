package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/proof"
)

// marks are damages that every look must name, whatever stands in another row.
type marks struct {
	documentID, snapshotID, chunkRef string
	set                              string // the statements that do the damage
	object                           string // that no row names
}

// mark does damage to one document, and puts an object that nobody knows.
func (l *library) mark() marks {
	l.Helper()
	var m marks
	l.must(l.pg.QueryRow(l.Context(), `SELECT c.document_id, c.snapshot_id, c.chunk_ref FROM chunks c JOIN documents d ON d.current_snapshot_id = c.snapshot_id
		WHERE d.host <> '' ORDER BY md5(c.chunk_ref) LIMIT 1`).Scan(&m.documentID, &m.snapshotID, &m.chunkRef))
	m.set = `UPDATE documents SET host = 'marked.example' WHERE document_id = '` + m.documentID + `';
		UPDATE chunks SET text_hash = 'marked' WHERE chunk_ref = '` + m.chunkRef + `'`
	m.object = "council/marked.txt"
	l.putObject(blobstore.Derived, m.object, []byte("marked"))
	return m
}

// survivesOddValues puts values that nothing writes in columns of every class and in the
// leaves of records, one at a time, and sees that the verification goes on: it ends
// without an error, and names what else is damaged. Each column gets one of the values and
// so does each fourth leaf; with COLOPHON_ROWS=all all of them, in rows of every kind.
func (l *library) survivesOddValues(tables []tableOf) {
	everyRow, began, count, turn := os.Getenv("COLOPHON_ROWS") == "all", time.Now(), 0, 0
	m := l.mark()
	for _, t := range tables {
		if t.name == "goose_db_version" { // it says which columns there are
			continue
		}
		for _, row := range l.rows(t, 1) {
			for _, o := range l.oddities(t, row) {
				if turn++; !everyRow && o.leaf && turn%leafTurn != 0 {
					continue
				}
				for i := range o.values {
					after, changed := l.damage(t, `UPDATE `+t.name+` t SET `+o.set(o.values[(turn+i)%len(o.values)])+` WHERE `+row.here)
					if !changed {
						continue
					}
					count++
					l.sql(`SET session_replication_role = replica; ` + m.set + `; RESET session_replication_role`)
					l.namesMarks(t, m, fmt.Sprintf("%s.%s = %s in %v", t.name, o.place, o.values[(turn+i)%len(o.values)], row), append(after, row.snapshots...), row)
					l.restore(t, row)
					if !everyRow {
						break
					}
				}
			}
			if !everyRow {
				break
			}
		}
	}
	l.sql(`SET session_replication_role = replica; UPDATE documents d SET host = k.host FROM kept_documents k WHERE k.document_id = d.document_id AND d.host <> k.host;
		UPDATE chunks c SET text_hash = k.text_hash FROM kept_chunks k WHERE k.chunk_ref = c.chunk_ref AND c.text_hash <> k.text_hash; RESET session_replication_role`)
	l.must(l.sys.Blobs.Delete(l.Context(), blobstore.Derived, m.object))
	l.Logf("%d odd values in %.1f s", count, time.Since(began).Seconds())
}

// namesMarks verifies beside an odd value, and looks for the marks.
func (l *library) namesMarks(t tableOf, m marks, name string, snapshots []string, row rowOf) {
	l.Helper()
	var said strings.Builder
	add := func(breaks []proof.Break) {
		for _, b := range breaks {
			fmt.Fprintf(&said, "(%s) %s: %s\n", b.Step, b.Where, b.What)
		}
	}
	beyond := slices.Contains([]string{"collections", "chunk_vectors", "stored_results", "chunks", "chunk_state"}, t.name)
	look := func() ([]proof.Break, error) { return l.sys.Reader.Rows(l.Context(), "", time.Now()) }
	if beyond {
		look = func() ([]proof.Break, error) { return l.sys.Reader.Stores(l.Context(), time.Now(), time.Now()) }
	}
	found, err := look()
	if err != nil {
		l.Errorf("%s ends the pass: %v", name, err)
	}
	add(found)
	for _, id := range slices.Compact(slices.Sorted(slices.Values(append(snapshots, m.snapshotID)))) {
		var there bool
		l.must(l.pg.QueryRow(l.Context(), `SELECT EXISTS (SELECT 1 FROM snapshots WHERE snapshot_id = $1)`, id).Scan(&there))
		if !there {
			continue
		}
		g, err := l.sys.Reader.Group(l.Context(), id)
		if err != nil {
			l.Errorf("%s ends snapshot %s: %v", name, id, err)
		}
		for _, p := range g.Proofs {
			fmt.Fprintf(&said, "%s\n", p.ChunkRef)
			add(p.Breaks)
		}
		add(g.Breaks)
	}
	var want []string
	if beyond {
		want = append(want, "object derived/"+m.object+": nothing writes an object of such a name")
	}
	if !slices.Contains(row.snapshots, m.snapshotID) && !strings.Contains(row.text, m.documentID) && !strings.Contains(row.text, m.chunkRef) {
		want = append(want, "its host marked.example is not that of its URL", m.chunkRef)
	}
	for _, w := range want {
		if !strings.Contains(said.String(), w) {
			l.Errorf("%s hides %q:\n%s", name, w, said.String())
		}
	}
	if strings.Contains(said.String(), "does not know what to make of it") {
		l.Errorf("%s: a panic:\n%s", name, said.String())
	}
}

// leafTurn is how many leaves of records there are to one that is changed.
const leafTurn = 4

// oddity is a place in a row, and what is put there.
type oddity struct {
	place  string
	leaf   bool // of a record
	set    func(value string) string
	values []string
}

// oddities are the places of a row: its columns of text, numbers and times, and the
// leaves of its JSON.
func (l *library) oddities(t tableOf, row rowOf) []oddity {
	const odd = `E'%00 ../é\u202e''"{}[]$1\\\\ \t'`
	var out []oddity
	var fields map[string]json.RawMessage
	l.must(json.Unmarshal([]byte(row.text), &fields))
	for _, c := range t.columns {
		q := pgx.Identifier{c.name}.Sanitize()
		plain := func(value string) string { return q + ` = ` + value }
		switch c.kind {
		case "text":
			out = append(out, oddity{c.name, false, plain, []string{`''`, `' '`, odd, `repeat('x', 2000)`}})
		case "integer":
			out = append(out, oddity{c.name, false, plain, []string{`2147483647`, `-2147483648`, `-1`}})
		case "bigint":
			out = append(out, oddity{c.name, false, plain, []string{`9223372036854775807`, `-9223372036854775808`}})
		case "timestamp with time zone":
			out = append(out, oddity{c.name, false, plain, []string{`'infinity'`, `'-infinity'`, `'12026-01-01'`, `'0044-03-15 BC'`}})
		case "jsonb":
			out = append(out, oddity{c.name, false, plain, []string{`'null'`, `'[]'`, `'"x"'`, `'7'`, `'{"a": {"b": [1e400]}}'`}})
			var value any
			if err := json.Unmarshal(fields[c.name], &value); err == nil {
				for _, path := range leavesOf(nil, value) {
					in := func(value string) string {
						return q + ` = jsonb_set(` + q + `, '{` + strings.Join(path, ",") + `}', '` + value + `')`
					}
					out = append(out, oddity{c.name + " " + strings.Join(path, "."), true, in, []string{`""`, `7.5`, `null`, `["x"]`, `{"x": 1}`, `1e400`, `"\u202e %00 '' "`, `true`}})
				}
			}
		}
	}
	return out
}

// leavesOf returns the paths of the leaves of a JSON value; of a list its first one.
func leavesOf(path []string, value any) (paths [][]string) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if !strings.ContainsAny(name, `,{}"'\ `) {
				paths = append(paths, leavesOf(append(slices.Clone(path), name), v[name])...)
			}
		}
	case []any:
		if len(v) > 0 {
			paths = leavesOf(append(slices.Clone(path), "0"), v[0])
		}
	}
	if len(paths) == 0 && len(path) > 0 {
		return [][]string{path}
	}
	return paths
}
