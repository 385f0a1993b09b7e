package sdk_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

// twoVersions are the events of a document d of two versions, one of whose paragraphs
// stays, in their order.
func twoVersions() []event.Data {
	chunk := func(version string, index int, text, repeats string, current model.DocumentCurrent) event.Data {
		ref := fmt.Sprintf("%s:%d", version, index)
		return event.ChunkCreated{Rev: 1, Cause: "capture", Layer: model.LayerHot, Since: "2026-03-12", Repeats: repeats, Current: current,
			Chunk: model.Chunk{ChunkRef: ref, DocHash: version, ChunkIndex: index, Generation: 1, DocumentID: "d", SourceID: source, Layer: "hot", Content: text}}
	}
	first := model.DocumentCurrent{DocumentID: "d", Rev: 1, DocHash: "one", Generation: 1}
	second := model.DocumentCurrent{DocumentID: "d", Rev: 2, DocHash: "two", Generation: 1}
	gone := superseded("one:1", 2).(event.ChunkSuperseded)
	gone.Current, gone.ReplacedBy = second, "snap_two"
	return []event.Data{
		chunk("one", 0, "The bridge is closed.", "", first), chunk("one", 1, "It opens on Monday.", "", first),
		chunk("two", 0, "The bridge is closed.", "one:0", second), chunk("two", 1, "It opens on Friday.", "", second), gone,
	}
}

// ExampleClient_State prints what each document says now: the log is read once, and what
// comes then is applied to it.
func ExampleClient_State() {
	ctx := context.Background()
	client, err := sdk.Connect(ctx, server) // with a Gateway: sdk.Config{URL: "nats://127.0.0.1:4222", Gateway: "http://127.0.0.1:8080"}
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	state, err := client.State(ctx, "town")
	if err != nil {
		log.Fatal(err)
	}
	for document := range state.Documents() {
		for _, chunk := range state.Document(document) {
			fmt.Println(document, "says:", chunk.Chunk.Content)
		}
	}
	for change, err := range client.Chunks(ctx, sdk.From{Position: state.Position, Source: "town"}) {
		if err != nil {
			log.Fatal(err)
		}
		state.Apply(change)
		fmt.Println("then:", change.ChunkRef, change.Layer)
		break // when it is enough
	}
	// d says: The bridge is closed.
	// d says: It opens on Friday.
	// then: new:0 hot
}

// ExampleClient_Durable goes on where it was interrupted: the bus keeps how far that is.
func ExampleClient_Durable() {
	ctx := context.Background()
	client, err := sdk.Connect(ctx, server)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	for range 2 {
		for change, err := range client.Durable(ctx, "search", "town") {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(change.ChunkRef, change.Layer) // keep change.After(what you have of it)
			break                                      // leaving the loop says that it is dealt with
		}
	}
	// new:0 hot
	// new:0 archive
}

func TestExamplesOfState(t *testing.T) {
	r := newRig(t, 0)
	changes := &record{}
	changes.add(twoVersions()...)
	gateway := httptest.NewServer(changes)
	defer gateway.Close()
	server = r.config()
	r.say(created("new:0", 1), superseded("new:0", 2))
	if got, want := printed(t, ExampleClient_Durable), "new:0 hot\nnew:0 archive\n"; got != want {
		t.Errorf("it prints\n%s, want\n%s", got, want)
	}
	server.Gateway = gateway.URL
	if got, want := printed(t, ExampleClient_State), "d says: The bridge is closed.\nd says: It opens on Friday.\nthen: new:0 hot\n"; got != want {
		t.Errorf("it prints\n%s, want\n%s", got, want)
	}
}

// TestAStateIsTheSameInAnyOrder: events in disorder, some twice, and removals.
func TestAStateIsTheSameInAnyOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	random := rand.New(rand.NewPCG(3, 1))
	for range 20 {
		events := append(twoVersions(), twoVersions()...)
		events = append(events, removed("two:1", 2))
		random.Shuffle(len(events), func(a, b int) { events[a], events[b] = events[b], events[a] })
		log := &record{}
		log.add(events...)
		gateway := httptest.NewServer(log)
		state, err := r.client(func(c *sdk.Config) { c.Gateway = gateway.URL }).State(t.Context(), source)
		r.must(err)
		gateway.Close()
		var says []string
		for document := range state.Documents() {
			for _, chunk := range state.Document(document) {
				says = append(says, chunk.ChunkRef+" "+chunk.Chunk.Content)
			}
		}
		if want := []string{"two:0 The bridge is closed."}; !slices.Equal(says, want) {
			t.Errorf("it says %v, want %v", says, want)
		}
		if old, known := state.Chunk("one:1"); !known || old.Layer != "archive" || old.Chunk == nil || old.InCurrent() {
			t.Errorf("what it said before: %+v, %v", old, known)
		}
		if gone, known := state.Chunk("two:1"); !known || !strings.HasSuffix(gone.Type, "removed.v1") || gone.Chunk != nil || gone.InCurrent() {
			t.Errorf("what was removed: %+v, %v", gone, known)
		}
		if repeated, _ := state.Chunk("two:0"); !repeated.InCurrent() || repeated.StandsInSource() {
			t.Errorf("what repeats: %+v", repeated)
		}
	}
}
