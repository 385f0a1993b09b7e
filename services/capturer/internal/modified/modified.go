// Package modified finds when a document was last changed, and from what
// (contracts#last-modified, seeds#conventions): the header, what the document says of itself
// (a page's meta tags, a PDF's dates), the file's date, and else the time of its
// retrieval.
package modified

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// The origins of last_modified.
const (
	FromHeader    = "http_header"
	FromMeta      = "meta"
	FromPDF       = "pdf"
	FromFile      = "file"
	FromMember    = "archive_member"
	FromRetrieved = "retrieved_at"
	FromRequest   = "request_time"
)

// Input is what is known, best first.
type Input struct {
	Header      string    // Last-Modified
	HTML        []byte    // the first bytes of a web page; nil for other documents
	PDF         [][]byte  // pieces of a PDF, the last one first; nil for other documents
	Given       time.Time // by the crawler; zero when it gave none
	GivenOrigin string    // where it has it from, "" when it does not say: the file's date
	Retrieved   time.Time // by the crawler; zero when it gave none
	Requested   time.Time // of the request
}

// Find returns the date in whole seconds of UTC and its origin. A date before
// 1970-01-02 is what software writes that knows none, and does not count.
func Find(in Input) (at time.Time, origin string) {
	if t, err := http.ParseTime(in.Header); err == nil && plausible(t) {
		return whole(t), FromHeader
	}
	if in.GivenOrigin == FromHeader && plausible(in.Given) {
		return whole(in.Given), FromHeader
	}
	if t, ok := readMetaTags(in.HTML); ok {
		return whole(t), FromMeta
	}
	for _, piece := range in.PDF {
		if t, ok := readPDFBytes(piece); ok {
			return whole(t), FromPDF
		}
	}
	if plausible(in.Given) {
		if in.GivenOrigin != "" {
			return whole(in.Given), in.GivenOrigin
		}
		return whole(in.Given), FromFile
	}
	if !in.Retrieved.IsZero() {
		return whole(in.Retrieved), FromRetrieved
	}
	return whole(in.Requested), FromRequest
}

func whole(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

func plausible(t time.Time) bool {
	return t.After(time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC)) && t.Year() < 10000
}

// metaNames are the names that count, best first.
func metaNames() []string {
	return []string{"article:modified_time", "last-modified", "dcterms.modified", "dc.date.modified", "og:updated_time"}
}

// readMetaTags returns the date of the best of a page's meta tags that holds
// one.
func readMetaTags(page []byte) (time.Time, bool) {
	found := make(map[string]time.Time)
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			for _, name := range metaNames() {
				if t, ok := found[name]; ok {
					return t, true
				}
			}
			return time.Time{}, false
		case html.StartTagToken, html.SelfClosingTagToken:
			if tag, more := z.TagName(); string(tag) == "meta" && more {
				name, content := metaOf(z)
				if t, ok := parse(content); ok {
					if _, first := found[name]; !first {
						found[name] = t
					}
				}
			}
		}
	}
}

func metaOf(z *html.Tokenizer) (name, content string) {
	for {
		key, value, more := z.TagAttr()
		switch string(key) {
		case "name", "property", "http-equiv":
			name = strings.ToLower(strings.TrimSpace(string(value)))
		case "content":
			content = strings.TrimSpace(string(value))
		}
		if !more {
			return name, content
		}
	}
}

// parse reads the forms of dates that pages use; one without a zone is UTC.
func parse(s string) (time.Time, bool) {
	if len(s) > 64 {
		return time.Time{}, false
	}
	if t, err := http.ParseTime(s); err == nil && plausible(t) {
		return t, true
	}
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04:05-0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04",
		"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05", "2006-01-02 15:04",
		"2006-01-02", time.RFC1123Z,
	} {
		if t, err := time.Parse(layout, s); err == nil && plausible(t) {
			return t, true
		}
	}
	return time.Time{}, false
}
