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
	likelyHeader              // likely, and in a text all that follows on its line
	certain                   // a secret, whatever the value looks like
	certainLine               // certain, and in a text all that follows on its line: it may have spaces
	header                    // certain, and in a text all that follows on its line
)

// certainPhrases are the names of secrets, as the last words of a name: words in
// lower case that one space separates.
var certainPhrases = phrases(`
	password|passwd|pswd|psw|pword|passwrd|passw|passw rd|pass word|passkey|upwd|upw|user pwd|user pw
	passwort|mot de passe|mdp|contrasena|wachtwoord|lozinka|jelszo|losenord|adgangskode|passord|kodeord|salasana
	palavra passe|senha secreta|пароль|密码|密碼|パスワード|비밀번호|סיסמה|סיסמא|كلمة المرور|كلمة السر|κωδικός πρόσβασης|jeton acces|jeton d acces|รหัสผ่าน|mật khẩu|mat khau
	client secret|app secret|api secret|consumer secret|shared secret|token secret|signing secret|webhook secret
	secret key|private key|access key id|api key|subscription key|functions key|enc key|url sig|auth sig
	api schlussel|api schluessel|cle api|cle d api|clave api|chave api|chiave api
	secret id|google access id
	access token|access tok|refresh token|id token|auth token|auth tok|auth tkn|authentication token|authorization token
	security token|bearer token|oauth token|jwt token|api token|private token|personal token|job token|deploy token
	login token|service token|sas token|reset token|verification token|verify token|csrf token|xsrf token
	csrf middleware token|authenticity token|id token hint|client assertion|saml response|saml art|wresult|cf token
	oauth signature|x signature|jwt|bearer|one time password|one time code|mfa code|authorization code|oauth verifier|code verifier
	j session id|php sess id|php sess|asp session id|net session id|auth cookie|hdnts|hdnea|hdntl|gda`)

// certainLines are those whose values have several words.
var certainLines = phrases(`passphrase|pass phrase|seed phrase|recovery phrase|mnemonic phrase`)

// likelyPhrases name secrets, and what parliaments, archives, shops and agencies number:
// their sessions, call numbers, mountain passes, authorizations. Some are secrets in one
// language, and the headwords of dictionaries in another.
var likelyPhrases = phrases(`
	pass|session id|sess id|sessid|sess|session key|session token|session hash|session data|sess key|signature|x sign|hmac|credential|cred|csrf|xsrf|cfid
	access key|account key|storage key|master key|encryption key|signing key|assertion|pincode
	kennwort|losungswort|senha|haslo|parola|heslo|geslo|sifre|parola chiave segreta|clave secreta|cle secrete|geheimnis
	os csid|xtcsid|xt csid|zen id|zenid|fe typo user|be typo user|ci session|wp session|laravel session|mysapsso|sap contextid|sap context id
	mrh session|mima|κωδικός|mod sid|modsid|security answer`)

// likelyWords are passwords, and the days, weeks and folders of other programs.
var likelyWords = phrases(`pwd|pw`)

// likelyCodes are those of numbers that are used once.
var likelyCodes = phrases(`otp|totp|mfa|one time pin|passcode|pass code|access code|backup code|recovery code`)

// likelyHeaders are HTTP fields whose names are also words of texts.
var likelyHeaders = phrases(`authorization|cookie|auth header`)

// headerPhrases are the HTTP fields that hold nothing but credentials.
var headerPhrases = phrases(`proxy authorization|cookie2|set cookie|set cookie2`)

// keptPhrases name a place in a list or a record, not a right: they are nobody's secret.
var keptPhrases = phrases(`page token|next token|prev token|previous token|continuation token|resumption token|continue token
	cursor token|sync token|delta token|skip token|paging token|pagination token|scroll token|start token|position token
	offset token|resume token|more token|bookmark token|marker token|list token|last token|end token|after token|before token|search token|sort token
	start key|end key|last key|first key|evaluated key|partition key|row key|page key|offset key|bookmark key|marker key|cursor key|next key|prev key|previous key
	continuation key|resume key|scroll key|range key|sort key|public key|site key|document key|doc key|record key|item key|cache key|document token`)

