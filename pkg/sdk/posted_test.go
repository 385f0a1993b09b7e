package sdk_test

import (
	"errors"
	"testing"

	"github.com/colophon-dev/colophon/pkg/sdk"
)

// TestSignPosted: the signature depends on all that it is over.
func TestSignPosted(t *testing.T) {
	t.Parallel()
	key := []byte{0x58, 0x2a, 0x7e} // any bytes
	one := sdk.SignPosted(key, "a:0/1", "1614265330", []byte(`{"test": 2432232314}`))
	for name, other := range map[string]string{
		"another secret": sdk.SignPosted(key[:2], "a:0/1", "1614265330", []byte(`{"test": 2432232314}`)),
		"another id":     sdk.SignPosted(key, "a:0/2", "1614265330", []byte(`{"test": 2432232314}`)),
		"another time":   sdk.SignPosted(key, "a:0/1", "1614265331", []byte(`{"test": 2432232314}`)),
		"another body":   sdk.SignPosted(key, "a:0/1", "1614265330", []byte(`{"test": 2432232315}`)),
	} {
		if other == one {
			t.Errorf("%s has the same signature", name)
		}
	}
}

// FuzzReadPosted: what is read is written again as it was read.
func FuzzReadPosted(f *testing.F) {
	f.Add([]byte(`{"type":"colophon.chunk.removed.v1","chunk_ref":"a:0","rev":2}`))
	f.Add([]byte(`{"type":"colophon.chunk.created.v1","chunk_ref":"a:0","rev":1,"chunk":{"content":"text"},"current":{"document_id":"d","rev":1}}`))
	f.Add([]byte(`{"type":"colophon.chunk.superseded.v1","chunk_ref":"a:0","rev":-1}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		ch, err := sdk.ReadPosted(body)
		if err != nil {
			if !errors.Is(err, sdk.ErrPosted) {
				t.Fatal(err)
			}
			return
		}
		text, err := ch.Posted()
		if err != nil {
			t.Fatal(err)
		}
		again, err := sdk.ReadPosted(text)
		if err != nil || again.ChunkRef != ch.ChunkRef || again.Rev != ch.Rev || again.Current != ch.Current || (again.Chunk == nil) != (ch.Chunk == nil) {
			t.Fatalf("%v: %+v, %+v", err, again, ch)
		}
	})
}
