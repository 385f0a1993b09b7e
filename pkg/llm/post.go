package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/instrument"
)

// EndpointConfig says where an endpoint answers that is asked by JSON of its own form.
type EndpointConfig struct {
	Name       string // in errors and log lines, as "the reranking endpoint"
	Operation  string // as calls are measured (instrument.Operations)
	KeySetting string // that names the file of the key, for errors
	BaseURL    string // http or https, with the path before that of the call, as https://host/v1
	Key        string // sent as a bearer token; none when empty
	KeyFile    string // instead of Key: a file that holds it, read again when it changes
	Files      credential.TLSFiles
	Timeout    time.Duration // of one call

	Logger *slog.Logger // told of credentials that change or are refused, and of an endpoint that goes and comes; nil: quiet
	Meter  metric.Meter // measured are calls; nil: nothing
}

// Endpoint asks one endpoint. After a failure the endpoint has a rest, in which nothing is
// asked of it. It is safe for concurrent use.
type Endpoint struct {
	config   EndpointConfig
	conn     *connection
	rest     *rest
	requests *instrument.Requests
}

// idleConnections is how many connections to an endpoint are kept between calls.
const idleConnections = 16

// OpenEndpoint does not ask the endpoint: whether it is there is seen when it is used.
// Settings that cannot be used are an error.
func OpenEndpoint(c EndpointConfig) (*Endpoint, error) {
	var err error
	if c.BaseURL, err = checkURL(c.BaseURL, c.Name, c.KeySetting); err != nil {
		return nil, err
	}
	conn, err := connect(address{
		name: c.Name, url: c.BaseURL, key: c.Key, keyFile: c.KeyFile, files: c.Files,
		calls: idleConnections, timeout: c.Timeout, log: c.Logger,
	})
	if err != nil {
		return nil, err
	}
	return &Endpoint{
		config: c, conn: conn, rest: &rest{name: c.Name, now: time.Now, log: c.Logger},
		requests: instrument.NewRequests(c.Meter, instrument.StoreModels),
	}, nil
}

// Close ends idle connections. Calls that are under way are not touched.
func (e *Endpoint) Close() { e.conn.close() }

// Post sends question as JSON to a path, as "/rerank", and reads the answer, of at most so
// many numbers, into answer, which check then judges: its error is one of the endpoint.
// Whatever hinders it is Unavailable, or the error of ctx.
func (e *Endpoint) Post(ctx context.Context, path string, question, answer any, numbers int, check func() error) error {
	if err := e.rest.Ready(); err != nil {
		return err
	}
	one, key, err := e.conn.call(numbers)
	if err != nil {
		return err // of files: it is Unavailable as it is
	}
	limited, cancel := context.WithTimeout(ctx, e.config.Timeout)
	defer cancel()
	began := time.Now()
	err = post(limited, one, e.config.BaseURL+path, key, question, answer)
	took := time.Since(began)
	if err != nil {
		err = explain(ctx, e.config.Name, err, took)
	} else {
		err = check()
	}
	e.requests.Done(ctx, e.config.Operation, outcomeOf(ctx, err), took)
	return e.judge(ctx, began, one.retryAfter, err)
}

// judge decides what the error of a call, which began at a time, means for the
// endpoint. What is wrong with one call's texts says nothing of the next one's.
func (e *Endpoint) judge(ctx context.Context, began time.Time, retryAfter time.Duration, err error) error {
	switch _ = e.conn.note(ctx, err); {
	case err == nil:
		e.rest.answered(ctx, began)
		return nil
	case ctx.Err() != nil:
		return err
	case errors.Is(err, errText):
		return fault.Unavailable(fmt.Errorf("%s: %w", e.config.Name, err))
	default:
		return e.rest.failed(ctx, retryAfter, err)
	}
}

// statusError is an answer that is none.
type statusError struct {
	status int
	said   string
}

// Error implements error.
func (e *statusError) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.said) }

func post(ctx context.Context, one *call, url, key string, question, answer any) error {
	response, err := postJSON(ctx, one, url, key, question)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	return json.NewDecoder(response.Body).Decode(answer)
}

// postJSON sends question as JSON, and returns the answer, whose body is to be closed.
func postJSON(ctx context.Context, one *call, url, key string, question any) (*http.Response, error) {
	body, err := json.Marshal(question)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return send(one, request, key)
}

// send sends a request of JSON. An answer that is none is a statusError.
func send(one *call, request *http.Request, key string) (*http.Response, error) {
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := one.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }()
	said, err := io.ReadAll(io.LimitReader(response.Body, 2*mostSaid))
	if err != nil && len(said) == 0 {
		said = []byte(err.Error())
	}
	return nil, &statusError{response.StatusCode, string(said)}
}

// Clean returns a text that any endpoint takes: valid UTF-8 without U+0000, at which some
// end a text silently, and without white space around.
func Clean(text string) string { return clean(text) }
