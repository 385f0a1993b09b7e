// Package app builds the annotator: the only place that names implementations.
package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/connect"
	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/llm/chat"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/services/annotator/internal/ask"
	"github.com/colophon-dev/colophon/services/annotator/internal/enrich"
	"github.com/colophon-dev/colophon/services/annotator/internal/entities"
	"github.com/colophon-dev/colophon/services/annotator/internal/stage"
)

// Name is the service's name, in ce-source and in logs.
const Name = "annotator"

// Config is what the annotator reads from the environment.
type Config struct {
	NATS      config.NATS
	Postgres  config.Postgres
	S3        config.S3
	Runner    config.Runner
	Chat      config.Chat
	Telemetry config.Telemetry
	Health    config.Health
}

// App is the running annotator.
type App struct {
	*stream.Runner
	enrich *stream.Runner // asks about chunks
	stores *connect.Stores
	model  *chat.Model // nil: there is none
	asker  *ask.Asker
	log    *slog.Logger
}

// New connects the annotator's parts. Stores that are away are waited for by Run; settings
// that cannot be used are an error.
func New(ctx context.Context, c Config, tel *telemetry.Telemetry, q *stream.Quarantine) (*App, error) {
	a := &App{log: tel.Logger}
	var err error
	if a.stores, err = connect.Open(ctx, connect.Settings{Name: Name, NATS: c.NATS, Runner: c.Runner, Postgres: c.Postgres, S3: c.S3, Adopts: true}, tel); err != nil {
		return nil, err
	}
	db, blobs := a.stores.Catalog, a.stores.Objects
	if a.model, err = openModel(c.Chat, tel); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.asker = newAsker(db, a.model, c.Chat, tel)
	options := a.stores.Options(stream.ConsumerEntities, q, a.stores.HasBuckets(blobstore.Derived), func(ctx context.Context) error {
		if a.model == nil {
			return nil
		}
		return a.model.Ready(ctx)
	})
	options.Emitted = countEntities(tel.Meter)
	if a.Runner, err = stream.NewRunner(a.stores.Bus, newStage(db, blobs, a.model, c.Chat, tel), options); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	options.Consumer, options.Emitted = stream.ConsumerEnrich, nil
	if a.enrich, err = stream.NewRunner(a.stores.Bus, newEnrichment(db, blobs, a.model, c.Chat, tel), options); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func newEnrichment(db *catalog.DB, blobs *blobstore.Store, m *chat.Model, c config.Chat, tel *telemetry.Telemetry) *enrich.Stage {
	s := &enrich.Stage{Catalog: db, Answers: answers{db, blobs}, Log: tel.Logger}
	if m != nil {
		s.Chat, s.Budget, s.Daily, s.Parallel, s.Most = asked{m}, newBudget(db, tel.Meter), c.DailyTokens, c.Calls, handling
		s.Count = countAnswers(tel.Meter)
	}
	return s
}

// handling is how long one event may keep a worker busy with a model before other events have their turn.
const handling = 2 * time.Minute

func newStage(db *catalog.DB, blobs *blobstore.Store, m *chat.Model, c config.Chat, tel *telemetry.Telemetry) *stage.Stage {
	s := &stage.Stage{Catalog: db, Segments: segments{blobs}, Extractor: entities.Rules{}, Log: tel.Logger}
	if m != nil {
		s.Extractor = &entities.Model{
			Chat: asked{m}, Answers: answers{db, blobs}, Budget: newBudget(db, tel.Meter), Daily: c.DailyTokens,
			Prompt: entity.Version(c.PromptVersion), Count: countAnswers(tel.Meter),
		}
		s.Parallel, s.Most = c.Calls, handling
	}
	return s
}

// Run reads pages, asks about chunks and answers questions until ctx ends. What is in hand then is brought to an end.
func (a *App) Run(ctx context.Context) error {
	stop, err := answerQuestions(ctx, a.stores.Bus, a.asker, a.log)
	if err != nil {
		return err
	}
	defer stop()
	both, running := errgroup.WithContext(ctx)
	both.Go(func() error { return a.Runner.Run(running) })
	both.Go(func() error { return a.enrich.Run(running) })
	return both.Wait()
}

// Ready implements process.Service: both consumers say it.
func (a *App) Ready(ctx context.Context) error {
	return errors.Join(a.Runner.Ready(ctx), a.enrich.Ready(ctx))
}

// Name implements process.Service.
func (a *App) Name() string { return Name }

// Close gives back what New took. Run must have returned.
func (a *App) Close() error {
	if a.model != nil {
		a.model.Close()
	}
	a.stores.Close()
	return nil
}
