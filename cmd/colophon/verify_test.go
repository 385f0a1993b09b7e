package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qdrant/go-client/qdrant"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/operate"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/devtest/domainset"
	"github.com/colophon-dev/colophon/pkg/verify"
)

// TestVerify holds verify against a system that is sound, and against all that
// may be wrong with one.
func TestVerify(t *testing.T) {
	l := newLibrary(t)
	t.Run("sweep", l.sweep)
	t.Run("other way", l.otherWay)
	t.Run("flips", l.flips)
}

// sweep is the same with any number of workers, and goes on where it was
// interrupted.
func (l *library) sweep(t *testing.T) {
	l.T = t
	ids := func(workers int, after string) (ids []string) {
		s := verify.Sweep{Reader: l.sys.Reader, Workers: workers}
		l.must(s.Run(t.Context(), after, func(g verify.Group) error {
			ids = append(ids, g.SnapshotID)
			return nil
		}))
		return ids
	}
	all := ids(1, "")
	if many := ids(8, ""); !slices.Equal(all, many) || !slices.IsSorted(all) || len(all) != 19+len(domainset.Documents())+1 { // and a note
		t.Errorf("%v\n%v", all, many)
	}
	whole, err := operate.VerifySweep(t.Context(), l.cli, l.sys, operate.VerifyOptions{All: true})
	l.must(err)

	// An interrupt after the fourth group.
	path := filepath.Join(t.TempDir(), "state")
	ctx, cancel := context.WithCancel(t.Context())
	interrupted := *l.cli
	interrupted.Progress = true
	interrupted.Err = writer(func(p []byte) { cancel() })
	if _, err := operate.VerifySweep(ctx, &interrupted, l.sys, operate.VerifyOptions{All: true, Resume: path}); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	state, err := verify.LoadState(path)
	l.must(err)
	if i := slices.Index(all, state.After); i < 0 || i >= len(all)-1 || state.Tally.Groups != i+1 || !slices.Equal(ids(2, state.After), all[i+1:]) {
		t.Errorf("stopped at %+v of %v", state, all)
	}
	var said bytes.Buffer
	resumed := *l.cli
	resumed.Err = &said
	total, err := operate.VerifySweep(t.Context(), &resumed, l.sys, operate.VerifyOptions{All: true, Resume: path})
	l.must(err)
	if total != whole || !strings.Contains(said.String(), "goes on after ") {
		t.Errorf("%+v, at once %+v: %s", total, whole, &said)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a finished sweep leaves its state: %v", err)
	}
	l.must(os.WriteFile(path, []byte("no state"), 0o600))
	if _, err := verify.LoadState(path); err == nil {
		t.Error("a file that is no state is taken for one")
	}
}

type writer func(p []byte)

func (w writer) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

