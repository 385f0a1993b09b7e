package redact

import (
	"regexp"
	"slices"
	"strings"
)

// URL returns a URL, absolute or relative, as it may be stored or logged: without user
// information, and with the secrets in query and fragment, behind a ";" in a path, in
// its segments and in what its parameters hold, percent-encoded or not, replaced by
// [Marker]; a file's path is its name and stays. All else stays as it is, also in what
// is no valid URL. The identity of the stored form is that of url. It is idempotent,
// and takes linear time.
func URL(url string, form Form) string {
	return settle(url, func(url string) string { return redactURL(url, form) })
}

func redactURL(url string, form Form) string {
	if at := beforeURL.FindStringSubmatchIndex(url); at != nil && form != ParametersV2 { // "URL: https://…"
		return redactFlat(url[:at[3]], form.ofText(), false) + redactURL(url[at[3]:], form)
	}
	url = cutUser(url)
	rest, fragment := cutBefore(url, "#")
	rest, query := cutBefore(rest, "?")
	start, host := "", ""
	if i := strings.IndexAny(rest, ":/"); i >= 0 && rest[i] == ':' {
		start, rest = rest[:i+1], rest[i+1:]
	}
	if strings.HasPrefix(rest, "//") {
		at, path := cutBefore(rest[2:], "/")
		start, rest, host = start+"//"+at, path, at
	}
	if strings.HasPrefix(strings.ToLower(start), "file:") {
		rest = FilePath(rest, form)
	} else {
		rest = PathAt(host, rest, form)
	}
	out := start + rest
	if query, ok := strings.CutPrefix(query, "?"); ok {
		out += "?" + Query(query, form)
	}
	if fragment, ok := strings.CutPrefix(fragment, "#"); ok {
		route, query, found := strings.Cut(fragment, "?")
		out += "#" + Query(route, form)
		if found {
			out += "?" + Query(query, form)
		}
	}
	return out
}

