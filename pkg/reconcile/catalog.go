package reconcile

import (
	"context"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Catalog is the record, as far as it is read and written here: a part of it by each kind of
// thing that can stand still.
type Catalog interface {
	Passes
	Epochs
	Captures
	Snapshots
	SourceChanges
	Versions
	Judgements
	Documents
	Runs
	Entities
	Chunks
	Collections
	Points
	Objects
}

// Passes are the passes that are made.
type Passes interface {
	// Exclusive calls f with the catalog's time, unless another holds name.
	Exclusive(ctx context.Context, name string, f func(ctx context.Context, now time.Time) error) (held bool, err error)
	// NextRedrive notes in the audit that things are published again, and returns a number that
	// no other pass has.
	NextRedrive(ctx context.Context, who, what string) (int64, error)
}

// Epochs are the copies of the catalog.
type Epochs interface {
	UnknownRevision(ctx context.Context, told []catalog.Told) (unknown catalog.Told, found bool, err error)
	Epoch(ctx context.Context) (name string, err error)
	SourcesWithoutChunks(ctx context.Context, sources []string) ([]string, error)
}

// Captures are requests without an outcome, or with one that nobody was told.
type Captures interface {
	StuckCaptures(ctx context.Context, before time.Time, p catalog.Page) ([]catalog.StuckCapture, error)
	CaptureRedriven(ctx context.Context, sourceID, requestID string) error
	DecideCapture(ctx context.Context, c model.Capture) (model.Capture, error)
	CaptureAnnounced(ctx context.Context, sourceID, requestID string) error
}

// Snapshots are those that are to be processed and have no run.
type Snapshots interface {
	StuckSnapshots(ctx context.Context, before time.Time, p catalog.Page) ([]catalog.StuckSnapshot, error)
	SnapshotRedriven(ctx context.Context, snapshotID string) error
	StartRun(ctx context.Context, run model.Run, pageIDs []string, supersedes string) (model.Run, error)
}

// SourceChanges are changes of sources that nobody was told.
type SourceChanges interface {
	UntoldSourceChanges(ctx context.Context, before time.Time, p catalog.Page) ([]event.SourceChanged, error)
	MarkSourceChangesTold(ctx context.Context, seqs ...int64) error
}

// Versions are the versions of documents, where their order is not decided.
type Versions interface {
	UnorderedDocuments(ctx context.Context, after string, limit int) ([]string, error)
	OrderDocument(ctx context.Context, documentID string, wait time.Duration) (changed bool, err error)
}

// Judgements are what is current of documents, where it is not what their versions say.
type Judgements interface {
	MisplacedDocuments(ctx context.Context, after string, window int, repeats bool) (ids []string, last string, err error)
	MisjudgedDocuments(ctx context.Context, after string, limit int) ([]string, error)
	JudgeDocument(ctx context.Context, documentID string, wait time.Duration) error
	UnsettleDocument(ctx context.Context, documentID string) error
}

// Documents are those of which it is to be decided anew what is current.
type Documents interface {
	UnsettledDocuments(ctx context.Context, before time.Time, p catalog.Page) ([]catalog.StuckDocument, error)
	DocumentRedriven(ctx context.Context, u model.Unsettled) error
	DocumentGivenUp(ctx context.Context, documentID string) error
}

// Runs are those that have not ended, or whose end nobody was told.
type Runs interface {
	StuckRuns(ctx context.Context, before time.Time, incomplete bool, p catalog.Page) ([]catalog.StuckRun, error)
	RunRedriven(ctx context.Context, snapshotID, extractionID string) error
	RunParts(ctx context.Context, snapshotID, extractionID string) (model.Run, []model.SegmentRow, []int, error)
	FailRun(ctx context.Context, run model.Run, wait time.Duration) (model.Run, error)
	MarkRunAnnounced(ctx context.Context, snapshotID, extractionID string, redo int) error
}

// Entities are those of runs, where some were not told.
type Entities interface {
	UnannotatedRuns(ctx context.Context, before time.Time, p catalog.Page) ([]catalog.StuckRun, error)
	// UnenrichedRuns returns the runs that have ended and whose chunks are without what a model was to propose for them.
	UnenrichedRuns(ctx context.Context, before time.Time, p catalog.Page) ([]catalog.StuckRun, error)
	// HeldRuns returns the runs whose versions wait for that, of which nothing was heard since before.
	HeldRuns(ctx context.Context, before time.Time, p catalog.Page) ([]catalog.StuckRun, error)
	HeldRunMoved(ctx context.Context, snapshotID, extractionID string) error
	MarkRunAnnotated(ctx context.Context, run model.Run) error
}

// Chunks are those whose state a collection does not have.
type Chunks interface {
	StuckChunks(ctx context.Context, alias, filled string, before time.Time, after string, window int) ([]catalog.StuckChunk, string, error)
	ChunksRedriven(ctx context.Context, alias, filled string, refs []string) error
	Chunks(ctx context.Context, refs []string) ([]model.Chunk, error)
	ChunkStates(ctx context.Context, refs []string) ([]model.ChunkState, error)
	FailVectors(ctx context.Context, alias, ref, sentence string) error
}

// Collections are those of the vector store that are searched or filled.
type Collections interface {
	WrittenCollections(ctx context.Context, alias string) ([]model.Collection, error)
	HasVectors(ctx context.Context, collection string) (bool, error)
	ResetVectors(ctx context.Context, collection string, lost func(context.Context) (bool, error)) (reset bool, err error)
}

// Points are what is recorded of the points of a collection.
type Points interface {
	CountVectors(ctx context.Context, collection string) (int, error)
	RecordedVectors(ctx context.Context, collection, after string, limit int) ([]model.RecordedVector, error)
	NobodysPoints(ctx context.Context, collection string, ids []string) ([]string, error)
	CorrectVectors(ctx context.Context, collection string, refs, points []string,
		wrong func(ctx context.Context, recorded []model.RecordedVector, nobodys []string) (lost, stale []string, err error)) error
}

// Objects are what the catalog names of the object store.
type Objects interface {
	UnnamedRaw(ctx context.Context, keys []string) ([]string, error)
	UnnamedDerived(ctx context.Context, keys []string) ([]string, error)
	DeleteOrphans(ctx context.Context, bucket string, keys []string, before time.Time, remove func(ctx context.Context, key string) error) (int, error)
	ForgetAdopted(ctx context.Context, before time.Time) error
}
