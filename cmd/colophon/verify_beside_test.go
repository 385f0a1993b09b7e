package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/qdrant/go-client/qdrant"

	"github.com/colophon-dev/colophon/pkg/blobstore"
)

// verifyAll runs the command, and returns its exit status and all that it says.
func (l *library) verifyAll() (code int, said string) {
	l.Helper()
	var out bytes.Buffer
	code = run(l.Context(), []string{"--dir", l.cli.Dir, "verify", "--all", "--age", "0s"}, &out, &out)
	return code, out.String()
}

// keys puts objects below the prefix that the store keeps for itself: only the probe is the
// product's.
func (l *library) keys() {
	for _, b := range []blobstore.Bucket{blobstore.Raw, blobstore.Derived} {
		for _, key := range []string{".colophon/x.bin", ".colophon/probe2", ".colophon/ready"} {
			l.putObject(b, key, []byte("x"))
			l.finds("an object below our prefix", "object "+string(b)+"/"+key+": nothing writes an object of such a name")
			l.must(l.sys.Blobs.Delete(l.Context(), b, key))
		}
	}
	l.sound("without the objects below our prefix")
}

// refused sees that a window is missed of a URL whose fetch was refused, and only then.
func (l *library) refused() {
	l.sql(`INSERT INTO captures (source_id, request_id, request_digest, request, url_canonical, outcome, reason)
		VALUES ('herald', 'refused', '', '{"url": "https://refused.example/"}', 'https://refused.example/', 'rejected', 'fetch_refused')`)
	const missed = "there is no window of https://refused.example/"
	l.finds("a window of a refused fetch", missed)
	l.sql(`INSERT INTO fetch_windows (source_id, url_canonical, url_digest) VALUES ('herald', 'https://refused.example/', sha256('https://refused.example/'))`)
	if found := strings.Join(l.find(flip{}, true), "\n"); strings.Contains(found, missed) {
		l.Errorf("its window is there: %s", found)
	}
	l.sql(`DELETE FROM fetch_windows WHERE url_canonical LIKE 'https://refused%'; DELETE FROM captures WHERE request_id = 'refused'`)
}

// pushed changes the time that a point says it was pushed at.
func (l *library) pushed() {
	ctx := l.Context()
	var id string
	l.must(l.pg.QueryRow(ctx, `SELECT min(point_id::text) FROM chunk_vectors WHERE present`).Scan(&id))
	points, err := l.qdrant.Get(ctx, &qdrant.GetPoints{CollectionName: l.alias, Ids: []*qdrant.PointId{qdrant.NewIDUUID(id)},
		WithPayload: qdrant.NewWithPayload(true), WithVectors: qdrant.NewWithVectors(true)})
	l.must(err)
	payload := points[0].GetPayload()
	right := payload["pushed_at"]
	for _, at := range []string{"", "left out", "yesterday", "2099-01-01T00:00:00Z", "2026-03-05T00:00:00+01:00", "2026-03-05"} {
		if payload["pushed_at"] = qdrant.NewValueString(at); at == "left out" {
			delete(payload, "pushed_at")
		}
		l.upsert(points[0], payload)
		l.finds("pushed at "+at, "says that it was pushed ")
	}
	payload["pushed_at"] = right
	l.upsert(points[0], payload)
	l.sound("pushed at its time")
}

// registry makes collections and aliases in the vector store that no row names.
func (l *library) registry() {
	ctx := l.Context()
	var name string
	l.must(l.pg.QueryRow(ctx, `SELECT name FROM collections WHERE state = 'active'`).Scan(&name))
	create := func(name string) {
		l.must(l.qdrant.CreateCollection(ctx, &qdrant.CreateCollection{CollectionName: name,
			VectorsConfig: qdrant.NewVectorsConfigMap(map[string]*qdrant.VectorParams{"dense": {Size: 4, Distance: qdrant.Distance_Cosine}})}))
	}
	own, foreign, neighbour := l.alias+"_other-model_4", "somebody-elses_"+l.alias+"_4", l.alias+"_b"
	create(own)
	l.finds("a collection of our name", "collection "+own+": is called as one of alias "+l.alias)
	l.must(l.qdrant.DeleteCollection(ctx, own))
	create(foreign)
	create(neighbour + "_model_4") // of an installation with the alias that is longer
	l.must(l.qdrant.CreateAlias(ctx, neighbour, neighbour+"_model_4"))
	l.sound("beside the collections of others")
	l.must(l.qdrant.DeleteAlias(ctx, neighbour))
	l.must(l.qdrant.DeleteCollection(ctx, foreign))
	l.must(l.qdrant.DeleteCollection(ctx, neighbour+"_model_4"))
	l.must(l.qdrant.CreateAlias(ctx, l.alias+"-second", name))
	l.finds("a second alias", "alias "+l.alias+"-second: leads to collection "+name)
	l.must(l.qdrant.DeleteAlias(ctx, l.alias+"-second"))
	l.sound("with one alias")
}

