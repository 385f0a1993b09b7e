package vectorstore

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/fault"
)

const dimensions = 4

// server returns the address to test against, and a name that no other test
// uses. COLOPHON_TEST_QDRANT_ADDR names a server of one's own; otherwise it is
// the embedded subset.
func server(t *testing.T) (addr, name string) {
	t.Helper()
	if addr := os.Getenv("COLOPHON_TEST_QDRANT_ADDR"); addr != "" {
		var id [8]byte
		if _, err := rand.Read(id[:]); err != nil {
			t.Fatal(err)
		}
		return addr, "test_" + hex.EncodeToString(id[:])
	}
	env := devtest.Start(t)
	return env.QdrantAddr, env.Collection
}

func open(t *testing.T) (client *Client, name string) {
	t.Helper()
	addr, name := server(t)
	client, err := Open(t.Context(), Config{Addr: addr})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return client, name
}

func collection(t *testing.T) *Collection {
	t.Helper()
	client, name := open(t)
	return ensure(t, client, name)
}

func ensure(t *testing.T, client *Client, name string) *Collection {
	t.Helper()
	c := client.Collection(name)
	if err := c.Ensure(t.Context(), dimensions); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Drop(context.Background()); err != nil {
			t.Errorf("drop: %v", err)
		}
	})
	return c
}

func uuid(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n) }

// point returns a full point; what tests filter by depends on n.
func point(n int) Point {
	day := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n)
	text := fmt.Sprintf("Art. %dº - Os prazos", n)
	return Point{
		ID:     uuid(n),
		Dense:  []float32{1, float32(n), 0, 0},
		Sparse: Sparse{Indices: []uint32{7, uint32(100 + n)}, Values: []float32{1, 2}},
		Payload: Payload{
			DocHash:         fmt.Sprintf("doc%d", n/10),
			ChunkID:         fmt.Sprint(n),
			ChunkIndex:      int64(n),
			PointIDReadable: fmt.Sprintf("doc%d:%d", n/10, n),
			Text:            text,
			TextLen:         int64(len([]rune(text))),
			Tokens:          9,
			URL:             "https://example.org/rn-259.pdf",
			Title:           "RN 259/2011",
			AnchorType:      "artigo",
			AnchorText:      fmt.Sprintf("Art. %dº", n),
			PageHint:        int64(n + 1),
			PushedAt:        "2025-10-14T20:00:00Z",
			Collection:      "kb",
			DocType:         "pdf",
			SourceID:        fmt.Sprintf("source%d", n%2),
			SnapshotID:      "snap_a",
			SourceType:      "regulation",
			Type:            "fact",
			Status:          "under_review",
			InfoDate:        day.Format(time.DateOnly),
			Layer:           []string{"hot", "archive"}[n%3/2],
			Language:        "pt",
			Territory:       "br",
			Domain:          "health",
			Host:            "example.org",
		},
	}
}

func points(n int) []Point {
	list := make([]Point, n)
	for i := range list {
		list[i] = point(i)
	}
	return list
}

func upsert(t *testing.T, c *Collection, list ...Point) {
	t.Helper()
	if err := c.Upsert(t.Context(), list); err != nil {
		t.Fatal(err)
	}
}

func scroll(t *testing.T, c *Collection, filter Filter) []string {
	t.Helper()
	var ids []string
	for point, err := range c.Scroll(t.Context(), filter, false) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, point.ID)
	}
	return ids
}

func TestOpen(t *testing.T) {
	client, _ := open(t)
	version, err := client.Ping(t.Context())
	if err != nil || version == "" {
		t.Errorf("Ping = %q, %v", version, err)
	}
	for _, addr := range []string{"", "localhost", "localhost:port", "localhost:70000"} {
		if _, err := Open(t.Context(), Config{Addr: addr}); err == nil {
			t.Errorf("address %q was taken", addr)
		}
	}
}

