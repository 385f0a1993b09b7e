package app

import (
	"time"

	"github.com/colophon-dev/colophon/pkg/config"
)

// Config is what the janitor reads from the environment.
type Config struct {
	Reconcile Reconcile
	NATS      config.NATS
	Postgres  config.Postgres
	S3        config.S3
	Qdrant    config.Qdrant
	Runner    config.Runner
	Telemetry config.Telemetry
	Health    config.Health
}

// Reconcile says when the janitor looks for work that stands still.
type Reconcile struct {
	Every        time.Duration `env:"RECONCILE_EVERY" envDefault:"10m" allowed:"0s.." help:"Between two passes; 0 is never."`
	Age          time.Duration `env:"RECONCILE_AGE" envDefault:"10m" allowed:"0s.." help:"How long a thing must have made no progress."`
	ObjectsEvery time.Duration `env:"RECONCILE_OBJECTS_EVERY" envDefault:"24h" allowed:"0s.." help:"Between two looks for objects without a row, which take as long as listing the buckets; 0 is never."`
	ObjectAge    time.Duration `env:"RECONCILE_OBJECT_AGE" envDefault:"24h" allowed:"1m.." help:"How old an object without a row must be before it is deleted."`
}

// About is the block's text in the documentation.
func (Reconcile) About() string { return "What heals work that stands still." }
