// Package search answers questions: dense and sparse hits under one filter,
// fused, chunks that say the same joined, each with the place of its evidence.
package search

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/language"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// How many sources an answer lists: shared by its hits, and of each so many at
// least. Ten thousand pages that carry one notice must not make an answer of
// megabytes.
const (
	sourcesOfAnswer = 2000
	leastSources    = 50
)

// Catalog is the record that hits are filled from.
type Catalog interface {
	Rankings
	Contents
	Surroundings
}

// Rankings are what the catalog finds, and by what what was found is put in order.
type Rankings interface {
	SearchScope(ctx context.Context, alias string) (catalog.SearchScope, error)
	PlacedChunks(ctx context.Context, f catalog.ChunkFilter, limit int) ([]catalog.Placed, error)
	FulltextHits(ctx context.Context, language, question string, f catalog.ChunkFilter, limit int) ([]catalog.FulltextHit, error)
	Claims(ctx context.Context, refs []string) (map[string]catalog.ClaimRow, error)
	Facets(ctx context.Context, claims []catalog.Claim, f catalog.ChunkFilter) (counts []catalog.FacetCount, whole bool, err error)
}

// Contents are the chunks that were found, and who says the same.
type Contents interface {
	ChunksWithStates(ctx context.Context, refs []string) ([]catalog.ChunkWithState, error)
	Saying(ctx context.Context, claims []catalog.Claim, f catalog.ChunkFilter, limit int) ([][]catalog.ChunkWithState, error)
	FirstOfChains(ctx context.Context, refs []string, f catalog.ChunkFilter) (map[string]string, error)
	BlockHolders(ctx context.Context, refs []string, limit int) (map[string]catalog.BlockHolders, error)
}

// Surroundings are what stands beside chunks, in their documents and in time.
type Surroundings interface {
	Neighbours(ctx context.Context, refs []string, reach int) (map[string][]catalog.ChunkWithState, error)
	Replacing(ctx context.Context, contentTextHashes []string, until string, except []string) (map[string][]model.Chunk, error)
	ChunkPageSegments(ctx context.Context, pages []catalog.ChunkPage) (map[catalog.ChunkPage]model.SegmentRow, error)
}

// Points is a collection that can be asked.
type Points interface {
	QueryDense(ctx context.Context, vector []float32, filter vectorstore.Filter, limit int) ([]vectorstore.Hit, error)
	QuerySparse(ctx context.Context, vector vectorstore.Sparse, filter vectorstore.Filter, limit int) ([]vectorstore.Hit, error)
	Count(ctx context.Context, filter vectorstore.Filter) (int, error)
}

// Searcher searches the active collection of an alias. It is safe for
// concurrent use.
type Searcher struct {
	Catalog    Catalog
	Points     func(ctx context.Context, collection string) (Points, error)
	Boxes      *BoxReader
	Embedders  map[string]retrieval.Embedder // by the model's name
	Reranker   Reranker                      // nil: none
	References References                    // nil: none are followed
	Fulltext   bool                          // whether the catalog is asked by its full text, too
	Alias      string
	Log        *slog.Logger
}

// Request is a question. Without layers those that are current are searched (hot and
// summary), or all of them as of a day or within snapshots.
type Request struct {
	Query string // "…" is a phrase, -word is left out
	Filter
	Limit      int
	Cursor     string // where the page begins, the Next of the one before; "" is the first
	NoBoxes    bool   // the places of evidence are not asked for
	Highlights bool   // where the content fits the question
	Neighbours int    // how many chunks before and behind each hit are told
	Facets     bool   // what was found is counted by its values
	NoBlocks   bool   // who else holds the blocks of hits is not asked for
}

// Answer is what was found, best first.
type Answer struct {
	Query      string  `json:"query"`            // the question
	Language   string  `json:"language"`         // of the question, ISO 639-1; empty when it is not known
	AsOf       string  `json:"as_of,omitempty"`  // YYYY-MM-DD
	Collection string  `json:"collection"`       // empty when nothing was indexed yet
	WordsOnly  bool    `json:"words_only"`       // the embedding model could not be asked: what says it in other words is missing
	Reranking  string  `json:"reranking"`        // off, done, or away: the reranker could not be asked
	Bounded    bool    `json:"bounded"`          // phrases and filters were looked for among the best of each side only, and there may be more
	Facets     *Facets `json:"facets,omitempty"` // where they were asked for
	Hits       []Hit   `json:"hits"`             // the hits, the best first
	Next       string  `json:"next"`             // cursor of the next page; empty when there is none
	Times      Times   `json:"-"`                // of its making
}

