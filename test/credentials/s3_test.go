package credentials_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/devstack/s3"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/test/secrets"
)

// repeated calls f until it does not say that the store is away, as a runner does.
func repeated(ctx context.Context, f func() error) error {
	for {
		err := f()
		if fault.KindOf(err) != fault.KindUnavailable || ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// TestS3KeysUnderLoad: keys and the server's certificate are changed while objects are
// put. Each put is there in the end, and none has failed.
func TestS3KeysUnderLoad(t *testing.T) {
	first, second := secrets.NewAuthority(t, "first"), secrets.NewAuthority(t, "second")
	dir, addr := t.TempDir(), devtest.FreeAddress(t)
	serve := func(a *secrets.Authority, access, secret string) *s3.Server {
		t.Helper()
		cert, key := a.Issue("server", secrets.InAnHour())
		files := secrets.NewMount(t, map[string]string{"tls.crt": cert, "tls.key": key})
		server, err := s3.New(s3.Options{Dir: dir, Addr: addr, AccessKey: access, SecretKey: secret, CertFile: files.Path("tls.crt"), KeyFile: files.Path("tls.key")})
		if err != nil {
			t.Fatal(err)
		}
		if err := server.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(server.Kill)
		return server
	}
	server := serve(first, "access-1", "secret-of-the-first")
	files := secrets.NewMount(t, map[string]string{"access": "access-1\n", "secret": "secret-of-the-first\n", "ca.crt": first.PEM + second.PEM})
	var log journal
	store, err := blobstore.Open(t.Context(), blobstore.Config{
		Endpoint: server.Endpoint(), AccessKeyFile: files.Path("access"), SecretKeyFile: files.Path("secret"), CAFile: files.Path("ca.crt"),
		TempDir: t.TempDir(), Timeout: 10 * time.Second, CheckEvery: 20 * time.Millisecond, Logger: log.log(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.EnsureBuckets(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	var put [2]atomic.Int64
	key := func(worker, i int) string { return fmt.Sprintf("town/%d-%d", worker, i) }
	for worker := range put {
		group.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				err := repeated(t.Context(), func() error {
					_, err := store.PutOnce(t.Context(), blobstore.Derived, key(worker, i), []byte(key(worker, i)), "text/plain")
					return err
				})
				if err != nil {
					t.Errorf("a put failed: %v", err)
					return
				}
				put[worker].Add(1)
			}
		})
	}
	t.Cleanup(func() { cancel(); group.Wait() })
	goesOn := func() {
		t.Helper()
		before := put[0].Load()
		eventually(t, "objects are put", func() error { return holds(put[0].Load() > before+5) })
	}
	goesOn()
	if err := server.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	server = serve(second, "access-2", "secret-of-the-second")
	eventually(t, "the first keys are refused", func() error {
		err := store.Ready(t.Context(), blobstore.Derived)
		if isRefused(err, "S3") {
			return nil
		}
		return fmt.Errorf("it says %w", err)
	})
	// The refusal of a question for an object's head has no body: it is the keys', not the crawler's object's.
	if _, err := store.Stat(t.Context(), blobstore.Inbox, "town/a"); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("an object of the inbox: %v", err)
	}
	files.Change(map[string]string{"access": "access-2", "secret": "secret-of-the-second"})
	eventually(t, "the second are taken", func() error { return store.Ready(t.Context(), blobstore.Derived) })
	goesOn()
	files.Change(map[string]string{"ca.crt": "half"}) // the one of before stays
	goesOn()
	cancel()
	group.Wait()
	for worker := range put {
		for i := range int(put[worker].Load()) {
			sum := sha256.Sum256([]byte(key(worker, i)))
			if _, err := store.Get(t.Context(), blobstore.Derived, key(worker, i), hex.EncodeToString(sum[:])); err != nil {
				t.Error(err)
			}
		}
	}
	if a, b := log.count("refuses our"), log.count("takes our"); a != 1 || b != 1 {
		t.Errorf("said %d and %d times", a, b)
	}
	log.holdsNone(t, "secret-of-the-first", "secret-of-the-second", "access-1")
}

// tokens is an S3 server that wants a session token, signed, and a client's certificate.
// No server at hand gives out tokens: this one keeps objects and looks at headers alone.
type tokens struct {
	mu      sync.Mutex
	token   string
	objects map[string][]byte
}

func (s *tokens) set(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = token
}

// ServeHTTP implements http.Handler.
func (s *tokens) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	refuse := func(status int, code string) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		fmt.Fprintf(w, "<Error><Code>%s</Code><Message>no</Message></Error>", code)
	}
	signed := r.Header.Get("Authorization")
	switch {
	case !strings.Contains(signed, "Credential=access/") || !strings.Contains(signed, "x-amz-security-token"):
		refuse(http.StatusForbidden, "AccessDenied")
		return
	case r.Header.Get("X-Amz-Security-Token") != s.token:
		refuse(http.StatusBadRequest, "ExpiredToken")
		return
	}
	object := len(strings.Split(strings.Trim(r.URL.Path, "/"), "/")) > 1
	data, there := s.objects[r.URL.Path]
	switch {
	case !object:
	case r.Method == http.MethodPut:
		data, _ = io.ReadAll(r.Body)
		s.objects[r.URL.Path] = data
		w.Header().Set("ETag", `"x"`)
	case !there:
		refuse(http.StatusNotFound, "NoSuchKey")
	default:
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		_, _ = w.Write(data)
	}
}

