package filter

import (
	"errors"
	"fmt"
	"slices"
	"time"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// match makes the check of a match condition.
func (c compiler) match(key string, match *pb.Match) (check, error) {
	switch kind := match.GetMatchValue().(type) {
	case *pb.Match_Keyword:
		return isOneOf([]string{kind.Keyword}, nil), nil
	case *pb.Match_Integer:
		return isOneOf(nil, []int64{kind.Integer}), nil
	case *pb.Match_Boolean:
		return func(value *pb.Value) bool {
			flag, ok := value.GetKind().(*pb.Value_BoolValue)
			return ok && flag.BoolValue == kind.Boolean
		}, nil
	case *pb.Match_Keywords:
		return isOneOf(kind.Keywords.GetStrings(), nil), nil
	case *pb.Match_Integers:
		return isOneOf(nil, kind.Integers.GetIntegers()), nil
	case *pb.Match_ExceptKeywords:
		return isNoneOf(kind.ExceptKeywords.GetStrings(), nil), nil
	case *pb.Match_ExceptIntegers:
		return isNoneOf(nil, kind.ExceptIntegers.GetIntegers()), nil
	case *pb.Match_Text:
		return c.text(key, kind.Text, containsAll), nil
	case *pb.Match_TextAny:
		return c.text(key, kind.TextAny, containsAny), nil
	case *pb.Match_Phrase:
		if params, indexed := c.texts[c.prefix+key]; indexed && !params.GetPhraseMatching() {
			return func(*pb.Value) bool { return false }, nil // the server finds nothing, and does not say why
		}
		return c.text(key, kind.Phrase, containsPhrase), nil
	case nil:
		return nil, errors.New("malformed match condition")
	default:
		return nil, fmt.Errorf("the match %T %w", kind, ErrUnserved)
	}
}

func isOneOf(keywords []string, integers []int64) check {
	return func(value *pb.Value) bool {
		switch kind := value.GetKind().(type) {
		case *pb.Value_StringValue:
			return slices.Contains(keywords, kind.StringValue)
		case *pb.Value_IntegerValue:
			return slices.Contains(integers, kind.IntegerValue)
		default:
			return false
		}
	}
}

// isNoneOf lets everything through but null and what is in the list.
func isNoneOf(keywords []string, integers []int64) check {
	listed := isOneOf(keywords, integers)
	return func(value *pb.Value) bool { return !IsNull(value) && !listed(value) }
}

// text makes the check of a full-text match. A field without a text index is divided as one with the usual parameters.
func (c compiler) text(key, wanted string, contains func(have, want []string) bool) check {
	params := c.texts[c.prefix+key]
	tokens := splitTokens(params, wanted)
	return func(value *pb.Value) bool {
		text, ok := value.GetKind().(*pb.Value_StringValue)
		return ok && len(tokens) > 0 && contains(splitTokens(params, text.StringValue), tokens)
	}
}

func containsAll(have, want []string) bool {
	return !slices.ContainsFunc(want, func(token string) bool { return !slices.Contains(have, token) })
}

func containsAny(have, want []string) bool {
	return slices.ContainsFunc(want, func(token string) bool { return slices.Contains(have, token) })
}

func containsPhrase(have, want []string) bool {
	for start := 0; start+len(want) <= len(have); start++ {
		if slices.Equal(have[start:start+len(want)], want) {
			return true
		}
	}
	return false
}

func inRange(bounds *pb.Range) check {
	return func(value *pb.Value) bool {
		var number float64
		switch kind := value.GetKind().(type) {
		case *pb.Value_IntegerValue:
			number = float64(kind.IntegerValue)
		case *pb.Value_DoubleValue:
			number = kind.DoubleValue
		default:
			return false
		}
		return (bounds.Lt == nil || number < bounds.GetLt()) && (bounds.Gt == nil || number > bounds.GetGt()) &&
			(bounds.Lte == nil || number <= bounds.GetLte()) && (bounds.Gte == nil || number >= bounds.GetGte())
	}
}

// datetimeForms are the ways to write a time that the server reads; where there is no zone it is UTC.
func datetimeForms() []string {
	return []string{
		time.RFC3339Nano, "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z0700",
		"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02",
	}
}

func inDatetimeRange(bounds *pb.DatetimeRange) check {
	within := func(bound *timestamppb.Timestamp, moment time.Time, good ...int) bool {
		return bound == nil || slices.Contains(good, moment.Compare(bound.AsTime()))
	}
	return func(value *pb.Value) bool {
		text, ok := value.GetKind().(*pb.Value_StringValue)
		if !ok {
			return false
		}
		moment, ok := ParseDatetime(text.StringValue)
		return ok && within(bounds.GetLt(), moment, -1) && within(bounds.GetLte(), moment, -1, 0) &&
			within(bounds.GetGt(), moment, 1) && within(bounds.GetGte(), moment, 0, 1)
	}
}

// ParseDatetime reads a time as a payload may have it.
func ParseDatetime(text string) (time.Time, bool) {
	for _, form := range datetimeForms() {
		if moment, err := time.Parse(form, text); err == nil {
			return moment, true
		}
	}
	return time.Time{}, false
}
