package app

import (
	"cmp"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/devtest/domainset"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/services/chunker/internal/stage"
)

// TestContextLines: where a source wants them, every chunk of every chunker has its context line behind the
// header, synthetic of its own kind; contents stay what they are without it, and every chunk is proved.
func TestContextLines(t *testing.T) {
	w := newWorld(t)
	w.stage = stage.New(runs{w.DB}, w.DB, locker{w.DB}, segments{w.Blobs}, slog.New(slog.DiscardHandler), stage.Options{Chunkers: chunkers()})
	long := domainset.Document{Chunker: "general", HTML: `<!DOCTYPE html><html lang="en"><title>Lake</title><h1>Lake</h1><h2>Levels of 4 May 2026</h2><p>` + strings.Repeat("The lake rose by a hand in the spring. ", 200) + `</p></html>`}
	for _, d := range append(domainset.Documents(), long) {
		_, run := w.captureOf(d.HTML, cmp.Or(d.Domain, "civics"), cmp.Or(d.SourceType, "official"), func(s *model.Snapshot) { s.ContextLine = true })
		m, contents, broken := w.proves(run, chunkers())
		if len(broken) > 0 {
			t.Errorf("%s: %s", d.Chunker, strings.Join(broken, "\n"))
		}
		if got := domainset.Reads(contents); d.Chunks != nil && !slices.Equal(got, d.Chunks) {
			t.Errorf("%s: %q", d.Chunker, got)
		}
		for chunks, err := range w.DB.GenerationChunks(w.Context(), m.DocHash, m.Generation) {
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range chunks {
				line := header.ContextLineOf(c.Chunk)
				segments := c.Chunk.Provenance.Segments
				if s := segments[1]; s.Synthetic != model.SyntheticContext || c.Chunk.Text[s.Start:s.End] != line {
					t.Errorf("%s: %+v after the header of %q", d.Chunker, s, c.Chunk.Text)
				}
				if want := line + header.LineEnd + c.Chunk.Content; c.Chunk.EmbeddedText() != want {
					t.Errorf("%s: embedded %q", d.Chunker, c.Chunk.EmbeddedText())
				}
				if c.Chunk.Tokens > 512 {
					t.Errorf("%s: %d tokens", d.Chunker, c.Chunk.Tokens)
				}
			}
		}
	}
}
