package quality

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"
)

// Means are by class and over all; a page counts as good within Near of the command.
func TestSumMadeScans(t *testing.T) {
	pages := []MadeScanRow{
		{Name: "fold-00", Class: "fold", Errors: 0.03, CommandErrors: 0.02, CPU: 2, CommandCPU: 1, Again: 1, AgainCPU: 0.5},
		{Name: "fold-01", Class: "fold", Errors: 0.01, CommandErrors: 0.04},
		{Name: "blur-00", Class: "blur", Errors: 0.024, CommandErrors: 0.02},
	}
	got := sumMadeScans(pages)
	if len(got) != 3 || got[0].Class != "fold" || got[1].Class != "blur" || got[2].Class != "all" {
		t.Fatalf("%+v", got)
	}
	fold, all := got[0], got[2]
	if fold.Pages != 2 || fold.Within != 1 || fold.Better != 1 || fold.Again != 1 || fold.AgainCPU != 0.25 || fold.CPU != 1 || math.Abs(fold.Errors-0.02) > 1e-9 {
		t.Errorf("%+v", fold)
	}
	if math.Abs(fold.DifferenceSpread-0.02) > 1e-9 { // differences of .01 and -.03
		t.Errorf("%v", fold.DifferenceSpread)
	}
	if all.Pages != 3 || all.Within != 2 || math.Abs(all.ratio()-0.8) > 1e-9 {
		t.Errorf("%+v, ratio %v", all, all.ratio())
	}
	var b bytes.Buffer
	if err := (MadeScanReport{Seed: 4, Classes: got, Pages: pages}).Write(&b); err != nil {
		t.Fatal(err)
	}
	_, worst, _ := strings.Cut(b.String(), "worse than the command")
	if !strings.Contains(worst, "fold-00") || strings.Contains(worst, "fold-01") || strings.Contains(worst, "blur-00") || !strings.Contains(worst, "66.7 %") {
		t.Errorf("%s", worst)
	}
}

// Only whole pages beyond the first are readings anew: not the strips that tell how a page
// lies, and a page that is drawn larger is as large on paper.
func TestCountedReader(t *testing.T) {
	c := countedReader{pixels: []int{180, 180, 1000, 990, 1004}, cpu: []time.Duration{1, 1, 4e9, 2e9, 3e9}}
	if n, cpu := c.again(); n != 2 || cpu != 5 {
		t.Errorf("%d, %v", n, cpu)
	}
	if n, cpu := (&countedReader{}).again(); n != 0 || cpu != 0 {
		t.Errorf("%d, %v", n, cpu)
	}
}
