package redact

import (
	"slices"
	"strings"
)

// class is what the name of a parameter, a field or a header says of its value.
type class int

const (
	other     class = iota // nothing: only what is a credential by its form is one
	ambiguous              // a secret here, a page's number there: the value decides
	certain                // a secret, whatever the value looks like
	header                 // certain, and in a text all that follows on its line
)

// certainPhrases are the names of secrets, as the last words of a name: words in
// lower case that one space separates.
var certainPhrases = phrases(`
	password|passwd|pwd|pswd|pass|pass word|passphrase|pass phrase|passcode
	passwort|kennwort|mot de passe|mdp|contrasena|senha|wachtwoord
	client secret|app secret|api secret|consumer secret|shared secret|token secret|signing secret|webhook secret
	secret key|private key|access key|access key id|api key|account key|storage key|subscription key|functions key
	encryption key|signing key|master key|session key|secret id|google access id
	access token|refresh token|id token|auth token|authentication token|authorization token|session token
	security token|bearer token|oauth token|jwt token|api token|private token|personal token|job token|deploy token
	login token|service token|sas token|reset token|verification token|verify token|csrf token|xsrf token
	csrf middleware token|authenticity token|id token hint|client assertion|saml response|cf token
	jwt|bearer|otp|totp|one time password|one time code|mfa code|authorization code|oauth verifier|code verifier
	credential|session id|sess id|sessid|j session id|php sess id|signature|csrf|xsrf`)

// headerPhrases are the HTTP fields that hold nothing but credentials.
var headerPhrases = phrases(`authorization|proxy authorization|cookie|cookie2|set cookie|set cookie2`)

// keptPhrases name a place in a list, not a right: they are nobody's secret.
var keptPhrases = phrases(`page token|next token|prev token|previous token|continuation token|resumption token|continue token
	cursor token|sync token|delta token|skip token|paging token|pagination token|scroll token|start token|position token`)

// ambiguousWords end the names of secrets and of much else.
var ambiguousWords = []string{"code", "ticket", "session", "sid", "key", "token", "state", "secret", "sig", "auth", "sas"}

// qualifiers may follow the name of a secret without making it another thing.
var qualifiers = words(`confirm confirmation repeat repeated again new old current value hash hashed encrypted encoded plain
	plaintext text field input base64 b64`)

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
				set[strings.ReplaceAll(phrase, " ", "")] = true
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

// classify returns what a name says of its value. Percent codes in it are undone;
// its words are what separators, capitals and digits part.
func classify(name string) class {
	parts := splitName(name)
	if len(parts) == 0 {
		return other
	}
	if len(parts) > 2 && parts[0] == "x" && (parts[1] == "amz" || parts[1] == "goog") {
		return certain
	}
	for len(parts) > 1 && qualifiers[parts[len(parts)-1]] {
		parts = parts[:len(parts)-1]
	}
	last := parts[len(parts)-1]
	switch {
	case endsWith(parts, keptPhrases):
		return other
	case endsWith(parts, headerPhrases):
		return header
	case endsWith(parts, certainPhrases) || hasSuffix(last, certainPhrases):
		return certain
	}
	for _, word := range ambiguousWords {
		if strings.HasSuffix(last, word) || strings.HasSuffix(last, word+"s") {
			return ambiguous
		}
	}
	return other
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
	return strings.HasPrefix(word, "aspsessionid") || word == "cfid" || word == "xapikey"
}

// splitName returns the words of a name in lower case, without those that are
// digits only.
func splitName(name string) []string {
	name = decodeAll(name)
	name = name[max(len(name)-nameMax, 0):]
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
