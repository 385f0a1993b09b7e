package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/sdk"
)

// server is where the examples find their bus; TestExamples sets it.
var server sdk.Config

// ExampleClient_Capture hands a page over that the crawler has fetched itself.
func ExampleClient_Capture() {
	ctx := context.Background()
	client, err := sdk.Connect(ctx, server) // sdk.Config{URL: "nats://127.0.0.1:4222", Source: "town"}
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	fetched := time.Date(2026, 3, 12, 9, 0, 0, 0, time.UTC)
	pending, err := client.Capture(ctx, sdk.Request{
		RequestID: "crawl-7/agenda", URL: "https://www.town.example/agenda",
		Inline:      &sdk.Inline{ContentBase64: []byte("<h1>Agenda</h1>")},
		ContentType: "text/html; charset=utf-8", HTTPStatus: 200, RetrievedAt: &fetched,
	})
	switch {
	case errors.Is(err, sdk.ErrFull): // slow down, and send it again later
		return
	case err != nil:
		log.Fatal(err)
	}
	outcome, err := pending.Wait(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(outcome.RequestID, outcome.Outcome)
	// crawl-7/agenda stored
}

// ExampleClient_Chunks keeps what stands now, each text once, and how far it has come.
func ExampleClient_Chunks() {
	ctx := context.Background()
	client, err := sdk.Connect(ctx, server)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	texts := map[string]string{}  // by chunk_ref; a text never changes
	standing := map[string]bool{} // the chunks that are current and no copies
	var kept sdk.Position         // from wherever it was written down
	for change, err := range client.Chunks(ctx, sdk.From{Position: kept}) {
		if err != nil {
			log.Fatal(err)
		}
		if change.Chunk != nil {
			texts[change.ChunkRef] = change.Chunk.Content
		}
		if change.Stands() {
			standing[change.ChunkRef] = true
			fmt.Println("stands:", texts[change.ChunkRef])
		} else {
			delete(standing, change.ChunkRef)
			fmt.Println("no longer:", texts[change.ChunkRef], change.Layer, change.Repeats, change.DuplicateOf)
		}
		kept = change.Position // once it is dealt with
		if kept.Stream == 2 {
			return
		}
	}
	// stands: a:0
	// no longer: a:0 archive
}

func TestExamples(t *testing.T) {
	r := newRig(t, 0)
	server = r.config()
	a := &answerer{}
	r.answer(a)
	r.say(created("a:0", 1), superseded("a:0", 2))
	ExampleClient_Capture()
	if got := a.request("crawl-7/agenda"); got.HTTPStatus != 200 {
		t.Errorf("%+v", got)
	}
	ExampleClient_Chunks()
}
