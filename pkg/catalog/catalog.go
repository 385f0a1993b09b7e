// Package catalog is the record of the system in Postgres (contracts#catalog): the
// only importer of pgx. One file a table; every multi-row write is one
// statement over sorted, de-duplicated keys.
package catalog

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/fault"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Config says where the catalog is.
type Config struct {
	URL      string        // Postgres connection string; a secret
	URLFile  string        // file that holds the URL in its place; empty: none
	CAFile   string        // authorities of the server's certificate, PEM, where the URL names none; empty: none
	CertFile string        // our own certificate, likewise
	KeyFile  string        // its key
	Schema   string        // default colophon
	MaxConns int32         // default 8 (pgxpool's own default follows the cores of the node)
	Timeout  time.Duration // of one statement, default 30 s
	Tracer   pgx.QueryTracer

	CheckEvery time.Duration // between two looks at the files, default 5 s
	Logger     *slog.Logger  // told of credentials that change or are refused; nil: quiet

	byKey bool         // see ByKey
	meter metric.Meter // see Traced
}

// DB is the catalog. It is safe for concurrent use.
type DB struct {
	pool   *pgxpool.Pool
	schema string
	config Config

	credentials *credential.Watched[*pgxpool.Config]
	standing    credential.Standing
	closing     func() // ends what looks at the files of the credentials

	besides chan struct{} // one for each transaction that waits for an object
}

// Open makes the pool of connections to the catalog; it does not migrate. It
// connects when it is first asked something, so that a store that is away, and a file
// of credentials that is not there, is an Unavailable error of that call, not of Open.
//
// The files are looked at every five seconds. When they have changed, and the server
// takes what they hold, connections are made with it, and those of before are given up.
func Open(ctx context.Context, c Config) (*DB, error) {
	if c.Schema == "" {
		c.Schema = "colophon"
	}
	if c.MaxConns <= 0 {
		c.MaxConns = 8
	}
	if c.Timeout <= 0 {
		c.Timeout = 30 * time.Second
	}
	db := &DB{schema: c.Schema, config: c, besides: make(chan struct{}, max(1, c.MaxConns/2))}
	db.standing.Log = c.Logger
	db.credentials = credential.Watch(credential.Options{Store: store, Every: c.CheckEvery, Log: c.Logger}, settings(c))
	cfg, err := db.credentials.Latest()
	if errors.Is(err, credential.ErrFile) {
		cfg, err = pgxpool.ParseConfig(unknown)
	}
	if err != nil { // the settings are wrong: nothing is waited for
		return nil, fmt.Errorf("opening the catalog: %w", errors.Unwrap(err))
	}
	cfg = cfg.Copy()
	cfg.MaxConns = c.MaxConns
	cfg.ConnConfig.Tracer = c.Tracer
	cfg.BeforeConnect = db.beforeConnect
	if db.pool, err = pgxpool.NewWithConfig(ctx, cfg); err != nil {
		return nil, Classify(err)
	}
	if err := tellPool(c, db.pool); err != nil {
		db.pool.Close()
		return nil, err
	}
	db.closing = db.watchFiles(ctx)
	return db, nil
}

// limit sets how long a session may keep the server waiting, and others for what
// it holds: a statement, the wait for a lock, which is to end before the statement
// does, and a client that has gone without a word in the middle of a transaction
// or, its machine gone too, at any time. A timeout of 0 is no limit.
func limit(params map[string]string, timeout time.Duration) {
	params["statement_timeout"] = fmt.Sprint(timeout.Milliseconds())
	params["lock_timeout"] = fmt.Sprint(timeout.Milliseconds() / 2)
	params["idle_in_transaction_session_timeout"] = fmt.Sprint(10 * timeout.Milliseconds())
	params["tcp_keepalives_idle"], params["tcp_keepalives_interval"], params["tcp_keepalives_count"] = "30", "10", "3"
}

// Close waits for connections in use and closes all.
func (db *DB) Close() {
	db.closing()
	db.pool.Close()
}

// Ping answers whether the database can be reached.
func (db *DB) Ping(ctx context.Context) error {
	return db.note(ctx, Classify(db.pool.Ping(ctx)))
}