// Facets count the hits of a question by the values that chunks have which say them and
// pass the filters.
type Facets struct {
	Counted  int                     `json:"counted"`  // hits that were counted: those among the 400 best texts of each side of the search
	Complete bool                    `json:"complete"` // these are all that there are, and all chunks that say them were looked at
	Fields   map[string][]FacetValue `json:"fields"`   // by source, source_type, type, status, language, doc_type, domain and territory: the most frequent 50 values first
}

// FacetValue is one value and how many hits have it.
type FacetValue struct {
	Value string `json:"value"` // as chunks have it
	Count int    `json:"count"` // hits that have it
}

// maxFacetValues is how many values of a field are told.
const maxFacetValues = 50

// Times is how long the parts of an answer took, one after the other.
type Times struct {
	Embedding time.Duration // of the question
	Vectors   time.Duration // in the vector store, and fusing what it found
	Reranking time.Duration // of the first hits, with the reading of their texts
	Catalog   time.Duration // its questions
	Boxes     time.Duration // the places of evidence
}

// lap adds the time since began to a part.
func lap(part *time.Duration, began time.Time) { *part += time.Since(began) }

// Hit is one content that was found, said as one type and with one status, with
// everything that says it so.
type Hit struct {
	ChunkRef         string         `json:"chunk_ref"`
	Score            float64        `json:"score"`                 // 0..1, weighted sum of both sides
	ReferredBy       string         `json:"referred_by,omitempty"` // chunk_ref of the hit that refers to it, where that brought it to its place
	Text             string         `json:"text"`                  // the chunk with its header
	Content          string         `json:"content"`               // the chunk without its header
	Snippet          string         `json:"snippet"`               // the part of content that fits the query best
	Title            string         `json:"title"`
	URL              string         `json:"url"`
	Page             int            `json:"page"` // 1-based, 0 when there is none
	Anchors          []model.Anchor `json:"anchors"`
	SectionPath      []string       `json:"section_path"`
	Boxes            []Box          `json:"boxes"`                // of its evidence, for documents with pages
	Highlights       []Highlight    `json:"highlights,omitempty"` // where content fits the question, when asked for
	Before           []Neighbour    `json:"before,omitempty"`     // the chunks before it in its document, when asked for
	After            []Neighbour    `json:"after,omitempty"`      // the chunks behind it
	Type             string         `json:"type"`                 // fact, allegation or opinion
	Status           string         `json:"status"`               // under_review, confirmed, refuted or obsolete
	InfoDate         string         `json:"info_date"`            // YYYY-MM-DD
	Since            string         `json:"since"`                // earliest date of its chain of repeats
	Layer            string         `json:"layer"`
	Language         string         `json:"language"`
	DocType          string         `json:"doc_type"`
	SourceType       string         `json:"source_type"`
	Domain           string         `json:"domain"`
	Territory        string         `json:"territory"`
	SourceID         string         `json:"source_id"`
	Source           string         `json:"source"` // display name of the source
	DocumentID       string         `json:"document_id"`
	SnapshotID       string         `json:"snapshot_id"`
	Sources          []Source       `json:"sources"`               // all that say it and pass the filters, this chunk first
	MoreSources      bool           `json:"more_sources"`          // there are more than sources lists
	BlockSources     []BlockSource  `json:"block_sources"`         // all sources whose current chunks hold a block of this one, however they are cut, but for its own document; empty when they were not asked for
	MoreBlockSources bool           `json:"more_block_sources"`    // more chunks hold its blocks than were looked at
	ReplacedBy       []Replacement  `json:"replaced_by,omitempty"` // what operators have added that is known of it since, the newest first
	Replaces         []string       `json:"replaces,omitempty"`    // chunk_refs of which an operator has added it as what is known since
}

