package sdk

import (
	"testing"

	"github.com/colophon-dev/colophon/pkg/event"
)

// FuzzChangeOf: whatever an event holds is read or refused.
func FuzzChangeOf(f *testing.F) {
	f.Add(event.TypeChunkCreated, []byte(`{"rev":1,"cause":"capture","layer":"hot","since":"","repeats":"","duplicate_of":"","chunk":{"chunk_ref":"a:0","layer":"hot"}}`))
	f.Add(event.TypeChunkSuperseded, []byte(`{"rev":2,"cause":"restored","layer":"hot","chunk_ref":"a:0"}`))
	f.Add(event.TypeChunkRemoved, []byte(`{"since":null}`))
	f.Add("colophon.run.completed.v1", []byte(`{}`))
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		ch, err := changeOf(kind, data)
		switch {
		case err != nil:
		case ch.Type != kind, (ch.Chunk != nil) != (kind == event.TypeChunkCreated):
			t.Errorf("%+v", ch)
		case kind == event.TypeChunkRemoved && (ch.Partial || ch.Stands()):
			t.Errorf("gone: %+v", ch)
		}
	})
}