// Migrate brings the schema up to the newest version, and the views of the founding
// documents with it, under a session lock, so that any number of processes may call it at
// once. The views are away while tables change below them. ErrSeedSchema says that all but
// the views is done.
func (db *DB) Migrate(ctx context.Context) error {
	if _, err := db.pool.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+pgx.Identifier{db.schema}.Sanitize()); err != nil {
		var pg *pgconn.PgError
		if !errors.As(err, &pg) || pg.Code != "23505" { // two at once: the other one made it
			return fmt.Errorf("creating schema %s: %w", db.schema, Classify(err))
		}
	}
	own, err := db.unhurried()
	if err != nil {
		return fmt.Errorf("migrating: %w", err)
	}
	std := stdlib.OpenDB(*own)
	defer func() { _ = std.Close() }()
	id := fnv.New32a()
	_, _ = id.Write([]byte(db.schema))
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(int64(id.Sum32())), lock.WithLockTimeout(1, 120))
	if err != nil {
		return fmt.Errorf("migrating: %w", err)
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("migrating: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, std, files)
	if err != nil {
		return fmt.Errorf("migrating: %w", err)
	}
	conn, err := std.Conn(ctx)
	if err != nil {
		return fmt.Errorf("migrating: %w", Classify(err))
	}
	defer func() { _ = conn.Close() }() // which gives the lock back
	if err := locker.SessionLock(ctx, conn); err != nil {
		return fmt.Errorf("migrating: %w", Classify(err))
	}
	if err := db.migrateLocked(ctx, provider, conn); err != nil {
		return fmt.Errorf("migrating: %w", Classify(err))
	}
	return nil
}

// migrateLocked is Migrate while no other process does the same.
func (db *DB) migrateLocked(ctx context.Context, provider *goose.Provider, conn *sql.Conn) error {
	pending, err := provider.HasPending(ctx)
	if err != nil {
		return err
	}
	before, err := provider.GetDBVersion(ctx)
	if err == nil && pending {
		err = db.dropSeedViews(ctx, conn)
	}
	if err == nil {
		_, err = provider.Up(ctx)
	}
	if err == nil && before > 0 && before < bindingsSince {
		_, err = db.BindRows(ctx)
	}
	if err != nil {
		return err
	}
	return db.makeSeedViews(ctx, conn)
}

// bindingsSince is the migration that brought the digests of rows: those of before
// have none.
const bindingsSince = 17

// unhurried is how to connect for what may take longer than a statement of the
// running system.
func (db *DB) unhurried() (*pgx.ConnConfig, error) {
	now, err := db.credentials.Used()
	if err != nil {
		return nil, err
	}
	own := now.ConnConfig.Copy()
	dial := own.DialFunc
	db.prepare(own)
	limit(own.RuntimeParams, 0)
	own.DialFunc = dial
	return own, nil
}

// DropSchema removes everything; tests clean up with it.
func (db *DB) DropSchema(ctx context.Context) error {
	for _, name := range append([]string{db.schema}, seedSchemaNames(db.schema)...) {
		if _, err := db.pool.Exec(ctx, "DROP SCHEMA IF EXISTS "+pgx.Identifier{name}.Sanitize()+" CASCADE"); err != nil {
			return Classify(err)
		}
	}
	return nil
}

// rollbackTime is how long the end of a transaction may take that is given up;
// after it the connection is closed, which ends it as well.
const rollbackTime = 5 * time.Second

// Tx runs f in one transaction and commits it when f returns nil. The
// transaction is rolled back on every error, which comes back classified, and
// when f panics.
func (db *DB) Tx(ctx context.Context, f func(tx pgx.Tx) error) error {
	tx, err := db.pool.Begin(ctx)
	if err != nil {
		return Classify(err)
	}
	defer func() {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
		defer cancel()
		_ = tx.Rollback(limited) // of one that is committed: nothing
	}()
	if err := f(tx); err != nil {
		return Classify(err)
	}
	return Classify(tx.Commit(ctx))
}

// ErrNotFound says that a row that was asked for does not exist. Stages, which name no
// store, know it as fault.ErrNoRow.
var ErrNotFound = fault.ErrNoRow

// Classify marks a driver's error: a catalog that is away, shutting down, out of
// resources, read-only after a failover, that refuses our user or is older than this build is Unavailable,
// a deadlock, a serialization failure and a lock that others hold are Deferred, as
// nobody's fault, a statement that takes too long Transient, a value that cannot be
// stored Permanent and Malformed, no row ErrNotFound. Errors that are marked
// already, and those that say a statement is wrong, come back as they are.
func Classify(err error) error {
	if err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, context.Canceled) {
		return err
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrNotFound
	}
	var connect *pgconn.ConnectError
	switch fault.KindOf(err) {
	case fault.KindTransient:
	case fault.KindContext: // a deadline: the caller's, or that of connecting
		if errors.As(err, &connect) {
			return fault.Unavailable(err)
		}
		return err
	default:
		return err // marked already
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return classifyCode(pg.Code, err)
	}
	if credential.OfCertificate(err) {
		return credential.Refused(store, err)
	}
	var network net.Error
	if tooLong(err) { // before SafeToRetry: nothing was sent
		return fault.Permanent(fault.Malformed, err)
	}
	if errors.As(err, &connect) || errors.As(err, &network) || pgconn.SafeToRetry(err) || connectionLost(err) {
		return fault.Unavailable(err)
	}
	return err
}

// tooLong reports whether the driver could not send a number since its column is
// narrower: what the server would say with 22003. The driver has no type for it.
func tooLong(err error) bool {
	text := err.Error()
	return strings.Contains(text, "failed to encode args") &&
		(strings.Contains(text, "greater than maximum value for int") || strings.Contains(text, "less than minimum value for int"))
}

func classifyCode(code string, err error) error {
	switch code {
	case "40P01", "40001", "55P03": // deadlock, serialization, lock timeout
		return fault.Defer(0, err)
	case "57014": // statement timeout
		return fault.Transient(err)
	case "22021", "22P05", "22003": // U+0000, a character or a number that no column holds
		return fault.Permanent(fault.Malformed, err)
	case "25006", // read-only: a standby that is not promoted yet
		"25P03",                            // the server has ended a session that stood still
		"42501",                            // no right to do so, yet or any more
		"3D000", "3F000", "42P01", "42703": // no such database, schema, table or column: not restored or migrated yet
		return fault.Unavailable(err)
	}
	switch code[:min(2, len(code))] {
	case "28": // who may connect
		return credential.Refused(store, err)
	case "08", "53", "58": // connection, out of resources, the system below
		return fault.Unavailable(err)
	}
	if strings.HasPrefix(code, "57P") { // shutdown
		return fault.Unavailable(err)
	}
	return err
}

func connectionLost(err error) bool {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	text := err.Error()
	return strings.Contains(text, "conn closed") || strings.Contains(text, "closed pool")
}
