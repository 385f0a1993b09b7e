// Package dedup decides what need not be done again (contracts 12): a URL that
// was fetched a short time ago, and bytes that are current already.
package dedup

import (
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Versions are today's: those of the build that asks.
type Versions struct {
	Parser  string
	Chunker string
	Header  string
}

// Fresh reports whether the last fetch of a URL is within the window of its
// source: that for web pages when the last fetch was one, else that for
// documents. A URL that was never fetched with success is not fresh.
func Fresh(w model.FetchWindow, source model.Source) bool {
	window := source.DedupOther
	if w.FinalType == model.TypeHTML {
		window = source.DedupHTML
	}
	age := time.Duration(w.AgeSeconds * float64(time.Second))
	return w.SnapshotID != "" && age < time.Duration(window)*time.Second
}

// Unchanged reports whether bytes need no processing: they are those of the
// document's current snapshot, whose last run ended done with today's versions
// and the rules that rulesDigest is of. While a later snapshot is still to come
// into force nothing is unchanged, since these bytes must win over it.
func Unchanged(current model.Standing, contentHash, rulesDigest string, today Versions) bool {
	return current.SnapshotID != "" && current.ContentHash == contentHash && !current.Later &&
		current.RunState == model.RunDone && current.RulesDigest == rulesDigest &&
		current.ParserVersion == today.Parser && current.ChunkerVersion == today.Chunker &&
		current.HeaderVersion == today.Header
}
