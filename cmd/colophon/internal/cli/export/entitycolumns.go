package export

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink/files"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/model"
)

// column is one of exported entities. A value is looked up under its key.
type column struct {
	files.Column
	key string // "@" before those that every entity has, else a field, a dot, and a part of it
}

func (c column) of(values map[string]string) string { return values[c.key] }

// fixedColumns are those that every entity has.
func fixedColumns() []column {
	var out []column
	for _, c := range []files.Column{
		{Name: "source_id"}, {Name: "document_id"}, {Name: "snapshot_id"}, {Name: "slug"}, {Name: "url"}, {Name: "page_no", Form: files.Whole},
		{Name: "type"}, {Name: "entity_id"}, {Name: "entity_title"}, {Name: "confidence", Form: files.Number}, {Name: "origin"}, {Name: "found_by"},
		{Name: "schema"}, {Name: "schema_version", Form: files.Whole}, {Name: "evidence"}, {Name: "ir_id"},
		{Name: "bbox_x", Form: files.Number}, {Name: "bbox_y", Form: files.Number}, {Name: "bbox_w", Form: files.Number}, {Name: "bbox_h", Form: files.Number},
	} {
		out = append(out, column{c, "@" + c.Name})
	}
	return out
}

// columns returns the columns of an export: those that every entity has, then the fields of the types in their order, then
// those of own schemas that are there. One of these that is called as another column has own_ before its name.
func (e *entityExport) columns(ctx context.Context) ([]column, error) {
	out := fixedColumns()
	add := func(c column) {
		if !slices.ContainsFunc(out, func(o column) bool { return o.key == c.key }) {
			out = append(out, c)
		}
	}
	for _, t := range entity.Types() {
		if e.typ != "" && e.typ != t.Name {
			continue
		}
		for _, f := range t.Fields {
			for _, c := range fieldColumns(f) {
				add(c)
			}
		}
	}
	if e.typ != "" && !entity.IsOwn(e.typ) {
		return out, nil
	}
	fields, err := e.db.OwnFields(ctx, e.source, e.document, e.typ)
	if err != nil {
		return nil, err
	}
	for i, f := range fields {
		if entity.IsMade(f.Name) || f.Part == "" && i+1 < len(fields) && fields[i+1].Name == f.Name {
			continue // where one entity has no value, another has parts
		}
		c := column{files.Column{Name: f.Name}, "own." + f.Name + "." + f.Part}
		if f.Part != "" {
			c.Name += "_" + f.Part
		}
		if f.Part == "value" {
			c.Form = files.Number
		}
		for slices.ContainsFunc(out, func(o column) bool { return o.Name == c.Name }) {
			c.Name = "own_" + c.Name
		}
		add(c)
	}
	return out, nil
}

// fieldColumns are the columns of a field of the six types.
func fieldColumns(f entity.Field) []column {
	part := func(name string, form files.Form) column {
		return column{files.Column{Name: f.Name + "_" + name, Form: form}, f.Name + "." + name}
	}
	switch f.Kind {
	case entity.KindQuantity:
		return []column{part("value", files.Number), part("unit", files.Words), part("unit_normal", files.Words)}
	case entity.KindMoney:
		return []column{part("value", files.Number), part("currency", files.Words)}
	case entity.KindPeriod:
		return []column{part("start", files.Words), part("end", files.Words)}
	case entity.KindNumber:
		return []column{{files.Column{Name: f.Name, Form: files.Number}, f.Name + "."}}
	default:
		return []column{{files.Column{Name: f.Name}, f.Name + "."}}
	}
}

// flatten returns the values of an entity by the keys of columns.
func flatten(d catalog.DocumentEntities, row model.EntityRow) (map[string]string, error) {
	decoder := json.NewDecoder(bytes.NewReader(row.Payload))
	decoder.UseNumber() // as it is stored
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil {
		return nil, fmt.Errorf("entity %s of page %d of %s: %w", row.ID, row.PageNo, row.SnapshotID, err)
	}
	e, err := entity.Restored(row.Type, row.Payload)
	if err != nil {
		return nil, err
	}
	out := map[string]string{
		"@source_id": row.SourceID, "@document_id": row.DocumentID, "@snapshot_id": row.SnapshotID, "@slug": d.Slug, "@url": d.URL,
		"@page_no": strconv.Itoa(row.PageNo), "@type": row.Type, "@entity_id": row.ID, "@entity_title": row.Title,
		"@confidence": written(fields["confidence"]), "@origin": e.Origin, "@found_by": e.FoundBy, "@schema": e.Schema,
		"@schema_version": written(fields["schema_version"]), "@evidence": strings.Join(e.Evidence, "\n"),
	}
	prefix := ""
	if entity.IsOwn(row.Type) {
		prefix = "own."
	}
	for name, v := range fields {
		parts, isObject := v.(map[string]any)
		if !isObject {
			out[prefix+name+"."] = written(v)
		}
		for part, v := range parts {
			out[prefix+name+"."+part] = written(v)
		}
	}
	for _, g := range e.Grounds {
		if g.Form != nil && g.Form.Unit != "" {
			out[prefix+g.Field+".unit_normal"] = g.Form.Unit
		}
		if g.Field == "evidence" && out["@ir_id"] == "" {
			out["@ir_id"] = g.IRID
			if b := g.BBox; b != nil {
				out["@bbox_x"], out["@bbox_y"], out["@bbox_w"], out["@bbox_h"] = decimal(b.X), decimal(b.Y), decimal(b.W), decimal(b.H)
			}
		}
	}
	return out, nil
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// written writes a JSON value for a cell: a list with a semicolon between its members, a point as latitude and longitude.
func written(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	case []any:
		members := make([]string, len(v))
		for i, m := range v {
			members[i] = written(m)
		}
		return strings.Join(members, "; ")
	case map[string]any: // a point
		return written(v["lat"]) + " " + written(v["lon"])
	default:
		return fmt.Sprint(v)
	}
}
