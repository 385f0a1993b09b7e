package reconcile_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/reconcile"
	"github.com/colophon-dev/colophon/pkg/stream"
)

func TestOrphans(t *testing.T) {
	r := newRig(t)
	s := r.store(true)
	run := r.run(s, 1)
	row := r.segment(run, model.PageRange{From: 1, To: 1})
	open := r.accept()
	r.chunk(s, run)
	r.publishLog(run)
	put := func(b blobstore.Bucket, key string) {
		t.Helper()
		_, err := r.blobs.PutOnce(r.ctx, b, key, []byte(key), "application/octet-stream")
		r.must(err)
	}
	raw := func(content string) string {
		key, err := blobstore.RawKey(source, digest.Content([]byte(content)))
		r.must(err)
		return key
	}
	kept := []string{raw(s.RequestID), raw(open.RequestID), row.ObjectKey, source + "/figures/x.png"}
	gone := []string{raw("lost"), row.ObjectKey[:len(row.ObjectKey)-len("a.jsonl.zst")] + "b.jsonl.zst",
		blobstore.FactsKey(source, run.ExtractionID, run.SnapshotID, strings.Repeat("c", 64))}
	put(blobstore.Raw, kept[0])
	put(blobstore.Raw, kept[1])
	put(blobstore.Raw, gone[0])
	for _, key := range []string{kept[2], kept[3], gone[1], gone[2]} {
		put(blobstore.Derived, key)
	}
	r.passWith(reconcile.Options{}, "captures 1/1/0") // the objects are young
	r.drain(stream.ConsumerCapture, 1)
	wait := reconcile.Options{ObjectAge: -time.Hour, Age: time.Hour, DryRun: true}
	r.passWith(wait, "raw objects 1/1/0", "derived objects 2/2/0")
	wait.DryRun = false
	r.passWith(wait, "raw objects 1/1/0", "derived objects 2/2/0")
	r.passWith(wait)
	for _, b := range []blobstore.Bucket{blobstore.Raw, blobstore.Derived} {
		for object, err := range r.blobs.List(r.ctx, b, "") {
			r.must(err)
			if !slices.Contains(kept, object.Key) {
				t.Errorf("%s is still there", object.Key)
			}
		}
	}
	for i, key := range kept {
		b := blobstore.Raw
		if i > 1 {
			b = blobstore.Derived
		}
		if _, err := r.blobs.Stat(r.ctx, b, key); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// held is an object store whose deletions wait for somebody.
type held struct {
	*blobstore.Store
	wait func()
}

func (h held) Delete(ctx context.Context, b blobstore.Bucket, key string) error {
	h.wait()
	return h.Store.Delete(ctx, b, key)
}

// TestAnOrphanIsFoundWhileItIsDeleted has a worker find an object in its place
// after a pass has seen that no row names it, and before it is deleted.
func TestAnOrphanIsFoundWhileItIsDeleted(t *testing.T) {
	r := newRig(t)
	config := r.objects
	config.Adopt = func(ctx context.Context, b blobstore.Bucket, key string) (bool, error) {
		return r.db.AdoptObject(ctx, string(b), key)
	}
	worker, err := blobstore.Open(r.ctx, config)
	r.must(err)
	content := []byte("what a worker left behind")
	key, err := blobstore.RawKey(source, digest.Content(content))
	r.must(err)
	put := func(ctx context.Context) error {
		_, err := worker.PutOnce(ctx, blobstore.Raw, key, content, "text/plain")
		return err
	}
	r.must(put(r.ctx))
	relied := false
	objects := held{r.blobs, func() {
		ctx, cancel := context.WithTimeout(r.ctx, 300*time.Millisecond)
		defer cancel()
		relied = put(ctx) == nil
	}}
	report, err := reconcile.New(r.db, r.conn, objects, r.vectors, r.alias).Run(r.ctx, reconcile.Options{ObjectAge: -time.Hour, Age: time.Hour})
	r.must(err)
	if !slices.ContainsFunc(report.Counts, func(c *reconcile.Count) bool { return c.Deleted == 1 }) {
		t.Fatalf("nothing was deleted: %+v", report)
	}
	if relied {
		t.Error("the worker was told that its object is there, and then it was deleted")
	}
	r.must(put(r.ctx))
	if _, err := r.blobs.Stat(r.ctx, blobstore.Raw, key); err != nil {
		t.Errorf("the worker tried again: %v", err)
	}
}

func TestAnAdoptedObjectStays(t *testing.T) {
	r := newRig(t)
	key, err := blobstore.RawKey(source, digest.Content([]byte("adopted")))
	r.must(err)
	_, err = r.blobs.PutOnce(r.ctx, blobstore.Raw, key, []byte("adopted"), "text/plain")
	r.must(err)
	var before time.Time
	_, err = r.db.Exclusive(r.ctx, "clock", func(_ context.Context, now time.Time) error { before = now; return nil })
	r.must(err)
	for _, of := range []struct {
		bucket, key string
		orphan      bool
	}{{"raw", key, true}, {"derived", source + "/figures/x.png", false}} {
		if orphan, err := r.db.AdoptObject(r.ctx, of.bucket, of.key); err != nil || orphan != of.orphan {
			t.Fatalf("%s/%s: orphan %v, %v", of.bucket, of.key, orphan, err)
		}
	}
	remove := func(limit time.Time) int {
		n, err := r.db.DeleteOrphans(r.ctx, "raw", []string{key}, limit, func(ctx context.Context, key string) error {
			return r.blobs.Delete(ctx, blobstore.Raw, key)
		})
		r.must(err)
		return n
	}
	if n := remove(before); n != 0 {
		t.Error("an object was deleted that was adopted since")
	}
	r.must(r.db.ForgetAdopted(r.ctx, before))
	if n := remove(before); n != 0 {
		t.Error("its adoption was forgotten too early")
	}
	r.must(r.db.ForgetAdopted(r.ctx, time.Now().Add(time.Hour)))
	if n := remove(before); n != 1 {
		t.Error("the object is kept although nobody waits for it")
	}
	s := r.store(true)
	named, err := blobstore.RawKey(source, s.ContentHash)
	r.must(err)
	if orphan, err := r.db.AdoptObject(r.ctx, "raw", named); err != nil || orphan {
		t.Errorf("an object that a snapshot names: orphan %v, %v", orphan, err)
	}
}
