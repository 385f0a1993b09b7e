package imports

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Rights returns where the source of a file uses a right that the process it is part of
// does not have: to delete objects, which pkg/reconcile alone may, to publish, which the
// gateway may not, and to choose an embedder, which is retrieval's. filePath is relative to the repository's root.
func Rights(filePath, source string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), filePath, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("rights: %w", err)
	}
	folder := path.Dir(filePath)
	forbidden := make(map[string]string)
	if usesPackage(file, Module+"pkg/blobstore") && folder != "pkg/reconcile" {
		forbidden["Delete"] = "objects are deleted by pkg/reconcile alone, which the janitor runs"
	}
	if within(folder, "services/gateway") {
		for _, method := range []string{"Publisher", "Bury", "Redrive", "Provision", "NewRunner", "NewBatchRunner"} {
			forbidden[method] = "the gateway only looks at the bus"
		}
	}
	if within(folder, "services") || within(folder, "cmd") {
		forbidden["HashEmbedder"] = "embedders are named in retrieval.Models alone: who indexes and who searches have the same"
	}
	var broken []string
	ast.Inspect(file, func(n ast.Node) bool {
		for _, name := range methodsNamed(n) {
			if why, found := forbidden[name]; found {
				broken = append(broken, fmt.Sprintf("%s names %s: %s", filePath, name, why))
			}
		}
		return true
	})
	return broken, nil
}

// methodsNamed returns the methods that one node names: as a selector of anything but a
// package of the standard library, or in an interface.
func methodsNamed(n ast.Node) []string {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok && (x.Name == "slices" || x.Name == "maps") {
			return nil
		}
		return []string{n.Sel.Name}
	case *ast.InterfaceType:
		var names []string
		for _, method := range n.Methods.List {
			for _, name := range method.Names {
				names = append(names, name.Name)
			}
		}
		return names
	}
	return nil
}

func usesPackage(file *ast.File, importPath string) bool {
	return slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool {
		found, err := strconv.Unquote(s.Path.Value)
		return err == nil && found == importPath
	})
}

// CheckRights checks the rights of every Go file of pkg and services below root, tests
// aside. read returns what a file holds.
func CheckRights(root string, read func(name string) ([]byte, error)) ([]string, error) {
	var broken []string
	for _, part := range []string{"pkg", "services"} {
		err := filepath.WalkDir(filepath.Join(root, part), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			source, err := read(name)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			found, err := Rights(filepath.ToSlash(rel), string(source))
			broken = append(broken, found...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return broken, nil
}
