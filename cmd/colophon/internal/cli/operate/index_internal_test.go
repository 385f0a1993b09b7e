package operate

import "testing"

// TestAFillingThatStalls: as long as one more chunk comes between two requests it is asked on;
// after three requests for which none came it is not.
func TestAFillingThatStalls(t *testing.T) {
	t.Parallel()
	var far filling
	for i, ask := range []struct {
		held   string
		behind int64
		stalls bool
	}{
		{"", 5, false}, {"", 5, false}, {"", 5, false}, {"", 4, false},
		{"", 4, false}, {"", 4, false}, {"b", 4, false},
		{"b", 4, false}, {"b", 4, false}, {"b", 4, true},
		{"c", 4, false}, {"c", 5, false}, {"c", 7, false}, {"c", 6, true}, // those that land meanwhile are no step back, nor are they one on
		{"", 3, false}, // from the start again
	} {
		if got := far.stalls(ask.held, ask.behind); got != ask.stalls {
			t.Errorf("request %d stalls: %t", i+1, got)
		}
	}
}
