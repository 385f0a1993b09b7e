package digest_test

import (
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
)

func TestRedactText(t *testing.T) {
	for in, want := range map[string]string{
		"":                                   "",
		"the key: C major; session at nine":  "the key: C major; session at nine",
		"Basic information about the token":  "Basic information about the token",
		"see https://u:p@a.example/x?sig=1.": "see https://a.example/x?sig=REDACTED",
		"from ftp://u:p@a.example/x then s3://k:s@b/y": "from ftp://a.example/x then s3://b/y",
		"Cookie: a=1; b=2":                     "Cookie: REDACTED",
		"sent Authorization=Bearer abc":        "sent Authorization=REDACTED",
		`{"access_token": "abc", "n": 1}`:      `{"access_token": "REDACTED", "n": 1}`,
		"password=abc&user=me":                 "password=REDACTED&user=me",
		"form sid=12 and key=34":               "form sid=REDACTED and key=REDACTED",
		"with bearer abcdefghijklmnop1234 yes": "with bearer REDACTED yes",
		"X-Amz-Signature=abc":                  "X-Amz-Signature=REDACTED",
	} {
		got := digest.RedactText(in)
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if again := digest.RedactText(got); again != got {
			t.Errorf("%q: %q, again %q", in, got, again)
		}
	}
}

func TestRedactValue(t *testing.T) {
	for name, want := range map[string]string{
		"note": "abc", "Set-Cookie": "REDACTED", "api_key": "REDACTED", "x-api-key": "REDACTED", "password": "REDACTED", "X_Amz_Signature": "REDACTED",
	} {
		if got := digest.RedactValue(name, "abc"); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if digest.RedactValue("token", "") != "" {
		t.Error("an empty value is marked")
	}
}

func FuzzRedactText(f *testing.F) {
	f.Add("see https://u:p@a.example/x?sig=1 Cookie: a=1\nkey=2 bearer abcdefghijklmnop1234")
	f.Fuzz(func(t *testing.T, s string) {
		once := digest.RedactText(s)
		if again := digest.RedactText(once); again != once {
			t.Fatalf("%q: %q, again %q", s, once, again)
		}
	})
}
