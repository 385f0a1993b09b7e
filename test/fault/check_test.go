package fault

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// row is one line of the table of results.
type row struct {
	fault   string
	times   int
	lost    int // lines of the fault-free dump that are missing
	doubled int // lines that are too many, effects that happened twice, points too many, what was told otherwise
	stuck   int // what is not terminal, and innocents among the dead letters
	quiet   time.Duration
}

func writeTable(w io.Writer, rows []row) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "fault\ttimes\tlost\tdoubled\tstuck\tseconds to quiet")
	for _, r := range rows {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%.1f\n", r.fault, r.times, r.lost, r.doubled, r.stuck, r.quiet.Seconds())
	}
	_ = table.Flush()
}

func (r *rig) dump() string {
	r.t.Helper()
	var out bytes.Buffer
	if err := r.db.Dump(r.t.Context(), &out, false); err != nil {
		r.t.Fatal(err)
	}
	return undated(out.String())
}

// undated leaves out when what we have fetched ourselves was answered, which is another time
// in each system, and what is made of it: pages hold the time, and segments are named by
// what they hold.
func undated(dump string) string {
	lines := strings.SplitAfter(dump, "\n")
	fetched := make(map[string]bool) // by snapshot
	for _, line := range lines {
		if strings.Contains(line, `"is":"snapshot"`) && strings.Contains(line, `"fetch_tool_version":"colophon-capturer/`) {
			fetched[snapshotID.FindString(line)] = true
		}
	}
	for i, line := range lines {
		if slices.ContainsFunc(snapshotID.FindAllString(line, -1), func(id string) bool { return fetched[id] }) {
			lines[i] = ofTime.ReplaceAllString(line, `"$1":"by when it was answered"`)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

var (
	snapshotID = regexp.MustCompile(`"snapshot_id":"[^"]*"`)
	ofTime     = regexp.MustCompile(`"(retrieved_at|segments_digest|digest|byte_length)":("[^"]*"|[0-9]+)`)
)

// judge compares what is there with what must be. Lines that name one of the
// guilty are passed over in both. lossy says that the scenario took messages from the
// stream of chunks.
func (r *rig) judge(result *row, want string, guilty []string, dead []string, lossy bool) {
	r.t.Helper()
	missing, extra := compare(without(want, guilty), without(r.dump(), guilty))
	result.lost, result.doubled = len(missing), len(extra)
	for i := range min(3, max(len(missing), len(extra))) {
		if i < len(missing) {
			r.t.Errorf("missing: %.600s", missing[i])
		}
		if i < len(extra) {
			r.t.Errorf("too much: %.600s", extra[i])
		}
	}
	twice := r.strings(`SELECT chunk_ref || '/' || rev FROM chunk_log GROUP BY chunk_ref, rev HAVING count(*) > 1
		UNION ALL SELECT chunk_ref || ' created' FROM chunk_log WHERE change = 'created' GROUP BY chunk_ref HAVING count(*) > 1`)
	if len(twice) > 0 {
		r.t.Errorf("effects that happened twice: %v", twice)
	}
	result.doubled += len(twice)
	if wrong := r.vectorsDiffer(r.t.Context()); wrong != "" {
		r.t.Error(wrong)
		result.doubled++
	}
	for _, wrong := range r.consumersDiffer(lossy) {
		r.t.Error(wrong)
		result.doubled++
	}
	err := r.conn.ListDead(r.t.Context(), "", "", func(d stream.Dead) error {
		text := d.MsgID + " " + d.SourceID + " " + string(d.Payload)
		if !slices.ContainsFunc(dead, func(name string) bool { return strings.Contains(text, name) }) {
			r.t.Errorf("an innocent among the dead letters: %s %s: %s: %s", d.Consumer, d.MsgID, d.Reason, d.Message)
			result.stuck++
		}
		return nil
	})
	if err != nil {
		r.t.Error(err)
	}
}

// compare returns the lines that are only in one of two sorted texts.
func compare(want, got string) (missing, extra []string) {
	a, b := strings.Split(strings.TrimSpace(want), "\n"), strings.Split(strings.TrimSpace(got), "\n")
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(a) == 0:
			extra, b = append(extra, b[0]), b[1:]
		case len(b) == 0:
			missing, a = append(missing, a[0]), a[1:]
		default:
			switch cmp.Compare(a[0], b[0]) {
			case 0:
				a, b = a[1:], b[1:]
			case -1:
				missing, a = append(missing, a[0]), a[1:]
			default:
				extra, b = append(extra, b[0]), b[1:]
			}
		}
	}
	return missing, extra
}

// without leaves out the lines that hold one of the names.
func without(dump string, names []string) string {
	if len(names) == 0 {
		return dump
	}
	var kept []string
	for line := range strings.SplitSeq(dump, "\n") {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(line, n) }) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// namesOf returns by what the lines of a dump name a snapshot's document.
func namesOf(dump, snapshotID string) []string {
	names := []string{snapshotID}
	for line := range strings.SplitSeq(dump, "\n") {
		if !strings.Contains(line, snapshotID) {
			continue
		}
		var entry struct {
			Row struct {
				DocumentID string `json:"document_id"`
				DocHash    string `json:"doc_hash"`
				TextHash   string `json:"text_hash"`
			} `json:"row"`
		}
		if json.Unmarshal([]byte(line), &entry) == nil {
			for _, n := range []string{entry.Row.DocumentID, entry.Row.DocHash, entry.Row.TextHash} {
				if n != "" && !slices.Contains(names, n) {
					names = append(names, n)
				}
			}
		}
	}
	return names
}

// vectorsDiffer compares the ids of the points that are there, document by document, with those that
// the catalog wants, and that it says are there.
func (r *rig) vectorsDiffer(ctx context.Context) string {
	alias, err := r.vectors.Alias(ctx, collection)
	if err != nil {
		return err.Error()
	}
	var there, standings []string
	for p, err := range r.vectors.Collection(alias).Scroll(ctx, vectorstore.Filter{}, true) {
		if err != nil {
			return err.Error()
		}
		there, standings = append(there, p.Payload.DocHash+" "+p.ID), append(standings, p.ID+" "+p.Payload.Layer+" "+p.Payload.DuplicateOf)
	}
	slices.Sort(there)
	slices.Sort(standings)
	wanted := r.strings(`SELECT c.doc_hash || ' ' || c.point_id FROM chunks c JOIN chunk_state s USING (chunk_ref)
		WHERE s.repeats = '' ORDER BY 1`)
	recorded := r.strings(`SELECT coalesce(c.doc_hash, '') || ' ' || v.point_id FROM chunk_vectors v LEFT JOIN chunks c USING (chunk_ref) WHERE v.present ORDER BY 1`)
	slices.Sort(wanted)
	slices.Sort(recorded)
	if !slices.Equal(there, wanted) || !slices.Equal(there, recorded) {
		return fmt.Sprintf("%d points are there, %d chunks want one, of %d it is recorded", len(there), len(wanted), len(recorded))
	}
	states := r.strings(`SELECT c.point_id::text || ' ' || s.layer || ' ' || s.duplicate_of FROM chunks c JOIN chunk_state s USING (chunk_ref)
		WHERE s.repeats = ''`)
	slices.Sort(states)
	if !slices.Equal(standings, states) {
		return "points say another state than that of their chunks"
	}
	return ""
}

// strings returns the only column of a query; nothing when the catalog is away.
func (r *rig) strings(query string) []string {
	var all []string
	err := r.db.Tx(r.t.Context(), func(tx pgx.Tx) error {
		rows, err := tx.Query(r.t.Context(), query)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		r.t.Logf("asking the catalog: %v", err)
	}
	return all
}
