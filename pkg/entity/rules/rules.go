// Package rules finds entities on a page without a model: rows of tables whose heads it knows,
// and sentences with a number beside a word that says of what. What it finds are proposals like a
// model's: the guard decides what of them stands. It is a pure function of the page, fast enough for every page.
package rules

import (
	"slices"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/guard"
	"github.com/colophon-dev/colophon/pkg/entity/value"
	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Version is raised by hand when the same page yields other entities.
const Version = 3

// How an entity is found; each has a line in confidence.tsv.
const (
	byTable     = "table"      // a row of a table of which three columns or more are known
	byTwo       = "columns-2"  // a row of a table of which two columns are known
	bySection   = "section"    // a sentence below a heading of its kind
	bySentence  = "sentence"   // a sentence elsewhere
	byStatement = "statement"  // a sentence that says how far something is
	byCode      = "area-coded" // an area with its code or coordinates
	byName      = "area-named" // an area of which something is said
)

const (
	sureColumns  = 3
	fewestFields = 2
)

// Extract returns the page's entities, of the types that it is asked for, as the guard lets them pass, and what it dropped.
func Extract(in entity.PageInput) entity.Page {
	r := guard.Check(in, proposeEntities(in))
	return entity.NewPage(in, r.Entities, r.Counts())
}

// proposeEntities returns what the rules find, in reading order, not guarded yet.
func proposeEntities(in entity.PageInput) []entity.Entity {
	f := finder{types: in.Types, areas: make(map[string]bool), language: in.Language, open: append([]model.Section(nil), in.Open...)}
	if in.Language != "" {
		f.lang = &model.Language{Lang: in.Language}
	}
	for i := range in.Units {
		u := &in.Units[i]
		if !u.Chunked() {
			continue
		}
		language := in.Language
		if l := u.FieldsRaw.Language; l != nil && l.Lang != "" {
			language = l.Lang
		}
		switch {
		case u.Type == model.UnitHeading:
			f.enter(u)
			f.ownText(in.Types, u.FieldsRaw.Text, language)
		case in.Types != nil && u.FieldsRaw.Table != nil:
			f.ownTable(in.Types, u, language)
		case in.Types != nil:
			f.ownText(in.Types, u.FieldsRaw.Text, language)
		case u.FieldsRaw.Table != nil:
			f.table(u, language)
		default:
			f.prose(u.FieldsRaw.Text, language)
		}
	}
	return f.found
}

// finder walks over a page.
type finder struct {
	types    []entity.Type // of one's own that are asked for; nil: the six
	language string
	lang     *model.Language
	open     []model.Section // the outermost first
	found    []entity.Entity
	areas    map[string]bool // names of areas that were found
}

// enter opens the section of a heading and closes those that are not above it.
func (f *finder) enter(u *model.Unit) {
	level := max(1, u.FieldsRaw.Level)
	for len(f.open) > 0 && f.open[len(f.open)-1].Level >= level {
		f.open = f.open[:len(f.open)-1]
	}
	f.open = append(f.open, model.Section{Kind: docxt.KindOf(u.FieldsRaw.Text, f.lang), Level: level, Text: u.FieldsRaw.Text})
}

// inSection reports whether a section of a kind is open, the innermost of a known kind deciding.
func (f *finder) inSection(kind string) bool {
	for i := len(f.open) - 1; i >= 0; i-- {
		if k := f.open[i].Kind; k != "generic" && k != "" && k != "table" && k != "figure" {
			return k == kind
		}
	}
	return false
}

// add adds a proposal, and how it was found.
func (f *finder) add(typ string, values map[string]any, evidence, how string) {
	for k, v := range values {
		if s, ok := v.(string); ok && s == "" {
			delete(values, k)
		}
	}
	if len(values) == 0 {
		return
	}
	if name, ok := values["name"].(string); ok && typ == entity.GeographicArea {
		f.areas[name] = true
	}
	var own *entity.Type
	if i := slices.IndexFunc(f.types, func(t entity.Type) bool { return t.Name == typ }); i >= 0 {
		own = &f.types[i]
	}
	f.found = append(f.found, entity.Entity{Of: own, Type: typ, Values: values, Evidence: []string{evidence}, Confidence: confidenceOf(how), Origin: entity.OriginRules, FoundBy: how})
}

// prose looks at each sentence of a block. Entities of one kind are found in a sentence at most
// once for each of its numbers.
func (f *finder) prose(text, language string) {
	for _, s := range guard.Sentences(text) {
		if s.End-s.Start > guard.MaxSentence {
			continue
		}
		t := value.Read(text[s.Start:s.End], language)
		if len(t.Numbers) > guard.MaxNumbers || len(t.Dates) > guard.MaxNumbers {
			continue
		}
		f.goals(t)
		f.practices(t)
		f.measures(t)
		f.outreach(t)
		f.activities(t)
		f.findAreas(t)
	}
}
