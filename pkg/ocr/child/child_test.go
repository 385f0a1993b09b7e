package child

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/tiff"

	"github.com/colophon-dev/colophon/pkg/digest"
	kinds "github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/ocr/fake"
	"github.com/colophon-dev/colophon/pkg/ocr/internal/drawn"
	"github.com/colophon-dev/colophon/pkg/ocr/tesseract"
	"github.com/colophon-dev/colophon/pkg/sandbox"
)

func TestMain(m *testing.M) {
	if sandbox.Child(map[string]sandbox.Role{RoleName: Role(kinds.Builtin().Openers())}) {
		return
	}
	os.Exit(m.Run())
}

// library is documents by their hash.
type library map[string][]byte

func (l library) add(raw []byte, kind model.SnapshotKind) model.Snapshot {
	hash := digest.Content(raw)
	l[hash] = raw
	return model.Snapshot{SnapshotID: "snap_x", SourceID: "src", ContentHash: hash, SnapshotKind: kind}
}

func (l library) fetch(_ context.Context, s model.Snapshot, path string) error {
	return os.WriteFile(path, l[s.ContentHash], 0o600)
}

func client(t *testing.T, c Config, l library) *Client {
	t.Helper()
	c.Workers, c.TempDir = 1, t.TempDir()
	out, err := New(c, l.fetch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(out.Close)
	return out
}

func pagePNG(t *testing.T) []byte {
	t.Helper()
	g, err := drawn.Page(drawn.Text(), 100, 7, 4)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// page2000 is drawn.Text at 150 dpi as JPEG 2000.
func page2000(t *testing.T) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "page.jp2"))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// pdf is a PDF file of n empty pages of 300 by 400 points, turned by rotate.
func pdf(n, rotate int) []byte {
	var b strings.Builder
	b.WriteString("%PDF-1.7\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n")
	var kids []string
	for i := range n {
		kids = append(kids, fmt.Sprintf("%d 0 R", i+3))
		fmt.Fprintf(&b, "%d 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] /Rotate %d >> endobj\n", i+3, rotate)
	}
	fmt.Fprintf(&b, "2 0 obj << /Type /Pages /Count %d /Kids [%s] >> endobj\ntrailer << /Root 1 0 R >>\n", n, strings.Join(kids, " "))
	return []byte(b.String())
}

