package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TextHash is the sha256 of a text that was embedded.
type TextHash = [32]byte

// Embeddings returns the vectors of a model, of so many numbers, that are kept for texts.
// Those of other texts are not in the map.
func (db *DB) Embeddings(ctx context.Context, modelName string, dimensions int, texts []TextHash) (map[TextHash][]float32, error) {
	hashes := make([][]byte, len(texts))
	for i := range texts {
		hashes[i] = texts[i][:]
	}
	rows, err := db.pool.Query(ctx, `SELECT text_hash, vector FROM embedding_cache
		WHERE model = $1 AND dimensions = $2 AND text_hash = ANY($3)`, modelName, dimensions, hashes)
	if err != nil {
		return nil, fmt.Errorf("vectors of %s: %w", modelName, Classify(err))
	}
	vectors := make(map[TextHash][]float32, len(texts))
	var hash, vector []byte
	_, err = pgx.ForEachRow(rows, []any{&hash, &vector}, func() error {
		vectors[TextHash(hash)] = unpackVector(vector)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("vectors of %s: %w", modelName, Classify(err))
	}
	return vectors, nil
}

// KeepEmbeddings keeps vectors of a model for texts, and adds the tokens that they cost to
// those of a day, of UTC. Where a text has a vector already that one stays. To repeat it
// counts the tokens again.
func (db *DB) KeepEmbeddings(ctx context.Context, modelName string, dimensions int, vectors map[TextHash][]float32, day time.Time, tokens int64) error {
	hashes, packed := make([][]byte, 0, len(vectors)), make([][]byte, 0, len(vectors))
	for hash, vector := range vectors {
		hashes, packed = append(hashes, hash[:]), append(packed, packVector(vector))
	}
	err := db.Tx(ctx, func(tx pgx.Tx) error {
		// In one order, so that two who keep the same texts do not wait for each other.
		_, err := tx.Exec(ctx, `INSERT INTO embedding_cache (model, dimensions, text_hash, vector)
			SELECT $1, $2, t.hash, t.vector FROM unnest($3::bytea[], $4::bytea[]) AS t (hash, vector) ORDER BY t.hash
			ON CONFLICT DO NOTHING`, modelName, dimensions, hashes, packed)
		if err != nil || tokens == 0 {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO embedding_use (day, model, tokens) VALUES ($1, $2, $3)
			ON CONFLICT (day, model) DO UPDATE SET tokens = embedding_use.tokens + EXCLUDED.tokens`,
			day.UTC().Format(time.DateOnly), modelName, tokens)
		return err
	})
	if err != nil {
		return fmt.Errorf("keeping vectors of %s: %w", modelName, err)
	}
	return nil
}

// ErrStands says that a chunk was not taken down.
var ErrStands = errors.New("the chunk was not taken down")

// ForgetEmbeddings deletes the vectors that are kept, under all models, for the texts of
// chunks that were taken down, unless a chunk that was not has the same text.
// embedded returns the texts under which the vectors of a chunk are kept; of each a chunk's
// content must be a part. It returns how many vectors were deleted, and may be repeated.
//
// It MUST come after the commit that takes the chunks down, else it is ErrStands, and before
// their rows go: chunks that are not there are passed over. It waits for those who push the
// chunks, and who comes later finds them taken down: so nobody keeps a text behind it. One
// that is pushed for longer is Deferred.
func (db *DB) ForgetEmbeddings(ctx context.Context, refs []string, embedded func(model.Chunk) []string) (deleted int64, err error) {
	refs = slices.Compact(slices.Sorted(slices.Values(refs)))
	for part := range slices.Chunk(refs, stateBatch) {
		var n int64
		err := db.Tx(ctx, func(tx pgx.Tx) (err error) {
			if err := db.awaitPushes(ctx, tx, part); err != nil {
				return err
			}
			n, err = forgetEmbeddings(ctx, tx, part, embedded)
			return err
		})
		if err != nil {
			return deleted, fmt.Errorf("forgetting vectors: %w", err)
		}
		deleted += n
	}
	return deleted, nil
}

// awaitPushes waits until nobody pushes the chunks, and holds them: see pushTx.hold.
func (db *DB) awaitPushes(ctx context.Context, tx pgx.Tx, refs []string) error {
	keys := make([]int64, len(refs))
	for i, ref := range refs {
		keys[i] = db.lockKey("chunk", ref)
	}
	if _, err := tx.Exec(ctx, `SELECT set_config('lock_timeout', $1, true)`, fmt.Sprint(syncWait.Milliseconds())); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) WITH ORDINALITY AS u(k, n) ORDER BY n`, keys)
	return err
}

// forgetEmbeddings is ForgetEmbeddings for chunks that nobody pushes.
func forgetEmbeddings(ctx context.Context, tx pgx.Tx, refs []string, embedded func(model.Chunk) []string) (int64, error) {
	chunks, err := collectChunks(ctx, tx, `c.chunk_ref = ANY($1)`, refs)
	if err != nil {
		return 0, err
	}
	var stands string
	switch err := tx.QueryRow(ctx, `SELECT c.chunk_ref FROM chunks c JOIN chunk_state s ON s.chunk_ref = c.chunk_ref
		WHERE c.chunk_ref = ANY($1) AND `+notTakenDown+` LIMIT 1`, refs).Scan(&stands); {
	case err == nil:
		return 0, fault.Permanent(fault.Internal, fmt.Errorf("%s: %w", stands, ErrStands))
	case !errors.Is(err, pgx.ErrNoRows):
		return 0, err
	}
	gone := make(map[TextHash]bool)
	contents := make([]string, len(chunks))
	for i, c := range chunks {
		contents[i] = c.ContentTextHash
		for _, text := range embedded(c) {
			gone[sha256.Sum256([]byte(text))] = true
		}
	}
	for after := ""; ; { // equal texts have equal contents
		others, err := collectChunks(ctx, tx, `c.content_text_hash = ANY($1) AND c.chunk_ref COLLATE "C" > $2
			AND EXISTS (SELECT 1 FROM chunk_state s WHERE s.chunk_ref = c.chunk_ref AND `+notTakenDown+`)
			ORDER BY c.chunk_ref COLLATE "C" LIMIT $3`, contents, after, stateBatch)
		if err != nil {
			return 0, err
		}
		for _, c := range others {
			for _, text := range embedded(c) {
				delete(gone, sha256.Sum256([]byte(text)))
			}
		}
		if len(others) < stateBatch {
			break
		}
		after = others[len(others)-1].ChunkRef
	}
	hashes := make([][]byte, 0, len(gone))
	for hash := range gone {
		hashes = append(hashes, hash[:])
	}
	tag, err := tx.Exec(ctx, `DELETE FROM embedding_cache WHERE text_hash = ANY($1)`, hashes)
	return tag.RowsAffected(), err
}

func collectChunks(ctx context.Context, q querier, where string, args ...any) ([]model.Chunk, error) {
	rows, err := q.Query(ctx, `SELECT `+chunkColumns+` FROM chunks c WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanChunk)
}

// EmbeddedTokens returns how many tokens of texts were embedded on a day of UTC, by all
// models.
func (db *DB) EmbeddedTokens(ctx context.Context, day time.Time) (tokens int64, err error) {
	err = db.pool.QueryRow(ctx, `SELECT coalesce(sum(tokens), 0)::bigint FROM embedding_use WHERE day = $1`,
		day.UTC().Format(time.DateOnly)).Scan(&tokens)
	if err != nil {
		return 0, fmt.Errorf("tokens of a day: %w", Classify(err))
	}
	return tokens, nil
}

// packVector writes a vector as float32, little-endian.
func packVector(vector []float32) []byte {
	packed := make([]byte, 0, 4*len(vector))
	for _, x := range vector {
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(x))
	}
	return packed
}

// unpackVector is the reverse of packVector. The table holds no other lengths than
// multiples of four.
func unpackVector(packed []byte) []float32 {
	vector := make([]float32, len(packed)/4)
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i:]))
	}
	return vector
}