// Replacement is a chunk that an operator has added, by which another is what is known of since.
type Replacement struct {
	ChunkRef string `json:"chunk_ref"`
	Type     string `json:"type"`      // fact, allegation or opinion
	Status   string `json:"status"`    // under_review, confirmed, refuted or obsolete
	InfoDate string `json:"info_date"` // YYYY-MM-DD
	Source   string `json:"source"`    // display name of the source
	Content  string `json:"content"`   // the chunk without its header
}

// Neighbour is a chunk that stands near a hit in its document.
type Neighbour struct {
	ChunkRef    string   `json:"chunk_ref"`
	ChunkIndex  int      `json:"chunk_index"` // its place among the chunks of its document, from 0
	Content     string   `json:"content"`     // the chunk without its header
	Page        int      `json:"page"`        // page, from 1; 0 when there is none
	SectionPath []string `json:"section_path"`
}

// Source is a chunk with the content, type and status of a hit.
type Source struct {
	ChunkRef   string `json:"chunk_ref"`
	SourceID   string `json:"source_id"`
	Source     string `json:"source"` // display name of the source
	SourceType string `json:"source_type"`
	URL        string `json:"url"`
	Title      string `json:"title"`
	DocType    string `json:"doc_type"`
	Page       int    `json:"page"`      // page, from 1; 0 when there is none
	Type       string `json:"type"`      // fact, allegation or opinion: that of the hit
	Status     string `json:"status"`    // under_review, confirmed, refuted or obsolete: that of the hit
	InfoDate   string `json:"info_date"` // day of the document, YYYY-MM-DD
	Layer      string `json:"layer"`     // hot, summary or archive
	DocumentID string `json:"document_id"`
	SnapshotID string `json:"snapshot_id"`
}

// Box is a place on a page: the unit's box, normalised to [0, 1], origin top
// left.
type Box struct {
	Page int        `json:"page"` // 1-based
	IRID string     `json:"ir_id"`
	BBox model.BBox `json:"bbox"` // box on the full upright page
}

// Search answers a question. Before anything was indexed it finds nothing. ErrCursor,
// ErrTooWide and the error of CheckQuery say what is wrong with the request.
func (s *Searcher) Search(ctx context.Context, r Request) (Answer, error) {
	answer := Answer{Query: r.Query, AsOf: dayOf(r.AsOf), Language: language.Of(r.Query), Reranking: RerankingOff, Hits: []Hit{}}
	w, err := parseWording(r.Query)
	if err != nil {
		return answer, err
	}
	r.Filter = r.withLayers()
	began := time.Now()
	scope, err := s.Catalog.SearchScope(ctx, s.Alias)
	lap(&answer.Times.Catalog, began)
	if errors.Is(err, catalog.ErrNotFound) {
		return answer, nil
	}
	if err != nil {
		return answer, err
	}
	answer.Collection = scope.Collection.Name
	before, err := hitsBefore(r, scope.Collection.Name)
	if err != nil {
		return answer, err
	}
	until := min(before+r.Limit, maxDepth)
	found, err := s.findInOrder(ctx, scope, r, w, before, until+1, &answer.Times)
	answer.WordsOnly, answer.Reranking, answer.Bounded = found.wordsOnly, found.reranking, found.bounded && len(found.groups) <= until
	if err != nil {
		return answer, err
	}
	if r.Facets {
		if err := s.addFacets(ctx, &answer, found, r.chunks(scope)); err != nil {
			return answer, err
		}
	}
	if len(found.groups) > until {
		answer.Next = cursorAfter(until, r, scope.Collection.Name)
	}
	if found.groups = found.groups[min(before, len(found.groups)):min(until, len(found.groups))]; len(found.groups) == 0 {
		return answer, nil
	}
	return answer, s.show(ctx, &answer, found, r, w, scope)
}

