package catalog

import "testing"

// TestWhatOlderRulesHeldForOne: only addresses that differ in what older rules left out
// can have been one document.
func TestWhatOlderRulesHeldForOne(t *testing.T) {
	const base = "https://town.example/d"
	for _, c := range []struct {
		one, other string
		want       bool
	}{
		{base + "?session=2023", base, true},
		{base + "?page=1&session=2023", base + "?page=1", true},
		{base + "?page=1", base + "?page=1&refresh_token=geheim", true},
		{base + "?session=2023&page=1", base + "?page=2", false},
		{base + "?session=2023", "https://town.example/e", false},
		{base + "?session=2023", "https://city.example/d", false},
		{"record 12", base, true}, // it cannot be told
	} {
		if got := alikeBefore(c.one, c.other); got != c.want {
			t.Errorf("%s and %s: %v", c.one, c.other, got)
		}
	}
}
