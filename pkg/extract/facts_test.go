package extract

import (
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/redact"
)

// TestFactsHoldNoSecrets: what a page says of itself is stored as what a crawler says is:
// addresses, also relative ones, and texts.
func TestFactsHoldNoSecrets(t *testing.T) {
	for value, want := range map[string]string{
		"https://town.example/a?access_token=MinPw7&page=2":            "https://town.example/a?access_token=REDACTED&page=2",
		"https://anna:MinPw7@town.example/a":                           "https://town.example/a",
		"https://town.example/a.png?X-Amz-Signature=00c0ffee":          "https://town.example/a.png?X-Amz-Signature=REDACTED",
		"/a;jsessionid=0A1B2C3D4E5F60718293A4B5":                       "/a;jsessionid=REDACTED",
		"ask with password: MinPw7":                                    "ask with password: REDACTED",
		"The minutes of the council, session=2023; the key is of wood": "The minutes of the council, session=2023; the key is of wood",
		"https://town.example/deliberations?session=2023":              "https://town.example/deliberations?session=2023",
	} {
		got := cleanFacts(redact.Version, []model.PageFact{{Name: "og:url", Value: value}})
		if got[0].Value != want {
			t.Errorf("%s is stored as %s, want %s", value, got[0].Value, want)
		}
	}
	if got := cleanFacts(digest.RedactVersion1, []model.PageFact{{Name: "x", Value: "see https://a.example/?token=abc"}}); got[0].Value != "see https://a.example/?token=REDACTED" {
		t.Errorf("under the first rules: %+v", got)
	}
}
