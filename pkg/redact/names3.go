package redact

// nameTable is the table of names of one version of the rules: phrases are the last words of
// a name, by what they are when nothing separates their words.
type nameTable struct {
	certain, certainLines, likely, likelyWords, likelyCodes, likelyHeaders, headers, kept map[string]bool

	keyOwners, plainOwners, abouts, ambiguousNames, qualifiers, passOwners map[string]bool

	ambiguousWords []string

	// What the rules before redact_v4 do not know, empty in their tables.
	likelyPins, likelyPairs, likelyLines, signatures, postalOwners map[string]bool

	passwordWords []string // that a qualifier may follow without a separator: passwordmd
}

// names3 is the table of redact_v3. Nothing in it is ever changed: documents are called by
// what it left out.
var names3 = &nameTable{
	certain:        certainPhrases,
	certainLines:   certainLines,
	likely:         likelyPhrases,
	likelyWords:    likelyWords,
	likelyCodes:    likelyCodes,
	likelyHeaders:  likelyHeaders,
	headers:        headerPhrases,
	kept:           keptPhrases,
	keyOwners:      keyOwners,
	plainOwners:    plainOwners,
	abouts:         abouts,
	ambiguousWords: ambiguousWords,
	ambiguousNames: ambiguousNames,
	qualifiers:     qualifiers,
	passOwners:     passOwners,
	passwordWords:  []string{"password", "passwd", "passwort"},
}

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
