// Package redact takes out of a capture what must not be stored: every header that is not known to be harmless,
// credentials and signatures in URLs, wherever they stand, control characters.
package redact

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/redact"
)

// PolicyID is the redaction_policy_id of what this package lets through.
const PolicyID = redact.Version

// Rules are those of one version.
type Rules struct {
	url   func(url string) string
	text  func(text string) string
	value func(name, text string) string
	// header redacts the value of a header, whose name is in canonical form.
	header func(name, value string) string
}

// Today returns the rules of [PolicyID].
func Today() Rules {
	return Rules{
		url:    func(url string) string { return redact.URL(url, redact.Stored) },
		text:   func(text string) string { return redact.Text(text, redact.Stored) },
		value:  func(name, text string) string { return redact.Value(name, text, redact.Stored) },
		header: redact.Header,
	}
}

// Before3 returns the rules of redact_v3: a request that was accepted under them is known
// again by what they have stored of it.
func Before3() Rules {
	return Rules{
		url:   digest.RedactURLV3,
		text:  func(text string) string { return redact.Text(text, redact.StoredV3) },
		value: func(name, text string) string { return redact.Value(name, text, redact.StoredV3) },
		header: func(name, value string) string {
			return redact.HeaderURLs(name, redact.Text(value, redact.StoredV3), digest.RedactURLV3)
		},
	}
}

// Before2 returns the rules of redact_v2, as far as they are kept: those for the parameters
// of a URL, of all else those of redact_v3. A request that was accepted under them is known again
// where these left the same of it.
func Before2() Rules {
	rules := Before3()
	rules.url = digest.RedactURLV2
	rules.header = func(name, value string) string {
		return redact.HeaderURLs(name, redact.Text(value, redact.StoredV3), digest.RedactURLV2)
	}
	return rules
}

// Before1 returns the rules of redact_v1: a request that was accepted under them is
// known again by what they have stored of it.
func Before1() Rules {
	return Rules{
		url: digest.RedactURLV1, text: digest.RedactTextV1,
		value: func(name, text string) string { return digest.RedactValueV1(name, digest.RedactTextV1(text)) },
		header: func(name, value string) string {
			return redact.HeaderURLs(name, digest.RedactTextV1(value), digest.RedactURLV1)
		},
	}
}

// maxValue bounds one header's value in bytes: nothing on the list needs more.
const maxValue = 4 << 10

// Headers returns the response headers that may be stored, with canonical
// names, nil when none may.
func (r Rules) Headers(h map[string][]string) map[string][]string {
	return r.keep(h, redact.KeepsHeader)
}

// RequestHeaders returns the headers of our own request that may be stored, likewise.
func (r Rules) RequestHeaders(h map[string][]string) map[string][]string {
	return r.keep(h, redact.KeepsRequestHeader)
}

func (r Rules) keep(h map[string][]string, keeps func(name string) bool) map[string][]string {
	var kept map[string][]string
	for _, given := range slices.Sorted(maps.Keys(h)) {
		name := http.CanonicalHeaderKey(strings.TrimSpace(given))
		if !keeps(name) {
			continue
		}
		for _, value := range h[given] {
			value = r.header(name, clean(value))
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

// Text returns s as it may be stored: valid UTF-8, control characters as spaces,
// without the secrets in it. U+0000 never reaches a store.
func (r Rules) Text(s string) string { return r.text(clean(s)) }

// Sentence returns what went wrong as it may be told and logged.
func Sentence(s string) string { return redact.Text(s, redact.Log) }

func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// URL returns a URL as it may be stored.
func (r Rules) URL(s string) string { return r.url(clean(s)) }

// RecordID returns a record's id in its source as it may be stored.
func RecordID(id string) string {
	if strings.Contains(id, "://") {
		return redact.RecordID(clean(id))
	}
	return id
}

// URLs is URL for a list.
func (r Rules) URLs(list []string) []string {
	var out []string
	for _, u := range list {
		out = append(out, r.URL(u))
	}
	return out
}

// Values returns free metadata as it may be stored, nil when there is none.
func (r Rules) Values(m map[string]string) map[string]string {
	var out map[string]string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if out == nil {
			out = make(map[string]string, len(m))
		}
		out[r.Text(k)] = r.value(k, clean(m[k]))
	}
	return out
}
