package quality

import (
	"strings"
	"testing"
)

// TestTotals prints a report without its files: the totals stay, no name is told.
func TestTotals(t *testing.T) {
	report := Report{Groups: []Group{{
		Name: "HTML main content", Measures: []Measure{{Name: "F1"}},
		Files: []Row{{Path: "secret.html", Values: []float64{0.25}}}, Total: Row{Path: "mean", Values: []float64{0.25}},
	}}}
	report.DropFiles()
	var out strings.Builder
	if err := report.Write(&out); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); strings.Contains(s, "secret") || !strings.Contains(s, "0.250") {
		t.Errorf("printed:\n%s", s)
	}
}
