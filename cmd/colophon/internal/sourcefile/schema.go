package sourcefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/colophon-dev/colophon/pkg/model"
)

// ParseSchema reads the YAML, or JSON, of one schema of entities, as a source's list of entities holds them.
func ParseSchema(in io.Reader) (model.EntitySchema, error) {
	var (
		fields map[string]any
		s      model.EntitySchema
	)
	decoder := yaml.NewDecoder(in)
	switch err := decoder.Decode(&fields); {
	case errors.Is(err, io.EOF):
		return s, errors.New("it describes no schema")
	case err != nil:
		return s, fmt.Errorf("it is no YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return s, err
	}
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&s); err != nil {
		return s, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return s, nil
}

// checkVersions refuses a schema that differs from the one of its name before, and has not a higher version: what was found
// by a version can be told apart by it.
func checkVersions(before, after []model.EntitySchema) error {
	for i, s := range after {
		for _, old := range before {
			if old.Name != s.Name || isSameSchema(old, s) {
				continue
			}
			if s.Version <= old.Version {
				return fmt.Errorf("entities[%d].version %d: the schema %s has changed since version %d, so its version must be higher", i, s.Version, s.Name, old.Version)
			}
		}
	}
	return nil
}

// isSameSchema compares two schemas as they are stored.
func isSameSchema(a, b model.EntitySchema) bool {
	var x, y any
	for s, into := range map[*model.EntitySchema]*any{&a: &x, &b: &y} {
		data, err := json.Marshal(s)
		if err != nil || json.Unmarshal(data, into) != nil {
			return false
		}
	}
	return reflect.DeepEqual(x, y)
}
