package questions

import (
	"slices"
	"testing"
)

// TestAQuoteIsComparedByWords: signs, lines, letters' case and a table's bars do not
// count; parts of words and words in another order are no quote.
func TestAQuoteIsComparedByWords(t *testing.T) {
	for _, c := range []struct {
		text, quote string
		count       int
		share       float64
	}{
		{"| Oxmere | 212 |\n| 1.9 |", "Oxmere 212 1.9", 1, 1},
		{"L’eau, dit-on,\nrevient. L'EAU dit on", "l’eau dit on", 2, 1},
		{"to be or not to be", "to be", 2, 1},
		{"ha ha ha", "ha", 3, 1},
		{"the harbours", "harbour", 0, 0},
		{"six days or seven", "seven or six days", 0, 0.5},
		{"only the first half of it", "the first half and the second", 0, 0.5},
		{"", "something", 0, 0},
	} {
		if n := Count(c.text, c.quote); n != c.count || Holds(c.text, c.quote) != (c.count > 0) {
			t.Errorf("%q is %d times in %q, not %d", c.quote, n, c.text, c.count)
		}
		if share := Share(c.text, c.quote); share != c.share {
			t.Errorf("%q has %v of %q, not %v", c.text, share, c.quote, c.share)
		}
	}
}

// TestRareWordsComeFirst: BM25 as it is meant, and passages that score alike in their order.
func TestRareWordsComeFirst(t *testing.T) {
	index := NewIndex([]string{"the bridge is closed", "the ferry is late", "the bridge and the ferry", "the ferret"})
	if first := index.First("the ferret?", 2); !slices.Equal(first[:1], []string{"the ferret"}) || len(first) != 2 {
		t.Errorf("%q", first)
	}
	if first := index.First("elephants", 3); !slices.Equal(first, []string{"the bridge is closed", "the ferry is late", "the bridge and the ferry"}) {
		t.Errorf("%q", first)
	}
}
