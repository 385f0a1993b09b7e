package verify

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/container/kinds"
	"github.com/colophon-dev/colophon/pkg/model"
)

// counted is a file that counts what is read of it.
type counted struct {
	io.ReaderAt
	furthest int64
}

func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.furthest = max(c.furthest, at+int64(n))
	return n, err
}

// TestNothingIsReadBehindTheBound: a web archive whose records say more than the bound is
// left where it is reached, since each record behind it would be decompressed, too; what
// came before has its hash.
func TestNothingIsReadBehindTheBound(t *testing.T) {
	const records, size, most = 40, 1 << 20, 3<<20 + 1<<19
	var archive bytes.Buffer
	from := rand.NewChaCha8([32]byte{1})
	for i := range records {
		body := make([]byte, size)
		_, _ = from.Read(body)
		z := gzip.NewWriter(&archive)
		fmt.Fprintf(z, "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:%d>\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"+
			"WARC-Target-URI: http://a.example/%d\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, i, size, body)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	file := &counted{ReaderAt: bytes.NewReader(archive.Bytes())}
	hashes, err := hashesOf(t.Context(), kinds.All(), container.File{ReaderAt: file, Size: int64(archive.Len()), Type: model.TypeWARC}, most)
	if err != nil || len(hashes) != 3 {
		t.Errorf("%d members have hashes, want 3: %v", len(hashes), err)
	}
	if file.furthest > 6*size {
		t.Errorf("%d of %d bytes were read for a bound of %d", file.furthest, archive.Len(), most)
	}
	for path, hash := range hashes {
		if !strings.HasPrefix(path, "@") || !strings.HasPrefix(hash, "sha256:") {
			t.Errorf("%s: %s", path, hash)
		}
	}
	if all, err := hashesOf(t.Context(), kinds.All(), container.File{ReaderAt: file, Size: int64(archive.Len()), Type: model.TypeWARC}, maxContents); err != nil || len(all) != records {
		t.Errorf("%d members within the bound, %v", len(all), err)
	}
}
