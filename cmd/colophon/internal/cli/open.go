package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/container/kinds"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/pkg/verify"
	chunker "github.com/colophon-dev/colophon/services/chunker/app"
)

// Settings are what the operator's commands read.
type Settings struct {
	NATS       config.NATS
	Postgres   config.Postgres
	S3         config.S3
	Qdrant     config.Qdrant
	Runner     config.Runner
	Streams    config.Streams
	Extraction config.Extraction
	OCR        config.OCR
	Telemetry  config.Telemetry
	Gateway    GatewayAddress
}

// GatewayAddress is all that commands need which ask the gateway.
type GatewayAddress struct {
	URL    string `env:"GATEWAY_URL" envDefault:"http://127.0.0.1:8080" help:"Address of the gateway's HTTP API; https:// where it has a certificate (HTTP_CERT_FILE)."`
	CAFile string `env:"GATEWAY_CA_FILE" help:"File of the authorities, in PEM, of which one must have signed the gateway's certificate; those of the system when not set."`
}

// Settings reads the environment and the development folder.
func (c *Tool) Settings() (Settings, error) {
	s, _, err := Load[Settings](c)
	return s, err
}

// Load reads a command's settings, and says where they come from.
func Load[T any](c *Tool) (T, config.Found, error) {
	var zero T
	found, err := config.ForCommand(config.Environ(), c.Dir, c.DirFlag == nil || c.DirFlag.Changed)
	if err != nil {
		return zero, found, err
	}
	loaded, err := config.LoadFrom[T](found.Values)
	if err != nil && found.LeftOut != "" {
		err = fmt.Errorf("%w\n%s was left out, since the environment sets %s: unset that, or name the folder with --dir", err, found.LeftOut, found.Because)
	}
	return loaded, found, err
}

// Catalog reads the settings and opens the catalog, which must answer. The caller closes it.
func (c *Tool) Catalog(ctx context.Context) (*catalog.DB, Settings, error) {
	s, err := c.Settings()
	if err != nil {
		return nil, s, err
	}
	db, err := OpenCatalog(ctx, s.Postgres)
	return db, s, err
}

// OpenCatalog connects to the catalog and waits for its first answer.
func OpenCatalog(ctx context.Context, s config.Postgres) (*catalog.DB, error) {
	db, err := catalog.Open(ctx, catalog.ConfigOf(s))
	if err != nil {
		return nil, Usagef("COLOPHON_POSTGRES_URL: %w: it is written as postgres://user:password@host:port/database", err)
	}
	if err := db.Ping(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("the catalog does not answer: %w", err)
	}
	return db, nil
}

// busWait is how long a command waits for the bus: as long as for an answer of it.
const busWait = 5 * time.Second

// Stream connects to the bus as the operator.
func (c *Tool) Stream(ctx context.Context, s Settings) (*stream.Conn, error) {
	return c.StreamAs(ctx, s, access.Operator)
}

// StreamAs connects to the bus under a role. It goes on by itself when the bus is away
// later on; one that is not there at the beginning is told.
func (c *Tool) StreamAs(ctx context.Context, s Settings, role string) (*stream.Conn, error) {
	cfg := stream.ConfigOf("colophon", s.NATS, s.Runner)
	cfg.Role = role
	conn, err := stream.Connect(ctx, cfg)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, busWait)
	defer cancel()
	tick := time.NewTicker(PollEvery)
	defer tick.Stop()
	for {
		if err = conn.Ready(ctx); err == nil {
			return conn, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			conn.Close()
			return nil, fmt.Errorf("the bus does not answer: %w", err)
		}
	}
}

// System is everything that a proof reads.
type System struct {
	DB      *catalog.DB
	Blobs   *blobstore.Store
	vectors *vectorstore.Client
	child   *child.Client
	Reader  *verify.Reader
}

// Close ends all connections.
func (s *System) Close() {
	s.child.Close()
	_ = s.vectors.Close() // nothing was written
	s.DB.Close()
}

// System opens everything that a proof reads. The caller closes it.
func (c *Tool) System(ctx context.Context) (*System, error) {
	db, set, err := c.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	s := &System{DB: db}
	if s.Blobs, err = blobstore.Open(ctx, blobstore.ConfigOf(set.S3)); err != nil {
		db.Close()
		return nil, err
	}
	if s.vectors, err = vectorstore.Open(ctx, vectorstore.ConfigOf(set.Qdrant)); err != nil {
		db.Close()
		return nil, err
	}
	s.child, err = child.New(child.ConfigOf(set.Extraction, set.S3.TempDir).Of(c.Tables.Kinds), s.Blobs.FetchRaw)
	if err != nil {
		_ = s.vectors.Close()
		db.Close()
		return nil, err
	}
	s.Reader = &verify.Reader{
		Catalog: db, Blobs: s.Blobs, Vectors: s.vectors, Alias: set.Qdrant.Collection, Extractor: s.child,
		Chunker: chunker.Again(), Survey: chunker.Survey(), Link: chunker.Link(), Members: new(verify.Members), Containers: kinds.All(),
	}
	return s, nil
}
