package running

import "testing"

// TestNumbersComeInTheirOrder: whatever words they stand beside, so that a sign can be
// put for each from the last to the first.
func TestNumbersComeInTheirOrder(t *testing.T) {
	for _, part := range []string{"sheet 10 of 12, page 10", "page 10, sheet 10 of 12", "leaf 3, page 5 of 9"} {
		end := 0
		for _, s := range numbersIn(part) {
			if s.from < end || s.to > len(part) {
				t.Errorf("%q: %+v behind %d", part, s, end)
			}
			end = s.to
		}
	}
}
