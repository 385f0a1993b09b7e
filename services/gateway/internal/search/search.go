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
	SearchScope(ctx context.Context, alias string) (catalog.SearchScope, error)
	Claims(ctx context.Context, refs []string) (map[string]catalog.ClaimRow, error)
	Twins(ctx context.Context, refs []string, f catalog.ChunkFilter) (map[string]string, error)
	Saying(ctx context.Context, claims []catalog.Claim, f catalog.ChunkFilter, limit int) ([][]catalog.ChunkWithState, error)
	ChunksWithStates(ctx context.Context, refs []string) ([]catalog.ChunkWithState, error)
	ChunkPageSegments(ctx context.Context, pages []catalog.ChunkPage) (map[catalog.ChunkPage]model.SegmentRow, error)
}

// Points is a collection that can be asked.
type Points interface {
	QueryDense(ctx context.Context, vector []float32, filter vectorstore.Filter, limit int) ([]vectorstore.Hit, error)
	QuerySparse(ctx context.Context, vector vectorstore.Sparse, filter vectorstore.Filter, limit int) ([]vectorstore.Hit, error)
}

// Searcher searches the active collection of an alias. It is safe for
// concurrent use.
type Searcher struct {
	Catalog   Catalog
	Points    func(ctx context.Context, collection string) (Points, error)
	Boxes     *BoxReader
	Embedders map[string]retrieval.Embedder // by the model's name
	Alias     string
	Log       *slog.Logger
}

// Request is a question. An empty list lets everything through; without layers
// those that are current are searched (hot and summary), or all of them as of a
// day.
type Request struct {
	Query                                                     string
	Sources, Types, Statuses, Languages, Territories, Domains []string
	SourceTypes, DocTypes                                     []string
	Layers                                                    []string
	AsOf                                                      time.Time // zero: today
	Limit                                                     int
	NoBoxes                                                   bool // the places of evidence are not asked for
}

// Answer is what was found, best first.
type Answer struct {
	Query      string `json:"query"`           // the question
	AsOf       string `json:"as_of,omitempty"` // YYYY-MM-DD
	Collection string `json:"collection"`      // empty when nothing was indexed yet
	Hits       []Hit  `json:"hits"`            // the hits, the best first
	Times      Times  `json:"-"`               // of its making
}

// Times is how long the parts of an answer took, one after the other.
type Times struct {
	Embedding time.Duration // of the question
	Vectors   time.Duration // in the vector store, and fusing what it found
	Catalog   time.Duration // its questions
	Boxes     time.Duration // the places of evidence
}

// lap adds the time since began to a part.
func lap(part *time.Duration, began time.Time) { *part += time.Since(began) }

