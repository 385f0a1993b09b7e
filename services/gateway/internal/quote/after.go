package quote

import (
	"context"
	"errors"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

// What bounds the search for what came after a chunk.
const (
	maxSuccessors = 10
	maxInOrder    = 20_000 // chunks of a version that are compared
)

// causeArchived is why a chunk is moved to the archive, as the chunker writes it.
const causeArchived = "archived"

// Reasons why a chunk is not said any more.
const (
	reasonReplaced  = "replaced"           // other text stands where it stood
	reasonRemoved   = "removed"            // what stood before and behind it now follow each other
	reasonTakenDown = "taken_down"         // it was taken down
	reasonNone      = "no_current_version" // of its document nothing is current
	// All of it is said, but its parts do not follow each other any more.
	reasonRearranged = "rearranged"
)

// Records are the rows that tell what came after a chunk.
type Records interface {
	Document(ctx context.Context, documentID string) (model.Document, error)
	LastChange(ctx context.Context, ref string, causes ...string) (catalog.LastChange, error)
	ChunksInOrder(ctx context.Context, set model.ChunkSet, limit int) ([]catalog.ChunkInOrder, error)
	ChunkSpan(ctx context.Context, set model.ChunkSet, from, to int) ([]catalog.ChunkWithState, error)
}

// WhatCameAfter returns what came after a chunk that its document no longer says, and nil
// for one that it says. What stands in the current version between the nearest text before
// the chunk and the nearest behind it that both versions have took its place.
func WhatCameAfter(ctx context.Context, r Records, c catalog.ChunkWithState) (*After, error) {
	change, err := r.LastChange(ctx, c.Chunk.ChunkRef, causeArchived)
	if err != nil && !errors.Is(err, catalog.ErrNotFound) {
		return nil, err
	}
	if c.State.Layer != model.LayerArchive && change.Change != model.ChangeRemoved {
		return nil, nil
	}
	d, err := r.Document(ctx, c.Chunk.DocumentID)
	if err != nil {
		return nil, err
	}
	now := model.ChunkSet{DocHash: d.CurrentDocHash, Generation: d.CurrentGeneration}
	set := model.ChunkSet{DocHash: c.Chunk.DocHash, Generation: c.Chunk.Generation}
	a := &After{Since: change.At, Cause: change.Cause, DocumentID: d.DocumentID, SnapshotID: d.CurrentSnapshotID, URL: d.CanonicalURL, Chunks: []Successor{}}
	switch {
	case change.Change == model.ChangeRemoved:
		a.Reason = reasonTakenDown
		return a, nil
	case now.DocHash == "":
		a.Reason = reasonNone
		return a, nil
	case now == set: // kept in the archive
		return nil, nil
	}
	if err := a.addSuccessors(ctx, r, set, now, c.Chunk.ChunkIndex); err != nil {
		return nil, err
	}
	return a, nil
}

// addSuccessors finds what stands in the current version where the chunk at index stood.
func (a *After) addSuccessors(ctx context.Context, r Records, then, now model.ChunkSet, index int) error {
	before, err := r.ChunksInOrder(ctx, then, maxInOrder)
	if err != nil {
		return err
	}
	after, err := r.ChunksInOrder(ctx, now, maxInOrder)
	if err != nil {
		return err
	}
	from, to := between(before, after, index)
	a.Reason = reasonRemoved
	if from > to {
		return nil
	}
	said := make(map[string]bool, len(before))
	for _, c := range before {
		said[c.ContentTextHash] = true
	}
	span, err := r.ChunkSpan(ctx, now, from, to)
	if err != nil {
		return err
	}
	for _, c := range span {
		if said[c.Chunk.ContentTextHash] || len(a.Chunks) == maxSuccessors {
			continue
		}
		a.Reason = reasonReplaced
		a.Chunks = append(a.Chunks, Successor{ChunkRef: c.Chunk.ChunkRef, Content: c.Chunk.Content, Page: c.Chunk.PageHint,
			InfoDate: c.Chunk.InfoDate, Status: string(c.Chunk.Status)})
	}
	return nil
}

// between returns the indexes [from, to] of the version after that lie between the nearest
// neighbours of a chunk that both versions have. They are many where a version has little
// in common with the one before: no more than maxSuccessors behind the first are meant.
func between(before, after []catalog.ChunkInOrder, index int) (from, to int) {
	place := make(map[string]int, len(after))
	for _, c := range after {
		if _, known := place[c.ContentTextHash]; !known {
			place[c.ContentTextHash] = c.Index
		}
	}
	from, to = 0, len(after)-1
	for _, c := range before {
		at, stays := place[c.ContentTextHash]
		switch {
		case !stays:
		case c.Index < index:
			from = at + 1
		case c.Index > index && at >= from:
			return from, min(at-1, from+maxSpan)
		}
	}
	return from, min(to, from+maxSpan)
}
