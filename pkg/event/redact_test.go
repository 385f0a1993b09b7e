package event

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
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
		{`{"headers":{"eTag":[],"Location":["https://u:p@a.example/"],"Server":["s"]}}`, `{"headers":{"Location":["https://a.example/"],"Server":["s"],"eTag":[]}}`, []string{"headers"}},
		{`{"headers":null,"metadata":null,"redirect_chain":null,"url":null}`, `{"headers":null,"metadata":null,"redirect_chain":null,"url":null}`, nil},
		{`{"headers":[]}`, `{}`, []string{"headers"}},
		{`{"metadata":{"a":"b"},"filename":"x.pdf"}`, `{"filename":"x.pdf","metadata":{"a":"b"}}`, nil},
		{`{"metadata":{"user.pwd":"b","see":"https://u:p@a.example/"}}`, `{"metadata":{"see":"https://a.example/","user.pwd":"REDACTED"}}`, []string{"metadata"}},
		{`{"robots_policy_notes":"Cookie: a=1","x":{"password":"p","b":["password=c"]}}`, `{"robots_policy_notes":"Cookie: REDACTED"}`, []string{"robots_policy_notes", "x"}},
		{`["inline"]`, ``, []string{"payload of 10 bytes"}},
		{`null`, ``, []string{"payload of 4 bytes"}},
		{`{"inline":`, ``, []string{"payload of 10 bytes"}},
	} {
		out, lost := RedactRequest([]byte(c.in))
		if string(out) != c.out || !slices.Equal(lost, c.lost) {
			t.Errorf("%s: %s, lost %q; want %s, lost %q", c.in, out, lost, c.out, c.lost)
		}
	}
}

func FuzzRedactRequest(f *testing.F) {
	f.Add([]byte(`{"inline":{"content_base64":"eA=="},"url":"https://u:p@a.example/?token=1"}`))
	f.Add([]byte(`{"headers":{"Cookie":["c"]},"Headers":{"a":1},"redirect_chain":[1]}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		once, _ := RedactRequest(payload)
		if once == nil {
			return
		}
		if !json.Valid(once) {
			t.Fatalf("%q became %q", payload, once)
		}
		twice, lost := RedactRequest(once)
		if string(twice) != string(once) || len(lost) > 0 {
			t.Fatalf("%q, again %q, lost %q", once, twice, lost)
		}
	})
}

// TestEveryFieldSaysWhatMayBeKept: a field that is added says it, and its tag fits its type.
func TestEveryFieldSaysWhatMayBeKept(t *testing.T) {
	fits := map[string][]reflect.Kind{
		redactURL: {reflect.String, reflect.Slice}, redactText: {reflect.String, reflect.Map}, redactHeaders: {reflect.Map},
		redactType: {reflect.Int, reflect.Bool, reflect.Pointer}, redactDrop: {reflect.Pointer},
	}
	for name, field := range requestFields() {
		tag, tagged := field.Tag.Lookup("redact")
		if !tagged || !slices.Contains(fits[tag], field.Type.Kind()) {
			t.Errorf("%s (%s): the tag redact is %q", name, field.Type, tag)
		}
	}
}

// TestNoFieldKeepsASecret puts a secret into every field, as its type allows, and as a
// value of every other type.
func TestNoFieldKeepsASecret(t *testing.T) {
	const secret = "Canary7761xQz93"
	for name, field := range requestFields() {
		for form, value := range map[string]any{
			"an address": "https://u:" + secret + "@a.example/?access_token=" + secret, "a text": "Authorization: Bearer " + secret,
			"addresses": []string{"https://a.example/?password=" + secret}, "fields": map[string][]string{"Set-Cookie": {secret}, "Location": {"/?password=" + secret}},
			"a command": "curl -H 'Authorization: Bearer " + secret + "' https://a.example/", "texts": map[string]string{"password": secret},
			"a list": []any{1, secret}, "an object": map[string]any{"content_base64": secret, "x": 1},
		} {
			payload, err := json.Marshal(map[string]any{name: value})
			if err != nil {
				t.Fatal(err)
			}
			if kept, lost := RedactRequest(payload); strings.Contains(string(kept), secret) || len(lost) != 1 {
				t.Errorf("%s (%s), given %s: kept %s, lost %q", name, field.Type, form, kept, lost)
			}
		}
	}
}
