package model

import (
	"fmt"
	"regexp"
)

// EntitySchema says what entities of one's own are to be found on a source's pages (contracts#entity-schema).
type EntitySchema struct {
	Name        string          `json:"name"`                  // a to z, 0 to 9 and _
	Version     int             `json:"version"`               // from 1; raised by whoever changes the rest
	Instruction string          `json:"instruction,omitempty"` // what a model is told beside the schema
	Schema      map[string]any  `json:"schema"`                // JSON Schema, draft 2020-12, of a page's answer: a list for each type
	Pages       *EntityPages    `json:"pages,omitempty"`       // nil: all pages
	Examples    []EntityExample `json:"examples,omitempty"`    // texts with what is to be found in them, which are tried when it is applied
}

// EntityPages says on which pages entities are looked for: those with an open section or heading of a kind, or with a word.
type EntityPages struct {
	Sections []string `json:"sections,omitempty"` // kinds (contracts#section-kind)
	Words    []string `json:"words,omitempty"`    // words or phrases; capital letters do not count
}

// EntityExample is a text with what is to be found in it. Its quotes stand in the text.
type EntityExample struct {
	Language string         `json:"language,omitempty"` // ISO 639-1
	Text     string         `json:"text"`               // blocks, one a line
	Entities map[string]any `json:"entities"`           // a list for each type, as a model would answer
}

// maxInstruction bounds an instruction and an example's text, in bytes; maxExamples how many there are.
const (
	maxInstruction = 4 << 10
	maxExamples    = 16
)

var schemaNameForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// Validate returns an error that names the first field that is wrong. What the JSON Schema means is
// checked by package entity/custom.
func (s EntitySchema) Validate() error {
	switch {
	case !schemaNameForm.MatchString(s.Name):
		return fmt.Errorf("name %q: 1 to 64 of a-z, 0-9 and _, a letter first", s.Name)
	case s.Version < 1:
		return fmt.Errorf("version %d: 1 or more", s.Version)
	case len(s.Instruction) > maxInstruction:
		return fmt.Errorf("instruction: %d bytes, limit %d", len(s.Instruction), maxInstruction)
	case len(s.Schema) == 0:
		return fmt.Errorf("schema: must not be empty")
	case len(s.Examples) > maxExamples:
		return fmt.Errorf("examples: %d, limit %d", len(s.Examples), maxExamples)
	}
	for i, e := range s.Examples {
		if e.Text == "" || len(e.Text) > maxInstruction {
			return fmt.Errorf("examples[%d].text: 1 to %d bytes", i, maxInstruction)
		}
	}
	return nil
}