// Hit is one content that was found, said as one type and with one status, with
// everything that says it so.
type Hit struct {
	ChunkRef    string         `json:"chunk_ref"`
	Score       float64        `json:"score"`   // 0..1, weighted sum of both sides
	Text        string         `json:"text"`    // the chunk with its header
	Content     string         `json:"content"` // the chunk without its header
	Snippet     string         `json:"snippet"` // the part of content that fits the query best
	Title       string         `json:"title"`
	URL         string         `json:"url"`
	Page        int            `json:"page"` // 1-based, 0 when there is none
	Anchors     []model.Anchor `json:"anchors"`
	SectionPath []string       `json:"section_path"`
	Boxes       []Box          `json:"boxes"`     // of its evidence, for documents with pages
	Type        string         `json:"type"`      // fact, allegation or opinion
	Status      string         `json:"status"`    // under_review, confirmed, refuted or obsolete
	InfoDate    string         `json:"info_date"` // YYYY-MM-DD
	Since       string         `json:"since"`     // earliest date of its chain of repeats
	Layer       string         `json:"layer"`
	Language    string         `json:"language"`
	DocType     string         `json:"doc_type"`
	SourceType  string         `json:"source_type"`
	Domain      string         `json:"domain"`
	Territory   string         `json:"territory"`
	SourceID    string         `json:"source_id"`
	Source      string         `json:"source"` // display name of the source
	DocumentID  string         `json:"document_id"`
	SnapshotID  string         `json:"snapshot_id"`
	Sources     []Source       `json:"sources"`      // all that say it and pass the filters, this chunk first
	MoreSources bool           `json:"more_sources"` // there are more than sources lists
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

// Search answers a question. Before anything was indexed it finds nothing.
func (s *Searcher) Search(ctx context.Context, r Request) (Answer, error) {
	answer := Answer{Query: r.Query, Hits: []Hit{}}
	if !r.AsOf.IsZero() {
		answer.AsOf = r.AsOf.Format(time.DateOnly)
	} else if len(r.Layers) == 0 {
		r.Layers = []string{string(model.LayerHot), string(model.LayerSummary)}
	}
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
	found, err := s.find(ctx, scope, r, &answer.Times)
	if err != nil || len(found.groups) == 0 {
		return answer, err
	}
	began = time.Now()
	filled, err := s.fill(ctx, found, chunkFilter(r, scope))
	lap(&answer.Times.Catalog, began)
	if err != nil {
		return answer, err
	}
	for _, f := range filled {
		answer.Hits = append(answer.Hits, f.hit(r.Query))
	}
	if r.NoBoxes {
		return answer, nil
	}
	began = time.Now()
	err = s.addBoxes(ctx, answer.Hits, filled)
	lap(&answer.Times.Boxes, began)
	return answer, err
}

// find returns the groups of chunks that answer a question best, at most as many
// as it asks for. As long as there are fewer, since many chunks say the same or
// have moved, it looks further down.
func (s *Searcher) find(ctx context.Context, scope catalog.SearchScope, r Request, times *Times) (findings, error) {
	began := time.Now()
	q, err := s.question(ctx, scope, r)
	lap(&times.Embedding, began)
	if err != nil {
		return findings{}, err
	}
	for n := candidates; ; n = min(n*widening, maxCandidates) {
		began := time.Now()
		scores, more, err := q.candidates(ctx, n)
		lap(&times.Vectors, began)
		if err != nil {
			return findings{}, err
		}
		began = time.Now()
		groups, err := s.groups(ctx, scores, scope, r)
		lap(&times.Catalog, began)
		if err != nil {
			return findings{}, err
		}
		if len(groups) >= r.Limit || !more || n == maxCandidates {
			return findings{scores: scores, groups: groups[:min(len(groups), r.Limit)]}, nil
		}
	}
}

// findings are what answers a question.
type findings struct {
	scores []retrieval.Scored // chunks, best first
	groups []group            // of them, best first
}

// group is the chunks of one claim that were found.
type group struct {
	claim catalog.Claim
	score float64
	best  string // the first of them by score, a chunk_ref
}

// claimsAhead is of how many chunks for each hit that is asked for the claims are read
// at first. Most of the hundreds that were found are never looked at.
const claimsAhead = 2

// groups joins chunks of one claim, until there are as many as are asked for. What the
// catalog does not know, or has moved to another layer since it was indexed, is left
// out, and so are chunks of disabled sources.
func (s *Searcher) groups(ctx context.Context, scores []retrieval.Scored, scope catalog.SearchScope, r Request) ([]group, error) {
	var groups []group
	known := make(map[catalog.Claim]bool)
	for from, to := 0, min(claimsAhead*r.Limit, len(scores)); from < to && len(groups) < r.Limit; from, to = to, len(scores) {
		refs := make([]string, to-from)
		for i, hit := range scores[from:to] {
			refs[i] = hit.ID
		}
		claims, err := s.Catalog.Claims(ctx, refs)
		if err != nil {
			return nil, err
		}
		for _, hit := range scores[from:to] {
			row, ok := claims[hit.ID]
			if !ok || known[row.Claim] || slices.Contains(scope.Disabled, row.SourceID) ||
				len(r.Layers) > 0 && !slices.Contains(r.Layers, string(row.Layer)) {
				continue
			}
			known[row.Claim] = true
			groups = append(groups, group{claim: row.Claim, score: hit.Score, best: hit.ID})
		}
	}
	return groups, nil
}

// filled is a group with what the catalog says of it.
type filled struct {
	score  float64
	chunk  catalog.ChunkWithState   // the best, whole
	others []catalog.ChunkWithState // that say the same, without text; those found first
	more   bool                     // there are more than others
}

// fill reads the best chunk of each group, and all that say the same as it: also
// those that were not found, since another one stands for them or their header is
// another. A group whose best chunk is gone is left out.
func (s *Searcher) fill(ctx context.Context, found findings, f catalog.ChunkFilter) ([]filled, error) {
	most := max(leastSources, sourcesOfAnswer/len(found.groups))
	best := make([]string, len(found.groups))
	claims := make([]catalog.Claim, len(found.groups))
	for i, g := range found.groups {
		best[i], claims[i] = g.best, g.claim
	}
	rank := make(map[string]int, len(found.scores)) // below 0, and 0 of what was not found
	for i, hit := range found.scores {
		rank[hit.ID] = i - len(found.scores)
	}
	var (
		chunks []catalog.ChunkWithState
		saying [][]catalog.ChunkWithState
	)
	both, bothCtx := errgroup.WithContext(ctx)
	both.Go(func() (err error) {
		chunks, err = s.Catalog.ChunksWithStates(bothCtx, best)
		return err
	})
	both.Go(func() (err error) {
		saying, err = s.Catalog.Saying(bothCtx, claims, f, most+1)
		return err
	})
	if err := both.Wait(); err != nil {
		return nil, err
	}
	var all []filled
	for i, g := range found.groups {
		at := slices.IndexFunc(chunks, func(c catalog.ChunkWithState) bool { return c.Chunk.ChunkRef == best[i] })
		if at < 0 {
			continue
		}
		one := filled{score: g.score, chunk: chunks[at]}
		one.others = slices.DeleteFunc(saying[i], func(c catalog.ChunkWithState) bool { return c.Chunk.ChunkRef == best[i] })
		slices.SortStableFunc(one.others, func(a, b catalog.ChunkWithState) int {
			return cmp.Compare(rank[a.Chunk.ChunkRef], rank[b.Chunk.ChunkRef])
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
		ChunkRef: c.ChunkRef, Score: f.score, Text: c.Text, Content: c.Content, Snippet: snippet(c.Content, query),
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
	h.Sources = append(h.Sources, sourceOf(f.chunk))
	for _, other := range f.others {
		h.Sources = append(h.Sources, sourceOf(other))
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
