package imports

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// exported is a name that a package exports.
type exported struct {
	folder, name string // of a method, name is Type.Method
	promise      bool   // one of several constants that are declared together, an error, a flag or an interface: others may ask for it
}

// exports gathers what packages export, and what is used of them. It reads the text alone,
// whatever the build tags: a method counts as used where a method of its name is.
type exports struct {
	names    []exported
	own      map[string]int  // folder.Name: how often the package's own code says it, where it is declared, too
	declared map[string]int  // folder.Name: how often it is declared
	shown    map[string]bool // folder.Name: in the signature or the fields of what is exported
	code     map[string]bool // folder.Name: in code of another package
	tests    map[string]bool // folder.Name: in tests that see the package from outside
	methods  map[string]map[string]bool
	promised map[string]bool // methods that interfaces of the tree ask for
}

// UnusedNames returns what the packages of the files export for nothing: names that no code
// uses, be it with tests, and names that no other package uses, be it in tests. A type that an
// exported name shows is used; so are errors, flags, interfaces, and constants that are declared
// together, as long as their own package uses them. Packages of which isPublic says so may export what they want.
func UnusedNames(root string, files []File, isPublic func(folder string) bool) ([]string, error) {
	e := exports{
		own: map[string]int{}, declared: map[string]int{}, shown: map[string]bool{}, code: map[string]bool{},
		tests: map[string]bool{}, methods: map[string]map[string]bool{}, promised: map[string]bool{},
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(root, f.Path))
		if err != nil {
			return nil, fmt.Errorf("exported names: %w", err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("exported names: %w", err)
		}
		e.read(file, f)
	}
	var unused []string
	for _, n := range e.names {
		if why := e.judgeName(n); why != "" && !isPublic(n.folder) {
			unused = append(unused, n.folder+"."+n.name+": "+why)
		}
	}
	slices.Sort(unused)
	return unused, nil
}

// judgeName returns why a name should not be exported, or nothing.
func (e *exports) judgeName(n exported) string {
	key := n.folder + "." + n.name
	_, method, isMethod := strings.Cut(n.name, ".")
	inCode, inTests := e.code[key], e.tests[key]
	if isMethod {
		key = n.folder + "." + method
		if e.promised[method] {
			return ""
		}
		for by, test := range e.methods[method] {
			inCode = inCode || by != n.folder && !test
			inTests = inTests || by != n.folder
		}
	}
	switch own := e.own[key] > e.declared[key]; {
	case inCode || e.shown[key] && !isMethod:
		return ""
	case !own:
		return "no code uses it"
	case !inTests && !n.promise:
		return "no other package uses it"
	}
	return ""
}

func (e *exports) read(file *ast.File, f File) {
	folder, test := path.Dir(f.Path), strings.HasSuffix(f.Path, "_test.go")
	if !test && file.Name.Name != "main" {
		for _, decl := range file.Decls {
			e.readDeclaration(decl, folder)
		}
	}
	by := folder
	if strings.HasSuffix(file.Name.Name, "_test") {
		by = folder + "_test"
	}
	imported := importNames(file)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if !test {
				e.own[folder+"."+n.Name]++
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && imported[x.Name] != "" {
				e.useName(imported[x.Name]+"."+n.Sel.Name, test)
				return false
			}
			e.useMethod(n.Sel.Name, by, test)
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				for _, name := range m.Names {
					e.promised[name.Name] = true
				}
			}
		}
		return true
	})
}

func (e *exports) useName(key string, test bool) {
	if test {
		e.tests[key] = true
	} else {
		e.code[key] = true
	}
}

// useMethod notes that a package, or its tests, call a method of this name.
func (e *exports) useMethod(name, by string, test bool) {
	if e.methods[name] == nil {
		e.methods[name] = map[string]bool{}
	}
	onlyTests, ok := e.methods[name][by]
	e.methods[name][by] = test && (onlyTests || !ok)
}

// importNames returns the folder of each package of the tree that a file imports, by its name there.
func importNames(file *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range file.Imports {
		folder, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), Module)
		if !ours {
			continue
		}
		name := path.Base(folder)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = folder
	}
	return names
}

func (e *exports) readDeclaration(decl ast.Decl, folder string) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() {
			return
		}
		e.showNames(folder, d.Type)
		name := d.Name.Name
		if d.Recv != nil {
			of := receiverName(d.Recv.List[0].Type)
			if !ast.IsExported(of) {
				return
			}
			name = of + "." + name
		}
		e.declare(folder, name, d.Name.Name, false)
	case *ast.GenDecl:
		constants := 0
		for _, spec := range d.Specs {
			if s, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.CONST {
				constants += len(s.Names)
			}
		}
		for _, spec := range d.Specs {
			e.readSpec(spec, folder, constants > 1)
		}
	}
}

func (e *exports) readSpec(spec ast.Spec, folder string, together bool) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() {
			_, asked := s.Type.(*ast.InterfaceType)
			e.declare(folder, s.Name.Name, s.Name.Name, asked)
			e.showNames(folder, s.Type)
		}
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() {
				e.declare(folder, name.Name, name.Name, together || strings.HasPrefix(name.Name, "Err") || strings.HasPrefix(name.Name, "Flag"))
			}
		}
		if s.Type != nil {
			e.showNames(folder, s.Type)
		}
	}
}

func (e *exports) declare(folder, name, ident string, promise bool) {
	e.names = append(e.names, exported{folder, name, promise})
	e.declared[folder+"."+ident]++
}

// showNames notes the names that an exported declaration shows.
func (e *exports) showNames(folder string, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			e.shown[folder+"."+id.Name] = true
		}
		return true
	})
}

// receiverName returns the name of a receiver's type.
func receiverName(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.StarExpr:
		return receiverName(t.X)
	case *ast.IndexExpr:
		return receiverName(t.X)
	case *ast.IndexListExpr:
		return receiverName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}
