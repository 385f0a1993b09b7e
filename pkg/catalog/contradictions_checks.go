package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// check finds one kind of contradiction, of one document or, when documentID is "",
// of all.
type check func(ctx context.Context, tx pgx.Tx, documentID string, before time.Time) ([]Contradiction, error)

// checks are all questions that Contradictions asks.
func checks() []check {
	all := []check{checkRequests, checkDocumentsMade, checkManifestsMade, checkIdentitiesMade, checkOrder}
	for _, query := range contradictions() {
		all = append(all, checkBy(query))
	}
	return all
}

// checkBy is a check by one query of contradictions.
func checkBy(query string) check {
	return func(ctx context.Context, tx pgx.Tx, documentID string, before time.Time) ([]Contradiction, error) {
		// Every query takes the document and the time, whether it asks for them or not.
		// A row from which its name was taken has none to be said.
		rows, err := tx.Query(ctx, fmt.Sprintf(`SELECT coalesce(place, 'a row without a key'), coalesce(what, 'holds nothing where something must be'),
				greatest(count(*) OVER () - %[2]d, 0)::integer FROM (%[1]s) AS found(place, what)
			WHERE $1::text IS NOT NULL AND $2::timestamptz IS NOT NULL ORDER BY place COLLATE "C", what COLLATE "C" LIMIT %[2]d`,
			query, maxContradictions), documentID, before)
		if err != nil {
			return nil, err
		}
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Contradiction])
		for i := range max(len(found)-1, 0) { // each row has the number: it is the last one's
			found[i].More = 0
		}
		return found, err
	}
}

// guarded makes a check in a savepoint. What of a row the check cannot be made of is
// returned as unread, and the transaction goes on.
func (c check) guarded(ctx context.Context, tx pgx.Tx, documentID string, before time.Time) (found []Contradiction, unread, err error) {
	err = pgx.BeginFunc(ctx, tx, func(savepoint pgx.Tx) error {
		var failed error
		found, failed = c(ctx, savepoint, documentID, before)
		return failed
	})
	if unread = Unreadable(err); unread != nil {
		return nil, unread, nil
	}
	return found, nil, err
}

// apart makes a check of all documents, or of the one that is named. Where a row is in
// its way it is made of each document by itself, so that the row hides only what is of
// its own document.
func (c check) apart(ctx context.Context, tx pgx.Tx, documentID string, before time.Time) ([]Contradiction, error) {
	found, unread, err := c.guarded(ctx, tx, documentID, before)
	if err != nil || unread == nil {
		return found, err
	}
	var said few
	if documentID != "" {
		said.add("document "+documentID, "a check of its rows cannot be made: %v", unread)
		return said.found, nil
	}
	said.add("catalog", "a check of all rows cannot be made: %v", unread)
	if lacksSchema(unread) { // as little of any document by itself
		return said.found, nil
	}
	rows, err := tx.Query(ctx, `SELECT document_id FROM documents WHERE document_id <> '' ORDER BY document_id COLLATE "C"`)
	if err != nil {
		return nil, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		found, unread, err := c.guarded(ctx, tx, id, before)
		if err != nil {
			return nil, err
		}
		if unread != nil {
			said.add("document "+id, "a check of its rows cannot be made: %v", unread)
		}
		for _, f := range found {
			said.take(f)
		}
	}
	return said.found, nil
}

// few collects the contradictions of one check: the first maxContradictions, and in the
// last of these how many more there are.
type few struct{ found []Contradiction }

func (f *few) add(where, format string, args ...any) {
	f.take(Contradiction{Where: where, What: fmt.Sprintf(format, args...)})
}

func (f *few) take(c Contradiction) {
	if len(f.found) < maxContradictions {
		more := c.More
		c.More = 0
		f.found = append(f.found, c)
		if more == 0 {
			return
		}
		c.More = more - 1
	}
	f.found[len(f.found)-1].More += 1 + c.More
}
