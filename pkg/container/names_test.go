package container

import "testing"

func TestEscape(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.txt": "a/b.txt", "../../etc/passwd": "%2E%2E/%2E%2E/etc/passwd", "/etc/passwd": "%2Fetc/passwd", "a//b": "a/%2Fb",
		`C:\x`: "C%3A%5Cx", "na\xefve": "na%EFve", "é": "%C3%A9", "a b": "a%20b", "x\x00y\n": "x%00y%0A", "a/./b": "a/%2E/b", "...": "...",
		"100%": "100%25", "a~2": "a%7E2", "": "",
	} {
		if got := escapePath(name); got != want {
			t.Errorf("Escape(%q) = %q, want %q", name, got, want)
		}
	}
	if got := Show("a\x1b[31m\xff\u202eb"); got != "a\ufffd[31m\ufffd\ufffdb" {
		t.Errorf("Show = %q", got)
	}
}
