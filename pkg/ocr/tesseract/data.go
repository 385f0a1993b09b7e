// Package tesseract reads pictures with Tesseract. It is the only importer of
// its C library, which is linked in with the build tag ocr and cgo; without
// them Open says so, and everything else works.
package tesseract

import (
	"errors"
	"strings"
)

// Name is the engine's name in results and units (seeds#capture, ocr_engine).
const Name = "tesseract"

// ErrNone says that there is no engine to read with; the error says what to install.
var ErrNone = errors.New("no OCR engine")

// Package is the Debian package that has the trained data of a language.
func Package(language string) string {
	return "tesseract-ocr-" + strings.ReplaceAll(strings.ToLower(language), "_", "-")
}
