package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
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

// ExampleClient_Chunks keeps what stands now, of each chunk its newest state, and how far
// it has come: here it was interrupted, and old changes come once more.
func ExampleClient_Chunks() {
	ctx := context.Background()
	client, err := sdk.Connect(ctx, server)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	chunks := map[string]sdk.Change{} // by chunk_ref, also what stands no more
	var position sdk.Position         // both from wherever they were written down
	for _, interrupted := range []uint64{2, 4} {
		for change, err := range client.Chunks(ctx, sdk.From{Position: position, Source: "town"}) {
			if err != nil {
				log.Fatal(err)
			}
			kept := change.After(chunks[change.ChunkRef]) // the state of the higher Rev, with its text
			chunks[change.ChunkRef] = kept
			if kept.StandsInSource() && kept.Chunk != nil { // of all sources together, each text once: Stands
				fmt.Println("stands:", kept.Chunk.Content)
			} else {
				fmt.Println("no longer:", kept.ChunkRef, kept.Layer)
			}
			position = change.Position // once it is dealt with
			if position.Stream == interrupted {
				break
			}
		}
	}
	// stands: a:0
	// no longer: a:0 archive
	// no longer: a:0 archive
	// stands: b:0
}

func TestExamples(t *testing.T) {
	r := newRig(t, 0)
	server = r.config()
	a := &answerer{}
	r.answer(a)
	twin := created("b:0", 1).(event.ChunkCreated)
	twin.DuplicateOf = "c:0" // of another source, which is not followed
	r.say(created("a:0", 1), superseded("a:0", 2))
	r.sayAgain(created("a:0", 1))
	r.say(twin)
	if got, want := printed(t, ExampleClient_Capture), "crawl-7/agenda stored\n"; got != want {
		t.Errorf("it prints %q, want %q", got, want)
	}
	if got := a.request("crawl-7/agenda"); got.HTTPStatus != 200 {
		t.Errorf("%+v", got)
	}
	if got, want := printed(t, ExampleClient_Chunks), "stands: a:0\nno longer: a:0 archive\nno longer: a:0 archive\nstands: b:0\n"; got != want {
		t.Errorf("it prints\n%s, want\n%s", got, want)
	}
}

// printed returns what an example prints.
func printed(t *testing.T, example func()) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "printed"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	before := os.Stdout
	os.Stdout = file
	defer func() { os.Stdout = before }()
	example()
	text, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
