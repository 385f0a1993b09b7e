// Package sqlite keeps chunks in a file of SQLite.
package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strings"
	"time"

	"modernc.org/sqlite" // the driver
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

//go:embed schema.sql
var schema string

// version is that of the schema; another one is ErrUnfit.
const version = 1

// DB is a file of SQLite that holds every chunk that was told, those of the archive too, in
// the table chunks, which version of each document is current in documents, and what is
// current in the view current_chunks. A batch is one transaction, which is on the disk when
// it ends (synchronous FULL).
type DB struct {
	db       *sql.DB
	position string // as this process has read or written it last
}

// Open opens the file, and makes it where there is none. A file that is no sink's is
// sink.ErrUnfit.
func Open(ctx context.Context, path string) (*DB, error) {
	name := "file:" + (&url.URL{Path: path}).EscapedPath() + "?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", sink.ErrUnfit, path, err)
	}
	db.SetMaxOpenConns(1)
	d := &DB{db: db}
	began := time.Now()
	for err = d.prepare(ctx); isBusy(err) && time.Since(began) < busyFor; err = d.prepare(ctx) {
		select {
		case <-ctx.Done():
		case <-time.After(busyEvery):
		}
	}
	if err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// A file that several processes open for the first time is busy while one of them changes how it
// keeps its journal: then SQLite's own wait (busy_timeout) does not count.
const (
	busyFor   = 5 * time.Second
	busyEvery = 20 * time.Millisecond
)

// isBusy reports whether another process holds the file.
func isBusy(err error) bool {
	var said *sqlite.Error
	const primary = 0xff // of an extended result code
	return errors.As(err, &said) && said.Code()&primary == sqlite3.SQLITE_BUSY
}

// prepare makes the tables where there are none. It looks in the transaction that makes
// them: of two processes that open a new file, the second finds it made.
func (d *DB) prepare(ctx context.Context) error {
	var has int
	if err := d.db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&has); err != nil {
		return fmt.Errorf("%w: %w", sink.ErrUnfit, err)
	}
	if has == version { // as always but once: who reads need not wait for who writes
		return nil
	}
	return d.in(ctx, func(tx *sql.Tx) error {
		var tables int
		if err := tx.QueryRowContext(ctx, `SELECT user_version, (SELECT count(*) FROM sqlite_schema WHERE type = 'table') FROM pragma_user_version`).Scan(&has, &tables); err != nil {
			return err
		}
		switch {
		case has == version:
			return nil
		case has != 0 || tables > 0:
			return fmt.Errorf("%w: it is a database of something else, or of another version (%d)", sink.ErrUnfit, has)
		}
		_, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA user_version = %d;", version))
		return err
	})
}

