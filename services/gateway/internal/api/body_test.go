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
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/gateway/internal/room"
)

// A page is what encoding/json makes of it at once, in memory or in a file.
func TestWritePage(t *testing.T) {
	for _, n := range []int{0, 1, 2, 500} {
		p := PageAnswer{Page: model.Page{PageNo: 1, HTML: "<p>"}, Units: []model.Unit{}}
		for i := range n {
			p.Units = append(p.Units, model.Unit{IRID: fmt.Sprint(i), FieldsRaw: model.Fields{Text: strings.Repeat("&é", 400*(i%2)+1)}})
		}
		p.Page.HTML = strings.Repeat("<p>", 1+n*200)
		want, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		b := &body{dir: t.TempDir()}
		if err := writePage(t.Context(), b, p.Page, slices.Values(p.Units)); err != nil {
			t.Fatal(err)
		}
		content, err := b.content()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(content); err != nil || !bytes.Equal(got, append(want, '\n')) {
			t.Errorf("%d units: %d bytes, want %d: %v", n, len(got), len(want)+1, err)
		}
		if inFile := b.file != nil; inFile != (len(want) >= keptBody) || cap(b.kept) > 2*keptBody {
			t.Errorf("%d bytes: in a file %t, %d kept", len(want), inFile, cap(b.kept))
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := writePage(gone, io.Discard, model.Page{}, slices.Values(make([]model.Unit, 1))); !errors.Is(err, context.Canceled) {
		t.Errorf("for one who has gone: %v", err)
	}
}

// watched is a connection that says what happens on it.
type watched struct {
	*httptest.ResponseRecorder
	deadlines []time.Time
	writing   func()
}

func (w *watched) SetWriteDeadline(at time.Time) error {
	w.deadlines = append(w.deadlines, at)
	return nil
}

func (w *watched) Write(p []byte) (int, error) {
	w.writing()
	return w.ResponseRecorder.Write(p)
}

func TestTurns(t *testing.T) {
	a := &API{Log: slog.New(slog.DiscardHandler), Tracer: noop.NewTracerProvider().Tracer(""), Traces: propagation.TraceContext{}, TempDir: t.TempDir()}
	working := room.New(1, time.Millisecond)
	handler := a.serve(route{path: "/x", limit: time.Second, handle: func(w http.ResponseWriter, _ *http.Request) error {
		return a.answer(w, strings.Repeat("x", 3*keptBody))
	}}, working, newMeters(nil))
	ask := func() *watched {
		w := &watched{ResponseRecorder: httptest.NewRecorder()}
		w.writing = func() {
			if now, _ := working.Held(); w.Code == http.StatusOK && now != 0 {
				t.Error("the turn goes on while the answer is sent")
			}
		}
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/x", nil))
		return w
	}
	begin := time.Now()
	w := ask()
	if now, most := working.Held(); now != 0 || most != 1 || w.Body.Len() != 3*keptBody+3 {
		t.Errorf("%d at work, %d at most, %d bytes", now, most, w.Body.Len())
	}
	if len(w.deadlines) < 3 {
		t.Fatalf("%d deadlines: one for each part", len(w.deadlines))
	}
	for i, at := range w.deadlines {
		if at.Before(begin.Add(stallTime)) || i > 0 && !at.After(w.deadlines[i-1]) {
			t.Errorf("the deadlines are %v", w.deadlines)
		}
	}
	give, err := working.Take(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	w = ask()
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" ||
		w.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("when all are at work: %d %v %s", w.Code, w.Header(), w.Body)
	}
	give()

	s := &sender{ResponseWriter: w, worked: func() {}, until: begin}
	if _, err := s.Write(nil); err != nil {
		t.Fatal(err)
	}
	if last := w.deadlines[len(w.deadlines)-1]; !last.Equal(begin) {
		t.Errorf("a slow answer ends at %v, want %v", last, begin)
	}
}
