// Package chat asks a model behind an OpenAI-compatible endpoint for one answer in JSON. What it
// answers is a proposal, whatever it is: who asks decides what of it counts.
package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	openai "github.com/sashabaranov/go-openai"
	"go.opentelemetry.io/otel/metric"
	"golang.org/x/time/rate"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/llm"
)

// What is asked where nothing else is said.
const (
	defaultTime   = time.Minute
	defaultCalls  = 4
	defaultTokens = 4000
	minute        = 60
	bytesPerToken = 3       // of a question, by estimate
	mostBytes     = 2 << 20 // of a whole answer: what is longer is no answer about a page
)

// Errors of one answer. They say nothing of the next one.
var (
	ErrRefused = errors.New("the model refuses to answer")
	ErrOdd     = errors.New("the answer is none of a chat model")
)

// Config says where a model answers and how it is asked.
type Config struct {
	BaseURL         string // http or https, with the path before /chat/completions, as https://host/v1
	Key             string // sent as a bearer token; none when empty
	KeyFile         string // instead of Key: a file that holds it, read again when it changes
	Files           credential.TLSFiles
	Model           string
	Timeout         time.Duration // of one call; 1 m when 0
	Calls           int           // at once; 4 when 0
	TokensPerMinute int           // of questions and answers, by estimate; 0: without bound
	AnswerTokens    int           // of one answer; 4,000 when 0

	Logger *slog.Logger // told of credentials that change or are refused, and of an endpoint that goes and comes; nil: quiet
	Meter  metric.Meter // measured are calls; nil: nothing
}

// ConfigOf turns a service's settings into a Config.
func ConfigOf(c config.Chat) Config {
	return Config{
		BaseURL: c.URL, Key: c.Key.Value(), KeyFile: c.KeyFile,
		Files: credential.TLSFiles{CA: c.TLS.CAFile, Cert: c.TLS.CertFile, Key: c.TLS.KeyFile},
		Model: c.Model, Timeout: c.Timeout, Calls: c.Calls, TokensPerMinute: c.TokensPerMinute, AnswerTokens: c.AnswerTokens,
	}
}

// Observed returns the Config with what is told and measured.
func (c Config) Observed(log *slog.Logger, meter metric.Meter) Config {
	c.Logger, c.Meter = log, meter
	return c
}

// Model asks one endpoint. It is safe for concurrent use, and bounds the calls of all who use it
// together.
type Model struct {
	endpoint *llm.Endpoint
	config   Config
	slots    chan struct{}
	tokens   *rate.Limiter // nil: without bound
	form     atomic.Int32  // the first that the endpoint has not refused
}

// The forms in which JSON is asked for, the strictest first.
const (
	formSchema int32 = iota // response_format: json_schema
	formJSON                // response_format: json_object
	formPlain               // by words alone
)

// Open returns the model of an endpoint. The endpoint is not asked: whether it is there is seen
// when it is used. Settings that cannot be used are an error.
func Open(c Config) (*Model, error) {
	if c.Model == "" {
		return nil, errors.New("which model the chat endpoint is asked for is not known: set CHAT_MODEL")
	}
	c.Timeout, c.Calls = cmp.Or(c.Timeout, defaultTime), cmp.Or(c.Calls, defaultCalls)
	c.AnswerTokens = cmp.Or(c.AnswerTokens, defaultTokens)
	endpoint, err := llm.OpenEndpoint(llm.EndpointConfig{
		Name: "the chat endpoint", Operation: "chat", KeySetting: "CHAT_API_KEY_FILE",
		BaseURL: c.BaseURL, Key: c.Key, KeyFile: c.KeyFile, Files: c.Files, Timeout: c.Timeout, Logger: c.Logger, Meter: c.Meter,
	})
	if err != nil {
		return nil, err
	}
	m := &Model{endpoint: endpoint, config: c, slots: make(chan struct{}, c.Calls)}
	if c.TokensPerMinute > 0 {
		m.tokens = rate.NewLimiter(rate.Limit(float64(c.TokensPerMinute)/minute), c.TokensPerMinute)
	}
	return m, nil
}

