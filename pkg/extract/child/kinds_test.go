package child

import (
	"os"
	"testing"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// TestKindsAreWhatTheySay: what a line says of a kind without a look into a file is what
// its extractor does.
func TestKindsAreWhatTheySay(t *testing.T) {
	engine := &pdfium.Starter{Config: pdfium.Config{CacheDir: os.TempDir() + "/colophon-test-pdfium"}}
	for name, line := range Builtin() {
		e, err := line.Open(t.Context(), engine)
		if err != nil {
			t.Fatal(err)
		}
		if _, learns := e.(Learner); learns != line.Facts {
			t.Errorf("%s: facts %v, and its extractor says %v", name, line.Facts, learns)
		}
		for _, raw := range []string{"x", "<p>One.</p>\f<p>Two.</p>", "\f\f\f", "\x00\xFF", "a,b\n1,2\n", `{"a": [1, 2]}`} {
			pages, err := e.Pages(t.Context(), block.Input{Raw: []byte(raw), Snapshot: model.Snapshot{SnapshotKind: name, FinalType: line.Type}})
			if one := err == nil && pages == 1; one != line.OnePage {
				t.Errorf("%s %q: %d pages, %v", name, raw, pages, err)
			}
		}
	}
}
