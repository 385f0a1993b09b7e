// Package dedup decides what need not be done again: a URL that was fetched a
// short time ago, and bytes that say what the capture before them says.
package dedup

import (
	"slices"
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

// Unchanged reports whether a capture needs no processing: what is read of it is
// what is read of the one directly before it, which is under way, or whose run
// ended done with today's versions. Where that had failed pages, or was made by
// older programs, the capture is a reason to try again.
func Unchanged(before model.Standing, reads string, today Versions) bool {
	return before.Reads == reads && slices.ContainsFunc(before.Runs, func(r model.StandingRun) bool {
		return !r.State.Terminal() || today.done(r)
	})
}

// Still reports whether a snapshot that a server says to be its newest need not be
// fetched: the same is read of the newest capture, which is no container and is
// processed.
func Still(newest model.Standing, reads string, today Versions) bool {
	return !newest.Container && newest.Reads == reads && slices.ContainsFunc(newest.Runs, today.done)
}

func (v Versions) done(r model.StandingRun) bool {
	return r.State == model.RunDone && r.ParserVersion == v.Parser && r.ChunkerVersion == v.Chunker && r.HeaderVersion == v.Header
}
