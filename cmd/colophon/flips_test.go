package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/qdrant/go-client/qdrant"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/operate"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/verify"
)

// flip is one byte of a store that was changed.
type flip struct {
	what     string
	snapshot string
	chunk    string // "" when no chunk's
	place    string // what some break must name
	restore  func()
}

// damage draws one flip of its kind. It returns false where the drawn byte is
// none that a store can hold, or leaves the decoded value equal.
type damage func(r *rand.Rand) (flip, bool)

// flips changes single bytes of raw objects, facts, segments, chunks and
// payloads, one at a time, and sees that verify finds each and names its place,
// and finds nothing before and after. COLOPHON_FLIPS says how many.
func (l *library) flips(t *testing.T) {
	l.T = t
	count, seed := 150, uint64(1)
	if given := os.Getenv("COLOPHON_FLIPS"); given != "" {
		var err error
		count, err = strconv.Atoi(given)
		l.must(err)
	}
	if given := os.Getenv("COLOPHON_FLIPS_SEED"); given != "" {
		var err error
		seed, err = strconv.ParseUint(given, 10, 64)
		l.must(err)
	}
	l.sound("before")
	kinds := map[string]damage{
		"raw": l.flipObject(blobstore.Raw, ""), "facts": l.flipObject(blobstore.Derived, "/facts/"),
		"segment": l.flipObject(blobstore.Derived, "/ir/"), "text": l.flipText("text"), "content": l.flipText("content"),
		"provenance": l.flipJSON("provenance", func() any { return new(model.Provenance) }),
		"record":     l.flipJSON("record", func() any { return new(model.Chunk) }),
		"column":     l.flipColumn(), "payload": l.flipPayload(), "evidence": l.flipEvidence(),
	}
	names := slices.Sorted(maps.Keys(kinds))
	r := rand.New(rand.NewPCG(seed, 0))
	missed, began := 0, time.Now()
	for i := range count {
		name := names[i%len(names)]
		f, ok := kinds[name](r)
		for !ok {
			f, ok = kinds[name](r)
		}
		breaks := l.find(f, i%50 == 49)
		f.restore()
		if !slices.ContainsFunc(breaks, func(b string) bool { return strings.Contains(b, f.place) }) {
			missed++
			t.Errorf("flip %d, %s of %s: not found at %q: %v", i, f.what, f.snapshot, f.place, breaks)
		}
	}
	l.sound("after")
	t.Logf("seed %d: %d flips in %.1f s, %d not found", seed, count, time.Since(began).Seconds(), missed)
}

// sound verifies everything and accepts no break.
func (l *library) sound(when string) {
	l.Helper()
	l.out.Reset()
	total, err := operate.VerifySweep(l.Context(), l.cli, l.sys, operate.VerifyOptions{All: true})
	l.must(err)
	if total.Broken > 0 || total.Breaks > 0 || total.Chunks < 15 || total.Verified != total.Chunks {
		l.Fatalf("%s the flips: %+v\n%s", when, total, l.out)
	}
}

// find verifies what a flip touches, or everything, and returns the breaks with
// their chunks.
func (l *library) find(f flip, all bool) (breaks []string) {
	l.Helper()
	add := func(where string, found []proof.Break) {
		for _, b := range found {
			breaks = append(breaks, fmt.Sprintf("%s (%s) %s: %s", where, b.Step, b.Where, b.What))
		}
	}
	group := func(g verify.Group) error {
		for _, p := range g.Proofs {
			add(p.ChunkRef, p.Breaks)
		}
		add(g.SnapshotID, g.Breaks)
		return nil
	}
	if all {
		sweep := verify.Sweep{Reader: l.sys.Reader}
		l.must(sweep.Run(l.Context(), "", group))
		found, err := l.sys.Reader.Stores(l.Context(), time.Now(), time.Now())
		l.must(err)
		add("", found)
		return breaks
	}
	g, err := l.sys.Reader.Group(l.Context(), f.snapshot)
	l.must(err)
	l.must(group(g))
	s, err := l.sys.DB.Snapshot(l.Context(), f.snapshot)
	l.must(err)
	found, err := l.sys.Reader.Rows(l.Context(), s.DocumentID, time.Now())
	l.must(err)
	add("", found)
	return breaks
}

// flipped returns data with one byte changed.
func flipped(r *rand.Rand, data []byte) []byte {
	out := bytes.Clone(data)
	out[r.IntN(len(out))] ^= byte(1 + r.IntN(255))
	return out
}

