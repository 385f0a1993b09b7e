package imports_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/colophon-dev/colophon/test/imports"
)

func TestInterfacesAreNarrow(t *testing.T) {
	root := filepath.Join("..", "..")
	files, err := imports.Files(root)
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, f := range files {
		if f.IsTest() {
			continue
		}
		source, err := os.ReadFile(filepath.Join(root, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		wide, err := imports.WideInterfaces(f.Path, string(source))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range wide {
			t.Error(w)
		}
		looked++
	}
	if looked < 500 {
		t.Errorf("%d files were looked at", looked)
	}
}

func TestAWideInterfaceIsFound(t *testing.T) {
	for source, found := range map[string]int{
		"type I interface { A(); B(); C(); D(); E() }":                                 0,
		"type I interface { A(); B(); C(); D(); E(); F() }":                            1,
		"type I interface { X; Y; Z; V; W; U }":                                        0,
		"type I interface { X; A(); B(); C(); D(); E(); F() }":                         1,
		"func f() { type I interface { A(); B(); C(); D(); E(); F(); G() }; var _ I }": 1,
		"type S struct{ A, B, C, D, E, F func() }":                                     0,
	} {
		wide, err := imports.WideInterfaces("x.go", "package x\n"+source)
		if err != nil || len(wide) != found {
			t.Errorf("%s: %v, %v", source, wide, err)
		}
	}
}
