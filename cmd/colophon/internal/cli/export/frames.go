package export

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/extract/present"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// LastFrames reads the pages of a snapshot's last run that was not superseded or
// removed, in order; a snapshot without one has none.
func LastFrames(ctx context.Context, db *catalog.DB, blobs *blobstore.Store, snapshotID string, each func(segment.Frame) error) error {
	runs, err := db.Runs(ctx, snapshotID)
	if err != nil {
		return err
	}
	for _, run := range slices.Backward(runs) {
		if run.State != model.RunSuperseded && run.State != model.RunRemoved {
			return framesOf(ctx, db, blobs, run, each)
		}
	}
	return nil
}

// framesOf reads the pages of a run, in order, each segment verified against its
// digest.
func framesOf(ctx context.Context, db *catalog.DB, blobs *blobstore.Store, run model.Run, each func(segment.Frame) error) error {
	rows, err := db.Segments(ctx, run.SnapshotID, run.ExtractionID)
	if err != nil {
		return err
	}
	for _, row := range rows {
		data, err := blobs.Get(ctx, blobstore.Derived, row.ObjectKey, row.Digest)
		if err != nil {
			return err
		}
		reader, err := segment.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return fmt.Errorf("segment of pages %d–%d of %s: %w", row.From, row.To, run.SnapshotID, err)
		}
		for i := range reader.Index() {
			f, err := reader.Frame(i)
			if err != nil {
				return err
			}
			if err := each(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteIR writes the next page of a document as lines of JSON: its record, then its
// units with what they are shown with (contracts#shown-fields).
func WriteIR(enc *json.Encoder, f segment.Frame, shown *present.Reader) error {
	if err := enc.Encode(f.Page); err != nil {
		return err
	}
	for u := range shown.Units(f) {
		if err := enc.Encode(u); err != nil {
			return err
		}
	}
	return nil
}
