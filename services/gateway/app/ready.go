package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/services/gateway/internal/api"
)

const (
	// readyAge is for how long an answer about readiness holds: anybody may ask, and to
	// know it takes some twenty questions to the stores.
	readyAge = time.Second
	// readyDefault stands in for a limit of the whole answer that is not set.
	readyDefault = 3 * time.Second
)

// Ready implements process.Service: all is there that a search needs and that brings
// documents to it. The stores answer, the streams are as they are provisioned, and the
// collection that is searched exists with the vectors that the catalog says. The
// answer may be a second old.
func (a *App) Ready(ctx context.Context) error {
	if a.door.stopping.Load() {
		return errStopping
	}
	return a.readiness(ctx)
}

// errStopping tells whoever hands out requests to go elsewhere.
var errStopping = errors.New("the gateway is stopping")

// Needs adds a question to Ready, before Run: what else must be so on the machine of
// this gateway, such as room on the disk of servers that run beside it.
func (a *App) Needs(name string, ask func(ctx context.Context) error) {
	a.needs = append(a.needs, process.Question{Name: name, Ask: ask})
}

// ask asks everything that Ready is about within the limit of one answer: the stores
// at once, and then, when catalog and vectors have answered, what is between them.
//
// The error names what is missing (api.NotReady).
func (a *App) ask(ctx context.Context) error {
	limit := cmp.Or(a.config.Health.Probe, readyDefault)
	stores, rest := limit*2/3, limit/4
	questions := append([]process.Question{
		{Name: "the catalog", Ask: a.db.Ready},
		{Name: "the vector store", Ask: a.vectors.Ping},
		{Name: "the object store", Ask: func(ctx context.Context) error { return a.blobs.Ready(ctx, blobstore.Raw, blobstore.Derived) }},
		{Name: "NATS", Ask: func(ctx context.Context) error {
			if err := a.conn.Ready(ctx); err != nil {
				return err
			}
			return a.conn.Verify(ctx)
		}},
	}, a.needs...)
	answers := process.AskAll(ctx, stores, questions)
	if answers[0] == nil && answers[1] == nil {
		between := process.Question{Name: "the collection that is searched", Ask: a.checkSearchable}
		questions, answers = append(questions, between), append(answers, process.AskAll(ctx, rest, []process.Question{between})...)
	}
	return notReady(questions, answers)
}

// notReady names the questions that have a bad answer, or returns nil when none has.
func notReady(questions []process.Question, answers []error) error {
	var missing []string
	for i, answer := range answers {
		if answer != nil {
			missing = append(missing, questions[i].Name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return api.NotReady{Missing: missing, Err: errors.Join(answers...)}
}

// checkSearchable reports whether there is something to search in. Before an indexer has
// ever run there is no collection: a search finds nothing then, and does not fail.
func (a *App) checkSearchable(ctx context.Context) error {
	alias := a.config.Qdrant.Collection
	collection, err := a.db.ActiveCollection(ctx, alias)
	if errors.Is(err, catalog.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	client, err := a.vectors.Client(ctx)
	if err != nil {
		return err
	}
	if err := client.Stands(ctx, alias, collection.Name, collection.Dimensions); err != nil {
		return fmt.Errorf("the collection that is searched is not as it must be: %w", err)
	}
	return nil
}

// askOnce returns a function that asks a question and answers again what was answered
// less than readyAge before. Several who ask at once wait for one answer. Who gives up
// waiting ends nobody's question.
func askOnce(ask func(ctx context.Context) error) func(ctx context.Context) error {
	turn := make(chan struct{}, 1)
	var (
		answer error
		at     time.Time
	)
	return func(ctx context.Context) error {
		select {
		case turn <- struct{}{}:
		case <-ctx.Done():
			return fmt.Errorf("the stores are being asked: %w", ctx.Err())
		}
		defer func() { <-turn }()
		if at.IsZero() || time.Since(at) > readyAge {
			answer = ask(context.WithoutCancel(ctx)) // which bounds its questions
			at = time.Now()
		}
		return answer
	}
}
