package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/devstack"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	annotator "github.com/colophon-dev/colophon/services/annotator/app"
	capturer "github.com/colophon-dev/colophon/services/capturer/app"
	chunker "github.com/colophon-dev/colophon/services/chunker/app"
	extractor "github.com/colophon-dev/colophon/services/extractor/app"
	gateway "github.com/colophon-dev/colophon/services/gateway/app"
	indexer "github.com/colophon-dev/colophon/services/indexer/app"
	janitor "github.com/colophon-dev/colophon/services/janitor/app"
	splitter "github.com/colophon-dev/colophon/services/splitter/app"
)

// ServersDir is where the servers of a local system keep their data.
func ServersDir(dir string) string { return filepath.Join(dir, "data") }

// Remove removes the folder of a local system that was stopped.
func Remove(dir string) error {
	return errors.Join(devstack.Remove(ServersDir(dir)), os.RemoveAll(dir))
}

// System is the whole system on one machine: the servers of devstack and, in
// the same process, all services.
type System struct {
	dir      string
	stack    *devstack.Stack
	Values   map[string]string
	adapted  map[string]string // settings that suit the disk; the other commands need them as well
	Gateway  string            // its address as http://host:port
	Services []process.Service
	tell     func(line string) // says on standard error what a person must know
	tables   cli.Tables
	closers  []func() error
	tels     []*telemetry.Telemetry
}

// Options say how a local system is started.
type Options struct {
	Dir      string
	NATS     string
	HTTP     string
	NoSync   bool
	Quiet    bool // log errors only
	Services bool
	Tables   cli.Tables        // of the services
	Place    string            // the setting that says where dir is, for people
	tell     func(line string) // says on standard error what a person must know; nil: nothing
}

