package redact

import (
	"maps"
	"slices"
	"testing"
)

func TestHeaders(t *testing.T) {
	got := Headers(map[string][]string{
		"content-type": {"text/html"}, "ETAG": {"a"}, "etag": {"b"}, "Set-Cookie": {"s"}, "Authorization": {"s"},
		"X-Anything": {"s"}, "Location": {"https://u:p@x.org/?token=s"}, "Server": {"x\x00y\r\nz\xff"},
		"Cache-Control": {string(make([]byte, 5000))},
	})
	want := map[string][]string{
		"Content-Type": {"text/html"}, "Etag": {"a", "b"}, "Location": {"https://x.org/?token=REDACTED"}, "Server": {"x y  z\uFFFD"},
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q", got)
	}
	if Headers(map[string][]string{"Cookie": {"s"}}) != nil {
		t.Error("nothing is not nil")
	}
}

func TestValues(t *testing.T) {
	got := Values(map[string]string{"a\x00": "x\x00y", "u": "HTTPS://u:p@x.org/?sig=s&q=1", "n": "see https://x.org/?sig=s"})
	want := map[string]string{"a ": "x y", "u": "HTTPS://x.org/?sig=REDACTED&q=1", "n": "see https://x.org/?sig=s"}
	if !maps.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if Values(nil) != nil || URLs(nil) != nil {
		t.Error("nothing is not nil")
	}
}
