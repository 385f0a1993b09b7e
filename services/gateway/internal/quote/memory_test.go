package quote

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// memory is a catalog of documents that are current, each of one unit cut into chunks. Words
// are those of the index (TestWordsAreThoseOfTheCatalog holds the two alike).
type memory struct {
	chunks [][]catalog.ChunkWithState
	words  [][]map[string]bool
}

// add adds a document of a text that is cut before the bytes of cuts, in their order.
func (m *memory) add(text string, cuts ...int) {
	doc := fmt.Sprintf("doc%d", len(m.chunks))
	var chunks []catalog.ChunkWithState
	var words []map[string]bool
	from := 0
	for _, to := range append(slices.Clone(cuts), len(text)) {
		start, end := from, to
		from = to
		for start < end && strings.ContainsRune(" \n", rune(text[start])) { // as the chunker does
			start++
		}
		for end > start && strings.ContainsRune(" \n", rune(text[end-1])) {
			end--
		}
		if start == end {
			continue
		}
		c := model.Chunk{ChunkRef: fmt.Sprintf("%s:%d", doc, len(chunks)), DocHash: doc, DocumentID: doc, Generation: 1, ChunkIndex: len(chunks),
			Content: text[start:end], Text: text[start:end]}
		c.Provenance.Segments = []model.Segment{{End: end - start, IRID: "ir", From: start, To: end, Page: 1}}
		chunks = append(chunks, catalog.ChunkWithState{Chunk: c})
		words = append(words, make(map[string]bool))
		joined := strings.NewReplacer("-\n", "", "\u00ad\n", "", "\u2010\n", "").Replace(c.Content)
		for _, w := range IndexForm(joined) {
			words[len(words)-1][w] = true
		}
	}
	m.chunks, m.words = append(m.chunks, chunks), append(m.words, words)
}

func has(words map[string]bool, forms catalog.QuoteWord) bool {
	return slices.ContainsFunc(forms, func(w string) bool { return words[w] })
}

// CountQuoteWord implements Catalog.
func (m *memory) CountQuoteWord(_ context.Context, word catalog.QuoteWord, most int) (n int, err error) {
	for _, chunks := range m.words {
		for _, words := range chunks {
			if has(words, word) {
				n++
			}
		}
	}
	return min(n, most), nil
}

// QuoteCandidates implements Catalog.
func (m *memory) QuoteCandidates(_ context.Context, words []catalog.QuoteWord, f catalog.QuoteFilter, limit int, each func(catalog.QuoteCandidate) bool) error {
	for d, chunks := range m.chunks {
		for i, c := range chunks {
			set := model.ChunkSet{DocHash: c.Chunk.DocHash, Generation: c.Chunk.Generation}
			if len(f.Sets) > 0 && !slices.Contains(f.Sets, set) ||
				slices.ContainsFunc(words, func(w catalog.QuoteWord) bool { return !has(m.words[d][i], w) }) {
				continue
			}
			if limit--; limit < 0 || !each(catalog.QuoteCandidate{Set: set, Index: i, DocumentID: c.Chunk.DocumentID, Content: c.Chunk.Content, Current: true}) {
				return nil
			}
		}
	}
	return nil
}

// WordlessChunks implements Catalog: all words are made.
func (m *memory) WordlessChunks(context.Context, catalog.QuoteFilter, int, func(catalog.QuoteCandidate) bool) (bool, error) {
	return true, nil
}

// ChunkSpan implements Records.
func (m *memory) ChunkSpan(_ context.Context, set model.ChunkSet, from, to int) ([]catalog.ChunkWithState, error) {
	for _, chunks := range m.chunks {
		if len(chunks) > 0 && chunks[0].Chunk.DocHash == set.DocHash {
			return slices.Clone(chunks[from:min(len(chunks), to+1)]), nil
		}
	}
	return nil, catalog.ErrNotFound
}

// Document implements Records.
func (m *memory) Document(context.Context, string) (d model.Document, err error) {
	return d, catalog.ErrNotFound
}

// LastChange implements Records.
func (m *memory) LastChange(context.Context, string, ...string) (c catalog.LastChange, err error) {
	return c, catalog.ErrNotFound
}

// ChunksInOrder implements Records.
func (m *memory) ChunksInOrder(context.Context, model.ChunkSet, int) ([]catalog.ChunkInOrder, error) {
	return nil, catalog.ErrNotFound
}

// Evidence implements Boxes.
func (m *memory) Evidence(context.Context, []model.Chunk) (e search.Evidence, failed map[catalog.ChunkPage]error, err error) {
	return e, nil, nil
}

// check asks where a quotation stands.
func (m *memory) check(quotation string) (Answer, error) {
	c := Checker{Catalog: m, Boxes: m, Log: slog.New(slog.DiscardHandler)}
	return c.Check(context.Background(), Request{Quote: quotation})
}

// confirmed reports whether an answer says that a quotation stands somewhere.
func confirmed(a Answer) bool {
	return a.Verdict == Exact || a.Verdict == OtherCase || a.Verdict == InParts
}
