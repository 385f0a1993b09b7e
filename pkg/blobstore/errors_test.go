package blobstore_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// open returns a store at an endpoint, with a short timeout.
func open(t *testing.T, endpoint string) *blobstore.Store {
	t.Helper()
	store, err := blobstore.Open(t.Context(), blobstore.Config{
		Endpoint: endpoint, AccessKey: "access", SecretKey: "a secret key", Timeout: 300 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// TestAnswers gives the client answers that a healthy store does not give.
func TestAnswers(t *testing.T) {
	cases := map[string]struct {
		status int
		code   string
		bucket blobstore.Bucket
		kind   fault.Kind
		is     error
	}{
		"no object":        {404, "NoSuchKey", blobstore.Raw, fault.KindTransient, blobstore.ErrNotFound},
		"no bucket":        {404, "NoSuchBucket", blobstore.Raw, fault.KindUnavailable, nil},
		"wrong key":        {403, "InvalidAccessKeyId", blobstore.Inbox, fault.KindUnavailable, blobstore.ErrDenied},
		"denied":           {403, "AccessDenied", blobstore.Raw, fault.KindUnavailable, blobstore.ErrDenied},
		"denied, inbox":    {403, "AccessDenied", blobstore.Inbox, fault.KindTransient, blobstore.ErrDenied},
		"busy key":         {409, "ConditionalRequestConflict", blobstore.Raw, fault.KindDeferred, nil},
		"wrong request":    {400, "KeyTooLongError", blobstore.Raw, fault.KindPermanent, nil},
		"not in the store": {501, "NotImplemented", blobstore.Raw, fault.KindPermanent, nil},
		"cut on the way":   {400, "RequestTimeout", blobstore.Raw, fault.KindUnavailable, nil},
		"spoilt":           {400, "BadDigest", blobstore.Raw, fault.KindUnavailable, nil},
		"expired":          {400, "ExpiredToken", blobstore.Raw, fault.KindUnavailable, nil},
		"used up":          {409, "QuotaExceeded", blobstore.Raw, fault.KindDeferred, nil},
		"no room":          {507, "XMinioStorageFull", blobstore.Raw, fault.KindUnavailable, nil},
		"too many":         {429, "TooManyRequests", blobstore.Raw, fault.KindUnavailable, nil},
		"down":             {503, "SlowDown", blobstore.Raw, fault.KindUnavailable, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/xml")
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte("<Error><Code>" + c.code + "</Code><Message>no</Message></Error>"))
			}))
			defer server.Close()
			_, err := open(t, server.URL).Get(t.Context(), c.bucket, "a", "")
			if got := fault.KindOf(err); err == nil || got != c.kind {
				t.Errorf("kind %v of %v, want %v", got, err, c.kind)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v is not %v", err, c.is)
			}
		})
	}
}

func TestAway(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	store := open(t, address)
	calls := map[string]func(ctx context.Context) error{
		"ready":  func(ctx context.Context) error { return store.Ready(ctx, blobstore.Raw) },
		"ensure": func(ctx context.Context) error { return store.EnsureBuckets(ctx) },
		"probe":  func(ctx context.Context) error { _, err := store.Probe(ctx, blobstore.Raw); return err },
		"put": func(ctx context.Context) error {
			_, err := store.PutOnce(ctx, blobstore.Raw, "a", []byte("x"), "")
			return err
		},
		"get":  func(ctx context.Context) error { _, err := store.Get(ctx, blobstore.Raw, "a", ""); return err },
		"file": func(ctx context.Context) error { _, err := store.GetFile(ctx, blobstore.Raw, "a", "", 0); return err },
		"stat": func(ctx context.Context) error { _, err := store.Stat(ctx, blobstore.Raw, "a"); return err },
		"list": func(ctx context.Context) error {
			for _, err := range store.List(ctx, blobstore.Raw, "") {
				return err
			}
			return nil
		},
		"delete": func(ctx context.Context) error { return store.Delete(ctx, blobstore.Raw, "a") },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := call(t.Context()); fault.KindOf(err) != fault.KindUnavailable {
				t.Errorf("%v is not unavailable", err)
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			if err := call(ended); fault.KindOf(err) != fault.KindContext {
				t.Errorf("%v is not the end of the context", err)
			}
		})
	}
}

func TestCutOffAndSlow(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Last-Modified", "Wed, 21 Oct 2026 07:28:00 GMT")
		if r.URL.Path == "/raw/slow" {
			<-release
			return
		}
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("only this"))
	}))
	defer server.Close()
	defer close(release)
	store := open(t, server.URL)
	if _, err := store.Get(t.Context(), blobstore.Raw, "cut", ""); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("cut off: %v", err)
	}
	if _, err := store.GetFile(t.Context(), blobstore.Raw, "cut", "", 0); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("cut off: %v", err)
	}
	if _, err := store.Get(t.Context(), blobstore.Raw, "slow", ""); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("slow: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, endpoint := range []string{"", "ftp://host", "http://", "http://host/path", "http://user:secret@host", "http://%"} {
		if _, err := blobstore.Open(t.Context(), blobstore.Config{Endpoint: endpoint}); err == nil {
			t.Errorf("endpoint %q was taken", endpoint)
		}
	}
}

// TestSpoiltOnTheWay: bytes that come wrong once are read again; those that come
// wrong each time are the object's.
func TestSpoiltOnTheWay(t *testing.T) {
	const text = "as it was stored"
	sum := sha256.Sum256([]byte(text))
	want := hex.EncodeToString(sum[:])
	var spoilt, requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Last-Modified", "Wed, 21 Oct 2026 07:28:00 GMT")
		data := []byte(text)
		if requests.Add(1) <= spoilt.Load() {
			data[3] ^= 1
		}
		_, _ = w.Write(data)
	}))
	defer server.Close()
	store := open(t, server.URL)
	get := func() error {
		data, err := store.Get(t.Context(), blobstore.Raw, "a", want)
		if err == nil && string(data) != text {
			t.Errorf("%q", data)
		}
		return err
	}
	file := func() error {
		f, err := store.GetFile(t.Context(), blobstore.Raw, "a", want, 0)
		if err == nil {
			err = f.Close()
		}
		return err
	}
	for name, read := range map[string]func() error{"get": get, "file": file} {
		for n, want := range map[int64]error{0: nil, 1: nil, 2: nil, 1000: blobstore.ErrDamaged} {
			requests.Store(0)
			spoilt.Store(n)
			if err := read(); !errors.Is(err, want) {
				t.Errorf("%s, spoilt %d times: %v", name, n, err)
			}
		}
	}
}

// TestABodyThatStops: whoever sends nothing more is away, however large the
// object is.
func TestABodyThatStops(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Last-Modified", "Wed, 21 Oct 2026 07:28:00 GMT")
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("only this"))
		_ = http.NewResponseController(w).Flush()
		<-release
	}))
	defer server.Close()
	defer close(release)
	if _, err := open(t, server.URL).GetFile(t.Context(), blobstore.Raw, "a", "", 0); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("%v", err)
	}
}