func TestPointComesBack(t *testing.T) {
	c := collection(t)
	full := point(3)
	bare := Point{ID: uuid(4), Dense: []float32{0, 0, 0, 0}}
	upsert(t, c, full, bare)

	got, err := c.Get(t.Context(), []string{bare.ID, uuid(99), full.ID}, true)
	if err != nil || len(got) != 2 || got[0].ID != bare.ID || got[1].ID != full.ID {
		t.Fatalf("Get = %v, %v", got, err)
	}
	if got[0].Payload != (Payload{}) || len(got[0].Sparse.Indices) != 0 {
		t.Errorf("the bare point came back as %+v", got[0])
	}
	if got[1].Payload != full.Payload {
		t.Errorf("payload %+v, want %+v", got[1].Payload, full.Payload)
	}
	if !reflect.DeepEqual(got[1].Sparse, full.Sparse) {
		t.Errorf("sparse %v, want %v", got[1].Sparse, full.Sparse)
	}
	for i, x := range got[1].Dense {
		want := full.Dense[i] / float32(math.Sqrt(10)) // cosine vectors come back at length 1
		if math.Abs(float64(x-want)) > 1e-6 {
			t.Errorf("dense[%d] = %v, want %v", i, x, want)
		}
	}
	got, err = c.Get(t.Context(), []string{full.ID}, false)
	if err != nil || len(got) != 1 || got[0].Dense != nil || got[0].Payload != full.Payload {
		t.Errorf("without vectors: %v, %v", got, err)
	}
}

func TestUpsertReplacesWholePoint(t *testing.T) {
	c := collection(t)
	upsert(t, c, point(1), point(1))
	changed := Point{ID: uuid(1), Dense: []float32{0, 0, 0, 1}, Payload: Payload{Text: "other"}}
	upsert(t, c, changed)
	got, err := c.Get(t.Context(), []string{changed.ID}, true)
	if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], changed) {
		t.Errorf("got %+v, %v; want %+v", got, err, changed)
	}
}

func TestManyPoints(t *testing.T) {
	c := collection(t)
	const n = 2*batchPoints + 10
	upsert(t, c, points(n)...)
	if count, err := c.Count(t.Context(), Filter{}); err != nil || count != n {
		t.Fatalf("Count = %d, %v; want %d", count, err, n)
	}
	ids := scroll(t, c, Filter{})
	if len(ids) != n || !slices.IsSorted(ids) {
		t.Fatalf("scrolled %d ids, sorted %v", len(ids), slices.IsSorted(ids))
	}
	for point, err := range c.Scroll(t.Context(), Filter{}, true) {
		if err != nil || point.Payload.Text == "" {
			t.Fatalf("scrolled %+v, %v", point, err)
		}
		break // a reader may stop
	}
	got, err := c.Get(t.Context(), ids, false)
	if err != nil || len(got) != n {
		t.Fatalf("got %d points, %v", len(got), err)
	}
	if err := c.Delete(t.Context(), append(ids[5:], uuid(9999))); err != nil {
		t.Fatal(err)
	}
	if left := scroll(t, c, Filter{}); !slices.Equal(left, ids[:5]) {
		t.Errorf("left: %v", left)
	}
}

// TestLargestChunks sends more bytes than one message holds.
func TestLargestChunks(t *testing.T) {
	c := collection(t)
	list := points(batchPoints + 1)
	for i := range list {
		list[i].Payload.Text = strings.Repeat("é", 64<<10)
	}
	upsert(t, c, list...)
	ids := scroll(t, c, Filter{})
	got, err := c.Get(t.Context(), ids, true)
	if err != nil || len(got) != len(list) {
		t.Fatalf("got %d points, %v", len(got), err)
	}
	hits, err := c.QueryDense(t.Context(), list[0].Dense, Filter{}, len(list))
	if err != nil || len(hits) != len(list) {
		t.Errorf("%d hits, %v", len(hits), err)
	}
}

func TestSetPayload(t *testing.T) {
	c := collection(t)
	upsert(t, c, point(0), point(1), point(2))
	change := Change{Layer: "archive", PushedAt: "2026-01-01T00:00:00Z"}
	if err := c.SetPayload(t.Context(), []string{uuid(0), uuid(1)}, change); err != nil {
		t.Fatal(err)
	}
	got, err := c.Get(t.Context(), []string{uuid(0), uuid(1), uuid(2)}, true)
	if err != nil || len(got) != 3 {
		t.Fatalf("got %v, %v", got, err)
	}
	for i, p := range got {
		want := point(i).Payload
		if i < 2 {
			want.Layer, want.PushedAt = change.Layer, change.PushedAt
		}
		if p.Payload != want || len(p.Dense) != dimensions || len(p.Sparse.Indices) != 2 {
			t.Errorf("point %d is %+v, want payload %+v", i, p, want)
		}
	}
	if err := c.SetPayload(t.Context(), []string{uuid(0)}, Change{}); err != nil {
		t.Errorf("no change: %v", err)
	}
}

func TestSetPayloadOfMissingPoint(t *testing.T) {
	c := collection(t)
	upsert(t, c, point(0))
	err := c.SetPayload(t.Context(), []string{uuid(0), uuid(77)}, Change{Layer: "archive"})
	if !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v, want ErrNotFound", err)
	}
}

