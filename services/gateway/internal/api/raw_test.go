package api

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/scratch"
	"github.com/colophon-dev/colophon/services/gateway/internal/room"
)

const captured = "The stone bridge over the river cost 1,200 crowns."

// oneCapture is a catalog of one snapshot, and the store with its bytes, which counts how
// often these are fetched.
type oneCapture struct {
	Catalog
	fetched atomic.Int64
}

func (*oneCapture) Snapshot(context.Context, string) (model.Snapshot, error) {
	return model.Snapshot{
		SnapshotID: "snap_a", SourceID: "town", ContentHash: digest.Content([]byte(captured)), ByteLength: int64(len(captured)), ContentType: "text/plain",
	}, nil
}

func (c *oneCapture) GetFile(context.Context, blobstore.Bucket, string, string, int64) (*blobstore.File, error) {
	c.fetched.Add(1)
	file, err := scratch.Create("")
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(file, captured); err != nil {
		return nil, err
	}
	_, err = file.Seek(0, io.SeekStart)
	return &blobstore.File{File: file, Size: int64(len(captured))}, err
}

func (c *oneCapture) handler(disk *room.Room) http.Handler {
	a := &API{
		Catalog: c, Objects: c, Disk: disk, Log: slog.New(slog.DiscardHandler),
		Tracer: noop.NewTracerProvider().Tracer(""), Traces: propagation.TraceContext{},
	}
	return a.Handler()
}

func askRaw(t *testing.T, handler http.Handler, method, header, value string, writing func()) *watched {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "/v1/snapshots/snap_a/raw", nil)
	if header != "" {
		r.Header.Set(header, value)
	}
	w := &watched{ResponseRecorder: httptest.NewRecorder(), writing: writing}
	handler.ServeHTTP(w, r)
	return w
}

// TestWhatSendsNoBytesFetchesNone: the record says how long captured bytes are, and what
// they are called.
func TestWhatSendsNoBytesFetchesNone(t *testing.T) {
	etag := `"` + digest.Content([]byte(captured)) + `"`
	for _, c := range []struct {
		method, header, value string
		status                int
		fetched               int64
	}{
		{http.MethodHead, "", "", 200, 0},
		{http.MethodHead, "Range", "bytes=0-4", 206, 0},
		{http.MethodGet, "If-None-Match", etag, 304, 0},
		{http.MethodGet, "If-None-Match", `"other", W/` + etag, 304, 0},
		{http.MethodGet, "If-None-Match", "*", 304, 0},
		{http.MethodGet, "If-Match", `"other"`, 412, 0},
		{http.MethodGet, "Range", "bytes=9999-", 416, 0},
		{http.MethodGet, "If-None-Match", `"other"`, 200, 1},
		{http.MethodGet, "Range", "bytes=4-8", 206, 1},
		{http.MethodGet, "Range", "bytes=8-4", 200, 1},
	} {
		one := &oneCapture{}
		w := askRaw(t, one.handler(room.New(1000, time.Millisecond)), c.method, c.header, c.value, func() {})
		if n := one.fetched.Load(); w.Code != c.status || n != c.fetched {
			t.Errorf("%s %s: %s is %d, fetched %d times", c.method, c.header, c.value, w.Code, n)
		}
		switch body := w.Body.String(); {
		case c.status == 200 && c.fetched == 1 && body != captured, c.status == 206 && c.fetched == 1 && body != captured[4:9]:
			t.Errorf("%s: %q", c.value, body)
		case c.status == 200 && w.Header().Get("Content-Length") != "50", c.status == 416 && w.Header().Get("Content-Range") != "bytes */50":
			t.Errorf("%s %s: %v", c.method, c.value, w.Header())
		}
		if len(w.deadlines) == 0 {
			t.Errorf("%s %s: %s is sent without a deadline", c.method, c.header, c.value)
		}
	}
}

// TestCapturedDocumentsThatAreSentShareTheDisk: who finds no room while another reads
// slowly is told to come again, and fetches nothing.
func TestCapturedDocumentsThatAreSentShareTheDisk(t *testing.T) {
	one := &oneCapture{}
	disk := room.New(int64(len(captured))+10, time.Millisecond)
	handler := one.handler(disk)
	first := askRaw(t, handler, http.MethodGet, "", "", func() {
		second := askRaw(t, handler, http.MethodGet, "", "", func() {})
		if second.Code != http.StatusServiceUnavailable || second.Header().Get("Retry-After") != retryFull || second.Header().Get("ETag") != "" {
			t.Errorf("while the disk is full: %d %v", second.Code, second.Header())
		}
		if head := askRaw(t, handler, http.MethodHead, "", "", func() {}); head.Code != http.StatusOK {
			t.Errorf("a HEAD while the disk is full: %d", head.Code)
		}
	})
	if now, most := disk.Held(); first.Code != http.StatusOK || now != 0 || most != int64(len(captured)) || one.fetched.Load() != 1 {
		t.Errorf("%d, %d bytes are held, %d at most, fetched %d times", first.Code, now, most, one.fetched.Load())
	}
	if again := askRaw(t, handler, http.MethodGet, "", "", func() {}); again.Body.String() != captured {
		t.Errorf("once there is room: %d %q", again.Code, again.Body)
	}
}