// otherWay damages rows, objects and points in ways that no single byte would,
// one at a time, and looks for the break that names it.
func (l *library) otherWay(t *testing.T) {
	l.T = t
	l.sql(`CREATE TEMP TABLE kept_runs AS TABLE runs; CREATE TEMP TABLE kept_segments AS TABLE ir_segments;
		CREATE TEMP TABLE kept_chunks AS TABLE chunks; CREATE TEMP TABLE kept_states AS TABLE chunk_state;
		CREATE TEMP TABLE kept_knowledge AS TABLE knowledge; CREATE TEMP TABLE kept_pages AS TABLE pages;
		CREATE TEMP TABLE kept_documents AS TABLE documents; CREATE TEMP TABLE kept_manifests AS TABLE chunk_manifests;
		CREATE TEMP TABLE kept_vectors AS TABLE chunk_vectors; CREATE TEMP TABLE kept_log AS TABLE chunk_log;
		CREATE TEMP TABLE kept_captures AS TABLE captures; CREATE TEMP TABLE kept_snapshots AS TABLE snapshots;
		CREATE TEMP TABLE kept_staged AS TABLE staged_items; CREATE TEMP TABLE kept_sources AS TABLE sources`)
	current := `(SELECT min(c.chunk_ref) FROM chunks c JOIN documents d ON d.current_doc_hash = c.doc_hash
		AND d.current_generation = c.generation JOIN chunk_state s USING (chunk_ref) WHERE s.repeats = '' AND s.duplicate_of = '')`
	back := map[string]string{
		"runs": "kept_runs", "ir_segments": "kept_segments", "chunk_state": "kept_states", "knowledge": "kept_knowledge",
		"pages": "kept_pages", "chunk_manifests": "kept_manifests", "chunk_vectors": "kept_vectors", "chunk_log": "kept_log",
		"captures": "kept_captures", "snapshots": "kept_snapshots", "documents": "kept_documents", "staged_items": "kept_staged",
		"sources": "kept_sources",
	}
	for _, c := range []struct{ name, table, damage, want string }{
		{"a run is lost", "runs", `DELETE FROM runs WHERE state = 'failed'`, "is to be processed and has no run"},
		{"a run is another", "runs", `UPDATE runs SET state = 'partial' WHERE state = 'done'`, "is partial with 18 pages: 18 processed"},
		{"a run stands still", "runs", `UPDATE runs SET state = 'running', progress_at = now() - interval '1 day' WHERE state = 'done'`, "has not moved since"},
		{"a page is another", "pages", `UPDATE pages SET status = 'failed' WHERE page_no = 2`, "is done with 18 pages: 17 processed, 1 failed"},
		{"a page's row is lost", "pages", `DELETE FROM pages WHERE page_no = 2`, "has no row"},
		{"a page's record", "pages", `UPDATE pages SET record = record || '{"title": "other"}' WHERE page_no = 2`, "its row is not what its segment says"},
		{"a segment's row is lost", "ir_segments", `DELETE FROM ir_segments`, "is done with segments of 0 ranges"},
		{"a manifest is lost", "chunk_manifests", `DELETE FROM chunk_manifests`, "is done and has no manifest"},
		{"a manifest counts otherwise", "chunk_manifests", `UPDATE chunk_manifests SET chunk_count = 99`, "says 99 chunks and has"},
		{"a manifest's fingerprint", "chunk_manifests", `UPDATE chunk_manifests SET fingerprint = '00'`, "its fingerprint computes to"},
		{"two versions have one text", "chunk_manifests", `UPDATE chunk_manifests SET same_as = '' WHERE same_as <> ''`, "has chunks although an earlier version says the same"},
		{"a text stands twice", "chunk_state", `UPDATE chunk_state SET duplicate_of = '' WHERE duplicate_of <> ''`, "stands for it, and so does"},
		{"a duplicate of another", "chunk_state", `UPDATE chunk_state SET duplicate_of = 'x:0' WHERE duplicate_of <> ''`, "points to x:0"},
		{"nothing stands", "knowledge", `DELETE FROM knowledge`, "no chunk stands for it"},
		{"what is gone stands", "knowledge", `UPDATE knowledge SET chunk_ref = 'x:0'`, "x:0 stands for it, which does not exist"},
		{"a current chunk is archived", "chunk_state", `UPDATE chunk_state SET layer = 'archive' WHERE chunk_ref = ` + current, "is in layer archive, and its document's current version makes it hot"},
		{"since is another day", "chunk_state", `UPDATE chunk_state SET since = '2020-01-01' WHERE chunk_ref = ` + current, "is said since 2020-01-01"},
		{"what is repeated is gone", "chunk_state", `UPDATE chunk_state SET repeats = 'x:0' WHERE repeats <> ''`, "repeats x:0, which does not exist"},
		{"a circle of repeats", "chunk_state", `UPDATE chunk_state s SET repeats = r.chunk_ref FROM chunk_state r WHERE r.repeats = s.chunk_ref`, "has no beginning"},
		{"a state is lost", "chunk_state", `DELETE FROM chunk_state WHERE chunk_ref = ` + current, "has no state"},
		{"a revision", "chunk_state", `UPDATE chunk_state SET rev = rev + 1 WHERE chunk_ref = ` + current, "has revision 2, and its log 1 entries"},
		{"the log", "chunk_log", `DELETE FROM chunk_log`, "and its log 0 entries"},
		{"a vector of no chunk", "chunk_vectors", `UPDATE chunk_vectors SET chunk_ref = 'x:0' WHERE chunk_ref = ` + current, "vector of x:0"},
		{"a vector's point", "chunk_vectors", `UPDATE chunk_vectors SET point_id = gen_random_uuid() WHERE chunk_ref = ` + current, "has another point_id"},
		{"a snapshot's time", "snapshots", `UPDATE snapshots SET retrieved_at = retrieved_at + interval '1 microsecond'`, "its columns are not those of its record"},
		{"a snapshot's time, in its record too", "snapshots", `UPDATE snapshots SET retrieved_at = '2026-03-04T08:00:00Z',
			record = record || '{"retrieved_at": "2026-03-04T08:00:00Z"}'`, "was retrieved at 2026-03-04T08:00:00Z, and its request says 2026-03-01T08:00:00Z"},
		{"a snapshot is not processed", "snapshots", `UPDATE snapshots SET process = false`, "is not to be processed although its request stored it"},
		{"a container is processed", "snapshots", `UPDATE snapshots SET process = true`, "is to be processed although it is a container"},
		{"an unchanged one is processed", "captures, snapshots", `UPDATE captures SET outcome = 'unchanged'`, "is to be processed although no other one has its bytes"},
		{"an unchanged one has other bytes", "captures, snapshots", `UPDATE captures SET outcome = 'unchanged'; UPDATE snapshots SET process = false`,
			"is not to be processed although no other one has its bytes"},
		{"what is read of a snapshot", "snapshots", `UPDATE snapshots SET reads_digest = repeat('0', 64)`, "its reads_digest is not that of its record"},
		{"a version is none", "snapshots", `UPDATE snapshots SET version = false`, "is a version of its document, and is not recorded as one"},
		{"a repeat is a version", "snapshots", `UPDATE snapshots SET version = true`, "is recorded as a version, and is a capture of "},
		{"a manifest's pages", "chunk_manifests", `UPDATE chunk_manifests SET meta = meta || '{"pages": 77}'`, "what it counts of its pages computes to {Pages:"},
		{"a manifest's tables", "chunk_manifests", `UPDATE chunk_manifests SET meta = meta || '{"tables": 77}'`, "what it counts of its pages computes to {Pages:"},
		{"half of a manifest's counts", "chunk_manifests", `UPDATE chunk_manifests SET meta = meta - 'ocr_pages'`, "has meta that nothing writes"},
		{"a document's tags", "documents", `UPDATE documents SET meta = meta || '{"tags": ["other"]}' WHERE meta <> '{}'`, "its current version says"},
		{"a document's URL in its meta", "documents", `UPDATE documents SET meta = meta || '{"url": "https://other.example/"}' WHERE meta <> '{}'`, "its current version says"},
		{"a manifest's failed pages", "chunk_manifests", `UPDATE chunk_manifests SET failed_pages = 7`, "says that 7 pages failed, its segments 0"},
		{"a request is lost", "captures", `DELETE FROM captures`, "its request is not there"},
		{"a request is lost that is a member", "captures", `DELETE FROM captures WHERE container <> ''`, "its request is not there"},
		{"a request was refused", "captures", `UPDATE captures SET outcome = 'rejected', snapshot_id = '', document_id = ''`, "its request ended rejected with none"},
		{"a request is open", "captures", `UPDATE captures SET outcome = NULL`, "its request ended never"},
		{"a request stored nothing", "captures", `UPDATE captures SET snapshot_id = ''`, "ended stored with a snapshot that is not its own: none"},
		{"a request stored another's", "captures", `UPDATE captures SET snapshot_id = (SELECT min(snapshot_id) FROM snapshots WHERE source_id = 'herald')
			WHERE source_id = 'council'`, "ended stored with a snapshot that is not its own: snap_"},
		{"a duplicate of another source's", "captures", `UPDATE captures SET outcome = 'duplicate', snapshot_id = (SELECT min(snapshot_id)
			FROM snapshots WHERE source_id = 'herald') WHERE source_id = 'council'`, "ended duplicate with a snapshot that is not its own: snap_"},
		{"a request's digest", "captures", `UPDATE captures SET request_digest = repeat('0', 64)`, "its request's digest computes to"},
		{"a request", "captures", `UPDATE captures SET request = request || '{"region": "XX"}'`, "its request's digest computes to"},
		{"a source is lost", "sources", `DELETE FROM sources WHERE source_id = 'herald'`, "source herald: has documents and is not in the registry"},
		{"a manifest's URL", "chunk_manifests", `UPDATE chunk_manifests SET canonical_url = 'http://other.example/'`, "its columns are not those of its snapshot"},
		{"a manifest's file", "chunk_manifests", `UPDATE chunk_manifests SET source_file = 'other'`, "its columns are not those of its snapshot"},
		{"a document's identity", "documents", `UPDATE documents SET external_id = external_id || 'x'`, "its columns are not those of its newest snapshot"},
		{"a document's bytes", "documents", `UPDATE documents SET content_hash = 'sha256:' || repeat('0', 64)`, "its columns are not those of its newest snapshot"},
		{"a document's date", "documents", `UPDATE documents SET last_modified = '1999-01-01'`, "its columns are not those of its newest snapshot"},
		{"a document's ETag", "documents", `UPDATE documents SET etag = 'x'`, "its columns are not those of its newest snapshot"},
		{"a document's host", "documents", `UPDATE documents SET host = 'other.example'`, "its host other.example is not that of its URL"},
		{"a document's title", "documents", `UPDATE documents SET title = 'Other'`, "its fingerprint, title or language is not that"},
		{"a document's language", "documents", `UPDATE documents SET language = 'xx'`, "its fingerprint, title or language is not that"},
		{"a document's fingerprint", "documents", `UPDATE documents SET fingerprint = '00'`, "its fingerprint, title or language is not that"},
		{"a document's status", "documents", `UPDATE documents SET ingest_status = 'error', error_message = 'x'`, "is error while its newest run is done"},
		{"a document's failure is hidden", "documents", `UPDATE documents SET ingest_status = 'done', error_message = ''`, "is done while its newest run is failed"},
		{"a document is not staged", "staged_items", `DELETE FROM staged_items`, "was made into chunks and was never staged"},
		{"the log begins with another", "chunk_log", `UPDATE chunk_log SET change = 'superseded'`, "revision 1: says superseded"},
		{"the log removes what lives", "chunk_log", `UPDATE chunk_log SET change = 'removed' WHERE rev > 1`, "revision 2: says removed"},
		{"the log creates twice", "chunk_log", `UPDATE chunk_log SET change = 'created'`, "revision 2: says created"},
		{"the log's run", "chunk_log", `UPDATE chunk_log SET redo = 7`, "its log says by"},
		{"the log's replacement", "chunk_log", `UPDATE chunk_log SET replaced_by = 'x:0' WHERE rev > 1`, "is replaced by what does not exist: x:0"},
		{"a vector of the future", "chunk_vectors", `UPDATE chunk_vectors SET pushed_rev = 9`, "was pushed at revision 9"},
		{"a vector of the past", "chunk_vectors", `UPDATE chunk_vectors SET pushed_rev = 0`, "was pushed at revision 0"},
		{"a vector is not said", "chunk_vectors", `DELETE FROM chunk_vectors`, "is the point of no chunk"},
	} {
		l.sql(c.damage)
		l.finds(c.name, c.want)
		for table := range strings.SplitSeq(c.table, ", ") {
			// Rows that others refer to are put back without being missed.
			l.sql(`SET session_replication_role = replica; DELETE FROM ` + table + `; INSERT INTO ` + table + ` SELECT * FROM ` + back[table] +
				`; RESET session_replication_role`)
		}
	}
	l.sql(`UPDATE documents SET current_generation = 7`)
	l.finds("another version is current", "its current version is not its newest one")
	l.sql(`UPDATE documents d SET current_generation = k.current_generation FROM kept_documents k WHERE k.document_id = d.document_id`)

	l.sql(`DELETE FROM chunk_state WHERE chunk_ref = ` + current)
	l.sql(`DELETE FROM chunks c WHERE NOT EXISTS (SELECT 1 FROM chunk_state s WHERE s.chunk_ref = c.chunk_ref)`)
	l.finds("a chunk is lost", "is in no chunk: ")
	l.sql(`INSERT INTO chunks SELECT * FROM kept_chunks ON CONFLICT DO NOTHING; INSERT INTO chunk_state SELECT * FROM kept_states ON CONFLICT DO NOTHING`)
	ref := l.evidence()
	l.sql(`SET session_replication_role = replica; UPDATE chunks SET chunk_ref = 'lost' WHERE chunk_ref = '` + ref + `'`)
	l.finds("the evidence of a note is lost", "evidence "+ref+": does not exist")
	l.sql(`UPDATE chunks SET chunk_ref = '` + ref + `' WHERE chunk_ref = 'lost'; RESET session_replication_role`)
	l.stores()
	l.sound("after all")
}

