package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// ErrNotTaken says that the endpoint does not take what it was asked, of whatever form. What
// is asked otherwise it may take.
var ErrNotTaken = errors.New("the endpoint does not take the question")

// ErrTooLarge says that an answer was longer than it may be.
var ErrTooLarge = errors.New("the endpoint's answer is larger than it may be")

// Ask sends question as JSON to a path, as "/chat/completions", and returns the body of the
// answer, of at most so many bytes. ErrNotTaken and ErrTooLarge are of this question alone and
// are not marked; whatever else hinders it is Unavailable, or the error of ctx.
func (e *Endpoint) Ask(ctx context.Context, path string, question any, most int64) ([]byte, error) {
	if err := e.rest.Ready(); err != nil {
		return nil, err
	}
	one, key, err := e.conn.call(0)
	if err != nil {
		return nil, err // of files: it is Unavailable as it is
	}
	one.most = most
	limited, cancel := context.WithTimeout(ctx, e.config.Timeout)
	defer cancel()
	began := time.Now()
	body, err := askBody(limited, one, e.config.BaseURL+path, key, question)
	took := time.Since(began)
	tooLarge := errors.Is(err, errTooLarge)
	if err != nil && !tooLarge {
		err = explain(ctx, e.config.Name, err, took)
	}
	e.requests.Done(ctx, e.config.Operation, outcomeOf(ctx, err), took)
	switch _ = e.conn.note(ctx, err); {
	case err == nil:
		e.rest.answered(ctx, began)
		return body, nil
	case tooLarge:
		return nil, ErrTooLarge
	case ctx.Err() != nil:
		return nil, err
	case errors.Is(err, errText):
		return nil, fmt.Errorf("%w: %w", ErrNotTaken, err)
	default:
		return nil, e.rest.failed(ctx, one.retryAfter, err)
	}
}

// Ready is nil when the endpoint may be asked: after a failure it is Unavailable until the endpoint
// has had its rest.
func (e *Endpoint) Ready() error { return e.rest.Ready() }

func askBody(ctx context.Context, one *call, url, key string, question any) ([]byte, error) {
	body, err := json.Marshal(question)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := send(one, request, key)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	return io.ReadAll(response.Body)
}
