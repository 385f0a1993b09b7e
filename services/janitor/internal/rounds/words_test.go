package rounds

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// makes answers each call with the next of its answers, each after a while.
type makes struct {
	answers []int // below 0: an error
	takes   time.Duration
	at      []time.Duration
	began   time.Time
	stop    context.CancelFunc // called by the last
}

func (m *makes) MakeQuoteWords(_ context.Context, most int) (int, error) {
	m.at = append(m.at, time.Since(m.began))
	n := m.answers[len(m.at)-1]
	if len(m.at) == len(m.answers) {
		m.stop()
	}
	time.Sleep(m.takes) // of the synctest's clock
	if n < 0 {
		return 0, errors.New("the catalog is away")
	}
	return min(n, most), nil
}

// TestWordsAreMadeUntilNoneAreDue: full batches follow each other with rests of their own
// length; where none is left, and where the catalog is away, it looks again later.
func TestWordsAreMadeUntilNoneAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		m := &makes{answers: []int{wordsBatch, wordsBatch, 7, 0, -1, wordsBatch}, takes: 100 * time.Millisecond, began: time.Now(), stop: cancel}
		(&Words{Make: m.MakeQuoteWords, Log: slog.New(slog.DiscardHandler)}).Run(ctx)
		want := []time.Duration{0, 200 * time.Millisecond, 400 * time.Millisecond, 1500 * time.Millisecond, 2600 * time.Millisecond, 12700 * time.Millisecond}
		if !slices.Equal(m.at, want) {
			t.Errorf("it looked at %v, want %v", m.at, want)
		}
	})
}
