package app

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// TestTheWholeService runs the chunker over the bus: one event in, chunks and
// the end of the run out.
func TestTheWholeService(t *testing.T) {
	w := newWorld(t)
	ctx, stop := context.WithTimeout(t.Context(), devtest.Patience)
	defer stop()
	cfg, err := config.LoadFrom[Config](map[string]string{
		"COLOPHON_NATS_URL": w.Env.NATSURL, "COLOPHON_SUBJECT_PREFIX": w.Env.Prefix, "COLOPHON_STREAM_PREFIX": w.Env.StreamPrefix,
		"COLOPHON_POSTGRES_URL": w.Env.PostgresURL, "COLOPHON_POSTGRES_SCHEMA": w.Env.Schema,
		"COLOPHON_S3_ENDPOINT": w.Env.S3Endpoint, "COLOPHON_S3_ACCESS_KEY": w.Env.S3AccessKey,
		"COLOPHON_PULL_WAIT": "200ms", "COLOPHON_S3_SECRET_KEY": w.Env.S3SecretKey, "COLOPHON_S3_BUCKET_PREFIX": w.Env.BucketPrefix,
	})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := stream.Connect(ctx, stream.ConfigOf("test", cfg.NATS, cfg.Runner))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := stream.Provision(ctx, conn, stream.ProvisionOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Blobs.EnsureBuckets(ctx); err != nil {
		t.Fatal(err)
	}
	heard, err := conn.Subscribe(ctx, stream.FollowOptions{Nouns: []string{"chunk", "run"}})
	if err != nil {
		t.Fatal(err)
	}
	defer heard.Close()

	app, err := New(ctx, cfg, telemetry.Nop(), stream.NewQuarantine())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = app.Close() }()
	running, end := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- app.Run(running) }()

	v := version{doc: docA, day: 5, pages: []string{"# A|One.|# B|Two."}}
	run := w.capture(v)
	if err := conn.Publisher("extractor").Publish(ctx, w.extract(run, model.PageRange{From: 1, To: 1}, 0, v.pages)); err != nil {
		t.Fatal(err)
	}
	created, completed := 0, false
	for created < 2 || !completed { // two streams: which is heard first is open
		r, err := heard.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if r.Event.Type == event.TypeRunCompleted {
			completed = true
			continue
		}
		d, err := event.As[event.ChunkCreated](r.Event)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Chunk.Validate(); err != nil {
			t.Error(err)
		}
		created++
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := w.Run(run); got.State != model.RunDone {
		t.Errorf("%+v", got)
	}
	w.settled(run)
}

// TestManyDocumentsAtOnce lands versions of several documents that share their
// texts, all at the same time: nobody may deadlock, and all must agree on which
// chunk stands for what.
func TestManyDocumentsAtOnce(t *testing.T) {
	w := newWorld(t)
	random := rand.New(rand.NewPCG(1, 2))
	var runs []model.Run
	var events []event.Event
	for d := range 5 {
		for day := 1; day <= 4; day++ {
			text := ""
			for _, n := range random.Perm(14)[:8] {
				text += fmt.Sprintf("|# H|Text number %d.", n)
			}
			v := version{doc: fmt.Sprintf("https://example.org/%d", d), day: day, pages: []string{text[1:]}}
			run := w.capture(v)
			runs = append(runs, run)
			events = append(events, w.extract(run, model.PageRange{From: 1, To: 1}, 0, v.pages))
		}
	}
	errs := make(chan error, len(events))
	for _, e := range events {
		go func() {
			err := w.stage.Handle(t.Context(), e, w.Emit)
			for fault.KindOf(err) == fault.KindDeferred { // the runner would hand it over again
				err = w.stage.Handle(t.Context(), e, w.Emit)
			}
			errs <- err
		}()
	}
	for range events {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	w.settled(runs...)
}
