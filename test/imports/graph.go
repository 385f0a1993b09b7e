package imports

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// File is a Go file of the tree.
type File struct {
	Path    string   // relative to the repository's root, with forward slashes
	Imports []string // as they are written
	Lines   int
}

// IsTest reports whether a file only tests: by its name, or as part of the module of
// tests or of what they begin with.
func (f File) IsTest() bool {
	return strings.HasSuffix(f.Path, "_test.go") || within(f.Path, "test") || within(f.Path, "pkg/devtest")
}

// Files returns the Go files below root, except testdata and hidden folders.
func Files(root string) ([]File, error) {
	var files []File
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != root && (base == "testdata" || strings.HasPrefix(base, ".") || base == "bin") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		imported, err := imports(name, text)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		files = append(files, File{filepath.ToSlash(rel), imported, bytes.Count(text, []byte("\n"))})
		return nil
	})
	return files, err
}

// Graph says which rooms import which: pkg/catalog, services/chunker, cmd/colophon,
// devstack, test and tools are rooms, each with all that is below it.
type Graph map[string]map[string]bool

// roomOf returns the room that a folder is part of.
func roomOf(folder string) string {
	parts := strings.Split(folder, "/")
	switch parts[0] {
	case "pkg", "services", "cmd":
		return strings.Join(parts[:min(len(parts), 2)], "/")
	}
	return parts[0]
}

// GraphOf returns the graph of files that are no tests.
func GraphOf(files []File) Graph {
	g := make(Graph)
	for _, f := range files {
		from := roomOf(path.Dir(f.Path))
		if strings.HasSuffix(f.Path, "_test.go") {
			continue
		}
		if g[from] == nil {
			g[from] = make(map[string]bool)
		}
		for _, imp := range f.Imports {
			if rest, ours := strings.CutPrefix(imp, Module); ours && roomOf(rest) != from {
				g[from][roomOf(rest)] = true
			}
		}
	}
	return g
}

// Circle returns rooms of which each imports the next, and the last the first; nil when
// there are none.
func (g Graph) Circle() []string {
	done := make(map[string]bool)
	var way []string
	var visit func(room string) []string
	visit = func(room string) []string {
		if at := slices.Index(way, room); at >= 0 {
			return slices.Clone(way[at:])
		}
		if done[room] {
			return nil
		}
		way = append(way, room)
		for _, to := range slices.Sorted(maps.Keys(g[room])) {
			if circle := visit(to); circle != nil {
				return circle
			}
		}
		way = way[:len(way)-1]
		done[room] = true
		return nil
	}
	for _, room := range slices.Sorted(maps.Keys(g)) {
		if circle := visit(room); circle != nil {
			return circle
		}
	}
	return nil
}

// level is the floor of a room, from 0, and its name: those of the table, then services,
// then tools.
func (f Floors) level(room string) (int, string) {
	for i := range f {
		if f.of(room) == &f[i] {
			return i, f[i].Name
		}
	}
	if within(room, "services") {
		return len(f), "services"
	}
	return len(f) + 1, "tools"
}

// Up returns the arrows of the graph that lead to a floor above.
func (f Floors) Up(g Graph) []string {
	var up []string
	for _, from := range slices.Sorted(maps.Keys(g)) {
		for _, to := range slices.Sorted(maps.Keys(g[from])) {
			a, floor := f.level(from)
			if b, above := f.level(to); b > a {
				up = append(up, fmt.Sprintf("%s (%s) imports %s (%s)", from, floor, to, above))
			}
		}
	}
	return up
}

// Print writes the graph by floors, the highest first: each room with what it imports of
// each floor below.
func (f Floors) Print(w io.Writer, g Graph) {
	for level := len(f) + 1; level >= 0; level-- {
		for _, room := range slices.Sorted(maps.Keys(g)) {
			at, floor := f.level(room)
			if at != level {
				continue
			}
			below := make(map[int][]string)
			for _, to := range slices.Sorted(maps.Keys(g[room])) {
				l, _ := f.level(to)
				below[l] = append(below[l], strings.TrimPrefix(to, "pkg/"))
			}
			var said []string
			for _, l := range slices.Backward(slices.Sorted(maps.Keys(below))) {
				said = append(said, strings.Join(below[l], " "))
			}
			fmt.Fprintf(w, "%-9s %-20s → %s\n", floor, strings.TrimPrefix(room, "pkg/"), strings.Join(said, " | "))
		}
	}
}

// Lines are the sizes that are kept an eye on, in lines of Go with their comments.
type Lines struct {
	Source, Tests int
	Craft         int // of what reads documents: pkg/extract, pkg/layout and pkg/language, without tests
}

// LinesOf counts.
func LinesOf(files []File) (n Lines) {
	for _, f := range files {
		switch {
		case f.IsTest():
			n.Tests += f.Lines
			continue
		case within(f.Path, "pkg/extract"), within(f.Path, "pkg/layout"), within(f.Path, "pkg/language"):
			n.Craft += f.Lines
		}
		n.Source += f.Lines
	}
	return n
}
