// Package redact takes out of a capture what must not be stored (seed 002,
// "Security / privacy hygiene"): every header that is not known to be harmless,
// credentials and signatures in URLs, control characters.
package redact

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/digest"
)

// PolicyID is the redaction_policy_id of what this package lets through.
const PolicyID = "headers_v1"

// maxValue bounds one header's value in bytes: nothing on the list needs more.
const maxValue = 4 << 10

// allowed reports whether a response header, in canonical form, is stored. No
// request header ever is.
func allowed(name string) bool {
	switch name {
	case "Accept-Ranges", "Age", "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language",
		"Content-Length", "Content-Location", "Content-Type", "Date", "Etag", "Expires", "Last-Modified", "Location",
		"Memento-Datetime", "Retry-After", "Server", "Vary", "X-Robots-Tag":
		return true
	default:
		return false
	}
}

// Headers returns the response headers that may be stored, with canonical
// names, nil when none may.
func Headers(h map[string][]string) map[string][]string {
	var kept map[string][]string
	for _, given := range slices.Sorted(maps.Keys(h)) {
		name := http.CanonicalHeaderKey(strings.TrimSpace(given))
		if !allowed(name) {
			continue
		}
		for _, value := range h[given] {
			value = Text(value)
			if name == "Location" || name == "Content-Location" {
				value = digest.RedactURL(value)
			}
			if len(value) > maxValue {
				continue
			}
			if kept == nil {
				kept = make(map[string][]string)
			}
			kept[name] = append(kept[name], value)
		}
	}
	return kept
}

// Text returns s as it may be stored: valid UTF-8, control characters as
// spaces. U+0000 never reaches a store.
func Text(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// URL returns a URL as it may be stored (contracts 13.5).
func URL(s string) string { return digest.RedactURL(Text(s)) }

// URLs is URL for a list.
func URLs(list []string) []string {
	var out []string
	for _, u := range list {
		out = append(out, URL(u))
	}
	return out
}

// Values returns free metadata as it may be stored: a value that is a URL loses
// its secrets like every other URL. It returns nil when there is none.
func Values(m map[string]string) map[string]string {
	var out map[string]string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if out == nil {
			out = make(map[string]string, len(m))
		}
		v := Text(m[k])
		if lower := strings.ToLower(v); strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") {
			v = digest.RedactURL(v)
		}
		out[Text(k)] = v
	}
	return out
}
