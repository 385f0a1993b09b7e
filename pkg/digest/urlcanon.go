package digest

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/colophon-dev/colophon/pkg/redact"
)

// URLCanonV4 returns urlcanon_v4 of url, the identity of what it names. It differs from
// [URLCanonV1] in the rule for signatures and secrets: what [redact.Identity]
// leaves out of query and path is left out, and a credential under another name is its
// digest, so that session=2023 and session=2024 are two documents, and access_token and
// password are in no identity; nor are they in that of a file whose name holds a query. And
// a host may have labels with underscores, which the older rules refuse.
func URLCanonV4(url string) (string, error) {
	return urlCanonIn(redact.Identity, URLCanonVersion, url, true)
}

// URLCanonV3 returns urlcanon_v3 of url, under which documents were captured before
// urlcanon_v4: [redact.IdentityV3] says what it leaves out.
func URLCanonV3(url string) (string, error) {
	return urlCanonIn(redact.IdentityV3, URLCanonVersion3, url, true)
}

// URLCanonV2 returns urlcanon_v2 of url, under which documents were captured before
// urlcanon_v3: [redact.IdentityV2] says what it leaves out. Of what is secret within the
// value of a parameter the rules of redact_v3 decide.
func URLCanonV2(url string) (string, error) {
	return urlCanonIn(redact.IdentityV2, URLCanonVersion2, url, false)
}

// URLPlain returns url in the canonical form of [URLCanonV4] with all that is secret in it, or
// the markers of what was: two addresses whose plain forms are the same were stored as one.
func URLPlain(url string) (string, error) {
	same := func(part string) string { return part }
	path := func(_, path string) string { return path }
	return urlCanon(url, canonRules{path: path, query: same, underscores: true})
}

func urlCanonIn(form redact.Form, version, url string, underscores bool) (string, error) {
	canonical, err := urlCanon(url, canonRules{
		underscores: underscores,
		path:        func(host, path string) string { return redact.PathAt(host, path, form) },
		query:       func(query string) string { return redact.Query(query, form) },
		file:        func(path string) string { return redact.FilePath(path, form) },
	})
	if err != nil {
		return "", fmt.Errorf("%s: %w", version, err)
	}
	return canonical, nil
}

// URLCanon returns the canonical form of url under the version of the rules that a
// snapshot names.
func URLCanon(version, url string) (string, error) {
	switch version {
	case URLCanonVersion:
		return URLCanonV4(url)
	case URLCanonVersion3:
		return URLCanonV3(url)
	case URLCanonVersion2:
		return URLCanonV2(url)
	case URLCanonVersion1:
		return URLCanonV1(url)
	default:
		return "", fmt.Errorf("%q: no such rules for URLs", version)
	}
}

// canonRules take the secrets out of the parts of a URL whose unreserved characters are
// decoded. The path is no file's; the query stands without its "?". What a file's path holds
// stays where file is nil.
type canonRules struct {
	path        func(host, path string) string
	query, file func(string) string
	underscores bool // labels of a host may have some
}

// URLCanonV1 returns urlcanon_v1 of url, under which documents were captured before
// urlcanon_v2:
//
//   - http, https and file only; scheme and host in lower case, the host as
//     A-label (UTS 46, as for a lookup) or an IP literal in brackets
//   - user information, fragment and default port removed
//   - percent codes first: unreserved characters decoded until none is left,
//     hex digits upper case, nothing else touched
//   - an empty path becomes "/", of any other all trailing slashes go; dot
//     segments are kept
//   - query pairs: empty ones, tracking and signature parameters removed, the
//     latter also behind a ";" in a pair or in a path that is no file's; within a
//     value that is a URL they and user information are as [RedactURLV1]
//     leaves them; the rest sorted by raw name, then raw value, stable; a is not a=; an
//     empty query goes with its "?"
//
// An error means that the URL is malformed: another scheme, no host (but for
// file), a host that is none, a control character, bytes that are not UTF-8.
// It never panics and is idempotent.
func URLCanonV1(url string) (string, error) {
	canonical, err := urlCanon(url, canonRules{
		path: func(_, path string) string { return cutPathSecrets(path, false) },
		query: func(query string) string {
			pairs := strings.Split(query, "&")
			for i, pair := range pairs {
				pairs[i] = cutSecrets(pair, 0, false)
				if name, _, _ := strings.Cut(pairs[i], "="); isSignature(name) {
					pairs[i] = ""
				}
			}
			return strings.Join(pairs, "&")
		},
	})
	if err != nil {
		return "", fmt.Errorf("%s: %w", URLCanonVersion1, err)
	}
	return canonical, nil
}

