package redact

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
)

// rounds is how often a text is redacted again until nothing changes: what one step
// leaves may be what another looks for. A text that is never done is no text.
const rounds = 8

// Text returns free text as it may be stored or logged: each URL in it as [URL] leaves
// it, user information cut, and what follows the name of a secret, in a header, a
// form, JSON, YAML, XML, a connection string or a command line, replaced by [Marker].
// It cannot know a secret that stands without a name. It is idempotent, and takes
// linear time.
func Text(s string, form Form) string {
	if !strings.ContainsAny(s, ":=@> ") && len(s) < knownMin {
		return s
	}
	return settle(s, func(s string) string {
		s = redactURLs(s, form)
		return redactFlat(redactPairs(s, form.ofText()), form.ofText(), false)
	})
}

// redactURLs redacts the URLs of a text, and what is percent-encoded beside them: the
// names of files.
func redactURLs(s string, form Form) string {
	var b strings.Builder
	done := 0
	for _, at := range append(textURL.FindAllStringIndex(s, -1), []int{len(s), len(s)}) {
		between := s[done:at[0]]
		if strings.Contains(between, "%") {
			between = encodedRun.ReplaceAllStringFunc(between, func(run string) string { return redactNested(run, form) })
		}
		b.WriteString(between)
		b.WriteString(URL(s[at[0]:at[1]], form))
		done = at[1]
	}
	return b.String()
}

// settle repeats a step until it changes nothing.
func settle(s string, step func(string) string) string {
	for range rounds {
		once := step(s)
		if once == s {
			return s
		}
		s = once
	}
	return Marker
}

var (
	textURL    = regexp.MustCompile(`(?i)\b(?:[a-z][a-z0-9+.-]*:[/\\]{2}|(?:https?|ftp):[/\\]?)[^\s"'<>]+`)
	encodedRun = regexp.MustCompile(`[^\s"'<>]*%[0-9A-Fa-f]{2}[^\s"'<>]*`)
	// User information before a host, behind slashes and without them.
	slashedUser = regexp.MustCompile(`((?:(?:^|[\s"'(<=,;|:&?])[/\\]|(?:https?|ftp):)[/\\])([^\s"'<>/\\?#]*@)`)
	labelledAt  = regexp.MustCompile(`(^|[\s"'(<=,;|&?])([^\s"'(<=,;|&?:@/\\]+):([^\s"'<>@/\\]+)@([A-Za-z0-9.-]+\.[A-Za-z]{2,}|localhost|tcp\(|unix\(|[A-Za-z0-9.-]+[:/])`)
	// The credentials of curl, wget and their like.
	userOption = regexp.MustCompile(`((?:^|\s)(?:-[a-zA-Z]{0,8}[uU]|--user|--proxy-user|--userpwd)[ \t=]*)("[^":]*:[^"]*"|'[^':]*:[^']*'|[^\s"':=]+:[^\s"']+)`)
	plusOption = regexp.MustCompile(`(\bcurl\+(?:[^\s"'<>]*\+)?(?:-[a-zA-Z]{0,8}[uU]|--user|--proxy-user)[+=]?)([^\s"'<>:=+]+:[^\s"'<>+]+)`)
	longOption = regexp.MustCompile(`((?:^|[\s"'])--?)([A-Za-z][A-Za-z0-9_-]*)([ \t]+)("[^"]*"|'[^']*'|[^\s"'-][^\s"']*)`)
	authScheme = regexp.MustCompile(`(?i)\b(bearer|basic|digest|negotiate|apikey)([ \t]+)([a-z0-9._~+/=-]{8,})`)
)