// stores takes objects and points away, and puts in some that are nobody's.
func (l *library) stores() {
	ctx := l.Context()
	for b, part := range map[blobstore.Bucket]string{blobstore.Raw: "", blobstore.Derived: "/ir/"} {
		for object, err := range l.sys.Blobs.List(ctx, b, "") {
			l.must(err)
			if object.Size == 0 || !strings.Contains(object.Key, part) {
				continue
			}
			data, err := l.sys.Blobs.Get(ctx, b, object.Key, "")
			l.must(err)
			l.must(l.sys.Blobs.Delete(ctx, b, object.Key))
			l.finds("an object is lost", "does not exist")
			l.putObject(b, object.Key, data)
			digit := strings.LastIndexAny(strings.TrimSuffix(object.Key, ".jsonl.zst"), "0123456789abcdef")
			other := map[bool]string{true: "0", false: "1"}[object.Key[digit] != '0']
			_, rest, _ := strings.Cut(object.Key, "/")
			for stranger, want := range map[string]string{
				object.Key[:digit] + other + object.Key[digit+1:]: "no row names it",
				"elsewhere/" + rest:    "no row names it",
				object.Key + "x":       "nothing writes an object of such a name",
				"copies/" + object.Key: "nothing writes an object of such a name",
				"copy of " + rest:      "nothing writes an object of such a name",
			} {
				l.putObject(b, stranger, data)
				l.finds("an object is nobody's", "object "+string(b)+"/"+stranger+": "+want)
				l.must(l.sys.Blobs.Delete(ctx, b, stranger))
			}
			break
		}
	}
	var id string
	l.must(l.pg.QueryRow(ctx, `SELECT min(point_id::text) FROM chunk_vectors WHERE present`).Scan(&id))
	points, err := l.qdrant.Get(ctx, &qdrant.GetPoints{CollectionName: l.alias, Ids: []*qdrant.PointId{qdrant.NewIDUUID(id)},
		WithPayload: qdrant.NewWithPayload(true), WithVectors: qdrant.NewWithVectors(true)})
	l.must(err)
	remove := func(id string) {
		wait := true
		_, err := l.qdrant.Delete(ctx, &qdrant.DeletePoints{CollectionName: l.alias, Wait: &wait,
			Points: qdrant.NewPointsSelectorIDs([]*qdrant.PointId{qdrant.NewIDUUID(id)})})
		l.must(err)
	}
	remove(id)
	l.finds("a point is lost", "its point is not there")
	l.upsert(points[0], points[0].GetPayload())
	const stranger = "01234567-0123-4123-8123-0123456789ab"
	points[0].Id = qdrant.NewIDUUID(stranger)
	l.upsert(points[0], points[0].GetPayload())
	l.finds("a point is nobody's", "point "+stranger)
	remove(stranger)
	l.vectors(id)
	l.damagedTogether()
}

