package catalog

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// QuoteWord is a word of a quotation in the forms in which the index may have it, as
// quote_words of the catalog writes them: more than one where its letters have another
// case that is not folded there.
type QuoteWord []string

// QuoteFilter narrows the chunks that a quotation may stand in. What is empty lets
// everything through.
type QuoteFilter struct {
	ChunkFilter
	DocumentID string
	Sets       []model.ChunkSet
}

// QuoteCandidate is a chunk that has words of a quotation.
type QuoteCandidate struct {
	Set        model.ChunkSet
	Index      int // chunk_index
	DocumentID string
	Content    string
	Current    bool // its version is the document's current one
}

// byIndexOnly runs a read under a plan that uses indexes: without statistics of the words
// the server may take each chunk's words apart anew, which takes minutes.
func (db *DB) byIndexOnly(ctx context.Context, what string, read func(tx pgx.Tx) error) error {
	err := pgx.BeginTxFunc(ctx, db.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		for _, setting := range []string{"enable_seqscan", "jit"} { // a plan that may read a table counts as costly, and would be compiled
			if _, err := tx.Exec(ctx, `SET LOCAL `+setting+` = off`); err != nil {
				return err
			}
		}
		return read(tx)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, Classify(err))
	}
	return nil
}

// QuoteWords returns the words that the index has of a text: who asks it must make the same.
func (db *DB) QuoteWords(ctx context.Context, text string) (words []string, err error) {
	if err := db.pool.QueryRow(ctx, `SELECT quote_words($1)`, text).Scan(&words); err != nil {
		return nil, fmt.Errorf("words of a text: %w", Classify(err))
	}
	return words, nil
}

// MakeQuoteWords makes the words of at most most chunks that have none yet, with the index of their
// blocks, and returns of how many. Any number of processes may call it; those that others are at are passed over.
// What a crash takes back is made again.
func (db *DB) MakeQuoteWords(ctx context.Context, most int) (made int, err error) {
	err = db.Tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, unkept); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `WITH due AS MATERIALIZED (
				SELECT d.chunk_ref FROM chunk_words d WHERE d.words IS NULL AND EXISTS (SELECT 1 FROM chunks c WHERE c.chunk_ref = d.chunk_ref)
				ORDER BY d.chunk_ref LIMIT $1 FOR UPDATE OF d SKIP LOCKED)
			UPDATE chunk_words w SET words = coalesce(quote_words(c.content), '{}'), blocks = c.blocks
			FROM due JOIN chunks c ON c.chunk_ref = due.chunk_ref WHERE w.chunk_ref = due.chunk_ref`, most)
		made = int(tag.RowsAffected())
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("words of chunks: %w", err)
	}
	return made, nil
}

