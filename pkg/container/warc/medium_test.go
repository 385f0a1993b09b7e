package warc

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

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
// what is said, and never that a record is damaged.
func TestAFileThatCannotBeReadIsNoDamage(t *testing.T) {
	one, two := record("resource", "1", "http://example.org/1", strings.Repeat("Un. ", 20_000)), record("resource", "2", "http://example.org/2", "Deux.")
	for name, data := range map[string][]byte{"plain": []byte(one + "junk\r\n" + two), "compressed": zipped(t, one, two), "as a whole": zipped(t, one+two)} {
		failures := 0
		for left := 0; ; left++ {
			err := readAll(&failing{bytes.NewReader(data), left}, int64(len(data)))
			if err == nil {
				break
			}
			failures++
			if !scratch.Failed(err) {
				t.Fatalf("%s, read %d: %v", name, left, err)
			}
		}
		if failures == 0 {
			t.Errorf("%s: no read has failed", name)
		}
	}
}

// readAll reads the blocks of an archive; it goes over damage that is no error of
// the file.
func readAll(file io.ReaderAt, size int64) error {
	r, err := NewReader(file, size)
	for err == nil {
		var record *Record
		if record, err = r.Next(); err == nil {
			_, err = io.Copy(io.Discard, record.Block)
		}
		var damage *recordDamage
		if errors.As(err, &damage) && !scratch.Failed(err) {
			err = nil
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func TestATruncatedBodyEndsWhereItsArchiveEndsIt(t *testing.T) {
	block := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<p>Un\r\n20\r\n and the rest is"
	for truncated, want := range map[string]string{"length": "<p>Un and the rest is", "": "<p>Un and the rest is: unexpected EOF"} {
		data := record("response", "1", "http://example.org/", block, "Content-Type: application/http", "WARC-Truncated: "+truncated)
		r, err := NewReader(strings.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		record, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		answer, err := record.Response()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		got := string(body)
		if err != nil {
			got += ": " + err.Error()
		}
		if got != want {
			t.Errorf("WARC-Truncated %q: %q", truncated, got)
		}
	}
}
