//go:build ocr && cgo

package tesseract

import (
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/otiai10/gosseract/v2"

	"github.com/colophon-dev/colophon/pkg/ocr"
)

// Built says whether this program has the engine.
const Built = true

// Open starts the engine with the trained data in dataDir, "" for the engine's
// own folder. It fails with ErrNone when there are none.
func Open(dataDir string) (ocr.Reader, error) {
	languages, err := trained(dataDir)
	if err != nil {
		return nil, err
	}
	return &reader{
		dataDir: dataDir, clients: map[string]*gosseract.Client{},
		engine: ocr.Engine{Name: Name, Version: gosseract.Version(), Languages: languages},
	}, nil
}

// reader keeps one engine for each set of languages: loading trained data takes
// longer than reading a line.
type reader struct {
	engine  ocr.Engine
	dataDir string
	clients map[string]*gosseract.Client
	scripts scripts
}

// Engine implements ocr.Reader.
func (r *reader) Engine() ocr.Engine { return r.engine }

// Close implements ocr.Reader.
func (r *reader) Close() error {
	r.scripts.close()
	for name, c := range r.clients {
		delete(r.clients, name)
		if err := c.Close(); err != nil {
			return fmt.Errorf("closing Tesseract: %w", err)
		}
	}
	return nil
}

// maxClients bounds the sets of languages that are kept loaded.
const maxClients = 4

func (r *reader) client(languages []string) (*gosseract.Client, error) {
	name := strings.Join(languages, "+")
	if c := r.clients[name]; c != nil {
		return c, nil
	}
	if len(r.clients) == maxClients {
		if err := r.Close(); err != nil {
			return nil, err
		}
	}
	c := gosseract.NewClient()
	if r.dataDir != "" {
		if err := c.SetTessdataPrefix(r.dataDir); err != nil {
			return nil, errors.Join(fmt.Errorf("trained data in %s: %w", r.dataDir, err), c.Close())
		}
	}
	if err := c.SetLanguage(languages...); err != nil {
		return nil, errors.Join(fmt.Errorf("languages %s: %w", name, err), c.Close())
	}
	r.clients[name] = c
	return c, nil
}

// How Tesseract divides what it reads (its PageSegMode).
const (
	wholePage = "3"
	oneLine   = "7"
)

// Read implements ocr.Reader.
func (r *reader) Read(g *image.Gray, dpi int, languages []string) ([]ocr.Found, error) {
	return r.read(g, dpi, languages, wholePage)
}

// ReadLine implements ocr.Reader.
func (r *reader) ReadLine(g *image.Gray, dpi int, languages []string) ([]ocr.Found, error) {
	return r.read(g, dpi, languages, oneLine)
}

func (r *reader) read(g *image.Gray, dpi int, languages []string, division string) ([]ocr.Found, error) {
	c, err := r.client(languages)
	if err != nil {
		return nil, err
	}
	// Set as a variable: the mode that is set by itself, before the first call, is forgotten.
	if err := c.SetVariable("tessedit_pageseg_mode", division); err != nil {
		return nil, fmt.Errorf("page segmentation: %w", err)
	}
	if err := c.SetVariable("user_defined_dpi", strconv.Itoa(dpi)); err != nil {
		return nil, fmt.Errorf("resolution: %w", err)
	}
	if err := c.SetImageFromBytes(pgm(g)); err != nil {
		return nil, fmt.Errorf("handing the picture to Tesseract: %w", err)
	}
	boxes, err := c.GetBoundingBoxesVerbose()
	if err != nil {
		return nil, fmt.Errorf("reading with Tesseract: %w", err)
	}
	out := make([]ocr.Found, 0, len(boxes))
	for _, b := range boxes {
		text := strings.ToValidUTF8(strings.Join(strings.Fields(b.Word), ""), "\uFFFD")
		if text == "" {
			continue
		}
		out = append(out, ocr.Found{
			Text: text, Box: b.Box, Confidence: min(max(b.Confidence/100, 0), 1),
			Block: b.BlockNum, Paragraph: b.ParNum, Line: b.LineNum,
		})
	}
	return out, nil
}

// pgm is the picture in a form that costs nothing to read.
func pgm(g *image.Gray) []byte {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	out := fmt.Appendf(make([]byte, 0, w*h+32), "P5\n%d %d\n255\n", w, h)
	for y := range h {
		out = append(out, g.Pix[y*g.Stride:y*g.Stride+w]...)
	}
	return out
}

// orientation is trained data that know no words.
const orientation = "osd"

// trained lists the languages whose trained data are in a folder, sorted.
func trained(dataDir string) ([]string, error) {
	folders := []string{dataDir}
	if dataDir == "" {
		folders = []string{"/usr/share/tesseract-ocr/5/tessdata", "/usr/share/tessdata", "/usr/local/share/tessdata", "/opt/homebrew/share/tessdata"}
	}
	var out []string
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // the next, or none of them
		}
		for _, e := range entries {
			if name, ok := strings.CutSuffix(e.Name(), ".traineddata"); ok && name != orientation {
				out = append(out, name)
			}
		}
		scripts, err := filepath.Glob(filepath.Join(folder, "script", "*.traineddata"))
		if err != nil {
			return nil, fmt.Errorf("trained data of scripts in %s: %w", folder, err)
		}
		for _, path := range scripts {
			out = append(out, "script/"+strings.TrimSuffix(filepath.Base(path), ".traineddata"))
		}
		if len(out) > 0 {
			slices.Sort(out)
			return out, nil
		}
	}
	return nil, fmt.Errorf("%w: no trained data in %s; on Debian install %s and %s", ErrNone, strings.Join(folders, ", "), "tesseract-ocr", Package("eng"))
}
