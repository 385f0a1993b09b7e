package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/colophon-dev/colophon/test/programs"
)

// TestASourceMovesToAnotherTerritory: what a source says again after its territory has
// changed is found under the new one, the same words as well as new ones, and no more under
// the one of before.
func TestASourceMovesToAnotherTerritory(t *testing.T) {
	programs.NeedServers(t)
	dir, files := t.TempDir(), t.TempDir()
	w := startDev(t, dir, nil)
	capture := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(files, "notice.txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		w.must(0, "capture", "--wait", "--source", "council", files)
	}
	found := func(territory string) int {
		t.Helper()
		var a answer
		if err := json.Unmarshal([]byte(w.must(0, "search", "ferry", "--territory", territory, "--json").out), &a); err != nil {
			t.Fatal(err)
		}
		return len(a.Hits)
	}
	const ferry = "The ferry crosses the lake at seven."
	w.must(0, "source", "add", "council", "--name", "Council", "--language", "en", "--territory", "north")
	capture(ferry)
	if n := found("north"); n != 1 {
		t.Fatalf("%d hits in the north", n)
	}
	w.must(0, "source", "set", "council", "--territory", "south")
	for _, c := range []struct{ what, text string }{
		{"other bytes of the same text", ferry + "\n"},
		{"a text that says more", ferry + "\n\n" + "The office is shut in August, and opens again in September.\n"},
	} {
		capture(c.text)
		if north, south := found("north"), found("south"); north != 0 || south != 1 {
			t.Errorf("after %s: %d hits in the north, %d in the south", c.what, north, south)
		}
	}
	w.must(0, "verify", "--all")
}
