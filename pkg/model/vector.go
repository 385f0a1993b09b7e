package model

import (
	"fmt"
	"strings"
	"time"
)

// CollectionState is what a collection of vectors is for now.
type CollectionState string

// The states (contracts#collection). While one is building, it and the active one are
// both written.
const (
	CollectionBuilding CollectionState = "building"
	CollectionActive   CollectionState = "active"
	CollectionRetired  CollectionState = "retired"
)

// Collection is a collection of vectors, those of one embedding model. Readers
// know it by its alias, and take their embedder from the active one.
type Collection struct {
	Name       string          `json:"name"`
	Alias      string          `json:"alias"`
	Model      string          `json:"model"`
	Dimensions int             `json:"dimensions"`
	State      CollectionState `json:"state"`
}

// CollectionName returns the name of a collection: {alias}_{model}_{dimensions}, in
// which every byte but letters, digits and "._-" is "-".
func CollectionName(alias, modelName string, dimensions int) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		default:
			return '-'
		}
	}, fmt.Sprintf("%s_%s_%d", alias, modelName, dimensions))
}

// Pushed is what is recorded of a chunk in a collection; the zero value means
// nothing.
type Pushed struct {
	Rev     int64 // of the state that the collection was made equal to
	Present bool  // whether the chunk has its point there
}

// IndexItem is a chunk as the indexer finds it in the catalog.
type IndexItem struct {
	ChunkRef string
	Found    bool              // whether there is such a chunk; what follows is empty otherwise
	Chunk    Chunk             // without Content and Provenance
	State    ChunkState        //
	Removed  bool              // its newest revision says that it was taken down
	Pushed   map[string]Pushed // by the name of the collection
}

// WantsPoint reports whether a collection must hold a point of the chunk.
func (i IndexItem) WantsPoint() bool { return i.Found && !i.Removed && i.State.HasPoint() }

// VectorRow records that a collection was made equal to a chunk's state.
type VectorRow struct {
	ChunkRef   string
	Collection string
	PointID    string
	Pushed
	PushedAt time.Time // what its point says of when it was written; the zero value is now
}

// RecordedVector is what is recorded of a chunk in one collection, beside its state.
type RecordedVector struct {
	ChunkRef string
	PointID  string
	Present  bool
	Newest   bool // what was pushed is the chunk's newest state

	// What its point is to say of its state.
	Layer       Layer
	DuplicateOf string
}
