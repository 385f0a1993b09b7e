package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// longestPoll bounds how long one that waits far behind stays away.
const longestPoll = time.Minute

// TakeTurn asks for a turn to send requests to a host, for an owner who gives it
// back with ReleaseTurn. A wait that is positive says that it is not its turn
// and when to ask again; turns that are spread over time are kept for those who
// wait. What the owner has already, it is given again.
//
// Turns are given by the catalog, so that a host is asked politely however many
// processes there are. It goes by the clock, not by when its transaction began,
// since it may have waited for others who then come before it.
func (db *DB) TakeTurn(ctx context.Context, host, owner string, polite model.Politeness) (wait time.Duration, err error) {
	err = db.pipelined(ctx, func(p *pipeline) error {
		p.queue(`INSERT INTO fetch_hosts (host) VALUES ($1) ON CONFLICT (host) DO UPDATE SET host = excluded.host`, host)
		p.queue(`DELETE FROM fetch_turns WHERE host = $1 AND owner <> $2 AND CASE WHEN asking_until IS NULL
			THEN greatest(turn_at, seen_at) < clock_timestamp() - interval '10 minutes' ELSE asking_until < clock_timestamp() END`, host, owner)
		var t turn
		p.queue(`WITH promised AS (
				INSERT INTO fetch_turns (host, owner, turn_at)
				SELECT host, $2, greatest(clock_timestamp(), next_turn, asked_at + $3::interval) FROM fetch_hosts WHERE host = $1
				ON CONFLICT (host, owner) DO UPDATE SET seen_at = clock_timestamp() RETURNING turn_at)
			SELECT extract(epoch FROM greatest(p.turn_at, h.not_before, h.asked_at + $3::interval) - clock_timestamp())::double precision,
				(SELECT count(*) FROM fetch_turns o WHERE o.host = $1 AND o.owner <> $2 AND o.asking_until IS NOT NULL),
				(SELECT count(*) FROM fetch_turns o WHERE o.host = $1 AND o.owner <> $2 AND o.asking_until IS NULL
					AND (o.turn_at, o.owner) < (p.turn_at, $2))
			FROM promised p, fetch_hosts h WHERE h.host = $1`, host, owner, polite.Delay).
			QueryRow(func(row pgx.Row) error { return row.Scan(&t.seconds, &t.asking, &t.before) })
		p.queue(`UPDATE fetch_hosts SET next_turn = (SELECT max(turn_at) FROM fetch_turns WHERE host = $1) + $2::interval WHERE host = $1`,
			host, polite.Delay)
		if err := p.flush(ctx); err != nil {
			return err
		}
		if wait = t.wait(polite); wait > 0 {
			return nil
		}
		p.queue(`UPDATE fetch_turns SET asking_until = clock_timestamp() + $3::interval WHERE host = $1 AND owner = $2`, host, owner, polite.Longest)
		p.queue(`UPDATE fetch_hosts SET asked_at = clock_timestamp() WHERE host = $1`, host)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("a turn for %s: %w", host, err)
	}
	return wait, nil
}

// turn is how one who waits stands.
type turn struct {
	seconds float64 // until its time comes
	asking  int     // who ask the host now
	before  int     // who wait before it
}

// wait returns how long to stay away, 0 for one whose turn it is. Those who wait
// for a place, and not for a time, ask again the later the more are before them.
func (t turn) wait(polite model.Politeness) time.Duration {
	if t.seconds > 0 {
		return max(time.Duration(t.seconds*float64(time.Second)), time.Millisecond)
	}
	if t.asking < polite.Requests {
		return 0
	}
	return min(polite.Poll*time.Duration(1+t.before/polite.Requests), max(longestPoll, polite.Poll))
}

// ReleaseTurn gives a turn back. A positive closed says how long the host's
// server asked not to be asked again.
func (db *DB) ReleaseTurn(ctx context.Context, host, owner string, closed time.Duration) error {
	err := db.pipelined(ctx, func(p *pipeline) error {
		if closed > 0 {
			p.queue(`UPDATE fetch_hosts SET not_before = greatest(not_before, clock_timestamp() + $2::interval) WHERE host = $1`, host, closed)
		}
		p.queue(`DELETE FROM fetch_turns WHERE host = $1 AND owner = $2`, host, owner)
		return nil
	})
	if err != nil {
		return fmt.Errorf("giving back a turn for %s: %w", host, err)
	}
	return nil
}

// Now returns the time by the catalog's clock, which is one for all processes.
func (db *DB) Now(ctx context.Context) (now time.Time, err error) {
	if err := db.pool.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now); err != nil {
		return now, fmt.Errorf("the time of the catalog: %w", Classify(err))
	}
	return now, nil
}
