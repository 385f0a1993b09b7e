package bench

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/colophon-dev/colophon/pkg/config"
)

// fullSQL fills a catalog with so many documents of so many chunks.
//
//go:embed testdata/full.sql
var fullSQL string

// How many chunks a document of a full catalog has.
const fullChunks = 100

// Full compares the chain with an empty catalog and with a full one, round by round in turn.
type Full struct {
	Rows     int64         `json:"rows"` // of all tables of the full catalog, before the first round
	Chunks   int64         `json:"chunks"`
	Pages    int           `json:"pages"` // of a round
	Empty    float64       `json:"empty"` // pages a second: the median of the rounds
	Filled   float64       `json:"filled"`
	EmptyCPU time.Duration `json:"empty_cpu"` // of a page, of all processes, likewise
	FullCPU  time.Duration `json:"full_cpu"`
}

// full measures rounds of documents in two systems, one of which has a full catalog.
func (o Options) full(ctx context.Context, dir string) (r Full, err error) {
	var systems [2]*system
	// The vector store has none of what the catalog is filled with.
	quiet := []string{config.Prefix + "RECONCILE_EVERY=0s", config.Prefix + "COLLECTION_CHECK=0s"}
	for i, name := range []string{"/empty", "/full"} {
		if systems[i], err = start(ctx, o.Colophon, dir+name, false, quiet...); err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, systems[i].stop()) }()
		if err := o.warm(ctx, systems[i]); err != nil {
			return r, err
		}
	}
	if err := systems[1].fill(ctx, o.Rows, &r); err != nil {
		return r, err
	}
	o.Progress("a catalog of %d rows, %d of them chunks", r.Rows, r.Chunks)
	r.Pages = o.Documents * o.Pages
	var rates [2][]float64
	var costs [2][]time.Duration
	for n := range o.Rounds {
		for i, s := range systems {
			before := s.monitor.look()
			took, err := o.round(ctx, s, fmt.Sprintf("round%d", n), uint64(60+n), o.Documents)
			if err != nil {
				return r, err
			}
			rates[i] = append(rates[i], float64(r.Pages)/took.Seconds())
			costs[i] = append(costs[i], Growth{Parts: less(s.monitor.look(), before)}.cpu()/time.Duration(r.Pages))
			o.Progress("%s catalog, round %d: %.1f pages a second, %s a page", []string{"empty", "full"}[i], n+1, rates[i][n], costs[i][n])
		}
	}
	r.Empty, r.Filled, r.EmptyCPU, r.FullCPU = median(rates[0]), median(rates[1]), median(costs[0]), median(costs[1])
	return r, nil
}

// fill writes rows into the catalog of a system until there are so many.
func (s *system) fill(ctx context.Context, rows int, r *Full) error {
	const rowsOfChunk = 7 // tables that have a row for each chunk
	documents := rows/(rowsOfChunk*fullChunks) + 1
	if _, err := s.pg.PgConn().Exec(ctx, fmt.Sprintf(fullSQL, documents, fullChunks)).ReadAll(); err != nil {
		return fmt.Errorf("filling the catalog: %w", err)
	}
	for _, sql := range []string{`VACUUM ANALYZE`, `CHECKPOINT`} { // else the rounds pay for the filling
		if _, err := s.pg.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return s.pg.QueryRow(ctx, `SELECT (SELECT sum(n_live_tup) FROM pg_stat_user_tables WHERE schemaname = 'colophon')::bigint,
		(SELECT count(*) FROM colophon.chunks)`).Scan(&r.Rows, &r.Chunks)
}

func (r Full) write(row func(...string)) {
	if r.Pages == 0 {
		return
	}
	row("")
	row(fmt.Sprintf("ingest with %.1f million rows", float64(r.Rows)/1e6), fmt.Sprintf("%.1f pages/s", r.Filled),
		fmt.Sprintf("%.2f of the %.1f with an empty catalog, in turn; %s of CPU time a page, %s with an empty one", r.Filled/r.Empty, r.Empty, ms(r.FullCPU), ms(r.EmptyCPU)))
}
