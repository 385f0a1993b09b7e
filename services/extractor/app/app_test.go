package app

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// TestTheWholeService runs the extractor over the bus, and sees that nothing of
// it is left when it has ended.
func TestTheWholeService(t *testing.T) {
	w := newWorld(t)
	ctx, stop := context.WithTimeout(t.Context(), devtest.Patience)
	defer stop()
	cfg, err := config.LoadFrom[Config](map[string]string{
		"COLOPHON_NATS_URL": w.env.NATSURL, "COLOPHON_SUBJECT_PREFIX": w.env.Prefix, "COLOPHON_STREAM_PREFIX": w.env.StreamPrefix,
		"COLOPHON_POSTGRES_URL": w.env.PostgresURL, "COLOPHON_POSTGRES_SCHEMA": w.env.Schema, "COLOPHON_PULL_WAIT": "200ms",
		"COLOPHON_S3_ENDPOINT": w.env.S3Endpoint, "COLOPHON_S3_ACCESS_KEY": w.env.S3AccessKey,
		"COLOPHON_S3_SECRET_KEY": w.env.S3SecretKey, "COLOPHON_S3_BUCKET_PREFIX": w.env.BucketPrefix, "COLOPHON_EXTRACT_CHILDREN": "1",
	})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := stream.Connect(ctx, stream.ConfigOf("test", cfg.NATS, cfg.Runner))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := stream.Provision(ctx, conn, stream.ProvisionOptions{RequestBytes: 16 << 20}); err != nil {
		t.Fatal(err)
	}
	heard, err := conn.Subscribe(ctx, stream.FollowOptions{Nouns: []string{"ir"}})
	if err != nil {
		t.Fatal(err)
	}
	defer heard.Close()

	app, err := New(ctx, cfg, telemetry.Nop(), stream.NewQuarantine())
	if err != nil {
		t.Fatal(err)
	}
	running, end := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- app.Run(running) }()
	run := w.start(w.capture("Text of a file.\n", model.KindTextFile, nil), extract.ParserVersion)
	if err := conn.Publisher("splitter").Publish(ctx, w.event(split(run, model.PageRange{From: 1, To: 1}))); err != nil {
		t.Fatal(err)
	}
	r, err := heard.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	d, err := event.As[event.IRExtracted](r.Event)
	if err != nil || d.Processed != 1 || d.SnapshotID != run.SnapshotID || app.Name() != Name {
		t.Errorf("%+v, %v", d, err)
	}
	if err := app.Ready(ctx); err != nil {
		t.Error(err)
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := app.Close(); err != nil {
		t.Error(err)
	}
	for strings.Contains(stacks(), "extractor/app.New") || strings.Contains(stacks(), "stream.(*Runner)") {
		if ctx.Err() != nil {
			t.Fatalf("goroutines are left:\n%s", stacks())
		}
		runtime.Gosched()
	}
}

func stacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

func TestSettingsThatCannotBeUsed(t *testing.T) {
	var cfg Config
	cfg.S3.Endpoint = "no address"
	if app, err := New(t.Context(), cfg, telemetry.Nop(), stream.NewQuarantine()); err == nil {
		t.Errorf("%+v", app)
	}
}
