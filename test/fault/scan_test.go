package fault

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/test/programs"
)

// scannedPages is how many pages the scan has.
const scannedPages = 40

// scannedPDF is a document of pages that are pictures alone.
func scannedPDF() []byte {
	var b, packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(bytes.Repeat([]byte{0xC0}, 60*80))
	_ = z.Close()
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), fmt.Sprintf(format, args...))
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	var kids []string
	for p := range scannedPages {
		kids = append(kids, fmt.Sprintf("%d 0 R", 5+p))
	}
	object("<< /Type /Pages /Count %d /Kids [%s] /MediaBox [0 0 300 400] /Resources << /XObject << /I 3 0 R >> >> >>", scannedPages, strings.Join(kids, " "))
	object("<< /Type /XObject /Subtype /Image /Width 60 /Height 80 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream",
		packed.Len(), packed.String())
	const content = "300 0 0 400 0 0 cm /I Do"
	object("<< /Length %d >>\nstream\n%s\nendstream", len(content), content)
	for range scannedPages {
		object("<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>")
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}

// TestAScanIsKilledTwice: what is left is what a run without faults leaves, and no
// page was read more often than the kills explain.
func TestAScanIsKilledTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	programs.NeedServers(t)
	r := startRig(t)
	const workers = 2
	read := func() int {
		data, err := os.ReadFile(filepath.Join(r.values["COLOPHON_OCR_DATA"], "recognised"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return len(data)
	}
	run := func(number int, kill bool) (dump string) {
		t.Run(fmt.Sprintf("kill %v", kill), func(t *testing.T) {
			r.begin(t, number)
			r.values["COLOPHON_OCR_DATA"], r.values["COLOPHON_OCR_WORKERS"] = t.TempDir(), fmt.Sprint(workers)
			r.startServices()
			r.send(&item{kind: kindScan, request: inline("scan", "scan.pdf", scannedPDF(), 10)})
			kills := 0
			for _, at := range []int{scannedPages / 4, scannedPages / 2} {
				if !kill {
					break
				}
				r.await(devtest.Patience, fmt.Sprintf("%d pages are begun", at), func() bool { return read() >= at })
				if len(r.left()) == 0 {
					t.Fatal("the kill comes when everything is done")
				}
				r.services["extractor"].kill()
				kills++
			}
			r.mustBeQuiet(&row{})
			if n := read(); n < scannedPages || n > scannedPages+kills*workers {
				t.Errorf("%d pages were read %d times after %d kills", scannedPages, n, kills)
			}
			if n := len(r.strings(`SELECT 'x' FROM pages WHERE status = 'processed'`)); n != scannedPages {
				t.Errorf("%d pages are processed", n)
			}
			dump = r.dump()
		})
		return dump
	}
	want, got := run(20, false), run(21, true)
	if missing, extra := compare(without(want, nil), without(got, nil)); len(missing)+len(extra) > 0 {
		t.Errorf("missing: %.600s\ntoo much: %.600s", missing, extra)
	}
}
