// Package rerank asks a model behind the common POST /rerank how well texts answer a
// question (contracts#reranking).
package rerank

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/llm"
)

// defaultTime is how long a reranker may take where nothing else is said.
const defaultTime = 2 * time.Second

// Config says where a reranker answers.
type Config struct {
	BaseURL string // http or https, with the path before /rerank, as https://host/v1
	Key     string // sent as a bearer token; none when empty
	KeyFile string // instead of Key: a file that holds it, read again when it changes
	Files   credential.TLSFiles
	Model   string        // left out of the question when empty
	Timeout time.Duration // of one call; 2 s when 0

	Logger *slog.Logger // told of credentials that change or are refused, and of an endpoint that goes and comes; nil: quiet
	Meter  metric.Meter // measured are calls; nil: nothing
}

// ConfigOf turns a service's settings into a Config.
func ConfigOf(r config.Reranking) Config {
	return Config{
		BaseURL: r.URL, Key: r.Key.Value(), KeyFile: r.KeyFile,
		Files: credential.TLSFiles{CA: r.TLS.CAFile, Cert: r.TLS.CertFile, Key: r.TLS.KeyFile},
		Model: r.Model, Timeout: r.Timeout,
	}
}

// Observed returns the Config with what is told and measured.
func (c Config) Observed(log *slog.Logger, meter metric.Meter) Config {
	c.Logger, c.Meter = log, meter
	return c
}

// Reranker asks one endpoint. It is safe for concurrent use.
type Reranker struct {
	endpoint *llm.Endpoint
	model    string
}

// Open returns the reranker of an endpoint. The endpoint is not asked: whether it is there
// is seen when it is used. Settings that cannot be used are an error.
func Open(c Config) (*Reranker, error) {
	endpoint, err := llm.OpenEndpoint(llm.EndpointConfig{
		Name: "the reranking endpoint", Operation: "rerank", KeySetting: "RERANK_API_KEY_FILE",
		BaseURL: c.BaseURL, Key: c.Key, KeyFile: c.KeyFile, Files: c.Files, Timeout: cmp.Or(c.Timeout, defaultTime),
		Logger: c.Logger, Meter: c.Meter,
	})
	if err != nil {
		return nil, err
	}
	return &Reranker{endpoint: endpoint, model: c.Model}, nil
}

// Close ends idle connections. Calls that are under way are not touched.
func (r *Reranker) Close() { r.endpoint.Close() }

// request is the common form of the question.
type request struct {
	Model     string   `json:"model,omitempty"`
	Query     string   `json:"query"`
	Documents []string `json:"documents"`
	TopN      int      `json:"top_n"`
	Return    bool     `json:"return_documents"`
}

// answer is the common form of the answer, which some name results and others data.
type answer struct {
	Results []result `json:"results"`
	Data    []result `json:"data"`
}

type result struct {
	Index *int     `json:"index"`
	Score *float64 `json:"relevance_score"`
}

// Rerank returns a number for each text, in their order: more is a better answer to the
// question. The numbers of one call may be compared, those of two not. Whatever hinders it
// is Unavailable or the error of ctx: the caller goes on without. After a failure the
// endpoint has a rest, in which nothing is asked of it.
func (r *Reranker) Rerank(ctx context.Context, question string, texts []string) ([]float64, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	asked := request{Model: r.model, Query: llm.Clean(question), TopN: len(texts), Documents: make([]string, len(texts))}
	for i, text := range texts {
		asked.Documents[i] = llm.Clean(text)
	}
	var given answer
	var scores []float64
	err := r.endpoint.Post(ctx, "/rerank", asked, &given, len(texts), func() (err error) {
		scores, err = scoresOf(given, len(texts))
		return err
	})
	return scores, err
}

// scoresOf checks an answer for n texts, and returns their numbers in the order of the
// texts: each text has one, and it is a number.
func scoresOf(a answer, n int) ([]float64, error) {
	results := a.Results
	if results == nil {
		results = a.Data
	}
	if len(results) != n {
		return nil, fmt.Errorf("it gave %d results for %d texts", len(results), n)
	}
	scores, given := make([]float64, n), make([]bool, n)
	for _, one := range results {
		switch {
		case one.Index == nil || *one.Index < 0 || *one.Index >= n:
			return nil, errors.New("it gave a result of a text that it was not asked about")
		case given[*one.Index]:
			return nil, errors.New("it gave two results of one text")
		case one.Score == nil || math.IsNaN(*one.Score) || math.IsInf(*one.Score, 0):
			return nil, errors.New("it gave a result without a relevance_score that is a number")
		}
		scores[*one.Index], given[*one.Index] = *one.Score, true
	}
	return scores, nil
}