// vectors takes the vectors of a point away, one and the other, and changes them.
func (l *library) vectors(id string) {
	ctx := l.Context()
	points, err := l.qdrant.Get(ctx, &qdrant.GetPoints{CollectionName: l.alias, Ids: []*qdrant.PointId{qdrant.NewIDUUID(id)},
		WithPayload: qdrant.NewWithPayload(true), WithVectors: qdrant.NewWithVectors(true)})
	l.must(err)
	have := points[0].GetVectors().GetVectors().GetVectors()
	dense, sparse := have["dense"].GetDense().GetData(), have["sparse"].GetSparse()
	put := func(dense []float32, withSparse bool) {
		named := map[string]*qdrant.Vector{}
		if dense != nil {
			named["dense"] = qdrant.NewVectorDense(dense)
		}
		if withSparse {
			named["sparse"] = qdrant.NewVectorSparse(sparse.GetIndices(), sparse.GetValues())
		}
		wait := true
		_, err := l.qdrant.Upsert(ctx, &qdrant.UpsertPoints{CollectionName: l.alias, Wait: &wait, Points: []*qdrant.PointStruct{
			{Id: points[0].GetId(), Payload: points[0].GetPayload(), Vectors: qdrant.NewVectorsMap(named)},
		}})
		l.must(err)
	}
	put(nil, true)
	l.finds("no dense vector", "has no dense vector")
	put(dense, false)
	l.finds("no sparse vector", "has no sparse vector")
	put(make([]float32, len(dense)), true)
	l.finds("a dense vector of zeros", "has a dense vector that is not that of its content")
	put(slices.Concat(dense[1:], dense[:1]), true)
	l.finds("another dense vector", "has a dense vector that is not that of its content")
	put(dense, true)
}

