package redact

import (
	"regexp"
	"strings"
)

// Names and values that stand beside each other: of records of requests (HAR), lists of
// pairs and attributes of XML. The quotes of JSON may be escaped.
var (
	namedValue = regexp.MustCompile(`(\\*"(?:name|key|field|header)\\*"\s*:\s*\\*")([^"\\]{1,128})(\\*"\s*,\s*\\*"value\\*"\s*:\s*)(\\*"(?:[^"\\]|\\[^"])*|[0-9]+)`)
	valueNamed = regexp.MustCompile(`(\\*"value\\*"\s*:\s*)(\\*"(?:[^"\\]|\\[^"])*|[0-9]+)(\\*"?\s*,\s*\\*"(?:name|key|field|header)\\*"\s*:\s*\\*")([^"\\]{1,128})`)
	listPair   = regexp.MustCompile(`([\[(]\s*)(\\*"[^"\\]{1,128}|'[^'\\]{1,128})(\\*["']\s*,\s*)(\\*"(?:[^"\\]|\\[^"])*|'[^']*)(\\*["']\s*[\])])`)
	attributes = regexp.MustCompile(`(?i)(\b(?:name|key|id|property)\s*=\s*)("[^"<>]{1,128}"|'[^'<>]{1,128}')(\s+(?:value|content)\s*=\s*)("[^"<>]*"|'[^'<>]*')`)
	// <property name="password">x</property>, {'auth': ('bob', 'x')}, the lines of .netrc.
	namedElement = regexp.MustCompile(`(?i)(<[\w:.-]+\s(?:[^<>]*\s)?(?:name|key)\s*=\s*)("[^"<>]{1,128}"|'[^'<>]{1,128}')([^<>]*>)(<!\[CDATA\[[^\]]*|[^<>]+)`)
	authPair     = regexp.MustCompile(`(?i)((?:\bauth["']?\s*[:=]\s*|\b\w*Auth)[\[(]\s*[ub]?["'][^"']*["']\s*,\s*[ub]?)("[^"]*"|'[^']*')`)
	netrc        = regexp.MustCompile(`((?:^|\s)(?:machine\s+\S+|default)\s+login\s+\S+\s+password\s+)(\S+)`)
	attributed   = regexp.MustCompile(`(?i)(\b(?:value|content)\s*=\s*)("[^"<>]*"|'[^'<>]*')(\s+(?:name|key|id|property)\s*=\s*)("[^"<>]{1,128}"|'[^'<>]{1,128}')`)
)

// redactPairs redacts the values of such pairs.
func redactPairs(s string, form Form) string {
	if strings.Contains(s, "password") {
		s = netrc.ReplaceAllString(s, "${1}"+Marker)
	}
	if !strings.ContainsAny(s, `"'`) {
		return s
	}
	if strings.Contains(s, "value") {
		s = replacePair(s, namedValue, 2, 4, form)
		s = replacePair(s, valueNamed, 4, 2, form)
	}
	if strings.ContainsAny(s, "[(") {
		s = replacePair(s, listPair, 2, 4, form)
	}
	if strings.Contains(s, "=") {
		s = replacePair(s, attributes, 2, 4, form)
		s = replacePair(s, attributed, 4, 2, form)
		s = replacePair(s, namedElement, 2, 4, form)
	}
	s = authPair.ReplaceAllString(s, "${1}'"+Marker+"'")
	return s
}

// replacePair redacts one of the groups of an expression by the name that another holds.
func replacePair(s string, pair *regexp.Regexp, name, value int, form Form) string {
	var b strings.Builder
	done := 0
	for _, at := range pair.FindAllStringSubmatchIndex(s, -1) {
		named := form.classify(strings.Trim(s[at[2*name]:at[2*name+1]], `\"'`))
		found := s[at[2*value]:at[2*value+1]]
		plain := strings.TrimSpace(strings.Trim(strings.TrimPrefix(found, "<![CDATA["), `\"'`))
		became := form.treat(named, plain, false)
		if named == other || plain == "" || became == kept {
			continue
		}
		b.WriteString(s[done:at[2*value]])
		b.WriteString(strings.Replace(found, plain, form.mark(plain, became), 1))
		done = at[2*value+1]
	}
	b.WriteString(s[done:])
	return b.String()
}
