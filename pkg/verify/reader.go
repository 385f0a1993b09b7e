// Package verify reads what a proof walks over: catalog, object store, vector
// store and the extraction children. The walk itself is package proof, which
// knows none of them.
package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// DefaultAge is how long a change counts as under way: after as long without progress
// the janitor moves a thing.
const DefaultAge = 10 * time.Minute

// Reader is proof.Reader over the stores. It is safe for concurrent use.
type Reader struct {
	Catalog    *catalog.DB
	Blobs      *blobstore.Store
	Vectors    *vectorstore.Client
	Alias      string // of the collection that is searched
	Extractor  *child.Client
	Chunker    proof.Chunker   // makes chunks again; nil leaves that out
	Survey     proof.Survey    // looks at the pages of runs again; nil leaves that out
	Link       proof.Link      // links the chunks of documents again; nil leaves that out
	Containers container.Kinds // how containers are read
	Members    *Members        // what containers hold; nil reads one for each member
	Age        time.Duration   // chunks whose state has changed within may have their points on the way still; 0: none
}

// gone marks what does not exist as a finding, not a failure to read.
func gone(err error) error {
	if errors.Is(err, catalog.ErrNotFound) || errors.Is(err, blobstore.ErrNotFound) || errors.Is(err, vectorstore.ErrNotFound) {
		return fmt.Errorf("%w: %w", proof.ErrGone, err)
	}
	return err
}

// Snapshot implements proof.Reader.
func (r *Reader) Snapshot(ctx context.Context, snapshotID string) (model.Snapshot, error) {
	s, err := r.Catalog.Snapshot(ctx, snapshotID)
	return s, gone(err)
}

// Run implements proof.Reader.
func (r *Reader) Run(ctx context.Context, snapshotID, extractionID string) (model.Run, error) {
	run, err := r.Catalog.Run(ctx, snapshotID, extractionID)
	return run, gone(err)
}

// Manifest implements proof.Reader.
func (r *Reader) Manifest(ctx context.Context, docHash string, generation int) (model.Manifest, error) {
	m, err := r.Catalog.Manifest(ctx, docHash, generation)
	return m, gone(err)
}

// Chunks implements proof.Reader.
func (r *Reader) Chunks(ctx context.Context, refs []string) ([]proof.Item, error) {
	chunks, err := r.Catalog.StoredChunks(ctx, refs)
	return itemsOf(chunks), err
}

// itemsOf returns chunks as they are proved.
func itemsOf(chunks []catalog.StoredChunk) []proof.Item {
	items := make([]proof.Item, len(chunks))
	for i, c := range chunks {
		items[i] = proof.Item{Chunk: c.Chunk, State: c.State, Unread: c.Unread, Apart: c.Apart}
	}
	return items
}

// SegmentsAt implements proof.Reader.
func (r *Reader) SegmentsAt(ctx context.Context, snapshotID, extractionID string, redo int) ([]model.SegmentRow, error) {
	return r.Catalog.SegmentsAt(ctx, snapshotID, extractionID, redo)
}

// Object implements proof.Reader.
func (r *Reader) Object(ctx context.Context, key string) ([]byte, error) {
	if !blobstore.Written(blobstore.Derived, key) {
		return nil, fmt.Errorf("%w: no object has the key %q", proof.ErrGone, key)
	}
	data, err := r.Blobs.Get(ctx, blobstore.Derived, key, "")
	return data, gone(err)
}

// RawDigest implements proof.Reader.
func (r *Reader) RawDigest(ctx context.Context, s model.Snapshot) (hash string, length int64, err error) {
	key, err := rawKey(s)
	if err != nil {
		return "", 0, err
	}
	sum, length, err := r.Blobs.Copy(ctx, blobstore.Raw, key, io.Discard)
	return "sha256:" + sum, length, gone(err)
}

// rawKey is the key of a snapshot's captured bytes. Of a record that names none that
// can be there it is ErrGone.
func rawKey(s model.Snapshot) (string, error) {
	key, err := blobstore.RawKey(s.SourceID, s.ContentHash)
	if err == nil && !blobstore.Written(blobstore.Raw, key) {
		err = fmt.Errorf("no object has the key %q", key)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", proof.ErrGone, err)
	}
	return key, nil
}

// RawSlice implements proof.Reader.
func (r *Reader) RawSlice(ctx context.Context, s model.Snapshot, start, end int64) ([]byte, error) {
	key, err := rawKey(s)
	if err != nil {
		return nil, err
	}
	data, err := r.Blobs.GetRange(ctx, blobstore.Raw, key, start, end-start)
	return data, gone(err)
}

// OCRResult implements proof.Reader.
func (r *Reader) OCRResult(ctx context.Context, sourceID string, read model.PageOCR) ([]byte, error) {
	return r.Object(ctx, blobstore.OCRKey(sourceID, read.Engine, read.Version, read.Key))
}

// Remake implements proof.Reader.
func (r *Reader) Remake(ctx context.Context, s model.Snapshot, run model.Run, facts []byte, pages model.PageRange, read []proof.PageRead) ([][]byte, error) {
	if run.ParserVersion != extract.ParserVersion {
		return nil, fmt.Errorf("%w: %s, recorded %s", proof.ErrOtherParser, extract.ParserVersion, run.ParserVersion)
	}
	known := make([]block.OCR, len(read))
	for i, p := range read {
		var err error
		known[i], err = child.ReadOCR(p.PageNo, p.OCR, func(model.PageOCR) ([]byte, error) { return p.Result, nil })
		if err != nil { // whole, but no result: pages cannot be made of it
			known[i] = block.OCR{PageNo: p.PageNo, Use: p.OCR.Part()}
		}
	}
	// Not Extract: what ended a later redo of the run is not what its pages are.
	results, err := r.Extractor.Pages(ctx, s.Under(run), run.ExtractionID, facts, pages, known...)
	if err != nil {
		return nil, err
	}
	frames := make([][]byte, len(results))
	for i, result := range results {
		frames[i] = result.Frame
	}
	return frames, nil
}
