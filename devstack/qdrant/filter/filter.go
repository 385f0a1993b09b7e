// Package filter decides which points a Qdrant filter lets through, by the rules of the Qdrant server: conditions over
// payload values, ids and vectors, joined by must, should, must_not and min_should.
package filter

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	pb "github.com/qdrant/go-client/qdrant"
)

// Point is what a filter looks at.
type Point interface {
	ID() ID
	Payload() map[string]*pb.Value // at least the fields that Compile named
	HasVector(name string) bool
}

// Predicate reports whether a point passes.
type Predicate func(Point) bool

// ErrUnserved marks a condition that Qdrant knows and this package does not.
var ErrUnserved = errors.New("is not served by the development stack's vector store")

// TextIndexes holds the parameters of the fields with a full-text index, by field name.
type TextIndexes map[string]*pb.TextIndexParams

// Compile makes a predicate of a filter, and tells which fields of a payload it looks into. No filter, and an empty one,
// let every point through.
func Compile(filter *pb.Filter, texts TextIndexes) (passes Predicate, fields []string, err error) {
	compiler := compiler{texts: texts, fields: &fields}
	passes, err = compiler.filter(filter)
	return passes, fields, err
}

// compiler makes predicates; prefix is the path of the list of objects that a nested filter looks into, empty outside.
type compiler struct {
	texts  TextIndexes
	prefix string
	fields *[]string // of payloads that are looked into
}

// path reads the path of a condition, and notes which field of a payload it begins with.
func (c compiler) path(key string) (Path, error) {
	path, err := ParsePath(key)
	if err == nil && c.prefix == "" && !slices.Contains(*c.fields, path.Field()) {
		*c.fields = append(*c.fields, path.Field())
	}
	return path, err
}

func (c compiler) filter(filter *pb.Filter) (Predicate, error) {
	must, err := c.conditions(filter.GetMust())
	if err != nil {
		return nil, err
	}
	should, err := c.conditions(filter.GetShould())
	if err != nil {
		return nil, err
	}
	mustNot, err := c.conditions(filter.GetMustNot())
	if err != nil {
		return nil, err
	}
	least, err := c.conditions(filter.GetMinShould().GetConditions())
	if err != nil {
		return nil, err
	}
	hasLeast, minimum := filter.GetMinShould() != nil, filter.GetMinShould().GetMinCount()
	return func(p Point) bool {
		passes := func(condition Predicate) bool { return condition(p) }
		for _, condition := range must {
			if !condition(p) {
				return false
			}
		}
		if slices.ContainsFunc(mustNot, passes) || len(should) > 0 && !slices.ContainsFunc(should, passes) {
			return false
		}
		return !hasLeast || atLeast(least, p, minimum)
	}, nil
}

func atLeast(conditions []Predicate, p Point, minimum uint64) bool {
	count := uint64(0)
	for _, condition := range conditions {
		if condition(p) {
			count++
		}
	}
	return count >= minimum
}

func (c compiler) conditions(conditions []*pb.Condition) ([]Predicate, error) {
	predicates := make([]Predicate, len(conditions))
	for i, condition := range conditions {
		var err error
		if predicates[i], err = c.condition(condition); err != nil {
			return nil, err
		}
	}
	return predicates, nil
}

func (c compiler) condition(condition *pb.Condition) (Predicate, error) {
	switch kind := condition.GetConditionOneOf().(type) {
	case *pb.Condition_Field:
		return c.field(kind.Field)
	case *pb.Condition_Filter:
		return c.filter(kind.Filter)
	case *pb.Condition_HasId:
		return c.onPoint(hasID(kind.HasId.GetHasId()))
	case *pb.Condition_HasVector:
		name := kind.HasVector.GetHasVector()
		return c.onPoint(func(p Point) bool { return p.HasVector(name) }, nil)
	case *pb.Condition_IsEmpty:
		return c.onValues(kind.IsEmpty.GetKey(), isEmpty)
	case *pb.Condition_IsNull:
		return c.onValues(kind.IsNull.GetKey(), isNull)
	case *pb.Condition_Nested:
		return c.nested(kind.Nested)
	default:
		return nil, errors.New("malformed condition")
	}
}

// onPoint keeps a condition on the point itself out of nested filters, whose objects have no id and no vectors.
func (c compiler) onPoint(predicate Predicate, err error) (Predicate, error) {
	if c.prefix != "" && err == nil {
		return func(Point) bool { return false }, nil
	}
	return predicate, err
}

func hasID(ids []*pb.PointId) (Predicate, error) {
	parsed, err := ParseIDs(ids)
	if err != nil {
		return nil, err
	}
	wanted := make(map[ID]bool, len(parsed))
	for _, id := range parsed {
		wanted[id] = true
	}
	return func(p Point) bool { return wanted[p.ID()] }, nil
}

// element is one object of a list, which a nested filter looks at as if it were a point's payload.
type element struct {
	Point
	fields map[string]*pb.Value
}

// Payload is the object itself.
func (e element) Payload() map[string]*pb.Value { return e.fields }

