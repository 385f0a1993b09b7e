package blobstore_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

func TestFetchRaw(t *testing.T) {
	store, _ := fresh(t)
	ctx := t.Context()
	raw := []byte("captured")
	s := model.Snapshot{SnapshotID: "snap_a", SourceID: "s", ContentHash: "sha256:" + sum(raw)}
	key, err := blobstore.RawKey("s", s.ContentHash)
	if err != nil {
		t.Fatal(err)
	}
	// On the file system of the store's temporary folder, and on another.
	elsewhere, err := os.MkdirTemp("/dev/shm", "colophon-test-")
	if err != nil {
		elsewhere = t.TempDir()
	}
	defer func() { _ = os.RemoveAll(elsewhere) }()
	for _, dir := range []string{t.TempDir(), elsewhere} {
		path := filepath.Join(dir, "raw")
		lost := func(what string) {
			t.Helper()
			err := store.FetchRaw(ctx, s, path)
			if fault.KindOf(err) != fault.KindTransient || fault.ReasonOf(err) != fault.Internal {
				t.Errorf("%s: %v", what, err)
			}
			if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s left a file: %v", what, err)
			}
			if _, same := store.ReadRaw(ctx, s); fault.KindOf(same) != fault.KindOf(err) || fault.ReasonOf(same) != fault.ReasonOf(err) {
				t.Errorf("%s, into memory: %v", what, same)
			}
		}
		lost("nothing there")
		if _, err := store.PutOnce(ctx, blobstore.Raw, key, []byte("damaged!"), "text/plain"); err != nil {
			t.Fatal(err)
		}
		lost("other bytes")
		if err := store.Delete(ctx, blobstore.Raw, key); err != nil {
			t.Fatal(err)
		}
		if _, err := store.PutOnce(ctx, blobstore.Raw, key, raw, "text/plain"); err != nil {
			t.Fatal(err)
		}
		if err := store.FetchRaw(ctx, s, path); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, raw) {
			t.Errorf("%q, %v", got, err)
		}
		if got, err := store.ReadRaw(ctx, s); err != nil || !bytes.Equal(got, raw) {
			t.Errorf("into memory: %q, %v", got, err)
		}
		if err := store.FetchRaw(ctx, s, filepath.Join(path, "below a file")); fault.KindOf(err) != fault.KindUnavailable {
			t.Errorf("a file that cannot be written: %v", err)
		}
		if err := store.Delete(ctx, blobstore.Raw, key); err != nil {
			t.Fatal(err)
		}
	}
	s.ContentHash = "no hash"
	if err := store.FetchRaw(ctx, s, filepath.Join(elsewhere, "x")); fault.KindOf(err) != fault.KindPermanent {
		t.Errorf("a hash that is none: %v", err)
	}
}

func TestFactsAndSegments(t *testing.T) {
	store, _ := fresh(t)
	ctx := t.Context()
	for range 2 { // the second time it is there
		key, digest, err := store.PutFacts(ctx, model.Snapshot{SnapshotID: "snap_a", SourceID: "s"}, "x", []byte("facts"))
		if err != nil || digest != sum([]byte("facts")) || key != blobstore.FactsKey("s", "x", "snap_a", digest) {
			t.Errorf("%s %s: %v", key, digest, err)
		}
		var out bytes.Buffer
		if got, n, err := store.Copy(ctx, blobstore.Derived, key, &out); err != nil || got != digest || n != 5 || out.String() != "facts" {
			t.Errorf("%s, %d bytes: %v", got, n, err)
		}
		row := model.SegmentRow{SnapshotID: "snap_a", ExtractionID: "x", From: 17, To: 20, Digest: sum([]byte("segment"))}
		key, err = store.PutSegment(ctx, row, "s", []byte("segment"))
		if err != nil || key != blobstore.SegmentKey("s", "x", "snap_a", 17, 20, row.Digest) {
			t.Errorf("%s: %v", key, err)
		}
		if data, err := store.Get(ctx, blobstore.Derived, key, row.Digest); err != nil || string(data) != "segment" {
			t.Errorf("%q: %v", data, err)
		}
	}
	if _, _, err := store.Copy(ctx, blobstore.Derived, "none", &bytes.Buffer{}); !errors.Is(err, blobstore.ErrNotFound) {
		t.Errorf("%v", err)
	}
}
