package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"testing"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/gateway/internal/pages"
	"github.com/colophon-dev/colophon/services/gateway/internal/room"
)

// labelled is a catalog with one snapshot, whose pages have labels but for the last.
type labelled struct{ Catalog }

func (labelled) Snapshot(_ context.Context, id string) (model.Snapshot, error) {
	if id == "none" {
		return model.Snapshot{}, catalog.ErrNotFound
	}
	kind, kept := map[string]model.SnapshotKind{"archive": model.KindContainer, "web page": model.KindHTML}[id]
	if !kept {
		kind = model.KindPDF
	}
	return model.Snapshot{SnapshotID: id, SnapshotKind: kind}, nil
}

func (labelled) RunsProgress(_ context.Context, ids []string) ([]catalog.RunProgress, error) {
	if ids[0] == "new" || ids[0] == "archive" {
		return nil, nil
	}
	return []catalog.RunProgress{{Run: model.Run{SnapshotID: ids[0], ExtractionID: "x", PageCount: 3}}}, nil
}

func (labelled) Pages(context.Context, string, string) ([]model.Page, error) {
	return []model.Page{{PageNo: 1, Label: "i"}, {PageNo: 2, Label: "A-1"}, {PageNo: 3}}, nil
}

// probed answers for documents by their snapshot's id.
type probed struct{}

func (probed) HasFacts(kind model.SnapshotKind) bool { return kind == model.KindPDF }

func (probed) Probe(_ context.Context, s model.Snapshot) (int, []byte, error) {
	switch s.SnapshotID {
	case "archive", "web page":
		return 0, nil, errors.New("bytes without facts were fetched")
	case "locked":
		return 0, nil, fault.Document(fault.Encrypted, errors.New("a password is needed"))
	case "page":
		return 1, nil, nil
	}
	return 3, []byte(`{"version":4,"title":"Of water","outline":[{"title":"Start","level":1,"page_no":2},{"title":"Away","level":2,"page_no":0}]}`), nil
}

// TestAnOutlineIsThatOfItsBytes: bookmarks with the labels of their pages, also of a
// document of one range, which has none stored, and of one that was not split yet; none of
// a kind that has none, whose bytes are not fetched, and a reason where bytes cannot be read.
func TestAnOutlineIsThatOfItsBytes(t *testing.T) {
	a := &API{
		Catalog: labelled{}, Prober: probed{}, Loopback: true, Log: slog.New(slog.DiscardHandler), TempDir: t.TempDir(),
		Pages: pages.Reader{Memory: room.New(1<<20, 0)}, Tracer: noop.NewTracerProvider().Tracer(""), Traces: propagation.TraceContext{},
	}
	server := httptest.NewServer(a.Handler())
	defer server.Close()
	marks := []OutlineEntry{{"Start", 1, 2, "A-1"}, {"Away", 2, 0, ""}}
	labels := []PageLabel{{1, "i"}, {2, "A-1"}}
	for id, want := range map[string]struct {
		status int
		answer OutlineAnswer
	}{
		"whole":    {http.StatusOK, OutlineAnswer{SnapshotID: "whole", PageCount: 3, Title: "Of water", Outline: marks, PageLabels: labels}},
		"new":      {http.StatusOK, OutlineAnswer{SnapshotID: "new", PageCount: 3, Title: "Of water", Outline: []OutlineEntry{{"Start", 1, 2, ""}, {"Away", 2, 0, ""}}, PageLabels: []PageLabel{}}},
		"page":     {http.StatusOK, OutlineAnswer{SnapshotID: "page", PageCount: 1, Outline: []OutlineEntry{}, PageLabels: labels}},
		"archive":  {http.StatusOK, OutlineAnswer{SnapshotID: "archive", Outline: []OutlineEntry{}, PageLabels: []PageLabel{}}},
		"web page": {http.StatusOK, OutlineAnswer{SnapshotID: "web page", PageCount: 3, Outline: []OutlineEntry{}, PageLabels: labels}},
		"locked":   {status: http.StatusNotFound},
		"none":     {status: http.StatusNotFound},
	} {
		resp, err := http.Get(server.URL + "/v1/snapshots/" + url.PathEscape(id) + "/outline")
		if err != nil {
			t.Fatal(err)
		}
		var got OutlineAnswer
		err = json.NewDecoder(resp.Body).Decode(&got)
		_ = resp.Body.Close()
		if resp.StatusCode != want.status || err != nil || want.status == http.StatusOK && !reflect.DeepEqual(got, want.answer) {
			t.Errorf("%s: %d %+v, %v; want %d %+v", id, resp.StatusCode, got, err, want.status, want.answer)
		}
	}
}
