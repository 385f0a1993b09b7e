package catalog

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/colophon-dev/colophon/pkg/credential"
)

func TestFilesOfAConnectionString(t *testing.T) {
	files := credential.TLSFiles{CA: "/etc/ca's.pem", Cert: "/c rt", Key: `/k\ey`}
	for _, c := range []struct{ text, mode, ca, cert string }{
		{"postgres://u:p%40@h:1/d", "verify-full", "/etc/ca's.pem", "/c rt"},
		{"postgresql://u:p@h/d?sslmode=require&sslrootcert=/own", "require", "/own", "/c rt"},
		{"host=h user=u password='it''s' dbname=d", "verify-full", "/etc/ca's.pem", "/c rt"},
		{"host=h sslmode = 'verify-ca' sslcert='/my \\'own\\''", "verify-ca", "/etc/ca's.pem", "/my 'own'"},
	} {
		text, err := withFiles(c.text, files)
		got := parametersOf(text)
		if err != nil || got["sslmode"] != c.mode || got["sslrootcert"] != c.ca || got["sslcert"] != c.cert || got["sslkey"] != `/k\ey` {
			t.Errorf("%s became %s, %v", c.text, text, err)
		}
		if none, err := withFiles(c.text, credential.TLSFiles{}); none != c.text || err != nil {
			t.Errorf("%s without files became %s, %v", c.text, none, err)
		}
	}
}

// FuzzConnectionString: who is connected to, and as whom, stays with the files' names.
func FuzzConnectionString(f *testing.F) {
	for _, text := range []string{
		"postgres://u:p@h:1/d?sslmode=disable", "host=h user=u password='a b' dbname=d sslmode=disable", "postgres://u@[::1]/d?sslmode=disable&x=%20y",
		`user='a\'b' sslmode='disable' host=h`, "postgres:///d?host=/tmp&sslmode=disable",
	} {
		f.Add(text)
	}
	path := filepath.Join(f.TempDir(), "it's a \\file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		before, err := pgxpool.ParseConfig(text)
		if err != nil || len(filesOf(text)) > 0 || parametersOf(text)["sslmode"] != "disable" {
			return // what is not well, names other files, or would read these
		}
		for _, name := range []string{"sslcert", "sslkey"} {
			if _, named := parametersOf(text)[name]; named { // as nothing
				return
			}
		}
		with, err := withFiles(text, credential.TLSFiles{Cert: path, Key: path})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got := parametersOf(with); got["sslcert"] != path || got["sslkey"] != path {
			t.Errorf("%q became %q", text, with)
		}
		// The files are no certificates: that they are read, and nothing else, is wrong with it.
		after, err := pgxpool.ParseConfig(with)
		if err != nil {
			return
		}
		a, b := before.ConnConfig, after.ConnConfig
		if a.Host != b.Host || a.Port != b.Port || a.User != b.User || a.Password != b.Password || a.Database != b.Database {
			t.Errorf("%q became %q", text, with)
		}
	})
}