// show fills the hits of an answer.
func (s *Searcher) show(ctx context.Context, answer *Answer, found findings, r Request, w wording, scope catalog.SearchScope) error {
	began := time.Now()
	filled, err := s.fill(ctx, found, r.chunks(scope), !r.NoBlocks)
	if err == nil {
		err = s.addReplacing(ctx, filled, dayOf(r.AsOf), scope.Disabled)
	}
	if err == nil && r.Neighbours > 0 {
		err = s.addNeighbours(ctx, filled, r.Neighbours)
	}
	lap(&answer.Times.Catalog, began)
	if err != nil {
		return err
	}
	for _, f := range filled {
		answer.Hits = append(answer.Hits, f.hit(w.asked))
	}
	var pages map[catalog.ChunkPage]*places
	if !r.NoBoxes {
		began = time.Now()
		pages, err = s.addBoxes(ctx, answer.Hits, filled)
		lap(&answer.Times.Boxes, began)
	}
	if err != nil || !r.Highlights {
		return err
	}
	for i, f := range filled {
		c := f.chunk.Chunk
		answer.Hits[i].Highlights = w.highlights(c, func(seg model.Segment) *model.BBox {
			return boxOf(pages[pageOf(c, seg)], seg)
		})
	}
	return nil
}

// addFacets counts what was found.
func (s *Searcher) addFacets(ctx context.Context, answer *Answer, found findings, f catalog.ChunkFilter) error {
	answer.Facets = &Facets{Counted: len(found.groups), Complete: !found.bounded, Fields: make(map[string][]FacetValue)}
	claims := make([]catalog.Claim, len(found.groups))
	for i, g := range found.groups {
		claims[i] = g.claim
	}
	began := time.Now()
	counts, whole, err := s.Catalog.Facets(ctx, claims, f)
	answer.Facets.Complete = answer.Facets.Complete && whole
	lap(&answer.Times.Catalog, began)
	for _, c := range counts {
		if values := answer.Facets.Fields[c.Field]; len(values) < maxFacetValues {
			answer.Facets.Fields[c.Field] = append(values, FacetValue{c.Value, c.Count})
		}
	}
	return err
}

// addNeighbours reads what stands around the best chunk of each group.
func (s *Searcher) addNeighbours(ctx context.Context, of []filled, reach int) error {
	refs := make([]string, len(of))
	for i, f := range of {
		refs[i] = f.chunk.Chunk.ChunkRef
	}
	around, err := s.Catalog.Neighbours(ctx, refs, reach)
	for i, f := range of {
		of[i].around = around[f.chunk.Chunk.ChunkRef]
	}
	return err
}

// filled is a group with what the catalog says of it.
type filled struct {
	score   float64
	by      string                   // the hit that refers to it
	chunk   catalog.ChunkWithState   // the best, whole
	others  []catalog.ChunkWithState // that say the same, without text; those found first
	more    bool                     // there are more than others
	around  []catalog.ChunkWithState // that stand near it in its document, in their order
	holders catalog.BlockHolders     // that have blocks of it
	since   []model.Chunk            // what operators have added that is known of it since
}

// addReplacing reads what operators have added about the contents of groups, until a day ("" for no bound).
func (s *Searcher) addReplacing(ctx context.Context, of []filled, until string, disabled []string) error {
	hashes := make([]string, len(of))
	for i, f := range of {
		hashes[i] = f.chunk.Chunk.ContentTextHash
	}
	found, err := s.Catalog.Replacing(ctx, hashes, until, disabled)
	for i := range of {
		of[i].since = found[of[i].chunk.Chunk.ContentTextHash]
	}
	return err
}

