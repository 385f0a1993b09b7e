package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/scratch"
)

const (
	// keptBody is how many bytes of an answer are kept in memory.
	keptBody = 64 << 10
	// stallTime is how long a caller may leave what is written to it unread.
	stallTime = 30 * time.Second
)

// body is an answer before it is sent. What is larger than keptBody lies in a
// temporary file, so that callers who read slowly, or not at all, hold no memory.
type body struct {
	dir  string
	kept []byte
	file *scratch.File // of what came before kept
	size int64         // of both
}

// Write is io.Writer.
func (b *body) Write(p []byte) (int, error) {
	if len(b.kept)+len(p) > keptBody {
		if err := b.spill(); err != nil {
			return 0, err
		}
		if len(p) > keptBody {
			n, err := b.file.Write(p)
			b.size += int64(n)
			return n, err
		}
	}
	b.kept = append(b.kept, p...)
	b.size += int64(len(p))
	return len(p), nil
}

func (b *body) spill() error {
	if b.file == nil {
		file, err := scratch.Create(b.dir)
		if err != nil {
			return err
		}
		b.file = file
	}
	_, err := b.file.Write(b.kept)
	b.kept = b.kept[:0]
	return err
}

// content returns what was written, after which nothing more is.
func (b *body) content() (io.ReadSeeker, error) {
	if b.file == nil {
		return bytes.NewReader(b.kept), nil
	}
	if err := b.spill(); err != nil {
		return nil, err
	}
	b.kept = nil
	return io.NewSectionReader(b.file, 0, b.size), nil
}

// Close is io.Closer.
func (b *body) Close() error {
	if b.file == nil {
		return nil
	}
	return b.file.Close()
}

// compose sends what write writes. Headers that write sets go with it; nothing is
// sent before write has returned, so that its error can still be told.
func (a *API) compose(w http.ResponseWriter, write func(b io.Writer) error) error {
	b := &body{dir: a.TempDir}
	defer func() { _ = b.Close() }()
	if err := write(b); err != nil {
		return err
	}
	content, err := b.content()
	if err != nil {
		return err
	}
	_, _ = io.Copy(w, content) // a caller who has gone needs no answer
	return nil
}

// writePage writes a PageAnswer unit by unit, until the caller has gone.
func writePage(ctx context.Context, b io.Writer, page model.Page, units iter.Seq[model.Unit]) error {
	if err := writeJSON(b, `{"page":`, page); err != nil {
		return err
	}
	before, any := `,"units":[`, false
	for u := range units {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := writeJSON(b, before, &u); err != nil {
			return err
		}
		before, any = ",", true
	}
	if any {
		before = ""
	}
	_, err := io.WriteString(b, before+"]}\n")
	return err
}

func writeJSON(b io.Writer, before string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding the answer: %w", err)
	}
	if _, err := io.WriteString(b, before); err != nil {
		return err
	}
	_, err = b.Write(data)
	return err
}

// sender is what an answer is sent through. When its sending begins the work for
// it is over; it ends at a time, or when the caller leaves it unread.
type sender struct {
	http.ResponseWriter
	worked func()
	until  time.Time
}

// Unwrap is for http.ResponseController.
func (s *sender) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// WriteHeader is http.ResponseWriter. An answer may have nothing else.
func (s *sender) WriteHeader(status int) {
	s.begin()
	s.ResponseWriter.WriteHeader(status)
}

// Write is io.Writer.
func (s *sender) Write(p []byte) (int, error) {
	s.begin()
	return s.ResponseWriter.Write(p)
}

// begin says that the work is over, and how long the next part may take.
func (s *sender) begin() {
	s.worked()
	deadline := time.Now().Add(stallTime)
	if deadline.After(s.until) {
		deadline = s.until
	}
	// A writer without deadlines is one that does not wait.
	_ = http.NewResponseController(s.ResponseWriter).SetWriteDeadline(deadline)
}
