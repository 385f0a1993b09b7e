// Package refer finds which chunks a chunk refers to (contracts#references): it reads
// references out of texts, and places out of the versions that they name. Nothing of it is
// stored: both are functions of chunks, which never change.
package refer

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/reference"
)

// What is read at most.
const (
	maxChunks  = 5000    // of one version
	keptPlaces = 500_000 // entries of places that are kept, some 100 bytes each
	leastKept  = 16      // entries that a version counts as, at least
	maxTitled  = 3       // documents that have the words of a title: more name none
	maxLaws    = 8       // other documents that one chunk names
)

// Catalog is what is read.
type Catalog interface {
	ReferringChunks(ctx context.Context, refs []string) ([]catalog.Referring, error)
	VersionTexts(ctx context.Context, set model.ChunkSet, limit int) ([]model.Chunk, error)
	DocumentsTitled(ctx context.Context, words []string, sourceID string, limit int) ([]catalog.Titled, error)
}

// Resolver resolves references. It keeps the places of the versions that it read last, and
// is safe for concurrent use.
type Resolver struct {
	catalog Catalog
	grammar *reference.Grammar

	mu      sync.Mutex
	kept    *simplelru.LRU[model.ChunkSet, *reference.Places]
	entries int // of kept
}

// New returns a resolver.
func New(c Catalog) *Resolver {
	r := &Resolver{catalog: c, grammar: reference.NewGrammar()}
	// Its size counts versions; what bounds it are their entries. A size below 1 is the only
	// error.
	r.kept, _ = simplelru.NewLRU(keptPlaces/leastKept, func(_ model.ChunkSet, p *reference.Places) { r.entries -= size(p) })
	return r
}

func size(p *reference.Places) int { return max(leastKept, p.Size()) }

// Target is a reference of a chunk, with what it leads to.
type Target struct {
	reference.Reference
	DocumentID string   // of another document that it names; "" where it is its own, or none is known
	Chunks     []string // chunk_refs of the version that is current, in their order
}

// Of returns the references of chunks that lead to a chunk, by chunk_ref, in their order.
// Chunks that do not exist are left out.
func (r *Resolver) Of(ctx context.Context, refs []string) (map[string][]Target, error) {
	chunks, err := r.catalog.ReferringChunks(ctx, refs)
	if err != nil {
		return nil, err
	}
	found := make(map[string][]Target, len(chunks))
	for _, c := range chunks {
		if found[c.ChunkRef], err = r.targets(ctx, c); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (r *Resolver) targets(ctx context.Context, c catalog.Referring) ([]Target, error) {
	var all []Target
	laws := 0
	for _, one := range r.grammar.Find(c.Content) {
		t := Target{Reference: one}
		set, from := c.Meant, -1
		if !one.Law.Empty() {
			if laws++; laws > maxLaws {
				continue
			}
			named, err := r.named(ctx, one.Law, c.SourceID)
			if err != nil {
				return nil, err
			}
			if named.DocumentID == "" {
				continue
			}
			t.DocumentID, set = named.DocumentID, named.Current
		}
		places, err := r.Places(ctx, set)
		if err != nil {
			return nil, err
		}
		if set == c.Meant {
			from = places.Index(c.ContentTextHash)
		}
		switch {
		case one.Number != "":
			t.Chunks = places.Resolve(one.Place, from)
		case from < 0 && places.First() != "": // a document, and not this one
			t.Chunks = []string{places.First()}
		}
		if len(t.Chunks) > 0 {
			all = append(all, t)
		}
	}
	return all, nil
}

// named returns the one document that a text of a source means by a name: of several that of
// the source, if it is one.
func (r *Resolver) named(ctx context.Context, law reference.Law, sourceID string) (catalog.Titled, error) {
	for _, words := range r.grammar.Titles(law) {
		found, err := r.catalog.DocumentsTitled(ctx, words, sourceID, maxTitled)
		if err != nil {
			return catalog.Titled{}, err
		}
		if len(found) == 1 || len(found) > 1 && found[0].SourceID == sourceID && found[1].SourceID != sourceID {
			return found[0], nil
		}
		if len(found) > 0 {
			break // fewer words are of more documents
		}
	}
	return catalog.Titled{}, nil
}

// Places returns the places of a version.
func (r *Resolver) Places(ctx context.Context, set model.ChunkSet) (*reference.Places, error) {
	r.mu.Lock()
	places, known := r.kept.Get(set)
	r.mu.Unlock()
	if known {
		return places, nil
	}
	chunks, err := r.catalog.VersionTexts(ctx, set, maxChunks)
	if err != nil {
		return nil, err
	}
	texts := make([]reference.Chunk, len(chunks))
	for i, c := range chunks {
		texts[i] = reference.Chunk{Ref: c.ChunkRef, Hash: c.ContentTextHash, Content: c.Content, SectionPath: c.SectionPath, Anchors: c.Anchors}
	}
	places = r.grammar.PlacesOf(texts)
	if len(chunks) > 0 {
		r.keep(set, places)
	}
	return places, nil
}

// keep adds places, instead of those that were not asked for the longest.
func (r *Resolver) keep(set model.ChunkSet, places *reference.Places) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept.Contains(set) || size(places) > keptPlaces {
		return
	}
	r.entries += size(places)
	r.kept.Add(set, places)
	for r.entries > keptPlaces {
		r.kept.RemoveOldest()
	}
}

// Links are the ways from a chunk to others; one that is "" leads nowhere.
type Links struct {
	Prev     string   `json:"prev,omitempty"`      // chunk_ref of the chunk before it in its version
	Next     string   `json:"next,omitempty"`      // chunk_ref of the chunk behind it
	Section  string   `json:"section,omitempty"`   // chunk_ref of the first chunk of its section
	RefersTo []Refers `json:"refers_to,omitempty"` // what it refers to, as far as that is known
}

// Refers is a reference of a chunk to others.
type Refers struct {
	Text       string   `json:"text"`                  // as it stands in content
	Start      int      `json:"start"`                 // first byte of it in content
	End        int      `json:"end"`                   // byte behind the last one
	Kind       string   `json:"kind,omitempty"`        // article, section, chapter, …; none of a document as a whole
	Number     string   `json:"number,omitempty"`      // of the place, in one form: 55, l-21-3, m-9
	DocumentID string   `json:"document_id,omitempty"` // of another document that it names
	ChunkRefs  []string `json:"chunk_refs"`            // the chunks of that place, at most 8
}

// Links returns the ways from a chunk.
func (r *Resolver) Links(ctx context.Context, c model.Chunk) (Links, error) {
	places, err := r.Places(ctx, model.ChunkSet{DocHash: c.DocHash, Generation: c.Generation})
	if err != nil {
		return Links{}, err
	}
	var l Links
	l.Prev, l.Next, l.Section = places.Around(c.ChunkIndex)
	targets, err := r.Of(ctx, []string{c.ChunkRef})
	if err != nil {
		return l, err
	}
	for _, t := range targets[c.ChunkRef] {
		l.RefersTo = append(l.RefersTo, Refers{
			Text: c.Content[t.Start:t.End], Start: t.Start, End: t.End, Kind: t.Kind, Number: t.Number, DocumentID: t.DocumentID, ChunkRefs: t.Chunks,
		})
	}
	slices.SortStableFunc(l.RefersTo, func(a, b Refers) int { return cmp.Compare(a.Start, b.Start) })
	return l, nil
}
