// Package app builds the annotator: the only place that names implementations.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/llm/chat"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/services/annotator/internal/ask"
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
	conn  *stream.Conn
	db    *catalog.DB
	model *chat.Model // nil: there is none
	asker *ask.Asker
	log   *slog.Logger
}

// New connects the annotator's parts. Stores that are away are waited for by Run; settings
// that cannot be used are an error.
func New(ctx context.Context, c Config, tel *telemetry.Telemetry, q *stream.Quarantine) (*App, error) {
	a := &App{}
	store := blobstore.ConfigOf(c.S3).Traced(tel.TracerProvider, tel.Meter).Logged(tel.Logger)
	store.Adopt = func(ctx context.Context, b blobstore.Bucket, key string) (bool, error) {
		return a.db.AdoptObject(ctx, string(b), key)
	}
	blobs, err := blobstore.Open(ctx, store)
	if err != nil {
		return nil, fmt.Errorf("object store: %w", err)
	}
	if a.db, err = catalog.Open(ctx, catalog.ConfigOf(c.Postgres).ByKey().Traced(tel.TracerProvider, tel.Meter).Logged(tel.Logger)); err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	if a.model, err = openModel(c.Chat, tel); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.asker, a.log = newAsker(a.db, a.model, c.Chat, tel), tel.Logger
	settings := stream.ConfigOf(Name, c.NATS, c.Runner)
	settings.Logger, settings.Meter = tel.Logger, tel.Meter
	if a.conn, err = stream.Connect(ctx, settings); err != nil {
		return nil, errors.Join(fmt.Errorf("bus: %w", err), a.Close())
	}
	a.Runner, err = stream.NewRunner(a.conn, newStage(a.db, blobs, a.model, c.Chat, tel), stream.Options{
		Consumer: stream.ConsumerEntities, Service: Name, Workers: c.Runner.Workers, Deadline: c.Runner.Deadline,
		Attempts: a.db, Probe: func(ctx context.Context) error {
			if a.model != nil && a.model.Ready(ctx) != nil {
				return a.model.Ready(ctx)
			}
			return errors.Join(a.db.Ready(ctx), blobs.Ready(ctx, blobstore.Derived))
		},
		Quarantine: q, Logger: tel.Logger, Tracer: tel.Tracer, Meter: tel.Meter, Emitted: countEntities(tel.Meter),
	})
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
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

// Run reads pages and answers questions until ctx ends. What is in hand then is brought to an end.
func (a *App) Run(ctx context.Context) error {
	stop, err := answerQuestions(ctx, a.conn, a.asker, a.log)
	if err != nil {
		return err
	}
	defer stop()
	return a.Runner.Run(ctx)
}

// Name implements process.Service.
func (a *App) Name() string { return Name }

// Close gives back what New took. Run must have returned.
func (a *App) Close() error {
	if a.conn != nil {
		a.conn.Close()
	}
	if a.model != nil {
		a.model.Close()
	}
	a.db.Close()
	return nil
}
