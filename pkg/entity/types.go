// Package entity holds what is extracted from a page beside its text: the six types of
// entities of seeds#extraction with their fields, their ids, their JSON Schemas, and the
// document that they make. It reads nothing and asks nobody: packages below it read values,
// guard them by evidence, and find them by rules.
package entity

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
)

// Kind is what a field holds, and so how the guard finds it in its evidence (contracts#entity-guard).
type Kind string

// The kinds of fields.
const (
	KindText       Kind = "text"       // words of the page, found in their order
	KindName       Kind = "name"       // the same, bound to the values of its entity
	KindChoice     Kind = "choice"     // one of a list, found by words that mean it
	KindNumber     Kind = "number"     // a number, whose unit is the field named unit
	KindUnit       Kind = "unit"       // the unit of the field named value
	KindQuantity   Kind = "quantity"   // {value, unit}
	KindMoney      Kind = "money"      // {value, currency}, ISO 4217
	KindDate       Kind = "date"       // YYYY, YYYY-MM or YYYY-MM-DD
	KindPeriod     Kind = "period"     // {start, end}, both dates
	KindReferences Kind = "references" // titles or ids of other entities of the page
	KindCode       Kind = "huc"        // hydrologic unit code: an even number of digits, 2 to 16
	KindPoints     Kind = "points"     // [{lat, lon}], decimal degrees
)

// Role says what a quantity or date is of, where a page can say that it is of something else.
type Role string

// The roles.
const (
	RoleTarget   Role = "target"   // what is to be reached
	RoleProgress Role = "progress" // what is reached
	RoleStart    Role = "start"
	RoleEnd      Role = "end"
	RoleDeadline Role = "deadline"
)

// Field is a field of a type.
type Field struct {
	Name     string   // as prompt version 1 has it, else as the canonical schema has it
	Alias    string   // its name in the canonical schema, where that is another one
	Kind     Kind     //
	Role     Role     // of quantities and dates; may be empty
	Required bool     // never null: an entity without it is dropped
	Prompt   bool     // prompt version 1 asks for it
	Choices  []string // of KindChoice
	Words    string   // of KindChoice: the class of the lexicon whose words mean them
	Refers   string   // of KindReferences: the type it refers to

	// Of types of one's own (package custom):
	Means    map[string][]string // of KindChoice: the words that mean each choice, folded
	Columns  []string            // heads of columns that hold the field, folded
	Describe string              // what it holds, for a model
}

// Type is a type of entities.
type Type struct {
	Name   string // singular, as in ids of evidence spans: goal
	Plural string // its list's name in a page: goals
	Schema string // its name in the prompt: Goal
	Fields []Field

	// Patterns find entities of types of one's own in blocks of text: named groups are fields.
	Patterns []*regexp.Regexp
}

// The names of the types.
const (
	Goal           = "goal"
	BMP            = "bmp"
	Implementation = "implementation"
	Monitoring     = "monitoring"
	Outreach       = "outreach"
	GeographicArea = "geographicArea"
)

// Types returns the six types with the union of the fields of the prompt and of the canonical
// schema of seeds#extraction, in the order of the seed.
func Types() []Type { return slices.Clone(types()) }