// cutBefore splits s before the first sep.
func cutBefore(s, sep string) (before, from string) {
	if i := strings.Index(s, sep); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// Query returns the pairs of a query, without "?", in a form.
func Query(query string, form Form) string {
	pairs := strings.Split(query, "&")
	expires := !form.isV2() && slices.ContainsFunc(pairs, isExpiry)
	left := pairs[:0]
	for _, pair := range pairs {
		if expires {
			pair = redactSigned(pair, form)
		}
		if params, ok := redactParams(pair, form); ok {
			left = append(left, params)
		}
	}
	return strings.Join(left, "&")
}

var (
	// expiryNames are parameters that say until when an address holds, or since when.
	expiryNames = words(`expires expire expiry exp e ts t se ex is oe wstime txtime deadline validto valid_until validuntil x-expires until sv ttl time timestamp`)
	// expiryValue is a time: seconds or milliseconds since 1970, also in hex, or a day.
	expiryValue = regexp.MustCompile(`^(?:1[4-9][0-9]{8}(?:[0-9]{3})?|[5-9a-fA-F][0-9a-fA-F]{7}|20[0-9]{2}-?[01][0-9]-?[0-3][0-9].*)$`)
	// signedNames are what the signature of such an address is called.
	signedNames = words(`token sig sign signature signed hash st md5 h hm oh hmac mac digest auth key secret wssecret txsecret tk tok verify sso
	hdntl hdnea policy proof check checksum code sid s`)
)

// isExpiry reports whether a pair says until when an address holds.
func isExpiry(pair string) bool {
	name, value, _ := strings.Cut(pair, "=")
	return expiryNames[strings.ToLower(decodeAll(name))] && expiryValue.MatchString(decodeAll(value))
}

// redactSigned replaces the signature of an address that holds for some time: what is
// a digest elsewhere is a right there.
func redactSigned(pair string, form Form) string {
	name, value, found := strings.Cut(pair, "=")
	if !found || !signedNames[strings.ToLower(decodeAll(name))] || form.classify(name) >= likely {
		return pair
	}
	plain := decodeAll(value)
	if isMarked(value) || isHexKey(plain) && !isUUID(plain) || form.rules().looksRandom(plain) {
		return name + "=" + form.mark(value, digested)
	}
	return pair
}

// redactPath returns the path of a URL, which is no file's, in a form.
func redactPath(path string, form Form) string {
	segments := strings.Split(cutUsers(path), "/")
	left := make([]string, 0, len(segments))
	r := form.rules()
	for i, segment := range segments {
		if !form.isV2() && mayBePathSession(segment) {
			if segment = redactPathSession(segment); form.isIdentity() && mayBePathSession(segment) {
				continue
			}
		}
		name, params, found := strings.Cut(segment, ";")
		if strings.ContainsAny(name, "=%@") || len(name) >= knownMin {
			name = redactSegment(name, form)
		}
		if r.newest && r.isRight(segments[:i], name) {
			name = markRight(name, form)
		}
		if segment = name; found {
			if params, ok := redactParams(params, form); ok {
				segment += ";" + params
			}
		}
		left = append(left, segment)
	}
	return strings.Join(left, "/")
}

// redactSegment redacts what a segment of a path holds. A page may be called
// "api_key=intro": there words are no secrets, whatever stands before them.
func redactSegment(segment string, form Form) string {
	name, value, found := strings.Cut(decodeAll(segment), "=")
	if found && !strings.ContainsAny(name, " :&?") && form.classify(name) >= certain && form.rules().judge(value) == kept && !isShortCode(value) {
		return segment
	}
	return redactNested(segment, form)
}

// The sessions of ASP.NET that stand in a path instead of a cookie: (S(…)), (X(1)S(…)),
// those of forms and of anonymous users (F, A), and of its first version.
var (
	pathSession = regexp.MustCompile(`^\((?:[A-Z]\([^()]*\))+\)$|^\((?:[a-z0-5]{24}|REDACTED)\)$`)
	pathTicket  = regexp.MustCompile(`([SFA]\()(?:[A-Za-z0-9_-]{16,}|REDACTED)(\))`)
)

// mayBePathSession reports whether a segment holds such a session, or the place of one.
func mayBePathSession(segment string) bool {
	if len(segment) < len("(REDACTED)") || !strings.HasPrefix(segment, "(") && !strings.HasPrefix(segment, "%28") {
		return false
	}
	plain := decodeAll(segment)
	return pathSession.MatchString(plain) && (pathTicket.MatchString(plain) || !strings.HasSuffix(plain, "))"))
}

// redactPathSession replaces the session of a segment that holds one.
func redactPathSession(segment string) string {
	plain := decodeAll(segment)
	if !strings.HasSuffix(plain, "))") {
		return "(" + Marker + ")"
	}
	return pathTicket.ReplaceAllString(plain, "${1}"+Marker+"${2}")
}

// FilePath returns the path of a file in a form. It is the file's name and stays, but for
// the query of an address that a mirroring program has written into it: report.pdf%3Ftoken=….
func FilePath(path string, form Form) string {
	at := strings.Index(strings.ToUpper(path), "%3F")
	if at < 0 || form.isV2() {
		return path
	}
	at += len("%3F")
	query := DecodePercent(path[at:], func(c byte) bool { return c == '=' || c == '&' })
	if redacted := Query(query, form); redacted != query {
		return path[:at] + redacted
	}
	return path
}

// redactParams returns parameters that ";" separates. What has no name belongs to the
// value before it. ok is false when none is left of some.
func redactParams(params string, form Form) (redacted string, ok bool) {
	parts := strings.Split(params, ";")
	left := parts[:0]
	secret := false
	for _, part := range parts {
		name, value, found := strings.Cut(part, "=")
		// What is no name is an address, perhaps, and looked at as a whole.
		named := found && !(form.rules().newest && strings.ContainsAny(decodeAll(name), notInNames))
		if secret && !named {
			continue
		}
		became := kept
		if named {
			became = form.treat(form.classify(name), value, true)
		}
		secret = became != kept
		switch {
		case became == hidden && form.isIdentity():
			continue
		case secret:
			part = name + "=" + form.mark(value, became)
		default:
			part = redactParam(part, form)
		}
		left = append(left, part)
	}
	return strings.Join(left, ";"), len(left) > 0 || params == ""
}

// notInNames are the signs of addresses, which no name of a parameter has.
const notInNames = "?&;#:@/"

// redactParam redacts what a parameter holds within its value, or is.
func redactParam(param string, form Form) string {
	name, value, found := strings.Cut(param, "=")
	if !found || strings.ContainsAny(decodeAll(name), notInNames) {
		return redactNested(param, form)
	}
	return name + "=" + redactNested(value, form)
}

// redactNested redacts what a value within a URL says once all percent codes are
// decoded; a value with nothing secret stays as it is. An identity has it in the form
// that is stored.
func redactNested(value string, form Form) string {
	if len(value) < len("otp=1") || form == ParametersV2 {
		return value
	}
	plain := decodeAll(value)
	redacted := settle(plain, func(s string) string { return redactFlat(decodeAll(s), form.ofText(), true) })
	if redacted == plain {
		return value
	}
	return EncodePercent(redacted)
}

var (
	schemeStart = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	schemeless  = regexp.MustCompile(`(?s)^([^\s:/\\?#@]+):([^\s/\\?#]+)@([A-Za-z0-9\[].*)$`)
)

// cutUser returns a URL without its user information: of an authority what stands
// before its last "@", with or without a password, since a token may be either. Slashes
// that lean back count as slashes, and after http and https none is needed. What
// follows no slashes is user information where it has a password: "user:password@host",
// but no mail address.
func cutUser(url string) string {
	scheme := schemeStart.FindString(url)
	rest := url[len(scheme):]
	body := strings.TrimLeft(rest, `/\`)
	slashes := len(rest) - len(body)
	name := strings.ToLower(strings.TrimSuffix(scheme, ":"))
	web := name == "http" || name == "https" || name == "ftp"
	if slashes < 2 && !web {
		if found := schemeless.FindStringSubmatch(url); found != nil && !isLabel(found[1]) {
			return Marker + "@" + found[3]
		}
		return url
	}
	if !web { // an empty host has a path behind it
		slashes, body = len("//"), rest[len("//"):]
	}
	from := 0
	for {
		end := indexAny(body, from, `/?#`)
		if at := strings.LastIndexByte(body[from:end], '@'); at >= 0 {
			from += at + 1
			continue
		}
		// A password may hold what ends an authority; then what stands before is no port.
		host, port, found := strings.Cut(body[from:end], ":")
		at := strings.IndexByte(body[end:], '@')
		if !found || at < 0 || strings.HasPrefix(host, "[") || end < len(body) && strings.Trim(port, "0123456789") == "" {
			break
		}
		from = end + at + 1
	}
	if from == 0 {
		return url
	}
	return url[:len(scheme)+slashes] + body[from:]
}

// beforeURL is what may stand before a URL that was pasted with it.
var beforeURL = regexp.MustCompile(`(?i)^([^/?#]*[^a-z0-9+./?#-])(?:[a-z][a-z0-9+.-]*:[/\\]{2}|(?:https?|ftp):[/\\]?)[^\s/\\]`)

// cutUsers cuts the user information of the URLs within a path, as archives have them:
// /web/2024/https://user:password@host/.
func cutUsers(path string) string {
	if !strings.Contains(path, "@") {
		return path
	}
	var b strings.Builder
	done := 0
	starts := innerURL.FindAllStringIndex(path, -1)
	for i, at := range starts {
		end := len(path)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		b.WriteString(path[done:at[0]])
		b.WriteString(cutUser(path[at[0]:end]))
		done = end
	}
	b.WriteString(path[done:])
	return b.String()
}

// innerURL begins a URL within a path; of its slashes one may be gone.
var innerURL = regexp.MustCompile(`(?i)\b(?:[a-z][a-z0-9+.-]*:[/\\]{2}|(?:https?|ftp):[/\\])`)

// indexAny returns where the first of chars stands in s behind from, or the length.
func indexAny(s string, from int, chars string) int {
	if i := strings.IndexAny(s[from:], chars); i >= 0 {
		return from + i
	}
	return len(s)
}
