package llm

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"time"
)

// Stream sends question as JSON to a path, as "/chat/completions", and hands the data of each
// server-sent event of the answer to each, as they come; an answer that is no stream is handed
// over as one. Together they have at most so many bytes, and all of it takes at most limit. The
// errors are those of Ask; one of each ends the call and is returned as it is.
func (e *Endpoint) Stream(ctx context.Context, path string, question any, most int64, limit time.Duration, each func(data []byte) error) error {
	if err := e.rest.Ready(); err != nil {
		return err
	}
	one, key, err := e.conn.call(0)
	if err != nil {
		return err // of files: it is Unavailable as it is
	}
	one.most = most
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	var own error // of each
	err = streamBody(limited, one, e.config.BaseURL+path, key, question, func(data []byte) error {
		own = each(data)
		return own
	})
	took := time.Since(began)
	tooLarge := errors.Is(err, errTooLarge)
	if err != nil && !tooLarge && own == nil {
		err = explain(ctx, e.config.Name, err, took)
	}
	e.requests.Done(ctx, e.config.Operation, outcomeOf(ctx, err), took)
	if own != nil {
		e.rest.answered(ctx, began)
		return own
	}
	switch _ = e.conn.note(ctx, err); {
	case err == nil:
		e.rest.answered(ctx, began)
		return nil
	case tooLarge:
		return ErrTooLarge
	case ctx.Err() != nil:
		return err
	case errors.Is(err, errText):
		return fmt.Errorf("%w: %w", ErrNotTaken, err)
	default:
		return e.rest.failed(ctx, one.retryAfter, err)
	}
}

func streamBody(ctx context.Context, one *call, url, key string, question any, each func(data []byte) error) error {
	response, err := postJSON(ctx, one, url, key, question)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind != "text/event-stream" {
		whole, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		return each(whole)
	}
	return readEvents(response.Body, each)
}

// readEvents reads server-sent events up to the one that ends the stream, "[DONE]", or the end.
// Each line of data is one event: chat endpoints write no others.
func readEvents(body io.Reader, each func(data []byte) error) error {
	lines := bufio.NewReader(body)
	for {
		line, err := lines.ReadBytes('\n') // bounded by the call
		if data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:")); ok {
			data = bytes.TrimSpace(data)
			if bytes.Equal(data, []byte("[DONE]")) {
				return nil
			}
			if err := each(data); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