// Name returns the model's name.
func (m *Model) Name() string { return m.config.Model }

// Ready is nil when the endpoint may be asked. Nothing is asked.
func (m *Model) Ready(context.Context) error { return m.endpoint.Ready() }

// Close ends idle connections. Calls that are under way are not touched.
func (m *Model) Close() { m.endpoint.Close() }

// Message is one of a conversation.
type Message struct {
	Role string // system, user or assistant
	Text string
}

// Answer is what a model has said.
type Answer struct {
	Text           string
	Cut            bool // it was longer than it may be
	QuestionTokens int  // as the endpoint says, else by estimate
	AnswerTokens   int
}

// Ask returns the model's answer to a conversation, in JSON that follows schema as far as the
// endpoint makes it: one that takes no schema is asked for JSON, and one that takes no form is
// asked by words alone. ErrRefused, ErrOdd, llm.ErrNotTaken and llm.ErrTooLarge are of this
// conversation alone; whatever else hinders it is Unavailable, or the error of ctx.
func (m *Model) Ask(ctx context.Context, talk []Message, name string, schema json.RawMessage) (Answer, error) {
	for {
		form := m.form.Load()
		a, err := m.ask(ctx, talk, form, name, schema)
		if !errors.Is(err, llm.ErrNotTaken) || form == formPlain {
			return a, err
		}
		m.form.CompareAndSwap(form, form+1)
	}
}

func (m *Model) ask(ctx context.Context, talk []Message, form int32, name string, schema json.RawMessage) (Answer, error) {
	q := openai.ChatCompletionRequest{Model: m.config.Model, MaxTokens: m.config.AnswerTokens, N: 1} //nolint:staticcheck // the older name is the one that all servers know
	estimated := 0
	for _, t := range talk {
		text := llm.Clean(t.Text)
		estimated += len(text)/bytesPerToken + 1
		q.Messages = append(q.Messages, openai.ChatCompletionMessage{Role: t.Role, Content: text})
	}
	switch form {
	case formSchema:
		q.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: name, Schema: schema, Strict: true}}
	case formJSON:
		q.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	}
	if err := m.turn(ctx, estimated+m.config.AnswerTokens); err != nil {
		return Answer{}, err
	}
	defer func() { <-m.slots }()
	body, err := m.endpoint.Ask(ctx, "/chat/completions", q, mostBytes)
	if err != nil {
		return Answer{}, err
	}
	a, err := read(body)
	a.QuestionTokens = cmp.Or(a.QuestionTokens, estimated)
	a.AnswerTokens = cmp.Or(a.AnswerTokens, len(a.Text)/bytesPerToken)
	return a, err
}

// turn waits until so many tokens and a call may be spent.
func (m *Model) turn(ctx context.Context, tokens int) error {
	if m.tokens != nil {
		if err := m.tokens.WaitN(ctx, min(tokens, m.tokens.Burst())); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("%w: %w", context.DeadlineExceeded, err) // there is no room before the deadline
		}
	}
	select {
	case m.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// read reads the answer of an endpoint.
func read(body []byte) (Answer, error) {
	var given openai.ChatCompletionResponse
	if err := json.Unmarshal(body, &given); err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrOdd, err)
	}
	a := Answer{QuestionTokens: max(0, given.Usage.PromptTokens), AnswerTokens: max(0, given.Usage.CompletionTokens)}
	if len(given.Choices) == 0 {
		return a, fmt.Errorf("%w: it has no choice", ErrOdd)
	}
	choice := given.Choices[0]
	a.Text, a.Cut = choice.Message.Content, choice.FinishReason == openai.FinishReasonLength
	switch {
	case choice.Message.Refusal != "" || choice.FinishReason == openai.FinishReasonContentFilter:
		return a, ErrRefused
	case choice.Message.Role != "" && choice.Message.Role != openai.ChatMessageRoleAssistant:
		return a, fmt.Errorf("%w: it is said by %.40q", ErrOdd, choice.Message.Role)
	}
	return a, nil
}
