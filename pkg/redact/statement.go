package redact

import (
	"regexp"
	"strings"
)

// statement finds a secret that no separator parts from what says so: its first group is a
// word that stands in all of them, in lower case, the second the secret.
type statement struct {
	hint string
	form *regexp.Regexp // its second group is the secret, quoted or not
	only func(secret string) bool
	also string // another word that stands in all of them, in lower case, where the hint is a common one
}

// statements are the statements of SQL, the programs and the records that hold a secret, and
// sentences that tell one.
var statements = []statement{
	{"identified", regexp.MustCompile(`(\bIDENTIFIED\s+(?:WITH\s+\S+\s+)?BY\s+(?:PASSWORD\s+|VALUES\s+)?)('[^']*'|"[^"]*")`), nil, ""},
	{"identified", regexp.MustCompile(`(?i)(\b(?:create|alter|grant|set)\b[^;\r\n]{0,200}?\bidentified\s+(?:with\s+\S+\s+)?by\s+(?:password\s+|values\s+)?)('[^']*'|"[^"]*")`), nil, ""},
	{"identified", regexp.MustCompile(`(?i)(\b(?:create|alter)\s+user\s+\S+\s+identified\s+(?:with\s+\S+\s+)?by\s+)([^\s;'"]+)`), nil, ""},
	{"password", regexp.MustCompile(`(?i)(\bpassword\s+(?:is\s+|=\s*)?)('[^']{1,200}'|"[^"\s]{1,200}")`), nil, ""},
	{"set password", regexp.MustCompile(`(?i)(\bset\s+password\s+(?:for\s+\S+\s*)?=\s*(?:password\s*)?\(?)('[^']*'|"[^"]*")`), nil, ""},
	{"net", regexp.MustCompile(`(?i)(\bnet\s+use\s+(?:[a-z*]:?\s+)?\\\\\S+\s+)("[^"]*"|[^\s/"*][^\s"]*)`), nil, `\\`},
	{"net", regexp.MustCompile(`(?i)(\bnet\s+user\s+[^\s/]+\s+)("[^"]*"|[^\s/"*][^\s"]*)`), isNoWord, "user"},
	{"htpasswd", regexp.MustCompile(`(\bhtpasswd\s+(?:-\w+\s+)*-\w*n\w*b\w*\s+(?:-\w+\s+)*\S+\s+)('[^']*'|"[^"]*"|\S+)`), nil, ""},
	{"htpasswd", regexp.MustCompile(`(\bhtpasswd\s+(?:-\w+\s+)*-[acdmpsvBDC]*b[acdmpsvBDC]*\s+(?:-\w+\s+)*\S+\s+\S+\s+)('[^']*'|"[^"]*"|\S+)`), nil, ""},
	{"passwd", regexp.MustCompile(`(\b(?:echo|printf)\s+(?:-\w+\s+)*(?:["']?[\w.-]+:)?)("[^"]*"|'[^']*'|[^\s|"']+)\s*\|\s*(?:sudo\s+)?(?:ch|smb|ldap)?passwd\b`), nil, ""},
	{"sudo", regexp.MustCompile(`(\becho\s+(?:-\w+\s+)*)("[^"]*"|'[^']*'|[^\s|"']+)\s*\|\s*sudo\s+-\w*S\b`), nil, ""},
	{"-stdin", regexp.MustCompile(`(\becho\s+(?:-\w+\s+)*)("[^"]*"|'[^']*'|[^\s|"']+)\s*\|\s*[^|;\r\n]*--?(?:password|passphrase|pass|token|with)[\w-]*-?(?:stdin|fd)\b`), nil, ""},
	{"/", regexp.MustCompile(`(?i)(\b(?:sqlplus|sqlcl|rman|expdp?|impdp?|sqlldr|tnsping|connect|conn)\s+(?:-\w+\s+)*(?:target\s+|userid=)?[\w$#.]+/)("[^"]*"|[^\s/@"']+)@`), nil, "@"},
	{"jdbc:oracle", regexp.MustCompile(`(?i)(\bjdbc:oracle:\w+:[^/\s:@]+/)("[^"]*"|[^\s@"']+)@`), nil, ""},
	{"wifi:", regexp.MustCompile(`(\bWIFI:(?:[A-Z]:(?:[^;\\]|\\.)*;)*P:)("[^"]*"|(?:[^;\\]|\\.)+)`), nil, ""},
	{"securestring", regexp.MustCompile(`(?i)(\bConvertTo-SecureString\s+(?:-\w+\s+)*)("[^"]*"|'[^']*')`), nil, ""},
	{"credential(", regexp.MustCompile(`(?i)(\b(?:Network|PS|UsernamePassword)Credential\(\s*["'][^"']*["']\s*,\s*)("[^"]*"|'[^']*')`), nil, ""},
	{"directoryentry(", regexp.MustCompile(`(?i)(\bDirectoryEntry\(\s*"[^"]*"\s*,\s*"[^"]*"\s*,\s*)("[^"]*")`), nil, ""},
	{"rclone", regexp.MustCompile(`(\brclone\s+(?:config|obscure)\s[^|;\r\n]{0,200}?(?:\spass\s+|obscure\s+))(\S+)`), nil, ""},
	{"password for", regexp.MustCompile(`(?i)(\bpassword\s+for\s+(?:[\w@.'"-]+\s+){1,4}is\s+)('[^'\s]{1,200}'|"[^"\s]{1,200}")`), nil, ""},
	{".login(", regexp.MustCompile(`(\.login\(\s*["'][^"']*["']\s*,\s*)("[^"]*"|'[^']*')`), nil, ""},
	{"requirepass", regexp.MustCompile(`(?i)(\b(?:requirepass|masterauth)\s+)("[^"]*"|\S+)`), nil, ""},
	{"community", regexp.MustCompile(`(?i)(\b(?:snmp-server\s+community|rocommunity6?|rwcommunity6?)\s+)("[^"]*"|\S+)`), nil, ""},
	{"secret", regexp.MustCompile(`(?im)(^\s*(?:enable|username\s+\S+(?:\s+privilege\s+\d+)?)\s+secret\s+(?:[0-9]\s+)?)(\S+)`), nil, ""},
	{"password", regexp.MustCompile(`(?im)(^\s*(?:enable|username\s+\S+(?:\s+privilege\s+\d+)?)\s+password\s+(?:[0-9]\s+)?)(\S+)`), isNoWord, ""},
	{"", regexp.MustCompile(`(?i)(\b(?:passwords?|passwort|kennwort|passphrase|pwd|passcode|pin|mot de passe|contraseña|senha|wachtwoord|lösenord)\s+(?:is|was|ist|lautet|war|est|es|é|är|:)\s+(?:now\s+|jetzt\s+)?)("[^"\s]+"|'[^'\s]+'|[^\s"']+)`), isNoWord, ""},
	{`"kty"`, regexp.MustCompile(`("(?:d|p|q|dp|dq|qi|k)"\s*:\s*)("[A-Za-z0-9_-]{16,}")`), nil, ""},
	{`:543`, regexp.MustCompile(`((?:^|\s)[\w.*-]+:543[0-9]:[\w.*-]+:[\w.*-]+:)(\S+)`), nil, ""},
}

