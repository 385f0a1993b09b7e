package redact_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/redact"
)

// readList returns the lines of a list of addresses.
func readList(tb testing.TB, path string) []string {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	if len(list) < 200 {
		tb.Fatalf("%s: %d addresses, want 200 or more", path, len(list))
	}
	return list
}

var marked = regexp.MustCompile(`«([^»]*)»`)

// plain returns an address without the marks of its secrets, and the secrets.
func plain(line string) (url string, secrets []string) {
	for _, found := range marked.FindAllStringSubmatch(line, -1) {
		secrets = append(secrets, found[1])
	}
	return strings.NewReplacer("«", "", "»", "").Replace(line), secrets
}

// TestAddressesThatStayApart: what is no secret is stored as it is.
func TestAddressesThatStayApart(t *testing.T) {
	for _, url := range readList(t, "testdata/apart.txt") {
		if got := redact.URL(url, redact.Stored); got != url {
			t.Errorf("%s is stored as %s", url, got)
		}
		if text := "see " + url + " there"; redact.Text(text, redact.Stored) != text {
			t.Errorf("%s is stored as %s", text, redact.Text(text, redact.Stored))
		}
	}
}

// TestAddressesThatAreMasked: no secret is left, whatever it is written in.
func TestAddressesThatAreMasked(t *testing.T) {
	for _, line := range readList(t, "testdata/masked.txt") {
		url, secrets := plain(line)
		if len(secrets) == 0 {
			t.Errorf("%s has no secret", line)
		}
		forms := map[string]string{
			"stored": redact.URL(url, redact.Stored), "logged": redact.URL(url, redact.Log),
			"in a text": redact.Text("get "+url+" now", redact.Stored), "in a log": redact.Text("get "+url+" now", redact.Log),
			"in JSON": redact.Text(`{"url": "`+url+`"}`, redact.Stored), "as a value": redact.Value("note", url, redact.Stored),
		}
		for form, got := range forms {
			for _, secret := range secrets {
				if strings.Contains(got, secret) || strings.Contains(got, strings.Trim(secret, "%")) {
					t.Errorf("%s: %s is %s", url, form, got)
				}
			}
			if got == redact.Marker || !utf8.ValidString(got) {
				t.Errorf("%s: %s is %q", url, form, got)
			}
		}
		if got := redact.URL(forms["stored"], redact.Stored); got != forms["stored"] {
			t.Errorf("%s is stored as %s, then %s", url, forms["stored"], got)
		}
		// What stands beside the secrets stays.
		for _, kept := range strings.Split(marked.ReplaceAllString(line, "«"), "«") {
			if strings.HasPrefix(kept, "&") && !strings.Contains(forms["stored"], kept) {
				t.Errorf("%s is stored as %s: %q is missing", url, forms["stored"], kept)
			}
		}
	}
}

// textForms are the ways in which a line of a list of texts is stored.
func textForms(line string) map[string]string {
	if name, value, found := strings.Cut(line, "\t"); found {
		return map[string]string{"field": redact.Value(name, value, redact.Stored)}
	}
	return map[string]string{
		"text": redact.Text(line, redact.Stored), "log": redact.Text(line, redact.Log),
		"lines": redact.Text("first\n"+line+"\nlast", redact.Stored),
	}
}

// TestTextsThatAreMasked: so are secrets in texts and named fields.
func TestTextsThatAreMasked(t *testing.T) {
	for _, line := range readTexts(t, "testdata/masked_texts.txt") {
		text, secrets := plain(line)
		if len(secrets) == 0 {
			t.Errorf("%s has no secret", line)
		}
		for form, got := range textForms(text) {
			for _, secret := range secrets {
				if strings.Contains(got, secret) {
					t.Errorf("%s: %s is %s", text, form, got)
				}
			}
			if again := redact.Text(got, redact.Stored); again != got && form == "text" {
				t.Errorf("%s is stored as %s, then %s", text, got, again)
			}
		}
	}
}

// TestTextsThatStay: what is no secret is stored as it is.
func TestTextsThatStay(t *testing.T) {
	for _, line := range readTexts(t, "testdata/kept_texts.txt") {
		want := line
		if _, value, found := strings.Cut(line, "\t"); found {
			want = value
		}
		for form, got := range textForms(line) {
			if form == "lines" {
				got = strings.TrimSuffix(strings.TrimPrefix(got, "first\n"), "\nlast")
			}
			if got != want {
				t.Errorf("%s: %s is %s", line, form, got)
			}
		}
	}
}

// readTexts returns the lines of a list of texts.
func readTexts(tb testing.TB, path string) []string {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	return list
}