func TestFilters(t *testing.T) {
	c := collection(t)
	list := points(30)
	list[7].Payload.InfoDate = ""
	upsert(t, c, list...)
	day := func(n int) time.Time { return time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n) }
	for _, test := range []struct {
		name   string
		filter Filter
		want   func(n int) bool
	}{
		{"all", Filter{}, func(int) bool { return true }},
		{"source", Filter{Sources: []string{"source1"}}, func(n int) bool { return n%2 == 1 }},
		{"either document", Filter{DocHashes: []string{"doc0", "doc2"}}, func(n int) bool { return n/10 != 1 }},
		{"two lists", Filter{Sources: []string{"source0"}, DocHashes: []string{"doc1"}}, func(n int) bool { return n%2 == 0 && n/10 == 1 }},
		{"layer", Filter{Layers: []string{"hot", "summary"}}, func(n int) bool { return n%3 != 2 }},
		{"except", Filter{Except: &Filter{Layers: []string{"archive"}}}, func(n int) bool { return n%3 != 2 }},
		{"except any", Filter{DocHashes: []string{"doc0"}, Except: &Filter{Layers: []string{"archive"}, Sources: []string{"source1"}}},
			func(n int) bool { return n < 10 && n%3 != 2 && n%2 == 0 }},
		{"from", Filter{From: day(20)}, func(n int) bool { return n >= 20 }},
		{"to", Filter{To: day(9)}, func(n int) bool { return n <= 9 && n != 7 }},
		{"within a day", Filter{From: day(9).Add(-time.Second), To: day(9).Add(time.Hour)}, func(n int) bool { return n == 9 }},
		{"none", Filter{Types: []string{"opinion"}}, func(int) bool { return false }},
		{"every list", Filter{
			Snapshots: []string{"snap_a"}, Types: []string{"fact"}, Statuses: []string{"under_review"}, Languages: []string{"pt"},
			Territories: []string{"br"}, Domains: []string{"health"}, Hosts: []string{"example.org"},
			SourceTypes: []string{"regulation"}, DocTypes: []string{"pdf"},
		}, func(int) bool { return true }},
	} {
		t.Run(test.name, func(t *testing.T) {
			var want []string
			for n := range list {
				if test.want(n) {
					want = append(want, uuid(n))
				}
			}
			if got := scroll(t, c, test.filter); !slices.Equal(got, want) {
				t.Errorf("scrolled %v, want %v", got, want)
			}
			if count, err := c.Count(t.Context(), test.filter); err != nil || count != len(want) {
				t.Errorf("Count = %d, %v; want %d", count, err, len(want))
			}
			hits, err := c.QueryDense(t.Context(), []float32{1, 1, 0, 0}, test.filter, 100)
			if err != nil || len(hits) != len(want) {
				t.Errorf("%d dense hits, %v; want %d", len(hits), err, len(want))
			}
			hits, err = c.QuerySparse(t.Context(), Sparse{[]uint32{7}, []float32{1}}, test.filter, 100)
			if err != nil || len(hits) != len(want) {
				t.Errorf("%d sparse hits, %v; want %d", len(hits), err, len(want))
			}
		})
	}
}

func TestQueryDense(t *testing.T) {
	c := collection(t)
	list := points(5)
	list = append(list, Point{ID: uuid(50), Dense: list[2].Dense}) // as far as point 2
	upsert(t, c, list...)
	hits, err := c.QueryDense(t.Context(), []float32{0, 3, 0, 0}, Filter{}, 5)
	if err != nil {
		t.Fatal(err)
	}
	want := []int{4, 3, 2, 50, 1}
	for i, hit := range hits {
		if hit.ID != uuid(want[i]) {
			t.Errorf("hit %d is %s, want %d", i, hit.ID, want[i])
		}
		if n := float64(want[i]); n < 50 && (math.Abs(hit.Score-n/math.Hypot(1, n)) > 1e-6 || hit.ChunkRef != point(want[i]).Payload.PointIDReadable) {
			t.Errorf("hit %d: %+v", i, hit)
		}
	}
	if len(hits) != len(want) {
		t.Errorf("%d hits", len(hits))
	}
}

