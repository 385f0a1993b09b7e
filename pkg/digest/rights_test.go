package digest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colophon-dev/colophon/pkg/redact"
)

// TestURLCanonOfRightsAndCodes: what urlcanon_v4 and redact_v4 hide beyond the rules before is
// hidden once, and the identity of what is stored is that of the address.
func TestURLCanonOfRightsAndCodes(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"hooks.slack.com/services/T1/B2/x", "discord.com/api/webhooks/1/x", "é", "/", "//", "?", "&", "=", ";", "%2F", "%25", "a", ".", ":443", "#",
		"/hooks/", "/webhook/", "/reset/", "7c1e9b2d4f8a60531e7d9c2b", "Zx9Cv8Bn7Mk6Jh5Gf4Ds3", "pin=4711", "pin=110001", "seed=Zx9Cv8Bn7Mk6Jh5Gf4Ds3",
		"sig=7c1e9b2d4f8a60531e7d9c2b4a6f8013", "basic_auth=a:b", "recovery_code=abcd-efgh", "recovery_code=ab1d-efgh", "next=https%3A%2F%2Fhooks.slack.com%2Fservices%2FT1",
		"q=mysql%20-pX", "tokens=5x%3Fpass%3Dopensesame7x", "REDACTED", "REDACTED-0123456789abcdef", "0123456789abcdef",
	})
	rapid.Check(t, func(t *rapid.T) {
		scheme := rapid.SampledFrom([]string{"http://", "https://h/", "https://h/?", "file:///"}).Draw(t, "scheme")
		between := rapid.SampledFrom([]string{"&", "/", ";"}).Draw(t, "between")
		url := scheme + strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "rest"), between)
		checkRules(t, url, func(url string) string { return redact.URL(url, redact.Stored) }, URLCanonV4)
	})
}
