// Package search answers questions: dense and sparse hits under one filter,
// fused, equal contents joined, each with the place of its evidence.
package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/services/gateway/internal/pages"
	"github.com/colophon-dev/colophon/services/gateway/internal/room"
)

// candidates is how many hits each side gives to the fusion, which needs them
// to reach well below what is shown.
const candidates = 100

// Catalog is the record that hits are filled from.
type Catalog interface {
	ActiveCollection(ctx context.Context, alias string) (model.Collection, error)
	Chunks(ctx context.Context, refs []string) ([]model.Chunk, error)
	ChunkStates(ctx context.Context, refs []string) ([]model.ChunkState, error)
	SameTexts(ctx context.Context, textHashes, layers []string) ([]catalog.ChunkWithState, error)
	Manifest(ctx context.Context, docHash string, generation int) (model.Manifest, error)
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
	Pages     pages.Reader
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
	Layers                                                    []string
	AsOf                                                      time.Time // zero: today
	Limit                                                     int
}

// Answer is what was found, best first.
type Answer struct {
	Query      string `json:"query"`           // the question
	AsOf       string `json:"as_of,omitempty"` // YYYY-MM-DD
	Collection string `json:"collection"`      // empty when nothing was indexed yet
	Hits       []Hit  `json:"hits"`            // the hits, the best first
}

// Hit is one content that was found, with everything that says it.
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
	Domain      string         `json:"domain"`
	Territory   string         `json:"territory"`
	SourceID    string         `json:"source_id"`
	Source      string         `json:"source"` // display name of the source
	DocumentID  string         `json:"document_id"`
	SnapshotID  string         `json:"snapshot_id"`
	Sources     []Source       `json:"sources"` // all that say it, this chunk first
}

// Source is a chunk with the content of a hit.
type Source struct {
	ChunkRef   string `json:"chunk_ref"`
	SourceID   string `json:"source_id"`
	Source     string `json:"source"` // display name of the source
	URL        string `json:"url"`
	Title      string `json:"title"`
	Page       int    `json:"page"`      // page, from 1; 0 when there is none
	InfoDate   string `json:"info_date"` // day of the document, YYYY-MM-DD
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
	collection, err := s.Catalog.ActiveCollection(ctx, s.Alias)
	if errors.Is(err, catalog.ErrNotFound) {
		return answer, nil
	}
	if err != nil {
		return answer, err
	}
	answer.Collection = collection.Name
	scores, err := s.find(ctx, collection, r)
	if err != nil || len(scores) == 0 {
		return answer, err
	}
	groups, err := s.group(ctx, scores, r)
	if err != nil {
		return answer, err
	}
	answer.Hits = make([]Hit, len(groups))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	documents := &documents{reader: s.Pages, catalog: s.Catalog}
	for i, g := range groups {
		group.Go(func() error {
			answer.Hits[i] = g.hit(r.Query)
			boxes, err := documents.boxes(groupCtx, g.members[0].Chunk)
			if err != nil {
				if groupCtx.Err() != nil || fault.KindOf(err) == fault.KindUnavailable || errors.Is(err, room.ErrFull) {
					return err
				}
				s.Log.ErrorContext(ctx, "the evidence of a hit cannot be read",
					slog.String("chunk_ref", answer.Hits[i].ChunkRef), slog.Any("error", err))
			}
			answer.Hits[i].Boxes = boxes
			return nil
		})
	}
	return answer, group.Wait()
}

// find returns the fused hits: chunk_refs with their scores, best first.
func (s *Searcher) find(ctx context.Context, collection model.Collection, r Request) ([]retrieval.Scored, error) {
	embedder, ok := s.Embedders[collection.Model]
	if !ok {
		return nil, fault.Unavailable(fmt.Errorf("no embedder for the model %s of collection %s", collection.Model, collection.Name))
	}
	points, err := s.Points(ctx, collection.Name)
	if err != nil {
		return nil, err
	}
	filter := vectorstore.Filter{
		Sources: r.Sources, Types: r.Types, Statuses: r.Statuses, Layers: r.Layers, Languages: r.Languages,
		Territories: r.Territories, Domains: r.Domains, To: r.AsOf,
	}
	var dense, sparse []retrieval.Scored
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		vectors, err := embedder.Embed(ctx, []string{r.Query}, retrieval.Query)
		if err != nil || zero(vectors[0]) {
			return err
		}
		hits, err := points.QueryDense(ctx, vectors[0], filter, candidates)
		dense = scored(hits)
		return err
	})
	group.Go(func() error {
		indices, values := retrieval.SparseQuery(r.Query)
		hits, err := points.QuerySparse(ctx, vectorstore.Sparse{Indices: indices, Values: values}, filter, candidates)
		sparse = scored(hits)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return retrieval.Fuse(dense, sparse, embedder.DenseWeight()), nil
}

// zero reports whether a vector says nothing: its cosines are no scores.
func zero(v []float32) bool { return !slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) }

