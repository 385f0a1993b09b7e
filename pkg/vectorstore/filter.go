package vectorstore

import (
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// Filter says which points count. A list lets through the points that have
// one of its values, an empty list all; a point must pass every list. The
// zero Filter lets everything through.
type Filter struct {
	IDs         []string // of points, UUIDs
	Sources     []string // source_id
	DocHashes   []string
	ChunkIDs    []string // chunk_id, as in 0 and 0@2
	Snapshots   []string // snapshot_id
	Types       []string
	Statuses    []string
	Layers      []string
	Languages   []string
	Territories []string
	Domains     []string
	Hosts       []string
	SourceTypes []string // of seeds#knowledge
	DocTypes    []string
	URLs        []string
	Titles      []string
	AnchorTypes []string // of a chunk's first anchor
	AnchorTexts []string
	Collections []string // the name that points have of theirs
	Duplicates  []string // duplicate_of

	// Bounds of numbers. A point without page_hint is outside every bound of pages.
	ChunkIndexes, TextLengths, TokenCounts, Pages Span

	// From and To bound info_date, PushedFrom and PushedTo pushed_at, all inclusive;
	// the zero time is no bound. A point without info_date is outside every bound. A
	// search as of a day has To set to it and all layers.
	From, To             time.Time
	PushedFrom, PushedTo time.Time

	// Standing lets through only points that stand for their text themselves.
	Standing bool

	// Except keeps out each point that passes any one of its lists or bounds.
	Except *Filter
}

// Span bounds a number, both ends inclusive. The zero Span is no bound.
type Span struct {
	From, To int64
	Bounded  bool
}

// driver returns the filter as the server wants it: nil for everything.
func (f Filter) driver() *qdrant.Filter {
	must := f.conditions()
	var mustNot []*qdrant.Condition
	if f.Except != nil {
		mustNot = f.Except.conditions()
	}
	if len(must) == 0 && len(mustNot) == 0 {
		return nil
	}
	return &qdrant.Filter{Must: must, MustNot: mustNot}
}

func (f Filter) conditions() []*qdrant.Condition {
	var conditions []*qdrant.Condition
	if len(f.IDs) > 0 {
		conditions = append(conditions, qdrant.NewHasID(driverIDs(f.IDs)...))
	}
	for _, list := range []struct {
		key    string
		values []string
	}{
		{"source_id", f.Sources},
		{"doc_hash", f.DocHashes},
		{"chunk_id", f.ChunkIDs},
		{"snapshot_id", f.Snapshots},
		{"type", f.Types},
		{"status", f.Statuses},
		{layerField, f.Layers},
		{"language", f.Languages},
		{"territory", f.Territories},
		{"domain", f.Domains},
		{"host", f.Hosts},
		{"doc_type", f.DocTypes},
		{"url", f.URLs},
		{"title", f.Titles},
		{"anchor_type", f.AnchorTypes},
		{"anchor_text", f.AnchorTexts},
		{"collection", f.Collections},
		{duplicateField, f.Duplicates},
	} {
		if len(list.values) > 0 {
			conditions = append(conditions, qdrant.NewMatchKeywords(list.key, list.values...))
		}
	}
	if len(f.SourceTypes) > 0 { // no type of a source is one of a document
		conditions = append(conditions, qdrant.NewFilterAsCondition(&qdrant.Filter{Should: []*qdrant.Condition{
			qdrant.NewMatchKeywords(sourceTypeField, f.SourceTypes...), qdrant.NewMatchKeywords(knowledgeTypeField, f.SourceTypes...),
		}}))
	}
	for _, span := range []struct {
		key    string
		bounds Span
	}{
		{"chunk_index", f.ChunkIndexes},
		{"text_len", f.TextLengths},
		{"tokens", f.TokenCounts},
		{"page_hint", f.Pages},
	} {
		if span.bounds.Bounded {
			from, to := float64(span.bounds.From), float64(span.bounds.To)
			conditions = append(conditions, qdrant.NewRange(span.key, &qdrant.Range{Gte: &from, Lte: &to}))
		}
	}
	for _, span := range []struct {
		key      string
		from, to time.Time
	}{
		{"info_date", f.From, f.To},
		{"pushed_at", f.PushedFrom, f.PushedTo},
	} {
		if !span.from.IsZero() || !span.to.IsZero() {
			conditions = append(conditions, qdrant.NewDatetimeRange(span.key, &qdrant.DatetimeRange{
				Gte: timestamp(span.from),
				Lte: timestamp(span.to),
			}))
		}
	}
	if f.Standing {
		conditions = append(conditions, qdrant.NewIsEmpty(duplicateField))
	}
	return conditions
}

func timestamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}