// keyOwners are what a key is for that opens something: other keys are those of records.
var keyOwners = words(`auth authn aes app application activation login ws hapi hmac rsa ssh gpg license licence user session crypt crypto cipher
	secret maps google mailchimp stripe openai azure consumer customer share shared deploy feed rss confirm confirmation invite magic unsubscribe webhook cron wc wp`)

// plainOwners may stand before "token" and "secret" without making them a right: what they
// name is a part of a text or a record.
var plainOwners = words(`file article case page text word lang language country record vote bill act committee item issue trade top tops prev next first last
	num number of and per parser lexical nft mint contract coin erc`)

// abouts may stand before the name of a secret and ask something of it: show_password=yes.
var abouts = words(`show hide forgot forgotten forget lost reset change topic help remember has is need needs require requires required with without no use
	enable enabled disable disabled allow min max strength policy save toggle view recover update edit check lost about via type`)

// ambiguousWords end the names of secrets and of much else.
var ambiguousWords = []string{"code", "ticket", "session", "sid", "key", "token", "state", "secret", "sig", "auth", "sas", "tkn", "pin", "nonce",
	"jeton", "clave", "chave", "schlussel", "schluessel"}

// ambiguousNames are ambiguous as whole names only.
var ambiguousNames = words(`tok tk sk ak sign sso ses magic verify connectionstring proof`)

// qualifiers may follow the name of a secret without making it another thing.
var qualifiers = words(`confirm confirmation repeat repeated again new old current value val hash hashed encrypted encoded plain
	plaintext text field input base64 b64 json md md5 sha sha1 sha256 box textbox txt string str start proof`)

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
func classify(name string) class {
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
	named := classifyWords(parts, last)
	for named == other && len(parts) > 1 && qualifiers[last] {
		parts = parts[:len(parts)-1]
		last = parts[len(parts)-1]
		named = classifyWords(parts, last)
	}
	if word, found := cutQualifier(last); found {
		parts, last = append(slices.Clone(parts[:len(parts)-1]), word), word
		named = classifyWords(parts, last)
	}
	if (named == certain || named == likelyWord) && len(parts) > 1 && abouts[parts[0]] && classifyWords(parts[1:], last) == named {
		return likely
	}
	return named
}

// classifyWords returns what the words of a name say.
func classifyWords(parts []string, last string) class {
	switch {
	case endsWith(parts, keptPhrases):
		return other
	case endsWith(parts, headerPhrases):
		return header
	case endsWith(parts, certainLines):
		return certainLine
	case endsWith(parts, certainPhrases) || hasSuffix(last, certainPhrases) || isOwnedPass(last) || isServerSession(parts):
		return certain
	case endsWith(parts, likelyHeaders):
		return likelyHeader
	case endsWith(parts, likelyCodes):
		return likelyCode
	case endsWith(parts, likelyWords):
		return likelyWord
	case endsWith(parts, likelyPhrases) || hasSuffix(last, likelyPhrases):
		return likely
	case endsAmbiguous(last, ambiguousWords):
		return qualify(parts, last)
	case len(parts) == 1 && ambiguousNames[last], endsWith(parts, map[string]bool{"connectionstring": true}):
		return ambiguous
	}
	return other
}

// endsAmbiguous reports whether a word ends with one of some, in the singular or the plural.
func endsAmbiguous(last string, set []string) bool {
	return slices.ContainsFunc(set, func(word string) bool { return strings.HasSuffix(last, word) || strings.HasSuffix(last, word+"s") })
}

// qualify tells a name that ends with an ambiguous word by what stands before that.
func qualify(parts []string, last string) class {
	noun := strings.TrimSuffix(last, "s")
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
		case word == "key" && !keyOwners[owner] && !(parts[0] == "x" && len(parts) > 2):
			return ambiguous
		case plainOwners[owner]:
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
func cutQualifier(word string) (cut string, found bool) {
	for _, name := range []string{"password", "passwd", "passwort"} {
		if rest, found := strings.CutPrefix(word, name); found && qualifiers[rest] {
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