func scored(hits []vectorstore.Hit) []retrieval.Scored {
	list := make([]retrieval.Scored, len(hits))
	for i, h := range hits {
		list[i] = retrieval.Scored{ID: h.Payload.PointIDReadable, Score: h.Score}
	}
	return list
}

// found is the chunks of one content, best first.
type found struct {
	score   float64
	members []catalog.ChunkWithState
}

// group joins chunks of equal content, fills them from the catalog, and adds
// those for which another one stands. What the catalog does not know, or has
// moved to another layer since it was indexed, is left out.
func (s *Searcher) group(ctx context.Context, scores []retrieval.Scored, r Request) ([]found, error) {
	refs := make([]string, len(scores))
	for i, hit := range scores {
		refs[i] = hit.ID
	}
	chunks, err := s.Catalog.Chunks(ctx, refs)
	if err != nil {
		return nil, err
	}
	states, err := s.Catalog.ChunkStates(ctx, refs)
	if err != nil {
		return nil, err
	}
	byRef := make(map[string]catalog.ChunkWithState, len(chunks))
	for _, c := range chunks {
		byRef[c.ChunkRef] = catalog.ChunkWithState{Chunk: c}
	}
	for _, state := range states {
		if c, ok := byRef[state.ChunkRef]; ok {
			byRef[state.ChunkRef] = catalog.ChunkWithState{Chunk: c.Chunk, State: state}
		}
	}
	var groups []found
	place := make(map[string]int)
	for _, hit := range scores {
		c, ok := byRef[hit.ID]
		if !ok || len(r.Layers) > 0 && !slices.Contains(r.Layers, string(c.State.Layer)) {
			continue
		}
		i, known := place[c.Chunk.ContentTextHash]
		if !known {
			i = len(groups)
			place[c.Chunk.ContentTextHash] = i
			groups = append(groups, found{score: hit.Score})
		}
		groups[i].members = append(groups[i].members, c)
	}
	groups = groups[:min(len(groups), r.Limit)]
	return groups, s.addEqual(ctx, groups, r.Layers)
}

func (s *Searcher) addEqual(ctx context.Context, groups []found, layers []string) error {
	var hashes []string
	place := make(map[string]int)
	for i, g := range groups {
		for _, c := range g.members {
			hashes = append(hashes, c.Chunk.TextHash)
			place[c.Chunk.ContentTextHash] = i
		}
	}
	if len(layers) == 0 {
		layers = []string{string(model.LayerHot), string(model.LayerSummary), string(model.LayerArchive)}
	}
	same, err := s.Catalog.SameTexts(ctx, hashes, layers)
	if err != nil {
		return err
	}
	for _, c := range same {
		i, ok := place[c.Chunk.ContentTextHash]
		if !ok || slices.ContainsFunc(groups[i].members, func(m catalog.ChunkWithState) bool {
			return m.Chunk.ChunkRef == c.Chunk.ChunkRef
		}) {
			continue
		}
		groups[i].members = append(groups[i].members, c)
	}
	return nil
}

func (g found) hit(query string) Hit {
	c, s := g.members[0].Chunk, g.members[0].State
	h := Hit{
		ChunkRef: c.ChunkRef, Score: g.score, Text: c.Text, Content: c.Content, Snippet: snippet(c.Content, query),
		Title: c.Title, URL: c.URL, Page: c.PageHint, Anchors: c.Anchors, SectionPath: c.SectionPath,
		Type: string(c.Type), Status: string(c.Status), InfoDate: c.InfoDate, Since: s.Since, Layer: string(s.Layer),
		Language: c.Language, DocType: c.DocType, Domain: c.Domain, Territory: c.Territory,
		SourceID: c.SourceID, Source: c.Source, DocumentID: c.DocumentID, SnapshotID: c.SnapshotID,
	}
	if h.Anchors == nil {
		h.Anchors = []model.Anchor{}
	}
	if h.SectionPath == nil {
		h.SectionPath = []string{}
	}
	for _, m := range g.members {
		h.Sources = append(h.Sources, Source{
			ChunkRef: m.Chunk.ChunkRef, SourceID: m.Chunk.SourceID, Source: m.Chunk.Source, URL: m.Chunk.URL,
			Title: m.Chunk.Title, Page: m.Chunk.PageHint, InfoDate: m.Chunk.InfoDate,
			DocumentID: m.Chunk.DocumentID, SnapshotID: m.Chunk.SnapshotID,
		})
	}
	return h
}
