package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

// TestWhatIsRemovedKeepsItsPlace among the changes of its document, which it does not name.
func TestWhatIsRemovedKeepsItsPlace(t *testing.T) {
	t.Parallel()
	of := func(ref, document string, rev int64) sdk.Change {
		return sdk.Change{Type: event.TypeChunkSuperseded, ChunkRef: ref, Rev: rev, Current: sdk.Current{DocumentID: document}}
	}
	gone := func(ref string, rev int64) sdk.Change {
		return sdk.Change{Type: event.TypeChunkRemoved, ChunkRef: ref, Rev: rev}
	}
	documents, order := byDocument([]sdk.Change{
		gone("v1:0", 1), of("v1:0", "doc_1", 2), of("v2:0", "doc_1", 1), gone("v9:0", 4), of("v3:0", "doc_2", 1), gone("v1:0", 3), gone("v2:1@2", 2),
	})
	var got []string
	for _, key := range order {
		line := key
		for _, ch := range documents[key] {
			line += fmt.Sprintf(" %s/%d", ch.ChunkRef, ch.Rev)
		}
		got = append(got, line)
	}
	want := []string{"doc_1 v1:0/1 v1:0/2 v2:0/1 v1:0/3 v2:1@2/2", "v9 v9:0/4", "doc_2 v3:0/1"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTwoWebhooksOfOnePosition: the second one is refused as long as the first is open.
func TestTwoWebhooksOfOnePosition(t *testing.T) {
	t.Parallel()
	o := Options{URL: "https://own.example/chunks", Secret: "of the tests", File: filepath.Join(t.TempDir(), "position"), Client: http.DefaultClient}
	first, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(o); !errors.Is(err, sink.ErrOther) {
		t.Errorf("the second one: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	third, err := Open(o)
	if err != nil {
		t.Fatalf("after the first was closed: %v", err)
	}
	_ = third.Close()
}

// TestASlowAddressComesOn: a sink that ends in the middle of a batch goes on behind what was taken
// long ago, and does not post all of it again.
func TestASlowAddressComesOn(t *testing.T) {
	t.Parallel()
	const taken = 2*pieceChanges + 3
	ctx, cancel := context.WithCancel(t.Context())
	var posts atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		if posts.Add(1) > taken {
			cancel()
			out.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	h, err := Open(Options{
		URL: server.URL, Secret: "of the tests", File: filepath.Join(t.TempDir(), "position"), Client: server.Client(), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = h.Close() }()
	var changes []sdk.Change
	for n := range 100 {
		changes = append(changes, sdk.Change{
			Type: event.TypeChunkSuperseded, ChunkRef: fmt.Sprintf("v%d:0", n), Rev: 1, Position: sdk.Position{Log: int64(n + 1)},
		})
	}
	if err := h.Apply(ctx, changes, changes[99].Position); err == nil {
		t.Fatal("all were taken")
	}
	if p, err := h.Position(t.Context()); err != nil || p.Log != 2*pieceChanges {
		t.Errorf("it goes on behind %d of the %d that were taken: %v", p.Log, taken, err)
	}
}
