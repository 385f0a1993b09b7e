package redact

import (
	"io/fs"
	"syscall"
	"testing"
)

// What the operating system says of a file whose name is that of a secret is no secret;
// what stands there in another way still is.
func TestErrorsOfFilesThatAreNamedAfterSecrets(t *testing.T) {
	for _, path := range []string{"/etc/colophon/qdrant/api-key", "secrets/password", "/run/secrets/token", "./client_secret"} {
		for _, errno := range []syscall.Errno{syscall.ENOENT, syscall.EACCES, syscall.EPERM, syscall.EISDIR, syscall.ENOTDIR, syscall.EIO, syscall.EMFILE, syscall.EROFS} {
			text := (&fs.PathError{Op: "open", Path: path, Err: errno}).Error()
			for _, text := range []string{text, "qdrant: " + text, text + "\nmore"} {
				if got := Text(text, Stored); got != text {
					t.Errorf("%q became %q", text, got)
				}
			}
		}
	}
	for text, want := range map[string]string{
		"api-key: no such file or directory":          "api-key: " + Marker + " such file or directory",
		"/etc/colophon/api-key: hunter2hunter2":       "/etc/colophon/api-key: " + Marker,
		"/etc/colophon/password: no":                  "/etc/colophon/password: " + Marker,
		"/etc/colophon/password=Xk93hTq81LmZ denied":  "/etc/colophon/password=" + Marker + " denied",
		"/etc/colophon/password:permission":           Text("/etc/colophon/password:permission", Stored),
		"password: /etc/key: no such file":            Text("password: /etc/key: no such file", Stored),
		"open /a/api-key: no such file, password: x1": "open /a/api-key: " + Marker + " such file, password: " + Marker,
	} {
		if got := Text(text, Stored); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