// fill reads the best chunk of each group, and all that say the same as it: also
// those that were not found, since another one stands for them or their header is
// another; with blocks also who else holds its blocks. A group whose best chunk is gone is left out.
func (s *Searcher) fill(ctx context.Context, found findings, f catalog.ChunkFilter, blocks bool) ([]filled, error) {
	most := max(leastSources, sourcesOfAnswer/len(found.groups))
	best := make([]string, len(found.groups))
	claims := make([]catalog.Claim, len(found.groups))
	for i, g := range found.groups {
		best[i], claims[i] = g.best, g.claim
	}
	rank := func(ref string) int { // below 0, and 0 of what was not found
		if n, ok := found.ranks[ref]; ok {
			return n - len(found.ranks)
		}
		return 0
	}
	var (
		chunks  []catalog.ChunkWithState
		saying  [][]catalog.ChunkWithState
		holders map[string]catalog.BlockHolders
	)
	reading, readCtx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) {
		chunks, err = s.Catalog.ChunksWithStates(readCtx, best)
		return err
	})
	reading.Go(func() (err error) {
		saying, err = s.Catalog.Saying(readCtx, claims, f, most+1)
		return err
	})
	if blocks {
		reading.Go(func() (err error) {
			holders, err = s.Catalog.BlockHolders(readCtx, best, HolderChunksOfHit)
			return err
		})
	}
	if err := reading.Wait(); err != nil {
		return nil, err
	}
	var all []filled
	for i, g := range found.groups {
		at := slices.IndexFunc(chunks, func(c catalog.ChunkWithState) bool { return c.Chunk.ChunkRef == best[i] })
		if at < 0 {
			continue
		}
		one := filled{score: g.score, by: g.by, chunk: chunks[at], holders: holders[g.best]}
		one.others = slices.DeleteFunc(saying[i], func(c catalog.ChunkWithState) bool { return c.Chunk.ChunkRef == best[i] })
		slices.SortStableFunc(one.others, func(a, b catalog.ChunkWithState) int {
			return cmp.Compare(rank(a.Chunk.ChunkRef), rank(b.Chunk.ChunkRef))
		})
		if one.more = len(one.others) >= most; one.more {
			one.others = one.others[:most-1]
		}
		all = append(all, one)
	}
	return all, nil
}

func (f filled) hit(query string) Hit {
	c, s := f.chunk.Chunk, f.chunk.State
	h := Hit{
		ChunkRef: c.ChunkRef, Score: f.score, ReferredBy: f.by, Text: c.Text, Content: c.Content, Snippet: snippet(c.Content, query),
		Title: c.Title, URL: c.URL, Page: c.PageHint, Anchors: c.Anchors, SectionPath: c.SectionPath, Boxes: []Box{},
		Type: string(c.Type), Status: string(c.Status), InfoDate: c.InfoDate, Since: s.Since, Layer: string(s.Layer),
		Language: c.Language, DocType: c.DocType, SourceType: c.SourceType, Domain: c.Domain, Territory: c.Territory,
		SourceID: c.SourceID, Source: c.Source, DocumentID: c.DocumentID, SnapshotID: c.SnapshotID, MoreSources: f.more,
	}
	if h.Anchors == nil {
		h.Anchors = []model.Anchor{}
	}
	if h.SectionPath == nil {
		h.SectionPath = []string{}
	}
	h.BlockSources, h.MoreBlockSources = BlockSourcesOf(f.holders), f.holders.More
	h.Replaces = c.Meta.Replaces
	for _, n := range f.since {
		h.ReplacedBy = append(h.ReplacedBy, Replacement{n.ChunkRef, string(n.Type), string(n.Status), n.InfoDate, n.Source, n.Content})
	}
	h.Sources = append(h.Sources, sourceOf(f.chunk))
	for _, other := range f.others {
		h.Sources = append(h.Sources, sourceOf(other))
	}
	for _, near := range f.around {
		n := Neighbour{near.Chunk.ChunkRef, near.Chunk.ChunkIndex, near.Chunk.Content, near.Chunk.PageHint, near.Chunk.SectionPath}
		if n.SectionPath == nil {
			n.SectionPath = []string{}
		}
		if n.ChunkIndex < c.ChunkIndex {
			h.Before = append(h.Before, n)
		} else {
			h.After = append(h.After, n)
		}
	}
	return h
}

func sourceOf(c catalog.ChunkWithState) Source {
	return Source{
		ChunkRef: c.Chunk.ChunkRef, SourceID: c.Chunk.SourceID, Source: c.Chunk.Source, SourceType: c.Chunk.SourceType,
		URL: c.Chunk.URL, Title: c.Chunk.Title, DocType: c.Chunk.DocType, Page: c.Chunk.PageHint,
		Type: string(c.Chunk.Type), Status: string(c.Chunk.Status), InfoDate: c.Chunk.InfoDate, Layer: string(c.State.Layer),
		DocumentID: c.Chunk.DocumentID, SnapshotID: c.Chunk.SnapshotID,
	}
}