// redactFlat redacts a text without looking at URLs as such. Within the value of a
// parameter (nested) a space or a quote ends none.
func redactFlat(s string, form Form, nested bool) string {
	if strings.Contains(s, "@") {
		s = slashedUser.ReplaceAllString(s, "$1")
		s = labelledAt.ReplaceAllStringFunc(s, cutLabelled)
	}
	if strings.Contains(s, "-") {
		s = userOption.ReplaceAllStringFunc(s, func(found string) string { return cutUserOption(found, strings.Contains(s, "curl")) })
		if strings.Contains(s, "curl+") {
			s = plusOption.ReplaceAllString(s, "${1}"+Marker)
		}
		s = longOption.ReplaceAllStringFunc(s, func(found string) string { return redactOption(found, form) })
	}
	if form.rules().newest {
		s = redactStatements(redactCommands(redactHosts(s, form), form), form)
	}
	s = redactNamed(redactLists(s, form), form, nested)
	if strings.ContainsAny(s, "：＝") {
		s = wideColon.ReplaceAllStringFunc(s, func(found string) string { return redactWide(found, form) })
	}
	if strings.Contains(s, " ") {
		s = authScheme.ReplaceAllStringFunc(s, func(found string) string { return redactScheme(found, form) })
	}
	return markKnown(s, form)
}

// cutLabelled replaces "user:password" before the "@" of a host.
func cutLabelled(found string) string {
	at := labelledAt.FindStringSubmatch(found)
	if at == nil || isLabel(at[2]) || strings.Trim(at[2], "0123456789.,") == "" {
		return found
	}
	return at[1] + Marker + "@" + at[4]
}

// isLabel reports whether what stands before a ":" and a mail address is a scheme or a
// word for such an address, and no user.
func isLabel(word string) bool {
	switch strings.ToLower(word) {
	case "mailto", "sip", "sips", "xmpp", "acct", "im", "pres", "tel", "sms", "urn", "tag", "cid", "mid", "news", "data",
		"javascript", "about", "blob", "did", "info", "magnet", "jid", "skype", "matrix", "sha256", "md5",
		"mail", "email", "e-mail", "mel", "courriel", "courrier", "correo", "correio", "kontakt", "contact", "contacto", "contato",
		"from", "to", "cc", "bcc", "reply-to", "sender", "by", "author", "editor", "maintainer", "support", "webmaster",
		"de", "para", "von", "an", "pour", "posta", "adresse", "address", "epost", "e-post", "sähköposti", "poczta":
		return true
	}
	return false
}

// cutUserOption replaces the user and password of "-u user:password". Only curl takes
// them without a space, and what is a number is a user's or a group's.
func cutUserOption(found string, curl bool) string {
	at := userOption.FindStringSubmatch(found)
	if at == nil || !curl && (!strings.ContainsAny(at[1][len(at[1])-1:], " \t=") || len(strings.Trim(at[1], " \t=")) != len("-u") && !strings.Contains(at[1], "--")) ||
		strings.Trim(at[2], "0123456789:") == "" {
		return found
	}
	return at[1] + Marker
}

// redactOption redacts the value of "--password value".
func redactOption(found string, form Form) string {
	at := longOption.FindStringSubmatch(found)
	if at == nil {
		return found
	}
	value := strings.Trim(at[4], `"'`)
	named := form.classify(at[2])
	became := form.treat(named, value, false)
	if named == other || !strings.HasSuffix(at[1], "--") && named < certain || became == kept {
		return found
	}
	return at[1] + at[2] + at[3] + strings.Replace(at[4], value, form.mark(value, became), 1)
}

// redactScheme redacts the credentials of "Bearer x" and "Basic x", where they look
// like some: the words are also those of a text.
func redactScheme(found string, form Form) string {
	at := authScheme.FindStringSubmatch(found)
	switch {
	case at == nil || isMarked(at[3]):
		return found
	case strings.EqualFold(at[1], "basic"):
		plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(at[3], "="))
		if (err != nil || !strings.Contains(string(plain), ":")) && !form.rules().looksRandom(at[3]) {
			return found
		}
	case len(at[3]) < plainMin:
		return found
	}
	return at[1] + at[2] + Marker
}

