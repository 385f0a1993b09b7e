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
	Sources     []string // source_id
	DocHashes   []string
	Snapshots   []string // snapshot_id
	Types       []string
	Statuses    []string
	Layers      []string
	Languages   []string
	Territories []string
	Domains     []string
	Hosts       []string
	SourceTypes []string
	DocTypes    []string

	// From and To bound info_date, both inclusive; the zero time is no bound.
	// A point without info_date is outside every bound. A search as of a day
	// has To set to it and all layers.
	From, To time.Time

	// Except keeps out each point that passes any one of its lists or bounds.
	Except *Filter
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
	for _, list := range []struct {
		key    string
		values []string
	}{
		{"source_id", f.Sources},
		{"doc_hash", f.DocHashes},
		{"snapshot_id", f.Snapshots},
		{"type", f.Types},
		{"status", f.Statuses},
		{"layer", f.Layers},
		{"language", f.Languages},
		{"territory", f.Territories},
		{"domain", f.Domains},
		{"host", f.Hosts},
		{"source_type", f.SourceTypes},
		{"doc_type", f.DocTypes},
	} {
		if len(list.values) > 0 {
			conditions = append(conditions, qdrant.NewMatchKeywords(list.key, list.values...))
		}
	}
	if !f.From.IsZero() || !f.To.IsZero() {
		conditions = append(conditions, qdrant.NewDatetimeRange("info_date", &qdrant.DatetimeRange{
			Gte: timestamp(f.From),
			Lte: timestamp(f.To),
		}))
	}
	return conditions
}

func timestamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}
