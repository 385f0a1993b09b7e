package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/redact"
)

// mostSaid is how many bytes of what an endpoint says of an error are kept.
const mostSaid = 300

// errText says that the endpoint does not take what it was asked to embed. Other texts it
// may take.
var errText = errors.New("the endpoint does not take the text")

// vectorsOf checks an answer for n texts and returns their vectors, each of length 1, in
// the order of the texts. A vector of zeros stays one.
func vectorsOf(answer openai.EmbeddingResponse, n, dimensions int) ([][]float32, error) {
	if len(answer.Data) != n {
		return nil, fmt.Errorf("it gave %d vectors for %d texts", len(answer.Data), n)
	}
	ordered := ordersAll(answer.Data)
	vectors := make([][]float32, n)
	for i, one := range answer.Data {
		at := i
		if ordered {
			at = one.Index
		}
		if len(one.Embedding) != dimensions {
			return nil, fmt.Errorf("it gave a vector of %d numbers, wanted %d: is EMBED_DIMENSIONS that of the model?", len(one.Embedding), dimensions)
		}
		vector, err := normalized(one.Embedding)
		if err != nil {
			return nil, err
		}
		if at < 0 || at >= n || vectors[at] != nil {
			return nil, fmt.Errorf("it gave no vector, or two, for one of %d texts", n)
		}
		vectors[at] = vector
	}
	return vectors, nil
}

// ordersAll reports whether an answer says of its vectors to which text each belongs:
// some servers number none, and then all have 0.
func ordersAll(data []openai.Embedding) bool {
	for _, one := range data {
		if one.Index != 0 {
			return true
		}
	}
	return false
}

// normalized returns a vector brought to length 1.
func normalized(v []float32) ([]float32, error) {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	if math.IsNaN(squares) || math.IsInf(squares, 0) {
		return nil, errors.New("it gave a vector with a number that is none")
	}
	unit := make([]float32, len(v))
	if squares == 0 {
		return unit, nil
	}
	length := math.Sqrt(squares)
	for i, x := range v {
		unit[i] = float32(float64(x) / length)
	}
	return unit, nil
}

// explain turns the error of a call into ours: errText, credential.ErrRefused, the end of
// the caller's context, or a sentence why the endpoint cannot be used.
func explain(parent context.Context, name string, err error, took time.Duration) error {
	if parent.Err() != nil {
		return parent.Err()
	}
	status, said := statusOf(err)
	if said = redact.Text(said, redact.Log); len(said) > mostSaid {
		said = clean(said[:mostSaid]) + "…"
	}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return credential.Refused(name, fmt.Errorf("status %d: %s", status, said))
	case status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity:
		return fmt.Errorf("%w: status %d: %s", errText, status, said)
	case status >= http.StatusMultipleChoices:
		return fmt.Errorf("status %d: %s", status, said)
	case credential.OfCertificate(err):
		return credential.Refused(name, err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("it gave no answer within %s", took.Round(time.Millisecond))
	default:
		return fmt.Errorf("%s", said)
	}
}

// statusOf returns the HTTP status of an error, 0 where there was no answer,
// and what the endpoint or the error says.
func statusOf(err error) (code int, said string) {
	var api *openai.APIError
	if errors.As(err, &api) && api.HTTPStatusCode >= http.StatusMultipleChoices {
		return api.HTTPStatusCode, api.Message
	}
	var request *openai.RequestError
	if errors.As(err, &request) && request.HTTPStatusCode >= http.StatusMultipleChoices {
		return request.HTTPStatusCode, string(request.Body)
	}
	var status *statusError
	if errors.As(err, &status) {
		return status.status, status.said
	}
	return 0, err.Error()
}
