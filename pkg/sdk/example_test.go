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

// ExampleClient_Chunks follows chunks and keeps how far it has come.
func ExampleClient_Chunks() {
	ctx := context.Background()
	client, err := sdk.Connect(ctx, server)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	var kept sdk.Position // from wherever it was written down
	for change, err := range client.Chunks(ctx, sdk.From{Position: kept}) {
		if err != nil {
			log.Fatal(err)
		}
		switch {
		case change.Chunk != nil:
			fmt.Println("new:", change.ChunkRef, change.Chunk.Content)
		default:
			fmt.Println("now in", change.Layer+":", change.ChunkRef)
		}
		kept = change.Position // once it is dealt with
		if kept.Stream == 2 {
			return
		}
	}
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
