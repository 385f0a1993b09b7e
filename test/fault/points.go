// Package fault breaks the system on purpose and looks whether anything is lost
// or doubled: services and servers run as processes of their own, are killed,
// stopped and wiped, and what the catalog holds at the end must be what a run
// without faults leaves, byte for byte (docs/invariants.md).
package fault

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Point is a place in the code at which the process can be made to die.
type Point struct {
	Name string // such as chunk.committed
	For  bool   // it can be armed for one consumer or document
	File string // where it is, relative to the repository's root
}

// Points returns the fault points of pkg and services below root, sorted by
// name: every call of pkg/faultpoint. A call whose name is not a literal, and a
// name that is used twice, is an error.
func Points(root string) ([]Point, error) {
	var points []Point
	for _, part := range []string{"pkg", "services"} {
		err := filepath.WalkDir(filepath.Join(root, part), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			found, err := pointsIn(path)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, path)
			for i := range found {
				found[i].File = filepath.ToSlash(rel)
			}
			points = append(points, found...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(points, func(a, b Point) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(points); i++ {
		if points[i].Name == points[i-1].Name {
			return nil, fmt.Errorf("fault point %s is in %s and in %s", points[i].Name, points[i-1].File, points[i].File)
		}
	}
	return points, nil
}

// pointsIn returns the fault points of one file.
func pointsIn(path string) ([]Point, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("fault points: %w", err)
	}
	var points []Point
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || err != nil {
			return err == nil
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if room, ok := method.X.(*ast.Ident); !ok || room.Name != "faultpoint" || !strings.HasPrefix(method.Sel.Name, "Reach") {
			return true
		}
		literal, ok := call.Args[0].(*ast.BasicLit)
		if !ok {
			err = fmt.Errorf("%s: the name of a fault point must be a literal", path)
			return false
		}
		name, wrong := strconv.Unquote(literal.Value)
		if wrong != nil {
			err = wrong
		}
		points = append(points, Point{Name: name, For: method.Sel.Name == "ReachFor"})
		return true
	})
	return points, err
}
