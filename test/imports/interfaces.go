package imports

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
)

// mostMethods is how many methods an interface says by itself. One that needs more is made of
// several, each of which says what it is about.
const mostMethods = 5

// WideInterfaces returns the interfaces of a file that say more methods by themselves than a
// reader keeps in mind; those that an interface is made of do not count.
func WideInterfaces(filePath, source string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), filePath, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("interfaces: %w", err)
	}
	var wide []string
	ast.Inspect(file, func(n ast.Node) bool {
		named, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		of, ok := named.Type.(*ast.InterfaceType)
		if !ok {
			return true
		}
		own := 0
		for _, m := range of.Methods.List {
			own += len(m.Names)
		}
		if own > mostMethods {
			wide = append(wide, fmt.Sprintf("%s: %s has %d methods of its own, at most %d", filePath, named.Name.Name, own, mostMethods))
		}
		return true
	})
	return wide, nil
}
