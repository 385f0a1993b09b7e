package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/llm"
)

// errUnfinished says that an answer ended before the model said that it was done.
var errUnfinished = errors.New("the answer ended before its end")

// Beside returns a model at the same endpoint, with the same bound of tokens a minute, that has
// so many calls at once of its own: questions of people do not wait for those about pages. Close
// is for the first one alone.
func (m *Model) Beside(calls int) *Model {
	other := &Model{endpoint: m.endpoint, config: m.config, slots: make(chan struct{}, calls), tokens: m.tokens}
	other.config.Calls = calls
	return other
}

// event is one part of an answer: a delta of a stream, or a whole message where the endpoint does
// not stream.
type event struct {
	Choices []struct {
		Delta   said   `json:"delta"`
		Message said   `json:"message"`
		Finish  string `json:"finish_reason"`
	} `json:"choices"`
	Usage *openai.Usage `json:"usage"`
}

type said struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Refusal string `json:"refusal"`
}

// Stream asks for an answer in words, hands it over as it comes, and returns it whole with what it
// cost. The errors are those of Ask, and what tell returns; what was handed over before one stays so.
// All of it takes at most limit.
func (m *Model) Stream(ctx context.Context, talk []Message, limit time.Duration, tell func(text string) error) (Answer, error) {
	q := openai.ChatCompletionRequest{Model: m.config.Model, MaxTokens: m.config.AnswerTokens, N: 1, Stream: true, //nolint:staticcheck // the older name is the one that all servers know
		StreamOptions: &openai.StreamOptions{IncludeUsage: true}}
	estimated := 0
	for _, t := range talk {
		text := llm.Clean(t.Text)
		estimated += len(text)/bytesPerToken + 1
		q.Messages = append(q.Messages, openai.ChatCompletionMessage{Role: t.Role, Content: text})
	}
	if err := m.turn(ctx, estimated+m.config.AnswerTokens); err != nil {
		return Answer{}, err
	}
	defer func() { <-m.slots }()
	var a Answer
	finish := ""
	err := m.endpoint.Stream(ctx, "/chat/completions", q, mostBytes, limit, func(data []byte) error {
		text, err := a.take(data, &finish)
		if err != nil || text == "" {
			return err
		}
		a.Text += text
		return tell(text)
	})
	a.Cut = finish == string(openai.FinishReasonLength)
	a.QuestionTokens = cmp.Or(a.QuestionTokens, estimated)
	a.AnswerTokens = cmp.Or(a.AnswerTokens, len(a.Text)/bytesPerToken)
	if err == nil && finish == "" {
		err = fault.Unavailable(errUnfinished)
	}
	return a, err
}

// take reads one part of an answer.
func (a *Answer) take(data []byte, finish *string) (text string, err error) {
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return "", fmt.Errorf("%w: %w", ErrOdd, err)
	}
	if e.Usage != nil {
		a.QuestionTokens, a.AnswerTokens = max(0, e.Usage.PromptTokens), max(0, e.Usage.CompletionTokens)
	}
	if len(e.Choices) == 0 {
		return "", nil
	}
	c := e.Choices[0]
	*finish = cmp.Or(c.Finish, *finish)
	if c.Delta.Refusal+c.Message.Refusal != "" || c.Finish == string(openai.FinishReasonContentFilter) {
		return "", ErrRefused
	}
	if role := cmp.Or(c.Delta.Role, c.Message.Role); role != "" && role != openai.ChatMessageRoleAssistant {
		return "", fmt.Errorf("%w: it is said by %.40q", ErrOdd, role)
	}
	return c.Delta.Content + c.Message.Content, nil
}
