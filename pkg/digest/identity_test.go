package digest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/redact"
)

// readAddresses returns the addresses of a list of pkg/redact, with the marks of their
// secrets.
func readAddresses(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile("../redact/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	if len(list) < 200 {
		t.Fatalf("%s: %d addresses", name, len(list))
	}
	return list
}

// TestDocumentsThatStayApart: addresses that differ in the number of a page, whatever
// the name of that is, are different documents.
func TestDocumentsThatStayApart(t *testing.T) {
	merged := 0
	seen, before := map[string]string{}, map[string]string{}
	for _, url := range readAddresses(t, "apart.txt") {
		canonical, err := digest.URLCanonV4(url)
		if err != nil {
			t.Error(err)
		}
		if other := seen[canonical]; other != "" {
			t.Errorf("%s and %s are one document, %s", other, url, canonical)
		}
		seen[canonical] = url
		if v1, err := digest.URLCanonV1(url); err == nil {
			if before[v1] != "" {
				merged++
			}
			before[v1] = url
		}
	}
	if merged < 50 {
		t.Errorf("urlcanon_v1 merged only %d of them", merged)
	}
	t.Logf("urlcanon_v1 merged %d of %d with another", merged, len(seen))
}

// TestSecretsAreInNoIdentity: what names a document holds no secret, and is the same
// whether the address was redacted before.
func TestSecretsAreInNoIdentity(t *testing.T) {
	unmark := strings.NewReplacer("«", "", "»", "")
	for _, line := range readAddresses(t, "masked.txt") {
		canonical, err := digest.URLCanonV4(unmark.Replace(line))
		if err != nil {
			continue // no document has it: relative, or of another scheme
		}
		for i, part := range strings.Split(line, "«") {
			if secret, _, _ := strings.Cut(part, "»"); i > 0 && strings.Contains(canonical, secret) {
				t.Errorf("%s is %s", line, canonical)
			}
		}
		stored, err := digest.URLCanonV4(redact.URL(unmark.Replace(line), redact.Stored))
		if err != nil || stored != canonical {
			t.Errorf("%s is %s, as it is stored %s (%v)", line, canonical, stored, err)
		}
	}
}

// TestNoPartOfAURLIsQuoted: a password with an unescaped slash begins where a port is
// looked for, and a user stands where a host is.
func TestNoPartOfAURLIsQuoted(t *testing.T) {
	for _, url := range []string{"https://clerk:MinPwC77313/x@h.example/a", "https://clerk:MinPwC77313#x@h.example/a", "https://clerk:MinPwC77313?x@h.example/a",
		"https://MinPwC77313 x@/a", "https://MinPwC77313_!/x@h.example/a", "https://[MinPwC77313/x@h.example/a", "https://MinPwC77313:99999/x@h.example/a"} {
		for _, canon := range []func(string) (string, error){digest.URLCanonV1, digest.URLCanonV3, digest.URLCanonV4} {
			if got, err := canon(url); err == nil || strings.Contains(err.Error(), "77313") {
				t.Errorf("%s: %q, %v", url, got, err)
			}
		}
	}
}
