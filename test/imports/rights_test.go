package imports_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/colophon-dev/colophon/test/imports"
)

// TestOnlyTheJanitorDeletesObjects: of all services one has code that deletes objects,
// and the gateway has none that publishes.
func TestOnlyTheJanitorDeletesObjects(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	broken, err := imports.CheckRights(root, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range broken {
		t.Error(b)
	}
}

func TestRightsThatNobodyHasAreFound(t *testing.T) {
	const (
		objects = "package x\nimport \"" + imports.Module + "pkg/blobstore\"\n"
		bus     = "package x\nimport \"" + imports.Module + "pkg/stream\"\n"
	)
	for _, c := range []struct {
		path, source string
		wrong        bool
	}{
		{"services/gateway/app/a.go", objects + "func f(s *blobstore.Store) { s.Delete(nil, blobstore.Raw, \"k\") }", true},
		{"services/capturer/app/a.go", objects + "func f(s *blobstore.Store) any { return s.Delete }", true},
		{"services/chunker/internal/stage/a.go", objects + "type Objects interface { Delete(b blobstore.Bucket, key string) error }", true},
		{"services/capturer/app/a.go", objects + "import \"slices\"\nfunc f(l []int) { slices.Delete(l, 0, 1) }", false},
		{"services/indexer/internal/sync/a.go", "package x\nfunc f(p interface{ Delete() }) { p.Delete() }", false},
		{"pkg/reconcile/a.go", objects + "func f(s *blobstore.Store) { s.Delete(nil, blobstore.Raw, \"k\") }", false},
		{"pkg/verify/a.go", objects + "func f(s *blobstore.Store) { s.Delete(nil, blobstore.Raw, \"k\") }", true},
		{"services/gateway/app/a.go", bus + "func f(c *stream.Conn) { c.Publisher(\"gateway\") }", true},
		{"services/gateway/app/a.go", bus + "func f(c *stream.Conn) { c.Queues(nil) }", false},
		{"services/splitter/app/a.go", bus + "func f(c *stream.Conn) { c.Publisher(\"splitter\") }", false},
		{"services/gateway/app/a.go", "package x\nimport \"" + imports.Module + "pkg/retrieval\"\nvar e = retrieval.HashEmbedder{}", true},
		{"services/gateway/app/a.go", "package x\nimport \"" + imports.Module + "pkg/retrieval\"\nvar e = retrieval.Models()", false},
	} {
		got, err := imports.Rights(c.path, c.source)
		if err != nil {
			t.Fatal(err)
		}
		if (len(got) > 0) != c.wrong {
			t.Errorf("%s: %v, want wrong=%v\n%s", c.path, got, c.wrong, c.source)
		}
	}
}
