//go:build !ocr || !cgo

package tesseract

import (
	"fmt"

	"github.com/colophon-dev/colophon/pkg/ocr"
)

// Built says whether this program has the engine.
const Built = false

// Open fails with ErrNone: the engine is a C library, and this program was built
// without it.
func Open(string) (ocr.Reader, error) {
	return nil, fmt.Errorf("%w: this program was built without OCR (build with CGO_ENABLED=1 and -tags %s, with %s and %s installed)",
		ErrNone, "ocr", "libtesseract-dev", "libleptonica-dev")
}
