package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/instrument"
	"github.com/colophon-dev/colophon/services/gateway/internal/room"
)

// meters are the instruments of the API.
type meters struct {
	duration metric.Float64Histogram
	shed     metric.Int64Counter
	statuses []string // that have a label of their own
}

func newMeters(m metric.Meter) meters {
	made := meters{
		duration: instrument.Histogram(m, instrument.HTTPDuration), shed: instrument.Counter(m, instrument.HTTPShed),
		statuses: instrument.Values(instrument.HTTPDuration, "http.response.status_code"),
	}
	instrument.BeginAtZero(made.shed, "http.route", instrument.Routes())
	return made
}

// answered measures a request that is over. ctx is within its span.
func (m meters) answered(ctx context.Context, path string, status int, start time.Time, err error) {
	route := attribute.String("http.route", instrument.Route(path))
	code := strconv.Itoa(status)
	if !slices.Contains(m.statuses, code) {
		code = "other"
	}
	m.duration.Record(ctx, instrument.Since(start), metric.WithAttributes(route, attribute.String("http.response.status_code", code)))
	if errors.Is(err, room.ErrFull) {
		m.shed.Add(ctx, 1, metric.WithAttributes(route))
	}
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// Unwrap is for http.ResponseController.
func (s *statusWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (s *statusWriter) WriteHeader(status int) {
	if s.status == 0 {
		s.status = status
	}
	s.ResponseWriter.WriteHeader(status)
}

// seen is the status that was sent; an answer without one is 200.
func (s *statusWriter) seen() int {
	if s.status == 0 {
		return http.StatusOK
	}
	return s.status
}