// isNoWord reports whether what a sentence says of a password is one: "the password is
// required" says none.
func isNoWord(secret string) bool {
	return strings.ContainsAny(strings.TrimRight(secret, ".,;:!?"), "0123456789!@#$%^&*_+=~")
}

// statementHints are words of which one stands in each sentence that tells a password.
var statementHints = []string{"pass", "kennwort", "pwd", "pin", "contraseña", "senha", "wachtwoord", "lösenord"}

// redactStatements redacts the secrets of statements.
func redactStatements(s string, form Form) string {
	if !strings.ContainsAny(s, " :") {
		return s
	}
	lowered := strings.ToLower(s)
	for _, st := range statements {
		if !strings.Contains(lowered, st.hint) || !strings.Contains(lowered, st.also) || st.hint == "" && !containsOne(lowered, statementHints) {
			continue
		}
		s = replaceSecond(s, st, form)
	}
	return s
}

func containsOne(s string, words []string) bool {
	for _, word := range words {
		if strings.Contains(s, word) {
			return true
		}
	}
	return false
}

// replaceSecond replaces the second group of what a statement finds, its quotes aside.
func replaceSecond(s string, st statement, form Form) string {
	var b strings.Builder
	done := 0
	for _, at := range st.form.FindAllStringSubmatchIndex(s, -1) {
		found := s[at[4]:at[5]]
		plain := strings.Trim(found, `"'`)
		plain = strings.TrimRight(plain, ".,;)")
		if plain == "" || isMarked(plain) || isVariable(plain) || st.only != nil && !st.only(plain) {
			continue
		}
		b.WriteString(s[done:at[4]])
		b.WriteString(strings.Replace(found, plain, form.mark(plain, hidden), 1))
		done = at[5]
	}
	b.WriteString(s[done:])
	return b.String()
}
