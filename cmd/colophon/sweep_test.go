package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	devnats "github.com/colophon-dev/colophon/devstack/nats"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// uncounted counts no attempts: none fails here.
type uncounted struct{}

func (uncounted) AttemptFailed(context.Context, string, string, string) (int, error) { return 1, nil }

func (uncounted) AttemptReturned(context.Context, string, string, string) error { return nil }

func (uncounted) AttemptSeen(context.Context, string, string) (int, bool, error) {
	return 0, false, nil
}

func (uncounted) AttemptStarted(context.Context, string, string) (int, error) { return 1, nil }

func (uncounted) ClearAttempts(context.Context, string, string) error { return nil }

func (h *handled) Fail(context.Context, event.Event, fault.Reason, string, stream.Emit) error {
	return nil
}

// handled handles each request when it may.
type handled struct{ may, done chan struct{} }

func (h *handled) Handle(ctx context.Context, _ event.Event, _ stream.Emit) error {
	select {
	case <-h.may:
	case <-ctx.Done():
		return ctx.Err()
	}
	h.done <- struct{}{}
	return nil
}

// TestADeletionThatFailedIsRepeated handles requests while the disk of the bus is full:
// what they hold is gone from its files once there is room and the server was started
// again, also when another process goes on.
func TestADeletionThatFailedIsRepeated(t *testing.T) {
	const canary, requests, room = "zqcanaryofarequest", 40, 64 << 20
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", room)); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	server, err := devnats.New(devnats.Options{Dir: dir, SyncAlways: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	cfg := stream.Config{
		URL: server.URL(), Prefix: "colophon", AckWait: 5 * time.Second, PublishWait: time.Second, ProbeEvery: 20 * time.Millisecond,
		PullWait: 200 * time.Millisecond, ReconnectWait: 20 * time.Millisecond, Grace: time.Second,
	}
	conn, err := stream.Connect(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := stream.Provision(t.Context(), conn, stream.ProvisionOptions{RequestBytes: 8 << 20}); err != nil {
		t.Fatal(err)
	}
	for n := range requests {
		if err := conn.Publisher("crawler").Emit(t.Context(), event.CaptureRequested{
			RequestID: fmt.Sprint(n), SourceID: "town", URL: "https://town.example/?password=" + canary,
		}); err != nil {
			t.Fatal(err)
		}
	}
	held := func() bool { return filesHold(t, dir, canary) }
	if !held() {
		t.Fatal("the requests are in no file")
	}
	h := &handled{may: make(chan struct{}), done: make(chan struct{}, 10*requests)}
	stop := runCapture(t, conn, h)
	filler := filepath.Join(dir, "filler")
	fill(t, filler)
	close(h.may)
	for range requests {
		<-h.done
	}
	stop()
	if !held() {
		t.Log("the deletion has not failed")
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := server.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	other, err := stream.Connect(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	t.Logf("held after the restart: %v", held())
	defer runCapture(t, other, h)()
	for deadline := time.Now().Add(30 * time.Second); held(); {
		if time.Now().After(deadline) {
			t.Fatal("the requests are in the files of the bus")
		}
		<-time.After(50 * time.Millisecond)
	}
}

// runCapture runs the consumer of requests; stop waits until it has ended.
func runCapture(t *testing.T, conn *stream.Conn, h *handled) (stop func()) {
	t.Helper()
	runner, err := stream.NewRunner(conn, h, stream.Options{Consumer: stream.ConsumerCapture, Service: "capturer", Attempts: uncounted{}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = runner.Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// fill writes a file until there is no room.
func fill(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for _, size := range []int{1 << 20, 4096, 1} {
		for err = nil; err == nil; {
			_, err = file.Write(make([]byte, size))
		}
	}
}

// filesHold reports whether any file below a folder holds a text.
func filesHold(t *testing.T, dir, text string) (held bool) {
	t.Helper()
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "filler" {
			data, _ := os.ReadFile(path) // what goes meanwhile is gone
			held = held || bytes.Contains(data, []byte(text))
		}
		return nil
	})
	return held
}
