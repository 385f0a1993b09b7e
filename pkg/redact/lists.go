package redact

import (
	"regexp"
	"strings"
)

// listMax is how much of a list or an object is looked at behind the name of a secret, in
// bytes: they may stand within each other, and the time is to be linear.
const listMax = 4 << 10

var (
	// listStart is the separator behind a name, and the bracket of its list or object.
	listStart = regexp.MustCompile(`[:=]\s{0,8}[\[{]`)
	// listBehind is what valueBehind finds there, which redactLists has looked at.
	listBehind = regexp.MustCompile(`^\s{0,8}[\[{][\s\[{]{0,8}\\*["']`)
	// wideColon are names and values with the signs of Chinese and Japanese texts.
	wideColon = regexp.MustCompile(`([\pL\pN_.-]{2,64})(\s*[：＝]\s*)([^\s"'<>，。；、&]+)`)
)

// valueKeys are the keys of an object that hold the value of its own name.
var valueKeys = words(`value values plain plaintext text current raw $ _text #text _value @value content data default $value secret`)

// redactLists redacts the strings of the lists, and the values of the objects, that stand
// in JSON behind the names of secrets: {"X-Api-Key":["…"]}, {"password":{"value":"…"}}.
func redactLists(s string, form Form) string {
	if !strings.ContainsAny(s, "[{") {
		return s
	}
	var b strings.Builder
	done := 0
	for _, at := range listStart.FindAllStringIndex(s, -1) {
		if at[0] < done {
			continue
		}
		name, _ := nameBefore(s[done:at[0]], false)
		named := other
		if name != "" {
			named = form.classify(name)
		}
		if named == other {
			continue
		}
		b.WriteString(s[done : at[1]-1])
		var list string
		list, done = redactList(s, at[1]-1, named, form)
		b.WriteString(list)
	}
	b.WriteString(s[done:])
	return b.String()
}

// redactList returns the list or object that begins at start, without its secrets, and
// where it ends.
func redactList(s string, start int, named class, form Form) (list string, end int) {
	var b strings.Builder
	var open []byte // the brackets that are open
	key := ""
	done, limit := start, min(len(s), start+listMax)
	for i := start; i < limit; i++ {
		switch c := s[i]; c {
		case '[', '{':
			open = append(open, c)
		case ']', '}':
			if open = open[:len(open)-1]; len(open) == 0 {
				return b.String() + s[done:i+1], i + 1
			}
		case ',':
			key = ""
		case '"', '\'':
			quote := string(c)
			if s[i-1] == '\\' {
				quote = `\` + quote
			}
			from := i + 1
			to := quotedEnd(s[:limit], from, quote)
			if to == limit {
				return b.String() + s[done:i], i
			}
			i = to + len(quote) - 1
			if rest := strings.TrimLeft(s[i+1:min(len(s), i+1+maxSpaces)], " \t\r\n"); strings.HasPrefix(rest, ":") {
				key = s[from:to]
				continue
			}
			if open[len(open)-1] == '{' && !valueKeys[strings.ToLower(key)] {
				continue
			}
			if became := form.treat(named, s[from:to], false); from < to && became != kept {
				b.WriteString(s[done:from])
				b.WriteString(form.mark(s[from:to], became))
				done = to
			}
		}
	}
	return b.String() + s[done:limit], limit
}

// redactWide redacts what follows a name and the full-width form of a separator.
func redactWide(found string, form Form) string {
	at := wideColon.FindStringSubmatch(found)
	if at == nil {
		return found
	}
	became := form.treat(form.classify(at[1]), at[3], false)
	if became == kept {
		return found
	}
	return at[1] + at[2] + form.mark(at[3], became)
}
