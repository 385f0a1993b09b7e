package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/patience"
)

// store is the catalog's name in errors and log lines about credentials.
const store = "PostgreSQL"

// unknown stands for a connection string while its file is not there: nothing is
// dialed.
const unknown = "postgres://not-known.invalid/?sslmode=disable"

// errURL is a connection string that is none. It may hold a password, and is not shown.
var errURL = errors.New("the Postgres URL cannot be parsed")

// settings makes how to connect, all of one moment: the connection string and the files
// that it names. Errors are ErrFile, or settings that cannot work.
func settings(c Config) func(read credential.Read) (*pgxpool.Config, error) {
	return func(read credential.Read) (*pgxpool.Config, error) {
		text, err := credential.Text(read, c.URL, c.URLFile)
		if err != nil {
			return nil, err
		}
		if text, err = withFiles(text, credential.TLSFiles{CA: c.CAFile, Cert: c.CertFile, Key: c.KeyFile}); err != nil {
			return nil, err
		}
		for _, path := range filesOf(text) { // the driver reads them by itself
			if _, err := read(path); err != nil {
				return nil, err
			}
		}
		cfg, err := pgxpool.ParseConfig(text)
		switch {
		case err == nil:
			return cfg, nil
		case c.URLFile != "":
			return nil, fmt.Errorf("%w: %s holds no connection string", credential.ErrFile, c.URLFile)
		case len(filesOf(text)) > 0:
			return nil, fmt.Errorf("%w: the Postgres URL, or one of %s, cannot be parsed", credential.ErrFile, strings.Join(filesOf(text), ", "))
		}
		return nil, errURL
	}
}

// withFiles adds to a connection string the files that it does not name itself. Where
// none of both says how far the server is to be trusted, it is as far as its certificate
// for its name goes.
func withFiles(text string, files credential.TLSFiles) (string, error) {
	if named, err := files.Named(); err != nil || !named {
		return text, err
	}
	known := parametersOf(text)
	add := make(map[string]string)
	for name, value := range map[string]string{"sslrootcert": files.CA, "sslcert": files.Cert, "sslkey": files.Key, "sslmode": "verify-full"} {
		if known[name] == "" && value != "" {
			add[name] = value
		}
	}
	if !isURL(text) {
		for _, name := range slices.Sorted(maps.Keys(add)) { // in front: a text may end within a value
			text = name + "='" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(add[name]) + "' " + text
		}
		return text, nil
	}
	more := make(url.Values)
	for name, value := range add {
		more.Set(name, value)
	}
	between := "?" // what is there stays byte for byte
	if text, _, _ = strings.Cut(text, "#"); strings.Contains(text, "?") {
		between = "&"
	}
	return text + between + more.Encode(), nil
}

func isURL(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// filesOf returns the files that a connection string names.
func filesOf(text string) []string {
	known := parametersOf(text)
	var files []string
	for _, name := range []string{"sslrootcert", "sslcert", "sslkey", "passfile"} {
		if path := known[name]; path != "" && path != "system" { // system: the authorities of the machine
			files = append(files, path)
		}
	}
	return files
}

// pairForm is name=value or name='value' of a connection string that is no URL.
var pairForm = regexp.MustCompile(`(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s'\\]|\\.)*)`)

// parametersOf returns the parameters of a connection string, of a URL those behind
// its question mark.
func parametersOf(text string) map[string]string {
	known := make(map[string]string)
	if isURL(text) {
		if u, err := url.Parse(text); err == nil {
			for name, values := range u.Query() {
				known[name] = values[0]
			}
		}
		return known
	}
	for _, pair := range pairForm.FindAllStringSubmatch(text, -1) {
		value := pair[2]
		if strings.HasPrefix(value, "'") {
			value = value[1 : len(value)-1]
		}
		known[pair[1]] = strings.NewReplacer(`\\`, `\`, `\'`, `'`).Replace(value)
	}
	return known
}

// prepare adds what all of our connections have.
func (db *DB) prepare(cfg *pgx.ConnConfig) {
	c := db.config
	params := cfg.RuntimeParams
	params["search_path"] = pgx.Identifier{c.Schema}.Sanitize()
	params["timezone"] = "UTC"
	params["application_name"] = "colophon"
	limit(params, c.Timeout)
	if c.byKey {
		planByKey(params)
	}
	cfg.DialFunc = pgconn.DialFunc(patience.Limit(patience.Dial(cfg.DialFunc), 2*c.Timeout))
	cfg.Tracer = c.Tracer
}

// beforeConnect gives a new connection the credentials in use.
func (db *DB) beforeConnect(_ context.Context, cfg *pgx.ConnConfig) error {
	now, err := db.credentials.Used()
	if err != nil {
		return err
	}
	timeout := cfg.ConnectTimeout
	*cfg = *now.ConnConfig.Copy()
	if cfg.ConnectTimeout <= 0 {
		cfg.ConnectTimeout = timeout
	}
	db.prepare(cfg)
	return nil
}

// try connects with other credentials, while the connections in use stay.
func (db *DB) try(ctx context.Context, cfg *pgxpool.Config) error {
	one := cfg.ConnConfig.Copy()
	db.prepare(one)
	ctx, cancel := context.WithTimeout(ctx, db.config.Timeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, one)
	if err != nil {
		return Classify(err)
	}
	_ = conn.Close(ctx) // it has answered
	return nil
}

// renew ends the connections that were made with other credentials: those that are idle
// now, those in use when they are given back.
func (db *DB) renew(*pgxpool.Config) { db.pool.Reset() }

// watchFiles looks at the files of the credentials until the function that it returns is
// called.
func (db *DB) watchFiles(ctx context.Context) (stop func()) {
	if !db.credentials.OfFiles() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		db.credentials.Keep(ctx, db.try, db.renew)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// note says once in the log that the server refuses our credentials, and looks at their
// files at once.
func (db *DB) note(ctx context.Context, err error) error {
	if errors.Is(err, credential.ErrRefused) {
		db.credentials.Kick()
	}
	return db.standing.Note(ctx, store, err)
}