// redactNamed replaces what follows the names of secrets.
func redactNamed(s string, form Form, nested bool) string {
	var b strings.Builder
	done := 0
	extends := !nested || form == Log
	for at := indexAny(s, 0, "=:>"); at < len(s); at = indexAny(s, at+1, "=:>") {
		if at < done {
			continue
		}
		name, quote := nameBefore(s[done:at], s[at] == '>')
		if name == "" {
			continue
		}
		named := form.classify(name)
		if named == other || isFileError(s, at, quote) {
			continue
		}
		// Of a name that is not certain as much is looked at as may tell what its value is.
		seen := s
		if named < certain {
			seen = s[:min(len(s), at+ambiguousMax)]
		}
		start, end := valueBehind(seen, at, named, quote, nested)
		if form == Log && start == end && strings.HasPrefix(seen[start:], `\`) {
			end = pastBackslashes(seen, start)
		}
		became := kept
		if start < end && !listBehind.MatchString(s[at+1:min(len(s), at+1+schemeMax)]) {
			became = form.treat(named, s[start:end], named == likelyPin && (quote == '?' || quote == '&'))
		}
		inPath := quote == '/' && s[at] == '=' && !isShortCode(s[start:end]) // as in redactSegment
		if became == kept || (inPath || isTitle(s, at, start, quote, nested)) && form.rules().judge(s[start:end]) == kept {
			continue
		}
		if end == len(seen) {
			start, end = valueBehind(s, at, named, quote, nested)
		}
		if extends && !isMarked(s[start:end]) {
			end = pastBackslashes(s, end)
		}
		b.WriteString(s[done:start])
		b.WriteString(form.mark(s[start:end], became))
		done = end
	}
	b.WriteString(s[done:])
	return b.String()
}

// isFileError reports whether a name is the last of a path, and what follows it what the
// operating system says of that file: "open /etc/api-key: permission denied".
func isFileError(s string, at int, before byte) bool {
	rest, spaced := strings.CutPrefix(s[at:], ": ")
	return (before == '/' || before == '\\') && spaced && slices.ContainsFunc(fileErrors[:], func(text string) bool { return strings.HasPrefix(rest, text) })
}

// fileErrors are what an operating system says of a file that cannot be used.
var fileErrors = [...]string{
	"no such file or directory", "permission denied", "operation not permitted", "is a directory", "not a directory", "file exists",
	"input/output error", "too many open files", "no space left on device", "read-only file system", "file name too long",
	"too many levels of symbolic links", "stale file handle", "device or resource busy", "no such device",
}

// isTitle reports whether a name and its value are part of a URL, with a colon and nothing
// else between them: title=Password:history is a page of a wiki.
func isTitle(s string, at, start int, before byte, nested bool) bool {
	return s[at] == ':' && start == at+1 && (nested && before != '"' && before != '\'' || before != 0 && strings.IndexByte("=?&/+#", before) >= 0)
}

// ambiguousMax is how much of the value of an ambiguous name is looked at, in bytes:
// values may overlap, and the time is to be linear.
const ambiguousMax = 200

// maxSpaces is how many spaces may stand between a name, its separator and its value.
const maxSpaces = 8

// nameBefore returns the name at the end of a text: what stands in quotes there, or a
// word, which those before it may qualify. before is the character before it, which may
// begin a quotation or a parameter, and 0 for a space.
func nameBefore(s string, tag bool) (name string, before byte) {
	s = s[max(len(s)-2*nameMax, 0):]
	end := strings.TrimRight(s, " \t")
	if len(s)-len(end) > maxSpaces {
		return "", 0
	}
	if tag { // <password>, <a:password>
		at := strings.LastIndexAny(end, "<>")
		if at < 0 || end[at] != '<' || end[len(end)-1] == '/' {
			return "", 0
		}
		name, _, _ = strings.Cut(end[at+1:], " ") // <password type="text">
		if strings.ContainsAny(name, "/\"'=!?") {
			return "", 0
		}
		return name, 0
	}
	if end == "" {
		return "", 0
	}
	if q := end[len(end)-1]; q == '"' || q == '\'' || q == '`' {
		end = strings.TrimRight(end[:len(end)-1], `\`)
		return end[strings.LastIndexByte(end, q)+1:], 0
	}
	from := len(end)
	for from > 0 && isNameByte(end[from-1]) {
		from--
	}
	if from == len(end) {
		return "", 0
	}
	if from > 0 && strings.IndexByte(" \t\r\n", end[from-1]) < 0 {
		before = end[from-1]
	}
	for range phraseWords - 1 { // "client secret: x"
		word := from
		if word == 0 || end[word-1] != ' ' {
			break
		}
		for word--; word > 0 && isNameByte(end[word-1]); {
			word--
		}
		if word == from-1 {
			break
		}
		from = word
	}
	return end[from:], before
}

func isNameByte(c byte) bool {
	return kindOf(c) != separator || c == '_' || c == '-' || c == '.' || c == '[' || c == ']' || c == '%' || c == '$'
}

// valueBehind returns where the value begins and ends that follows the separator at
// a place: start and end are equal when there is none.
func valueBehind(s string, at int, named class, before byte, nested bool) (start, end int) {
	start = at + 1
	if s[at] == '>' {
		if strings.HasPrefix(s[start:], cdata) {
			start += len(cdata)
			return start, start + max(strings.Index(s[start:], "]]>"), 0)
		}
		start = len(s) - len(strings.TrimLeft(s[start:], " \t\r\n"))
		return start, indexAny(s, start, "<\r\n")
	}
	if start < len(s) && (s[at] == '=' && s[start] == '>' || s[at] == ':' && s[start] == '=') {
		start++
	}
	for n := 0; n < maxSpaces && start < len(s) && (s[start] == ' ' || s[start] == '\t'); n++ {
		start++
	}
	if found := yamlBlock.FindStringIndex(s[start:min(len(s), start+schemeMax)]); found != nil {
		start += found[1]
	}
	if start == len(s) {
		return start, start
	}
	if n := markLength(s[start:]); n > 0 {
		return start, start + n
	}
	if n := quotePrefix(s[start:]); n > 0 {
		start += n
	}
	for _, open := range []string{`\"`, `"`, `'`, "`"} {
		if strings.HasPrefix(s[start:], open) {
			start += len(open)
			return start, quotedEnd(s, start, open)
		}
	}
	if named == likelyLine {
		if found := wordsBehind.FindStringIndex(s[start:min(len(s), start+wordsMax)]); found != nil {
			return start, start + found[1]
		}
	}
	if named == certainLine && s[at] == ':' {
		return start, indexAny(s, start, "\r\n,\"")
	}
	if parameter := before != 0 && strings.IndexByte("?&;#", before) >= 0 && s[at] == '='; (named == header || named == likelyHeader) && !parameter {
		stops := "\r\n"
		if before == '"' || before == '\'' {
			stops += string(before)
		}
		return start, indexAny(s, start, stops)
	}
	if end = schemeEnd(s, start); end > start { // Bearer x
		return start, end
	}
	return start, bareEnd(s, start, nested && s[at] == '=')
}

// yamlBlock is what begins a text of several lines in YAML, also where line ends have
// become spaces.
var yamlBlock = regexp.MustCompile(`^(?:[|>][+-]?[0-9]?(?:[ \t]*\r?\n[ \t]+| +)|(?:\r?\n[ \t]*)?- +)`)

// wordsMax is more than the words of a wallet have, in bytes: 24 of at most eight letters.
const wordsMax = 256

// wordsBehind are the words of a wallet, as wordList has them.
var wordsBehind = regexp.MustCompile(`^\pL{3,8}(?:[ ,_+-]{1,2}\pL{3,8}){11,23}`)

// cdata opens the text of an element in XML.
const cdata = "<![CDATA["

// quotePrefix returns the length of the letters of Python before a quotation: u'x', b"x".
func quotePrefix(s string) int {
	n := len(s) - len(strings.TrimLeft(s[:min(len(s), 2)], "ubrfUBRF")+s[min(len(s), 2):])
	if n > 0 && n < len(s) && (s[n] == '"' || s[n] == '\'') {
		return n
	}
	return 0
}

// markLength returns the length of what mark has left at the start of a text, 0 when there
// is none.
func markLength(s string) int {
	rest, found := strings.CutPrefix(s, Marker)
	if !found {
		return 0
	}
	n := len(Marker)
	if len(rest) > digestLength && rest[0] == '-' && isDigest(rest[1:digestLength+1]) {
		n, rest = n+1+digestLength, rest[1+digestLength:]
	}
	if rest != "" && (kindOf(rest[0]) != separator || rest[0] == '-' || rest[0] == '_') {
		return 0
	}
	return n
}

// quotedEnd returns where a quotation ends that was opened before start.
func quotedEnd(s string, start int, open string) int {
	for i := start; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], open):
			return i
		case s[i] == '\\' && len(open) == 1:
			i++
		}
	}
	return len(s)
}

