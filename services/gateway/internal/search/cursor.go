package search

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxDepth is how many hits of one question can be paged through. Behind them a question
// is better asked otherwise, and each page costs what all before it did.
const maxDepth = 1000

// ErrCursor is the error of a cursor that is none, or that of another question.
var ErrCursor = errors.New("the cursor is not one of this question: ask for its first page again")

// A cursor is how many hits come before the page, a point, and a digest of what was
// asked, in base 64.

// digestOf names what was asked of which collection, paging apart.
func digestOf(r Request, collection string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", r.Query, fmt.Sprintf("%+q", fmt.Sprint(r.Filter)), collection))
	return hex.EncodeToString(sum[:8])
}

// hitsBefore returns how many hits come before the page that is asked for.
func hitsBefore(r Request, collection string) (int, error) {
	if r.Cursor == "" {
		return 0, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(r.Cursor)
	number, question, _ := strings.Cut(string(raw), ".")
	n, wrong := strconv.Atoi(number)
	if err != nil || wrong != nil || n < 1 || n >= maxDepth || question != digestOf(r, collection) {
		return 0, ErrCursor
	}
	return n, nil
}

// cursorAfter returns the cursor of the page behind so many hits, "" where paging ends.
func cursorAfter(hits int, r Request, collection string) string {
	if hits >= maxDepth {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%s", hits, digestOf(r, collection)))
}
