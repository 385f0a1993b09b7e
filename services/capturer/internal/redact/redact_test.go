package redact

import (
	"maps"
	"slices"
	"testing"
)

func TestHeaders(t *testing.T) {
	got := Today().Headers(map[string][]string{
		"content-type": {"text/html"}, "ETAG": {"a"}, "etag": {"b"}, "Set-Cookie": {"s"}, "Authorization": {"s"},
		"X-Anything": {"s"}, "Location": {"https://u:p@x.org/?pwd=s"}, "Server": {"x\x00y\r\nz\xff"},
		"Content-Location": {"/a?signature=s7Gk2Lp9&b=1"}, "Refresh": {"5; URL='/next?jwt=s'", "3"}, "Via": {"s"}, "Cookie": {"s"},
		"Link":          {`<https://u:p@x.org/?signature=s7Gk2Lp9&a=1>; rel="canonical", </b?pwd=s>; rel=next; title="https://x.org/?api-key=s"`},
		"Cache-Control": {string(make([]byte, 5000))},
	})
	want := map[string][]string{
		"Content-Type": {"text/html"}, "Etag": {"a", "b"}, "Location": {"https://x.org/?pwd=REDACTED"}, "Server": {"x y  z\uFFFD"},
		"Content-Location": {"/a?signature=REDACTED-efed8c8441687a6a&b=1"}, "Refresh": {"5; URL='/next?jwt=REDACTED", "3"},
		"Link": {`<https://x.org/?signature=REDACTED-efed8c8441687a6a&a=1>; rel="canonical", </b?pwd=REDACTED>; rel=next; title="https://x.org/?api-key=REDACTED"`},
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q", got)
	}
	if Today().Headers(map[string][]string{"Cookie": {"s"}}) != nil {
		t.Error("nothing is not nil")
	}
}

func TestRequestHeaders(t *testing.T) {
	got := Today().RequestHeaders(map[string][]string{
		"user-agent": {"colophon (+https://u:p@x.org/?pwd=s)"}, "Accept": {"*/*"}, "If-None-Match": {`"7"`}, "Cookie": {"s"}, "Authorization": {"s"}, "Referer": {"s"}, "From": {"s"},
	})
	want := map[string][]string{"User-Agent": {"colophon (+https://x.org/?pwd=REDACTED"}, "Accept": {"*/*"}, "If-None-Match": {`"7"`}}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q", got)
	}
}

func TestValues(t *testing.T) {
	got := Today().Values(map[string]string{"a\x00": "x\x00y", "u": "HTTPS://u:p@x.org/?signature=s7Gk2Lp9&q=1", "n": "see https://x.org/?signature=s7Gk2Lp9, ftp://u:p@x.org/ and (HTTPS://y.org?api-key=s)"})
	want := map[string]string{"a ": "x y", "u": "HTTPS://x.org/?signature=REDACTED-efed8c8441687a6a&q=1", "n": "see https://x.org/?signature=REDACTED-3844c00fb44da2b1 ftp://x.org/ and (HTTPS://y.org?api-key=REDACTED"}
	if !maps.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if Today().Values(nil) != nil || Today().URLs(nil) != nil {
		t.Error("nothing is not nil")
	}
}

// What is redacted stays so, and holds no secret that stood in a URL.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "see https://u:p@x.org/?sig=s#token=s.", "a://b\x00c://d@e?key=1", "<http://x/?sid=1>", "http://x/p;sid=s?a=b;key=s&u=http%3A%2F%2Fu%3Ap%40y%2F%3Ftoken%3Ds"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Today().Text(s)
		if again := Today().Text(got); again != got {
			t.Errorf("%q becomes %q, then %q", s, got, again)
		}
		h := Today().Headers(map[string][]string{"Link": {s}, "Refresh": {s}, "Location": {s}})
		for name, values := range Today().Headers(h) {
			if !slices.Equal(values, h[name]) {
				t.Errorf("%s %q becomes %q, then %q", name, s, h[name], values)
			}
		}
	})
}
