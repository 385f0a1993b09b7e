// Package answer reads what a model says about a page: JSON, JSON in Markdown fences or between
// sentences, JSON that a library can repair. What it returns are proposals, of which nothing is
// known to be true. It is a pure function; it never asks again.
package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/kaptinlin/jsonrepair"

	"github.com/colophon-dev/colophon/pkg/entity"
)

// maxBytes bounds an answer. The largest that a page can need is some 100 entities of 2 KB;
// a model that writes more repeats itself.
const maxBytes = 1 << 20

// maxEntities bounds how many entities one answer may propose, and maxEvidence how many quotes each:
// a page of 500 rows has no more, and each costs a search of the page.
const (
	maxEntities = 1000
	maxEvidence = 32
)

// ErrTooLarge says that an answer is larger than maxBytes.
var ErrTooLarge = errors.New("the answer is too large")

// ErrNoJSON says that an answer holds no JSON object, or one that was cut and cannot be mended: reason invalid_json.
var ErrNoJSON = errors.New("the answer is no JSON object")

// Answer is what could be read.
type Answer struct {
	Proposals []entity.Entity
	Repaired  bool     // the JSON was not valid as it came
	Wrong     []string // places that the schema does not have so, for the model that is asked again
}

// Parse reads the answer to a version of the prompt. An answer that breaks the schema is read as far as
// it goes, and says in Wrong what broke it; one that is no JSON is ErrNoJSON, whatever repair made of it.
func Parse(v entity.Version, text string) (Answer, error) {
	return parse(text, entity.Types(), func(data []byte) error { return entity.Validate(v, data) })
}

// ParseOf is Parse for the types of a schema of one's own, held against that schema.
func ParseOf(types []entity.Type, schema *entity.Validator, text string) (Answer, error) {
	return parse(text, types, schema.Validate)
}

func parse(text string, types []entity.Type, validate func(data []byte) error) (Answer, error) {
	var a Answer
	if len(text) > maxBytes {
		return a, fmt.Errorf("%w: %d bytes, limit %d", ErrTooLarge, len(text), maxBytes)
	}
	data, repaired, err := object(text)
	if err != nil {
		return a, err
	}
	a.Repaired = repaired
	if err := validate(data); err != nil {
		a.Wrong = append(a.Wrong, err.Error())
	}
	proposals, wrong, err := entity.DecodePage(types, data)
	if err != nil {
		return a, fmt.Errorf("%w: %v", ErrNoJSON, err)
	}
	a.Wrong = append(a.Wrong, wrong...)
	if len(proposals) > maxEntities {
		a.Wrong = append(a.Wrong, fmt.Sprintf("%d entities, limit %d", len(proposals), maxEntities))
		proposals = proposals[:maxEntities]
	}
	for i := range proposals {
		e := &proposals[i]
		e.Origin = entity.OriginModel
		if len(e.Evidence) > maxEvidence {
			a.Wrong = append(a.Wrong, fmt.Sprintf("%d quotes of one entity, limit %d", len(e.Evidence), maxEvidence))
			e.Evidence = e.Evidence[:maxEvidence]
		}
	}
	a.Proposals = proposals
	return a, nil
}

// Object returns the JSON object that an answer has: plain, in a fence, between sentences, broken and mended. Longer than
// maxBytes it is ErrTooLarge; without one it is ErrNoJSON.
func Object(text string) ([]byte, error) {
	if len(text) > maxBytes {
		return nil, fmt.Errorf("%w: %d bytes, limit %d", ErrTooLarge, len(text), maxBytes)
	}
	data, _, err := object(text)
	return data, err
}

// object returns the JSON object of an answer, and whether it had to be repaired.
func object(text string) (data []byte, repaired bool, err error) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF"))
	if !utf8.ValidString(text) {
		text, repaired = strings.ToValidUTF8(text, "\uFFFD"), true
	}
	for _, candidate := range []string{text, unfenced(text)} {
		if isObject(candidate) {
			return []byte(candidate), repaired, nil
		}
	}
	body := unfenced(text)
	start := strings.IndexByte(body, '{')
	if start < 0 {
		return nil, false, ErrNoJSON
	}
	body = body[start:]
	if end := strings.LastIndexByte(body, '}'); end > 0 && isObject(body[:end+1]) {
		return []byte(body[:end+1]), repaired, nil
	}
	if depth(body) > maxDepth {
		return nil, false, fmt.Errorf("%w: deeper than %d", ErrNoJSON, maxDepth)
	}
	mended, err := jsonrepair.Repair(body)
	if err != nil || !isObject(mended) {
		return nil, false, fmt.Errorf("%w: it cannot be mended: %v", ErrNoJSON, err)
	}
	return []byte(mended), true, nil
}

// maxDepth bounds how deep brackets are nested in what is repaired: an answer has five levels, and the
// library walks by recursion.
const maxDepth = 64

func depth(s string) (deepest int) {
	n := 0
	for i := range len(s) {
		switch s[i] {
		case '{', '[':
			n++
			deepest = max(deepest, n)
		case '}', ']':
			n = max(0, n-1)
		}
	}
	return deepest
}

func isObject(s string) bool { return strings.HasPrefix(s, "{") && json.Valid([]byte(s)) }

// unfenced returns what stands in the first Markdown fence, the text itself without one.
func unfenced(text string) string {
	_, rest, ok := strings.Cut(text, "```")
	if !ok {
		return text
	}
	if line, body, ok := strings.Cut(rest, "\n"); ok && !strings.Contains(line, "{") {
		rest = body
	}
	body, _, _ := strings.Cut(rest, "```")
	return strings.TrimSpace(body)
}
