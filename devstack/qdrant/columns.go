package qdrant

import (
	"math"
	"slices"
	"time"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/colophon-dev/colophon/devstack/qdrant/filter"
	"github.com/colophon-dev/colophon/devstack/qdrant/payload"
)

// columns are the values of the payload fields with a keyword, an integer or a datetime index, by field and row, each as a number: a
// filter on such a field compares numbers, which lie side by side, instead of looking into payloads. What a column does
// not know is left to the filter.
type columns struct {
	list []*column
}

// column is one field.
type column struct {
	field   string
	kind    pb.FieldType
	read    func(value *pb.Value) int64 // its number, or unread
	words   map[string]int64            // the numbers of texts, of a keyword field
	numbers []int64                     // by row
	filled  int                         // rows that have the field, and not empty
}

// The numbers that are no values. A field that is missing, null or an empty list fails every match and every range.
const (
	noValue = math.MinInt64     // it is empty
	unread  = math.MinInt64 + 1 // it is not one text or number, or a list, or no time that a number can be: only the filter knows
)

// add makes the column of a field, in which nothing is set yet, and reports whether it did so now. A field of another
// kind, or below a key, has none.
func (c *columns) add(field string, kind pb.FieldType) bool {
	path, err := filter.ParsePath(field)
	if err != nil || len(path) != 1 || c.of(path.Field()) != nil {
		return false
	}
	made := &column{field: path.Field(), kind: kind}
	switch kind {
	case pb.FieldType_FieldTypeKeyword:
		made.words = map[string]int64{}
		made.read = made.number
	case pb.FieldType_FieldTypeDatetime:
		made.read = nanoseconds
	case pb.FieldType_FieldTypeInteger:
		made.read = integer
	default:
		return false
	}
	c.list = append(c.list, made)
	return true
}

// of returns the column of a field, or nil.
func (c *columns) of(field string) *column {
	at := slices.IndexFunc(c.list, func(one *column) bool { return one.field == field })
	if at < 0 {
		return nil
	}
	return c.list[at]
}

// set writes the values of a payload into a row.
func (c *columns) set(row int, of payload.Packed) {
	fields := make([]string, len(c.list))
	for i, one := range c.list {
		fields[i] = one.field
	}
	values := of.Some(fields)
	for _, one := range c.list {
		one.set(row, values[one.field])
	}
}

// clear empties a row.
func (c *columns) clear(row int) {
	for _, one := range c.list {
		one.set(row, nil)
	}
}

func (c *column) set(row int, value *pb.Value) {
	for len(c.numbers) <= row {
		c.numbers = append(c.numbers, noValue)
	}
	number := int64(noValue)
	if !filter.IsEmpty(value) {
		number = c.read(value)
	}
	if c.numbers[row] != noValue {
		c.filled--
	}
	if c.numbers[row] = number; number != noValue {
		c.filled++
	}
}

// number is that of a text of a keyword field, which gets the next one when it is new.
func (c *column) number(value *pb.Value) int64 {
	text, ok := value.GetKind().(*pb.Value_StringValue)
	if !ok {
		return unread
	}
	number, known := c.words[text.StringValue]
	if !known {
		number = int64(len(c.words))
		c.words[text.StringValue] = number
	}
	return number
}

// maxInteger is the greatest number that a range, whose ends are floats, says exactly.
const maxInteger = 1 << 53

func integer(value *pb.Value) int64 {
	number, ok := value.GetKind().(*pb.Value_IntegerValue)
	if !ok || number.IntegerValue < -maxInteger || number.IntegerValue > maxInteger {
		return unread
	}
	return number.IntegerValue
}

// nanoseconds is a time since 1970. One of another age than the number can hold is not read.
func nanoseconds(value *pb.Value) int64 {
	text, ok := value.GetKind().(*pb.Value_StringValue)
	if !ok {
		return unread
	}
	moment, ok := filter.ParseDatetime(text.StringValue)
	if !ok {
		return unread
	}
	if number, ok := numberOfTime(moment); ok {
		return number
	}
	return unread
}

// condition is what one condition of a filter says about the numbers of a column.
type condition struct {
	column *column
	least  int64 // of a range, whose ends belong to it
	most   int64
	listed []bool // of a match, by number; nil for a range
	empty  bool   // those meet it that have no value, and no others
	not    bool   // those pass that do not meet it
}

// answer is what a condition can say of a row.
type answer int

const (
	fails answer = iota
	passed
	unsaid // only the filter knows
)

func (c condition) ask(row int) answer {
	number := c.column.numbers[row]
	if number == unread {
		return unsaid
	}
	met := false
	if c.empty {
		met = number == noValue
	} else if c.listed != nil {
		met = number >= 0 && number < int64(len(c.listed)) && c.listed[number]
	} else {
		met = number != noValue && c.least <= number && number <= c.most
	}
	if met != c.not {
		return passed
	}
	return fails
}

