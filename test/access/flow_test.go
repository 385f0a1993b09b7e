package access

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/sdk"
)

// flow hands documents over as a crawler, one after the other, while a test does
// something else: texts, of which each third comes a second time in another version, and
// pictures, which need OCR.
type flow struct {
	r     *rig
	hands *sdk.Client
	dir   string
	began time.Time // an hour before the flow
	stop  func()
	done  atomic.Int64 // documents with an outcome

	mu       sync.Mutex
	versions map[string]int    // by address: how many versions were stored
	marks    map[string]string // by address: what the last version of a text says
}

// flowEvery is the time between two documents of one kind: more than a busy machine needs
// for one, so that what waits does not grow.
const flowEvery = 150 * time.Millisecond

// startFlow begins to hand documents over.
func (r *rig) startFlow() *flow {
	r.t.Helper()
	f := &flow{r: r, hands: r.crawler(), dir: r.t.TempDir(), began: time.Now().Add(-time.Hour), versions: make(map[string]int), marks: make(map[string]string)}
	ctx, cancel := context.WithCancel(r.t.Context())
	var group sync.WaitGroup
	group.Go(func() { f.each(ctx, f.text) })
	group.Go(func() { f.each(ctx, f.picture) })
	f.stop = sync.OnceFunc(func() {
		cancel()
		group.Wait()
		f.hands.Close()
	})
	r.t.Cleanup(f.stop)
	return f
}

// each hands over one document after the other until it is told to stop.
func (f *flow) each(ctx context.Context, one func(n int)) {
	tick := time.NewTicker(flowEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if ctx.Err() != nil {
			return
		}
		one(n)
	}
}

func (f *flow) text(n int) {
	versions := 1
	if n%3 == 0 {
		versions = 2
	}
	for v := range versions {
		mark := fmt.Sprintf("Notice %d of the harbour, said %d times", n, v+1)
		f.hand(fmt.Sprintf("notice-%d.txt", n), mark, v, []byte(mark+".\n\nFerry number "+fmt.Sprint(n)+" leaves at noon.\n"))
	}
}

func (f *flow) picture(n int) {
	const side = 64
	picture := image.NewGray(image.Rect(0, 0, side, side))
	for bit := range 16 { // no two are alike
		picture.SetGray(bit*4, side/2, color.Gray{Y: uint8(n>>bit&1) * 255})
	}
	var data bytes.Buffer
	if err := png.Encode(&data, picture); err != nil {
		f.r.t.Error(err)
		return
	}
	f.hand(fmt.Sprintf("picture-%d.png", n), "", 0, data.Bytes())
}

// hand hands a version of a document over and waits for its outcome. What fails meanwhile
// is done again, as a crawler does it.
func (f *flow) hand(name, mark string, version int, data []byte) {
	t := f.r.t
	path := filepath.Join(f.dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Error(err)
		return
	}
	// Versions are ordered by the times of their files, in whole seconds.
	at := f.began.Add(time.Duration(version) * time.Minute)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Error(err)
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	for {
		pending, err := f.hands.CaptureFile(ctx, path, sdk.Request{})
		var outcome sdk.Outcome
		if err == nil {
			outcome, err = pending.Wait(ctx)
		}
		if ctx.Err() != nil {
			t.Errorf("%s has no outcome: %v", name, errors.Join(err, context.Cause(ctx)))
			return
		}
		if err != nil {
			continue
		}
		if outcome.Outcome != sdk.Stored {
			t.Errorf("%s: %+v", name, outcome)
			return
		}
		break
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	url := sdk.FileURL(name)
	f.versions[url]++
	if mark != "" {
		f.marks[url] = mark
	}
	f.done.Add(1)
}

// goesOn waits until some more documents have an outcome.
func (f *flow) goesOn() {
	f.r.t.Helper()
	before := f.done.Load()
	await(f.r.t, "documents are captured", func() bool { return f.done.Load() > before+5 })
}

// column returns the only column of a query; the server may just have been started again.
func (r *rig) column(query string, values ...any) []string {
	r.t.Helper()
	conn, err := pgx.Connect(r.t.Context(), r.postgres.URL())
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = conn.Close(r.t.Context()) }()
	if _, err := conn.Exec(r.t.Context(), "SET search_path = "+schema); err != nil {
		r.t.Fatal(err)
	}
	rows, err := conn.Query(r.t.Context(), query, values...)
	if err != nil {
		r.t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		r.t.Fatal(err)
	}
	return found
}

