package api

import (
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/services/gateway/internal/quote"
	"github.com/colophon-dev/colophon/services/gateway/internal/refer"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// The structs below are what is promised to callers. What the catalog and the bus answer
// is copied into them field by field: a column or a counter that is added there is public
// only when it is added here, too.

// ChunkAnswer is the answer of /v1/chunks/{ref}.
type ChunkAnswer struct {
	Chunk model.Chunk      `json:"chunk"` // the chunk as it was created
	State model.ChunkState `json:"state"` // what changes about it

	Current model.DocumentCurrent `json:"current"` // which chunks of its document are those of the current version

	SourceRef        model.SourceRef      `json:"source_ref"`           // where it stands, in words that people cite by
	Links            refer.Links          `json:"links"`                // the ways from it to others
	BlockSources     []search.BlockSource `json:"block_sources"`        // all sources whose current chunks hold a block of this one, however they are cut, but for its own document
	MoreBlockSources bool                 `json:"more_block_sources"`   // more chunks hold its blocks than were looked at
	Successor        *quote.After         `json:"came_after,omitempty"` // of a chunk that its document no longer says: what came after it
}

// RunProgress is a run with the number of its pages by state.
type RunProgress struct {
	model.Run
	Announced bool `json:"announced"`       // run.completed was published for its redo
	Pending   int  `json:"pages_pending"`   // pages that are not extracted yet
	Processed int  `json:"pages_processed"` // pages that have units
	Failed    int  `json:"pages_failed"`    // pages that failed
}

// Count is how many things of one kind are in one state.
type Count struct {
	What  string `json:"what"`  // capture, document, run, page, ocr, manifest, chunk, left out (documents of which an unusual share is in no chunk), enrichment (runs by what became of asking a model), proposal (of models, that did not stand), vector
	State string `json:"state"` // in which state
	N     int64  `json:"count"` // how many
}

// Progress is how far a set of requests has come: the work that is left until
// they are quiet (contracts#quiet).
type Progress struct {
	Requests    int `json:"requests"`     // asked for
	Open        int `json:"open"`         // without an outcome
	Unannounced int `json:"unannounced"`  // outcomes not yet published
	Runs        int `json:"runs"`         // of the snapshots that are to be processed, but superseded and removed ones
	OpenRuns    int `json:"open_runs"`    // not terminal, not announced, or not yet begun
	Held        int `json:"held"`         // of open_runs, those whose version waits for what a model proposes
	Pages       int `json:"pages"`        // of Runs
	DonePages   int `json:"done_pages"`   // of these, processed or failed
	FailedPages int `json:"failed_pages"` // of these, failed
	Chunks      int `json:"chunks"`       // of the snapshots
	Unsettled   int `json:"unsettled"`    // documents of which it is to be decided anew what is current
	Unpublished int `json:"unpublished"`  // rows of chunk_log about the chunks, or caused by the runs
	Unpushed    int `json:"unpushed"`     // chunks of these whose state the active collection does not have
}

// Queue is how much waits for one consumer.
type Queue struct {
	Consumer   string     `json:"consumer"`         // name of the consumer
	Stream     string     `json:"stream"`           // name of its stream
	Pending    uint64     `json:"pending"`          // not delivered yet
	AckPending int        `json:"ack_pending"`      // in hand, or handed back for later
	Redelivery int        `json:"redelivery"`       // of those, delivered more than once
	Oldest     *time.Time `json:"oldest,omitempty"` // when the oldest message that is not done was published, by the server's clock
}

func answerChunk(c catalog.ChunkWithState, ref model.SourceRef, links refer.Links, holders catalog.BlockHolders, after *quote.After) ChunkAnswer {
	return ChunkAnswer{
		Chunk: c.Chunk, State: c.State, Current: c.State.Current, SourceRef: ref, Links: links, Successor: after,
		BlockSources: search.BlockSourcesOf(holders), MoreBlockSources: holders.More,
	}
}

func answerRun(r catalog.RunProgress) RunProgress {
	return RunProgress{Run: r.Run, Announced: r.Announced, Pending: r.Pending, Processed: r.Processed, Failed: r.Failed}
}

func answerCount(c catalog.Count) Count {
	return Count{What: c.What, State: c.State, N: c.N}
}

func answerProgress(p catalog.Progress) Progress {
	return Progress{
		Requests: p.Requests, Open: p.Open, Unannounced: p.Unannounced, Runs: p.Runs, OpenRuns: p.OpenRuns, Held: p.Held,
		Pages: p.Pages, DonePages: p.DonePages, FailedPages: p.FailedPages, Chunks: p.Chunks,
		Unsettled: p.Unsettled, Unpublished: p.Unpublished, Unpushed: p.Unpushed,
	}
}

func answerQueue(q stream.Queue) Queue {
	return Queue{Consumer: q.Consumer, Stream: q.Stream, Pending: q.Pending, AckPending: q.AckPending, Redelivery: q.Redelivery, Oldest: q.Oldest}
}

// answerEach returns what answer makes of each; never nil, so that none is written as [].
func answerEach[R, A any](records []R, answer func(R) A) []A {
	answers := make([]A, len(records))
	for i, r := range records {
		answers[i] = answer(r)
	}
	return answers
}
