package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/stage"
)

// Stage returns the stage over the real stores.
func Stage(db *catalog.DB, blobs *blobstore.Store, logger *slog.Logger, e config.Enrichment) *stage.Stage {
	return stage.New(runs{db}, db, locker{db}, segments{blobs}, logger, stage.Options{Chunkers: chunkers(), AnswerWait: e.Wait})
}

// runs is the catalog with absence in the words of the stage: an event names
// only rows that are committed, so a run that is not there was never made.
type runs struct{ *catalog.DB }

func (r runs) RunStanding(ctx context.Context, snapshotID, extractionID string) (model.RunStanding, error) {
	s, err := r.DB.RunStanding(ctx, snapshotID, extractionID)
	return s, mustExist(err)
}

func mustExist(err error) error {
	if errors.Is(err, catalog.ErrNotFound) {
		return fault.Permanent(fault.Malformed, err)
	}
	return err
}

func ifAny(m model.Manifest, err error) (*model.Manifest, error) {
	switch {
	case errors.Is(err, catalog.ErrNotFound):
		return nil, nil //nolint:nilnil // that there is none is an answer
	case err != nil:
		return nil, err
	default:
		return &m, nil
	}
}

type locker struct{ db *catalog.DB }

func (l locker) LockDocument(ctx context.Context, documentID string, wait time.Duration, f func(stage.Tx) error) error {
	return l.db.LockDocument(ctx, documentID, wait, func(t *catalog.DocumentTx) error { return f(tx{t}) })
}

func (l locker) LandRun(ctx context.Context, run model.Run, wait time.Duration, limit int, f func(stage.Tx) error) ([]model.Unpublished, error) {
	return l.db.LandRun(ctx, run, wait, limit, func(t *catalog.DocumentTx) error { return f(tx{t}) })
}

type tx struct{ *catalog.DocumentTx }

func (t tx) RunManifest(ctx context.Context, snapshotID, extractionID string, redo int) (*model.Manifest, error) {
	return ifAny(t.DocumentTx.RunManifest(ctx, snapshotID, extractionID, redo))
}

func (t tx) Enrichment(ctx context.Context, snapshotID, extractionID string, redo int, chunkerVersion string) (*model.Enrichment, error) {
	e, err := t.DocumentTx.Enrichment(ctx, snapshotID, extractionID, redo, chunkerVersion)
	switch {
	case errors.Is(err, catalog.ErrNotFound):
		return nil, nil //nolint:nilnil // that there is none is an answer
	case err != nil:
		return nil, err
	}
	return &e, nil
}

type segments struct{ blobs *blobstore.Store }

func (s segments) Segment(ctx context.Context, row model.SegmentRow) ([]byte, error) {
	data, err := s.blobs.Get(ctx, blobstore.Derived, row.ObjectKey, row.Digest)
	return data, blobstore.Lost(err, "the stored segment is not as it was recorded")
}

func (s segments) Proposals(ctx context.Context, e model.Enrichment) ([]byte, error) {
	data, err := s.blobs.Get(ctx, blobstore.Derived, e.ObjectKey, e.Digest)
	return data, blobstore.Lost(err, "what a model proposed is not as it was recorded")
}
