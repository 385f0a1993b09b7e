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
		got := digest.RedactTextV1(in)
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if again := digest.RedactTextV1(got); again != got {
			t.Errorf("%q: %q, again %q", in, got, again)
		}
	}
}

func TestSecretsWithinAURL(t *testing.T) {
	const nested = "http%3A%2F%2Fh%2F%3Ftoken%3DREDACTED"
	for url, want := range map[string][2]string{ // as it is stored, and its canonical form
		"http://h/p;jsessionid=S?a=b":                                  {"http://h/p;jsessionid=REDACTED?a=b", "http://h/p?a=b"},
		"http://h/p;v=1;%73id=S;T/q":                                   {"http://h/p;v=1;%73id=REDACTED/q", "http://h/p;v=1/q"},
		"http://h/;sid=S/":                                             {"http://h/;sid=REDACTED/", "http://h/"},
		"http://h/token=1;v=2":                                         {"http://h/token=1;v=2", "http://h/token=1;v=2"},
		"file:///d/a;key=1.txt":                                        {"file:///d/a;key=1.txt", "file:///d/a;key=1.txt"},
		"http://h/?a=b;token=S":                                        {"http://h/?a=b;token=REDACTED", "http://h/?a=b"},
		"http://h/?token=S;T;page=2&c":                                 {"http://h/?token=REDACTED;page=2&c", "http://h/?c&page=2"},
		"http://h/?a=1;b=2#x;sid=S":                                    {"http://h/?a=1;b=2#x;sid=REDACTED", "http://h/?a=1;b=2"},
		"http://h/?u=http%3A%2F%2Fuser%3APW%40h%2F%3Ftoken%3DS":        {"http://h/?u=" + nested, "http://h/?u=" + nested},
		"http://h/?u=http://u:PW@h/?token=S":                           {"http://h/?u=" + nested, "http://h/?u=" + nested},
		"http://h/?u=http%253A%252F%252FPW%2540h%252F%253Ftoken%253DS": {"http://h/?u=" + nested, "http://h/?u=" + nested},
		"http://h/?http://PW@h/?token=S":                               {"http://h/?" + nested, "http://h/?" + nested},
		"http://h/?next=%2Fp%3Bsid%3DS":                                {"http://h/?next=%2Fp%3Bsid%3DREDACTED", "http://h/?next=%2Fp%3Bsid%3DREDACTED"},
		"http://h/?u=http%3a%2F%2Fh%2Fa@b":                             {"http://h/?u=http%3a%2F%2Fh%2Fa@b", "http://h/?u=http%3A%2F%2Fh%2Fa@b"},
	} {
		redacted := digest.RedactURLV1(url)
		if redacted != want[0] || digest.RedactURLV1(redacted) != redacted {
			t.Errorf("%s is stored as %s, then %s", url, redacted, digest.RedactURLV1(redacted))
		}
		for _, u := range []string{url, redacted, want[1]} {
			if got, err := digest.URLCanonV1(u); err != nil || got != want[1] {
				t.Errorf("%s becomes %s (%v), want %s", u, got, err, want[1])
			}
		}
	}
}

func TestRedactValue(t *testing.T) {
	for name, want := range map[string]string{
		"note": "abc", "Set-Cookie": "REDACTED", "api_key": "REDACTED", "x-api-key": "REDACTED", "password": "REDACTED", "X_Amz_Signature": "REDACTED",
	} {
		if got := digest.RedactValueV1(name, "abc"); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if digest.RedactValueV1("token", "") != "" {
		t.Error("an empty value is marked")
	}
}

func FuzzRedactText(f *testing.F) {
	f.Add("see https://u:p@a.example/x?sig=1 Cookie: a=1\nkey=2 bearer abcdefghijklmnop1234")
	f.Fuzz(func(t *testing.T, s string) {
		once := digest.RedactTextV1(s)
		if again := digest.RedactTextV1(once); again != once {
			t.Fatalf("%q: %q, again %q", s, once, again)
		}
	})
}
