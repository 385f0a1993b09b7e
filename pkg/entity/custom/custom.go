// Package custom makes types of entities of a JSON Schema that somebody has written: entities of one's own
// (contracts#entity-schema). What the types are asked of, models or rules, and what guards them is the same as for
// the six types of package entity. It is a pure function of the schema.
package custom

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/guard"
	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Schema is a schema of one's own that can be used.
type Schema struct {
	Name        string
	Version     int
	Instruction string
	Types       []entity.Type
	pages       *model.EntityPages
	examples    []model.EntityExample
}

// Compile reads a schema and tries its examples: each must be what the schema asks for, and each of its values must
// stand in its evidence. The error names the place that is wrong.
func Compile(s model.EntitySchema) (Schema, error) {
	if err := s.Validate(); err != nil {
		return Schema{}, err
	}
	answers, err := compileJSONSchema(s.Schema)
	if err != nil {
		return Schema{}, fmt.Errorf("schema: %w", err)
	}
	types, err := typesOf(s.Schema)
	if err != nil {
		return Schema{}, fmt.Errorf("schema.%w", err)
	}
	if s.Pages != nil {
		for _, kind := range s.Pages.Sections {
			if !slices.Contains(sectionKinds(), kind) {
				return Schema{}, fmt.Errorf("pages.sections: %q is none of %s", kind, strings.Join(sectionKinds(), ", "))
			}
		}
	}
	out := Schema{Name: s.Name, Version: s.Version, Instruction: s.Instruction, Types: types, pages: s.Pages, examples: s.Examples}
	for i, e := range s.Examples {
		if err := out.try(answers, e); err != nil {
			return Schema{}, fmt.Errorf("examples[%d]: %w", i, err)
		}
	}
	return out, nil
}

// sectionKinds are the kinds of sections by which pages can be chosen (contracts#section-kind).
func sectionKinds() []string {
	return []string{"summary", "goal", "bmp", "implementation", "monitoring", "outreach", "administrative", "generic"}
}

// compileJSONSchema holds a schema against the standard.
func compileJSONSchema(schema map[string]any) (*jsonschema.Schema, error) {
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource("schema.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("schema.json")
}

// noLoader refuses references to files and addresses.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s: a schema stands alone, references lead into itself", url)
}

// try holds an example against schema and guard.
func (s Schema) try(answers *jsonschema.Schema, e model.EntityExample) error {
	data, err := json.Marshal(e.Entities)
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	var wrong *jsonschema.ValidationError
	if err := answers.Validate(doc); errors.As(err, &wrong) {
		return fmt.Errorf("entities: %v", wrong)
	}
	proposals, bad, err := entity.DecodePage(s.Types, data)
	if err != nil || len(bad) > 0 {
		return fmt.Errorf("entities: %v %s", err, strings.Join(bad, ", "))
	}
	r := guard.Check(s.input(e), proposals)
	if len(r.Drops) > 0 {
		d := r.Drops[0]
		return fmt.Errorf("%s %q: %s: %s", strings.Trim(d.Type+"."+d.Field, "."), d.Text, d.Reason, "it does not stand in its evidence")
	}
	return nil
}

// input is an example's text as a page.
func (s Schema) input(e model.EntityExample) entity.PageInput {
	in := entity.PageInput{PageNo: 1, Language: e.Language, Types: s.Types}
	for line := range strings.Lines(e.Text) {
		if line = strings.TrimSpace(line); line != "" {
			in.Units = append(in.Units, model.Unit{IRID: fmt.Sprintf("ir_%d", len(in.Units)), Type: model.UnitParagraph, FieldsRaw: model.Fields{Text: line, Verbatim: true}})
		}
	}
	return in
}

// Wants reports whether entities are to be looked for on a page: it has a section of a kind, open or begun there, or
// a word.
func (s Schema) Wants(in entity.PageInput) bool {
	if s.pages == nil || len(s.pages.Sections)+len(s.pages.Words) == 0 {
		return true
	}
	var language *model.Language
	if in.Language != "" {
		language = &model.Language{Lang: in.Language}
	}
	for _, o := range in.Open {
		if slices.Contains(s.pages.Sections, o.Kind) {
			return true
		}
	}
	for i := range in.Units {
		u := &in.Units[i]
		if !u.Chunked() {
			continue
		}
		if u.Type == model.UnitHeading && slices.Contains(s.pages.Sections, docxt.KindOf(u.FieldsRaw.Text, language)) {
			return true
		}
		text := " " + lexicon.Fold(u.FieldsRaw.Text) + " "
		for _, w := range s.pages.Words {
			if strings.Contains(text, lexicon.Fold(w)) {
				return true
			}
		}
	}
	return false
}

// JSONSchema returns the JSON Schema of a model's answer about a page: the types with evidence.
func (s Schema) JSONSchema() map[string]any { return entity.SchemaOf(s.Types, s.Name) }

// Ask returns what a model is asked of a page beside its text: the instruction, the JSON Schema of the answer with
// evidence, and the examples.
func (s Schema) Ask() (string, error) {
	schema, err := json.MarshalIndent(s.JSONSchema(), "", " ")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nAnswer with one JSON object of this JSON Schema. Each quote in evidence is copied from the page.\n%s\n", s.Instruction, schema)
	for _, e := range s.examples {
		answer, err := json.Marshal(e.Entities)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\nExample page:\n%s\nExample answer:\n%s\n", strings.TrimSpace(e.Text), answer)
	}
	return b.String(), nil
}
