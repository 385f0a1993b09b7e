// Package connect opens the stores of a service that has objects: all services' in one way, told
// of in their telemetry, as the identity of the service. The indexer has none and does not link
// their driver: it connects by itself.
package connect

import (
	"context"
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// Settings say which stores a service works with.
type Settings struct {
	Name     string // of the service, in ce-source and in logs
	Role     string // whose identity it has on the bus; that of Name when empty
	NATS     config.NATS
	Runner   config.Runner
	Postgres config.Postgres
	S3       config.S3
	Adopts   bool // it writes derived objects: one that stands in its place already is taken over (ADR 9)
	Anywhere bool // its questions are not by key: see catalog.Config.ByKey
}

// Stores are the stores of a service. Those that are unavailable are waited for by who asks
// them; settings that cannot be used are an error of Open.
type Stores struct {
	Catalog *catalog.DB
	Objects *blobstore.Store
	Bus     *stream.Conn

	settings Settings
	tel      *telemetry.Telemetry
}

// Open opens them. What was opened is closed again where it fails.
func Open(ctx context.Context, c Settings, tel *telemetry.Telemetry) (*Stores, error) {
	s := &Stores{settings: c, tel: tel}
	var err error
	objects := blobstore.ConfigOf(c.S3).Traced(tel.TracerProvider, tel.Meter).Logged(tel.Logger)
	if c.Adopts {
		objects.Adopt = func(ctx context.Context, b blobstore.Bucket, key string) (bool, error) {
			return s.Catalog.AdoptObject(ctx, string(b), key)
		}
	}
	if s.Objects, err = blobstore.Open(ctx, objects); err != nil {
		return nil, fmt.Errorf("object store: %w", err)
	}
	record := catalog.ConfigOf(c.Postgres).Traced(tel.TracerProvider, tel.Meter).Logged(tel.Logger)
	if !c.Anywhere {
		record = record.ByKey()
	}
	if s.Catalog, err = catalog.Open(ctx, record); err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	bus := stream.ConfigOf(c.Name, c.NATS, c.Runner)
	bus.Logger, bus.Meter = tel.Logger, tel.Meter
	if c.Role != "" {
		bus.Role = c.Role
	}
	if s.Bus, err = stream.Connect(ctx, bus); err != nil {
		s.Catalog.Close()
		return nil, fmt.Errorf("bus: %w", err)
	}
	return s, nil
}

// Options are those of a runner that takes a consumer's events. It is ready when the catalog is,
// and all that is asked of it by others.
func (s *Stores) Options(consumer string, q *stream.Quarantine, others ...func(context.Context) error) stream.Options {
	return stream.Options{
		Consumer: consumer, Service: s.settings.Name, Workers: s.settings.Runner.Workers, Deadline: s.settings.Runner.Deadline,
		Attempts: s.Catalog, Quarantine: q, Logger: s.tel.Logger, Tracer: s.tel.Tracer, Meter: s.tel.Meter,
		Probe: func(ctx context.Context) error {
			problem := s.Catalog.Ready(ctx)
			for _, ready := range others {
				problem = errors.Join(problem, ready(ctx))
			}
			return problem
		},
	}
}

// HasBuckets asks whether the buckets are there, for Options.
func (s *Stores) HasBuckets(buckets ...blobstore.Bucket) func(context.Context) error {
	return func(ctx context.Context) error { return s.Objects.Ready(ctx, buckets...) }
}

// Close gives back what Open took. Nobody may use it any more. Of none it does nothing.
func (s *Stores) Close() {
	if s == nil {
		return
	}
	s.Bus.Close()
	s.Catalog.Close()
}
