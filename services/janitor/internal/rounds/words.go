package rounds

import (
	"context"
	"log/slog"
	"time"
)

// MakeWords makes words of at most most chunks: those by which quotations are looked for, or
// the full text; see catalog.MakeQuoteWords and catalog.MakeFulltext.
type MakeWords func(ctx context.Context, most int) (made int, err error)

const (
	wordsBatch = 200              // chunks at a time: of some 2,000 letters each they take the catalog about half a second
	wordsIdle  = time.Second      // between two looks where nothing was due
	wordsAway  = 10 * time.Second // behind a look that failed
)

// Words makes the words of chunks soon after they have landed, in whatever janitor: several
// divide the work. The fields are set before Run.
type Words struct {
	Make MakeWords
	Log  *slog.Logger
}

// Run makes words until ctx ends. After each batch it rests as long as the batch took, so
// that a catalog of millions of chunks has half of its time for others.
func (w *Words) Run(ctx context.Context) {
	for ctx.Err() == nil {
		began := time.Now()
		made, err := w.Make(ctx, wordsBatch)
		rest := time.Since(began)
		switch {
		case ctx.Err() != nil:
			return // what was not committed is made by the next
		case err != nil:
			rest = wordsAway
			w.Log.WarnContext(ctx, "the words of chunks cannot be made", slog.Any("error", err))
		case made < wordsBatch:
			rest = wordsIdle
		}
		timer := time.NewTimer(rest)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}
