package catalog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// pipeline is a transaction whose statements go to the server together, the
// BEGIN and the COMMIT with them, as soon as the answer of one of them is
// needed: a way there and back costs more than most statements. They run in the
// order in which they were given, each with a view of its own, as if sent one by
// one.
type pipeline struct {
	db    *DB
	conn  *pgxpool.Conn // nil before the first statements went
	later *pgx.Batch    // not sent yet
	going chan error    // of statements that were sent and whose answers are not read yet; nil: none
	plain int           // of them, those whose answer cannot stand against the commit
	rows  int           // that they write
}

// pipelined runs f in one transaction and commits it when f returns nil. On
// every error, which comes back classified, and when f panics, it is rolled back.
func (db *DB) pipelined(ctx context.Context, f func(p *pipeline) error) error {
	p := &pipeline{db: db, later: &pgx.Batch{}}
	p.later.Queue("begin")
	defer p.end(ctx)
	err := f(p)
	if err == nil && p.doubtful() {
		err = p.flush(ctx)
	}
	if err == nil {
		p.later.Queue("commit")
		err = p.flush(ctx)
	}
	return Classify(err)
}

// doubtful reports whether an answer that is not read yet could be a reason not
// to commit, as no error of the server is: at one, nothing that was sent after
// it is done.
func (p *pipeline) doubtful() bool {
	asked := 0
	for _, q := range p.later.QueuedQueries {
		if q.Fn != nil {
			asked++
		}
	}
	return asked > p.plain
}

// end gives the connection back, without the transaction if it is not committed.
func (p *pipeline) end(ctx context.Context) {
	if p.conn == nil {
		return
	}
	_ = p.await()
	if p.conn.Conn().PgConn().TxStatus() != outsideTx {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
		defer cancel()
		_, _ = p.conn.Exec(limited, "rollback") // what fails is closed by Release
	}
	p.conn.Release()
}

// outsideTx is the status of a connection that is in no transaction.
const outsideTx = 'I'

// queue adds a statement. What it answers is handed to the function that is set
// on what queue returns, when the next flush has come so far.
func (p *pipeline) queue(sql string, args ...any) *pgx.QueuedQuery {
	return p.later.Queue(sql, args...)
}

// ask is queue for a question whose answer only tells: it is read, and no answer
// to it could be a reason not to commit.
func (p *pipeline) ask(sql string, args ...any) *pgx.QueuedQuery {
	p.plain++
	return p.later.Queue(sql, args...)
}

// enough is how many rows are written before they are sent.
const enough = 100

// write adds a statement that answers nothing and writes so many rows; what
// says in its error what it was about. The error returned may be that of an
// earlier statement.
func (p *pipeline) write(ctx context.Context, what string, rows int, sql string, args ...any) error {
	p.ask(sql, args...).Fn = func(results pgx.BatchResults) error {
		if _, err := results.Exec(); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	}
	if p.rows += rows; p.rows >= enough {
		return p.flush(ctx)
	}
	return nil
}

// flush sends what is queued and reads all answers. After an error the
// transaction can only be rolled back.
func (p *pipeline) flush(ctx context.Context) error {
	if err := p.await(); err != nil || p.later.Len() == 0 {
		return err
	}
	if err := p.connect(ctx); err != nil {
		return err
	}
	return p.conn.SendBatch(ctx, p.take()).Close()
}

// start sends what is queued, for which nobody waits before the next flush. While
// the server works on what was sent before, it stays queued.
func (p *pipeline) start(ctx context.Context) error {
	if p.going != nil && len(p.going) == 0 || p.later.Len() == 0 {
		return nil
	}
	if err := p.await(); err != nil {
		return err
	}
	if err := p.connect(ctx); err != nil {
		return err
	}
	going, batch := make(chan error, 1), p.take()
	p.going = going
	go func() { going <- p.conn.SendBatch(ctx, batch).Close() }()
	return nil
}

// await reads the answers of what was started.
func (p *pipeline) await() error {
	if p.going == nil {
		return nil
	}
	err := <-p.going
	p.going = nil
	return err
}

func (p *pipeline) connect(ctx context.Context) error {
	if p.conn != nil {
		return nil
	}
	conn, err := p.db.pool.Acquire(ctx)
	if err == nil {
		p.conn = conn
	}
	return err
}

// take returns what is queued, and queues anew.
func (p *pipeline) take() *pgx.Batch {
	batch := p.later
	p.later, p.plain, p.rows = &pgx.Batch{}, 0, 0
	return batch
}

// Exec sends a statement with all before it.
func (p *pipeline) Exec(ctx context.Context, sql string, args ...any) (tag pgconn.CommandTag, err error) {
	p.queue(sql, args...).Exec(func(t pgconn.CommandTag) error {
		tag = t
		return nil
	})
	err = p.flush(ctx) // it sets the tag
	return tag, err
}

// Query sends all before it, then the statement.
func (p *pipeline) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if err := p.flush(ctx); err != nil {
		return nil, err
	}
	return p.conn.Query(ctx, sql, args...)
}

// QueryRow is Query for one row.
func (p *pipeline) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if err := p.flush(ctx); err != nil {
		return failedRow{err}
	}
	return p.conn.QueryRow(ctx, sql, args...)
}

type failedRow struct{ err error }

// Scan implements pgx.Row.
func (r failedRow) Scan(...any) error { return r.err }

// collect sends a statement with all before it and collects its rows.
func collect[T any](ctx context.Context, p *pipeline, scan pgx.RowToFunc[T], sql string, args ...any) (out []T, err error) {
	p.queue(sql, args...).Query(func(rows pgx.Rows) (err error) {
		out, err = pgx.CollectRows(rows, scan)
		return err
	})
	return out, p.flush(ctx)
}
