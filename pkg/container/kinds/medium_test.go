package kinds_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/container/kinds"
	"github.com/colophon-dev/colophon/pkg/scratch"
)

// failing is a file of which the n-th read fails, as that of a broken disk does.
type failing struct {
	io.ReaderAt
	left int
}

func (f *failing) ReadAt(p []byte, at int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, &scratch.Error{What: "it cannot be read", Err: errors.New("input/output error")}
	}
	return f.ReaderAt.ReadAt(p, at)
}

// TestAFileThatCannotBeReadIsNoDamage: wherever reading the file fails, that is
// what is said, and never that the container or a member is damaged.
func TestAFileThatCannotBeReadIsNoDamage(t *testing.T) {
	files := []file{{"one.txt", strings.Repeat("Un. ", 20_000)}, {"two.txt", "Deux."}}
	for kind, data := range map[string][]byte{
		"zip": zipOf(t, files...), "tar": tarOf(t, files...), "tar.gz": gzipOf(t, "", tarOf(t, files...)), "gzip": gzipOf(t, "one.txt", []byte(files[0].body)),
	} {
		failures := 0
		for left := 0; ; left++ {
			var problems []error
			_, err := kinds.All().Each(t.Context(), fileOf(&failing{bytes.NewReader(data), left}, len(data), ""), wide, func(m container.Member) error {
				r, err := m.Open()
				if err == nil {
					_, err = io.Copy(io.Discard, r)
				}
				if err != nil {
					problems = append(problems, err)
				}
				return nil
			})
			if err = errors.Join(append(problems, err)...); err == nil {
				break
			}
			failures++
			for _, p := range append(problems, err) {
				if !scratch.Failed(p) || errors.Is(p, container.ErrDamaged) {
					t.Fatalf("%s, read %d: %v", kind, left, p)
				}
			}
		}
		if failures == 0 {
			t.Errorf("%s: no read has failed", kind)
		}
	}
}

func TestWhatFollowsAGzipMember(t *testing.T) {
	one := gzipOf(t, "one.txt", []byte("Un."))
	for name, c := range map[string]struct {
		more []byte
		want string
	}{
		"nothing":                    {nil, "one.txt: Un."},
		"zeros that fill a block":    {make([]byte, 700), "one.txt: Un."},
		"junk":                       {[]byte("</html>"), "one.txt: Un."},
		"another member":             {gzipOf(t, "two.txt", []byte("Deux.")), "one.txt: Un.Deux."},
		"another, then junk":         {append(gzipOf(t, "", []byte("Deux.")), 0x1f), "one.txt: Un.Deux."},
		"an empty one, then another": {append(gzipOf(t, "", nil), gzipOf(t, "", []byte("Deux."))...), "one.txt: Un.Deux."},
		"a member that is cut off":   {gzipOf(t, "", []byte("Deux."))[:12], "one.txt: it cannot be read: unexpected EOF"},
	} {
		got, err := walked(t, append(bytes.Clone(one), c.more...), "one.gz", wide)
		if err != nil || len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestNamesInMessagesAreBounded(t *testing.T) {
	long := strings.Repeat("è/", 40_000) + "la fin.txt"
	var shown string
	data := tarOf(t, file{long, "x"})
	if _, err := kinds.All().Each(t.Context(), fileOf(bytes.NewReader(data), len(data), ""), wide, func(m container.Member) error {
		shown = m.Name
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(shown) > 600+8 || !strings.HasSuffix(shown, "/la fin.txt") || !strings.HasPrefix(shown, "…") {
		t.Errorf("%d bytes: %.30q … %q", len(shown), shown, shown[max(0, len(shown)-20):])
	}
}

func TestADirectoryThatHidesTheMembers(t *testing.T) {
	data := zipOf(t, file{"a.txt", "Un."})
	second := append([]byte("PK\x05\x06"), make([]byte, 18)...)
	data[len(data)-2] = byte(len(second)) // is the comment of the first
	if got, err := walked(t, append(data, second...), "", wide); !errors.Is(err, container.ErrDamaged) || len(got) > 0 {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := walked(t, zipOf(t), "", wide); err != nil || len(got) > 0 {
		t.Errorf("an empty one: %q, %v", got, err)
	}
}
