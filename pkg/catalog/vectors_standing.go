package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// VectorStanding is what the catalog says at one moment of a chunk and its point in one
// collection. Two of them are equal when nothing has moved in between.
type VectorStanding struct {
	PointID  string           // of the chunk, a UUID
	State    model.ChunkState // without a row of chunk_state only its ChunkRef is set
	Recorded bool             // a row of chunk_vectors says what was pushed
	Pushed   int64            // revision of the state that was pushed last; 0 for none
	Present  bool             // the point is recorded to be there
	Fresh    bool             // the state has changed since the time that was asked for
}

// Settled reports that the newest state of the chunk was pushed: from then on the point
// is what the state says.
func (v VectorStanding) Settled() bool { return v.Recorded && v.Pushed == v.State.Rev }

// VectorStandings returns what stands of the chunks with these point ids in a
// collection, by point id. Those that do not exist are left out. A state that has
// changed since is fresh.
func (db *DB) VectorStandings(ctx context.Context, collection string, points []string, since time.Time) (map[string]VectorStanding, error) {
	rows, err := db.pool.Query(ctx, `SELECT c.point_id::text, c.chunk_ref, coalesce(s.layer, ''), coalesce(s.repeats, ''), coalesce(s.since, ''),
			coalesce(s.duplicate_of, ''), coalesce(s.rev, 0), coalesce(s.changed_by, ''), v.chunk_ref IS NOT NULL, coalesce(v.pushed_rev, 0),
			coalesce(v.present AND v.point_id = c.point_id, false),
			EXISTS (SELECT 1 FROM chunk_log l WHERE l.chunk_ref = c.chunk_ref AND l.rev = s.rev AND l.at >= $3)
		FROM chunks c LEFT JOIN chunk_state s ON s.chunk_ref = c.chunk_ref
		LEFT JOIN chunk_vectors v ON v.chunk_ref = c.chunk_ref AND v.collection = $1
		WHERE c.point_id = ANY($2::uuid[])`, collection, points, since)
	if err != nil {
		return nil, fmt.Errorf("vectors of %s: %w", collection, Classify(err))
	}
	found := make(map[string]VectorStanding, len(points))
	var v VectorStanding
	s := &v.State
	_, err = pgx.ForEachRow(rows, []any{&v.PointID, &s.ChunkRef, &s.Layer, &s.Repeats, &s.Since, &s.DuplicateOf, &s.Rev, &s.ChangedBy,
		&v.Recorded, &v.Pushed, &v.Present, &v.Fresh}, func() error {
		found[v.PointID] = v
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("vectors of %s: %w", collection, Classify(err))
	}
	return found, nil
}