func TestQuerySparse(t *testing.T) {
	c := collection(t)
	upsert(t, c, points(10)...)
	query := Sparse{Indices: []uint32{7, 103, 999}, Values: []float32{1, 1, 1}}
	hits, err := c.QuerySparse(t.Context(), query, Filter{}, 3)
	if err != nil || len(hits) != 3 {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
	idf := func(df float64) float64 { return math.Log(1 + (10-df+0.5)/(df+0.5)) }
	if want := idf(10) + 2*idf(1); hits[0].ID != uuid(3) || math.Abs(hits[0].Score-want) > 1e-5 {
		t.Errorf("first hit %s %v, want %s %v", hits[0].ID, hits[0].Score, uuid(3), want)
	}
	if want := idf(10); math.Abs(hits[1].Score-want) > 1e-5 {
		t.Errorf("second hit %v, want %v", hits[1].Score, want)
	}
	for _, vector := range []Sparse{{}, {Indices: []uint32{999}, Values: []float32{1}}} {
		if hits, err := c.QuerySparse(t.Context(), vector, Filter{}, 3); err != nil || len(hits) != 0 {
			t.Errorf("%v found %v, %v", vector, hits, err)
		}
	}
}

func TestEnsure(t *testing.T) {
	client, name := open(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if err := client.Collection(name).Ensure(t.Context(), dimensions); err != nil {
				t.Errorf("ensure at the same time: %v", err)
			}
		})
	}
	wait.Wait()
	c := ensure(t, client, name) // again, and dropped at the end
	upsert(t, c, point(1))
	if err := c.Ensure(t.Context(), dimensions); err != nil {
		t.Errorf("ensure with data: %v", err)
	}
	err := c.Ensure(t.Context(), dimensions+1)
	if !errors.Is(err, ErrMismatch) || fault.KindOf(err) != fault.KindPermanent {
		t.Errorf("other dimensions: %v", err)
	}
	if err := client.Collection(name).Ensure(t.Context(), 0); err == nil {
		t.Error("0 dimensions were taken")
	}
}

func TestAlias(t *testing.T) {
	client, name := open(t)
	one, two := ensure(t, client, name), ensure(t, client, name+"_b")
	alias := name + "_alias"
	ctx := t.Context()
	if _, err := client.Alias(ctx, alias); !errors.Is(err, ErrNotFound) {
		t.Errorf("no alias yet: %v", err)
	}
	upsert(t, one, point(1))
	upsert(t, two, point(2))
	for i, c := range []*Collection{one, one, two} {
		if err := client.SetAlias(ctx, alias, c.Name()); err != nil {
			t.Fatalf("set %d: %v", i, err)
		}
		if got, err := client.Alias(ctx, alias); err != nil || got != c.Name() {
			t.Errorf("Alias = %q, %v; want %q", got, err, c.Name())
		}
	}
	behind := client.Collection(alias)
	if ids := scroll(t, behind, Filter{}); !slices.Equal(ids, []string{uuid(2)}) {
		t.Errorf("behind the alias: %v", ids)
	}
	upsert(t, behind, point(3))
	if count, err := two.Count(ctx, Filter{}); err != nil || count != 2 {
		t.Errorf("written through the alias: %d, %v", count, err)
	}
	if err := client.SetAlias(ctx, alias, name+"_none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("an alias of nothing: %v", err)
	}
	if got, err := client.Alias(ctx, alias); err != nil || got != two.Name() {
		t.Errorf("after the refusal: %q, %v", got, err)
	}
	for range 2 {
		if err := client.RemoveAlias(ctx, alias); err != nil {
			t.Errorf("remove: %v", err)
		}
	}
	if _, err := behind.Count(ctx, Filter{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("after the removal: %v", err)
	}
}

func TestErrors(t *testing.T) {
	client, name := open(t)
	missing := client.Collection(name)
	ctx := t.Context()
	if err := missing.Upsert(ctx, points(1)); !errors.Is(err, ErrNotFound) {
		t.Errorf("upsert into nothing: %v", err)
	}
	if _, err := missing.QueryDense(ctx, []float32{1, 0, 0, 0}, Filter{}, 1); !errors.Is(err, ErrNotFound) {
		t.Errorf("query of nothing: %v", err)
	}
	for _, err := range missing.Scroll(ctx, Filter{}, false) {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("scroll of nothing: %v", err)
		}
	}
	if err := missing.Drop(ctx); err != nil {
		t.Errorf("drop of nothing: %v", err)
	}

	c := ensure(t, client, name)
	for what, bad := range map[string]Point{
		"an id that is no UUID": {ID: "chunk", Dense: []float32{1, 0, 0, 0}},
		"other dimensions":      {ID: uuid(1), Dense: []float32{1, 0}},
	} {
		if err := c.Upsert(ctx, []Point{bad}); fault.KindOf(err) != fault.KindPermanent {
			t.Errorf("%s: %v is of kind %v", what, err, fault.KindOf(err))
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := c.Upsert(ended, points(1)); fault.KindOf(err) != fault.KindContext || !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v is of kind %v", err, fault.KindOf(err))
	}
}
