// Package fake is an engine for tests: it finds words of its own on every page,
// or fails in a way that a real engine has been seen to fail. It is chosen by
// name, "fake:read", "fake:hang", "fake:crash" or "fake:memory"; with
// "fake:crash@7" it fails on page 7 only.
package fake

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/ocr"
)

// Prefix begins the names of the engine.
const Prefix = "fake:"

// CountFile is the file in the engine's folder that gets one byte for each page
// that it begins to read.
const CountFile = "recognised"

// Reader is the engine.
type Reader struct {
	mode     string
	only     int // page; 0: all
	dir      string
	document string
	page     int
}

// Open returns the engine. dir is where pages are counted, "" for nowhere.
func Open(mode, dir string) (*Reader, error) {
	r := &Reader{mode: mode, dir: dir}
	if name, page, ok := strings.Cut(mode, "@"); ok {
		n, err := strconv.Atoi(page)
		if err != nil {
			return nil, fmt.Errorf("fake engine %q: %w", mode, err)
		}
		r.mode, r.only = name, n
	}
	switch r.mode {
	case "read", "hang", "crash", "memory":
		return r, nil
	}
	return nil, fmt.Errorf("fake engine %q: not known", mode)
}

// Begin says which page is read next, and counts it.
func (r *Reader) Begin(contentHash string, page int) error {
	r.document, r.page = strings.TrimPrefix(contentHash, "sha256:"), page
	if r.dir == "" {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(r.dir, CountFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("counting pages: %w", err)
	}
	if _, err := f.WriteString("."); err != nil {
		return fmt.Errorf("counting pages: %w", err)
	}
	return f.Close()
}

// Engine implements ocr.Reader.
func (r *Reader) Engine() ocr.Engine {
	return ocr.Engine{Name: "fake", Version: "1", Languages: []string{"deu", "eng", "fra", "ita", "por"}}
}

// Close implements ocr.Reader.
func (r *Reader) Close() error { return nil }

// ReadLine implements ocr.Reader: it reads nothing.
func (r *Reader) ReadLine(*image.Gray, int, []string) ([]ocr.Found, error) { return nil, nil }

// Script implements ocr.Reader: it knows none.
func (r *Reader) Script(*image.Gray, int) (ocr.Script, error) { return ocr.Script{}, nil }

// Read implements ocr.Reader: one line of words that name the page, the same
// for the same page whatever is on it.
func (r *Reader) Read(g *image.Gray, _ int, _ []string) ([]ocr.Found, error) {
	if r.only == 0 || r.only == r.page {
		switch r.mode {
		case "hang":
			for {
				<-time.After(time.Hour)
			}
		case "crash":
			os.Exit(3)
		case "memory":
			var all [][]byte
			for {
				block := make([]byte, 64<<20)
				for i := 0; i < len(block); i += 4096 {
					block[i] = 1
				}
				all = append(all, block)
				runtime.KeepAlive(all)
			}
		}
	}
	words := []string{"Scanned", "page", strconv.Itoa(r.page), "of", "document", r.document[:min(len(r.document), 8)]}
	out := make([]ocr.Found, len(words))
	w, h := g.Rect.Dx(), g.Rect.Dy()
	for i, text := range words {
		left := w * (2 + 3*i) / 22
		out[i] = ocr.Found{
			Text: text, Box: image.Rect(left, h/8, left+max(w/8, 1), h/8+max(h/50, 1)), Confidence: 0.95, Block: 1, Paragraph: 1, Line: 1,
		}
	}
	return out, nil
}
