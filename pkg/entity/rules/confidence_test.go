package rules

import (
	"slices"
	"testing"
)

// The table is readable, and has a line for each kind of finding and none for others.
func TestConfidence(t *testing.T) {
	all, err := parseMeasured(confidenceTSV)
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, m := range all {
		have = append(have, m.FoundBy)
		if c := m.Confidence(); c <= 0 || c >= 1 {
			t.Errorf("%+v: confidence %v", m, c)
		}
	}
	want := []string{byTable, byTwo, bySection, bySentence, byStatement, byCode, byName}
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("the table has %q, the rules %q", have, want)
	}
	if a, b := (measuredKind{Right: 9}).Confidence(), (measuredKind{Right: 99}).Confidence(); a >= b {
		t.Errorf("nine of nine: %v, 99 of 99: %v", a, b)
	}
	for _, bad := range []string{"a\t1\n", "a\t1\tx\n", "a\t-1\t0\n"} {
		if _, err := parseMeasured(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
