package imports_test

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/test/imports"
)

const (
	// leastTests is the least that lines of tests are of those of the product.
	leastTests = 0.65
	// craftGoal is how many lines what reads documents is meant to have at most: a goal
	// that is printed, and not held.
	craftGoal = 22_500
)

// TestGraph prints which rooms import which, floor by floor, and how many lines there
// are. No arrow leads up, and there is no circle.
func TestGraph(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	floors, err := imports.ReadFloors(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := imports.Files(root)
	if err != nil {
		t.Fatal(err)
	}
	graph := imports.GraphOf(files)
	var printed bytes.Buffer
	floors.Print(&printed, graph)
	t.Logf("\n%s", &printed)
	for _, arrow := range floors.Up(graph) {
		t.Error(arrow)
	}
	if circle := graph.Circle(); circle != nil {
		t.Errorf("a circle: %s", strings.Join(circle, " → "))
	}
	for _, room := range []string{"pkg/catalog", "services/capturer", "cmd/colophon"} {
		if len(graph[room]) == 0 {
			t.Errorf("%s imports nothing, as far as the graph knows", room)
		}
	}
	n := imports.LinesOf(files)
	share := float64(n.Tests) / float64(n.Source)
	t.Logf("%d lines of source, %d of tests: %.2f; extract, layout and language have %d lines, and are meant to have %d at most", n.Source, n.Tests, share, n.Craft, craftGoal)
	if share < leastTests {
		t.Errorf("lines of tests are %.2f of those of source, and must be %.2f", share, leastTests)
	}
}

// TestWhatIsWrongWithAGraph: an arrow up and circles are found.
func TestWhatIsWrongWithAGraph(t *testing.T) {
	floors, err := imports.ReadFloors("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	graphOf := func(pairs ...string) imports.Graph {
		var files []imports.File
		for _, pair := range pairs {
			from, to, _ := strings.Cut(pair, " ")
			files = append(files, imports.File{Path: from + "/x.go", Imports: []string{imports.Module + to, "fmt"}})
		}
		return imports.GraphOf(files)
	}
	for _, c := range []struct {
		pairs  []string
		up     int
		circle []string
	}{
		{[]string{"pkg/catalog/migrations pkg/model", "services/chunker/app pkg/catalog", "cmd/colophon services/chunker/app", "pkg/catalog pkg/catalog/migrations"}, 0, nil},
		{[]string{"pkg/model pkg/catalog"}, 1, nil},
		{[]string{"pkg/verify services/chunker/app", "services/chunker cmd/colophon/internal/cli"}, 2, nil},
		{[]string{"pkg/model pkg/digest", "pkg/digest pkg/redact", "pkg/redact pkg/model", "pkg/access pkg/model"}, 0, []string{"pkg/digest", "pkg/model", "pkg/redact"}},
	} {
		g := graphOf(c.pairs...)
		circle := g.Circle()
		slices.Sort(circle)
		if up := floors.Up(g); len(up) != c.up || !slices.Equal(circle, c.circle) {
			t.Errorf("%v: up %v, circle %v", c.pairs, up, circle)
		}
	}
}

// TestRoomsThatNobodyNames: a folder that ARCHITECTURE.md does not name is found.
func TestRoomsThatNobodyNames(t *testing.T) {
	rooms, err := imports.ReadRooms("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	for folder, known := range map[string]bool{
		"services/chunker": true, "services/chunker/app": true, "services/chunker/internal/split/general": true, "services/chunker/internal": false,
		"services/attic": false, "services/attic/app": false, "services/chunker/attic": false, "services": false,
		"cmd/colophon": true, "cmd/colophon/internal/cli": true, "cmd/colophon/internal/cli/local": true, "cmd/colophon/internal/sourcefile": true,
		"cmd/colophon/internal/cli/attic": false, "cmd/colophon/internal/attic": false, "cmd/attic": false,
		"test/imports": true, "tools/cmd/sbom": true, "devstack/s3": true, "attic": false, ".": false,
	} {
		if rooms.Know(folder) != known {
			t.Errorf("%s: known %v", folder, !known)
		}
	}
}

// TestDrawnPropertiesHaveASeed: with CI=true no property is drawn by chance.
func TestDrawnPropertiesHaveASeed(t *testing.T) {
	files, err := imports.Files("../..")
	if err != nil {
		t.Fatal(err)
	}
	draws, seeded := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		draws[path.Dir(f.Path)] = draws[path.Dir(f.Path)] || slices.Contains(f.Imports, "pgregory.net/rapid")
		seeded[path.Dir(f.Path)] = seeded[path.Dir(f.Path)] || slices.Contains(f.Imports, imports.Module+"pkg/devtest/fixedseed")
	}
	for folder := range draws {
		if draws[folder] && !seeded[folder] && folder != "pkg/devtest/fixedseed" {
			t.Errorf("%s draws properties and does not import pkg/devtest/fixedseed", folder)
		}
	}
	if !seeded["pkg/digest"] {
		t.Error("pkg/digest is not found")
	}
}
