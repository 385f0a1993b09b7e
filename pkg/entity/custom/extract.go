package custom

import (
	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/rules"
	"github.com/colophon-dev/colophon/pkg/model"
)

// SchemaUnusable counts, among what was dropped of a page, schemas that say nothing which can be looked for. Whoever
// applies a source is told so before; only a row that was written otherwise has one.
const SchemaUnusable = "schema_unusable"

// Set are the schemas of a source.
type Set struct {
	Schemas  []Schema
	Unusable int // that could not be compiled
}

// CompileAll returns the schemas that can be used.
func CompileAll(described []model.EntitySchema) (s Set) {
	for _, d := range described {
		if one, err := Compile(d); err == nil {
			s.Schemas = append(s.Schemas, one)
		} else {
			s.Unusable++
		}
	}
	return s
}

// Wanting returns the schemas that want a page.
func (s Set) Wanting(in entity.PageInput) (wanting []Schema) {
	for _, one := range s.Schemas {
		if one.Wants(in) {
			wanting = append(wanting, one)
		}
	}
	return wanting
}

// Extract returns what the rules find on a page: entities of the six types, and then those of each schema that
// wants the page, under the types' names in full.
func Extract(in entity.PageInput, own Set) entity.Page {
	p := rules.Extract(in)
	for _, s := range own.Wanting(in) {
		p = s.Added(in, p, s.Extract(in))
	}
	return own.Noted(p)
}

// Extract returns what the rules find on a page of the types of a schema.
func (s Schema) Extract(in entity.PageInput) entity.Page {
	in.Types = s.Types
	return rules.Extract(in)
}

// Added returns a page with what was found on it of a schema.
func (s Schema) Added(in entity.PageInput, p, found entity.Page) entity.Page {
	drops, schemas := p.Drops, p.Schemas
	for reason, n := range found.Drops {
		if drops == nil {
			drops = make(map[string]int)
		}
		drops[reason] += n
	}
	if schemas == nil {
		schemas = make(map[string]int)
	}
	schemas[s.Name] = s.Version
	entities := p.Entities
	for _, e := range found.Entities {
		e.Type, e.Schema, e.SchemaNo = entity.OwnType(s.Name, e.Type), s.Name, s.Version
		entities = append(entities, e)
	}
	p = entity.NewPage(in, entities, drops)
	p.Schemas = schemas
	return p
}

// Noted returns a page that counts the schemas that could not be used.
func (s Set) Noted(p entity.Page) entity.Page {
	if s.Unusable == 0 {
		return p
	}
	if p.Drops == nil {
		p.Drops = make(map[string]int)
	}
	p.Drops[SchemaUnusable] += s.Unusable
	return p
}
