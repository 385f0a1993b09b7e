// Package devstack runs the servers that the project needs on one machine: NATS with JetStream and a Qdrant-compatible
// vector store inside the process, an S3 object store and PostgreSQL as children of it. It is for development and
// tests. A kill of the process loses nothing that was acknowledged; the object store may lose writes with the power.
package devstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/colophon-dev/colophon/devstack/child"
	"github.com/colophon-dev/colophon/devstack/nats"
	"github.com/colophon-dev/colophon/devstack/postgres"
	"github.com/colophon-dev/colophon/devstack/qdrant"
	"github.com/colophon-dev/colophon/devstack/s3"
	"github.com/colophon-dev/colophon/devstack/supervisor"
)

const (
	// lockWait is how long Start waits for another stack on the same folder to end.
	lockWait = 2 * time.Second
	// closeLimit bounds Close.
	closeLimit = 30 * time.Second
)

// Options of a stack. Addresses are host:port; an empty one means 127.0.0.1 and a free port.
type Options struct {
	Dir        string // holds everything; made when missing. One stack at a time
	NATSAddr   string
	S3Addr     string
	QdrantAddr string
	PGBin      string // folder of initdb and postgres; empty means: search
	NoSync     bool   // no fsync anywhere, for tests: a kill still loses nothing, a loss of power may

	// Only names the parts that are wanted: nats, s3, postgres, qdrant; none means all. The others are nil. So each
	// part can be a process of its own, which may be killed.
	Only []string
}

// wants reports whether a part is wanted.
func (o Options) wants(name string) bool { return len(o.Only) == 0 || slices.Contains(o.Only, name) }

// Endpoints say where the parts of a stack are.
type Endpoints struct {
	NATSURL     string // nats://host:port
	S3Endpoint  string // http://host:port
	S3AccessKey string
	S3SecretKey string
	PostgresURL string // postgres://…, over a unix socket
	QdrantAddr  string // host:port of the gRPC API
}

// Environ writes the endpoints as KEY=VALUE lines with the names of the project's settings. Parts that do not run have
// none.
func (e Endpoints) Environ() []string {
	var lines []string
	for _, line := range []struct{ key, value string }{
		{"COLOPHON_NATS_URL", e.NATSURL},
		{"COLOPHON_S3_ENDPOINT", e.S3Endpoint},
		{"COLOPHON_S3_ACCESS_KEY", e.S3AccessKey},
		{"COLOPHON_S3_SECRET_KEY", e.S3SecretKey},
		{"COLOPHON_POSTGRES_URL", e.PostgresURL},
		{"COLOPHON_QDRANT_ADDR", e.QdrantAddr},
	} {
		if line.value != "" {
			lines = append(lines, line.key+"="+line.value)
		}
	}
	return lines
}

// Stack is a running stack. Each part can be stopped and started again alone, and keeps its address.
type Stack struct {
	NATS     *nats.Server
	S3       *s3.Server
	Postgres *postgres.Server
	Qdrant   *qdrant.Server

	secrets    secrets
	lock       *os.File
	supervisor supervisor.Supervisor
	room       roomKeeper
}

// part is what all parts have in common.
type part interface {
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
}

// ErrBusy says that another stack runs on the folder.
var ErrBusy = errors.New("another system runs in this folder")

// ChildMain must be called first in the main (or TestMain) of every program that calls Start. In a process that Start
// executed as a child it does that child's work and reports true: main then returns. Elsewhere it reports false.
func ChildMain() bool {
	return child.Main(map[string]child.Role{s3.RoleName: s3.Role, postgres.RoleName: postgres.Role})
}

// Start runs all parts at once and returns when all of them serve. When one fails, the others are stopped again.
func Start(ctx context.Context, options Options) (*Stack, error) {
	dir, err := filepath.Abs(options.Dir)
	if err != nil {
		return nil, fmt.Errorf("stack folder: %w", err)
	}
	// Others may enter, since PostgreSQL can run as another user; each part closes its own folder.
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return nil, fmt.Errorf("make the stack's folder: %w", err)
	}
	waiting, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock, err := child.Lock(waiting, filepath.Join(dir, "lock"))
	if err != nil {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("%w: %s", ErrBusy, dir)
		}
		return nil, err
	}
	stack := &Stack{lock: lock, room: roomKeeper{dir: dir}}
	if err := stack.assemble(dir, options); err != nil {
		_ = lock.Close()
		return nil, err
	}
	if err := stack.startAll(ctx); err != nil {
		return nil, errors.Join(err, stack.Close())
	}
	return stack, nil
}