func TestReads(t *testing.T) {
	l, counted := library{}, t.TempDir()
	c := client(t, Config{Engine: "fake:read", DataDir: counted}, l)
	e, err := c.Engine(t.Context())
	if err != nil || e.Name != "fake" || len(e.Languages) == 0 {
		t.Fatalf("%+v, %v", e, err)
	}
	scan, file := l.add(pagePNG(t), model.KindImageScan), l.add(pdf(3, 90), model.KindPDF)
	for _, x := range []struct {
		s             model.Snapshot
		page          int
		width, height float64
	}{{scan, 1, 700, 400}, {l.add(page2000(t), model.KindImageScan), 1, 975, 600}, {file, 3, 400, 300}, {file, 1, 400, 300}} {
		r, err := c.Read(t.Context(), x.s, ocr.Request{Page: x.page, Languages: []string{"en"}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Width != x.width || r.Height != x.height || r.Engine != "fake" || len(r.Words) == 0 || r.Words[2].Text != fmt.Sprint(x.page) {
			t.Errorf("%+v", r)
		}
	}
	n, err := os.ReadFile(filepath.Join(counted, fake.CountFile))
	if err != nil || len(n) != 4 {
		t.Errorf("%d pages counted, %v", len(n), err)
	}
}

// What a page can do to its child costs that try of that page, and says why; the
// next page is read.
func TestFaults(t *testing.T) {
	for mode, want := range map[string]fault.Reason{"hang": fault.Timeout, "crash": fault.ParserCrashed, "memory": fault.LimitExceeded} {
		l, timeout := library{}, time.Minute
		if mode == "hang" {
			timeout = 3 * time.Second
		}
		c := client(t, Config{Engine: "fake:" + mode + "@2", PageTimeout: timeout, MemoryBytes: 512 << 20}, l)
		s := l.add(pdf(3, 0), model.KindPDF)
		for _, page := range []int{1, 2, 3} {
			_, err := c.Read(t.Context(), s, ocr.Request{Page: page, Languages: []string{"en"}})
			if page != 2 && err != nil {
				t.Errorf("%s: page %d: %v", mode, page, err)
			}
			if page == 2 && (fault.ReasonOf(err) != want || fault.KindOf(err) != fault.KindPermanent || !strings.Contains(err.Error(), "page 2")) {
				t.Errorf("%s: %v, want %s", mode, err, want)
			}
		}
	}
}

func TestBadDocuments(t *testing.T) {
	l := library{}
	c := client(t, Config{Engine: "fake:read"}, l)
	bomb := []byte("IHDR\x00\x01\x86\xa0\x00\x01\x86\xa0\x08\x06\x00\x00\x00")
	bomb = binary.BigEndian.AppendUint32(append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), bomb...), crc32.ChecksumIEEE(bomb))
	g, err := drawn.Page(drawn.Text(), 100, 7, 4)
	if err != nil {
		t.Fatal(err)
	}
	var photo, fax bytes.Buffer
	if err := errors.Join(jpeg.Encode(&photo, g, nil), tiff.Encode(&fax, g, nil)); err != nil {
		t.Fatal(err)
	}
	broken := page2000(t)
	copy(broken[bytes.Index(broken, []byte{0xFF, 0x52})+5:], "\xFF\xFF\xFF\xFF") // the levels of its coding style
	for _, x := range []struct {
		name string
		raw  []byte
		kind model.SnapshotKind
		page int
		want fault.Reason
	}{
		{"37 GiB in 33 bytes", bomb, model.KindImageScan, 1, fault.LimitExceeded},
		{"half a JPEG", photo.Bytes()[:photo.Len()/2], model.KindImageScan, 1, fault.Malformed},
		{"half a TIFF", fax.Bytes()[:fax.Len()/2], model.KindImageScan, 1, fault.Malformed},
		{"no picture", []byte("text"), model.KindImageScan, 1, fault.UnsupportedType},
		{"a page too many", photo.Bytes(), model.KindImageScan, 2, fault.Malformed},
		{"HTML", []byte("<p>"), model.KindHTML, 1, fault.UnsupportedType},
		{"half a PDF", []byte("%PDF-1.7"), model.KindPDF, 1, fault.Malformed},
		{"a PDF's page too many", pdf(1, 0), model.KindPDF, 2, fault.Malformed},
		{"JPEG 2000 that cannot be decoded", broken, model.KindImageScan, 1, fault.Malformed},
		{"half a JPEG 2000 picture", page2000(t)[:7000], model.KindImageScan, 1, fault.Malformed},
	} {
		_, err := c.Read(t.Context(), l.add(x.raw, x.kind), ocr.Request{Page: x.page})
		if fault.ReasonOf(err) != x.want || fault.KindOf(err) != fault.KindPermanent {
			t.Errorf("%s: %v, want %s", x.name, err, x.want)
		}
	}
	if _, err := c.Read(t.Context(), l.add(photo.Bytes(), model.KindImageScan), ocr.Request{Page: 1}); err != nil {
		t.Errorf("after all of them: %v", err)
	}
}

func TestCancelled(t *testing.T) {
	l := library{}
	c := client(t, Config{Engine: "fake:hang"}, l)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := c.Read(ctx, l.add(pagePNG(t), model.KindImageScan), ocr.Request{Page: 1}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// Without an engine, or without trained data, the sentence says what to install.
func TestNoEngine(t *testing.T) {
	c := client(t, Config{DataDir: t.TempDir()}, library{})
	_, err := c.Engine(t.Context())
	want := "libtesseract-dev"
	if tesseract.Built {
		want = "tesseract-ocr-eng"
	}
	if !errors.Is(err, ErrNoEngine) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
}

// With the engine, the words of a page come out of the child, upright.
func TestTesseract(t *testing.T) {
	if !tesseract.Built {
		t.Skip("built without OCR")
	}
	l := library{}
	c := client(t, Config{}, l)
	e, err := c.Engine(t.Context())
	if err != nil || e.Name != tesseract.Name || !slices.Contains(e.Languages, "eng") {
		t.Fatalf("%+v, %v", e, err)
	}
	g, err := drawn.Page(drawn.Text(), 200, 7, 4)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, g); err != nil {
		t.Fatal(err)
	}
	for _, raw := range [][]byte{b.Bytes(), page2000(t)} {
		r, err := c.Read(t.Context(), l.add(raw, model.KindImageScan), ocr.Request{Page: 1, Languages: []string{"en"}})
		if err != nil || r.Confidence < 0.8 || len(r.Words) < 80 || r.Words[0].Text != "The" {
			t.Errorf("%+v, %v", r, err)
		}
	}
}