func urlCanon(url string, rules canonRules) (string, error) {
	if !utf8.ValidString(url) {
		return "", errors.New("not UTF-8")
	}
	if strings.ContainsFunc(url, func(r rune) bool { return r < ' ' || r == 0x7F }) {
		return "", errors.New("a control character")
	}
	u := splitURL(url)
	scheme := asciiLower(strings.TrimSuffix(u.scheme, ":"))
	if scheme != "http" && scheme != "https" && scheme != "file" {
		return "", errors.New("want http, https or file")
	}
	if !u.hasAuthority {
		return "", errors.New("want // after the scheme")
	}
	host, err := canonHostPort(u.host, scheme, rules.underscores)
	if err != nil {
		return "", err
	}
	path := decodeUnreserved(u.path)
	if scheme != "file" {
		path = rules.path(host, path)
	} else if rules.file != nil {
		path = rules.file(path)
	}
	path = strings.TrimRight(path, "/")
	if path == "" {
		path = "/"
	}
	return scheme + "://" + host + path + canonQuery(u.query, rules), nil
}

// urlParts are the parts of a URL as they stand in it (RFC 3986, appendix B),
// each with the delimiters that belong to it: their concatenation, with "//"
// before the authority, is the URL.
type urlParts struct {
	scheme       string // with ":"
	hasAuthority bool
	userinfo     string // with "@"
	host         string // with the port
	path         string
	query        string // with "?"
	fragment     string // with "#"
}

func splitURL(url string) urlParts {
	var u urlParts
	url, u.fragment = cutBefore(url, "#")
	url, u.query = cutBefore(url, "?")
	if i := strings.IndexAny(url, ":/"); i >= 0 && url[i] == ':' {
		u.scheme, url = url[:i+1], url[i+1:]
	}
	rest, ok := strings.CutPrefix(url, "//")
	if !ok {
		u.path = url
		return u
	}
	u.hasAuthority = true
	authority, path := cutBefore(rest, "/")
	at := strings.LastIndexByte(authority, '@') + 1
	u.userinfo, u.host, u.path = authority[:at], authority[at:], path
	return u
}

