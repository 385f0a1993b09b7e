package credentials_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/devstack/qdrant"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/test/secrets"
)

// turning is the TLS of a server that a test changes.
type turning struct{ now atomic.Pointer[tls.Config] }

func (s *turning) set(c *tls.Config) {
	c.NextProtos = []string{"h2"}
	s.now.Store(c)
}

func (s *turning) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return s.now.Load(), nil }}
}

// TestQdrantUnderLoad: certificates of both sides change without one failed call; a key
// that is revoked is the store's absence until its file has the next one.
func TestQdrantUnderLoad(t *testing.T) {
	first, second := secrets.NewAuthority(t, "first"), secrets.NewAuthority(t, "second")
	var certificates turning
	certificates.set(first.Server(first))
	var key atomic.Value
	key.Store("key-1")
	server := qdrant.New(qdrant.Options{Dir: t.TempDir(), NoSync: true, TLS: certificates.config(), APIKey: func() string { return key.Load().(string) }})
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	files := secrets.NewMount(t, first.Client("indexer", secrets.InAnHour()))
	var log journal
	c := vectorstore.Config{
		Addr: server.Addr(), APIKeyFile: files.Path("key"), CAFile: files.Path("ca.crt"), CertFile: files.Path("tls.crt"), KeyFile: files.Path("tls.key"),
		Timeout: 10 * time.Second, CheckEvery: 20 * time.Millisecond,
	}.Logged(log.log())
	for range 3 {
		if _, err := vectorstore.Open(t.Context(), c); fault.KindOf(err) != fault.KindUnavailable {
			t.Errorf("without the file of the key: %v", err)
		}
	}
	files.Change(map[string]string{"key": "key-1\n"})
	client, err := vectorstore.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	collection := client.Collection("kb")
	if err := collection.Ensure(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	var done, away atomic.Int64
	for worker := range 2 {
		group.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				point := vectorstore.Point{ID: fmt.Sprintf("%08x-0000-4000-8000-%012x", worker, i), Dense: []float32{1, 0}}
				err := repeated(t.Context(), func() error {
					err := collection.Upsert(t.Context(), []vectorstore.Point{point})
					if err != nil {
						away.Add(1)
					}
					return err
				})
				if err != nil {
					t.Errorf("a point was not written: %v", err)
					return
				}
				done.Add(1)
			}
		})
	}
	t.Cleanup(func() { cancel(); group.Wait() })
	goesOn := func() {
		t.Helper()
		before := done.Load()
		eventually(t, "points are written", func() error { return holds(done.Load() > before+10) })
	}
	goesOn()
	certificates.set(first.Server(first, second))
	files.Change(second.Client("indexer", secrets.InAnHour()), map[string]string{"ca.crt": first.PEM + second.PEM})
	eventually(t, "they are used", func() error { return holds(log.count("credentials have changed") >= 1) })
	goesOn()
	certificates.set(second.Server(second))
	files.Change(map[string]string{"ca.crt": second.PEM})
	eventually(t, "the second authority alone is used", func() error { return holds(log.count("credentials have changed") >= 2) })
	goesOn()
	files.Change(map[string]string{"tls.key": "half", "tls.crt": ""})
	goesOn()
	if n := away.Load(); n != 0 {
		t.Errorf("%d calls failed", n)
	}
	key.Store("key-2")
	eventually(t, "the first key is refused", func() error {
		_, err := client.Ping(t.Context())
		return holds(isRefused(err, "Qdrant"))
	})
	files.Change(map[string]string{"key": "key-2"})
	goesOn()
	eventually(t, "the second is taken", func() error { _, err := client.Ping(t.Context()); return err })
	cancel()
	group.Wait()
	if n, err := collection.Count(t.Context(), vectorstore.Filter{}); err != nil || n != int(done.Load()) {
		t.Errorf("%d points, %v, want %d", n, err, done.Load())
	}
	if a, b := log.count("refuses our"), log.count("takes our"); a != 1 || b != 1 {
		t.Errorf("said %d and %d times", a, b)
	}
	log.holdsNone(t, "key-1", "key-2")
}

// TestQdrantCertificateThatExpires: the server looks at it when a connection is made.
func TestQdrantCertificateThatExpires(t *testing.T) {
	a := secrets.NewAuthority(t, "authority")
	var certificates turning
	certificates.set(a.Server(a))
	server := qdrant.New(qdrant.Options{Dir: t.TempDir(), NoSync: true, TLS: certificates.config()})
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	until := time.Now().Add(2 * time.Second)
	files := secrets.NewMount(t, a.Client("indexer", until))
	client, err := vectorstore.Open(t.Context(), vectorstore.Config{
		Addr: server.Addr(), CAFile: files.Path("ca.crt"), CertFile: files.Path("tls.crt"), KeyFile: files.Path("tls.key"),
		Timeout: 5 * time.Second, CheckEvery: 20 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	eventually(t, "it has expired", func() error { return holds(time.Now().After(until)) })
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is refused", func() error {
		_, err := client.Ping(t.Context())
		if isRefused(err, "Qdrant") {
			return nil
		}
		return fmt.Errorf("it says %w", err)
	})
	files.Change(a.Client("indexer", secrets.InAnHour()))
	eventually(t, "another one is taken", func() error { _, err := client.Ping(t.Context()); return err })
}
