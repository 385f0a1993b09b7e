package entity

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// Version is a version of the prompt and of the JSON Schema of its answers.
type Version int

// The versions.
const (
	PromptV1 Version = 1 // the seed's prompt, word by word, and its types
	PromptV2 Version = 2 // the same with the fields of the canonical schema
)

// Schema returns the JSON Schema (draft 2020-12) of the answer about one page, made of the
// table of types. Version 1 has the fields of the seed's prompt.
func Schema(v Version) map[string]any {
	return schemaOf(Types(), v, fmt.Sprintf("Entities of a page, prompt version %d", v))
}

// SchemaOf is the same for these types, with all of their fields.
func SchemaOf(types []Type, title string) map[string]any {
	return schemaOf(types, PromptV2, title)
}

func schemaOf(types []Type, v Version, title string) map[string]any {
	properties, defs := map[string]any{}, map[string]any{}
	required := []string{}
	for _, t := range types {
		properties[t.Plural] = map[string]any{"type": "array", "items": map[string]any{"$ref": "#/$defs/" + t.Schema}}
		defs[t.Schema] = typeSchema(t, v)
		required = append(required, t.Plural)
	}
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title,
		"type": "object", "additionalProperties": false, "required": required, "properties": properties, "$defs": defs,
	}
}

func typeSchema(t Type, v Version) map[string]any {
	properties := map[string]any{"id": map[string]any{"type": "string"}, "evidence": listOf("string")}
	required := []string{"id"}
	for _, f := range t.Fields {
		if v == PromptV1 && !f.Prompt {
			continue
		}
		properties[f.Name] = fieldSchema(f)
		if f.Describe != "" {
			properties[f.Name].(map[string]any)["description"] = f.Describe
		}
		required = append(required, f.Name)
	}
	return map[string]any{"type": "object", "additionalProperties": false, "required": append(required, "evidence"), "properties": properties}
}

func listOf(kind string) map[string]any {
	return map[string]any{"type": "array", "items": map[string]any{"type": kind}}
}

func object(orNull bool, names []string, properties map[string]any) map[string]any {
	o := map[string]any{"type": "object", "additionalProperties": false, "required": names, "properties": properties}
	if orNull {
		o["type"] = []string{"object", "null"}
	}
	return o
}

func fieldSchema(f Field) map[string]any {
	number, text, maybe := map[string]any{"type": "number"}, map[string]any{"type": "string"}, map[string]any{"type": []string{"string", "null"}}
	switch f.Kind {
	case KindQuantity:
		return object(true, []string{"value", "unit"}, map[string]any{"value": number, "unit": text})
	case KindMoney:
		return object(true, []string{"value", "currency"}, map[string]any{"value": number, "currency": text})
	case KindPeriod:
		return object(true, []string{"start", "end"}, map[string]any{"start": maybe, "end": maybe})
	case KindNumber:
		return map[string]any{"type": []string{"number", "null"}}
	case KindReferences:
		return listOf("string")
	case KindPoints:
		point := object(false, []string{"lat", "lon"}, map[string]any{"lat": number, "lon": number})
		return map[string]any{"type": []string{"array", "null"}, "items": point}
	case KindChoice:
		choices := make([]any, 0, len(f.Choices)+1)
		for _, c := range f.Choices {
			choices = append(choices, c)
		}
		return map[string]any{"enum": append(choices, nil)}
	default:
		if f.Required {
			return text
		}
		return maybe
	}
}

var compiled = sync.OnceValues(func() (map[Version]*Validator, error) {
	out := make(map[Version]*Validator)
	for _, v := range []Version{PromptV1, PromptV2} {
		var err error
		if out[v], err = NewValidator(Schema(v)); err != nil {
			return nil, err
		}
	}
	return out, nil
})

// Validator holds answers against a JSON Schema. It is safe for concurrent use.
type Validator struct{ schema *jsonschema.Schema }

// NewValidator compiles a schema.
func NewValidator(schema map[string]any) (*Validator, error) {
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	const name = "entities.json"
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	s, err := c.Compile(name)
	return &Validator{s}, err
}

// Validate returns an error that names each place that differs.
func (v *Validator) Validate(data []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	err = v.schema.Validate(doc)
	var wrong *jsonschema.ValidationError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%v", wrong)
	}
	return err
}

// Validate holds the JSON of an answer against the schema of a version. The error names each
// place that differs, for the model that is asked again.
func Validate(v Version, data []byte) error {
	schemas, err := compiled()
	if err != nil {
		return err
	}
	schema, ok := schemas[v]
	if !ok {
		return fmt.Errorf("no prompt has version %d", v)
	}
	return schema.Validate(data)
}

func isPercent(unit string) bool {
	canonical, _, ok := value.CanonicalUnit(unit, "")
	return ok && canonical == "%"
}
