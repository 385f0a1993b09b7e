// Package redact knows what is a secret by its name or its form, and takes it out of
// URLs and texts: one table of names, for the identity of documents as well as for
// what is stored and logged, so that the two cannot disagree.
//
// A name is of one of three classes. A certain one (password, access_token, X-Amz-*)
// is always that of a secret. A likely one (session_id, signature, pass) is one but with
// words, dates and the numbers of records, which parliaments and archives have under it; a
// value that may be either is hidden and still keeps documents apart. An ambiguous one
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
const Version = "redact_v4"

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

	IdentityV3 // what Identity was under urlcanon_v3
	StoredV3   // what Stored was under redact_v3

	IdentityV2 // what Identity was under urlcanon_v2, for the parameters of a URL
	StoredV2   // what Stored was under redact_v2, for the parameters of a URL
	// ParametersV2 is StoredV2 of the parameters alone: what they hold stays.
	ParametersV2
)

// ofText returns the form that texts have, and what a parameter's value holds: an
// identity has it as it is stored.
func (f Form) ofText() Form {
	switch {
	case f == Log:
		return Log
	case f >= IdentityV3: // texts had no rules of their own under redact_v2 that are kept
		return StoredV3
	}
	return Stored
}

// isIdentity reports whether hidden parameters are left out.
func (f Form) isIdentity() bool { return f == Identity || f == IdentityV3 || f == IdentityV2 }

// isV2 reports whether a form is that of redact_v2.
func (f Form) isV2() bool { return f >= IdentityV2 }

// treatment is what becomes of a value.
type treatment int

const (
	kept     treatment = iota
	digested           // its digest stays, which keeps documents apart
	tagged             // the same, and in identities the marker stands before it: what 16 hex digits are there is asked again
	hidden             // nothing of it stays, in identities neither its name
)

// mark returns what stands for a secret.
func (f Form) mark(value string, found treatment) string {
	digest, marked := strings.CutPrefix(value, Marker+"-")
	switch {
	case found == hidden, f == Log, value == Marker:
		return Marker
	case !marked || !isDigest(digest):
		sum := sha256.Sum256([]byte(decodeAll(value)))
		digest = hex.EncodeToString(sum[:])[:digestLength]
	}
	if f.isIdentity() && found != tagged {
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

// classify returns what a name says of its value under the rules of a form.
func (f Form) classify(name string) class {
	if f.isV2() {
		return classifyV2(name)
	}
	return f.rules().names.classify(name)
}

// treat says what becomes of the value of a parameter.
func (f Form) treat(c class, value string, inURL bool) treatment {
	switch {
	case f.isV2():
		return f.treatV2(c, value)
	case isMarked(value):
		switch {
		case c >= certain || c >= likely && value == Marker:
			return hidden
		case c >= likely:
			return tagged
		}
		return digested
	case c >= certain:
		return hidden
	case c >= ambiguous && f == Log && inURL:
		if value == "" {
			return kept
		}
		return hidden
	case c >= likely:
		return f.judgeAs(c, value, inURL)
	}
	plain := decodeAll(value)
	r := f.rules()
	var found bool
	switch {
	case c == qualified:
		found = r.looksRandom(plain) || isHexKey(plain) || inURL && r.isCredential(plain)
	case c == session:
		found = r.looksRandom(plain) || isHexSecret(plain) && !strings.Contains(plain, "-") || inURL && r.isCredential(plain)
	case c == ambiguous && inURL:
		found = r.isCredential(plain) || expiring.MatchString(plain)
	case c == ambiguous: // a known form is found wherever it stands
		found = r.looksRandom(plain)
	default:
		found = r.isKnown(value)
	}
	if found {
		return digested
	}
	return kept
}

// judgeAs judges a value under one of the likely names.
func (f Form) judgeAs(c class, value string, inURL bool) treatment {
	r := f.rules()
	found := r.judge(value)
	plain := decodeAll(value)
	if as, decided := r.judgeMore(c, plain, found, inURL); decided {
		return as
	}
	switch {
	case found != kept:
	case c == likelyCode && isShortCode(plain):
		return hidden
	case c == likelyWord && (isWord(plain) || isShortCode(plain) && !isYear(plain) && !dated.MatchString(plain)):
		return hidden
	}
	return found
}

// Value returns the value of a named field as it may be stored or logged: as free
// text, and not at all when its name says that it is a secret.
func Value(name, value string, form Form) string {
	named := form.classify(name)
	return settle(value, func(value string) string {
		trimmed := strings.TrimSpace(value)
		if found := form.treat(named, trimmed, false); value != "" && found != kept {
			return form.mark(trimmed, found)
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
// those of a request are of [KeepsRequestHeader].
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

// KeepsRequestHeader reports whether a header field of a request of our own, its name in
// canonical form, may be stored: those that say what was asked for, and nothing of who asked
// but the program's name.
func KeepsRequestHeader(name string) bool {
	switch name {
	case "Accept", "Accept-Encoding", "If-Modified-Since", "If-None-Match", "User-Agent":
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