// damagedTogether does damage of which each alone once ended the pass, all at once, and
// sees that the command goes on to its end and names each.
func (l *library) damagedTogether() {
	tables := []string{"ir_segments", "runs", "chunk_manifests", "collections", "snapshots", "documents"}
	for _, t := range tables {
		l.sql(`CREATE TEMP TABLE whole_` + t + ` AS TABLE ` + t)
	}
	l.sql(`SET session_replication_role = replica;
		UPDATE ir_segments SET object_key = '' WHERE ctid = (SELECT min(ctid) FROM ir_segments);
		UPDATE runs SET facts_key = ' ' WHERE ctid = (SELECT ctid FROM runs WHERE facts_key <> '' LIMIT 1);
		UPDATE chunk_manifests SET meta = meta || '{"same_as_generation": ""}' WHERE same_as <> '';
		UPDATE collections SET name = '';
		UPDATE snapshots SET record = (SELECT o.record FROM snapshots o WHERE o.final_type = 'html' ORDER BY o.snapshot_id LIMIT 1) WHERE snapshot_kind = 'container';
		UPDATE documents SET host = 'damaged.example' WHERE document_id = (SELECT min(document_id) FROM documents);
		RESET session_replication_role`)
	var out, problems bytes.Buffer
	if code := run(l.Context(), []string{"--dir", l.cli.Dir, "verify", "--all", "--age", "0s"}, &out, &problems); code != 3 {
		l.Errorf("damaged together: exit %d: %s", code, &problems)
	}
	for _, want := range []string{
		"its object_key is not made of its run, range and digest", `its facts_key " " is not made of their digest`,
		"is the same as one that does not exist", "collection : alias, model and dimensions make its name",
		"its columns are not those of its record", "its host damaged.example is not that of its URL", "member ",
	} {
		if !strings.Contains(out.String(), want) {
			l.Errorf("damaged together: not found: %q in\n%s", want, &out)
		}
	}
	for _, t := range tables {
		l.sql(`SET session_replication_role = replica; DELETE FROM ` + t + `; INSERT INTO ` + t + ` SELECT * FROM whole_` + t + `; RESET session_replication_role`)
	}
}

func (l *library) sql(statements string) {
	l.Helper()
	if _, err := l.pg.Exec(l.Context(), statements); err != nil {
		l.Fatalf("%s: %v", statements, err)
	}
}

// finds verifies everything and looks for a break.
func (l *library) finds(name, want string) {
	l.Helper()
	breaks := l.find(flip{}, true)
	if !slices.ContainsFunc(breaks, func(b string) bool { return strings.Contains(b, want) }) {
		l.Errorf("%s: not found: %q in\n%s", name, want, strings.Join(breaks, "\n"))
	}
}
