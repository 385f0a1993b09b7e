package digest

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/colophon-dev/colophon/pkg/redact"
)

// slugLength is the longest result of [Slugify].
const slugLength = 60

// slugify returns s as a name for paths: NFKD, marks removed, lower case,
// every run outside [a-z0-9] to "-", trimmed, at most 60 characters. It may be
// empty (contracts#slug).
func slugify(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(s) {
		if unicode.Is(unicode.M, r) {
			continue
		}
		r = unicode.ToLower(r)
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	return strings.TrimRight(first(b.String(), slugLength), "-")
}

// Slug returns a document's slug: slugify of the file's name, else of the last
// segment of the path of its URL (or of whatever its identity is) with
// percent-encoding undone, then "-" and the first 8 hex digits of
// sha256(document_id). Where nothing is left of the name, the digits stand
// alone.
func Slug(filename, url, documentID string) string {
	if filename == "" {
		filename = lastSegment(url)
	}
	return joinSlug(slugify(filename), Hex([]byte(documentID))[:8])
}

func joinSlug(name, digits string) string {
	if name == "" {
		return digits
	}
	return name + "-" + digits
}

// lastSegment returns what follows the last slash of the URL's path, decoded.
func lastSegment(url string) string {
	url, _, _ = strings.Cut(url, "#")
	url, _, _ = strings.Cut(url, "?")
	if _, rest, ok := strings.Cut(url, "://"); ok {
		_, url, _ = strings.Cut(rest, "/")
	}
	segment := url[strings.LastIndexByte(url, '/')+1:]
	var b strings.Builder
	for i := 0; i < len(segment); i++ {
		if c, ok := redact.PercentCode(segment[i:]); ok {
			b.WriteByte(c)
			i += 2
		} else {
			b.WriteByte(segment[i])
		}
	}
	return b.String()
}