// in runs f in a transaction that may write.
func (d *DB) in(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Position is sink.Target's.
func (d *DB) Position(ctx context.Context) (p sdk.Position, err error) {
	if err = d.db.QueryRowContext(ctx, `SELECT value FROM sink WHERE name = 'position'`).Scan(&d.position); errors.Is(err, sql.ErrNoRows) {
		d.position = ""
		return p, nil
	}
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal([]byte(d.position), &p)
}

// Texts is sink.Target's.
func (d *DB) Texts(ctx context.Context, refs []string) (map[string]bool, error) {
	has := make(map[string]bool, len(refs))
	for _, ref := range refs {
		var one int
		switch err := d.db.QueryRowContext(ctx, `SELECT 1 FROM chunks WHERE chunk_ref = ? AND record IS NOT NULL`, ref).Scan(&one); {
		case err == nil:
			has[ref] = true
		case !errors.Is(err, sql.ErrNoRows):
			return nil, err
		}
	}
	return has, nil
}

const (
	putChunk = `INSERT INTO chunks (chunk_ref, document_id, doc_hash, generation, chunk_index, source_id, rev, removed, layer, since,
			repeats, duplicate_of, type, status, info_date, language, url, title, content, text, record)
		VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (chunk_ref) DO UPDATE SET rev = excluded.rev, removed = 0, layer = excluded.layer, since = excluded.since,
			repeats = excluded.repeats, duplicate_of = excluded.duplicate_of WHERE excluded.rev > chunks.rev`
	putState    = `UPDATE chunks SET rev = ?, layer = ?, since = ?, repeats = ?, duplicate_of = ? WHERE chunk_ref = ? AND rev < ?`
	putRemoved  = `INSERT INTO chunks (chunk_ref, rev, removed) VALUES (?, ?, 1) ON CONFLICT (chunk_ref) DO UPDATE SET rev = excluded.rev, removed = 1, layer = '', content = '', text = '', title = '', url = '', record = NULL WHERE excluded.rev > chunks.rev`
	putDocument = `INSERT INTO documents (document_id, rev, doc_hash, generation) VALUES (?, ?, ?, ?)
		ON CONFLICT (document_id) DO UPDATE SET rev = excluded.rev, doc_hash = excluded.doc_hash, generation = excluded.generation
		WHERE excluded.rev > documents.rev`
	putPosition = `INSERT INTO sink (name, value) VALUES ('position', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
)

// Apply is sink.Target's.
func (d *DB) Apply(ctx context.Context, changes []sdk.Change, behind sdk.Position) error {
	position, err := json.Marshal(behind)
	if err != nil {
		return err
	}
	err = d.in(ctx, func(tx *sql.Tx) error {
		if err := d.isWhereItWas(ctx, tx); err != nil {
			return err
		}
		for _, ch := range changes {
			if err := put(ctx, tx, ch); err != nil {
				return fmt.Errorf("chunk %s: %w", ch.ChunkRef, err)
			}
		}
		_, err := tx.ExecContext(ctx, putPosition, string(position))
		return err
	})
	if err == nil {
		d.position = string(position)
	}
	return err
}

// isWhereItWas is sink.ErrOther where another process has written the position since.
func (d *DB) isWhereItWas(ctx context.Context, tx *sql.Tx) error {
	var now string
	if err := tx.QueryRowContext(ctx, `SELECT coalesce((SELECT value FROM sink WHERE name = 'position'), '')`).Scan(&now); err != nil {
		return err
	}
	if now != d.position {
		return fmt.Errorf("%w: it is at %s, and was at %s", sink.ErrOther, now, d.position)
	}
	return nil
}

// Forget is sink.Target's.
func (d *DB) Forget(ctx context.Context, _ *sdk.Restored) error {
	err := d.in(ctx, func(tx *sql.Tx) error {
		if err := d.isWhereItWas(ctx, tx); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM chunks; DELETE FROM documents; DELETE FROM sink WHERE name = 'position'`)
		return err
	})
	if err == nil {
		d.position = ""
	}
	return err
}

func put(ctx context.Context, tx *sql.Tx, ch sdk.Change) error {
	var err error
	switch c := ch.Chunk; {
	case ch.Type == event.TypeChunkRemoved:
		_, err = tx.ExecContext(ctx, putRemoved, ch.ChunkRef, ch.Rev)
	case c == nil:
		_, err = tx.ExecContext(ctx, putState, ch.Rev, ch.Layer, ch.Since, ch.Repeats, ch.DuplicateOf, ch.ChunkRef, ch.Rev)
	default:
		var record []byte
		if record, err = json.Marshal(c); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, putChunk, ch.ChunkRef, c.DocumentID, c.DocHash, c.Generation, c.ChunkIndex, ch.SourceID, ch.Rev, ch.Layer, ch.Since,
			ch.Repeats, ch.DuplicateOf, string(c.Type), string(c.Status), c.InfoDate, c.Language, c.URL, c.Title, c.Content, c.Text, string(record))
	}
	if err == nil && ch.Current.DocumentID != "" {
		_, err = tx.ExecContext(ctx, putDocument, ch.Current.DocumentID, ch.Current.Rev, ch.Current.DocHash, ch.Current.Generation)
	}
	return err
}

// Current is sink.Target's.
func (d *DB) Current(ctx context.Context) iter.Seq2[sdk.Change, error] {
	return func(yield func(sdk.Change, error) bool) {
		rows, err := d.db.QueryContext(ctx, `SELECT chunk_ref, rev, layer, since, repeats, duplicate_of, record FROM current_chunks
			ORDER BY document_id, chunk_index`)
		if err != nil {
			yield(sdk.Change{}, err)
			return
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			ch := sdk.Change{Type: event.TypeChunkCreated, Chunk: new(sdk.Chunk)}
			var record string
			err := rows.Scan(&ch.ChunkRef, &ch.Rev, &ch.Layer, &ch.Since, &ch.Repeats, &ch.DuplicateOf, &record)
			if err == nil {
				err = json.NewDecoder(strings.NewReader(record)).Decode(ch.Chunk)
			}
			if !yield(ch, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(sdk.Change{}, err)
		}
	}
}

// Close closes the file.
func (d *DB) Close() error { return d.db.Close() }