// TestS3SessionTokens: one that has expired is the store's absence, and the next in its
// file ends it. The client's certificate expires as well.
func TestS3SessionTokens(t *testing.T) {
	a := secrets.NewAuthority(t, "authority")
	fake := &tokens{token: "one", objects: make(map[string][]byte)}
	server := httptest.NewUnstartedServer(fake)
	server.TLS = a.Server(a)
	server.StartTLS()
	defer server.Close()
	until := time.Now().Add(3 * time.Second)
	files := secrets.NewMount(t, a.Client("capturer", until), map[string]string{"token": "one\n"})
	var log journal
	store, err := blobstore.Open(t.Context(), blobstore.Config{
		Endpoint: server.URL, AccessKey: "access", SecretKey: "hush", SessionTokenFile: files.Path("token"),
		CAFile: files.Path("ca.crt"), CertFile: files.Path("tls.crt"), KeyFile: files.Path("tls.key"),
		Timeout: 10 * time.Second, CheckEvery: time.Hour, Logger: log.log(), // what is refused is looked at all the same
	})
	if err != nil {
		t.Fatal(err)
	}
	put := func(key string) error {
		_, err := store.PutOnce(t.Context(), blobstore.Derived, key, []byte(key), "text/plain")
		return err
	}
	if err := errors.Join(store.Ready(t.Context(), blobstore.Derived), put("a")); err != nil {
		t.Fatal(err)
	}
	fake.set("two")
	if err := store.Ready(t.Context(), blobstore.Derived); !isRefused(err, "S3") {
		t.Errorf("with a token that has expired: %v", err)
	}
	if err := put("b"); !isRefused(err, "S3") {
		t.Errorf("with a token that has expired: %v", err)
	}
	for _, b := range []blobstore.Bucket{blobstore.Inbox, blobstore.Raw} {
		if _, err := store.Stat(t.Context(), b, "town/a"); !isRefused(err, "S3") {
			t.Errorf("an object's head in %s: %v", b, err)
		}
	}
	files.Change(map[string]string{"token": "two"})
	if err := repeated(t.Context(), func() error { return put("b") }); err != nil {
		t.Error(err)
	}
	eventually(t, "the certificate has expired", func() error { return holds(time.Now().After(until)) })
	server.CloseClientConnections()
	eventually(t, "it is refused", func() error { return holds(isRefused(store.Ready(t.Context(), blobstore.Derived), "S3")) })
	files.Change(a.Client("capturer", secrets.InAnHour()))
	eventually(t, "another one is taken", func() error { return store.Ready(t.Context(), blobstore.Derived) })
	if err := put("c"); err != nil {
		t.Error(err)
	}
	log.holdsNone(t, "hush")
	if _, err := blobstore.Open(t.Context(), blobstore.Config{Endpoint: "http://127.0.0.1:1", CAFile: files.Path("ca.crt")}); err == nil {
		t.Error("a certificate for a store without TLS was taken")
	}
}
