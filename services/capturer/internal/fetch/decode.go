package fetch

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/gabriel-vasile/mimetype"
	"github.com/klauspost/compress/zstd"

	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/container/gzipfile"
	"github.com/colophon-dev/colophon/pkg/scratch"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
)

// maxLayers is how many encodings are undone: no document that was written to be read needs
// more.
const maxLayers = 3

// ErrBomb says that content grows beyond all reason when it is decoded.
var ErrBomb = errors.New("the encoded content grows beyond the limit")

// ErrEncoding says that content cannot be decoded as what it claims to be.
var ErrEncoding = errors.New("the content cannot be decoded")

// Decode undoes the content codings of a Content-Encoding header (RFC 9110,
// 8.4) and returns the decoded content, or nil when the bytes are to be kept as
// they are: no coding, one that is unknown (kept says so), or one that the bytes
// do not have, as when it was undone before. More than limit bytes are
// spool.ErrTooLarge.
func Decode(s spool.Spooler, wire *spool.Content, contentEncoding string, limit int64) (decoded *spool.Content, kept bool, err error) {
	codings := codingsOf(contentEncoding)
	if len(codings) > maxLayers {
		return nil, false, fmt.Errorf("%w: %d codings, limit %d", ErrEncoding, len(codings), maxLayers)
	}
	var r io.Reader = wire.Open()
	layers := 0
	for i := len(codings) - 1; i >= 0; i-- { // the last one applied comes off first
		next, err := decoder(codings[i], r)
		if errors.Is(err, errUnknown) || errors.Is(err, errNotCoded) {
			if layers > 0 {
				return nil, false, fmt.Errorf("%w: %s below another coding", ErrEncoding, codings[i])
			}
			return nil, errors.Is(err, errUnknown), nil
		}
		if err != nil {
			return nil, false, err
		}
		defer next.Close()
		r = next
		layers++
	}
	if layers == 0 {
		return nil, false, nil
	}
	decoded, err = s.Read(&ratioReader{r: r, wire: wire.Size}, limit)
	switch {
	case err == nil, errors.Is(err, spool.ErrTooLarge), errors.Is(err, ErrBomb), scratch.Failed(err):
		return decoded, false, err
	case undoneBefore(wire, codings[len(codings)-1]):
		return nil, false, nil
	default:
		return nil, false, fmt.Errorf("%w: %w", ErrEncoding, err)
	}
}

// undoneBefore reports whether content that cannot be decoded was so before, by a
// crawler that has left the header: it is something known, in place of a coding
// that has no mark of its own.
func undoneBefore(wire *spool.Content, coding string) bool {
	head, err := wire.Head(4 << 10)
	return err == nil && (coding == "br" || coding == "deflate") && !mimetype.Detect(head).Is("application/octet-stream")
}

func codingsOf(header string) []string {
	var codings []string
	for _, c := range strings.Split(header, ",") {
		c = strings.ToLower(strings.TrimSpace(c))
		if c != "" && c != "identity" {
			codings = append(codings, c)
		}
	}
	return codings
}

var (
	errUnknown  = errors.New("unknown coding")
	errNotCoded = errors.New("the bytes are not coded so")
)

func decoder(coding string, r io.Reader) (io.ReadCloser, error) {
	br := bufio.NewReader(r)
	head, _ := br.Peek(4)
	switch coding {
	case "gzip", "x-gzip":
		if !bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
			return nil, errNotCoded
		}
		z, err := gzipfile.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("%w: gzip: %w", ErrEncoding, err)
		}
		return io.NopCloser(z), nil
	case "zstd":
		if !bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
			return nil, errNotCoded
		}
		z, err := zstd.NewReader(br, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20), zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			return nil, fmt.Errorf("%w: zstd: %w", ErrEncoding, err)
		}
		return z.IOReadCloser(), nil
	case "deflate":
		// RFC 9110 means zlib; some servers send bare deflate, which has no magic.
		if len(head) >= 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			z, err := zlib.NewReader(br)
			if err != nil {
				return nil, fmt.Errorf("%w: deflate: %w", ErrEncoding, err)
			}
			return z, nil
		}
		return flate.NewReader(br), nil
	case "br":
		return io.NopCloser(brotli.NewReader(br)), nil
	default:
		return nil, errUnknown
	}
}

// ratioReader ends with ErrBomb when too much comes out of too little.
type ratioReader struct {
	r    io.Reader
	wire int64
	out  int64
}

func (r *ratioReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.out += int64(n)
	if above := container.Grown(r.out, r.wire, ErrBomb); above != nil {
		return 0, above
	}
	return n, err
}
