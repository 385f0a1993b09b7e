package vectorstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
)

// The sizes of the comparison.
const (
	conformanceDimensions = 24
	conformancePoints     = 400
	conformanceRounds     = 60 // of a change and a full comparison
	conformanceQueries    = 20 // after each
	tolerance             = 1e-6
)

// pair is one collection on the embedded server and one on another, to which
// the same is done.
type pair struct {
	*testing.T
	r           *rand.Rand
	here, there *Collection
	// deleted says that points were deleted: Qdrant's engine counts their sparse
	// vectors in its document frequencies until it optimises the segment, the
	// embedded server does not. From then on sparse hits are compared, not scores.
	deleted bool
}

// TestConformance does the same on the embedded server and on the one at
// COLOPHON_TEST_QDRANT_ADDR, at random: points, filters, scores and order must be
// the same. COLOPHON_CONFORMANCE_SEED draws another course.
func TestConformance(t *testing.T) {
	addr := os.Getenv("COLOPHON_TEST_QDRANT_ADDR")
	if addr == "" {
		t.Skip("COLOPHON_TEST_QDRANT_ADDR names no server to compare with: see make conformance")
	}
	seed := uint64(1)
	if given := os.Getenv("COLOPHON_CONFORMANCE_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	env := devtest.Start(t)
	p := &pair{T: t, r: rand.New(rand.NewPCG(seed, 0)), here: conformanceCollection(t, env.QdrantAddr, env.Collection),
		there: conformanceCollection(t, addr, env.Collection)}
	points := p.points(conformancePoints)
	p.both("upsert", func(c *Collection) error { return c.Upsert(t.Context(), points) })
	queries := 0
	for round := range conformanceRounds {
		p.change(round >= conformanceRounds/2)
		p.equal()
		for range conformanceQueries {
			p.query()
			queries++
		}
	}
	t.Logf("seed %d: %d changes and %d queries on %d points", seed, conformanceRounds, queries, conformancePoints)
}

func conformanceCollection(t *testing.T, addr, name string) *Collection {
	t.Helper()
	client, err := Open(t.Context(), Config{Addr: addr})
	if err != nil {
		t.Fatal(err)
	}
	c := client.Collection(name + "_conformance")
	if err := c.Ensure(t.Context(), conformanceDimensions); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(c.Drop(context.Background()), client.Close()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// both does the same on both and wants the same outcome: nothing random is
// drawn in f.
func (p *pair) both(what string, f func(c *Collection) error) {
	p.Helper()
	here, there := f(p.here), f(p.there)
	if (here == nil) != (there == nil) || errors.Is(here, ErrNotFound) != errors.Is(there, ErrNotFound) {
		p.Fatalf("%s: here %v, there %v", what, here, there)
	}
}

func (p *pair) pick(values ...string) string { return values[p.r.IntN(len(values))] }

func (p *pair) id() string { return uuid(p.r.IntN(conformancePoints + 50)) }

func (p *pair) points(n int) []Point {
	points := make([]Point, n)
	for i := range points {
		pt := point(p.r.IntN(conformancePoints))
		pt.Dense = p.dense()
		pt.Sparse = p.sparse(p.r.IntN(9))
		pt.Payload.SourceID = p.pick("council", "herald", "mairie")
		pt.Payload.Type = p.pick("fact", "opinion", "allegation")
		pt.Payload.Status = p.pick("under_review", "confirmed", "")
		pt.Payload.Layer = p.pick("hot", "archive", "summary")
		pt.Payload.Language = p.pick("fr", "pt", "en", "")
		pt.Payload.Territory = p.pick("Valdoro", "Águas", "")
		pt.Payload.InfoDate = p.pick("", p.day().Format(time.DateOnly))
		points[i] = pt
	}
	return points
}

func (p *pair) day() time.Time {
	return time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, p.r.IntN(60))
}

func (p *pair) dense() []float32 {
	v := make([]float32, conformanceDimensions)
	for i := range v {
		v[i] = float32(p.r.NormFloat64())
	}
	return v
}

func (p *pair) sparse(n int) Sparse {
	var s Sparse
	for range n {
		if index := uint32(p.r.IntN(40)) * 101_000_003; !slices.Contains(s.Indices, index) {
			s.Indices, s.Values = append(s.Indices, index), append(s.Values, float32(p.r.IntN(64)+1)/16)
		}
	}
	return s
}

// filter draws conditions; some let through nothing, and none everything.
func (p *pair) filter() Filter {
	var f Filter
	for _, list := range []struct {
		to     *[]string
		values []string
	}{
		{&f.Sources, []string{"council", "herald", "nobody"}},
		{&f.Types, []string{"fact", "opinion"}},
		{&f.Statuses, []string{"under_review", "confirmed"}},
		{&f.Layers, []string{"hot", "summary"}},
		{&f.Languages, []string{"fr", "pt"}},
		{&f.Territories, []string{"Valdoro", "Águas", "águas"}},
		{&f.DocHashes, []string{"doc1", "doc2", "doc3", "doc17"}},
	} {
		if p.r.IntN(4) == 0 {
			*list.to = list.values[:1+p.r.IntN(len(list.values))]
		}
	}
	if p.r.IntN(4) == 0 {
		f.From = p.day()
	}
	if p.r.IntN(4) == 0 {
		f.To = p.day()
	}
	return f
}

// filters draws a filter, at times with an exception.
func (p *pair) filters() Filter {
	f := p.filter()
	if p.r.IntN(3) == 0 {
		except := p.filter()
		f.Except = &except
	}
	return f
}

func (p *pair) change(deletes bool) {
	ctx := p.Context()
	kind := p.r.IntN(4)
	switch {
	case kind == 0:
		points := p.points(1 + p.r.IntN(30))
		p.both("upsert", func(c *Collection) error { return c.Upsert(ctx, points) })
	case kind == 1 && deletes:
		p.deleted = true
		ids := []string{p.id(), p.id(), p.id()}
		p.both("delete", func(c *Collection) error { return c.Delete(ctx, ids) })
	case kind == 2: // ids that may be missing: then the call fails on both, and the whole point is sent again
		ids, change := []string{p.id()}, Change{Layer: p.pick("hot", "archive"), Status: p.pick("refuted", "")}
		p.both("set payload", func(c *Collection) error {
			if err := c.SetPayload(ctx, ids, change); !errors.Is(err, ErrNotFound) {
				return err
			}
			return nil
		})
	default:
		p.both("ensure again", func(c *Collection) error { return c.Ensure(ctx, conformanceDimensions) })
	}
}

// equal compares everything that is kept, and counts and order under a filter.
func (p *pair) equal() {
	p.Helper()
	ctx := p.Context()
	kept := func(c *Collection) map[string]Point {
		var ids []string
		for point, err := range c.Scroll(ctx, Filter{}, false) {
			if err != nil {
				p.Fatal(err)
			}
			ids = append(ids, point.ID)
		}
		points, err := c.Get(ctx, ids, true)
		if err != nil || !slices.IsSorted(ids) {
			p.Fatalf("%v, in the order %v", err, ids)
		}
		all := make(map[string]Point, len(points))
		for _, point := range points {
			all[point.ID] = point
		}
		return all
	}
	here, there := kept(p.here), kept(p.there)
	if len(here) != len(there) {
		p.Fatalf("%d points here, %d there", len(here), len(there))
	}
	for id, a := range here {
		b := there[id]
		if a.Payload != b.Payload || !near(a.Dense, b.Dense) || !sameSparse(a.Sparse, b.Sparse) {
			p.Fatalf("point %s:\nhere  %+v\nthere %+v", id, a, b)
		}
	}
	filter := p.filters()
	var counts [2]int
	var orders [2][]string
	for i, c := range []*Collection{p.here, p.there} {
		n, err := c.Count(ctx, filter)
		if err != nil {
			p.Fatal(err)
		}
		counts[i], orders[i] = n, scroll(p.T, c, filter)
	}
	if counts[0] != counts[1] || counts[0] != len(orders[0]) || !slices.Equal(orders[0], orders[1]) {
		p.Fatalf("%+v: %d here, %d there\n%v\n%v", filter, counts[0], counts[1], orders[0], orders[1])
	}
}

func near(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Abs(float64(x)-float64(y)) <= tolerance })
}

