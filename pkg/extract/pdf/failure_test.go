package pdf

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// A failure says once what is wrong, and then where and why.
func TestFailuresInWords(t *testing.T) {
	for _, c := range []struct {
		err    error
		reason fault.Reason
		want   string
	}{
		{fmt.Errorf("%w: damaged (code 3)", pdfium.ErrFormat), fault.Malformed, "the PDF cannot be read: damaged (code 3)"},
		{fmt.Errorf("page 7: %w: page cannot be loaded", pdfium.ErrFormat), fault.Malformed, "the PDF cannot be read: page 7: page cannot be loaded"},
		{fmt.Errorf("%w: a password is needed", pdfium.ErrPassword), fault.Encrypted, "the PDF is encrypted: a password is needed"},
		{fmt.Errorf("page 1: %w", fmt.Errorf("%w: document needs more memory than 256 MiB", pdfium.ErrLimit)), fault.LimitExceeded,
			"the PDF needs more than one document may use: page 1: document needs more memory than 256 MiB"},
		{fmt.Errorf("page 2: %w", pdfium.ErrEngine), fault.ParserCrashed, "the PDF engine failed on this document: page 2"},
		{pdfium.ErrEngine, fault.ParserCrashed, "the PDF engine failed on this document"},
	} {
		var f *block.Failure
		if err := failure(c.err); !errors.As(err, &f) || f.Reason != c.reason || f.Message != c.want {
			t.Errorf("%v: %v, want %s: %s", c.err, err, c.reason, c.want)
		}
		if again := failure(f); again != error(f) {
			t.Errorf("%v: a failure became %v", c.err, again)
		}
	}
	if err := failure(context.Canceled); err != context.Canceled {
		t.Errorf("an error of others became %v", err)
	}
}

func TestFailuresOfFiles(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		want      string
	}{
		{"no PDF", "no header", "the PDF cannot be read: no PDF header in the first 1024 bytes"},
		{"cut", "%PDF-1.4\n1 0 obj\n<</Type/Catalog", "the PDF cannot be read: damaged (code 3)"},
	} {
		x := New(engine)
		_, err := x.Facts(t.Context(), block.Input{Raw: []byte(c.raw), Snapshot: model.Snapshot{ContentHash: digest.Content([]byte(c.raw))}})
		var f *block.Failure
		if !errors.As(err, &f) || f.Message != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if _, err := x.Page(t.Context(), block.Input{Raw: []byte(c.raw)}, 1); !errors.As(err, &f) || f.Message != c.want {
			t.Errorf("%s, its page: %v, want %s", c.name, err, c.want)
		}
		x.Release()
	}
}
