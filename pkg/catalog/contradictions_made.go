package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// What a function of Go has written is made again by that function, row by row.

// checkRequests returns the requests whose digest or canonical URL is not
// that of what is stored of them, of one document or of all.
func checkRequests(ctx context.Context, tx pgx.Tx, documentID string, _ time.Time) ([]Contradiction, error) {
	rows, err := tx.Query(ctx, `SELECT source_id, request_id, request_digest, url_canonical, request FROM captures
		WHERE $1 = '' OR document_id = $1 ORDER BY source_id COLLATE "C", request_id COLLATE "C"`, documentID)
	if err != nil {
		return nil, err
	}
	var found few
	var sourceID, requestID, said, address string
	var request json.RawMessage
	_, err = pgx.ForEachRow(rows, []any{&sourceID, &requestID, &said, &address, &request}, func() error {
		where := "capture " + sourceID + "/" + requestID
		canonical, err := digest.JCS(request)
		switch {
		case err != nil:
			found.add(where, "its request has no canonical form: %v", err)
			return nil
		case digest.Hex(canonical) != said:
			found.add(where, "its request's digest computes to %s", digest.Hex(canonical))
		}
		var asked struct {
			URL string `json:"url"`
		}
		if err := json.Unmarshal(request, &asked); err != nil {
			found.add(where, "its request cannot be read: %v", err)
		} else if !isCanonicalOf(address, asked.URL) {
			found.add(where, "its canonical URL %s is not that of %s", address, asked.URL)
		}
		return nil
	})
	return found.found, err
}

// isCanonicalOf reports whether an address is the canonical form of a URL, under the
// rules of today or those of before: a request does not say when it was kept. What is
// secret in a URL is in neither.
func isCanonicalOf(address, url string) bool {
	if url == "" {
		return address == ""
	}
	for _, canonical := range []func(string) (string, error){digest.URLCanonV4, digest.URLCanonV3, digest.URLCanonV2, digest.URLCanonV1} {
		if made, err := canonical(url); err == nil && made == address {
			return true
		}
	}
	return false
}

// checkDocumentsMade returns the documents of which an id or a host is made otherwise
// than it stands there.
func checkDocumentsMade(ctx context.Context, tx pgx.Tx, documentID string, _ time.Time) ([]Contradiction, error) {
	rows, err := tx.Query(ctx, `SELECT document_id, source_id, external_id, canonical_url, host FROM documents
		WHERE $1 = '' OR document_id = $1 ORDER BY document_id COLLATE "C"`, documentID)
	if err != nil {
		return nil, err
	}
	var found few
	var id, sourceID, externalID, address, host string
	_, err = pgx.ForEachRow(rows, []any{&id, &sourceID, &externalID, &address, &host}, func() error {
		if made := digest.DocumentID(sourceID, externalID); made != id {
			found.add("document "+id, "its id computes to %s", made)
		}
		if made := hostOf(address); made != host {
			found.add("document "+id, "its host %s is not that of its URL: %s", host, made)
		}
		return nil
	})
	return found.found, err
}

// checkManifestsMade returns the manifests of which the doc_hash is made otherwise, or
// that do not say what their chunker does.
func checkManifestsMade(ctx context.Context, tx pgx.Tx, documentID string, _ time.Time) ([]Contradiction, error) {
	rows, err := tx.Query(ctx, `SELECT m.doc_hash, m.generation, m.chunker_version, m.left_out,
			m.failed_pages IS NULL, s.record FROM chunk_manifests m
		JOIN snapshots s ON s.snapshot_id = m.snapshot_id WHERE $1 = '' OR m.document_id = $1
		ORDER BY m.doc_hash COLLATE "C", m.generation`, documentID)
	if err != nil {
		return nil, err
	}
	var found few
	var docHash string
	var generation int
	var chunker string
	var unsaid bool
	var record, left json.RawMessage
	_, err = pgx.ForEachRow(rows, []any{&docHash, &generation, &chunker, &left, &unsaid, &record}, func() error {
		var s model.Snapshot
		where := fmt.Sprintf("manifest %s, generation %d", docHash, generation)
		if err := json.Unmarshal(record, &s); err != nil {
			found.add(where, "its snapshot cannot be read: %v", err)
		} else if made := s.DocHash(); made != docHash {
			found.add(where, "its doc_hash computes to %s", made)
		}
		if err := writtenAsLeftOut(left); err != nil {
			found.add(where, "what it says is left out cannot have been written: %v", err)
		}
		if version, err := strconv.Atoi(chunker); err != nil || version >= countsSince {
			if unsaid {
				found.add(where, "says not how many pages failed, as chunkers of version %s do", chunker)
			}
			if left == nil {
				found.add(where, "says not what is left out, as chunkers of version %s do", chunker)
			}
		}
		return nil
	})
	return found.found, err
}

// countsSince is the first chunker_version whose manifests all say how many pages failed
// and what is left out.
const countsSince = 3

// writtenAsLeftOut reports how a count of what is left out differs from what is written
// of one; one that is absent does not. Whether it counts right is seen with the pages.
func writtenAsLeftOut(left json.RawMessage) error {
	if left == nil {
		return nil
	}
	var read model.LeftOut
	if err := json.Unmarshal(left, &read); err != nil {
		return err
	}
	again, err := json.Marshal(read)
	if err != nil {
		return err
	}
	said, err := digest.JCS(left)
	if err != nil {
		return err
	}
	made, err := digest.JCS(json.RawMessage(again))
	if err == nil && !bytes.Equal(said, made) {
		err = fmt.Errorf("it is %s", said)
	}
	return err
}