// sameSparse compares by index: the order in which they are given means nothing.
func sameSparse(a, b Sparse) bool {
	weights := func(s Sparse) map[uint32]float32 {
		m := make(map[uint32]float32, len(s.Indices))
		for i, index := range s.Indices {
			m[index] = s.Values[i]
		}
		return m
	}
	return reflect.DeepEqual(weights(a), weights(b))
}

// query asks both the same and compares scores to the tolerance, and the order
// but for ties.
func (p *pair) query() {
	p.Helper()
	filter, limit := p.filters(), 1+p.r.IntN(30)
	dense, sparse := p.dense(), p.sparse(1+p.r.IntN(5))
	ask := func(c *Collection) ([]Hit, error) { return c.QueryDense(p.Context(), dense, filter, limit) }
	counted := true
	if p.r.IntN(2) == 0 {
		if counted = !p.deleted; !counted {
			limit = 2 * conformancePoints
		}
		ask = func(c *Collection) ([]Hit, error) { return c.QuerySparse(p.Context(), sparse, filter, limit) }
	}
	here, err := ask(p.here)
	if err != nil {
		p.Fatal(err)
	}
	there, err := ask(p.there)
	if err != nil {
		p.Fatal(err)
	}
	if !counted {
		for _, hits := range [][]Hit{here, there} {
			for i := range hits {
				hits[i].Score = 0
			}
		}
	}
	if why := differ(here, there, limit); why != "" {
		p.Fatalf("%+v, limit %d: %s\nhere  %s\nthere %s", filter, limit, why, show(here), show(there))
	}
}

func show(hits []Hit) (s string) {
	for _, h := range hits {
		s += fmt.Sprintf("%s %.9g  ", h.ID[:8], h.Score)
	}
	return s
}

// differ says how two answers differ: hits of one score may change places, and
// where the limit cuts such a group any of it may be there.
func differ(a, b []Hit, limit int) string {
	if len(a) != len(b) {
		return fmt.Sprintf("%d hits and %d", len(a), len(b))
	}
	tie := func(x, y float64) bool { return math.Abs(x-y) <= tolerance*max(1, math.Abs(x)) }
	for i := range a {
		if !tie(a[i].Score, b[i].Score) {
			return fmt.Sprintf("scores of hit %d", i+1)
		}
		same := slices.IndexFunc(b, func(h Hit) bool { return h.ID == a[i].ID })
		switch {
		case same >= 0 && (!tie(a[i].Score, b[same].Score) || a[i].ChunkRef != b[same].ChunkRef):
			return fmt.Sprintf("hit %d has another score or chunk_ref", i+1)
		case same < 0 && (len(a) < limit || !tie(a[i].Score, a[len(a)-1].Score)):
			return fmt.Sprintf("hit %d is missing", i+1)
		}
	}
	return ""
}
