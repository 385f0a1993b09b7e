package pdfium

import (
	"context"
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// Starter starts an engine when it is first needed, and keeps it. It is not safe for
// concurrent use.
type Starter struct {
	Config  Config
	runtime *Runtime
}

// Runtime returns the engine. An engine that does not start is tried again at the
// next call.
func (s *Starter) Runtime(ctx context.Context) (*Runtime, error) {
	if s.runtime == nil {
		rt, err := Open(ctx, s.Config)
		if err != nil {
			return nil, fmt.Errorf("starting the PDF engine: %w", err)
		}
		s.runtime = rt
	}
	return s.runtime, nil
}

// Load opens a document that needs no password, in an instance of its own.
func (s *Starter) Load(ctx context.Context, file []byte) (*Document, error) {
	rt, err := s.Runtime(ctx)
	if err != nil {
		return nil, err
	}
	return rt.Load(file, "")
}

// Reason is why a document failed in the engine, "" for an error that is not the
// document's.
func Reason(err error) fault.Reason {
	switch {
	case errors.Is(err, ErrPassword):
		return fault.Encrypted
	case errors.Is(err, ErrLimit):
		return fault.LimitExceeded
	case errors.Is(err, ErrFormat):
		return fault.Malformed
	case errors.Is(err, ErrEngine):
		return fault.ParserCrashed
	}
	return ""
}
