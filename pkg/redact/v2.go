package redact

import (
	"slices"
	"strings"
	"unicode"
)

// What urlcanon_v2 and redact_v2 took for a secret in a URL's own parameters. Documents
// that were captured under them are called by what these rules left out, so that the
// rules are kept as they were; for what a parameter holds within its value those of today
// stand in. Nothing here is ever changed.

// certainPhrasesV2, and those that follow, are the table of names of redact_v2.
var certainPhrasesV2 = phrases(`
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

var likelyPhrasesV2 = phrases(`
	pass|session id|sess id|sessid|sess|session key|session token|signature|x sign|hmac|credential|cred|csrf|xsrf|cfid
	access key|account key|storage key|master key|encryption key|signing key|assertion|pincode`)

var likelyCodesV2 = phrases(`otp|totp|mfa|one time pin`)

var likelyHeadersV2 = phrases(`authorization|cookie`)

var headerPhrasesV2 = phrases(`proxy authorization|cookie2|set cookie|set cookie2`)

var keptPhrasesV2 = phrases(`page token|next token|prev token|previous token|continuation token|resumption token|continue token
	cursor token|sync token|delta token|skip token|paging token|pagination token|scroll token|start token|position token`)

var (
	ambiguousWordsV2 = []string{"code", "ticket", "session", "sid", "key", "token", "state", "secret", "sig", "auth", "sas", "tkn", "pin"}
	qualifiersV2     = words(`confirm confirmation repeat repeated again new old current value hash hashed encrypted encoded plain
	plaintext text field input base64 b64 json`)
)

// classifyV2 is what classify was.
func classifyV2(name string) class {
	parts := splitName(name)
	if len(parts) == 0 {
		return other
	}
	if len(parts) > 2 && parts[0] == "x" && (parts[1] == "amz" || parts[1] == "goog") {
		return certain
	}
	for len(parts) > 1 && qualifiersV2[parts[len(parts)-1]] {
		parts = parts[:len(parts)-1]
	}
	last := parts[len(parts)-1]
	switch {
	case endsWith(parts, keptPhrasesV2):
		return other
	case endsWith(parts, headerPhrasesV2):
		return header
	case endsWith(parts, certainPhrasesV2) || hasSuffix(last, certainPhrasesV2) || names3.isOwnedPass(parts[len(parts)-1:]) ||
		strings.HasPrefix(last, "aspsessionid") || last == "xapikey":
		return certain
	case endsWith(parts, likelyHeadersV2):
		return likelyHeader
	case endsWith(parts, likelyCodesV2):
		return likelyCode
	case endsWith(parts, likelyPhrasesV2) || hasSuffix(last, likelyPhrasesV2):
		return likely
	}
	if endsAmbiguous(last, ambiguousWordsV2) {
		return ambiguous
	}
	return other
}

// treatV2 is what treat was.
func (f Form) treatV2(c class, value string) treatment {
	found := digested
	if c >= likely {
		found = hidden
	}
	switch {
	case isMarked(value):
		return found
	case c >= certain,
		c >= likely && (couldBeCredentialV2(value) || c == likelyCode && isShortCode(decodeAll(value))),
		c == ambiguous && isCredentialV2(value),
		c == other && rules3.isKnown(value):
		return found
	}
	return kept
}

func isCredentialV2(value string) bool {
	value = decodeAll(value)
	return rules3.holdsKnown(value) || looksRandomV2(value)
}

// looksRandomV2 is what looksRandom was.
func looksRandomV2(value string) bool {
	if strings.ContainsAny(value, " \t\r\n") || isHex(value) {
		return false
	}
	counts, changes := countKinds(value)
	letters := counts[lower] + counts[upper]
	return isMixed(counts, changes, letters+counts[digit])
}

// couldBeCredentialV2 is what judge was.
func couldBeCredentialV2(value string) bool {
	value = decodeAll(value)
	if strings.TrimSpace(value) == "" {
		return false
	}
	prose := strings.Contains(value, " ")
	if !prose && len(value) > recordMax || authValue.MatchString(value) || isCredentialV2(value) {
		return true
	}
	parts := strings.FieldsFunc(value, isNoRecordRune)
	if !prose && len(parts) > recordPartsMax || len(parts) == 0 {
		return true
	}
	if slices.ContainsFunc(parts, func(part string) bool { return !recordPart.MatchString(part) }) {
		return true
	}
	return strings.Contains(value, "=") || !prose && strings.ContainsAny(value, "%$^*{}\\~")
}

func isNoRecordRune(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
