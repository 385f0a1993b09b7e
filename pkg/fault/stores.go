package fault

import "errors"

// What the catalog and the vector store find that a stage goes on from. A store wraps them
// into its error, and who calls it asks with errors.Is, without naming the store. They
// are not marked with a kind: only the caller knows whether to make the thing, to wait
// or to give up.
var (
	// ErrNoRow says that a row that was asked for is not in the catalog.
	ErrNoRow = errors.New("not found in the catalog")
	// ErrURLTaken says that a URL belongs to another document, where each belongs to one
	// (contracts#seed-ids). It is a permanent RequestConflict.
	ErrURLTaken = errors.New("the URL belongs to another document")

	// ErrRunMoved says that a run is no longer what the caller takes it for: a redo
	// cannot start because the run has not ended at the redo before it, or another
	// redo came first; a range cannot be recorded because the run was superseded or
	// removed.
	ErrRunMoved = errors.New("the run has moved on")
	// ErrNoCollection says that a collection, an alias, or a point whose payload was to
	// be changed is not in the vector store, or that the catalog knows no collection of
	// an alias.
	ErrNoCollection = errors.New("no such collection or point")
	// ErrVectorStore says that the vector store is overloaded, lost a race, or failed by
	// itself, as for want of disk. It comes as transient: of one call out of many it may
	// be the points after all.
	ErrVectorStore = errors.New("the vector store is in trouble")
	// ErrOtherVectors says that a collection of that name is there with other vectors
	// than those asked for. It comes as permanent.
	ErrOtherVectors = errors.New("collection has other vectors")
)
