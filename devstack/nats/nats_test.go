package nats_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	devnats "github.com/colophon-dev/colophon/devstack/nats"
)

func start(t *testing.T, options devnats.Options) *devnats.Server {
	t.Helper()
	server, err := devnats.New(options)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	return server
}

func connect(t *testing.T, url string) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	connection, err := nats.Connect(url, nats.ReconnectWait(20*time.Millisecond), nats.MaxReconnects(-1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(connection.Close)
	stream, err := jetstream.New(connection)
	if err != nil {
		t.Fatal(err)
	}
	return connection, stream
}

// TestClientsFindTheServerAgain keeps one connection over a stop and a start.
func TestClientsFindTheServerAgain(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server := start(t, devnats.Options{Dir: t.TempDir(), SyncAlways: true})
	connection, stream := connect(t, server.URL())
	if _, err := stream.CreateStream(ctx, jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Publish(ctx, "s", []byte("kept")); err != nil {
		t.Fatal(err)
	}
	back := connection.StatusChanged(nats.CONNECTED)
	if err := server.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if err := server.Start(ctx); err != nil {
		t.Fatal(err)
	}
	select {
	case <-back:
	case <-ctx.Done():
		t.Fatal("the client did not come back")
	}
	kept, err := stream.Stream(ctx, "S")
	if err != nil {
		t.Fatal(err)
	}
	if message, err := kept.GetMsg(ctx, 1); err != nil || string(message.Data) != "kept" {
		t.Errorf("after the restart: %v, %v", message, err)
	}
}

func TestTakenPortIsTold(t *testing.T) {
	first := start(t, devnats.Options{Dir: t.TempDir()})
	second, err := devnats.New(devnats.Options{Dir: t.TempDir(), Addr: strings.TrimPrefix(first.URL(), "nats://")})
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("two servers on one port: %v", err)
	}
}

func TestNewRefusesBadAddresses(t *testing.T) {
	for _, addr := range []string{"no port", "127.0.0.1:x", "127.0.0.1:70000"} {
		if _, err := devnats.New(devnats.Options{Addr: addr}); err == nil {
			t.Errorf("address %q was taken", addr)
		}
	}
}
