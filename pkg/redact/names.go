package redact

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// class is what the name of a parameter, a field or a header says of its value.
type class int

const (
	other        class = iota // nothing: only what is a credential by its form is one
	ambiguous                 // a secret here, a page's number there: one only with a value that looks like a credential
	likely                    // a secret, but for a value of words or of short numbers: that of a record
	likelyCode                // likely, and a number of four to eight digits is one too
	likelyHeader              // likely, and in a text all that follows on its line
	certain                   // a secret, whatever the value looks like
	header                    // certain, and in a text all that follows on its line
)

// certainPhrases are the names of secrets, as the last words of a name: words in
// lower case that one space separates.
var certainPhrases = phrases(`
	password|passwd|pwd|pswd|psw|pw|pword|passwrd|passw rd|pass word|passphrase|pass phrase|passcode|passkey
	passwort|kennwort|mot de passe|mdp|contrasena|senha|wachtwoord|haslo|parola|lozinka|heslo|jelszo|losenord|adgangskode
	client secret|app secret|api secret|consumer secret|shared secret|token secret|signing secret|webhook secret
	secret key|private key|access key id|api key|subscription key|functions key|enc key|url sig|auth sig
	secret id|google access id|recovery code|backup code|access code
	access token|access tok|refresh token|id token|auth token|auth tok|auth tkn|authentication token|authorization token
	security token|bearer token|oauth token|jwt token|api token|private token|personal token|job token|deploy token
	login token|service token|sas token|reset token|verification token|verify token|csrf token|xsrf token
	csrf middleware token|authenticity token|id token hint|client assertion|saml response|saml art|wresult|cf token
	oauth signature|x signature|jwt|bearer|one time password|one time code|mfa code|authorization code|oauth verifier|code verifier
	j session id|php sess id|php sess|asp session id|net session id|auth cookie|hdnts|hdnea|hdntl|gda`)

// likelyPhrases name secrets, and what parliaments, archives, shops and agencies number:
// their sessions, call numbers, mountain passes, authorizations.
var likelyPhrases = phrases(`
	pass|session id|sess id|sessid|sess|session key|session token|signature|x sign|hmac|credential|cred|csrf|xsrf|cfid
	access key|account key|storage key|master key|encryption key|signing key|assertion|pincode`)

// likelyCodes are those of numbers that are used once.
var likelyCodes = phrases(`otp|totp|mfa|one time pin`)

// likelyHeaders are HTTP fields whose names are also words of texts.
var likelyHeaders = phrases(`authorization|cookie`)

// headerPhrases are the HTTP fields that hold nothing but credentials.
var headerPhrases = phrases(`proxy authorization|cookie2|set cookie|set cookie2`)

// keptPhrases name a place in a list, not a right: they are nobody's secret.
var keptPhrases = phrases(`page token|next token|prev token|previous token|continuation token|resumption token|continue token
	cursor token|sync token|delta token|skip token|paging token|pagination token|scroll token|start token|position token`)

// ambiguousWords end the names of secrets and of much else.
var ambiguousWords = []string{"code", "ticket", "session", "sid", "key", "token", "state", "secret", "sig", "auth", "sas", "tkn", "pin"}

// qualifiers may follow the name of a secret without making it another thing.
var qualifiers = words(`confirm confirmation repeat repeated again new old current value hash hashed encrypted encoded plain
	plaintext text field input base64 b64 json`)

// passOwners may stand before "pass" and "pw" in one word ("dbpass"): other words end
// with them ("bypass", "compass").
var passOwners = words(`db admin smtp imap user usr root ftp sftp ssh mail email sql mysql pg login web ldap proxy http wifi wlan auth my host server
	client app key store keystore cert redis`)

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
	case endsWith(parts, certainPhrases) || hasSuffix(last, certainPhrases) || isOwnedPass(last):
		return certain
	case endsWith(parts, likelyHeaders):
		return likelyHeader
	case endsWith(parts, likelyCodes):
		return likelyCode
	case endsWith(parts, likelyPhrases) || hasSuffix(last, likelyPhrases):
		return likely
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
	return set["password"] && (strings.HasPrefix(word, "aspsessionid") || word == "xapikey")
}

// isOwnedPass reports whether a word is "dbpass" or "userpw".
func isOwnedPass(word string) bool {
	for _, end := range []string{"pass", "pw", "pwd"} {
		if owner, found := strings.CutSuffix(word, end); found && passOwners[owner] {
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
