package stream

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestRedactRequest(t *testing.T) {
	for _, c := range []struct {
		in, out string
		lost    []string
	}{
		{`{"request_id":"r","url":"https://a.example/x?y=1"}`, `{"request_id":"r","url":"https://a.example/x?y=1"}`, nil},
		{`{"INLINE":{"content_base64":"eA=="},"a":1,"force":true}`, `{"force":true}`, []string{"INLINE", "a"}},
		{`{"http_status":"s","retrieved_at":"s","last_modified":"2026-03-12T09:00:00Z","object":{"bucket":"b","key":"k"},"warc":{"x":"s"}}`,
			`{"last_modified":"2026-03-12T09:00:00Z","object":{"bucket":"b","key":"k"}}`, []string{"http_status", "retrieved_at", "warc"}},
		{`{"inline":null}`, `{}`, []string{"inline"}},
		{`{"url":"https://u:p@a.example/"}`, `{"url":"https://a.example/"}`, []string{"url"}},
		{`{"url":["https://u:p@a.example/"]}`, `{}`, []string{"url"}},
		{`{"redirect_chain":["https://a.example/","https://u:p@a.example/"]}`, `{"redirect_chain":["https://a.example/","https://a.example/"]}`, []string{"redirect_chain"}},
		{`{"redirect_chain":"x"}`, `{}`, []string{"redirect_chain"}},
		{`{"headers":{"ETag":["e"],"Content-Type":["t"]}}`, `{"headers":{"ETag":["e"],"Content-Type":["t"]}}`, nil},
		{`{"headers":{"ETag":["e"],"Set-Cookie":["s"]}}`, `{"headers":{"ETag":["e"]}}`, []string{"headers"}},
		{`{"headers":[]}`, `{}`, []string{"headers"}},
		{`{"metadata":{"a":"b"},"filename":"x.pdf"}`, `{"filename":"x.pdf","metadata":{"a":"b"}}`, nil},
		{`{"metadata":{"user.pwd":"b","see":"https://u:p@a.example/"}}`, `{"metadata":{"see":"https://a.example/","user.pwd":"REDACTED"}}`, []string{"metadata"}},
		{`{"robots_policy_notes":"Cookie: a=1","x":{"password":"p","b":["password=c"]}}`, `{"robots_policy_notes":"Cookie: REDACTED"}`, []string{"robots_policy_notes", "x"}},
		{`["inline"]`, ``, []string{"payload of 10 bytes"}},
		{`null`, ``, []string{"payload of 4 bytes"}},
		{`{"inline":`, ``, []string{"payload of 10 bytes"}},
	} {
		out, lost := redactRequest([]byte(c.in))
		if string(out) != c.out || !slices.Equal(lost, c.lost) {
			t.Errorf("%s: %s, lost %q; want %s, lost %q", c.in, out, lost, c.out, c.lost)
		}
	}
}

func FuzzRedactRequest(f *testing.F) {
	f.Add([]byte(`{"inline":{"content_base64":"eA=="},"url":"https://u:p@a.example/?token=1"}`))
	f.Add([]byte(`{"headers":{"Cookie":["c"]},"Headers":{"a":1},"redirect_chain":[1]}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		once, _ := redactRequest(payload)
		if once == nil {
			return
		}
		if !json.Valid(once) {
			t.Fatalf("%q became %q", payload, once)
		}
		twice, lost := redactRequest(once)
		if string(twice) != string(once) || len(lost) > 0 {
			t.Fatalf("%q, again %q, lost %q", once, twice, lost)
		}
	})
}

func TestSentenceFitsARowAndAHeader(t *testing.T) {
	for in, want := range map[string]string{
		"": "no message", "a\nb\r\n\tc": "a b c", "a\x00b": "a b", "\xff": "\uFFFD",
	} {
		if got := sentence(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestRedriveSuffix(t *testing.T) {
	for id, want := range map[string]string{"a": "", "a;r1": ";r1", "a;r1;r22": ";r1;r22", "a;r": "", "a;r1b": ""} {
		if got := redriveOf(id); got != want || withoutRedrive(id)+got != id {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}

// TestEnvelopesOfDeadLetters: a crawler may write anything where its request's time is
// to stand.
func TestEnvelopesOfDeadLetters(t *testing.T) {
	for _, c := range [][3]string{
		{"ce-time", "2026-03-12T09:00:00Z", "2026-03-12T09:00:00Z"}, {"Ce-Time", "password=MinPw77361", "REDACTED"},
		{"ce-type", "colophon.capture.requested.v1", "colophon.capture.requested.v1"}, {"ce-type", "MinPw77361", "REDACTED"},
		{"ce-specversion", "1.0", "1.0"}, {"ce-specversion", "MinPw77361", "REDACTED"}, {"content-type", "MinPw77361", "REDACTED"},
		{"tracestate", "a=1", "a=1"}, {"tracestate", "password=MinPw77361", "password=REDACTED"},
	} {
		if got := envelopeValue(c[0], c[1]); got != c[2] {
			t.Errorf("%s: %s is %s", c[0], c[1], got)
		}
	}
}
