package app

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

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
	run := w.start(w.Capture("Text of a file.\n", model.KindTextFile, nil), extract.ParserVersion)
	if err := conn.Publisher("splitter").Publish(ctx, w.Event(split(run, model.PageRange{From: 1, To: 1}))); err != nil {
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
	for app.Ready(ctx) != nil { // whether there is an engine for OCR may not be known yet
		if ctx.Err() != nil {
			t.Fatal(app.Ready(t.Context()))
		}
		runtime.Gosched()
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

// bus is the services' way through the bus: a world with streams, and what is said.
type bus struct {
	*world
	settings map[string]string
	conn     *stream.Conn
	heard    *stream.Subscription
}

func newBus(t *testing.T) *bus {
	t.Helper()
	w := newWorld(t)
	b := &bus{world: w, settings: map[string]string{
		"COLOPHON_NATS_URL": w.Env.NATSURL, "COLOPHON_SUBJECT_PREFIX": w.Env.Prefix, "COLOPHON_STREAM_PREFIX": w.Env.StreamPrefix,
		"COLOPHON_POSTGRES_URL": w.Env.PostgresURL, "COLOPHON_POSTGRES_SCHEMA": w.Env.Schema, "COLOPHON_PULL_WAIT": "200ms",
		"COLOPHON_S3_ENDPOINT": w.Env.S3Endpoint, "COLOPHON_S3_ACCESS_KEY": w.Env.S3AccessKey,
		"COLOPHON_S3_SECRET_KEY": w.Env.S3SecretKey, "COLOPHON_S3_BUCKET_PREFIX": w.Env.BucketPrefix, "COLOPHON_EXTRACT_CHILDREN": "1",
		"COLOPHON_OCR_ENGINE": "fake:read", "COLOPHON_OCR_DATA": t.TempDir(), "COLOPHON_OCR_WORKERS": "1",
	}}
	cfg := b.config(nil)
	var err error
	if b.conn, err = stream.Connect(t.Context(), stream.ConfigOf("test", cfg.NATS, cfg.Runner)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.conn.Close)
	if err := stream.Provision(t.Context(), b.conn, stream.ProvisionOptions{RequestBytes: 16 << 20}); err != nil {
		t.Fatal(err)
	}
	if b.heard, err = b.conn.Subscribe(t.Context(), stream.FollowOptions{Nouns: []string{"ir"}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.heard.Close)
	return b
}

func (b *bus) config(change map[string]string) Config {
	b.Helper()
	values := maps.Clone(b.settings)
	maps.Copy(values, change)
	cfg, err := config.LoadFrom[Config](values)
	if err != nil {
		b.Fatal(err)
	}
	return cfg
}

// serve runs an extractor with these settings until stop is called, or the test ends.
func (b *bus) serve(change map[string]string) (app *App, stop func()) {
	b.Helper()
	app, err := New(b.Context(), b.config(change), telemetry.Nop(), stream.NewQuarantine())
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- app.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-ended, app.Close()); err != nil {
			b.Error(err)
		}
	})
	b.Cleanup(stop)
	return app, stop
}

// waiting is how many messages a consumer has not done.
func (b *bus) waiting(consumer string) int {
	b.Helper()
	queues, err := b.conn.Queues(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for _, q := range queues {
		if q.Consumer == consumer {
			return int(q.Pending) + q.AckPending
		}
	}
	b.Fatalf("no consumer %s", consumer)
	return 0
}

func (b *bus) until(what string, so func() bool) {
	b.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for over := time.After(devtest.Patience); !so(); {
		select {
		case <-tick.C:
		case <-over:
			b.Fatalf("waited in vain until %s", what)
		}
	}
}

// next is the next ir.extracted.
func (b *bus) next() event.IRExtracted {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	r, err := b.heard.Next(ctx)
	if err != nil {
		b.Fatal(err)
	}
	d, err := event.As[event.IRExtracted](r.Event)
	if err != nil {
		b.Fatal(err)
	}
	return d
}

// TestConsumersOfAProcessAreASettingOfTheirOwn has one process extract and another read;
// each is ready by its own consumer. Then OCR is switched off, and what waits fails.
func TestConsumersOfAProcessAreASettingOfTheirOwn(t *testing.T) {
	b := newBus(t)
	scan := func(shade byte) model.Run {
		run := b.start(b.Capture(picture(t, shade), model.KindImageScan, nil), extract.ParserVersion)
		if err := b.conn.Publisher("splitter").Publish(t.Context(), b.Event(split(run, one))); err != nil {
			t.Fatal(err)
		}
		return run
	}
	extracts, stopExtracting := b.serve(map[string]string{"COLOPHON_EXTRACTOR_CONSUMERS": "extract", "COLOPHON_OCR": "on"})
	b.until("it is ready", func() bool { return extracts.Ready(t.Context()) == nil })
	first := scan(1)
	b.until("a page waits to be read", func() bool { return b.waiting(stream.ConsumerOCR) == 1 && b.waiting(stream.ConsumerExtract) == 0 })

	reads, stopReading := b.serve(map[string]string{"COLOPHON_EXTRACTOR_CONSUMERS": "ocr", "COLOPHON_OCR": "on"})
	if d := b.next(); d.SnapshotID != first.SnapshotID || d.Processed != 1 || d.Failed != 0 {
		t.Errorf("read: %+v", d)
	}
	b.until("it is ready", func() bool { return reads.Ready(t.Context()) == nil })
	stopReading()

	second := scan(2)
	b.until("a page waits to be read", func() bool { return b.waiting(stream.ConsumerOCR) == 1 && b.waiting(stream.ConsumerExtract) == 0 })
	stopExtracting()
	both, _ := b.serve(map[string]string{"COLOPHON_OCR": "off"})
	if d := b.next(); d.SnapshotID != second.SnapshotID || d.Processed != 0 || d.Failed != 1 {
		t.Errorf("off: %+v", d)
	}
	b.until("nothing waits", func() bool { return b.waiting(stream.ConsumerOCR) == 0 })
	b.until("it is ready", func() bool { return both.Ready(t.Context()) == nil })
	pages, err := b.DB.Pages(t.Context(), second.SnapshotID, second.ExtractionID)
	if err != nil || len(pages) != 1 || !strings.Contains(pages[0].Message, "COLOPHON_OCR=off") {
		t.Errorf("%+v, %v", pages, err)
	}
}

// TestAProcessThatCanDoNothingIsNotReady has no engine, and no other duty.
func TestAProcessThatCanDoNothingIsNotReady(t *testing.T) {
	b := newBus(t)
	app, _ := b.serve(map[string]string{"COLOPHON_EXTRACTOR_CONSUMERS": "ocr", "COLOPHON_OCR": "on", "COLOPHON_OCR_ENGINE": "tesseract"})
	b.until("it knows its engine", func() bool {
		app.reading.mu.Lock()
		defer app.reading.mu.Unlock()
		return app.reading.none != nil
	})
	if err := app.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "consumer ocr is all that this process works on") {
		t.Error(err)
	}
}
