// Package pgvector keeps chunks in PostgreSQL, with their vectors by pgvector.
package pgvector

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgvector/pgvector-go"
	pgxvector "github.com/pgvector/pgvector-go/pgx"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/patience"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

//go:embed schema.sql
var schema string

// DB is a schema of PostgreSQL that holds every chunk that was told, with a vector of its
// content, in the table chunks; which version of each document is current in documents,
// and what is current in the view current_chunks. A batch is one transaction.
type DB struct {
	conn     *pgx.Conn
	embedder retrieval.Embedder
	position string // as this process has read or written it last
}

// Options name a database.
type Options struct {
	URL      string // postgres://…
	Password string // of the user that URL names without one
	Schema   string // made where it is missing
	Embedder retrieval.Embedder
	Silence  time.Duration // after which a server that says nothing is given up; zero: DefaultSilence
}

const (
	// DefaultSilence is how long a server may say nothing while it is waited for, as a machine
	// that has stopped, or a network that drops what is sent: nobody closes the connection
	// then, and the kernel waits for hours.
	DefaultSilence = time.Minute
	// forgetRows is how many rows one transaction of Forget deletes: a million at once would
	// take longer than a statement may.
	forgetRows = 20_000
	// closeTime is how long a good-bye to the server may take.
	closeTime = 5 * time.Second
)

var schemaName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

// Open opens the database, and makes the schema where there is none. A server without
// pgvector, or a schema whose vectors are of another model, is sink.ErrUnfit.
func Open(ctx context.Context, o Options) (*DB, error) {
	if !schemaName.MatchString(o.Schema) {
		return nil, fmt.Errorf("%w: schema %q: a-z, 0-9 and _, at most 63", sink.ErrUnfit, o.Schema)
	}
	config, err := pgx.ParseConfig(o.URL)
	if err != nil {
		return nil, fmt.Errorf("%w: the address of the database cannot be read", sink.ErrUnfit) // it holds the password
	}
	if config.Password == "" {
		config.Password = o.Password
	}
	config.RuntimeParams["search_path"] = o.Schema + ", public"
	config.RuntimeParams["application_name"] = "colophon sink"
	limitSilence(config, cmp.Or(o.Silence, DefaultSilence))
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("the database: %w", err)
	}
	d := &DB{conn: conn, embedder: o.Embedder}
	if err := d.prepare(ctx, o.Schema); err != nil {
		_ = d.Close()
		return nil, err
	}
	return d, nil
}

// limitSilence has a connection end when the server is silent for so long, and the server
// end a statement before that which waits for a lock or is slow: else each attempt would
// leave one behind. Where the address names a time for statements it is left as it is.
func limitSilence(config *pgx.ConnConfig, silence time.Duration) {
	config.DialFunc = pgconn.DialFunc(patience.Limit(patience.Dial(config.DialFunc), silence))
	if config.ConnectTimeout == 0 || config.ConnectTimeout > silence {
		config.ConnectTimeout = silence
	}
	const name = "statement_timeout"
	if _, said := config.RuntimeParams[name]; !said {
		config.RuntimeParams[name] = strconv.FormatInt((silence * 5 / 6).Milliseconds(), 10)
	}
}

func (d *DB) prepare(ctx context.Context, name string) error {
	var there bool
	if err := d.conn.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, name+".sink").Scan(&there); err != nil {
		return err
	}
	if !there {
		statements := strings.NewReplacer("{schema}", pgx.Identifier{name}.Sanitize(), "{dimensions}", fmt.Sprint(d.embedder.Dimensions())).Replace(schema)
		err := pgx.BeginFunc(ctx, d.conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, statements); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, `INSERT INTO sink (name, value) VALUES ('model', $1), ('position', '')`, d.embedder.Model())
			return err
		})
		var refused *pgconn.PgError
		if errors.As(err, &refused) && !passes(refused.Code) {
			return fmt.Errorf("%w: its tables cannot be made: %w", sink.ErrUnfit, err)
		}
		if err != nil {
			return err
		}
	}
	var model string
	if err := d.conn.QueryRow(ctx, `SELECT value FROM sink WHERE name = 'model'`).Scan(&model); err != nil {
		return err
	}
	if model != d.embedder.Model() {
		return fmt.Errorf("%w: its vectors are of %s, and COLOPHON_EMBED_… says %s: name another --schema", sink.ErrUnfit, model, d.embedder.Model())
	}
	return pgxvector.RegisterTypes(ctx, d.conn)
}

