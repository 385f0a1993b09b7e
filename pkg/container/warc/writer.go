package warc

import (
	"compress/gzip"
	"crypto/sha1" //nolint:gosec // the digest that every reader of archives knows; nothing here relies on it
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Writer writes WARC 1.1, each record a gzip member of its own.
type Writer struct{ w io.Writer }

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write writes one record. Fields hold everything but Content-Length; they must
// not hold control characters. The block must have length bytes.
func (w *Writer) Write(fields Fields, block io.Reader, length int64) error {
	var b strings.Builder
	b.WriteString("WARC/1.1\r\n")
	for _, f := range append(fields[:len(fields):len(fields)], Field{"Content-Length", fmt.Sprint(length)}) {
		if strings.ContainsFunc(f.Name+f.Value, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			return fmt.Errorf("field %q of a record holds control characters", f.Name)
		}
		b.WriteString(f.Name + ": " + f.Value + "\r\n")
	}
	b.WriteString("\r\n")
	gz := gzip.NewWriter(w.w)
	if _, err := io.WriteString(gz, b.String()); err != nil {
		return fmt.Errorf("writing a record: %w", err)
	}
	n, err := io.Copy(gz, io.LimitReader(block, length))
	if err == nil && n < length {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing a record's block: %w", err), gz.Close())
	}
	if _, err := io.WriteString(gz, "\r\n\r\n"); err != nil {
		return fmt.Errorf("writing a record: %w", err)
	}
	if err := gz.Close(); err != nil {
		return fmt.Errorf("writing a record: %w", err)
	}
	return nil
}

// SHA1 returns a digest as WARC-Block-Digest and WARC-Payload-Digest have it.
func SHA1(r io.Reader) (string, error) {
	h := sha1.New() //nolint:gosec // as above
	if _, err := io.Copy(h, r); err != nil {
		return "", fmt.Errorf("hashing: %w", err)
	}
	return "sha1:" + base32.StdEncoding.EncodeToString(h.Sum(nil)), nil
}
