package app

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// TestTheWholeService runs the splitter over the bus, and sees that nothing of
// it is left when it has ended.
func TestTheWholeService(t *testing.T) {
	w := newWorld(t)
	ctx, stop := context.WithTimeout(t.Context(), devtest.Patience)
	defer stop()
	cfg, err := config.LoadFrom[Config](map[string]string{
		"COLOPHON_NATS_URL": w.Env.NATSURL, "COLOPHON_SUBJECT_PREFIX": w.Env.Prefix, "COLOPHON_STREAM_PREFIX": w.Env.StreamPrefix,
		"COLOPHON_POSTGRES_URL": w.Env.PostgresURL, "COLOPHON_POSTGRES_SCHEMA": w.Env.Schema, "COLOPHON_PULL_WAIT": "200ms",
		"COLOPHON_S3_ENDPOINT": w.Env.S3Endpoint, "COLOPHON_S3_ACCESS_KEY": w.Env.S3AccessKey,
		"COLOPHON_S3_SECRET_KEY": w.Env.S3SecretKey, "COLOPHON_S3_BUCKET_PREFIX": w.Env.BucketPrefix, "COLOPHON_EXTRACT_CHILDREN": "1",
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
	heard, err := conn.Subscribe(ctx, stream.FollowOptions{Nouns: []string{"page"}})
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
	good, empty := w.Capture("Text of a file.\n", model.KindTextFile, nil), w.Capture("", model.KindHTML, nil)
	for _, s := range []model.Snapshot{good, empty} {
		if err := conn.Publisher("capturer").Publish(ctx, w.stored(s)); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for len(seen) < 2 {
		r, err := heard.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		split, err := event.As[event.PageSplit](r.Event)
		if err != nil {
			t.Fatal(err)
		}
		seen[split.SnapshotID] = true
	}
	if err := app.Ready(ctx); err != nil {
		t.Error(err)
	}
	if app.Name() != Name || !seen[good.SnapshotID] || !seen[empty.SnapshotID] || w.Runs(empty)[0].Reason != "empty_content" {
		t.Errorf("%v, %+v", seen, w.Runs(empty))
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := app.Close(); err != nil {
		t.Error(err)
	}
	for strings.Contains(stacks(), "splitter/app.New") || strings.Contains(stacks(), "stream.(*Runner)") {
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
