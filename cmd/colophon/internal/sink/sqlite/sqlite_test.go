package sqlite

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/sdk"
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

// opened opens a file and reads where it is, as a sink does.
func opened(t *testing.T, path string) (*DB, sdk.Position) {
	t.Helper()
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	p, err := db.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return db, p
}

func change(ref string, rev int64, text string) []sdk.Change {
	return []sdk.Change{{
		Type: event.TypeChunkCreated, ChunkRef: ref, Rev: rev, Layer: "hot", Chunk: &sdk.Chunk{ChunkRef: ref, DocumentID: "doc_1", DocHash: "v1", Generation: 1, Text: text},
		Current: sdk.Current{DocumentID: "doc_1", Rev: 1, DocHash: "v1", Generation: 1},
	}}
}

// TestTwoSinksOfOneFile: the one that comes second with a batch is told so, and with a restored
// catalog as well.
func TestTwoSinksOfOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chunks.sqlite")
	first, _ := opened(t, path)
	second, _ := opened(t, path)
	if err := first.Apply(t.Context(), change("v1:0", 1, "one"), sdk.Position{Log: 1}); err != nil {
		t.Fatal(err)
	}
	if err := second.Apply(t.Context(), change("v1:0", 1, "one"), sdk.Position{Log: 1}); !errors.Is(err, sink.ErrOther) {
		t.Errorf("a batch of the second: %v", err)
	}
	if err := second.Forget(t.Context(), &sdk.Restored{}); !errors.Is(err, sink.ErrOther) {
		t.Errorf("the second empties it: %v", err)
	}
	if err := first.Forget(t.Context(), &sdk.Restored{}); err != nil {
		t.Error(err)
	}
}

// TestAFileFromBeforeEpochs goes on where it was: its position is one of the empty epoch.
func TestAFileFromBeforeEpochs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chunks.sqlite")
	db, _ := opened(t, path)
	if _, err := db.db.ExecContext(t.Context(), putPosition, `{"stream":12,"log":7,"at":"2026-03-12T09:00:00Z"}`); err != nil {
		t.Fatal(err)
	}
	again, p := opened(t, path)
	if p.Stream != 12 || p.Log != 7 || p.Epoch != "" {
		t.Errorf("it is at %+v", p)
	}
	if err := again.Apply(t.Context(), change("v1:0", 1, "one"), sdk.Position{Stream: 13, Log: 7}); err != nil {
		t.Error(err)
	}
}

// TestAFullDisk: what did not fit is in it whole when there is room, and before not at all.
func TestAFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chunks.sqlite")
	db, _ := opened(t, path)
	if err := db.Apply(t.Context(), change("v1:0", 1, "one"), sdk.Position{Log: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.db.ExecContext(t.Context(), `PRAGMA max_page_count = 30`); err != nil {
		t.Fatal(err)
	}
	large := append(change("v1:1", 1, "small"), change("v1:2", 1, strings.Repeat("x", 1<<20))...)
	if err := db.Apply(t.Context(), large, sdk.Position{Log: 3}); err == nil {
		t.Fatal("it fits, so this shows nothing")
	}
	again, p := opened(t, path) // as sink.Run opens it
	has, err := again.Texts(t.Context(), []string{"v1:0", "v1:1", "v1:2"})
	if err != nil || p.Log != 1 || !has["v1:0"] || has["v1:1"] || has["v1:2"] {
		t.Errorf("it is at %+v and has %v, %v", p, has, err)
	}
	if err := again.Apply(t.Context(), large, sdk.Position{Log: 3}); err != nil {
		t.Fatal(err)
	}
	if has, err = again.Texts(t.Context(), []string{"v1:1", "v1:2"}); err != nil || !has["v1:1"] || !has["v1:2"] {
		t.Errorf("with room it has %v, %v", has, err)
	}
}
