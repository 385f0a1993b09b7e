package sqlite

import (
	"path/filepath"
	"sync"
	"testing"
)

// TestSeveralOpenANewFile: whoever comes first makes it, and the others find it made.
func TestSeveralOpenANewFile(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), "chunks.sqlite")
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				db, err := Open(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}
