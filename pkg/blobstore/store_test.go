package blobstore_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// fresh returns a real store with buckets of its own.
func fresh(t *testing.T) (*blobstore.Store, blobstore.Config) {
	t.Helper()
	env := devtest.Start(t)
	config := blobstore.Config{
		Endpoint: env.S3Endpoint, AccessKey: env.S3AccessKey, SecretKey: env.S3SecretKey,
		BucketPrefix: env.BucketPrefix, TempDir: t.TempDir(),
	}
	store, err := blobstore.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.EnsureBuckets(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store, config
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

func TestReady(t *testing.T) {
	store, config := fresh(t)
	if err := store.Ready(t.Context(), blobstore.Buckets()...); err != nil {
		t.Fatal(err)
	}
	if err := store.EnsureBuckets(t.Context()); err != nil {
		t.Errorf("a second time: %v", err)
	}
	config.BucketPrefix += "other-"
	other, err := blobstore.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Ready(t.Context(), blobstore.Buckets()...); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("without buckets: %v", err)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if err := other.EnsureBuckets(t.Context()); err != nil {
				t.Errorf("at once: %v", err)
			}
		})
	}
	group.Wait()
	config.SecretKey = "another secret"
	wrong, err := blobstore.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if err := wrong.Ready(t.Context(), blobstore.Buckets()...); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("with a wrong key: %v", err)
	}
}

func TestPutOnceAndGet(t *testing.T) {
	store, _ := fresh(t)
	ctx := t.Context()
	for name, data := range map[string][]byte{"empty": {}, "small": []byte("bytes"), "a b/é+%2F.txt": []byte("name"), "1 MiB": bytes.Repeat([]byte("0123456789abcdef"), 1<<16)} {
		key := "town/" + name
		if created, err := store.PutOnce(ctx, blobstore.Derived, key, data, "text/plain"); err != nil || !created {
			t.Fatalf("%s: created %v, %v", name, created, err)
		}
		if created, err := store.PutOnce(ctx, blobstore.Derived, key, []byte("other"), "text/plain"); err != nil || created {
			t.Errorf("%s again: created %v, %v", name, created, err)
		}
		for _, want := range []string{sum(data), "sha256:" + sum(data), ""} {
			if got, err := store.Get(ctx, blobstore.Derived, key, want); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
		}
		if _, err := store.Get(ctx, blobstore.Derived, key, sum([]byte("else"))); !errors.Is(err, blobstore.ErrDamaged) {
			t.Errorf("%s with another digest: %v", name, err)
		}
		if object, err := store.Stat(ctx, blobstore.Derived, key); err != nil || object.Size != int64(len(data)) || object.Modified.IsZero() {
			t.Errorf("%s: %+v, %v", name, object, err)
		}
	}
	if _, err := store.Get(ctx, blobstore.Derived, "town/none", ""); !errors.Is(err, blobstore.ErrNotFound) {
		t.Errorf("what is not there: %v", err)
	}
	if _, err := store.Stat(ctx, blobstore.Derived, "town/none"); !errors.Is(err, blobstore.ErrNotFound) {
		t.Errorf("what is not there: %v", err)
	}
}

func TestRacersHaveOneWinner(t *testing.T) {
	store, _ := fresh(t)
	if conditional, err := store.Probe(t.Context(), blobstore.Raw); err != nil || !conditional {
		t.Fatalf("probe: %v, %v", conditional, err)
	}
	var won atomic.Int32
	var winner atomic.Value
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			data := fmt.Appendf(nil, "racer %d", i)
			created, err := store.PutOnce(t.Context(), blobstore.Raw, "race", data, "")
			if err != nil {
				t.Error(err)
			}
			if created {
				won.Add(1)
				winner.Store(sum(data))
			}
		})
	}
	group.Wait()
	if won.Load() != 1 {
		t.Fatalf("%d winners", won.Load())
	}
	if _, err := store.Get(t.Context(), blobstore.Raw, "race", winner.Load().(string)); err != nil {
		t.Error(err)
	}
}

