package e2e

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/test/programs"
)

// builds asks for the build that compiles everything anew: on a busy machine that alone
// takes longer than all other tests of the package.
var builds = flag.Bool("builds", false, "also compare a build for newer processors")

// TestDeterminism captures the same documents with one worker in one process, and with
// many workers in many processes in another time zone and locale; with -builds also
// with a build for newer processors, whose floating-point arithmetic may fuse what
// others round in between: the dumps must be equal byte for byte.
func TestDeterminism(t *testing.T) {
	programs.NeedServers(t)
	dir := variety(t)
	colophon := bin(t, "colophon")
	dump := func(t *testing.T, program string, env []string, args ...string) string {
		w := startProgram(t, program, t.TempDir(), env, args...)
		defer w.stop()
		w.must(3, "capture", "--wait", "--at", "2026-03-12T23:30:00Z", dir)
		return w.must(0, "dump").out + w.must(0, "dump", "--current").out
	}
	want := dump(t, colophon, []string{
		"COLOPHON_WORKERS=1", "COLOPHON_EXTRACT_CHILDREN=1", "TZ=" + zone(t, 5*3600+45*60), "LANG=C", "LC_ALL=C",
	})
	if lines := strings.Count(want, "\n"); lines < 1000 {
		t.Fatalf("the dumps have only %d lines", lines)
	}
	for _, other := range []struct {
		name    string
		program func(*testing.T) string
		env     []string
		args    []string
	}{
		{name: "8 workers in many processes, another time zone and locale", env: []string{
			"COLOPHON_WORKERS=8", "COLOPHON_EXTRACT_CHILDREN=8", "TZ=" + zone(t, -11*3600),
			"LANG=tr_TR.UTF-8", "LC_ALL=tr_TR.UTF-8", "LC_NUMERIC=de_DE.UTF-8",
		}, args: []string{"--separate"}},
		{name: "GOAMD64=v3", program: newer},
	} {
		t.Run(other.name, func(t *testing.T) {
			program := colophon
			if other.program != nil {
				program = other.program(t)
			}
			if got := dump(t, program, other.env, other.args...); got != want {
				t.Errorf("the dump differs:\n%.2000s", firstDifference(want, got))
			}
		})
	}
}

// variety returns a folder with test/documents, some of them twice, and pages of
// words that locales treat in their own ways.
func variety(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := os.ReadDir(documents(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(documents(t), f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		put(f.Name(), data)
		if strings.HasSuffix(f.Name(), ".html") { // equal texts, of which one stands for both
			put("again-"+f.Name(), data)
		}
	}
	for n := range 40 {
		var b bytes.Buffer
		fmt.Fprintf(&b, "<!doctype html><html lang=en><head><title>IŞIK İstanbul %d</title>"+
			"<meta name=date content=\"2026-03-%02d 23:59\"></head><body><main><h1>ΟΔΟΣ Straße %d</h1>\n", n, 1+n%28, n)
		for p := range 5 + n%7 {
			fmt.Fprintf(&b, "<p>Artículo %d: it is I, the %d,%03d.%d inhabitants of Iğdır, Örebro and ΑΘΗΝΑΣ, on 0%d/04/2026 at 1%d:30.</p>\n",
				p, n, p*7, n, 1+p%9, p%10)
		}
		fmt.Fprintf(&b, "<table><tr><th>Year<th>Euro</tr><tr><td>%d<td>1.%03d,%02d</tr></table></main></body></html>\n", 2000+n, n*13, n)
		put(fmt.Sprintf("page-%02d.html", n), b.Bytes())
	}
	return dir
}

// zone writes a time zone that is so many seconds ahead of UTC, and returns its
// file: the machine may have none.
func zone(t *testing.T, seconds int32) string {
	t.Helper()
	data := append([]byte("TZif"), make([]byte, 16+6*4)...)
	binary.BigEndian.PutUint32(data[36:], 1) // one kind of time
	binary.BigEndian.PutUint32(data[40:], 4) // and the bytes of its name
	data = binary.BigEndian.AppendUint32(data, uint32(seconds))
	data = append(data, 0, 0, 'X', 'Y', 'Z', 0)
	path := filepath.Join(t.TempDir(), "zone")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// newer builds the program for the third level of the amd64 architecture. It
// skips where it is not asked for, and where no such program runs.
func newer(t *testing.T) string {
	t.Helper()
	switch {
	case !*builds:
		t.Skip("asked for with -builds: make determinism")
	case runtime.GOARCH != "amd64":
		t.Skipf("GOAMD64 means nothing on %s", runtime.GOARCH)
	}
	path := filepath.Join(filepath.Dir(bin(t, "colophon")), "colophon-v3")
	cmd := exec.Command("go", "build", "-ldflags", "-s -w", "-o", path, ".")
	cmd.Dir = filepath.Join(root, "cmd", "colophon")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOAMD64=v3")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	if r := runProgram(t, path, environment(""), "version"); r.code != 0 {
		if strings.Contains(r.err, "v3 microarchitecture support") {
			t.Skipf("this processor is older than amd64 v3: %s", strings.TrimSpace(r.err))
		}
		t.Fatalf("the build for amd64 v3 does not run: %d\n%s", r.code, r.err)
	}
	return path
}
