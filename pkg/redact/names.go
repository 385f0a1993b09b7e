package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// class is what the name of a parameter, a field or a header says of its value.
type class int

const (
	other        class = iota // nothing: only what is a credential by its form is one
	ambiguous                 // a secret here, a page's number there: one only with a value that looks like a credential
	session                   // ambiguous, and a hex number of 26 digits or more is one too
	qualified                 // ambiguous but for the word before it (invite_token): any hex number of 20 digits or more is one
	likely                    // a secret, but for a value of words or of numbers: that of a record
	likelyWord                // likely, and a word or a number of four to eight digits is one too
	likelyCode                // likely, and a number of four to eight digits is one too
	likelyPin                 // likely, and so is a number as those on which cards and doors open
	likelyPair                // likely, and so is a user with a password
	likelyLine                // ambiguous, and a list of twelve words or more is one
	likelyHeader              // likely, and in a text all that follows on its line
	certain                   // a secret, whatever the value looks like
	certainLine               // certain, and in a text all that follows on its line: it may have spaces
	header                    // certain, and in a text all that follows on its line
)

// suffixMin is the least length of a certain name, in bytes, that is found at the
// end of a longer word: "dbpassword" holds one, "compass" does not.
const suffixMin = 6

// nameMax is how much of a name is looked at, in bytes: its end, where the noun is.
const nameMax = 128

// phrases returns the phrases of a table, by what they are when nothing separates
// their words.
func phrases(table string) map[string]bool {
	set := make(map[string]bool)
	for line := range strings.Lines(table) {
		for phrase := range strings.SplitSeq(strings.TrimSpace(line), "|") {
			if phrase != "" {
				set[strings.ReplaceAll(strings.ToLower(foldName(phrase)), " ", "")] = true
			}
		}
	}
	return set
}

func words(table string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(table) {
		set[word] = true
	}
	return set
}

// notSuffixes are certain phrases that are the end of harmless words ("validtoken").
var notSuffixes = words(`idtoken jwttoken apikey`)

// remarkBehind is what people write behind a name: "passwd (ftp)".
var remarkBehind = regexp.MustCompile(`\s*\([^()]*\)\s*$`)

// classify returns what a name says of its value. Percent codes in it are undone;
// its words are what separators, capitals and digits part.
func (t *nameTable) classify(name string) class {
	if strings.HasSuffix(name, ")") {
		name = remarkBehind.ReplaceAllString(name, "")
	}
	parts := splitName(name)
	if len(parts) == 0 {
		return other
	}
	if len(parts) > 2 && parts[0] == "x" && (parts[1] == "amz" && parts[2] != "meta" || parts[1] == "goog" && parts[2] != "meta") {
		return certain
	}
	last := parts[len(parts)-1]
	named := t.classifyWords(parts, last)
	for named == other && len(parts) > 1 && t.qualifiers[last] {
		parts = parts[:len(parts)-1]
		last = parts[len(parts)-1]
		named = t.classifyWords(parts, last)
	}
	if word, found := t.cutQualifier(last); found {
		parts, last = append(slices.Clone(parts[:len(parts)-1]), word), word
		named = t.classifyWords(parts, last)
	}
	if (named == certain || named == likelyWord) && len(parts) > 1 && t.abouts[parts[0]] && t.classifyWords(parts[1:], last) == named {
		return likely
	}
	return named
}

// classifyWords returns what the words of a name say.
func (t *nameTable) classifyWords(parts []string, last string) class {
	switch {
	case endsWith(parts, t.kept):
		return other
	case endsWith(parts, t.headers):
		return header
	case endsWith(parts, t.certainLines):
		return certainLine
	case endsWith(parts, t.likelyLines):
		return likelyLine
	case endsWith(parts, t.certain) || hasSuffix(last, t.certain) || t.isOwnedPass(parts) || isServerSession(parts):
		return certain
	case endsWith(parts, t.likelyHeaders):
		return likelyHeader
	case endsWith(parts, t.likelyCodes):
		return likelyCode
	case endsWith(parts, t.likelyPins) && !(len(parts) > 1 && t.postalOwners[parts[len(parts)-2]]):
		return likelyPin
	case endsWith(parts, t.likelyPairs):
		return likelyPair
	case endsWith(parts, t.likelyWords):
		return likelyWord
	case endsWith(parts, t.likely) || hasSuffix(last, t.likely):
		return likely
	case endsAmbiguous(last, t.ambiguousWords):
		return t.qualify(parts, last)
	case len(parts) == 1 && t.signatures[last]:
		return qualified
	case len(parts) == 1 && t.ambiguousNames[last], endsWith(parts, map[string]bool{"connectionstring": true}):
		return ambiguous
	}
	return other
}

// endsAmbiguous reports whether a word ends with one of some, in the singular or the plural.
func endsAmbiguous(last string, set []string) bool {
	return slices.ContainsFunc(set, func(word string) bool { return strings.HasSuffix(last, word) || strings.HasSuffix(last, word+"s") })
}

