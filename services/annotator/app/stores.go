package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/instrument"
	"github.com/colophon-dev/colophon/pkg/llm"
	"github.com/colophon-dev/colophon/pkg/llm/chat"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/services/annotator/internal/entities"
)

// openModel opens the chat model that is set; nil where none is.
func openModel(c config.Chat, tel *telemetry.Telemetry) (*chat.Model, error) {
	if c.URL == "" {
		return nil, nil //nolint:nilnil // rules alone
	}
	return chat.Open(chat.ConfigOf(c).Observed(tel.Logger, tel.Meter))
}

// asked is a chat model in the words of the stage.
type asked struct{ *chat.Model }

// Ask returns what the model says next in a conversation.
func (a asked) Ask(ctx context.Context, talk []entities.Message, schema json.RawMessage) (entities.Said, error) {
	messages := make([]chat.Message, len(talk))
	for i, t := range talk {
		messages[i] = chat.Message(t)
	}
	said, err := a.Model.Ask(ctx, messages, "entities", schema)
	switch {
	case errors.Is(err, chat.ErrRefused), errors.Is(err, llm.ErrNotTaken):
		err = fmt.Errorf("%w: %w", entities.ErrRefused, err)
	case errors.Is(err, chat.ErrOdd), errors.Is(err, llm.ErrTooLarge):
		err = fmt.Errorf("%w: %w", entities.ErrOdd, err)
	}
	return entities.Said{Text: said.Text, QuestionTokens: said.QuestionTokens, AnswerTokens: said.AnswerTokens}, err
}

type segments struct{ blobs *blobstore.Store }

func (s segments) Segment(ctx context.Context, row model.SegmentRow) ([]byte, error) {
	data, err := s.blobs.Get(ctx, blobstore.Derived, row.ObjectKey, row.Digest)
	return data, blobstore.Lost(err, "the stored segment is not as it was recorded")
}

// answers keeps what a model said: an object, and the row that says which one counts.
type answers struct {
	db    *catalog.DB
	blobs *blobstore.Store
}

// Find returns what was said to a question before.
func (a answers) Find(ctx context.Context, q model.LLMAnswer) (said []byte, found bool, err error) {
	counts, err := a.db.LLMAnswer(ctx, q.SourceID, q.Model, q.PromptVersion, q.InputHash)
	switch {
	case errors.Is(err, fault.ErrNoRow):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	said, err = a.blobs.Get(ctx, blobstore.Derived, counts.ObjectKey, counts.Digest)
	return said, true, blobstore.Lost(err, "the stored answer of a model is not as it was recorded")
}

// KeepAs keeps what was said, and returns which object counts.
func (a answers) KeepAs(ctx context.Context, q model.LLMAnswer, said []byte) (model.LLMAnswer, error) {
	key, _, sum, err := a.blobs.PutLLM(ctx, q.SourceID, q.Model, strconv.Itoa(q.PromptVersion), q.InputHash, said)
	if err != nil {
		return q, err
	}
	q.ObjectKey, q.Digest = key, sum
	return a.db.PutLLMAnswer(ctx, q)
}

// Keep keeps what was said, and returns what counts.
func (a answers) Keep(ctx context.Context, q model.LLMAnswer, said []byte) ([]byte, error) {
	key, there, sum, err := a.blobs.PutLLM(ctx, q.SourceID, q.Model, strconv.Itoa(q.PromptVersion), q.InputHash, said)
	if err != nil {
		return nil, err
	}
	faultpoint.Reach("annotate.answer.put")
	q.ObjectKey, q.Digest = key, sum
	counts, err := a.db.PutLLMAnswer(ctx, q)
	if err != nil || counts.Digest == sum {
		return there, err
	}
	said, err = a.blobs.Get(ctx, blobstore.Derived, counts.ObjectKey, counts.Digest)
	return said, blobstore.Lost(err, "the stored answer of a model is not as it was recorded")
}

// budget counts what pages cost.
type budget struct {
	db     *catalog.DB
	tokens metric.Int64Counter
}

func newBudget(db *catalog.DB, m metric.Meter) budget {
	return budget{db, instrument.Counter(m, instrument.ChatTokens)}
}

// Spent returns the tokens that the pages of a source have cost today.
func (b budget) Spent(ctx context.Context, sourceID string) (int64, error) {
	return b.db.LLMUse(ctx, time.Now(), sourceID)
}

// Spend adds what one call has cost.
func (b budget) Spend(ctx context.Context, sourceID, modelName string, question, answer int) error {
	b.tokens.Add(ctx, int64(question), metric.WithAttributes(attribute.String("side", "question")))
	b.tokens.Add(ctx, int64(answer), metric.WithAttributes(attribute.String("side", "answer")))
	return b.db.AddLLMUse(ctx, time.Now(), sourceID, modelName, question, answer)
}
