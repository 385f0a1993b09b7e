package custom

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
)

// What a schema may hold: a page of a schema is read in full by people.
const (
	maxTypes    = 16
	maxFields   = 32
	maxPatterns = 32
	maxPattern  = 2000 // bytes of a pattern
)

// fieldForm is what types and fields may be called.
var fieldForm = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]{0,63}$`)

// reserved are names that every entity has.
func reserved() []string {
	return []string{"id", "evidence", "grounds", "confidence", "origin", "found_by", "schema", "schema_version"}
}

// typesOf returns the types of a schema: each property is a list of objects, whose properties are fields.
func typesOf(schema map[string]any) (out []entity.Type, err error) {
	properties, ok := schema["properties"].(map[string]any)
	if !ok || len(properties) == 0 || len(properties) > maxTypes {
		return nil, fmt.Errorf("properties: 1 to %d lists of entities", maxTypes)
	}
	for _, list := range slices.Sorted(maps.Keys(properties)) {
		t, err := typeOf(schema, list, properties[list])
		if err != nil {
			return nil, fmt.Errorf("properties.%s: %w", list, err)
		}
		out = append(out, t)
	}
	return out, nil
}

// typeOf reads one list. What it holds is called by the title of its items, else by the list's name.
func typeOf(schema map[string]any, list string, v any) (t entity.Type, err error) {
	of, ok := v.(map[string]any)
	if !ok || !fieldForm.MatchString(list) || slices.Contains([]string{"pageId", "pageNo", "confidence", "dropped"}, list) {
		return t, errors.New("it must be a schema, under a name of letters and digits")
	}
	items, ok := resolve(schema, of["items"])
	if !ok {
		return t, errors.New("items: the schema of one entity, in place or as $ref to #/$defs/…")
	}
	t = entity.Type{Name: list, Plural: list, Schema: list}
	if title, ok := items["title"].(string); ok && fieldForm.MatchString(title) {
		t.Name, t.Schema = title, title
	}
	fields, ok := items["properties"].(map[string]any)
	if !ok || len(fields) == 0 || len(fields) > maxFields {
		return t, fmt.Errorf("items.properties: 1 to %d fields", maxFields)
	}
	required := textsOf(items["required"])
	named := false
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains(reserved(), name) {
			continue
		}
		f, err := fieldOf(schema, name, fields[name])
		if err != nil {
			return t, fmt.Errorf("items.properties.%s: %w", name, err)
		}
		f.Required = slices.Contains(required, name)
		named = named || f.Kind == entity.KindName
		t.Fields = append(t.Fields, f)
	}
	if !named {
		return t, errors.New(`items: no field has "x-kind": "name", what an entity is called by`)
	}
	t.Patterns, err = patternsOf(t, of["x-patterns"])
	return t, err
}

// resolve follows a reference into the schema itself.
func resolve(schema map[string]any, v any) (map[string]any, bool) {
	of, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	ref, isRef := of["$ref"].(string)
	if !isRef {
		return of, true
	}
	name, ok := strings.CutPrefix(ref, "#/$defs/")
	defs, hasDefs := schema["$defs"].(map[string]any)
	if !ok || !hasDefs {
		return nil, false
	}
	out, ok := defs[name].(map[string]any)
	return out, ok
}

// fieldOf reads a field: its kind by its JSON type, format and properties, and by x-kind.
func fieldOf(schema map[string]any, name string, v any) (f entity.Field, err error) {
	of, ok := resolve(schema, v)
	if !ok || !fieldForm.MatchString(name) {
		return f, errors.New("it must be a schema, under a name of letters and digits")
	}
	f = entity.Field{Name: name, Prompt: true}
	f.Describe, _ = of["description"].(string)
	for _, head := range textsOf(of["x-columns"]) {
		f.Columns = append(f.Columns, lexicon.Fold(head))
	}
	if choices, ok := of["enum"].([]any); ok {
		return choiceOf(f, choices, of["x-words"])
	}
	properties, _ := of["properties"].(map[string]any)
	types := append(textsOf(of["type"]), fmt.Sprint(of["type"]))
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return properties[n] == nil })
	}
	switch {
	case slices.Contains(types, "object") && has("value", "currency"):
		f.Kind = entity.KindMoney
	case slices.Contains(types, "object") && has("value", "unit"):
		f.Kind = entity.KindQuantity
	case slices.Contains(types, "object") && has("start", "end"):
		f.Kind = entity.KindPeriod
	case slices.Contains(types, "number"), slices.Contains(types, "integer"):
		f.Kind = entity.KindNumber
	case slices.Contains(types, "string") && of["format"] == "date":
		f.Kind = entity.KindDate
	case slices.Contains(types, "string") && of["x-kind"] == "name":
		f.Kind = entity.KindName
	case slices.Contains(types, "string"):
		f.Kind = entity.KindText
	default:
		return f, errors.New("it is a string (of format date, or with x-kind name), an enum, a number, or an object of value and unit, value and currency, or start and end")
	}
	return f, nil
}

// choiceOf reads an enum: each choice is meant by its own words, and by those of x-words.
func choiceOf(f entity.Field, choices []any, words any) (entity.Field, error) {
	f.Kind, f.Means = entity.KindChoice, make(map[string][]string)
	more, _ := words.(map[string]any)
	for _, c := range choices {
		if c == nil {
			continue
		}
		s, ok := c.(string)
		if !ok || s == "" {
			return f, errors.New("enum: texts only")
		}
		f.Choices = append(f.Choices, s)
		for _, w := range append([]string{s}, textsOf(more[s])...) {
			if w = lexicon.Fold(w); w != "" {
				f.Means[s] = append(f.Means[s], w)
			}
		}
	}
	for s := range more {
		if !slices.Contains(f.Choices, s) {
			return f, fmt.Errorf("x-words: %q is none of the enum", s)
		}
	}
	return f, nil
}

// patternsOf reads the patterns of a type: regular expressions (RE2) whose named groups are fields.
func patternsOf(t entity.Type, v any) (out []*regexp.Regexp, err error) {
	texts := textsOf(v)
	if len(texts) > maxPatterns {
		return nil, fmt.Errorf("x-patterns: %d, limit %d", len(texts), maxPatterns)
	}
	for i, p := range texts {
		if len(p) > maxPattern {
			return nil, fmt.Errorf("x-patterns[%d]: %d bytes, limit %d", i, len(p), maxPattern)
		}
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("x-patterns[%d]: %w", i, err)
		}
		groups := 0
		for _, name := range re.SubexpNames() {
			if name == "" {
				continue
			}
			field, _, _ := strings.Cut(name, "__")
			if _, ok := t.Field(field); !ok {
				return nil, fmt.Errorf("x-patterns[%d]: the group %q is no field", i, name)
			}
			groups++
		}
		if groups == 0 {
			return nil, fmt.Errorf("x-patterns[%d]: it has no named group", i)
		}
		out = append(out, re)
	}
	return out, nil
}

// textsOf returns the texts of a list.
func textsOf(v any) (out []string) {
	list, _ := v.([]any)
	for _, item := range list {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
