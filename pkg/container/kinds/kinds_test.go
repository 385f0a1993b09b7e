package kinds_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/container/containertest"
	"github.com/colophon-dev/colophon/pkg/container/kinds"
	"github.com/colophon-dev/colophon/pkg/model"
)

var wide = container.Limits{Entries: 100, Total: 64 << 20, Member: 32 << 20}

// walked returns the members of a container as "path: bytes" or "path: error",
// and the error of the walk.
func walked(t testing.TB, data []byte, name string, limits container.Limits) ([]string, error) {
	var got []string
	_, err := kinds.All().Each(t.Context(), fileOf(bytes.NewReader(data), len(data), name), limits, func(m container.Member) error {
		body, err := contentOf(m)
		if err != nil {
			got = append(got, m.Path+": "+err.Error())
			return nil
		}
		got = append(got, fmt.Sprintf("%s: %.20s", m.Path, body))
		return nil
	})
	return got, err
}

func contentOf(m container.Member) ([]byte, error) {
	r, err := m.Open()
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(r)
	return body, errors.Join(err, r.Close())
}

func fileOf(data io.ReaderAt, size int, name string) container.File {
	return container.File{ReaderAt: data, Size: int64(size), Type: model.TypeZIP, Name: name}
}

type file struct{ name, body string }

