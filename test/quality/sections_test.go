package quality

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunSections: precision and recall are told by half and language, and each kind that a
// heading names is right.
func TestRunSections(t *testing.T) {
	write := func(name string, rows ...string) string {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte("document\tlang\tkind\theading\n"+strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	seen := write("seen.tsv", "a\ten\tgoal\tGoals", "a\ten\tgeneric\tThe mill", "b\tfr\tmonitoring|goal\tObjectifs et suivi", "b\tfr\tgoal\tLe moulin")
	unseen := write("unseen.tsv", "a\ten\tgeneric\tGoals")
	r, err := RunSections([]string{seen, unseen})
	if err != nil {
		t.Fatal(err)
	}
	if r.Headings != 5 || r.Documents != 3 || len(r.Mistakes) != 2 {
		t.Errorf("%d headings of %d documents, mistakes %+v", r.Headings, r.Documents, r.Mistakes)
	}
	want := map[string][2]float64{seen + " all": {1, 2. / 3}, seen + " en": {1, 1}, seen + " fr": {1, 0.5}, unseen + " all": {0, 0}, unseen + " en": {0, 0}}
	for _, p := range r.Parts {
		key := p.Half + " " + p.Lang
		if w, ok := want[key]; !ok || w[0] != p.Total.Precision || w[1] != p.Total.Recall {
			t.Errorf("%s: %+v, want %v", key, p.Total, w)
		}
		delete(want, key)
	}
	if len(want) != 0 {
		t.Errorf("not told: %v", want)
	}
	if _, err := RunSections([]string{write("bad.tsv", "a\ten\tgoal")}); err == nil {
		t.Error("a row of three columns is read")
	}
}
