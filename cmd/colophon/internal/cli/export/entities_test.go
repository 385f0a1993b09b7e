package export

import "testing"

// TestCellsAreNoFormulas: what a spreadsheet would run is text in it; numbers stay numbers.
func TestCellsAreNoFormulas(t *testing.T) {
	for cell, want := range map[string]string{
		"": "", "12.5": "12.5", "-12.5": "-12.5", "+3": "+3", "1e3": "1e3", "a=b": "a=b", " =1+1": " =1+1",
		"=1+1": "'=1+1", `=HYPERLINK("https://x.example")`: `'=HYPERLINK("https://x.example")`,
		"+1+cmd|' /C calc'!A0": "'+1+cmd|' /C calc'!A0", "-2+3": "'-2+3", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1", "\n=1": "'\n=1",
	} {
		if got := disarm(cell); got != want {
			t.Errorf("%q: %q, want %q", cell, got, want)
		}
	}
}
