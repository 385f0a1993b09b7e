package entity

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Origins of entities.
const (
	OriginRules = "rules" // found by the extractor of rules
	OriginModel = "model" // proposed by a model
	OriginBoth  = "both"  // found by the rules and proposed by a model
)

// Entity is one entity of a page. Before the guard it is a proposal: nothing of it is known
// to stand on the page.
type Entity struct {
	Type string // goal, bmp, implementation, monitoring, outreach or geographicArea
	ID   string // slug of the title and 8 digits (contracts#entity-id); of a proposal what the model called it
	// Values are the fields that are not null, by name: string, float64, Quantity, Money,
	// Period, []string or []Point, as the field's kind says.
	Values     map[string]any
	Evidence   []string // quotes; after the guard the page's own words
	Grounds    []Ground // after the guard: where each value and each quote stands
	Confidence float64  // 0 to 1, by written rules
	Origin     string   // rules, model or both
	Of         *Type    // its type, where that is one of one's own; nil of the six
	FoundBy    string   // by what kind of finding, of rules: it decides Confidence; empty of a model
	Schema     string   // name of the schema of one's own that asks for it; empty of the six types
	SchemaNo   int      // version of that schema
}

// Ground is where a value or a quote stands on the page.
type Ground struct {
	Field    string      `json:"field"`              // name of the field, evidence of a quote, unit where a table's head has it
	Evidence int         `json:"evidence"`           // index of the quote that it stands in
	IRID     string      `json:"ir_id"`              // the unit
	Start    int         `json:"start"`              // first byte in the unit's text
	End      int         `json:"end"`                // the byte behind the last one
	Text     string      `json:"text"`               // these bytes
	BBox     *model.BBox `json:"bbox,omitempty"`     // of the block, the row or the cell, where the page has boxes
	Form     *Form       `json:"normal,omitempty"`   // what it is read as
	RowText  string      `json:"row_text,omitempty"` // of a value in a table: its whole printed row
}

// Form is the normal form of a value, beside the raw one.
type Form struct {
	Value    *float64 `json:"value,omitempty"`
	Low      *float64 `json:"low,omitempty"`  // of a range
	High     *float64 `json:"high,omitempty"` // of a range
	Unit     string   `json:"unit,omitempty"` // such as mg/L, kg/yr, ac
	Currency string   `json:"currency,omitempty"`
	Date     string   `json:"date,omitempty"` // as the page says it: it may be finer than the value
}

// Title is what an entity is called in its id: its title or the first of its names.
func (e Entity) Title() string {
	if e.Of != nil {
		for _, f := range e.Of.Fields {
			if s, ok := e.Values[f.Name].(string); ok && s != "" && f.Kind == KindName {
				return s
			}
		}
		return ""
	}
	for _, name := range []string{"title", "name", "action", "parameter", "activity"} {
		if s, ok := e.Values[name].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// makeID returns the id that the entity has on a page (contracts#entity-id): its quotes are
// joined with line ends.
func (e Entity) makeID(pageID string) string {
	return digest.EntityID(e.Title(), pageID, strings.Join(e.Evidence, "\n"))
}

// UpsertKey is by what an entity is stored once (seeds#extraction).
type UpsertKey struct {
	SnapshotID string `json:"snapshot_id"` // the seed's uploadId
	PageNo     int    `json:"page_no"`
	EntityType string `json:"entity_type"`
	EntityID   string `json:"entity_id"`
}

// Key returns the entity's upsert key.
func (e Entity) Key(snapshotID string, pageNo int) UpsertKey {
	return UpsertKey{SnapshotID: snapshotID, PageNo: pageNo, EntityType: e.Type, EntityID: e.ID}
}

// AssignIDs gives the entities of a page their ids, in their order. Of several that would have
// one id the second is -2, the third -3.
func AssignIDs(pageID string, entities []Entity) {
	count := make(map[string]int)
	for i := range entities {
		id := entities[i].makeID(pageID)
		key := entities[i].Type + " " + id
		count[key]++
		if n := count[key]; n > 1 {
			id = fmt.Sprintf("%s-%d", id, n)
		}
		entities[i].ID = id
	}
}

func (e Entity) typeOf() (Type, bool) {
	if e.Of != nil {
		return *e.Of, true
	}
	return TypeOf(e.Type)
}

// MarshalJSON writes the entity as the seed's types have it: all fields in the order of its
// type, null where nothing is known, the canonical schema's names beside those of the prompt,
// then evidence, grounds, confidence and origin.
func (e Entity) MarshalJSON() ([]byte, error) {
	t, ok := e.typeOf()
	if !ok {
		return nil, fmt.Errorf("entity of unknown type %q", e.Type)
	}
	var w objectWriter
	w.add("id", e.ID)
	for _, f := range t.Fields {
		v := e.Values[f.Name]
		switch {
		case v == nil && f.Kind == KindReferences:
			v = []string{}
		case v == nil && f.Kind == KindPeriod:
			v = Period{}
		}
		w.add(f.Name, v)
		if f.Alias != "" {
			w.add(f.Alias, v)
		}
	}
	w.add("evidence", orEmpty(e.Evidence))
	if e.Grounds != nil {
		w.add("grounds", e.Grounds)
		w.add("confidence", e.Confidence)
		w.add("origin", e.Origin)
		if e.FoundBy != "" {
			w.add("found_by", e.FoundBy)
		}
		if e.Schema != "" {
			w.add("schema", e.Schema)
			w.add("schema_version", e.SchemaNo)
		}
	}
	return w.finish()
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// objectWriter writes a JSON object whose keys keep their order.
type objectWriter struct {
	b   []byte
	err error
}

func (w *objectWriter) add(key string, v any) {
	if w.err != nil {
		return
	}
	k, _ := json.Marshal(key)
	data, err := marshalPlain(v)
	if err != nil {
		w.err = err
		return
	}
	sep := byte(',')
	if len(w.b) == 0 {
		sep = '{'
	}
	w.b = append(append(append(append(w.b, sep), k...), ':'), data...)
}

func (w *objectWriter) finish() ([]byte, error) {
	if w.err != nil {
		return nil, w.err
	}
	if len(w.b) == 0 {
		return []byte("{}"), nil
	}
	return append(w.b, '}'), nil
}

// marshalPlain writes JSON in which <, > and & stay as they are.
func marshalPlain(v any) ([]byte, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(b.String(), "\n")), nil
}
