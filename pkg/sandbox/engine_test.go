package sandbox

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// engineRole reads the first page of the PDF file that the request names. The
// setup is the folder of the compiled engine.
func engineRole(setup []byte) (Handler, error) {
	engine, err := pdfium.Open(context.Background(), pdfium.Config{CacheDir: string(setup), MemoryLimitBytes: 64 << 20})
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, request []byte) ([]byte, error) {
		file, err := os.Open(string(request))
		if err != nil {
			return nil, err
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			return nil, err
		}
		document, err := engine.LoadReader(file, info.Size(), "")
		if err != nil {
			return nil, err
		}
		defer document.Close()
		page, err := document.Page(0)
		if err != nil {
			return nil, err
		}
		n, err := page.CountChars()
		if err != nil {
			return nil, err
		}
		text, err := page.Text(0, n)
		return []byte(text), err
	}, nil
}

// The engine that the sandbox is made for runs under its limits, and a document
// that runs into the engine's own limit does not cost the child.
func TestEngineUnderLimits(t *testing.T) {
	needsRealMemory(t)
	w := worker(t, Config{
		Role:   "engine",
		Setup:  []byte(t.TempDir()),
		Limits: Limits{MemoryBytes: 512 << 20, FileBytes: 64 << 20},
	})
	dir, err := w.Dir(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, filter string, content []byte) string {
		path := filepath.Join(dir, name)
		pdf := fmt.Sprintf(`%%PDF-1.7
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Count 1 /Kids [3 0 R] >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R
/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >> endobj
4 0 obj << %s /Length %d >> stream
%s
endstream endobj
trailer << /Root 1 0 R >>
`, filter, len(content), content)
		if err := os.WriteFile(path, []byte(pdf), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var bomb bytes.Buffer
	z := zlib.NewWriter(&bomb)
	if _, err := z.Write(bytes.Repeat([]byte(" "), 128<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	good := put("good.pdf", "", []byte("BT /F 12 Tf 72 720 Td (Hello) Tj ET"))
	for range 2 {
		if got := ask(t, w, good); got != "Hello" {
			t.Fatalf("got %q", got)
		}
		var failure *Failure
		_, err := w.Call(t.Context(), []byte(put("bomb.pdf", "/Filter /FlateDecode", bomb.Bytes())))
		if !errors.As(err, &failure) || !strings.Contains(failure.Text, pdfium.ErrLimit.Error()) {
			t.Fatalf("bomb: got %v", err)
		}
	}
}