// schemeEnd returns where the credentials end that begin with the name of a scheme.
func schemeEnd(s string, start int) int {
	at := authScheme.FindStringIndex(s[start:min(len(s), start+schemeMax)])
	if at == nil || at[0] != 0 {
		return start
	}
	return bareEnd(s, start+strings.IndexAny(s[start:start+at[1]], " \t")+1, false)
}

// schemeMax is more than the name of a scheme and the least of its credentials have,
// in bytes.
const schemeMax = 64

// bareEnd returns where a value ends that is in no quotes: at a space, a quote or a
// bracket, and at "&", ";", "," or "#" where another name follows or nothing does. Brackets
// that close at its end are not its own.
func bareEnd(s string, start int, nested bool) int {
	stops := " \t\r\n\"'<>`&;,#\\"
	if nested {
		stops = "&;,#\""
	}
	end := start
	for {
		end = indexAny(s, end, stops)
		if end == len(s) || !strings.ContainsRune("&;,#", rune(s[end])) || followedByName(s[end+1:]) {
			break
		}
		end++
	}
	for end > start && strings.IndexByte(")]}", s[end-1]) >= 0 {
		end--
	}
	return end
}

// pastBackslashes returns where a secret ends that is in no quotes and has ended at a
// backslash: there when the backslash escapes a quote, or a line end with another name
// behind it, or when nothing follows; else the backslash is of the secret, and so is what
// stands behind it. Whether a value is a secret is decided by what stands before the
// backslash, so that a text that was stored stays as it is, and in an identity nothing
// changes.
func pastBackslashes(s string, end int) int {
	for {
		at := end
		for at < len(s) && strings.IndexByte(")]}", s[at]) >= 0 { // that bareEnd has left out
			at++
		}
		behind := strings.TrimLeft(s[at:], `\`)
		if len(behind) == len(s)-at || endsAfterBackslash(behind) {
			return end
		}
		end = bareEnd(s, len(s)-len(behind), false)
	}
}

// endsAfterBackslash reports whether a value has ended before a backslash, by what stands
// behind it.
func endsAfterBackslash(s string) bool {
	if s == "" {
		return true
	}
	switch s[0] {
	case '"', '\'', '`', ' ', '\t', '\r', '\n':
		return true
	case 'n', 'r', 't':
		return followedByName(s[1:])
	case 'u':
		const digits = 4 // of a code unit, as in \u0026
		return len(s) > digits && strings.Trim(s[1:1+digits], "0123456789abcdefABCDEF") == "" && followedByName(s[1+digits:])
	}
	return false
}

// followedByName reports whether a value has ended: nothing follows, or a space, or
// another name with its separator.
func followedByName(s string) bool {
	s = s[:min(len(s), nameMax)]
	end := strings.IndexFunc(s, func(r rune) bool { return r < 0x80 && !isNameByte(byte(r)) })
	switch {
	case s == "", end == 0 && strings.IndexByte("&;,#", s[0]) < 0:
		return true
	default:
		return end > 0 && (s[end] == '=' || s[end] == ':')
	}
}
