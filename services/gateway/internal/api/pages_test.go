package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pictures"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/gateway/internal/pages"
	"github.com/colophon-dev/colophon/services/gateway/internal/room"
)

// longBook is a catalog and an object store with one document of 18 pages in two
// segments, with a heading on pages 2 and 17.
type longBook struct {
	Catalog
	rows    []model.SegmentRow
	objects map[string][]byte
	away    bool // the store of the first segment
}

func (*longBook) Snapshot(_ context.Context, id string) (model.Snapshot, error) {
	return model.Snapshot{SnapshotID: id, SnapshotKind: model.KindPDF, Filename: "a.pdf"}, nil
}

func (*longBook) RunsProgress(_ context.Context, ids []string) ([]catalog.RunProgress, error) {
	return []catalog.RunProgress{{Run: model.Run{SnapshotID: ids[0], PageCount: 18}, Processed: 18}}, nil
}

func (*longBook) OpenSections(context.Context, string, string, int) ([][]model.Section, error) {
	return nil, nil
}

func (b *longBook) SegmentsAt(context.Context, string, string, int) ([]model.SegmentRow, error) {
	return b.rows, nil
}

func (b *longBook) GetRange(_ context.Context, _ blobstore.Bucket, key string, off, n int64) ([]byte, error) {
	if b.away && key == "1" {
		return nil, fault.Unavailable(errors.New("the store is away"))
	}
	if off < 0 || off+n > int64(len(b.objects[key])) {
		return nil, io.ErrUnexpectedEOF
	}
	return b.objects[key][off : off+n], nil
}

func bookOf(t *testing.T) *longBook {
	t.Helper()
	b := &longBook{objects: map[string][]byte{}}
	for _, r := range model.Ranges(18) {
		var w segment.Writer
		for no := r.From; no <= r.To; no++ {
			f := segment.Frame{Page: model.Page{PageNo: no}, Units: []model.Unit{{IRID: "ir_t", Type: model.UnitParagraph, FieldsRaw: model.Fields{Text: "text"}}}}
			if no == 2 || no == 17 {
				f.Units = append(f.Units, model.Unit{IRID: "ir_h", Type: model.UnitHeading, FieldsRaw: model.Fields{Text: fmt.Sprint("Heading ", no)}})
			}
			frame, err := segment.EncodeFrame(f)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Add(no, frame); err != nil {
				t.Fatal(err)
			}
		}
		data, _, err := w.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprint(r.From)
		b.objects[key] = data
		b.rows = append(b.rows, model.SegmentRow{From: r.From, To: r.To, ObjectKey: key, ByteLength: int64(len(data))})
	}
	return b
}

// TestAPageBehindADamagedOneIsShown: without the section that would stand open, which
// is logged; one whose heading cannot be asked for now is asked for again, and one that
// is damaged itself is no answer.
func TestAPageBehindADamagedOneIsShown(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil   func(*longBook)
		page    int
		status  int
		section string
		logged  bool
	}{
		"whole":                      {func(*longBook) {}, 17, http.StatusOK, "Heading 2", false},
		"a damaged page before":      {func(b *longBook) { b.objects["1"][len(b.objects["1"])/4] ^= 1 }, 17, http.StatusOK, "", true},
		"a damaged index before":     {func(b *longBook) { b.objects["1"] = bytes.Repeat([]byte{1}, len(b.objects["1"])) }, 17, http.StatusOK, "", true},
		"a segment before is gone":   {func(b *longBook) { delete(b.objects, "1") }, 17, http.StatusOK, "", true},
		"its own heading comes next": {func(b *longBook) { delete(b.objects, "1") }, 18, http.StatusOK, "Heading 17", false},
		"the store is away":          {func(b *longBook) { b.away = true }, 17, http.StatusServiceUnavailable, "", true},
		"the page itself is damaged": {func(b *longBook) { b.objects["1"] = nil }, 3, http.StatusInternalServerError, "", true},
		"no such page":               {func(b *longBook) { b.away = true }, 19, http.StatusNotFound, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			b := bookOf(t)
			tt.spoil(b)
			var log bytes.Buffer
			a := &API{
				Catalog: b, Loopback: true, Log: slog.New(slog.NewTextHandler(&log, nil)), TempDir: t.TempDir(),
				Pages:    pages.Reader{Catalog: b, Objects: b, Memory: room.New(1<<24, 0)},
				Pictures: pictures.Pictures{Drawer: undrawnKind{}},
				Tracer:   noop.NewTracerProvider().Tracer(""), Traces: propagation.TraceContext{},
			}
			server := httptest.NewServer(a.Handler())
			defer server.Close()
			resp, err := http.Get(fmt.Sprintf("%s/v1/snapshots/snap_x/pages/%d", server.URL, tt.page))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			var got PageAnswer
			if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || resp.StatusCode != tt.status {
				t.Fatalf("%d, %v; want %d", resp.StatusCode, err, tt.status)
			}
			if tt.status == http.StatusOK && (len(got.Units) == 0 || got.Units[0].SourceRef.Section != tt.section) {
				t.Errorf("%+v, want the section %q", got.Units, tt.section)
			}
			if logged := strings.Contains(log.String(), "page"); logged != tt.logged {
				t.Errorf("logged: %s", log.String())
			}
		})
	}
}

// undrawnKind draws nothing.
type undrawnKind struct{}

// Draws implements pictures.Drawer.
func (undrawnKind) Draws(model.Snapshot) bool { return false }

// Draw implements pictures.Drawer.
func (undrawnKind) Draw(context.Context, model.Snapshot, child.Picture) ([]byte, error) {
	return nil, errors.ErrUnsupported
}