// cutBefore splits s before the first sep.
func cutBefore(s, sep string) (before, from string) {
	if i := strings.Index(s, sep); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

func canonHostPort(hostPort, scheme string, underscores bool) (string, error) {
	host, port := hostPort, ""
	if i := strings.LastIndexByte(hostPort, ':'); i > strings.LastIndexByte(hostPort, ']') {
		host, port = hostPort[:i], hostPort[i+1:]
	}
	host, err := canonHost(decodeUnreserved(host), underscores)
	if err != nil {
		return "", err
	}
	if host == "" && (scheme != "file" || port != "") {
		return "", errors.New("no host")
	}
	number, err := canonPort(port)
	if err != nil {
		return "", err
	}
	if number == "" || scheme == "http" && number == "80" || scheme == "https" && number == "443" {
		return host, nil
	}
	return host + ":" + number, nil
}

// canonPort returns a port as a decimal number without leading zeros, or "".
func canonPort(port string) (string, error) {
	if port == "" {
		return "", nil
	}
	if strings.Trim(port, "0123456789") != "" {
		return "", errors.New("its port is not a number") // nor quoted: it may be the beginning of a password
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return "", errors.New("its port is above 65535")
	}
	return strconv.FormatUint(n, 10), nil
}

// canonHost returns a host in lower case: an IPv6 literal, or labels as IDNA writes them
// for a lookup. Where underscores are allowed, labels that have some are taken as they are
// (RFC 2181, 11: name servers and browsers do too): letters and digits of ASCII, hyphens
// and underscores, as a label with letters in place of its underscores could stand there.
func canonHost(host string, underscores bool) (string, error) {
	if literal, ok := strings.CutPrefix(host, "["); ok {
		literal, ok = strings.CutSuffix(literal, "]")
		addr, err := netip.ParseAddr(literal)
		if !ok || err != nil || !addr.Is6() || addr.Zone() != "" {
			return "", errors.New("its host is not an IPv6 address in brackets")
		}
		return asciiLower(host), nil
	}
	plain, own := host, map[int]string(nil)
	if underscores && strings.Contains(host, "_") {
		var err error
		if plain, own, err = cutUnderscores(host); err != nil {
			return "", err
		}
	}
	ascii, err := idna.Lookup.ToASCII(plain)
	if err != nil {
		return "", errors.New("its host is not a host name") // nor quoted: it may be user information
	}
	// An A-label of some thousand characters may be written and not be read.
	if again, err := idna.Lookup.ToASCII(ascii); err != nil || again != ascii {
		return "", errors.New("its host has an A-label that is not valid")
	}
	if own == nil {
		return ascii, nil
	}
	labels := strings.Split(ascii, ".")
	for i, label := range own {
		if i >= len(labels) {
			return "", errors.New("its host is not a host name")
		}
		labels[i] = label
	}
	return strings.Join(labels, "."), nil
}

// cutUnderscores returns a host with letters in place of the underscores of its labels, and
// those labels in lower case by their place.
func cutUnderscores(host string) (plain string, own map[int]string, err error) {
	// The characters that IDNA takes for the dot between labels.
	labels := strings.Split(strings.NewReplacer("\u3002", ".", "\uff0e", ".", "\uff61", ".").Replace(host), ".")
	own = make(map[int]string)
	for i, label := range labels {
		if strings.Contains(label, "_") {
			label = asciiLower(label)
			if strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" || strings.HasPrefix(label, "xn--") {
				return "", nil, errors.New("its host is not a host name")
			}
			own[i], label = label, strings.ReplaceAll(label, "_", "u")
		}
		labels[i] = label
	}
	return strings.Join(labels, "."), own, nil
}

// canonQuery returns the query's pairs in canonical order, with "?" unless
// there is none left. query begins with "?" or is empty.
func canonQuery(query string, rules canonRules) string {
	query = decodeUnreserved(strings.TrimPrefix(query, "?"))
	pairs := slices.DeleteFunc(strings.Split(rules.query(query), "&"), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return pair == "" || isTracking(name)
	})
	if len(pairs) == 0 {
		return ""
	}
	slices.SortStableFunc(pairs, func(a, b string) int {
		aName, aValue, _ := strings.Cut(a, "=")
		bName, bValue, _ := strings.Cut(b, "=")
		return cmp.Or(strings.Compare(aName, bName), strings.Compare(aValue, bValue))
	})
	return "?" + strings.Join(pairs, "&")
}

// isTracking tells whether a parameter's name, its unreserved characters
// decoded, is on urlcanon_v1's closed list of tracking parameters.
func isTracking(name string) bool {
	name = asciiLower(name)
	switch name {
	case "gclid", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "yclid", "twclid", "igshid",
		"mc_cid", "mc_eid", "_hsenc", "_hsmi", "mkt_tok", "vero_id":
		return true
	}
	return strings.HasPrefix(name, "utm_")
}

// isSignature tells whether a parameter's name, its unreserved characters
// decoded, is on the closed list of signatures and secrets (contracts#url-secrets).
func isSignature(name string) bool {
	name = asciiLower(name)
	switch name {
	case "sig", "signature", "token", "access_token", "id_token", "key", "api_key", "apikey",
		"auth", "password", "session", "sid", "jsessionid", "phpsessid":
		return true
	}
	return strings.HasPrefix(name, "x-amz-") || strings.HasPrefix(name, "x-goog-")
}

// decodeUnreserved replaces percent codes of unreserved characters (RFC 3986,
// 2.3) by the characters, until none is left, and writes the hex digits of all
// others in upper case. A "%" that begins no code stays.
func decodeUnreserved(s string) string { return redact.DecodePercent(s, redact.IsUnreserved) }

// asciiLower returns s with A to Z in lower case and all else as it is.
func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