// conditions returns what columns say of the plain conditions of a filter, its must and must_not; whole tells that it
// has no others.
func (c *columns) conditions(f *pb.Filter) (all []condition, whole bool) {
	whole = len(f.GetShould()) == 0 && f.GetMinShould() == nil
	for _, part := range []struct {
		conditions []*pb.Condition
		not        bool
	}{{f.GetMust(), false}, {f.GetMustNot(), true}} {
		for _, one := range part.conditions {
			made, ok := c.condition(one.GetField())
			if one.GetIsEmpty() != nil {
				made, ok = c.emptiness(one.GetIsEmpty().GetKey())
			}
			if !ok {
				whole = false
				continue
			}
			made.not = part.not
			all = append(all, made)
		}
	}
	return all, whole
}

// condition makes a condition on a field, if there is a column for it and it asks for one thing: the parts of a
// condition are joined by or.
func (c *columns) condition(field *pb.FieldCondition) (condition, bool) {
	path, err := filter.ParsePath(field.GetKey())
	if field == nil || err != nil || len(path) != 1 {
		return condition{}, false
	}
	at := c.of(path.Field())
	made := condition{column: at}
	switch {
	case at == nil:
		return made, false
	case at.kind == pb.FieldType_FieldTypeInteger:
		alone := proto.Equal(field, &pb.FieldCondition{Key: field.GetKey(), Range: field.GetRange()})
		return made, alone && made.limitNumber(field.GetRange())
	case at.words == nil:
		alone := proto.Equal(field, &pb.FieldCondition{Key: field.GetKey(), DatetimeRange: field.GetDatetimeRange()})
		return made, alone && made.limit(field.GetDatetimeRange())
	}
	values, plain := keywordsOf(field)
	made.listed = []bool{}
	for _, value := range values {
		if number, known := at.words[value]; known {
			made.listed = append(made.listed, make([]bool, max(0, int(number)+1-len(made.listed)))...)
			made.listed[number] = true
		}
	}
	return made, plain
}

// emptiness makes the condition that a field has no value, if there is a column for it.
func (c *columns) emptiness(key string) (condition, bool) {
	path, err := filter.ParsePath(key)
	if err != nil || len(path) != 1 {
		return condition{}, false
	}
	at := c.of(path.Field())
	return condition{column: at, empty: true}, at != nil
}

// limitNumber sets the ends of a range of integers, and reports whether they can say it.
func (c *condition) limitNumber(bounds *pb.Range) bool {
	c.least, c.most = -maxInteger, maxInteger
	if bounds == nil || bounds.Gt != nil || bounds.Lt != nil {
		return false
	}
	for _, end := range []struct {
		given *float64
		to    *int64
		round func(float64) float64
	}{{bounds.Gte, &c.least, math.Ceil}, {bounds.Lte, &c.most, math.Floor}} {
		if end.given == nil {
			continue
		}
		whole := end.round(*end.given)
		if !(math.Abs(whole) <= maxInteger) { // not a number, too
			return false
		}
		*end.to = int64(whole)
	}
	return true
}

// limit sets the ends of a range, and reports whether numbers can say them.
func (c *condition) limit(bounds *pb.DatetimeRange) bool {
	from, ok1 := numberOf(bounds.GetGte(), unread+1, 0)
	after, ok2 := numberOf(bounds.GetGt(), unread+1, 1)
	to, ok3 := numberOf(bounds.GetLte(), math.MaxInt64, 0)
	before, ok4 := numberOf(bounds.GetLt(), math.MaxInt64, -1)
	c.least, c.most = max(from, after), min(to, before)
	return bounds != nil && ok1 && ok2 && ok3 && ok4
}

// numberOf returns the last number of a range that ends at a bound, off behind it, and whether there is such a number.
func numberOf(bound *timestamppb.Timestamp, without, off int64) (int64, bool) {
	if bound == nil {
		return without, true
	}
	number, ok := numberOfTime(bound.AsTime())
	return number + off, ok
}

// numberOfTime returns the nanoseconds since 1970, and whether a number that has neighbours can hold them.
func numberOfTime(moment time.Time) (int64, bool) {
	number := moment.UnixNano()
	return number, time.Unix(0, number).Equal(moment) && number > unread+1 && number < math.MaxInt64
}

// keywordsOf returns the texts of which a condition wants one, when it asks for nothing else.
func keywordsOf(field *pb.FieldCondition) (values []string, plain bool) {
	match := field.GetMatch()
	if !proto.Equal(field, &pb.FieldCondition{Key: field.GetKey(), Match: match}) {
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
