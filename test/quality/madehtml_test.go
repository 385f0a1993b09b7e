package quality

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/test/quality/webset"
)

func TestScoreMade(t *testing.T) {
	p := &webset.Page{
		Title: "Head line", Want: []string{"One two three four.", "Five six."}, Unwanted: []string{"Seven eight", "Nine"}, Either: []string{"May"},
	}
	for _, c := range []struct {
		text           string
		f1, lost, kept float64
	}{
		{"Head line\nMay\nOne two three four.\nFive six.", 1, 0, 0},
		{"One two three four.\nFive six.\nSeven eight", 2 * 6.0 / (6 + 8), 0, 11.0 / 28},
		{"One two three four.", 2 * 4.0 / (6 + 4), 9.0 / 28, 0},
		{"", 0, 1, 0},
	} {
		f1, lost, kept := scoreMade(p, c.text)
		if math.Abs(f1-c.f1)+math.Abs(lost-c.lost)+math.Abs(kept-c.kept) > 1e-9 {
			t.Errorf("%q: %v %v %v, wanted %v %v %v", c.text, f1, lost, kept, c.f1, c.lost, c.kept)
		}
	}
}

// A run without peers scores every theme, and means are over pages.
func TestMadeHTML(t *testing.T) {
	report, err := RunMadeHTML(context.Background(), MadeHTMLOptions{Seed: 9, Each: 1})
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]int{}
	for _, row := range report.Themes {
		pages[row.Half] += row.Pages
		if row.F1 <= 0 || row.F1 > 1 || row.Lost < 0 || row.Lost > 1 {
			t.Errorf("%s: %+v", row.Theme, row)
		}
	}
	for _, row := range report.Halves {
		if row.Pages != pages[row.Half] || row.F1 < 0.7 {
			t.Errorf("%s: %+v, of %d pages", row.Half, row, pages[row.Half])
		}
	}
	var b strings.Builder
	if err := report.Write(&b); err != nil || !strings.Contains(b.String(), "colophon") {
		t.Errorf("%v: %s", err, b.String())
	}
}