func (l *library) flipObject(b blobstore.Bucket, part string) damage {
	var keys []string
	for object, err := range l.sys.Blobs.List(l.Context(), b, "") {
		l.must(err)
		if object.Size > 0 && strings.Contains(object.Key, part) {
			keys = append(keys, object.Key)
		}
	}
	return func(r *rand.Rand) (flip, bool) {
		key := keys[r.IntN(len(keys))]
		data, err := l.sys.Blobs.Get(l.Context(), b, key, "")
		l.must(err)
		f := flip{what: key, restore: func() { l.putObject(b, key, data) }}
		switch parts := strings.Split(key, "/"); {
		case b == blobstore.Raw:
			l.must(l.pg.QueryRow(l.Context(), `SELECT snapshot_id FROM snapshots WHERE source_id = $1 AND content_hash = 'sha256:' || $2
				ORDER BY 1 LIMIT 1`, parts[0], parts[3]).Scan(&f.snapshot))
			f.place = "raw bytes of " + f.snapshot
		case part == "/facts/":
			f.snapshot, _, _ = strings.Cut(parts[3], ".")
			f.place = "document facts of " + f.snapshot
		default:
			f.snapshot = parts[3]
			f.place = "segment of pages "
		}
		l.putObject(b, key, flipped(r, data))
		return f, true
	}
}

func (l *library) putObject(b blobstore.Bucket, key string, data []byte) {
	l.must(l.sys.Blobs.Delete(l.Context(), b, key))
	_, err := l.sys.Blobs.PutOnce(l.Context(), b, key, data, "application/octet-stream")
	l.must(err)
}

// chunk draws a chunk and returns a column of it as text.
func (l *library) chunk(r *rand.Rand, column string) (f flip, value string) {
	l.must(l.pg.QueryRow(l.Context(), `SELECT chunk_ref, snapshot_id, `+column+`::text FROM chunks ORDER BY chunk_ref
		OFFSET $1 % (SELECT count(*) FROM chunks) LIMIT 1`, r.IntN(1<<30)).Scan(&f.chunk, &f.snapshot, &value))
	f.what, f.place = column+" of "+f.chunk, f.chunk
	f.restore = func() { l.set(f.chunk, column, value) }
	return f, value
}

func (l *library) set(ref, column, value string) {
	kind := "text"
	if column == "record" || column == "provenance" {
		kind = "jsonb"
	}
	_, err := l.pg.Exec(l.Context(), `UPDATE chunks SET `+column+` = $2::text::`+kind+` WHERE chunk_ref = $1`, ref, value)
	l.must(err)
}

func (l *library) flipText(column string) damage {
	return func(r *rand.Rand) (flip, bool) {
		f, value := l.chunk(r, column)
		changed := string(flipped(r, []byte(value)))
		if !utf8.ValidString(changed) || strings.ContainsRune(changed, 0) {
			return f, false
		}
		l.set(f.chunk, column, changed)
		return f, true
	}
}

// flipEvidence changes the chunk that a note points to, and has the note verified: what it
// says is proved no more.
func (l *library) flipEvidence() damage {
	ref := l.evidence()
	var noted, text string
	l.must(l.pg.QueryRow(l.Context(), `SELECT snapshot_id FROM snapshots WHERE source_id = 'knowledge'`).Scan(&noted))
	l.must(l.pg.QueryRow(l.Context(), `SELECT text FROM chunks WHERE chunk_ref = $1`, ref).Scan(&text))
	return func(r *rand.Rand) (flip, bool) {
		f := flip{what: "text of " + ref + ", the evidence", snapshot: noted, chunk: ref, place: "evidence " + ref,
			restore: func() { l.set(ref, "text", text) }}
		changed := string(flipped(r, []byte(text)))
		if !utf8.ValidString(changed) || strings.ContainsRune(changed, 0) {
			return f, false
		}
		l.set(ref, "text", changed)
		return f, true
	}
}

func (l *library) flipColumn() damage {
	columns := []string{"text_hash", "content_text_hash", "source_type", "source_id", "snapshot_id", "document_id"}
	return func(r *rand.Rand) (flip, bool) {
		column := columns[r.IntN(len(columns))]
		f, value := l.chunk(r, column)
		changed := string(flipped(r, []byte(value)))
		if !utf8.ValidString(changed) || strings.ContainsRune(changed, 0) {
			return f, false
		}
		l.set(f.chunk, column, changed)
		return f, true
	}
}