// nested lets a point through when one object of the list at the key passes the inner filter as a whole.
func (c compiler) nested(nested *pb.NestedCondition) (Predicate, error) {
	key := strings.TrimSuffix(nested.GetKey(), "[]") + "[]"
	path, err := c.path(key)
	if err != nil {
		return nil, err
	}
	inner, err := compiler{texts: c.texts, fields: c.fields, prefix: c.prefix + key + "."}.filter(nested.GetFilter())
	if err != nil {
		return nil, err
	}
	return func(p Point) bool {
		return slices.ContainsFunc(path.Values(p.Payload()), func(value *pb.Value) bool {
			object := value.GetStructValue()
			return object != nil && inner(element{p, object.GetFields()})
		})
	}, nil
}

// onValues makes a predicate over all values at a key, also when there are none.
func (c compiler) onValues(key string, check func([]*pb.Value) bool) (Predicate, error) {
	path, err := c.path(key)
	if err != nil {
		return nil, err
	}
	return func(p Point) bool { return check(path.Values(p.Payload())) }, nil
}

// isEmpty is true for a field that is not there, is null, or is an empty list.
func isEmpty(values []*pb.Value) bool {
	for _, value := range values {
		list, isList := value.GetKind().(*pb.Value_ListValue)
		if isList && len(list.ListValue.GetValues()) > 0 || !isList && !IsNull(value) {
			return false
		}
	}
	return true
}

// IsEmpty reports whether a value is nothing: not there, null, or an empty list.
func IsEmpty(value *pb.Value) bool { return isEmpty([]*pb.Value{value}) }

// isNull is true for a field that is there and is null, or is a list with a null.
func isNull(values []*pb.Value) bool {
	return slices.ContainsFunc(values, func(value *pb.Value) bool {
		return IsNull(value) || slices.ContainsFunc(value.GetListValue().GetValues(), IsNull)
	})
}

// IsNull reports whether a value is null, or nothing at all.
func IsNull(value *pb.Value) bool {
	_, isNull := value.GetKind().(*pb.Value_NullValue)
	return isNull || value.GetKind() == nil
}

// check tests one value that is not a list.
type check func(*pb.Value) bool

// field joins the parts of a field condition by or, as the server does. A list passes when one of its elements does.
func (c compiler) field(field *pb.FieldCondition) (Predicate, error) {
	var checks []check
	if field.GetGeoBoundingBox() != nil || field.GetGeoRadius() != nil || field.GetGeoPolygon() != nil {
		return nil, fmt.Errorf("a geo condition %w", ErrUnserved)
	}
	if field.GetMatch() != nil {
		match, err := c.match(field.GetKey(), field.GetMatch())
		if err != nil {
			return nil, err
		}
		checks = append(checks, match)
	}
	if field.GetRange() != nil {
		checks = append(checks, inRange(field.GetRange()))
	}
	if field.GetDatetimeRange() != nil {
		checks = append(checks, inDatetimeRange(field.GetDatetimeRange()))
	}
	path, err := c.path(field.GetKey())
	if err != nil {
		return nil, err
	}
	whole := wholeChecks(field)
	if len(checks) == 0 && len(whole) == 0 {
		return nil, errors.New("validation error in body: at least one field condition must be specified")
	}
	return func(p Point) bool {
		values := path.Values(p.Payload())
		for _, passes := range whole {
			if passes(values) {
				return true
			}
		}
		for _, value := range values {
			candidates := []*pb.Value{value}
			if list, ok := value.GetKind().(*pb.Value_ListValue); ok {
				candidates = list.ListValue.GetValues()
			}
			for _, candidate := range candidates {
				if slices.ContainsFunc(checks, func(passes check) bool { return passes(candidate) }) {
					return true
				}
			}
		}
		return false
	}, nil
}

// wholeChecks are the parts of a field condition that look at lists as such.
func wholeChecks(field *pb.FieldCondition) []func([]*pb.Value) bool {
	var checks []func([]*pb.Value) bool
	if field.IsEmpty != nil {
		checks = append(checks, func(values []*pb.Value) bool {
			if len(values) == 0 {
				return field.GetIsEmpty()
			}
			return slices.ContainsFunc(values, func(value *pb.Value) bool {
				return isEmpty([]*pb.Value{value}) == field.GetIsEmpty()
			})
		})
	}
	if field.IsNull != nil {
		checks = append(checks, func(values []*pb.Value) bool { return isNull(values) == field.GetIsNull() })
	}
	if counts := field.GetValuesCount(); counts != nil {
		checks = append(checks, func(values []*pb.Value) bool {
			if len(values) == 0 {
				return countIn(counts, 0)
			}
			return slices.ContainsFunc(values, func(value *pb.Value) bool { return countIn(counts, countOf(value)) })
		})
	}
	return checks
}

func countOf(value *pb.Value) uint64 {
	if list, ok := value.GetKind().(*pb.Value_ListValue); ok {
		return uint64(len(list.ListValue.GetValues()))
	}
	if IsNull(value) {
		return 0
	}
	return 1
}

func countIn(counts *pb.ValuesCount, count uint64) bool {
	return (counts.Lt == nil || count < counts.GetLt()) && (counts.Gt == nil || count > counts.GetGt()) &&
		(counts.Lte == nil || count <= counts.GetLte()) && (counts.Gte == nil || count >= counts.GetGte())
}
