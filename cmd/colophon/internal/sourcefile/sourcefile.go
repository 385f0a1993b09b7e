// Package sourcefile reads what a YAML file says of sources.
package sourcefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/colophon-dev/colophon/pkg/entity/custom"
	"github.com/colophon-dev/colophon/pkg/extract/entry"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Description is what a file says of one source.
type Description struct {
	ID     string
	fields map[string]json.RawMessage
}

// Parse reads the documents of a YAML stream, each of one source,
// no source twice.
func Parse(in io.Reader) ([]Description, error) {
	var all []Description
	seen := make(map[string]bool)
	decoder := yaml.NewDecoder(in)
	for n := 1; ; n++ {
		var (
			fields map[string]any
			wrong  *yaml.TypeError
		)
		err := decoder.Decode(&fields)
		switch {
		case errors.Is(err, io.EOF) && len(all) == 0:
			return nil, errors.New("it describes no source")
		case errors.Is(err, io.EOF):
			return all, nil
		case errors.As(err, &wrong) && !strings.Contains(err.Error(), "cannot unmarshal"):
			return nil, fmt.Errorf("document %d: %s", n, strings.Join(wrong.Errors, "; "))
		case wrong != nil:
			return nil, fmt.Errorf("document %d: it must be names and values, as `source_id: valdoro`", n)
		case err != nil:
			return nil, fmt.Errorf("document %d: it is no YAML: %s", n, strings.TrimPrefix(err.Error(), "yaml: "))
		case fields == nil:
			continue
		}
		d := Description{fields: make(map[string]json.RawMessage, len(fields))}
		for name, value := range fields {
			if d.fields[name], err = json.Marshal(value); err != nil {
				return nil, fmt.Errorf("document %d: %s: %w", n, name, err)
			}
		}
		id, ok := fields["source_id"].(string)
		switch {
		case !ok || !model.ValidSourceID(id):
			return nil, fmt.Errorf("document %d: source_id %v: 1 to 64 of a-z, 0-9, _ and -", n, fields["source_id"])
		case seen[id]:
			return nil, fmt.Errorf("document %d: source_id %s is described before", n, id)
		}
		d.ID, seen[id] = id, true
		all = append(all, d)
	}
}

// kind names a type of Go for people.
func kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "names and values"
	default:
		return "a whole number"
	}
}

// Apply returns a source with what is described changed: what is named replaces
// what was there, and what is null gets its default. The error names the field.
func (d Description) Apply(s model.Source) (model.Source, error) {
	before := s
	fields, err := fieldsOf(s)
	if err != nil {
		return s, err
	}
	defaults, err := fieldsOf(model.DefaultSource(d.ID))
	if err != nil {
		return s, err
	}
	for name, value := range d.fields {
		if !known(name) {
			return s, fmt.Errorf("source %s: unknown field %q", d.ID, name)
		}
		if string(value) == "null" {
			value = defaults[name]
		}
		if fields[name] = value; value == nil {
			delete(fields, name)
		}
	}
	if s, err = d.decode(fields); err != nil {
		return s, err
	}
	if s.Entry != nil {
		if _, err := entry.Compile(*s.Entry); err != nil {
			return s, fmt.Errorf("source %s: entry_rule: %w", d.ID, err)
		}
	}
	if err := s.Validate(); err != nil {
		return s, fmt.Errorf("source %s: %w", d.ID, err)
	}
	for i, e := range s.Entities {
		if _, err := custom.Compile(e); err != nil {
			return s, fmt.Errorf("source %s: entities[%d].%w", d.ID, i, err)
		}
	}
	if err := checkVersions(before.Entities, s.Entities); err != nil {
		return s, fmt.Errorf("source %s: %w", d.ID, err)
	}
	return s, nil
}

// fieldsOf returns the fields of a source by their names, but for those that are
// left out when they are empty.
func fieldsOf(s model.Source) (fields map[string]json.RawMessage, err error) {
	data, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(data, &fields)
	}
	if err != nil {
		return nil, fmt.Errorf("source %s: %w", s.SourceID, err)
	}
	return fields, nil
}

// known reports whether a source has a field of this name.
func known(name string) bool {
	return slices.ContainsFunc(reflect.VisibleFields(reflect.TypeFor[model.Source]()), func(f reflect.StructField) bool {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return tag == name
	})
}

func (d Description) decode(fields map[string]json.RawMessage) (s model.Source, err error) {
	data, err := json.Marshal(fields)
	if err != nil {
		return s, fmt.Errorf("source %s: %w", d.ID, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil {
		var wrong *json.UnmarshalTypeError
		if !errors.As(err, &wrong) {
			return s, fmt.Errorf("source %s: %s", d.ID, strings.TrimPrefix(err.Error(), "json: "))
		}
		article := "a"
		if strings.ContainsAny(wrong.Value[:1], "ao") { // array, object
			article = "an"
		}
		return s, fmt.Errorf("source %s: %s: it is %s %s, want %s", d.ID, wrong.Field, article, wrong.Value, kind(wrong.Type))
	}
	return s, nil
}
