package catalog

import (
	"fmt"
	"strings"
	"time"
)

// ChunkFilter narrows chunks as vectorstore.Filter narrows points. An empty list
// lets everything through, and so does a zero Span; a day is YYYY-MM-DD, and "" no bound.
// A chunk without info_date is outside of every bound of days, one without a page of
// every bound of pages.
type ChunkFilter struct {
	Sources, SourceTypes, Types, Statuses, DocTypes, Languages, Territories, Domains []string
	Hosts, URLs, Titles, Documents, Snapshots, DocHashes, ChunkIDs, ChunkRefs        []string
	AnchorTypes, AnchorTexts                                                         []string // of the first anchor
	Layers                                                                           []string // of the chunk's state
	From, To                                                                         string   // of info_date, both inclusive
	Pages, ChunkIndexes, Tokens, TextLengths                                         Span
	ExceptSources                                                                    []string // source_ids that do not pass
	Pushed                                                                           PushedSpan
}

// PushedSpan bounds when the point of a chunk was written to a collection, both inclusive; a
// zero time is no bound. A chunk without a point of its own is outside of every bound.
type PushedSpan struct {
	Collection string
	From, To   time.Time
}

// Span bounds a number, both ends inclusive. The zero Span is no bound.
type Span struct {
	From, To int64
	Bounded  bool
}

// where returns the conditions on a chunk c and its state s, whose arguments are
// added to args.
func (f ChunkFilter) where(args []any) (string, []any) {
	var conditions []string
	add := func(condition string, values ...any) {
		places := make([]any, len(values))
		for i, value := range values {
			args = append(args, value)
			places[i] = len(args)
		}
		conditions = append(conditions, fmt.Sprintf(condition, places...))
	}
	for _, list := range []struct {
		column string
		values []string
	}{
		{"c.source_id", f.Sources}, {"c.source_type", f.SourceTypes}, {"c.record->>'type'", f.Types}, {"c.record->>'status'", f.Statuses},
		{"c.record->>'doc_type'", f.DocTypes}, {"c.record->>'language'", f.Languages}, {"c.record->>'territory'", f.Territories},
		{"c.record->>'domain'", f.Domains}, {"c.record->>'host'", f.Hosts}, {"c.record->>'url'", f.URLs}, {"c.record->>'title'", f.Titles},
		{"c.document_id", f.Documents}, {"c.snapshot_id", f.Snapshots}, {"c.doc_hash", f.DocHashes}, {"c.record->>'chunk_id'", f.ChunkIDs},
		{"c.chunk_ref", f.ChunkRefs}, {"c.record->'anchors'->0->>'type'", f.AnchorTypes}, {"c.record->'anchors'->0->>'text'", f.AnchorTexts},
		{"s.layer", f.Layers},
	} {
		if len(list.values) > 0 {
			add(list.column+` = ANY($%d)`, list.values)
		}
	}
	for _, span := range []struct {
		number string
		bounds Span
	}{
		{"nullif((c.record->>'page_hint')::bigint, 0)", f.Pages}, {"c.chunk_index::bigint", f.ChunkIndexes},
		{"(c.record->>'tokens')::bigint", f.Tokens}, {"length(c.text)::bigint", f.TextLengths},
	} {
		if span.bounds.Bounded {
			add(span.number+` BETWEEN $%d AND $%d`, span.bounds.From, span.bounds.To)
		}
	}
	if len(f.ExceptSources) > 0 {
		add(`c.source_id <> ALL($%d)`, f.ExceptSources)
	}
	if f.From != "" {
		add(`(c.record->>'info_date') COLLATE "C" >= $%d`, f.From)
	}
	if f.To != "" {
		add(`(c.record->>'info_date') COLLATE "C" BETWEEN '0' AND $%d`, f.To)
	}
	if !f.Pushed.From.IsZero() || !f.Pushed.To.IsZero() {
		bound := func(t time.Time) *time.Time {
			if t.IsZero() {
				return nil
			}
			return &t
		}
		add(`EXISTS (SELECT 1 FROM chunk_vectors v WHERE v.chunk_ref = c.chunk_ref AND v.collection = $%d AND v.present
			AND v.pushed_at >= coalesce($%d, '-infinity'::timestamptz) AND v.pushed_at <= coalesce($%d, 'infinity'::timestamptz))`,
			f.Pushed.Collection, bound(f.Pushed.From), bound(f.Pushed.To))
	}
	if len(conditions) == 0 {
		return "true", args
	}
	return strings.Join(conditions, " AND "), args
}