func zipOf(t testing.TB, files ...file) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarOf(t testing.TB, files ...file) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		kind := byte(tar.TypeReg)
		if strings.HasSuffix(f.name, "/") {
			kind = tar.TypeDir
		}
		if err := w.WriteHeader(&tar.Header{Name: f.name, Size: int64(len(f.body)), Mode: 0o600, Typeflag: kind, Format: tar.FormatPAX}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipOf(t testing.TB, name string, data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Name = name
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWalk(t *testing.T) {
	files := []file{{"a.txt", "one"}, {"dir/", ""}, {"dir/b.html", "<p>two"}, {"a.txt", "again"}, {"empty", ""}}
	want := []string{"a.txt: one", "dir/b.html: <p>two", "a.txt~2: again", "empty: "}
	for name, data := range map[string][]byte{"zip": zipOf(t, files...), "tar": tarOf(t, files...), "tar.gz": gzipOf(t, "", tarOf(t, files...))} {
		got, err := walked(t, data, "c."+name, wide)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
	for _, c := range []struct{ inner, outer, want string }{
		{"report.pdf", "x.gz", "report.pdf: %PDF"}, {"", "notes.txt.gz", "notes.txt: %PDF"}, {"", "", "content: %PDF"},
	} {
		got, err := walked(t, gzipOf(t, c.inner, []byte("%PDF")), c.outer, wide)
		if err != nil || !slices.Equal(got, []string{c.want}) {
			t.Errorf("gzip of %q as %q: got %q, %v", c.inner, c.outer, got, err)
		}
	}
}

func TestHostile(t *testing.T) {
	zeros := strings.Repeat("\x00", 24<<20)
	shared := zipOf(t, file{"a", strings.Repeat("x", 100)}, file{"b", strings.Repeat("y", 100)})
	second := bytes.LastIndex(shared, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(shared[second+42:], 0) // where its local header lies
	secret := zipOf(t, file{"a", "x"})
	secret[bytes.Index(secret, []byte("PK\x01\x02"))+8] |= 1
	method := zipOf(t, file{"a", "x"})
	method[bytes.Index(method, []byte("PK\x01\x02"))+10] = 93
	flipped := zipOf(t, file{"a", "some text that is long enough"}, file{"b", "fine"})
	flipped[35] ^= 0xff
	many := make([]file, 200)
	for i := range many {
		many[i].name = fmt.Sprint(i)
	}
	small := container.Limits{Entries: 100, Total: 1000, Member: 600}
	for name, c := range map[string]struct {
		data    []byte
		limits  container.Limits
		members int    // that were visited
		last    string // the last of them
		err     error  // of the walk
	}{
		"zip bomb":          {zipOf(t, file{"a", zeros}), wide, 1, "a: above the limit", nil},
		"gzip bomb":         {gzipOf(t, "a", []byte(zeros)), wide, 1, "a: above the limit", nil},
		"tar.gz bomb":       {gzipOf(t, "", tarOf(t, file{"a", zeros})), wide, 1, "a: above the limit", container.ErrLimit},
		"shared bytes":      {shared, wide, 0, "", container.ErrLimit},
		"too many in zip":   {zipOf(t, many...), wide, 0, "", container.ErrLimit},
		"too many in tar":   {tarOf(t, many...), wide, 100, "99: ", container.ErrLimit},
		"a large member":    {zipOf(t, file{"a", zeros[:700]}, file{"b", "fine"}), small, 2, "b: fine", nil},
		"large altogether":  {tarOf(t, file{"a", zeros[:500]}, file{"b", zeros[:500]}, file{"c", "x"}, file{"d", "y"}), small, 3, "c: above the limit", container.ErrLimit},
		"encrypted":         {secret, wide, 1, "a: it is encrypted", nil},
		"unknown method":    {method, wide, 1, "a: its method is not known", nil},
		"a flipped byte":    {flipped, wide, 2, "b: fine", nil},
		"torn zip":          {zipOf(t, file{"a", "x"})[:60], wide, 0, "", container.ErrDamaged},
		"torn tar":          {tarOf(t, file{"a", strings.Repeat("x", 2000)}, file{"b", "y"})[:1500], wide, 1, "a: it cannot be read", container.ErrDamaged},
		"torn gzip":         {gzipOf(t, "a", []byte("some text"))[:22], wide, 1, "a: it cannot be read", nil},
		"names that climb":  {tarOf(t, file{"../../x", "1"}, file{"/etc/x", "2"}), wide, 2, "%2Fetc/x: 2", nil},
		"a tar of nothing":  {tarOf(t), wide, 0, "", container.ErrDamaged}, // two empty blocks, which anything may begin with
		"a zip of nothing":  {zipOf(t), wide, 0, "", nil},
		"folders by number": {tarOf(t, slices.Repeat([]file{{"d/", ""}}, 101)...), wide, 0, "", container.ErrLimit},
	} {
		got, err := walked(t, c.data, "c", c.limits)
		if len(got) != c.members || !errors.Is(err, c.err) || (err != nil) != (c.err != nil) {
			t.Errorf("%s: %d members, %v, want %d, %v: %q", name, len(got), err, c.members, c.err, got)
		} else if c.members > 0 && !strings.HasPrefix(got[len(got)-1], c.last) {
			t.Errorf("%s: the last member is %q, want %q", name, got[len(got)-1], c.last)
		}
	}
}

// TestSpentIsShared walks two containers under the same limits: what the first has
// taken the second has not.
func TestSpentIsShared(t *testing.T) {
	limits := container.Limits{Entries: 3, Total: 100, Member: 80, Spent: new(container.Spent)}
	two := zipOf(t, file{"a", strings.Repeat("x", 40)}, file{"b", "y"})
	if got, err := walked(t, two, "", limits); err != nil || len(got) != 2 || *limits.Spent != (container.Spent{Entries: 2, Bytes: 41}) {
		t.Errorf("%q, %v, %+v", got, err, limits.Spent)
	}
	if got, err := walked(t, two, "", limits); !errors.Is(err, container.ErrLimit) || len(got) != 0 {
		t.Errorf("too many entries together: %q, %v", got, err)
	}
	limits.Spent.Entries = 0
	if got, err := walked(t, tarOf(t, file{"a", strings.Repeat("x", 70)}, file{"b", "y"}), "", limits); !errors.Is(err, container.ErrLimit) || len(got) != 1 {
		t.Errorf("too many bytes together: %q, %v", got, err)
	}
}

// TestMembersThatAreNoFiles has links, which are reported, and old and odd kinds of
// files, which are read.
func TestMembersThatAreNoFiles(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range []tar.Header{
		{Name: "link", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}, {Name: "same", Linkname: "link", Typeflag: tar.TypeLink},
		{Name: "device", Typeflag: tar.TypeChar}, {Name: "d/", Typeflag: tar.TypeDir}, {Name: "file", Typeflag: tar.TypeReg, Size: 3},
	} {
		h.Mode = 0o600
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.WriteString(w, "abc"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	none := ": " + container.ErrNoFile.Error() + " but a link or a device"
	got, err := walked(t, b.Bytes(), "", wide)
	if want := []string{"link" + none, "same" + none, "device" + none, "file: abc"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("tar: %q, %v", got, err)
	}
	var z bytes.Buffer
	zw := zip.NewWriter(&z)
	h := &zip.FileHeader{Name: "link"}
	h.SetMode(0o777 | os.ModeSymlink)
	if _, err := zw.CreateHeader(h); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err = walked(t, z.Bytes(), "", wide); err != nil || !slices.Equal(got, []string{"link" + none}) {
		t.Errorf("zip: %q, %v", got, err)
	}
}

// TestOldTar reads a tar from before there was a magic: its checksum tells it.
func TestOldTar(t *testing.T) {
	data := tarOf(t, file{"a.txt", "one"})
	header := data[:512]
	if i := bytes.Index(data, []byte("ustar")); i != 257 {
		t.Fatalf("a magic at %d", i)
	}
	clear(header[257:])
	copy(header[148:], "        ")
	sum := 0
	for _, c := range header {
		sum += int(c)
	}
	copy(header[148:], fmt.Sprintf("%06o\x00 ", sum))
	if got, err := walked(t, data, "", wide); err != nil || !slices.Equal(got, []string{"a.txt: one"}) {
		t.Errorf("%q, %v", got, err)
	}
	header[0]++
	if got, err := walked(t, data, "", wide); !errors.Is(err, container.ErrDamaged) {
		t.Errorf("with a wrong checksum: %q, %v", got, err)
	}
}

// TestDates has those of members, and the ones that say nothing.
func TestDates(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, at := range map[string]time.Time{"none": {}, "first": time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC), "some": time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)} {
		if _, err := z.CreateHeader(&zip.FileHeader{Name: name, Modified: at}); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := kinds.All().Each(t.Context(), fileOf(bytes.NewReader(b.Bytes()), b.Len(), ""), wide, func(m container.Member) error {
		if m.Modified.IsZero() != (m.Name != "some") {
			t.Errorf("%s: %s", m.Name, m.Modified)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// TestDirectoryIsBounded builds a directory of more entries than may be: it is
// refused before it is in memory.
func TestDirectoryIsBounded(t *testing.T) {
	files := make([]file, 20000)
	for i := range files {
		files[i].name = fmt.Sprintf("%0200d", i)
	}
	data := zipOf(t, files...)
	read := &counted{ReaderAt: bytes.NewReader(data)}
	_, err := kinds.All().Each(t.Context(), fileOf(read, len(data), ""), wide, func(container.Member) error { return nil })
	if !errors.Is(err, container.ErrLimit) || read.n > 2<<20 {
		t.Errorf("%v after %d of %d bytes", err, read.n, len(data))
	}
}

type counted struct {
	io.ReaderAt
	n int64
}

func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	c.n += int64(len(p))
	return c.ReaderAt.ReadAt(p, at)
}

func FuzzWalk(f *testing.F) {
	files := []file{{"a.txt", "one"}, {"dir/", ""}, {"../b", "two"}}
	f.Add(zipOf(f, files...))
	f.Add(tarOf(f, files...))
	f.Add(gzipOf(f, "", tarOf(f, files...)))
	f.Add(gzipOf(f, "x", []byte("text")))
	f.Fuzz(func(t *testing.T, data []byte) {
		limits := container.Limits{Entries: 50, Total: 1 << 20, Member: 1 << 19}
		walk := func() (paths map[string]string) {
			paths = map[string]string{}
			var total int64
			_, _ = kinds.All().Each(t.Context(), fileOf(bytes.NewReader(data), len(data), "c.gz"), limits, func(m container.Member) error {
				if _, again := paths[m.Path]; again || strings.HasPrefix(m.Path, "/") || slices.Contains(strings.Split(m.Path, "/"), "..") || !utf8.ValidString(m.Path+m.Name) {
					t.Fatalf("path %q, name %q", m.Path, m.Name)
				}
				paths[m.Path] = ""
				if r, err := m.Open(); err == nil {
					content, err := io.ReadAll(r)
					paths[m.Path] = fmt.Sprintf("%x %v", content, err)
					total += int64(len(content))
					_ = r.Close()
				}
				return nil
			})
			if total > limits.Total || len(paths) > limits.Entries {
				t.Fatalf("%d bytes of %d members", total, len(paths))
			}
			return paths
		}
		if first, second := walk(), walk(); !maps.Equal(first, second) {
			t.Fatalf("%v, then %v", first, second)
		}
	})
}

// TestAKindIsALine adds a kind to the table: its members have paths, bounds and numbers as
// those of all others, and the other kinds are told apart as before.
func TestAKindIsALine(t *testing.T) {
	bundle := containertest.Bundle([2]string{"a b.txt", "Un."}, [2]string{"a b.txt", "Deux."}, [2]string{"https://example.org/", "Trois."},
		[2]string{"long.txt", strings.Repeat("x", 700)}, [2]string{"last.txt", "Cinq."})
	all := append(kinds.All(), containertest.Kind())
	limits := container.Limits{Entries: 10, Total: 1000, Member: 600}
	var got []string
	visit := func(m container.Member) error {
		body, err := contentOf(m)
		if got = append(got, fmt.Sprintf("%s: %s", m.Path, body)); err != nil {
			got[len(got)-1] = fmt.Sprintf("%s: %v", m.Path, err)
		}
		return nil
	}
	_, err := all.Each(t.Context(), fileOf(bytes.NewReader(bundle), len(bundle), "b.zip"), limits, visit)
	want := []string{"a%20b.txt: Un.", "a%20b.txt~2: Deux.", "@2: Trois.", "long.txt: above the limit: more than 600 bytes", "last.txt: Cinq."}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	got, limits.Spent, limits.Total = nil, nil, 5
	if _, err := all.Each(t.Context(), fileOf(bytes.NewReader(bundle), len(bundle), "b.zip"), limits, visit); !errors.Is(err, container.ErrLimit) || len(got) != 2 {
		t.Errorf("above the total: %q, %v", got, err)
	}
	if _, err := walked(t, bundle, "b.zip", wide); !errors.Is(err, container.ErrDamaged) {
		t.Errorf("without its line: %v", err)
	}
	got, limits.Total, limits.Spent = nil, 1000, nil
	data := zipOf(t, file{"a.txt", "one"})
	if _, err := all.Each(t.Context(), fileOf(bytes.NewReader(data), len(data), ""), limits, visit); err != nil || len(got) != 1 {
		t.Errorf("a ZIP file beside it: %q, %v", got, err)
	}
}
