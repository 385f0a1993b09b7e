package stream

import (
	"testing"
)

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