// passes reports whether what a server says with this code ends by itself, or by its operator:
// it is full, stops, or another sink makes the same tables (PostgreSQL, Appendix A).
func passes(code string) bool {
	const madeByAnother = "23505"
	return code == madeByAnother || len(code) > 1 && slices.Contains([]string{"08", "40", "53", "57", "58"}, code[:2])
}

// Position is sink.Target's.
func (d *DB) Position(ctx context.Context) (p sdk.Position, err error) {
	if err := d.conn.QueryRow(ctx, `SELECT value FROM sink WHERE name = 'position'`).Scan(&d.position); err != nil || d.position == "" {
		return p, err
	}
	return p, json.Unmarshal([]byte(d.position), &p)
}

// Texts is sink.Target's.
func (d *DB) Texts(ctx context.Context, refs []string) (map[string]bool, error) {
	rows, err := d.conn.Query(ctx, `SELECT chunk_ref FROM chunks WHERE chunk_ref = ANY($1) AND record IS NOT NULL`, refs)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	has := make(map[string]bool, len(found))
	for _, ref := range found {
		has[ref] = true
	}
	return has, err
}

const (
	putChunk = `INSERT INTO chunks (chunk_ref, document_id, doc_hash, generation, chunk_index, source_id, rev, layer, since,
			repeats, duplicate_of, type, status, info_date, language, url, title, content, record, embedding)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, nullif($14, '')::date, $15, $16, $17, $18, $19, $20)
		ON CONFLICT (chunk_ref) DO UPDATE SET rev = excluded.rev, removed = false, layer = excluded.layer, since = excluded.since,
			repeats = excluded.repeats, duplicate_of = excluded.duplicate_of WHERE excluded.rev > chunks.rev`
	putState   = `UPDATE chunks SET rev = $2, layer = $3, since = $4, repeats = $5, duplicate_of = $6 WHERE chunk_ref = $1 AND rev < $2`
	putRemoved = `INSERT INTO chunks (chunk_ref, rev, removed) VALUES ($1, $2, true) ON CONFLICT (chunk_ref) DO UPDATE
		SET rev = excluded.rev, removed = true, layer = '', content = '', title = '', url = '', record = NULL, embedding = NULL WHERE excluded.rev > chunks.rev`
	putDocument = `INSERT INTO documents (document_id, rev, doc_hash, generation) VALUES ($1, $2, $3, $4)
		ON CONFLICT (document_id) DO UPDATE SET rev = excluded.rev, doc_hash = excluded.doc_hash, generation = excluded.generation
		WHERE excluded.rev > documents.rev`
)

// Apply is sink.Target's.
func (d *DB) Apply(ctx context.Context, changes []sdk.Change, behind sdk.Position) error {
	position, err := json.Marshal(behind)
	if err != nil {
		return err
	}
	vectors, err := d.embed(ctx, changes)
	if err != nil {
		return err
	}
	err = d.inPlace(ctx, func(tx pgx.Tx) error {
		var b pgx.Batch
		for i, ch := range changes {
			if err := put(&b, ch, vectors[i]); err != nil {
				return fmt.Errorf("chunk %s: %w", ch.ChunkRef, err)
			}
		}
		b.Queue(`UPDATE sink SET value = $1 WHERE name = 'position'`, string(position))
		return tx.SendBatch(ctx, &b).Close()
	})
	if err == nil {
		d.position = string(position)
	}
	return err
}

