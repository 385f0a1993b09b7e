package embed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

type hash = [32]byte

// shelf is a cache in memory.
type shelf struct {
	mu      sync.Mutex
	vectors map[hash][]float32
	used    map[string]int64 // by day
	before  func()           // the next keeping
}

func (s *shelf) Embeddings(_ context.Context, _ string, _ int, texts []hash) (map[hash][]float32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := make(map[hash][]float32)
	for _, t := range texts {
		if v, ok := s.vectors[t]; ok {
			found[t] = v
		}
	}
	return found, nil
}

func (s *shelf) KeepEmbeddings(ctx context.Context, _ string, _ int, vectors map[hash][]float32, day time.Time, tokens int64) error {
	if s.before != nil {
		before := s.before
		s.before = nil
		before()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for t, v := range vectors {
		if _, kept := s.vectors[t]; !kept {
			s.vectors[t] = v
		}
	}
	s.used[day.UTC().Format(time.DateOnly)] += tokens
	return ctx.Err()
}

func (s *shelf) EmbeddedTokens(_ context.Context, day time.Time) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used[day.UTC().Format(time.DateOnly)], nil
}

// costly gives each text another vector at each call, and counts.
type costly struct {
	retrieval.HashEmbedder
	asked []string
	fails func(text string) error
}

func (c *costly) EmbedCounted(_ context.Context, texts []string, _ retrieval.Kind) (vectors [][]float32, tokens int64, err error) {
	vectors = make([][]float32, len(texts))
	for i, text := range texts {
		if c.fails != nil {
			if wrong := c.fails(text); wrong != nil {
				err = wrong
				continue
			}
		}
		c.asked = append(c.asked, text)
		vectors[i] = []float32{float32(len(c.asked)), float32(len(text))}
		tokens += 10
	}
	return vectors, tokens, err
}

func (c *costly) Ready(context.Context) error { return nil }

func remember(c *costly, s *shelf) (r *Remembered, saved *int) {
	saved = new(int)
	return &Remembered{
		Paid: c, Cache: s, Now: func() time.Time { return time.Date(2026, 1, 2, 23, 0, 0, 0, time.UTC) },
		Saved: func(_ context.Context, n int) { *saved += n },
	}, saved
}

func newShelf() *shelf {
	return &shelf{vectors: make(map[hash][]float32), used: make(map[string]int64)}
}

// TestNoTextIsPaidTwice: not in one call, not in the next one, not by another process,
// and each has the vector that was kept first.
func TestNoTextIsPaidTwice(t *testing.T) {
	t.Parallel()
	s, c := newShelf(), &costly{}
	r, saved := remember(c, s)
	first, err := r.Embed(t.Context(), []string{"a", "bb", "a"}, retrieval.Passage)
	if err != nil || !slices.Equal(first[0], first[2]) || slices.Equal(first[0], first[1]) || *saved != 1 {
		t.Fatalf("%v, %v, %d saved", first, err, *saved)
	}
	other, saved := remember(c, s)
	again, err := other.Embed(t.Context(), []string{"ccc", "bb", "a"}, retrieval.Passage)
	if err != nil || !slices.Equal(again[1], first[1]) || !slices.Equal(again[2], first[0]) || *saved != 2 {
		t.Errorf("%v, %v, %d saved", again, err, *saved)
	}
	if !slices.Equal(c.asked, []string{"a", "bb", "ccc"}) || s.used["2026-01-02"] != 30 {
		t.Errorf("asked for %q, %v", c.asked, s.used)
	}
}

// TestTheFirstVectorCounts: of two who ask for one text at once.
func TestTheFirstVectorCounts(t *testing.T) {
	t.Parallel()
	s, c := newShelf(), &costly{}
	r, _ := remember(c, s)
	var first [][]float32
	s.before = func() {
		other, _ := remember(c, s)
		first, _ = other.Embed(t.Context(), []string{"a"}, retrieval.Passage)
	}
	second, err := r.Embed(t.Context(), []string{"a"}, retrieval.Passage)
	if err != nil || !slices.Equal(first[0], second[0]) {
		t.Errorf("%v and %v, %v", first, second, err)
	}
}

// TestWhatWasMadeBeforeAFailureIsKept: only the rest is asked for again.
func TestWhatWasMadeBeforeAFailureIsKept(t *testing.T) {
	t.Parallel()
	s, c := newShelf(), &costly{}
	r, _ := remember(c, s)
	var texts []string
	for i := range 200 {
		texts = append(texts, fmt.Sprint("text ", i))
	}
	down := fault.Unavailable(errors.New("down"))
	c.fails = func(text string) error {
		if text == "text 100" {
			return down
		}
		return nil
	}
	if _, err := r.Embed(t.Context(), texts, retrieval.Passage); !errors.Is(err, down) || fault.KindOf(err) != fault.KindUnavailable {
		t.Fatal(err)
	}
	before := len(c.asked)
	if before != 2*textsAtOnce-1 {
		t.Errorf("%d were asked for before the failure was seen", before)
	}
	c.fails = nil
	vectors, err := r.Embed(t.Context(), texts, retrieval.Passage)
	if err != nil || len(vectors) != 200 || len(c.asked) != 200 {
		t.Errorf("%d vectors, %d asked for, %v", len(vectors), len(c.asked), err)
	}
	for i, v := range vectors {
		if v[1] != float32(len(texts[i])) {
			t.Errorf("%q has %v", texts[i], v)
		}
	}
}

// TestWhatWasPaidIsKeptForWhoHasGone: the text will come again.
func TestWhatWasPaidIsKeptForWhoHasGone(t *testing.T) {
	t.Parallel()
	s, c := newShelf(), &costly{}
	r, _ := remember(c, s)
	ctx, cancel := context.WithCancel(t.Context())
	c.fails = func(string) error { cancel(); return nil }
	_, _ = r.Embed(ctx, []string{"a"}, retrieval.Passage)
	if len(s.vectors) != 1 {
		t.Error("the vector is lost")
	}
}

// TestTheTokensOfADayAreBounded: chunks wait for the next one.
func TestTheTokensOfADayAreBounded(t *testing.T) {
	t.Parallel()
	s, c := newShelf(), &costly{}
	r, _ := remember(c, s)
	now := time.Date(2026, 1, 2, 23, 59, 59, 0, time.UTC)
	r.Daily, r.Now = 20, func() time.Time { return now }
	for _, text := range []string{"a", "b"} {
		if _, err := r.Embed(t.Context(), []string{text}, retrieval.Passage); err != nil {
			t.Fatal(err)
		}
	}
	_, err := r.Embed(t.Context(), []string{"c"}, retrieval.Passage)
	if fault.KindOf(err) != fault.KindUnavailable || fault.KindOf(r.Ready(t.Context())) != fault.KindUnavailable {
		t.Errorf("%v", err)
	}
	if _, err := r.Embed(t.Context(), []string{"b", "a"}, retrieval.Passage); err != nil {
		t.Errorf("what is paid already costs nothing: %v", err)
	}
	now = now.Add(time.Second)
	if _, err := r.Embed(t.Context(), []string{"c"}, retrieval.Passage); err != nil || r.Ready(t.Context()) != nil {
		t.Error(err)
	}
}