var types = sync.OnceValue(func() []Type {
	return []Type{
		{Name: Goal, Plural: "goals", Schema: "Goal", Fields: []Field{
			{Name: "title", Kind: KindName, Prompt: true},
			{Name: "description", Kind: KindText, Required: true, Prompt: true},
			{Name: "pollutant", Kind: KindName, Prompt: true},
			{Name: "target", Kind: KindQuantity, Role: RoleTarget, Prompt: true},
			{Name: "progress", Kind: KindQuantity, Role: RoleProgress, Prompt: true},
			{Name: "deadline", Kind: KindDate, Role: RoleDeadline, Prompt: true},
			{Name: "location", Kind: KindText, Prompt: true},
		}},
		{Name: BMP, Plural: "bmps", Schema: "BMP", Fields: []Field{
			{Name: "name", Kind: KindName, Prompt: true},
			{Name: "type", Kind: KindText, Prompt: true},
			{Name: "quantity", Kind: KindQuantity, Prompt: true},
			{Name: "cost", Kind: KindMoney, Prompt: true},
			{Name: "progress", Kind: KindQuantity, Role: RoleProgress, Prompt: true},
			{Name: "location", Kind: KindText, Prompt: true},
			{Name: "responsibleParty", Kind: KindText, Prompt: true},
			{Name: "schedule", Kind: KindPeriod, Prompt: true},
			{Name: "relatedGoals", Kind: KindReferences, Refers: Goal, Prompt: true},
		}},
		{Name: Implementation, Plural: "implementation", Schema: "ImplementationActivity", Fields: []Field{
			{Name: "action", Alias: "name", Kind: KindName, Required: true, Prompt: true},
			{Name: "actor", Kind: KindText, Prompt: true},
			{Name: "start", Alias: "startDate", Kind: KindDate, Role: RoleStart, Prompt: true},
			{Name: "end", Alias: "endDate", Kind: KindDate, Role: RoleEnd, Prompt: true},
			{Name: "budget", Kind: KindMoney, Prompt: true},
			{Name: "status", Kind: KindChoice, Words: "status", Choices: []string{"planned", "in-progress", "completed"}, Prompt: true},
			{Name: "progress", Kind: KindQuantity, Role: RoleProgress, Prompt: true},
			{Name: "dependencies", Kind: KindReferences, Refers: Implementation, Prompt: true},
			{Name: "location", Kind: KindText, Prompt: true},
			{Name: "metrics", Kind: KindQuantity},
		}},
		{Name: Monitoring, Plural: "monitoring", Schema: "MonitoringMetric", Fields: []Field{
			{Name: "parameter", Alias: "metric", Kind: KindName, Required: true, Prompt: true},
			{Name: "value", Kind: KindNumber},
			{Name: "unit", Kind: KindUnit},
			{Name: "method", Kind: KindText, Prompt: true},
			{Name: "frequency", Kind: KindText, Prompt: true},
			{Name: "threshold", Kind: KindQuantity, Prompt: true},
			{Name: "progress", Kind: KindQuantity, Role: RoleProgress, Prompt: true},
			{Name: "location", Alias: "station", Kind: KindText, Prompt: true},
			{Name: "responsibleParty", Kind: KindText, Prompt: true},
			{Name: "timeframe", Kind: KindText},
		}},
		{Name: Outreach, Plural: "outreach", Schema: "OutreachActivity", Fields: []Field{
			{Name: "audience", Kind: KindName, Prompt: true},
			{Name: "activity", Kind: KindName},
			{Name: "channel", Kind: KindText, Prompt: true},
			{Name: "message", Kind: KindText, Prompt: true},
			{Name: "kpi", Kind: KindQuantity, Prompt: true},
			{Name: "count", Kind: KindQuantity},
			{Name: "progress", Kind: KindQuantity, Role: RoleProgress, Prompt: true},
			{Name: "schedule", Kind: KindPeriod, Prompt: true},
			{Name: "responsibleParty", Kind: KindText, Prompt: true},
		}},
		{Name: GeographicArea, Plural: "geographicAreas", Schema: "GeographicArea", Fields: []Field{
			{Name: "name", Kind: KindName, Prompt: true},
			{Name: "type", Kind: KindChoice, Words: "area_type", Choices: []string{"admin", "hydrologic", "project area"}},
			{Name: "huc", Kind: KindCode, Prompt: true},
			{Name: "coordinates", Kind: KindPoints, Prompt: true},
			{Name: "description", Kind: KindText, Prompt: true},
		}},
	}
})

// TypeOf returns the type of a name.
func TypeOf(name string) (Type, bool) {
	all := types()
	i := slices.IndexFunc(all, func(t Type) bool { return t.Name == name })
	if i < 0 {
		return Type{}, false
	}
	return all[i], true
}

// TypeOf returns the type of a name among those that a page is asked for: its own, else the six.
func (in PageInput) TypeOf(name string) (Type, bool) {
	if in.Types == nil {
		return TypeOf(name)
	}
	i := slices.IndexFunc(in.Types, func(t Type) bool { return t.Name == name })
	if i < 0 {
		return Type{}, false
	}
	return in.Types[i], true
}

// Field returns a field of the type by its name or its name in the canonical schema.
func (t Type) Field(name string) (Field, bool) {
	for _, f := range t.Fields {
		if f.Name == name || f.Alias == name && name != "" {
			return f, true
		}
	}
	return Field{}, false
}

// Quantity is a number with its unit, as the page prints it.
type Quantity struct {
	Value float64 `json:"value"`
	Unit  string  `json:"unit"` // as claimed; its normal form is in Ground
}

// Money is an amount of money.
type Money struct {
	Value    float64 `json:"value"`
	Currency string  `json:"currency"` // ISO 4217
}

// Period is a time from a date to a date, each YYYY[-MM[-DD]], or nil when it is not known.
type Period struct {
	Start *string `json:"start"`
	End   *string `json:"end"`
}

// Point is a place on the earth.
type Point struct {
	Lat float64 `json:"lat"` // decimal degrees, -90 to 90
	Lon float64 `json:"lon"` // decimal degrees, -180 to 180
}

// Meaning returns which choice the longest phrase that begins the folded words means, and how many words it has; 0 when
// none does.
func (f Field) Meaning(language string, words []string) (choice string, n int) {
	if f.Means == nil {
		return lexicon.LookupPhrase(f.Words, language, words)
	}
	for _, c := range f.Choices {
		for _, phrase := range f.Means[c] {
			of := strings.Fields(phrase)
			if len(of) > n && len(of) <= len(words) && slices.Equal(of, words[:len(of)]) {
				choice, n = c, len(of)
			}
		}
	}
	return choice, n
}
