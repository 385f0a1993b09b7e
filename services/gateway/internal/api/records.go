package api

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/services/gateway/internal/quote"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// maxSnapshots is how many of a document's snapshots are told.
const maxSnapshots = 100

// pageRecord is how much memory the record of a page takes in an answer, in bytes.
const pageRecord = 8 << 10

// found returns one chunk with its state.
func (a *API) found(r *http.Request) (catalog.ChunkWithState, error) {
	ref, err := pathID(r, "ref")
	if err != nil {
		return catalog.ChunkWithState{}, err
	}
	for group, err := range a.Catalog.ChunkGroups(r.Context(), []string{ref}, "") {
		if err != nil {
			return catalog.ChunkWithState{}, err
		}
		return group[0], nil
	}
	return catalog.ChunkWithState{}, fmt.Errorf("chunk %s: %w", ref, catalog.ErrNotFound)
}

func (a *API) chunk(w http.ResponseWriter, r *http.Request) error {
	c, err := a.found(r)
	if err != nil {
		return err
	}
	ref, err := a.sourceRef(r.Context(), &c.Chunk)
	if err != nil {
		return err
	}
	after, err := quote.WhatCameAfter(r.Context(), a.Catalog, c)
	if err != nil {
		return err
	}
	states, err := a.Catalog.ChunkStates(r.Context(), []string{c.Chunk.ChunkRef})
	if err != nil {
		return err
	}
	if len(states) == 1 { // else it was taken away in between
		c.State = states[0]
	}
	links, err := a.References.Links(r.Context(), c.Chunk)
	if err != nil {
		return err
	}
	holders, err := a.Catalog.BlockHolders(r.Context(), []string{c.Chunk.ChunkRef}, search.HolderChunksOfOne)
	if err != nil {
		return err
	}
	return a.answer(w, answerChunk(c, ref, links, holders[c.Chunk.ChunkRef], after))
}

// proof answers with the proof of a chunk.
func (a *API) proof(w http.ResponseWriter, r *http.Request) error {
	c, err := a.found(r)
	if err != nil {
		return err
	}
	proofs, err := a.Prover.Prove(r.Context(), []proof.Item{{Chunk: c.Chunk, State: c.State}})
	if err != nil {
		return err
	}
	return a.answer(w, proofs[0])
}

// DocumentAnswer is the answer of /v1/documents/{id}.
type DocumentAnswer struct {
	Document  model.Document   `json:"document"`  // the document
	Snapshots []Version        `json:"snapshots"` // the newest 100, newest first
	Manifests []model.Manifest `json:"manifests"` // newest first
	Pages     []PageState      `json:"pages"`     // of the newest run of the newest snapshot that has one
}

// Version is a snapshot of a document with its runs, in their order.
type Version struct {
	Snapshot model.Snapshot `json:"snapshot"` // one of its snapshots
	Process  bool           `json:"process"`  // false: recorded, nothing to run
	Runs     []RunProgress  `json:"runs"`     // the snapshot's runs, in their order
}

// PageState is where a page stands, and how much of it is in its units.
type PageState struct {
	PageNo       int              `json:"page_no"` // from 1
	Status       model.PageStatus `json:"status"`
	Reason       string           `json:"reason,omitempty"`
	Message      string           `json:"error_message,omitempty"`
	Label        string           `json:"label,omitempty"` // what the document calls it, such as iv
	Units        int              `json:"units"`           // how many units it has
	Coverage     float64          `json:"coverage"`        // 0..1, share of visible characters that are in some unit
	CoverageNote string           `json:"coverage_note,omitempty"`
	Flags        []string         `json:"quality_flags,omitempty"`
	Ledger       *model.Ledger    `json:"coverage_ledger,omitempty"`
	LeftOut      *model.LeftOut   `json:"left_out,omitempty"` // characters that no chunk has, where there are some
	OCR          []model.PageOCR  `json:"ocr,omitempty"`      // its parts that need OCR
}

func (a *API) document(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	ctx := r.Context()
	d := DocumentAnswer{Snapshots: []Version{}, Manifests: []model.Manifest{}, Pages: []PageState{}}
	if d.Document, err = a.Catalog.Document(ctx, id); err != nil {
		return err
	}
	snapshots, err := a.Catalog.DocumentSnapshots(ctx, id, maxSnapshots)
	if err != nil {
		return err
	}
	ids := make([]string, len(snapshots))
	for i, s := range snapshots {
		ids[i] = s.SnapshotID
	}
	runs, err := a.Catalog.RunsProgress(ctx, ids)
	if err != nil {
		return err
	}
	for _, s := range snapshots {
		v := Version{Snapshot: s.Snapshot, Process: s.Process, Runs: []RunProgress{}}
		for _, run := range runs {
			if run.SnapshotID == s.SnapshotID {
				v.Runs = append(v.Runs, answerRun(run))
			}
		}
		d.Snapshots = append(d.Snapshots, v)
	}
	manifests, err := a.Catalog.DocumentManifests(ctx, id)
	if err != nil {
		return err
	}
	d.Manifests = append(d.Manifests, manifests...)
	return a.compose(w, func(b io.Writer) error {
		for _, v := range d.Snapshots {
			if len(v.Runs) == 0 {
				continue
			}
			pages, give, err := a.pagesOf(ctx, v.Runs[len(v.Runs)-1].Run)
			if err != nil {
				return err
			}
			defer give()
			for _, p := range pages {
				d.Pages = append(d.Pages, PageState{
					PageNo: p.PageNo, Label: p.Label, Status: p.Status, Reason: p.Reason, Message: p.Message, Units: p.UnitCount,
					Coverage: p.Coverage, CoverageNote: p.CoverageNote, Flags: p.Flags, Ledger: p.Ledger, LeftOut: p.LeftOut, OCR: p.OCR,
				})
			}
			break
		}
		return encode(w, b, d)
	})
}

