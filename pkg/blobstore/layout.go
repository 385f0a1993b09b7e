package blobstore

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Forms of parts of keys; that of ids is of any version. A page range counts from 1, and a key has no zeros
// in front of a number.
var (
	idForm      = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)
	digestForm  = regexp.MustCompile(`^[0-9a-f]{64}$`)
	factsForm   = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}\.[0-9a-f]{64}\.json\.zst$`)
	segmentForm = regexp.MustCompile(`^([1-9][0-9]{0,9})-([1-9][0-9]{0,9})\.[0-9a-f]{64}\.jsonl\.zst$`)
	resultForm  = regexp.MustCompile(`^[0-9a-f]{64}\.json\.zst$`)
	answerForm  = regexp.MustCompile(`^[0-9a-f]{64}\.json$`)
	figureForm  = regexp.MustCompile(`^[0-9a-f]{64}\.png$`)
	thumbForm   = regexp.MustCompile(`^[1-9][0-9]{0,9}-[1-9][0-9]{0,9}\.png$`)
)

// The kinds of objects in Derived, which are the second part of their keys.
const (
	kindFacts   = "facts"
	kindSegment = "ir"
	kindResult  = "ocr"
	kindAnswer  = "llm"
	kindFigure  = "figures"
	kindThumb   = "thumbs"
)

// Written reports whether a key is one that the product writes to a bucket: captured
// bytes in Raw; facts, segments, OCR results, models' answers, figures and small pictures in Derived. Of
// other buckets it is false. Stores read some keys of other forms as something else, or
// refuse them as if the caller had no right to ask: who takes a key from a row asks
// here first.
func Written(b Bucket, key string) bool {
	parts := strings.Split(key, "/")
	if !model.ValidSourceID(parts[0]) {
		return false
	}
	switch b {
	case Raw:
		return len(parts) == 4 && parts[1] == "sha256" && digestForm.MatchString(parts[3]) && parts[2] == parts[3][:2]
	case Derived:
		return len(parts) > 2 && derived(parts[1], parts[2:])
	default:
		return false
	}
}

// derived reports whether the parts of a key after its kind are those of the kind.
func derived(kind string, parts []string) bool {
	last := parts[len(parts)-1]
	switch kind {
	case kindFacts:
		return len(parts) == 2 && idForm.MatchString(parts[0]) && factsForm.MatchString(last)
	case kindSegment:
		return len(parts) == 3 && idForm.MatchString(parts[0]) && idForm.MatchString(parts[1]) && isSegment(last)
	case kindResult:
		return len(parts) == 3 && isToken(parts[0]) && isToken(parts[1]) && resultForm.MatchString(last)
	case kindAnswer:
		return len(parts) == 3 && isToken(parts[0]) && isToken(parts[1]) && answerForm.MatchString(last)
	case kindFigure:
		return len(parts) == 1 && figureForm.MatchString(last)
	case kindThumb:
		return len(parts) == 2 && idForm.MatchString(parts[0]) && thumbForm.MatchString(last)
	default:
		return false
	}
}

// isSegment reports whether the last part of a segment's key names pages in order.
func isSegment(last string) bool {
	form := segmentForm.FindStringSubmatch(last)
	if form == nil {
		return false
	}
	from, err := strconv.Atoi(form[1])
	to, otherErr := strconv.Atoi(form[2])
	return err == nil && otherErr == nil && from <= to
}

// isToken reports whether a part of a key is what token makes of some name.
func isToken(part string) bool {
	name, err := url.PathUnescape(part)
	return err == nil && name != "" && token(name) == part
}

// SnapshotOfThumb returns the snapshot whose page a key of Derived is the small picture
// of, "" for other keys.
func SnapshotOfThumb(key string) string {
	if parts := strings.Split(key, "/"); len(parts) == 4 && parts[1] == kindThumb {
		return parts[2]
	}
	return ""
}