func (s *Stack) assemble(dir string, options Options) error {
	for _, name := range options.Only {
		if !slices.Contains([]string{"nats", "s3", "postgres", "qdrant"}, name) {
			return fmt.Errorf("no part is called %q", name)
		}
	}
	var err error
	if options.wants("nats") {
		if s.NATS, err = nats.New(nats.Options{Dir: filepath.Join(dir, "nats"), Addr: options.NATSAddr}); err != nil {
			return err
		}
	}
	if options.wants("s3") {
		if s.secrets, err = loadSecrets(filepath.Join(dir, "secrets.json")); err != nil {
			return err
		}
		if s.S3, err = s3.New(s3.Options{
			Dir: filepath.Join(dir, "s3"), Addr: options.S3Addr,
			AccessKey: s.secrets.S3AccessKey, SecretKey: s.secrets.S3SecretKey,
		}); err != nil {
			return err
		}
	}
	if options.wants("postgres") {
		if s.Postgres, err = postgres.New(postgres.Options{
			Dir: filepath.Join(dir, "postgres"), BinDir: options.PGBin, NoSync: options.NoSync,
		}); err != nil {
			return err
		}
	}
	if options.wants("qdrant") {
		s.Qdrant = qdrant.New(qdrant.Options{
			Dir: filepath.Join(dir, "qdrant"), Addr: options.QdrantAddr, NoSync: options.NoSync,
		})
	}
	return nil
}

// Remove removes the folder of a stack that was closed, with all its data: PostgreSQL's may lie outside of it, where
// root runs the stack in a folder that others cannot enter.
func Remove(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	return errors.Join(postgres.Remove(filepath.Join(dir, "postgres")), os.RemoveAll(dir))
}

// parts lists the wanted parts in the order in which they would be started one by one.
func (s *Stack) parts() []part {
	var parts []part
	if s.NATS != nil {
		parts = append(parts, s.NATS)
	}
	if s.S3 != nil {
		parts = append(parts, s.S3)
	}
	if s.Postgres != nil {
		parts = append(parts, s.Postgres)
	}
	if s.Qdrant != nil {
		parts = append(parts, s.Qdrant)
	}
	return parts
}

func (s *Stack) startAll(ctx context.Context) error {
	parts := s.parts()
	errs := make([]error, len(parts))
	var group sync.WaitGroup
	for i, p := range parts {
		group.Go(func() { errs[i] = p.Start(ctx) })
	}
	group.Wait()
	return errors.Join(errs...)
}

// Supervise keeps the parts that are children running, until ctx ends: one that dies is started again on the same
// address, and tell gets a line for each start. The others run in this process and live as long as it does. When a part
// dies too often the error is a supervisor.GaveUpError; the parts are then left to Close. A part that is stopped or
// killed by its own methods is not kept any longer.
//
// A disk that has no room is told as well, and a part that can write no more because of it is started again when
// there is room.
func (s *Stack) Supervise(ctx context.Context, tell func(line string)) error {
	s.supervisor.Tell = tell
	var subjects []supervisor.Subject
	if s.S3 != nil {
		subjects = append(subjects, s.S3)
	}
	if s.Postgres != nil {
		subjects = append(subjects, s.Postgres)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(subjects))
	var group sync.WaitGroup
	for i, subject := range subjects {
		group.Go(func() {
			if errs[i] = s.supervisor.Keep(ctx, subject); errs[i] != nil {
				cancel()
			}
		})
	}
	if writers := s.writers(); len(writers) > 0 {
		group.Go(func() { s.room.keep(ctx, writers, tell) })
	}
	<-ctx.Done()
	group.Wait()
	return errors.Join(errs...)
}

// Down returns nil while all parts run and take writes, else an error that names a part that has died and is started
// again, or the folder whose disk has no room.
func (s *Stack) Down() error { return errors.Join(s.supervisor.Down(), s.room.Down()) }

// Endpoints says where the parts are.
func (s *Stack) Endpoints() Endpoints {
	e := Endpoints{S3AccessKey: s.secrets.S3AccessKey, S3SecretKey: s.secrets.S3SecretKey}
	if s.NATS != nil {
		e.NATSURL = s.NATS.URL()
	}
	if s.S3 != nil {
		e.S3Endpoint = s.S3.Endpoint()
	}
	if s.Postgres != nil {
		e.PostgresURL = s.Postgres.URL()
	}
	if s.Qdrant != nil {
		e.QdrantAddr = s.Qdrant.Addr()
	}
	return e
}

// Close stops the parts one after the other, the last first. What was acknowledged is kept. Closing again does nothing.
func (s *Stack) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	var errs []error
	for _, p := range slices.Backward(s.parts()) {
		errs = append(errs, p.Stop(ctx))
	}
	if err := s.lock.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		errs = append(errs, fmt.Errorf("release the stack's folder: %w", err))
	}
	return errors.Join(errs...)
}