// nothingIsLostOrDoubled stops the flow, waits for quiet and holds all that was handed
// over against what the catalog, the stores and the vectors have of it.
func (f *flow) nothingIsLostOrDoubled() {
	t, r := f.r.t, f.r
	t.Helper()
	f.stop()
	r.settle()
	var documents, snapshots, marks []string
	for url, n := range f.versions {
		documents = append(documents, url)
		snapshots = append(snapshots, fmt.Sprintf("%s %d", url, n))
	}
	marks = slices.Collect(maps.Values(f.marks))
	same := func(what string, want, got []string) {
		t.Helper()
		slices.Sort(want)
		slices.Sort(got)
		lost, doubled := missingFrom(want, got), missingFrom(got, want)
		t.Logf("%s: %d, lost %d, doubled %d", what, len(want), len(lost), len(doubled))
		if len(lost)+len(doubled) > 0 {
			t.Errorf("%s: lost %q, doubled or never asked for %q", what, lost[:min(5, len(lost))], doubled[:min(5, len(doubled))])
		}
	}
	same("documents", documents, r.column(`SELECT canonical_url FROM documents WHERE source_id = $1`, source))
	same("versions", snapshots, r.column(`SELECT d.canonical_url || ' ' || count(*) FROM documents d JOIN snapshots s USING (document_id)
		WHERE d.source_id = $1 GROUP BY d.canonical_url`, source))
	same("requests without the outcome stored", nil, r.column(`SELECT request_id FROM captures WHERE source_id = $1 AND outcome IS DISTINCT FROM 'stored'`, source))
	same("versions that were not made chunks of once", nil, r.column(`SELECT s.snapshot_id FROM snapshots s LEFT JOIN runs r ON r.snapshot_id = s.snapshot_id AND r.state = 'done'
		WHERE s.source_id = $1 GROUP BY s.snapshot_id HAVING count(r.snapshot_id) <> 1`, source))
	same("texts that are current", marks, firstSentences(r.column(`SELECT c.content FROM chunks c JOIN chunk_state s USING (chunk_ref)
		WHERE c.source_id = $1 AND s.layer = 'hot' AND c.content LIKE '%Notice%'`, source)))
	same("events that were told twice", nil, r.column(`SELECT chunk_ref || '/' || rev FROM chunk_log GROUP BY chunk_ref, rev HAVING count(*) > 1
		UNION ALL SELECT chunk_ref || ' created' FROM chunk_log WHERE change = 'created' GROUP BY chunk_ref HAVING count(*) > 1`))
	same("dead letters", nil, strings.Fields(r.operator("dlq", "list", "--json")))
	r.prove() // objects, rows and points are those of the bytes
}

// missingFrom returns what is in one list more often than in another one, which is sorted.
func missingFrom(all, others []string) []string {
	var left []string
	for _, one := range all {
		if len(others) > 0 {
			if i, found := slices.BinarySearch(others, one); found {
				others = slices.Delete(slices.Clone(others), i, i+1)
				continue
			}
		}
		left = append(left, one)
	}
	return left
}

// firstSentences cuts texts at their first full stop.
func firstSentences(texts []string) []string {
	for i, text := range texts {
		first, _, _ := strings.Cut(text, ".")
		texts[i] = strings.TrimSpace(first)
	}
	return texts
}

// nothingIsRefused fails for each operation that a server has refused for want of a right.
func (r *rig) nothingIsRefused() {
	t := r.t
	t.Helper()
	_, refusals := r.bus.log.uses()
	for _, line := range refusals {
		t.Errorf("the bus refused: %s", line)
	}
	_, denied := r.catalogUses()
	for _, line := range denied {
		t.Errorf("the catalog refused: %s", line)
	}
	_, kept := r.objects.uses()
	for _, line := range kept {
		t.Errorf("the object store refused: %s", line)
	}
}