// qualify tells a name that ends with an ambiguous word by what stands before that.
func (t *nameTable) qualify(parts []string, last string) class {
	noun := strings.TrimSuffix(last, "s")
	if t.signatures[last] || t.signatures != nil && strings.HasSuffix(last, "sig") {
		return qualified
	}
	for _, word := range []string{"token", "secret", "key", "tkn", "nonce", "auth"} {
		owner, found := strings.CutSuffix(noun, word)
		if !found {
			continue
		}
		if owner == "" && len(parts) > 1 {
			owner = parts[len(parts)-2]
		}
		switch {
		case owner == "":
			return ambiguous
		case word == "key" && !t.keyOwners[owner] && !(parts[0] == "x" && len(parts) > 2):
			return ambiguous
		case t.plainOwners[owner]:
			return ambiguous
		}
		return qualified
	}
	if strings.HasSuffix(noun, "sid") || strings.HasSuffix(noun, "session") {
		return session
	}
	return ambiguous
}

// isServerSession reports whether a name begins with that of a server's session, which
// its administrators may have given an end of their own: JSESSIONID_ADMIN.
func isServerSession(parts []string) bool {
	joined := strings.Join(parts, "")
	return strings.HasPrefix(joined, "jsessionid") || strings.HasPrefix(joined, "phpsessid") || strings.HasPrefix(joined, "aspsessionid")
}

// cutQualifier cuts a qualifier from the end of a word that begins with the name of a
// password: "passwordmd", "passwordfield".
func (t *nameTable) cutQualifier(word string) (cut string, found bool) {
	for _, name := range t.passwordWords {
		if rest, found := strings.CutPrefix(word, name); found && t.qualifiers[rest] {
			return name, true
		}
	}
	return word, false
}

// phraseWords is the number of words of the longest phrase.
const phraseWords = 4

// endsWith reports whether the last words of a name are a phrase, in the singular
// or the plural.
func endsWith(parts []string, set map[string]bool) bool {
	joined := ""
	for i := len(parts) - 1; i >= 0 && i >= len(parts)-phraseWords; i-- {
		joined = parts[i] + joined
		if set[joined] || set[strings.TrimSuffix(joined, "s")] {
			return true
		}
	}
	return false
}

// hasSuffix reports whether a word ends with a certain name without a separator.
func hasSuffix(word string, set map[string]bool) bool {
	word = strings.TrimSuffix(word, "s")
	for from := 1; from+suffixMin <= len(word); from++ {
		if end := word[from:]; set[end] && !notSuffixes[end] {
			return true
		}
	}
	return word == "xapikey" && set["apikey"]
}

// isOwnedPass reports whether a name ends with "dbpass" or "userpw". Since redact_v4 the two
// may be apart: db_pass.
func (t *nameTable) isOwnedPass(parts []string) bool {
	last := parts[len(parts)-1]
	for _, end := range []string{"pass", "pw", "pwd"} {
		owner, found := strings.CutSuffix(last, end)
		if found && owner == "" && len(parts) > 1 && t.likelyPins != nil {
			owner = parts[len(parts)-2]
		}
		if found && t.passOwners[owner] {
			return true
		}
	}
	return false
}

// splitName returns the words of a name in lower case, without those that are
// digits only.
func splitName(name string) []string {
	name = decodeAll(name)
	name = foldName(name[max(len(name)-nameMax, 0):])
	var parts []string
	from := 0
	take := func(to int) {
		if word := strings.ToLower(name[from:to]); strings.Trim(word, "0123456789") != "" {
			parts = append(parts, word)
		}
		from = to
	}
	for i := range len(name) {
		switch kind := kindOf(name[i]); {
		case kind == separator:
			take(i)
			from = i + 1
		case i == from:
		case isBoundary(name, i):
			take(i)
		}
	}
	take(len(name))
	return slices.Clip(parts)
}

// foldName returns a name with full-width letters and letters with marks as plain ones:
// "contraseña", "hasło".
func foldName(name string) string {
	if strings.EqualFold(name, "2fa") || strings.HasSuffix(strings.ToLower(name), "_2fa") {
		return "mfa"
	}
	if strings.IndexFunc(name, func(r rune) bool { return r >= 0x80 }) < 0 {
		return name
	}
	if !utf8.ValidString(name) { // Latin-1
		plain := make([]rune, len(name))
		for i := range len(name) {
			plain[i] = rune(name[i])
		}
		name = string(plain)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.M, r):
			return -1
		case r == 'ł' || r == 'Ł':
			return 'l'
		case r == '＿':
			return '_'
		}
		return r
	}, norm.NFKD.String(name))
}

// The kinds of characters of names and values.
type kind int

const (
	separator kind = iota
	lower
	upper
	digit
)

func kindOf(c byte) kind {
	switch {
	case c >= 'a' && c <= 'z', c >= 0x80:
		return lower
	case c >= 'A' && c <= 'Z':
		return upper
	case c >= '0' && c <= '9':
		return digit
	}
	return separator
}

// isBoundary reports whether a word of a name begins at i, where none of the two
// characters is a separator: userPassword, AWSAccess, sha2Token.
func isBoundary(name string, i int) bool {
	before, here := kindOf(name[i-1]), kindOf(name[i])
	switch {
	case (before == digit) != (here == digit):
		return true
	case before == lower && here == upper:
		return true
	default:
		return before == upper && here == upper && i+1 < len(name) && kindOf(name[i+1]) == lower
	}
}