// Start starts the servers, makes schema, streams and buckets, and builds
// the services, which run only when they are handed to process.Run.
func Start(ctx context.Context, o Options) (*System, error) {
	if o.tell == nil {
		o.tell = func(string) {}
	}
	if err := checkDisk(o); err != nil {
		return nil, err
	}
	stack, err := devstack.Start(ctx, devstack.Options{Dir: ServersDir(o.Dir), NATSAddr: o.NATS, NoSync: o.NoSync})
	if err != nil {
		return nil, blameDisk(err, o)
	}
	l := &System{dir: o.Dir, stack: stack, Values: devDefaults(), tables: o.Tables, tell: o.tell}
	if o.Quiet {
		l.Values["COLOPHON_LOG_LEVEL"] = "error"
	}
	if l.adapted, err = adaptToDisk(o); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	maps.Copy(l.Values, l.adapted)
	maps.Copy(l.Values, config.Environ())
	for _, line := range stack.Endpoints().Environ() {
		name, value, _ := strings.Cut(line, "=")
		l.Values[name] = value
	}
	if o.HTTP != "" {
		l.Values["COLOPHON_HTTP_ADDR"] = o.HTTP
	}
	if err := l.prepare(ctx); err != nil {
		return nil, errors.Join(blameDisk(err, o), l.Close())
	}
	if o.Services {
		if err := l.build(ctx); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	return l, nil
}

// ownHealth is the health address at which services have ports of their own; what runs
// several in one process takes a free one (process.Run).
const ownHealth = "127.0.0.1:own"

// devDefaults are settings that suit one machine; the environment overrides
// them.
func devDefaults() map[string]string {
	return map[string]string{
		"COLOPHON_LOG_FORMAT":    "text",
		"COLOPHON_LOG_LEVEL":     "warn",
		"COLOPHON_AUTO_REGISTER": "true",
		"COLOPHON_HTTP_ADDR":     "127.0.0.1:0",
		"COLOPHON_HEALTH_ADDR":   ownHealth,
		"COLOPHON_GRACE":         "5s",
		"COLOPHON_PULL_WAIT":     "250ms", // so that it stops soon
		"COLOPHON_HTTP_DRAIN":    "0s",    // nobody stands between clients and the gateway
		"COLOPHON_ACK_WAIT":      "5s",    // after a kill, work in hand is taken up again this soon
	}
}

func (l *System) prepare(ctx context.Context) error {
	s, err := config.LoadFrom[cli.Settings](l.Values)
	if err != nil {
		return err
	}
	db, err := catalog.Open(ctx, catalog.ConfigOf(s.Postgres))
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Migrate(ctx); err != nil {
		return err
	}
	blobs, err := blobstore.Open(ctx, blobstore.ConfigOf(s.S3))
	if err != nil {
		return err
	}
	if err := blobs.EnsureBuckets(ctx); err != nil {
		return err
	}
	conn, err := stream.Connect(ctx, stream.ConfigOf("colophon-dev", s.NATS, s.Runner))
	if err != nil {
		return err
	}
	defer conn.Close()
	return stream.Provision(ctx, conn, stream.ProvisionOptionsOf(s.Streams))
}

// Parts are what process.Run runs: what keeps the servers up, then the services, which
// are stopped first.
func (l *System) Parts(services ...process.Service) []process.Service {
	return append([]process.Service{&serverKeeper{l}, &streamKeeper{l}}, services...)
}

func (l *System) build(ctx context.Context) error {
	q := stream.NewQuarantine()
	for _, add := range []func() error{
		func() error { return launch(ctx, l, q, janitor.Name, janitor.New, l.janitor) },
		func() error { return launch(ctx, l, q, gateway.Name, gateway.New, l.gateway) },
		func() error { return launch(ctx, l, q, indexer.Name, indexer.New, l.indexer) },
		func() error { return launch(ctx, l, q, annotator.Name, annotator.New, l.annotator) },
		func() error { return launch(ctx, l, q, chunker.Name, chunker.New, l.chunker) },
		func() error { return launch(ctx, l, q, extractor.Name, extractor.New, l.extractor) },
		func() error { return launch(ctx, l, q, splitter.Name, splitter.New, l.splitter) },
		func() error { return launch(ctx, l, q, capturer.Name, capturer.New, l.capturer) },
	} {
		if err := add(); err != nil {
			return err
		}
	}
	return nil
}

// Each of these hands its tables to a service's settings, and returns those of its
// telemetry.

func (l *System) janitor(c *janitor.Config) config.Telemetry { return c.Telemetry }

func (l *System) gateway(c *gateway.Config) config.Telemetry {
	c.Kinds, c.Models = l.tables.Kinds, l.tables.Models
	return c.Telemetry
}

func (l *System) indexer(c *indexer.Config) config.Telemetry {
	c.Models = l.tables.Models
	return c.Telemetry
}

func (l *System) annotator(c *annotator.Config) config.Telemetry { return c.Telemetry }

func (l *System) chunker(c *chunker.Config) config.Telemetry { return c.Telemetry }

func (l *System) extractor(c *extractor.Config) config.Telemetry {
	c.Kinds = l.tables.Kinds
	return c.Telemetry
}

func (l *System) splitter(c *splitter.Config) config.Telemetry {
	c.Kinds = l.tables.Kinds
	return c.Telemetry
}

func (l *System) capturer(c *capturer.Config) config.Telemetry {
	c.Types = l.tables.Types
	return c.Telemetry
}

// launch builds one service with telemetry of its own.
func launch[C any, S process.Closer](ctx context.Context, l *System, q *stream.Quarantine, name string,
	build process.Build[C, S], fill func(*C) config.Telemetry,
) error {
	settings, err := config.LoadFrom[C](l.Values)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	tel, err := telemetry.Start(ctx, name, fill(&settings))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	l.tels = append(l.tels, tel)
	l.closers = append(l.closers, func() error { return tel.Shutdown(ctx) })
	service, err := build(ctx, settings, tel, q)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	l.closers = append(l.closers, service.Close)
	stopTelling, err := tel.TellReady(service.Ready)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	l.closers = append(l.closers, func() error { stopTelling(); return nil })
	if g, ok := any(service).(*gateway.App); ok {
		g.Needs("the disk", func(context.Context) error { return l.stack.Down() })
	}
	l.Services = append(l.Services, service)
	return nil
}

// gatewayURL returns the address of the running gateway.
func (l *System) gatewayURL() string {
	for _, s := range l.Services {
		if g, ok := s.(*gateway.App); ok {
			return "http://" + g.Addr()
		}
	}
	return ""
}

// Announce writes the file by which the other commands find the system.
func (l *System) Announce() error {
	values := make(map[string]string, len(l.Values)+1)
	maps.Copy(values, l.adapted)
	for _, line := range l.stack.Endpoints().Environ() {
		name, value, _ := strings.Cut(line, "=")
		values[name] = value
	}
	if l.Gateway == "" {
		l.Gateway = l.gatewayURL()
	}
	if l.Gateway != "" {
		values["COLOPHON_GATEWAY_URL"] = l.Gateway
	}
	return config.WriteFile(filepath.Join(l.dir, config.EndpointsFile), values)
}

// Close stops what startLocal started, the last first. The services must have
// returned from Run.
func (l *System) Close() error {
	var problems []error
	for _, closer := range slices.Backward(l.closers) {
		problems = append(problems, closer())
	}
	if err := os.Remove(filepath.Join(l.dir, config.EndpointsFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		problems = append(problems, err)
	}
	return errors.Join(append(problems, l.stack.Close())...)
}