// pagesOf returns the pages of a run, for which there is memory until give is
// called.
func (a *API) pagesOf(ctx context.Context, run model.Run) (pages []model.Page, give func(), err error) {
	if give, err = a.Pages.Memory.Take(ctx, int64(run.PageCount)*pageRecord); err != nil {
		return nil, nil, err
	}
	if pages, err = a.Catalog.Pages(ctx, run.SnapshotID, run.ExtractionID); err != nil {
		give()
		return nil, nil, err
	}
	return pages, give, nil
}

// ChangesAnswer is the answer of /v1/changes.
type ChangesAnswer struct {
	Changes []Change `json:"changes"` // the entries, in their order
	Next    int64    `json:"next"`    // what to ask for after these
	Epoch   string   `json:"epoch"`   // the copy of the catalog whose log this is: another one, or an after that is not found, says that the catalog was restored, that what you keep is void, and that the log is to be read from 0
}

// Change is an entry of the chunk log as the event that says it.
type Change struct {
	Seq  int64  `json:"seq"`  // number of the entry
	Type string `json:"type"` // colophon.chunk.created.v1, …superseded.v1, …removed.v1
	Data any    `json:"data"` // of the event; the newest state of the chunk
}

func (a *API) changes(w http.ResponseWriter, r *http.Request) error {
	values, err := query(r, "after", "limit")
	if err != nil {
		return err
	}
	answer := ChangesAnswer{Changes: []Change{}}
	if answer.Next, err = number(values, "after", 0, 0, math.MaxInt64); err != nil {
		return err
	}
	limit, err := number(values, "limit", maxLimit, 1, maxLimit)
	if err != nil {
		return err
	}
	ctx := r.Context()
	epoch, entries, err := a.Catalog.Changes(ctx, answer.Next, int(limit))
	if err != nil {
		return err
	}
	answer.Epoch = epoch
	refs := make([]string, len(entries))
	for i, e := range entries {
		refs[i] = e.ChunkRef
	}
	chunks, err := a.Catalog.Chunks(ctx, refs)
	if err != nil {
		return err
	}
	states, err := a.Catalog.ChunkStates(ctx, refs)
	if err != nil {
		return err
	}
	byRef, stateOf := make(map[string]model.Chunk, len(chunks)), make(map[string]model.ChunkState, len(states))
	for _, c := range chunks {
		byRef[c.ChunkRef] = c
	}
	for _, s := range states {
		stateOf[s.ChunkRef] = s
	}
	for _, e := range entries {
		c, there := byRef[e.ChunkRef]
		if !there {
			e.Change = model.ChangeRemoved // the entry that says so comes later
		}
		d := event.OfChange(e, c, stateOf[e.ChunkRef])
		answer.Changes = append(answer.Changes, Change{Seq: e.Seq, Type: d.Type(), Data: d})
		answer.Next = e.Seq
	}
	return a.answer(w, answer)
}

// StatusAnswer is the answer of /v1/status.
type StatusAnswer struct {
	Quiet    bool        `json:"quiet"`                 // nothing is left to do (contracts#quiet)
	Counts   []Count     `json:"counts"`                // how many things are in which state
	Queues   []Queue     `json:"queues"`                // what waits
	Progress Progress    `json:"progress"`              // how far everything has come
	Oldest   *model.Time `json:"oldest_open,omitempty"` // last progress of the oldest open work
}

func (a *API) status(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	counts, err := a.Catalog.Counts(ctx)
	if err != nil {
		return err
	}
	queues, err := a.Queues.Queues(ctx)
	if err != nil {
		return err
	}
	progress, err := a.Catalog.Progress(ctx, "", nil)
	if err != nil {
		return err
	}
	s := StatusAnswer{
		Quiet: progress.Quiet(), Counts: answerEach(counts, answerCount), Queues: answerEach(queues, answerQueue), Progress: answerProgress(progress),
	}
	at, open, err := a.Catalog.Oldest(ctx)
	if err != nil {
		return err
	}
	if open {
		s.Oldest = &at
	}
	return a.answer(w, s)
}