func (l *library) flipJSON(column string, decoded func() any) damage {
	return func(r *rand.Rand) (flip, bool) {
		f, value := l.chunk(r, column)
		changed := flipped(r, []byte(value))
		if !utf8.Valid(changed) || !json.Valid(changed) || bytes.Contains(changed, []byte(`\u0000`)) {
			return f, false
		}
		was, is := decoded(), decoded()
		l.must(json.Unmarshal([]byte(value), was))
		if err := json.Unmarshal(changed, is); err == nil && reflect.DeepEqual(was, is) {
			return f, false
		}
		l.set(f.chunk, column, string(changed))
		return f, true
	}
}

func (l *library) flipPayload() damage {
	return func(r *rand.Rand) (flip, bool) {
		var f flip
		var id string
		l.must(l.pg.QueryRow(l.Context(), `SELECT chunk_ref, snapshot_id, point_id::text FROM chunks JOIN chunk_state s USING (chunk_ref)
			WHERE s.repeats = '' AND s.duplicate_of = '' ORDER BY chunk_ref
			OFFSET $1 % (SELECT count(*) FROM chunk_state WHERE repeats = '' AND duplicate_of = '') LIMIT 1`, r.IntN(1<<30)).
			Scan(&f.chunk, &f.snapshot, &id))
		points, err := l.qdrant.Get(l.Context(), &qdrant.GetPoints{CollectionName: l.alias, Ids: []*qdrant.PointId{qdrant.NewIDUUID(id)},
			WithPayload: qdrant.NewWithPayload(true), WithVectors: qdrant.NewWithVectors(true)})
		l.must(err)
		was := points[0].GetPayload()
		keys := slices.DeleteFunc(slices.Sorted(maps.Keys(was)), func(k string) bool { return k == "pushed_at" })
		key := keys[r.IntN(len(keys))]
		changed := maps.Clone(was)
		if !changeField(r, changed, key) {
			return f, false
		}
		f.what, f.place = "payload field "+key+" of "+f.chunk, "point "+id
		f.restore = func() { l.upsert(points[0], was) }
		l.upsert(points[0], changed)
		return f, true
	}
}

// changeField changes one byte of a field's key or value as JSON has them.
func changeField(r *rand.Rand, payload map[string]*qdrant.Value, key string) bool {
	value := payload[key]
	if r.IntN(4) == 0 {
		other := string(flipped(r, []byte(key)))
		if !utf8.ValidString(other) || payload[other] != nil {
			return false
		}
		delete(payload, key)
		payload[other] = value
		return true
	}
	switch v := value.GetKind().(type) {
	case *qdrant.Value_StringValue:
		text := string(flipped(r, []byte(v.StringValue)))
		payload[key] = qdrant.NewValueString(text)
		return utf8.ValidString(text)
	case *qdrant.Value_IntegerValue:
		text := string(flipped(r, strconv.AppendInt(nil, v.IntegerValue, 10)))
		var number json.Number
		if err := json.Unmarshal([]byte(text), &number); err != nil {
			return false
		}
		if n, err := number.Int64(); err == nil {
			payload[key] = qdrant.NewValueInt(n)
			return n != v.IntegerValue
		}
		n, err := number.Float64()
		payload[key] = qdrant.NewValueDouble(n)
		return err == nil
	default:
		return false
	}
}

func (l *library) upsert(p *qdrant.RetrievedPoint, payload map[string]*qdrant.Value) {
	l.Helper()
	vectors := p.GetVectors().GetVectors().GetVectors()
	named := map[string]*qdrant.Vector{"dense": qdrant.NewVectorDense(vectors["dense"].GetDense().GetData())}
	if sparse := vectors["sparse"].GetSparse(); len(sparse.GetIndices()) > 0 {
		named["sparse"] = qdrant.NewVectorSparse(sparse.GetIndices(), sparse.GetValues())
	}
	wait := true
	_, err := l.qdrant.Upsert(l.Context(), &qdrant.UpsertPoints{CollectionName: l.alias, Wait: &wait, Points: []*qdrant.PointStruct{
		{Id: p.GetId(), Payload: payload, Vectors: qdrant.NewVectorsMap(named)},
	}})
	l.must(err)
}
