// Package redact knows what is a secret by its name or its form, and takes it out of
// URLs and texts: one table of names, for the identity of documents as well as for
// what is stored and logged, so that the two cannot disagree.
//
// A name is of one of three classes. A certain one (password, access_token, X-Amz-*)
// is always that of a secret. A likely one (session_id, signature, pass) is one but with
// words and short numbers, which parliaments and archives have under it. An ambiguous one
// (code, session, key) is one only with a value that looks like a credential: elsewhere it
// is the number of a page, and pages that differ in it are different documents. Under any
// other name only what has the form of a known credential is one. It cannot know a short
// or wordlike secret under such names ("session=hunter2", "pass=opensesame"), nor one that
// stands without a name.
package redact

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// Version names the rules of this package: the redaction_policy_id of what they let
// through.
const Version = "redact_v2"

// Marker stands for a secret in what is stored and logged.
const Marker = "REDACTED"

// digestLength is the number of hex digits of its sha256 that keep documents apart
// whose URLs differ in a credential: among a billion of them two are equal with a
// probability of 3 in 100.
const digestLength = 16

// Form is what a redacted text is for. Names that are certain lose their values in
// all forms, and in identities they are left out themselves.
type Form int

// The forms.
const (
	Identity Form = iota // a credential under another name becomes its digest
	Stored               // it becomes the marker, "-" and its digest, which is what identity makes of that again
	Log                  // it becomes the marker; so do in URLs all values of ambiguous names
)

// mark returns what stands for a secret.
func (f Form) mark(value string, c class) string {
	digest, marked := strings.CutPrefix(value, Marker+"-")
	switch {
	case c >= likely, f == Log, value == Marker:
		return Marker
	case !marked || !isDigest(digest):
		sum := sha256.Sum256([]byte(decodeAll(value)))
		digest = hex.EncodeToString(sum[:])[:digestLength]
	}
	if f == Identity {
		return digest
	}
	return Marker + "-" + digest
}

// isMarked reports whether a value is what mark leaves of one.
func isMarked(value string) bool {
	digest, found := strings.CutPrefix(value, Marker+"-")
	return value == Marker || found && isDigest(digest)
}

func isDigest(s string) bool {
	return len(s) == digestLength && strings.Trim(s, "0123456789abcdef") == ""
}

// secret reports whether the value of a parameter is to be replaced.
func (f Form) secret(c class, value string, inURL bool) bool {
	switch {
	case isMarked(value):
		return c < likely || value != Marker
	case c >= certain:
		return true
	case c >= ambiguous && f == Log && inURL:
		return value != ""
	case c >= likely:
		return couldBeCredential(value) || c == likelyCode && isShortCode(decodeAll(value))
	case c == ambiguous && inURL:
		return IsCredential(value)
	case c == ambiguous: // a known form is found wherever it stands
		return looksRandom(decodeAll(value))
	default:
		return isKnown(value)
	}
}

// Value returns the value of a named field as it may be stored or logged: as free
// text, and not at all when its name says that it is a secret.
func Value(name, value string, form Form) string {
	named := classify(name)
	return settle(value, func(value string) string {
		if trimmed := strings.TrimSpace(value); value != "" && form.secret(named, trimmed, false) {
			return form.mark(trimmed, named)
		}
		return Text(value, form)
	})
}

// RecordID returns a record's id in its source as it may be stored: it is an identity, of
// which nothing but a URL is touched.
func RecordID(id string) string {
	if strings.Contains(id, "://") {
		return URL(id, Stored)
	}
	return id
}

// KeepsHeader reports whether a header field of an answer, its name in canonical form,
// may be stored: it says something about the document, and can be no credential but for
// the URLs in it. The one list, for snapshots, dead letters and whatever else keeps some;
// no field of a request is ever stored.
func KeepsHeader(name string) bool {
	switch name {
	case "Accept-Ranges", "Age", "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language",
		"Content-Length", "Content-Location", "Content-Type", "Date", "Etag", "Expires", "Last-Modified", "Link", "Location",
		"Memento-Datetime", "Refresh", "Retry-After", "Server", "Vary", "X-Robots-Tag":
		return true
	default:
		return false
	}
}

// Header returns the value of a header of an answer as it may be stored: as a text, and
// its URLs, also relative ones, as such.
func Header(name, value string) string {
	return settle(value, func(value string) string {
		return HeaderURLs(name, Text(value, Stored), func(url string) string { return URL(url, Stored) })
	})
}

// HeaderURLs returns the value of a header, its URLs, when it is one of those that hold
// some, as redacted leaves them.
func HeaderURLs(name, value string, redacted func(url string) string) string {
	switch name {
	case "Location", "Content-Location":
		return redacted(value)
	case "Link":
		return linkTarget.ReplaceAllStringFunc(value, func(target string) string {
			return "<" + redacted(strings.Trim(target, "<>")) + ">"
		})
	case "Refresh":
		if i := refreshTarget.FindStringIndex(value); i != nil {
			return value[:i[1]] + redacted(value[i[1]:])
		}
	}
	return value
}

var (
	linkTarget    = regexp.MustCompile(`<[^<>]*>`) // RFC 8288, 3
	refreshTarget = regexp.MustCompile(`(?i)url\s*=\s*["']?`)
)
