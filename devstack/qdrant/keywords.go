package qdrant

import (
	"slices"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"

	"github.com/colophon-dev/colophon/devstack/qdrant/filter"
)

// keywords are the values of the payload fields with a keyword index, each value of a field with a number of its own: a
// filter on such a field then compares a number for most points instead of looking into their payloads. What it does not
// know is left to the filter.
type keywords struct {
	fields  []string
	numbers []map[string]uint32 // by field, then by value, from 1
}

// unknownKeyword is the number of whatever is not one text: of a field that is not there, or holds a list.
const unknownKeyword = 0

// add begins to number the values of a field, and reports whether it did so now.
func (k *keywords) add(field string) bool {
	path, err := filter.ParsePath(field)
	if err != nil || len(path) != 1 || slices.Contains(k.fields, field) {
		return false
	}
	k.fields, k.numbers = append(k.fields, field), append(k.numbers, map[string]uint32{})
	return true
}

// of returns the numbers of a payload, by field.
func (k *keywords) of(payload map[string]*pb.Value) []uint32 {
	numbers := make([]uint32, len(k.fields))
	for i, field := range k.fields {
		text, ok := payload[field].GetKind().(*pb.Value_StringValue)
		if !ok {
			continue
		}
		number, known := k.numbers[i][text.StringValue]
		if !known {
			number = uint32(len(k.numbers[i]) + 1)
			k.numbers[i][text.StringValue] = number
		}
		numbers[i] = number
	}
	return numbers
}

// refusal is what a condition on a field says about points: those with one of the numbers, or else all others, do not
// pass.
type refusal struct {
	field  int
	listed []bool // by number
	others bool
}

func (r refusal) refuses(p *point) bool {
	number := p.keywords[r.field]
	return number != unknownKeyword && (int(number) < len(r.listed) && r.listed[number]) != r.others
}

// refusals returns what the plain conditions of a filter say, its must and must_not on keywords; whole tells that it has
// no others, so that a point passes whose numbers are known and that none refuses.
func (k *keywords) refusals(f *pb.Filter) (all []refusal, whole bool) {
	whole = len(f.GetShould()) == 0 && f.GetMinShould() == nil
	for _, part := range []struct {
		conditions []*pb.Condition
		others     bool
	}{{f.GetMust(), true}, {f.GetMustNot(), false}} {
		for _, condition := range part.conditions {
			field := condition.GetField()
			values, plain := keywordsOf(field)
			at := slices.Index(k.fields, field.GetKey())
			if at < 0 || !plain {
				whole = false
				continue
			}
			r := refusal{field: at, others: part.others}
			for _, value := range values {
				if number := int(k.numbers[at][value]); number != unknownKeyword {
					r.listed = append(r.listed, make([]bool, max(0, number+1-len(r.listed)))...)
					r.listed[number] = true
				}
			}
			all = append(all, r)
		}
	}
	return all, whole
}

// keywordsOf returns the texts of which a condition wants one, when it asks for nothing else.
func keywordsOf(field *pb.FieldCondition) (values []string, plain bool) {
	match := field.GetMatch()
	if !proto.Equal(field, &pb.FieldCondition{Key: field.GetKey(), Match: match}) { // its parts are joined by or
		return nil, false
	}
	switch kind := match.GetMatchValue().(type) {
	case *pb.Match_Keyword:
		return []string{kind.Keyword}, true
	case *pb.Match_Keywords:
		return kind.Keywords.GetStrings(), true
	default:
		return nil, false
	}
}