// lost takes tables and a column away, and sees that they are named, and other damage beside
// them.
func (l *library) lost() {
	l.sql(`UPDATE documents SET host = host || 'x'`)
	for _, table := range []string{"knowledge", "fetch_windows", "chunk_vectors", "pages", "chunks", "bindings", "collections"} {
		l.sql(`ALTER TABLE ` + table + ` RENAME TO away`)
		code, said := l.verifyAll()
		if code != 3 || !strings.Contains(said, "table "+table+": is not in the catalog") || !strings.Contains(said, "is not that of its URL") {
			l.Errorf("without %s: exit %d: %s", table, code, said)
		}
		l.sql(`ALTER TABLE away RENAME TO ` + table)
	}
	l.sql(`ALTER TABLE snapshots RENAME TO away`)
	if code, said := l.verifyAll(); code != 3 || !strings.Contains(said, "table snapshots: is not in the catalog") {
		l.Errorf("without snapshots: exit %d: %s", code, said)
	}
	l.sql(`ALTER TABLE away RENAME TO snapshots`)
	l.sql(`ALTER TABLE chunk_state RENAME COLUMN since TO away`)
	if code, said := l.verifyAll(); code != 3 || !strings.Contains(said, "column chunk_state.since: is not in the catalog") {
		l.Errorf("without a column: exit %d: %s", code, said)
	}
	l.sql(`ALTER TABLE chunk_state RENAME COLUMN away TO since`)
	l.sql(`CREATE TABLE kept_versions AS TABLE goose_db_version; DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`)
	l.finds("an older version", "this build needs")
	l.sql(`DELETE FROM goose_db_version; INSERT INTO goose_db_version OVERRIDING SYSTEM VALUE SELECT * FROM kept_versions; DROP TABLE kept_versions`)
	l.sql(`UPDATE documents SET host = left(host, -1)`)
	l.sound("with all tables")
}

// nothing takes every row away, and says what there is to say of an empty catalog.
func (l *library) nothing() {
	var tables []string
	rows, err := l.pg.Query(l.Context(), `SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT IN ('goose_db_version', 'collections', 'sources')
		AND tablename NOT LIKE 'kept%'`)
	l.must(err)
	for rows.Next() {
		var name string
		l.must(rows.Scan(&name))
		tables = append(tables, name)
	}
	l.must(rows.Err())
	slices.Sort(tables)
	l.sql(`TRUNCATE ` + strings.Join(tables, ", "))
	for _, b := range []blobstore.Bucket{blobstore.Raw, blobstore.Derived} {
		for object, err := range l.sys.Blobs.List(l.Context(), b, "") {
			l.must(err)
			l.must(l.sys.Blobs.Delete(l.Context(), b, object.Key))
		}
	}
	wait := true
	_, err = l.qdrant.Delete(l.Context(), &qdrant.DeletePoints{CollectionName: l.alias, Wait: &wait, Points: qdrant.NewPointsSelectorFilter(&qdrant.Filter{})})
	l.must(err)
	if code, said := l.verifyAll(); code != 0 || !strings.Contains(said, "the catalog has no captures: there was nothing to verify") {
		l.Errorf("a new system: exit %d: %s", code, said)
	}
	l.sql(`INSERT INTO captures (source_id, request_id, request_digest, request, outcome) VALUES ('herald', 'one', '', '{}', 'rejected')`)
	if _, said := l.verifyAll(); !strings.Contains(said, "none of which is to have chunks") {
		l.Errorf("a request that was rejected: %s", said)
	}
	l.sql(`SET session_replication_role = replica; INSERT INTO snapshots (SELECT * FROM kept_snapshots WHERE process LIMIT 1)`)
	if code, said := l.verifyAll(); code != 3 || !strings.Contains(said, "1 of its snapshots are to have some: nothing was verified") {
		l.Errorf("a snapshot without chunks: exit %d: %s", code, said)
	}
}

// TestVerifyBesideTheRows holds what is kept beside the rows against them: keys, windows,
// points, collections, aliases, tables, and nothing at all.
func TestVerifyBesideTheRows(t *testing.T) {
	l := newLibrary(t)
	l.sql(`CREATE TABLE kept_snapshots AS TABLE snapshots`)
	l.sound("at first")
	l.keys()
	l.refused()
	l.pushed()
	l.registry()
	l.lost()
	l.nothing()
}
