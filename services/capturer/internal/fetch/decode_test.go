package fetch

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
)

func packed(t testing.TB, coding, body string) string {
	t.Helper()
	var buf bytes.Buffer
	var w io.WriteCloser
	var err error
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&buf)
	case "zlib":
		w = zlib.NewWriter(&buf)
	case "flate":
		w, err = flate.NewWriter(&buf, 6)
	case "zstd":
		w, err = zstd.NewWriter(&buf)
	case "br":
		w = brotli.NewWriter(&buf)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestDecode(t *testing.T) {
	const body = "Le quorum est atteint."
	for _, c := range []struct {
		name, coding, wire, want string
		kept                     bool
	}{
		{"none", "", body, "", false},
		{"identity", "identity", body, "", false},
		{"gzip", "gzip", packed(t, "gzip", body), body, false},
		{"in capitals", "X-GZIP", packed(t, "gzip", body), body, false},
		{"several members", "gzip", packed(t, "gzip", "Le quorum ") + packed(t, "gzip", "est atteint."), body, false},
		{"deflate with its header", "deflate", packed(t, "zlib", body), body, false},
		{"deflate without", "deflate", packed(t, "flate", body), body, false},
		{"zstd", "zstd", packed(t, "zstd", body), body, false},
		{"two", "zstd, gzip", packed(t, "gzip", packed(t, "zstd", body)), body, false},
		{"undone before", "gzip", body, "", false},
		{"undone before, where there is no mark", "br", body, "", false},
		{"undone before, where there may be none", "deflate", "<!DOCTYPE html><p>" + body, "", false},
		{"brotli", "br", packed(t, "br", body), body, false},
		{"gzip with zeros behind it", "gzip", packed(t, "gzip", body) + strings.Repeat("\x00", 512), body, false},
		{"gzip with junk behind it", "gzip", packed(t, "gzip", body) + "<!-- cached -->", body, false},
		{"unknown", "compress", body, "", true},
		{"empty", "gzip", "", "", false},
	} {
		got, kept, err := Decode(spool.Spooler{Dir: t.TempDir()}, spool.Bytes([]byte(c.wire)), c.coding, 1000)
		if err != nil || kept != c.kept || (got != nil) != (c.want != "") {
			t.Errorf("%s: %v, kept %v, %v", c.name, got, kept, err)
			continue
		}
		if got != nil {
			if data, _ := got.InMemory(); string(data) != c.want {
				t.Errorf("%s: %q", c.name, data)
			}
		}
	}
}

func TestDecodeLimits(t *testing.T) {
	zeros := strings.Repeat("0", 8<<20)
	for _, c := range []struct {
		name, coding, wire string
		limit              int64
		want               error
	}{
		{"above the limit", "gzip", packed(t, "gzip", zeros), 1 << 20, spool.ErrTooLarge},
		{"a bomb", "gzip", packed(t, "gzip", zeros), 1 << 30, ErrBomb},
		{"a bomb of zstd", "zstd", packed(t, "zstd", zeros), 1 << 30, ErrBomb},
		{"a bomb in two layers", "gzip, gzip", packed(t, "gzip", packed(t, "gzip", strings.Repeat(zeros, 4))), 1 << 30, ErrBomb},
		{"cut off", "gzip", packed(t, "gzip", "Le quorum est atteint.")[:20], 1000, ErrEncoding},
		{"junk", "deflate", "\x07no such thing\x00", 1000, ErrEncoding},
		{"junk of brotli", "br", "\x07no such thing\x00", 1000, ErrEncoding},
		{"brotli that is cut off", "br", packed(t, "br", "Le quorum est atteint. Le quorum n'est pas atteint.")[:30], 1000, ErrEncoding},
		{"a bomb of brotli", "br", packed(t, "br", zeros), 1 << 30, ErrBomb},
		{"a second member that is cut off", "gzip", packed(t, "gzip", "Le quorum") + packed(t, "gzip", "est atteint.")[:20], 1000, ErrEncoding},
		{"too many layers", "gzip, gzip, gzip, gzip", packed(t, "gzip", "x"), 1000, ErrEncoding},
	} {
		dir := t.TempDir()
		got, _, err := Decode(spool.Spooler{Dir: dir, Memory: 1 << 16}, spool.Bytes([]byte(c.wire)), c.coding, c.limit)
		if !errors.Is(err, c.want) || got != nil {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, coding := range []string{"gzip", "zlib", "flate", "zstd", "br"} {
		f.Add(packed(f, coding, "Le quorum est atteint."), strings.Replace(strings.Replace(coding, "zlib", "deflate", 1), "flate", "deflate", 1))
	}
	f.Add("\x1f\x8b\x08\x00", "gzip, zstd,,br")
	f.Fuzz(func(t *testing.T, wire, coding string) {
		got, _, err := Decode(spool.Spooler{Dir: t.TempDir()}, spool.Bytes([]byte(wire)), coding, 1<<20)
		if got != nil && (err != nil || got.Size > 1<<20) {
			t.Errorf("%d bytes, %v", got.Size, err)
		}
	})
}
