package search

import (
	"slices"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// Filter narrows what is searched. A list lets through what has one of its values, an
// empty list everything; a Span or a time that is zero is no bound. What is found passes
// all of them.
type Filter struct {
	Sources, SourceTypes, Types, Statuses, DocTypes, Languages, Territories, Domains []string
	Hosts, URLs, Titles, Documents, Snapshots, DocHashes, ChunkIDs, ChunkRefs        []string
	AnchorTypes, AnchorTexts                                                         []string // of a chunk's first anchor
	Collections                                                                      []string // the names that points have of theirs
	Layers                                                                           []string
	AsOf                                                                             time.Time // what was dated then or before, of all layers
	From, To                                                                         time.Time // of info_date, days, both inclusive
	PushedFrom, PushedTo                                                             time.Time // when the point was written, both inclusive
	Pages, ChunkIndexes, Tokens, TextLengths                                         Span
}

// Span bounds a number, both ends inclusive. The zero Span is no bound.
type Span = catalog.Span

// current are the layers that are searched where none is named.
func current() []string { return []string{string(model.LayerHot), string(model.LayerSummary)} }

// placed reports whether the filter names documents or snapshots: what is searched is
// looked up in the catalog then, since a chunk that repeats one of an earlier version has
// no point of its own.
func (f Filter) placed() bool { return len(f.Documents)+len(f.Snapshots) > 0 }

// withLayers returns the filter with the layers that are searched where it names none:
// those that are current, and all as of a day or within snapshots.
func (f Filter) withLayers() Filter {
	if len(f.Layers) == 0 && f.AsOf.IsZero() && len(f.Snapshots) == 0 {
		f.Layers = current()
	}
	return f
}

// alike reports whether of chunks with one text and source type either all pass the
// filter or none does. They have one header, so one type, status and date; and those in
// the archive stand for themselves alone.
func (f Filter) alike() bool {
	asked := f
	asked.SourceTypes, asked.Types, asked.Statuses, asked.Layers, asked.Collections = nil, nil, nil, nil, nil
	asked.AsOf, asked.From, asked.To = time.Time{}, time.Time{}, time.Time{}
	hot, summary := slices.Contains(f.Layers, string(model.LayerHot)), slices.Contains(f.Layers, string(model.LayerSummary))
	return asked.empty() && hot == summary
}

// empty reports whether the filter lets everything through.
func (f Filter) empty() bool {
	return len(f.Sources)+len(f.SourceTypes)+len(f.Types)+len(f.Statuses)+len(f.DocTypes)+len(f.Languages)+len(f.Territories)+
		len(f.Domains)+len(f.Hosts)+len(f.URLs)+len(f.Titles)+len(f.Documents)+len(f.Snapshots)+len(f.DocHashes)+len(f.ChunkIDs)+
		len(f.ChunkRefs)+len(f.AnchorTypes)+len(f.AnchorTexts)+len(f.Collections)+len(f.Layers) == 0 &&
		f.AsOf.IsZero() && f.From.IsZero() && f.To.IsZero() && f.PushedFrom.IsZero() && f.PushedTo.IsZero() &&
		!f.Pages.Bounded && !f.ChunkIndexes.Bounded && !f.Tokens.Bounded && !f.TextLengths.Bounded
}

// until returns the latest day that passes, zero for none.
func (f Filter) until() time.Time {
	if f.To.IsZero() || !f.AsOf.IsZero() && f.AsOf.Before(f.To) {
		return f.AsOf
	}
	return f.To
}

// points returns the filter as it is put to a collection.
func (f Filter) points() vectorstore.Filter {
	span := func(s Span) vectorstore.Span { return vectorstore.Span{From: s.From, To: s.To, Bounded: s.Bounded} }
	return vectorstore.Filter{
		IDs: pointIDs(f.ChunkRefs), Sources: f.Sources, SourceTypes: f.SourceTypes, Types: f.Types, Statuses: f.Statuses,
		DocTypes: f.DocTypes, Languages: f.Languages, Territories: f.Territories, Domains: f.Domains, Hosts: f.Hosts,
		URLs: f.URLs, Titles: f.Titles, Snapshots: f.Snapshots, DocHashes: f.DocHashes, ChunkIDs: f.ChunkIDs,
		AnchorTypes: f.AnchorTypes, AnchorTexts: f.AnchorTexts, Collections: f.Collections, Layers: f.Layers,
		From: f.From, To: f.until(), PushedFrom: f.PushedFrom, PushedTo: f.PushedTo,
		Pages: span(f.Pages), ChunkIndexes: span(f.ChunkIndexes), TokenCounts: span(f.Tokens), TextLengths: span(f.TextLengths),
		Standing: f.alike(),
	}
}

// chunks returns the filter as it is put to the catalog, of which the points in the
// collection of the scope count.
func (f Filter) chunks(scope catalog.SearchScope) catalog.ChunkFilter {
	return catalog.ChunkFilter{
		Pushed:  catalog.PushedSpan{Collection: scope.Collection.Name, From: f.PushedFrom, To: f.PushedTo},
		Sources: f.Sources, SourceTypes: f.SourceTypes, Types: f.Types, Statuses: f.Statuses, DocTypes: f.DocTypes,
		Languages: f.Languages, Territories: f.Territories, Domains: f.Domains, Hosts: f.Hosts, URLs: f.URLs, Titles: f.Titles,
		Documents: f.Documents, Snapshots: f.Snapshots, DocHashes: f.DocHashes, ChunkIDs: f.ChunkIDs, ChunkRefs: f.ChunkRefs,
		AnchorTypes: f.AnchorTypes, AnchorTexts: f.AnchorTexts, Layers: f.Layers, From: dayOf(f.From), To: dayOf(f.until()),
		Pages: f.Pages, ChunkIndexes: f.ChunkIndexes, Tokens: f.Tokens, TextLengths: f.TextLengths, ExceptSources: scope.Disabled,
	}
}

func dayOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}
