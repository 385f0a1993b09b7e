package vectorstore

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/qdrant/go-client/qdrant"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// Payload is what a point says of its chunk: the fields of seeds#store, and those of
// contracts#payload. A field that is empty (of the numbers: page_hint 0) is left
// out of the point. Dates are RFC 3339: pushed_at a time in UTC, info_date a
// day.
type Payload struct {
	DocHash         string
	ChunkID         string
	ChunkIndex      int64  // 0-based
	PointIDReadable string // the chunk_ref, {doc_hash}:{chunk_id}
	Text            string
	TextLen         int64 // of Text, in code points
	Tokens          int64
	URL             string
	Title           string
	AnchorType      string // of the chunk's first anchor
	AnchorText      string
	PageHint        int64 // 1-based; 0 when there is none
	PushedAt        string
	Collection      string
	DocType         string // pdf, html, …: the source_type of seeds#store

	SourceID      string
	SnapshotID    string
	SourceType    string // of seeds#knowledge; under contracts#seed-ids that of seeds#store, and KnowledgeType is the other
	KnowledgeType string // "" but under contracts#seed-ids
	Type          string // fact, allegation, opinion
	Status        string // under_review, confirmed, refuted, obsolete
	InfoDate      string
	Layer         string // hot, summary, archive
	DuplicateOf   string // the chunk_ref that stands for the same text; "" when it is this one
	Language      string
	Territory     string
	Domain        string
	Host          string
}

// The payload's fields that searches and audits read: the chunk_ref, and what changes
// of a point.
const (
	refField       = "point_id_readable"
	layerField     = "layer"
	duplicateField = "duplicate_of"

	sourceTypeField    = "source_type"
	knowledgeTypeField = "knowledge_source_type"
)

type field[T any] struct {
	key   string
	value *T
}

// texts lists the fields of text with their keys.
func (p *Payload) texts() []field[string] {
	return []field[string]{
		{"doc_hash", &p.DocHash},
		{"chunk_id", &p.ChunkID},
		{refField, &p.PointIDReadable},
		{"text", &p.Text},
		{"url", &p.URL},
		{"title", &p.Title},
		{"anchor_type", &p.AnchorType},
		{"anchor_text", &p.AnchorText},
		{"pushed_at", &p.PushedAt},
		{"collection", &p.Collection},
		{"doc_type", &p.DocType},
		{"source_id", &p.SourceID},
		{"snapshot_id", &p.SnapshotID},
		{sourceTypeField, &p.SourceType},
		{knowledgeTypeField, &p.KnowledgeType},
		{"type", &p.Type},
		{"status", &p.Status},
		{"info_date", &p.InfoDate},
		{layerField, &p.Layer},
		{duplicateField, &p.DuplicateOf},
		{"language", &p.Language},
		{"territory", &p.Territory},
		{"domain", &p.Domain},
		{"host", &p.Host},
	}
}

// numbers lists the fields of numbers with their keys.
func (p *Payload) numbers() []field[int64] {
	return []field[int64]{
		{"chunk_index", &p.ChunkIndex},
		{"text_len", &p.TextLen},
		{"tokens", &p.Tokens},
		{"page_hint", &p.PageHint},
	}
}

func (p *Payload) values() map[string]*qdrant.Value {
	values := make(map[string]*qdrant.Value, 27)
	for _, f := range p.texts() {
		if *f.value != "" {
			values[f.key] = qdrant.NewValueString(*f.value)
		}
	}
	for _, f := range p.numbers() {
		if *f.value != 0 || f.value != &p.PageHint {
			values[f.key] = qdrant.NewValueInt(*f.value)
		}
	}
	return values
}

// textOf reads a text of a found point's payload, "" when it has none. One that is no
// text is a permanent error.
func textOf(values map[string]*qdrant.Value, key string) (string, error) {
	value, ok := values[key]
	if !ok {
		return "", nil
	}
	text, ok := value.GetKind().(*qdrant.Value_StringValue)
	if !ok {
		return "", fault.Permanent(fault.Internal, errors.New("payload: "+notText+key))
	}
	return text.StringValue, nil
}

// What readPayload says is wrong begins with one of these.
const (
	notText   = "is not a string: "
	notNumber = "is not an integer: "
	unknown   = "is not a field: "
)

// readPayload reads what is of Payload's form, and says what is not: values of
// another type before keys that there are none of, the first by its name.
func readPayload(values map[string]*qdrant.Value) (payload Payload, wrong string) {
	known := make(map[string]bool, len(values))
	for _, f := range payload.texts() {
		known[f.key] = true
		if value, ok := values[f.key]; ok {
			if text, ok := value.GetKind().(*qdrant.Value_StringValue); ok {
				*f.value = text.StringValue
			} else {
				wrong = cmp.Or(wrong, notText+f.key)
			}
		}
	}
	for _, f := range payload.numbers() {
		known[f.key] = true
		if value, ok := values[f.key]; ok {
			if number, ok := value.GetKind().(*qdrant.Value_IntegerValue); ok {
				*f.value = number.IntegerValue
			} else {
				wrong = cmp.Or(wrong, notNumber+f.key)
			}
		}
	}
	if wrong == "" {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if !known[key] {
				wrong = cmp.Or(wrong, unknown+key)
			}
		}
	}
	return payload, wrong
}
