package digest

import (
	"regexp"
	"strings"

	"github.com/colophon-dev/colophon/pkg/redact"
)

// RedactVersion1 names the rules of [RedactURLV1], [RedactTextV1] and [RedactValueV1]:
// the redaction_policy_id of what was captured under them.
const RedactVersion1 = "redact_v1"

// RedactVersion3 names the rules of [RedactURLV3], which are kept as a whole
// ([redact.StoredV3]).
const RedactVersion3 = "redact_v3"

// RedactVersion2 names rules of which [RedactURLV2] is left.
const RedactVersion2 = "redact_v2"

// IsRedacted reports whether the rules that a snapshot names as its redaction_policy_id
// leave an address as it is. Of those of redact_v2 only user information and what
// [RedactURLV2] knows is checked: it looked into values as today's do, and knew less.
func IsRedacted(policyID, url string) bool {
	switch policyID {
	case RedactVersion1:
		return RedactURLV1(url) == url
	case RedactVersion2:
		return redact.URL(url, redact.ParametersV2) == url
	case RedactVersion3:
		return RedactURLV3(url) == url
	}
	return redact.URL(url, redact.Stored) == url
}

// RedactURL returns url as it is stored under the rules that a snapshot names as its
// redaction_policy_id, what redact_v2 left less than redact_v3 as that does; what names
// none is under today's.
func RedactURL(policyID, url string) string {
	switch policyID {
	case RedactVersion1:
		return RedactURLV1(url)
	case RedactVersion2, RedactVersion3:
		return RedactURLV3(url)
	}
	return redact.URL(url, redact.Stored)
}

// RedactURLV3 returns url as redact_v3 stored it.
func RedactURLV3(url string) string { return redact.URL(url, redact.StoredV3) }

// RedactURLV2 returns url as redact_v2 stored it: the secrets among its own parameters
// are those of these rules, those within values are those of redact_v3.
func RedactURLV2(url string) string { return redact.URL(url, redact.StoredV2) }

// IsValueRedacted reports whether such rules leave the value of a named field as it is.
// redact_v2 is not asked: what it knew of texts is not kept.
func IsValueRedacted(policyID, name, value string) bool {
	switch policyID {
	case RedactVersion1:
		return RedactValueV1(name, value) == value
	case RedactVersion2:
		return true
	case RedactVersion3:
		return redact.Value(name, value, redact.StoredV3) == value
	}
	return redact.Value(name, value, redact.Stored) == value
}

// RedactText returns free text, which may be an address, as it is stored under such rules.
func RedactText(policyID, text string) string {
	form := redact.Stored
	switch policyID {
	case RedactVersion1:
		return RedactTextV1(text)
	case RedactVersion2, RedactVersion3:
		form = redact.StoredV3
	}
	text = redact.Text(text, form)
	if strings.ContainsAny(text, "/?") && !strings.ContainsAny(text, " \t\r\n") {
		return redact.URL(text, form) // relative, perhaps
	}
	return text
}

// RedactURLV1 returns url as redact_v1 stored it: without user information, and
// with the values of signature parameters, in query and fragment and behind a ";"
// in a path, replaced by [redact.Marker]; a file's path is its name and stays. A
// value that holds such a URL itself, percent-encoded or not, is written anew
// with it redacted. All else stays as it is, also in what is no valid URL. The
// canonical form of the result is that of url. It is idempotent.
func RedactURLV1(url string) string {
	u := splitURL(url)
	var b strings.Builder
	b.WriteString(u.scheme)
	if u.hasAuthority {
		b.WriteString("//")
	}
	b.WriteString(u.host)
	if asciiLower(u.scheme) == "file:" {
		b.WriteString(u.path)
	} else {
		b.WriteString(cutPathSecrets(u.path, true))
	}
	if query, ok := strings.CutPrefix(u.query, "?"); ok {
		b.WriteString("?" + redactPairs(query))
	}
	if fragment, ok := strings.CutPrefix(u.fragment, "#"); ok {
		route, query, found := strings.Cut(fragment, "?")
		b.WriteString("#" + redactPairs(route))
		if found {
			b.WriteString("?" + redactPairs(query))
		}
	}
	return b.String()
}

func redactPairs(query string) string {
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		pairs[i] = cutSecrets(pair, 0, true)
	}
	return strings.Join(pairs, "&")
}

// cutPathSecrets is cutSecrets for the parameters of each segment of a path.
func cutPathSecrets(path string, mark bool) string {
	if !strings.Contains(path, ";") {
		return path
	}
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		segments[i] = cutSecrets(segment, 1, mark)
	}
	return strings.Join(segments, "/")
}

// cutSecrets returns parameters that ";" separates, those of signatures with a
// marker as value, or without them, and the others with what their values hold
// redacted. What has no name belongs to the value before it. The first so many
// parts are none.
func cutSecrets(params string, first int, mark bool) string {
	parts := strings.Split(params, ";")
	kept := parts[:0]
	secret := false
	for i, part := range parts {
		name, _, found := strings.Cut(part, "=")
		if secret && !found {
			continue
		}
		secret = found && i >= first && isSignature(decodeUnreserved(name))
		switch {
		case secret && mark:
			part = name + "=" + redact.Marker
		case secret:
			continue
		case i >= first:
			part = redactParam(part)
		}
		kept = append(kept, part)
	}
	return strings.Join(kept, ";")
}

// redactParam redacts the URL that a parameter has as its value, or is.
func redactParam(param string) string {
	name, value, found := strings.Cut(param, "=")
	if !found || strings.ContainsAny(decodeAll(name), "?&;#:") {
		return redactNested(param)
	}
	return name + "=" + redactNested(value)
}

var (
	nestedName = regexp.MustCompile(`[?&;#]([^=?&;#]+)=`)
	nestedUser = regexp.MustCompile(`(://)[^/?#\s]*@`)
)

// redactNested redacts what a value within a URL says once all percent codes are
// decoded, however deep they are; a value with nothing secret stays as it is.
func redactNested(value string) string {
	if !strings.ContainsAny(value, "%@?#") {
		return value
	}
	plain := decodeAll(value)
	var b strings.Builder
	rest := plain
	for at := nestedName.FindStringSubmatchIndex(rest); at != nil; at = nestedName.FindStringSubmatchIndex(rest) {
		name := rest[at[2]:at[3]]
		b.WriteString(rest[:at[1]])
		rest = rest[at[1]:]
		if isSignature(name) {
			b.WriteString(redact.Marker)
			end := strings.IndexAny(rest, "&;#")
			if end < 0 {
				end = len(rest)
			}
			rest = rest[end:]
		}
	}
	b.WriteString(rest)
	redacted := nestedUser.ReplaceAllString(b.String(), "$1")
	if redacted == plain {
		return value
	}
	return redact.EncodePercent(redacted)
}

// decodeAll replaces percent codes by their bytes, until none is left.
func decodeAll(s string) string { return redact.DecodePercent(s, func(byte) bool { return true }) }
