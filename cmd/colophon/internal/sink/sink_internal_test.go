package sink

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

// bare is a target that has no text.
type bare struct{ Target }

func (bare) Texts(context.Context, []string) (map[string]bool, error) { return nil, nil }

// TestATextIsAskedForInWhateverEpoch: the gateway's answer about a chunk names none.
func TestATextIsAskedForInWhateverEpoch(t *testing.T) {
	t.Parallel()
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"chunk":{"chunk_ref":"a:0","content":"the text","source_id":"town"},"state":{"chunk_ref":"a:0","layer":"archive","rev":2},"current":{}}`))
	}))
	defer gateway.Close()
	client, err := sdk.Connect(t.Context(), sdk.Config{URL: "nats://127.0.0.1:1", Gateway: gateway.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, epoch := range []string{"", "20261128T000000000Z-000000000000"} {
		changes := []sdk.Change{{Type: event.TypeChunkSuperseded, ChunkRef: "a:0", Rev: 2, Layer: "archive", Epoch: epoch, Position: sdk.Position{Log: 7, Epoch: epoch}}}
		w := &writer{client: client, target: bare{}}
		if err := w.complete(t.Context(), changes); err != nil {
			t.Fatal(err)
		}
		if ch := changes[0]; ch.Chunk == nil || ch.Chunk.Content != "the text" || ch.Epoch != epoch || ch.Rev != 2 || ch.Position.Log != 7 {
			t.Errorf("in epoch %q: %+v", epoch, ch)
		}
	}
}