// TestRacersWithLargeFiles shows that a refusal, which may come before all is
// sent, is no failure.
func TestRacersWithLargeFiles(t *testing.T) {
	store, _ := fresh(t)
	data := make([]byte, 4<<20)
	var won atomic.Int32
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			created, err := store.PutOnceFile(t.Context(), blobstore.Raw, "race", bytes.NewReader(data), int64(len(data)), "")
			if err != nil {
				t.Error(err)
			}
			if created {
				won.Add(1)
			}
		})
	}
	group.Wait()
	if won.Load() > 1 {
		t.Errorf("%d winners", won.Load())
	}
	if _, err := store.Get(t.Context(), blobstore.Raw, "race", sum(data)); err != nil {
		t.Error(err)
	}
}

// TestStoresWithoutConditions puts something between client and store that
// makes the condition void, by deleting what it would find, or refuses it.
func TestStoresWithoutConditions(t *testing.T) {
	for name, refuse := range map[string]bool{"ignoring": false, "refusing": true} {
		t.Run(name, func(t *testing.T) {
			direct, config := fresh(t)
			target, err := url.Parse(config.Endpoint)
			if err != nil {
				t.Fatal(err)
			}
			proxy := httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(target)
				r.Out.Host = r.In.Host
			}}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("If-None-Match") != "" {
					if refuse {
						w.WriteHeader(http.StatusNotImplemented)
						return
					}
					key := strings.TrimPrefix(r.URL.Path, "/"+config.BucketPrefix+"raw/")
					if err := direct.Delete(r.Context(), blobstore.Raw, key); err != nil {
						t.Error(err)
					}
				}
				proxy.ServeHTTP(w, r)
			}))
			defer server.Close()
			config.Endpoint = server.URL
			store, err := blobstore.Open(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range []bool{true, false} {
				created, err := store.PutOnce(t.Context(), blobstore.Raw, "a", fmt.Appendf(nil, "put %d", i), "")
				if err != nil || created != want {
					t.Errorf("put %d: created %v, %v", i, created, err)
				}
			}
			if conditional, err := store.Probe(t.Context(), blobstore.Raw); err != nil || conditional {
				t.Errorf("probe: %v, %v", conditional, err)
			}
			if _, err := store.Get(t.Context(), blobstore.Raw, "a", sum([]byte("put 0"))); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFiles(t *testing.T) {
	store, config := fresh(t)
	ctx := t.Context()
	data := bytes.Repeat([]byte("a line of a large file\n"), 1<<20) // 23 MiB: parts, if it went in parts
	file, err := blobstore.NewFile(config.TempDir, bytes.NewReader(data), 0)
	if err != nil {
		t.Fatal(err)
	}
	if file.Size != int64(len(data)) || file.SHA256 != sum(data) {
		t.Errorf("%d bytes, %s", file.Size, file.SHA256)
	}
	for _, want := range []bool{true, false} {
		if created, err := store.PutOnceFile(ctx, blobstore.Raw, "large", file, file.Size, "text/plain"); err != nil || created != want {
			t.Fatalf("created %v, %v", created, err)
		}
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	got, err := store.GetFile(ctx, blobstore.Raw, "large", sum(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if read, err := io.ReadAll(got); err != nil || !bytes.Equal(read, data) {
		t.Errorf("%d bytes, %v", len(read), err)
	}
	if err := got.Close(); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		key, want string
		limit     int64
		err       error
	}{
		"damaged":   {"large", sum(nil), 0, blobstore.ErrDamaged},
		"too large": {"large", "", int64(len(data)) - 1, blobstore.ErrTooLarge},
		"not there": {"none", "", 0, blobstore.ErrNotFound},
	} {
		if _, err := store.GetFile(ctx, blobstore.Raw, c.key, c.want, c.limit); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := blobstore.NewFile(config.TempDir, bytes.NewReader(data), 10); !errors.Is(err, blobstore.ErrTooLarge) {
		t.Errorf("over the limit: %v", err)
	}
	if left, err := os.ReadDir(config.TempDir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}

func TestRanges(t *testing.T) {
	store, _ := fresh(t)
	ctx := t.Context()
	data := []byte("0123456789")
	if _, err := store.PutOnce(ctx, blobstore.Derived, "digits", data, ""); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		off, n int64
		want   string
		err    error
	}{{0, 10, "0123456789", nil}, {3, 4, "3456", nil}, {9, 1, "9", nil}, {4, 0, "", nil}, {8, 3, "", io.ErrUnexpectedEOF}, {10, 1, "", io.ErrUnexpectedEOF}, {99, 1, "", io.ErrUnexpectedEOF}} {
		got, err := store.GetRange(ctx, blobstore.Derived, "digits", c.off, c.n)
		if string(got) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%d bytes at %d: %q, %v", c.n, c.off, got, err)
		}
	}
	reader, err := store.ReaderAt(ctx, blobstore.Derived, "digits")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(io.NewSectionReader(reader, 0, reader.Size())); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%q, %v", got, err)
	}
	part := make([]byte, 4)
	if n, err := reader.ReadAt(part, 8); n != 2 || err != io.EOF || string(part[:n]) != "89" {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := store.ReaderAt(ctx, blobstore.Derived, "none"); !errors.Is(err, blobstore.ErrNotFound) {
		t.Error(err)
	}
}

func TestListAndDelete(t *testing.T) {
	store, _ := fresh(t)
	ctx := t.Context()
	for _, key := range []string{"town/b", "town/a/1", "township/c", "other"} {
		if _, err := store.PutOnce(ctx, blobstore.Raw, key, []byte(key), ""); err != nil {
			t.Fatal(err)
		}
	}
	list := func(prefix string) (keys []string) {
		for object, err := range store.List(ctx, blobstore.Raw, prefix) {
			if err != nil {
				t.Fatal(err)
			}
			if object.Size != int64(len(object.Key)) {
				t.Errorf("%+v", object)
			}
			keys = append(keys, object.Key)
		}
		return keys
	}
	if got := list(blobstore.SourcePrefix("town")); !slices.Equal(got, []string{"town/a/1", "town/b"}) {
		t.Errorf("one source: %v", got)
	}
	if got := list(""); !slices.Equal(got, []string{"other", "town/a/1", "town/b", "township/c"}) {
		t.Errorf("all: %v", got)
	}
	for range 2 {
		if err := store.Delete(ctx, blobstore.Raw, "town/b"); err != nil {
			t.Error(err)
		}
	}
	if got := list("town/"); !slices.Equal(got, []string{"town/a/1"}) {
		t.Errorf("after deleting: %v", got)
	}
}

// TestWhatIsFoundIsAdopted has an object disappear between the put that finds it
// and the catalog's word that nobody has named it.
func TestWhatIsFoundIsAdopted(t *testing.T) {
	store, config := fresh(t)
	var asked int
	failure := error(nil)
	config.Adopt = func(ctx context.Context, b blobstore.Bucket, key string) (bool, error) {
		asked++
		if failure == nil {
			return true, store.Delete(ctx, b, key)
		}
		return false, failure
	}
	worker, err := blobstore.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{0, 1, 2} { // the first finds nothing
		created, err := worker.PutOnce(t.Context(), blobstore.Raw, "k", []byte("text"), "text/plain")
		if err != nil || !created || asked != want {
			t.Fatalf("created %v after %d questions, want %d: %v", created, asked, want, err)
		}
		if _, err := store.Stat(t.Context(), blobstore.Raw, "k"); err != nil {
			t.Fatalf("the object was found, and is gone: %v", err)
		}
	}
	failure = fault.Unavailable(errors.New("the catalog is away"))
	if _, err := worker.PutOnce(t.Context(), blobstore.Raw, "k", []byte("text"), "text/plain"); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("the catalog is away, and %v", err)
	}
}