// CountQuoteWord returns how many chunks have a word in any of its forms, at most most. Those
// whose words are not made yet do not count.
func (db *DB) CountQuoteWord(ctx context.Context, word QuoteWord, most int) (n int, err error) {
	err = db.byIndexOnly(ctx, "chunks that have a word", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT count(*) FROM (SELECT 1 FROM chunk_words w WHERE w.words && $1::text[] LIMIT $2) n`,
			[]string(word), most).Scan(&n)
	})
	return n, err
}

// notTakenDown is true of a chunk c with the state s that was not taken down.
const notTakenDown = `NOT EXISTS (SELECT 1 FROM chunk_log l WHERE l.chunk_ref = c.chunk_ref AND l.rev = s.rev AND l.change = '` + model.ChangeRemoved + `')`

// currentThen is true of a chunk c whose version was the newest of its document on a day, by
// the dates of the versions.
const currentThen = `(SELECT m.doc_hash = c.doc_hash AND m.generation = c.generation OR m.same_as <> '' AND m.same_as = c.snapshot_id
	FROM chunk_manifests m JOIN snapshots n ON n.snapshot_id = m.snapshot_id
	WHERE m.document_id = c.document_id AND left(n.record->>'last_modified', 10) <= $%d
	ORDER BY n.retrieved_at DESC, n.snapshot_id COLLATE "C" DESC, m.generation DESC LIMIT 1)`

// QuoteCandidates hands the chunks that have all of the words to each, those of current
// versions first, then by place, at most limit, until each returns false. What was taken
// down, what disabled sources say, and what is of no version (ofAVersion) is left out. A
// chunk whose words are not made yet is none of them: who needs all asks for WordlessChunks
// first, since words may be made in between.
func (db *DB) QuoteCandidates(ctx context.Context, words []QuoteWord, f QuoteFilter, limit int, each func(QuoteCandidate) bool) error {
	where, args := `true`, []any{limit}
	add := func(condition string, arg any) {
		args = append(args, arg)
		where += " AND " + fmt.Sprintf(condition, len(args))
	}
	var single []string
	for _, w := range words {
		if len(w) == 1 {
			single = append(single, w[0])
			continue
		}
		add(`w.words && $%d::text[]`, []string(w))
	}
	if len(single) > 0 {
		add(`w.words @> $%d::text[]`, single)
	}
	return db.quoteCandidates(ctx, where, f, args, each)
}

// wordlessLooked is how many chunks without words are looked at, whatever filter they must
// pass. After an upgrade all chunks have none for a while.
const wordlessLooked = 5000

// WordlessChunks hands the chunks whose words are not made yet as QuoteCandidates does, at most
// limit. all is false when there are more than were looked at. Within a document all are.
func (db *DB) WordlessChunks(ctx context.Context, f QuoteFilter, limit int, each func(QuoteCandidate) bool) (all bool, err error) {
	where, args := `w.words IS NULL`, []any{limit + 1}
	all = true
	if f.DocumentID == "" {
		var n int
		if err := db.pool.QueryRow(ctx, `SELECT count(*) FROM (SELECT 1 FROM chunk_words WHERE words IS NULL LIMIT $1) n`, wordlessLooked+1).Scan(&n); err != nil {
			return false, fmt.Errorf("chunks without words: %w", Classify(err))
		}
		if n == 0 {
			return true, nil
		}
		all = n <= wordlessLooked
		where = `w.chunk_ref IN (SELECT o.chunk_ref FROM chunk_words o WHERE o.words IS NULL ORDER BY o.chunk_ref LIMIT $2)`
		args = append(args, wordlessLooked)
	}
	n := 0
	err = db.quoteCandidates(ctx, where, f, args, func(c QuoteCandidate) bool {
		if n++; n > limit {
			all = false
			return false
		}
		return each(c)
	})
	return all, err
}

// quoteCandidates hands the chunks to each whose row of words w is as where says. Which they
// are is decided before their texts are read: of a common word there are very many.
func (db *DB) quoteCandidates(ctx context.Context, where string, f QuoteFilter, args []any, each func(QuoteCandidate) bool) error {
	add := func(condition string, arg any) {
		args = append(args, arg)
		where += " AND " + fmt.Sprintf(condition, len(args))
	}
	narrowed, args := f.where(args)
	where += " AND " + narrowed
	if f.DocumentID != "" {
		add(`c.document_id = $%d`, f.DocumentID)
	}
	if len(f.Sets) > 0 {
		sets := make([]string, len(f.Sets))
		for i, s := range f.Sets {
			sets[i] = fmt.Sprintf("%s/%d", s.DocHash, s.Generation)
		}
		add(`c.doc_hash || '/' || c.generation = ANY($%d)`, sets)
	}
	current := `d.current_doc_hash = c.doc_hash AND d.current_generation = c.generation`
	if f.To != "" {
		args = append(args, f.To)
		current = fmt.Sprintf(currentThen, len(args))
	}
	return db.byIndexOnly(ctx, "chunks that a quotation may stand in", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `WITH chosen AS MATERIALIZED (
				SELECT c.chunk_ref, `+current+` AS current, c.doc_hash, c.generation, c.chunk_index
				FROM chunk_words w JOIN chunks c ON c.chunk_ref = w.chunk_ref
				JOIN chunk_state s ON s.chunk_ref = c.chunk_ref JOIN documents d ON d.document_id = c.document_id
				WHERE `+where+` AND `+ofAVersion+` AND `+notTakenDown+`
					AND c.source_id NOT IN (SELECT source_id FROM sources WHERE state = 'disabled')
				ORDER BY current DESC NULLS LAST, c.doc_hash COLLATE "C", c.generation, c.chunk_index LIMIT $1)
			SELECT c.doc_hash, c.generation, c.chunk_index, c.document_id, c.content, chosen.current
			FROM chosen JOIN chunks c ON c.chunk_ref = chosen.chunk_ref
			ORDER BY chosen.current DESC NULLS LAST, c.doc_hash COLLATE "C", c.generation, c.chunk_index`, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var c QuoteCandidate
			var current *bool // null where no version is of that day or before
			if err := rows.Scan(&c.Set.DocHash, &c.Set.Generation, &c.Index, &c.DocumentID, &c.Content, &current); err != nil {
				return err
			}
			c.Current = current != nil && *current
			if !each(c) {
				return nil
			}
		}
		return rows.Err()
	})
}

// ChunkSpan returns the chunks of one version whose index is in [from, to], in their order.
func (db *DB) ChunkSpan(ctx context.Context, set model.ChunkSet, from, to int) ([]ChunkWithState, error) {
	rows, err := db.pool.Query(ctx, `SELECT `+chunkColumns+`, s.layer, s.repeats, s.since, s.duplicate_of, s.rev, s.changed_by
		FROM chunks c JOIN chunk_state s ON s.chunk_ref = c.chunk_ref
		WHERE c.doc_hash = $1 AND c.generation = $2 AND c.chunk_index BETWEEN $3 AND $4 ORDER BY c.chunk_index`,
		set.DocHash, set.Generation, from, to)
	if err != nil {
		return nil, fmt.Errorf("neighbours of a chunk: %w", Classify(err))
	}
	chunks, err := pgx.CollectRows(rows, scanChunkWithState)
	if err != nil {
		return nil, fmt.Errorf("neighbours of a chunk: %w", Classify(err))
	}
	return chunks, nil
}

// ChunkInOrder is what tells a chunk from its neighbours.
type ChunkInOrder struct {
	ChunkRef        string
	Index           int // chunk_index
	ContentTextHash string
}

// ChunksInOrder returns the chunks of one version in their order, at most limit.
func (db *DB) ChunksInOrder(ctx context.Context, set model.ChunkSet, limit int) ([]ChunkInOrder, error) {
	rows, err := db.pool.Query(ctx, `SELECT chunk_ref, chunk_index, content_text_hash FROM chunks
		WHERE doc_hash = $1 AND generation = $2 ORDER BY chunk_index LIMIT $3`, set.DocHash, set.Generation, limit)
	if err != nil {
		return nil, fmt.Errorf("chunks of a version: %w", Classify(err))
	}
	chunks, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ChunkInOrder])
	if err != nil {
		return nil, fmt.Errorf("chunks of a version: %w", Classify(err))
	}
	return chunks, nil
}

// LastChange is the newest entry of the log that moved a chunk for a cause, or the newest of all.
type LastChange struct {
	Change, Cause string
	ReplacedBy    string // chunk_ref or snapshot_id
	At            model.Time
}

// LastChange returns the newest change of a chunk that was for one of the causes, or that
// took it down; ErrNotFound when there is none.
func (db *DB) LastChange(ctx context.Context, ref string, causes ...string) (c LastChange, err error) {
	err = db.pool.QueryRow(ctx, `SELECT change, cause, replaced_by, at FROM chunk_log
		WHERE chunk_ref = $1 AND (cause = ANY($2) OR change = '`+model.ChangeRemoved+`') ORDER BY rev DESC LIMIT 1`, ref, causes).
		Scan(&c.Change, &c.Cause, &c.ReplacedBy, &c.At)
	if err != nil {
		return c, fmt.Errorf("the last change of %s: %w", strings.ToValidUTF8(ref, "?"), Classify(err))
	}
	return c, nil
}
