package filter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	pb "github.com/qdrant/go-client/qdrant"
)

// Path names values inside a payload: keys with dots between them, keys in double quotes, [n] for one element of a list
// and [] for all of them.
type Path []step

// step is a key, or when key is empty and isIndex is set an element (all of them when index is below 0).
type step struct {
	key     string
	isIndex bool
	index   int
}

// ParsePath reads a path.
func ParsePath(text string) (Path, error) {
	bad := fmt.Errorf("invalid JSON path %s", text)
	var path Path
	rest := text
	for {
		key, after, ok := cutKey(rest)
		if !ok {
			return nil, bad
		}
		path, rest = append(path, step{key: key}), after
		for strings.HasPrefix(rest, "[") {
			inner, after, ok := strings.Cut(rest[1:], "]")
			if !ok {
				return nil, bad
			}
			index := -1
			if inner != "" {
				number, err := strconv.ParseUint(inner, 10, 31)
				if err != nil {
					return nil, bad
				}
				index = int(number)
			}
			path, rest = append(path, step{isIndex: true, index: index}), after
		}
		if rest == "" {
			return path, nil
		}
		if rest, ok = strings.CutPrefix(rest, "."); !ok {
			return nil, bad
		}
	}
}

// Field is the field of a payload that the path begins with.
func (p Path) Field() string { return p[0].key }

// cutKey takes one key, plain or quoted, from the front of text.
func cutKey(text string) (key, rest string, ok bool) {
	if quoted, found := strings.CutPrefix(text, `"`); found {
		key, rest, ok = strings.Cut(quoted, `"`)
		return key, rest, ok
	}
	end := strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	})
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:], end > 0
}

// Values returns what the path leads to in a payload.
func (p Path) Values(payload map[string]*pb.Value) []*pb.Value {
	if len(p) == 0 {
		return nil
	}
	value, ok := payload[p[0].key]
	if !ok {
		return nil
	}
	return p[1:].collect(value, nil)
}

func (p Path) collect(value *pb.Value, found []*pb.Value) []*pb.Value {
	if len(p) == 0 {
		return append(found, value)
	}
	if !p[0].isIndex {
		if inner, ok := value.GetStructValue().GetFields()[p[0].key]; ok {
			return p[1:].collect(inner, found)
		}
		return found
	}
	for i, element := range value.GetListValue().GetValues() {
		if p[0].index < 0 || p[0].index == i {
			found = p[1:].collect(element, found)
		}
	}
	return found
}

// Pick returns a payload that holds only what the paths lead to and what lies on the way there.
func Pick(payload map[string]*pb.Value, paths []Path) map[string]*pb.Value {
	if !slices.ContainsFunc(paths, func(p Path) bool { return len(p) != 1 }) { // whole fields
		kept := make(map[string]*pb.Value, len(paths))
		for _, p := range paths {
			if value, ok := payload[p[0].key]; ok {
				kept[p[0].key] = value
			}
		}
		return kept
	}
	return pruneFields(payload, nil, func(at Path) bool {
		return slices.ContainsFunc(paths, func(wanted Path) bool { return at.begins(wanted) || wanted.begins(at) })
	})
}

// Drop returns a payload without what the paths lead to. Single elements of a list are never dropped, as in the server.
func Drop(payload map[string]*pb.Value, paths []Path) map[string]*pb.Value {
	return pruneFields(payload, nil, func(at Path) bool {
		return !slices.ContainsFunc(paths, func(unwanted Path) bool { return unwanted.begins(at) })
	})
}

// begins reports whether the other path goes on from this one, or is the same.
func (p Path) begins(other Path) bool { return len(p) <= len(other) && slices.Equal(p, other[:len(p)]) }

// pruneFields copies what may change and shares the rest: stored payloads are never written to.
func pruneFields(fields map[string]*pb.Value, at Path, keep func(Path) bool) map[string]*pb.Value {
	kept := make(map[string]*pb.Value, len(fields))
	for key, value := range fields {
		if below := append(slices.Clip(at), step{key: key}); keep(below) {
			kept[key] = prune(value, below, keep)
		}
	}
	return kept
}

func prune(value *pb.Value, at Path, keep func(Path) bool) *pb.Value {
	if object := value.GetStructValue(); object != nil {
		fields := pruneFields(object.GetFields(), at, keep)
		return &pb.Value{Kind: &pb.Value_StructValue{StructValue: &pb.Struct{Fields: fields}}}
	}
	list := value.GetListValue()
	if list == nil {
		return value
	}
	pruned := &pb.ListValue{}
	if below := append(slices.Clip(at), step{isIndex: true, index: -1}); keep(below) {
		for _, element := range list.GetValues() {
			pruned.Values = append(pruned.Values, prune(element, below, keep))
		}
	}
	return &pb.Value{Kind: &pb.Value_ListValue{ListValue: pruned}}
}
