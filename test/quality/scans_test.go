package quality

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
)

func TestOverlaps(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.words.json")
	truth := `{"width": 200, "height": 100, "words": [{"text": "near", "bbox": [20, 10, 60, 20]}, {"text": "half", "bbox": [100, 10, 140, 20]}, {"text": "gone", "bbox": [20, 50, 60, 60]}]}`
	if err := os.WriteFile(file, []byte(truth), 0o600); err != nil {
		t.Fatal(err)
	}
	r := ocr.Result{Words: []ocr.Word{
		{Text: "near", Box: model.BBox{X: 0.105, Y: 0.1, W: 0.2, H: 0.1}},
		{Text: "half", Box: model.BBox{X: 0.6, Y: 0.1, W: 0.2, H: 0.1}}, // a third of both together
	}}
	words, found, err := overlaps(file, r)
	if err != nil || words != 3 || found != 1 {
		t.Errorf("%d of %d, %v", found, words, err)
	}
}

func TestScanReport(t *testing.T) {
	r := ScanReport{Command: true, Files: []ScanRow{
		{Path: "scans/a.png", Pages: 1, Errors: 0.01, UnitErrors: 0.03, CommandErrors: 0.02, WordF1: 0.97, CommandWordF1: 0.96, CPU: 1, CommandCPU: 2, Words: 100, Found: 99},
		{Path: "scans/b.pdf", Pages: 3, Errors: 0.03, CommandErrors: 0.01, WordF1: 0.9, CommandWordF1: 0.98, CPU: 2, CommandCPU: 2},
	}}
	total, boxes := r.Totals()
	if total.Errors != 0.02 || total.CPU != 1.75 || total.Pages != 4 || boxes != 0.99 {
		t.Errorf("%+v, %v", total, boxes)
	}
	r.Files[1].Tables = &TableScore{Relations: Hits{Right: 3, Truth: 4, Out: 4}, Tables: Hits{Truth: 2}, TEDS: 1}
	var out bytes.Buffer
	if err := r.Write(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "0.750, 0.500") {
		t.Errorf("no score of the tables in\n%s", out.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, which := range []struct{ is, not string }{{"scans/b.pdf", "scans/a.png"}, {"scans/a.png", "scans/b.pdf"}, {"scans/b.pdf", "scans/a.png"}} { // in the engine's order, in units, in words
		if line := lines[len(lines)-3+i]; !strings.Contains(line, which.is) || !strings.Contains(line, "not reached") || strings.Contains(line, which.not) {
			t.Errorf("%q does not name %s alone in\n%s", line, which.is, out.String())
		}
	}
}

func TestCommandLanguages(t *testing.T) {
	for want, codes := range map[string][]string{"fra": {"fr"}, "cos+fra": {"co"}, "eng": nil, "por+ita": {"pt", "it"}, "eng+deu+fra+ita+por": {"en", "de", "fr", "it"}} {
		if got := commandLanguages(codes); got != want {
			t.Errorf("%v: %s", codes, got)
		}
	}
}