// isWhereItWas holds the position, and is sink.ErrOther where another process has written it
// since.
func (d *DB) isWhereItWas(ctx context.Context, tx pgx.Tx) error {
	var now string
	if err := tx.QueryRow(ctx, `SELECT value FROM sink WHERE name = 'position' FOR UPDATE`).Scan(&now); err != nil {
		return err
	}
	if now != d.position {
		return fmt.Errorf("%w: it is at %s, and was at %s", sink.ErrOther, now, d.position)
	}
	return nil
}

// Forget is sink.Target's. It is done in pieces, the position last.
func (d *DB) Forget(ctx context.Context, _ *sdk.Restored) error {
	for _, table := range []string{"chunks", "documents"} {
		for deleted := int64(forgetRows); deleted == forgetRows; {
			err := d.inPlace(ctx, func(tx pgx.Tx) error {
				tag, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE ctid = ANY(ARRAY(SELECT ctid FROM `+table+` LIMIT $1))`, forgetRows)
				deleted = tag.RowsAffected()
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	err := d.inPlace(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE sink SET value = '' WHERE name = 'position'`)
		return err
	})
	if err == nil {
		d.position = ""
	}
	return err
}

// inPlace does it in a transaction in which the position is held, and is where it was.
func (d *DB) inPlace(ctx context.Context, do func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, d.conn, func(tx pgx.Tx) error {
		if err := d.isWhereItWas(ctx, tx); err != nil {
			return err
		}
		return do(tx)
	})
}

// embed makes the vectors of the texts among changes: of what the indexer embeds.
func (d *DB) embed(ctx context.Context, changes []sdk.Change) ([]*pgvector.Vector, error) {
	vectors := make([]*pgvector.Vector, len(changes))
	var texts []string
	var at []int
	for i, ch := range changes {
		if ch.Chunk != nil {
			texts, at = append(texts, ch.Chunk.EmbeddedText()), append(at, i)
		}
	}
	if len(texts) == 0 {
		return vectors, nil
	}
	made, err := d.embedder.Embed(ctx, texts, retrieval.Passage)
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	for j, i := range at {
		v := pgvector.NewVector(made[j])
		vectors[i] = &v
	}
	return vectors, nil
}

func put(b *pgx.Batch, ch sdk.Change, vector *pgvector.Vector) error {
	switch c := ch.Chunk; {
	case ch.Type == event.TypeChunkRemoved:
		b.Queue(putRemoved, ch.ChunkRef, ch.Rev)
	case c == nil:
		b.Queue(putState, ch.ChunkRef, ch.Rev, ch.Layer, ch.Since, ch.Repeats, ch.DuplicateOf)
	default:
		record, err := json.Marshal(c)
		if err != nil {
			return err
		}
		b.Queue(putChunk, ch.ChunkRef, c.DocumentID, c.DocHash, c.Generation, c.ChunkIndex, ch.SourceID, ch.Rev, ch.Layer, ch.Since, ch.Repeats, ch.DuplicateOf,
			string(c.Type), string(c.Status), c.InfoDate, c.Language, c.URL, c.Title, c.Content, string(record), vector)
	}
	if ch.Current.DocumentID != "" {
		b.Queue(putDocument, ch.Current.DocumentID, ch.Current.Rev, ch.Current.DocHash, ch.Current.Generation)
	}
	return nil
}

// Current is sink.Target's.
func (d *DB) Current(ctx context.Context) iter.Seq2[sdk.Change, error] {
	return func(yield func(sdk.Change, error) bool) {
		rows, err := d.conn.Query(ctx, `SELECT chunk_ref, rev, layer, since, repeats, duplicate_of, record FROM current_chunks`)
		if err != nil {
			yield(sdk.Change{}, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			ch := sdk.Change{Type: event.TypeChunkCreated, Chunk: new(sdk.Chunk)}
			var record []byte
			err := rows.Scan(&ch.ChunkRef, &ch.Rev, &ch.Layer, &ch.Since, &ch.Repeats, &ch.DuplicateOf, &record)
			if err == nil {
				err = json.Unmarshal(record, ch.Chunk)
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

// Close closes the connection.
func (d *DB) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	return d.conn.Close(ctx)
}
