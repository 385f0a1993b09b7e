package kinds_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/container/kinds"
	"github.com/colophon-dev/colophon/pkg/model"
)

// oracleSeeds is how many times containers are made at random, 60 files each.
const oracleSeeds = 5

// told is what other programs say of a container.
type told struct {
	File    string
	Members [][2]string // path and sha256, or a word
	Whole   bool        // it can be read to its end
}

// TestOtherProgramsReadTheSame holds the walker, which the capturer and verify share,
// against programs that share nothing with it: Python's libraries and warcio. They make
// containers of all kinds, within each other and damaged ones, and say what is in them.
func TestOtherProgramsReadTheSame(t *testing.T) {
	python, err := filepath.Abs("../../../.cache/oracle/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(python); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("warcio must be installed: .ci/oracle does it: %v", err)
		}
		t.Skip("warcio is not installed: .ci/oracle does it")
	}
	kindsSeen := make(map[string]int)
	for seed := range oracleSeeds {
		dir := t.TempDir()
		out, err := exec.Command(python, "testdata/oracle.py", dir, strconv.Itoa(seed)).Output()
		if err != nil {
			var failed *exec.ExitError
			if errors.As(err, &failed) {
				t.Fatalf("%v\n%s", err, failed.Stderr)
			}
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(out))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var want told
			if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(filepath.Join(dir, want.File))
			if err != nil {
				t.Fatal(err)
			}
			got, err := hashed(t, want.File, data)
			if !slices.Equal(got, want.Members) || (err == nil) != want.Whole {
				t.Errorf("seed %d, %s, %v, whole %v:\n got %s\nwant %s", seed, want.File, err, want.Whole, shown(got), shown(want.Members))
			}
			for _, m := range want.Members {
				if len(m[1]) == 64 {
					m[1] = "bytes"
				}
				kindsSeen[m[1]]++
			}
		}
	}
	if kindsSeen["bytes"] < 200 || kindsSeen["elsewhere"] < 5 || kindsSeen["unreadable"] < 5 {
		t.Errorf("what was compared: %v", kindsSeen)
	}
}

func shown(members [][2]string) string {
	var b strings.Builder
	for _, m := range members {
		fmt.Fprintf(&b, "\n\t%.60s %.16s", m[0], m[1])
	}
	return b.String()
}

// hashed returns what the walker finds in a container, and behind its members what is in
// those that are containers.
func hashed(t *testing.T, name string, data []byte) (members [][2]string, err error) {
	type inner struct {
		path string
		data []byte
	}
	var within []inner
	file := container.File{ReaderAt: bytes.NewReader(data), Size: int64(len(data)), Type: model.TypeZIP, Name: name}
	if strings.Contains(name, ".warc") {
		file.Type = model.TypeWARC
	}
	_, err = kinds.All().Each(t.Context(), file, container.Limits{Entries: 1000, Total: 1 << 30, Member: 1 << 30}, func(m container.Member) error {
		content, err := contentOf(m)
		switch {
		case errors.Is(err, container.ErrElsewhere):
			members = append(members, [2]string{m.Path, "elsewhere"})
		case err != nil:
			members = append(members, [2]string{m.Path, "unreadable"})
		default:
			members = append(members, [2]string{m.Path, fmt.Sprintf("%x", sha256.Sum256(content))})
			if slices.Contains([]string{".zip", ".gz", ".warc"}, filepath.Ext(m.Path)) {
				within = append(within, inner{m.Path, content})
			}
		}
		return nil
	})
	if err != nil && !container.Known(err) || errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for _, in := range within {
		deep, err := hashed(t, filepath.Base(in.path), in.data)
		if err != nil {
			t.Errorf("%s in %s: %v", in.path, name, err)
		}
		for _, m := range deep {
			members = append(members, [2]string{in.path + "!/" + m[0], m[1]})
		}
	}
	return members, err
}
