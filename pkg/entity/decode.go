package entity

import (
	"encoding/json"
	"fmt"
)

// DecodePage returns the proposals of an answer about a page: a JSON object with a list for each
// of these types. What is of another shape than its field is left out, and named in wrong; names of the
// canonical schema count as those of the prompt.
func DecodePage(types []Type, data []byte) (proposals []Entity, wrong []string, err error) {
	var lists map[string]json.RawMessage
	if err := json.Unmarshal(data, &lists); err != nil {
		return nil, nil, err
	}
	for _, t := range types {
		raw, ok := lists[t.Plural]
		delete(lists, t.Plural)
		if !ok || string(raw) == "null" {
			continue
		}
		var items []map[string]json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: not a list of objects", t.Plural))
			continue
		}
		for i, item := range items {
			e, bad := decodeEntity(t, item)
			for _, b := range bad {
				wrong = append(wrong, fmt.Sprintf("%s[%d].%s", t.Plural, i, b))
			}
			proposals = append(proposals, e)
		}
	}
	return proposals, wrong, nil
}

// DecodeEntity returns the proposal of a JSON object of a type.
func DecodeEntity(typ string, data []byte) (Entity, []string, error) {
	t, ok := TypeOf(typ)
	if !ok {
		return Entity{}, nil, fmt.Errorf("type %q is not in the list", typ)
	}
	var item map[string]json.RawMessage
	if err := json.Unmarshal(data, &item); err != nil {
		return Entity{}, nil, err
	}
	e, wrong := decodeEntity(t, item)
	return e, wrong, nil
}

func decodeEntity(t Type, item map[string]json.RawMessage) (e Entity, wrong []string) {
	e = Entity{Type: t.Name, Values: make(map[string]any)}
	if raw, ok := item["id"]; ok && json.Unmarshal(raw, &e.ID) != nil {
		wrong = append(wrong, "id")
	}
	if raw, ok := item["evidence"]; ok {
		var one string
		switch {
		case json.Unmarshal(raw, &e.Evidence) == nil:
		case json.Unmarshal(raw, &one) == nil:
			e.Evidence = []string{one}
		default:
			wrong = append(wrong, "evidence")
		}
	}
	for _, f := range t.Fields {
		raw, ok := item[f.Name]
		if !ok && f.Alias != "" {
			raw, ok = item[f.Alias]
		}
		if !ok || string(raw) == "null" {
			continue
		}
		if v, ok := decodeValue(f.Kind, raw); ok {
			e.Values[f.Name] = v
		} else {
			wrong = append(wrong, f.Name)
		}
	}
	return e, wrong
}

// decodeValue reads a value of a kind.
func decodeValue(k Kind, raw json.RawMessage) (any, bool) {
	switch k {
	case KindQuantity:
		return decodeAs[Quantity](raw)
	case KindMoney:
		return decodeAs[Money](raw)
	case KindPeriod:
		return decodeAs[Period](raw)
	case KindNumber:
		return decodeAs[float64](raw)
	case KindReferences:
		return decodeAs[[]string](raw)
	case KindPoints:
		return decodeAs[[]Point](raw)
	default:
		return decodeAs[string](raw)
	}
}

func decodeAs[T any](raw json.RawMessage) (any, bool) {
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, false
	}
	return v, true
}
