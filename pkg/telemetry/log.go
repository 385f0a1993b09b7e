package telemetry

import (
	"context"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"

	"github.com/colophon-dev/colophon/pkg/redact"
)

// NewLogger returns a logger of JSON or text lines with the service's name,
// without secrets, which adds trace_id and span_id of the context that a line is logged with.
func NewLogger(w io.Writer, service string, c Config) *slog.Logger {
	var level slog.Level // info
	if level.UnmarshalText([]byte(c.LogLevel)) != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: redacted}
	var handler slog.Handler = slog.NewJSONHandler(w, options)
	if c.LogFormat == "text" {
		handler = slog.NewTextHandler(w, options)
	}
	return slog.New(traced{handler}).With(slog.String("service", service))
}

// redacted takes the secrets out of a text or an error that is logged: a URL of a
// crawler stands in many a sentence.
func redacted(_ []string, attr slog.Attr) slog.Attr {
	switch value := attr.Value; value.Kind() {
	case slog.KindString:
		attr.Value = slog.StringValue(redact.Text(value.String(), redact.Log))
	case slog.KindAny:
		if err, ok := value.Any().(error); ok {
			attr.Value = slog.StringValue(redact.Text(err.Error(), redact.Log))
		}
	}
	return attr
}

// traced adds the ids of the context's span to each line.
type traced struct{ slog.Handler }

func (h traced) Handle(ctx context.Context, record slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		record = record.Clone()
		record.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	return h.Handler.Handle(ctx, record)
}

func (h traced) WithAttrs(attrs []slog.Attr) slog.Handler { return traced{h.Handler.WithAttrs(attrs)} }

func (h traced) WithGroup(name string) slog.Handler { return traced{h.Handler.WithGroup(name)} }
