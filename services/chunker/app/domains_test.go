package app

import (
	"cmp"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/devtest/domainset"
	"github.com/colophon-dev/colophon/services/chunker/internal/stage"
)

// TestDomains runs a page for each chunker of a domain through the stage: the manifest
// names the chunker, and every chunk is proved down to the bytes, cut again by the chunker
// that is chosen again. Each line of the table has its page.
func TestDomains(t *testing.T) {
	w := newWorld(t)
	w.stage = stage.New(runs{w.DB}, w.DB, locker{w.DB}, segments{w.Blobs}, slog.New(slog.DiscardHandler), stage.Options{Chunkers: chunkers()})
	shown := make(map[string]bool)
	for _, d := range domainset.Documents() {
		shown[d.Chunker] = true
		_, run := w.captureOf(d.HTML, cmp.Or(d.Domain, "civics"), cmp.Or(d.SourceType, "official"))
		m, contents, broken := w.proves(run, chunkers())
		if contents = domainset.Reads(contents); m.Meta.Chunker != d.Chunker || m.Meta.ChunkerWhy == "" || !slices.Equal(contents, d.Chunks) {
			t.Errorf("%s: cut by %q, since %s: %q", d.Chunker, m.Meta.Chunker, m.Meta.ChunkerWhy, contents)
		}
		if len(broken) > 0 {
			t.Errorf("%s: %s", d.Chunker, strings.Join(broken, "\n"))
		}
	}
	for _, c := range chunkers().Domains {
		if !shown[c.Name()] {
			t.Errorf("%s has no document in pkg/devtest/domainset", c.Name())
		}
	}
}
