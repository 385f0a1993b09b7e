package app

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// silence is how long nothing may be heard of an answer: who works on it says so every two seconds.
const silence = 10 * time.Second

// asker puts questions to the annotator, over the bus.
type asker struct {
	conn *stream.Conn
	log  *slog.Logger
}

// Ask implements api.Asker.
func (a asker) Ask(ctx context.Context, q model.AskQuestion) iter.Seq2[model.AskPart, error] {
	return func(yield func(model.AskPart, error) bool) {
		question, err := json.Marshal(q)
		if err != nil {
			yield(model.AskPart{}, fmt.Errorf("encoding a question: %w", err))
			return
		}
		for data, err := range a.conn.Ask(ctx, model.AskSubject, model.AskedSubject, question, silence) {
			var part model.AskPart
			if err == nil {
				err = json.Unmarshal(data, &part)
			}
			if err != nil && ctx.Err() == nil {
				a.log.WarnContext(ctx, "a question gets no answer", slog.Any("error", err))
			}
			if !yield(part, err) || err != nil {
				return
			}
		}
	}
}
