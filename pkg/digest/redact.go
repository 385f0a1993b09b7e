package digest

import (
	"regexp"
	"strings"

	"github.com/colophon-dev/colophon/pkg/redact"
)

// What RedactTextV1 looks for. The names are those of signature parameters
// of urlcanon_v1 and of the HTTP fields that hold credentials; a name that is a
// common word counts only where a parameter of a URL or a form is written.
var (
	textURL       = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>]+`)
	textHeader    = regexp.MustCompile(`(?i)\b((?:set-)?cookie2?|(?:proxy-)?authorization|x-(?:api-key|auth-token|csrf-token|amz-security-token))(["']?[ \t]*[:=][ \t]*)[^\r\n]+`)
	textSecret    = regexp.MustCompile(`(?i)\b((?:client_)?secret|password|passwd|(?:access_|id_|refresh_)?token|api_?key)(["']?[ \t]*[:=][ \t]*["']?)[^\s"'<>&;,]+`)
	textParameter = regexp.MustCompile(`(?i)\b(sig|signature|key|auth|session|sid|jsessionid|phpsessid|x-(?:amz|goog)-[a-z-]+)=[^\s"'<>&;,]+`)
	textBearer    = regexp.MustCompile(`(?i)\b(bearer)\s+[a-z0-9._~+/=-]{16,}`)
)

// RedactTextV1 returns free text as redact_v1 stored it: each URL in it as RedactURLV1
// leaves it, and what follows the name of a secret replaced by [redact.Marker].
// It cannot know a secret that stands without a name. It is idempotent.
func RedactTextV1(s string) string {
	if !strings.ContainsAny(s, ":= ") {
		return s
	}
	for { // what one step leaves may be what another looks for
		once := redactOnce(s)
		if once == s {
			return s
		}
		s = once
	}
}

func redactOnce(s string) string {
	if strings.Contains(s, "://") {
		s = textURL.ReplaceAllStringFunc(s, RedactURLV1)
	}
	s = textHeader.ReplaceAllString(s, "${1}${2}"+redact.Marker)
	s = textSecret.ReplaceAllString(s, "${1}${2}"+redact.Marker)
	s = textParameter.ReplaceAllString(s, "${1}="+redact.Marker)
	return textBearer.ReplaceAllString(s, "${1} "+redact.Marker)
}

// RedactValueV1 returns the value of a named field as redact_v1 stored it: as free
// text, and not at all when the field's own name is that of a secret.
func RedactValueV1(name, value string) string {
	if value != "" && isSecretName(name) {
		return redact.Marker
	}
	return RedactTextV1(value)
}

func isSecretName(name string) bool {
	name = strings.ReplaceAll(asciiLower(strings.TrimSpace(name)), "-", "_")
	switch name {
	case "cookie", "set_cookie", "authorization", "proxy_authorization", "x_api_key", "x_auth_token", "secret", "client_secret",
		"passwd", "refresh_token":
		return true
	}
	return isSignature(name) || isSignature(strings.ReplaceAll(name, "_", "-"))
}
