package model

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Cell is a cell of a table: in JSON a plain string or, when Type is set, the
// typed cell of seeds#conventions, {type, value, formatted} or for a link {type, url, text}.
type Cell struct {
	// Type is number, percent, money, date or link; "" for text.
	Type string
	// Value is the number with a decimal point and no separators, or the date as
	// YYYY-MM-DD; "" when it can be read in more than one way.
	Value string
	// Formatted is the text as it stands in the document, always.
	Formatted string
	// URL is where the cell leads to when all of it is one link.
	URL string
}

// typedCell is a typed cell in JSON.
type typedCell struct {
	Type      string  `json:"type"`
	Value     string  `json:"value,omitempty"`
	Formatted *string `json:"formatted,omitempty"`
	URL       string  `json:"url,omitempty"`
	Text      *string `json:"text,omitempty"`
}

// MarshalJSON writes a plain cell as its text.
func (c Cell) MarshalJSON() ([]byte, error) {
	if c.Type == "" {
		return encode(c.Formatted)
	}
	typed := typedCell{Type: c.Type, Value: c.Value, URL: c.URL}
	if c.Type == "link" {
		typed.Text = &c.Formatted
	} else {
		typed.Formatted = &c.Formatted
	}
	return encode(typed)
}

// encode is json.Marshal without HTML's escapes: those of a document are its
// own, and whoever writes the whole decides.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// UnmarshalJSON reads a string or a typed cell.
func (c *Cell) UnmarshalJSON(data []byte) error {
	*c = Cell{}
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &c.Formatted)
	}
	var typed typedCell
	if err := json.Unmarshal(data, &typed); err != nil {
		return fmt.Errorf("cell of a table: %w", err)
	}
	*c = Cell{Type: typed.Type, Value: typed.Value, URL: typed.URL}
	for _, text := range []*string{typed.Text, typed.Formatted} {
		if text != nil {
			c.Formatted = *text
		}
	}
	return nil
}
