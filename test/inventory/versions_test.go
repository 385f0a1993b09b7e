package inventory

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// versioned are the constants that are raised by hand whenever the same input would give
// other output (contracts#version-numbers), and where they are.
var versioned = map[string]string{
	"ParserVersion":  "pkg/extract/extract.go",
	"ChunkerVersion": "pkg/model/chunk.go",
	"Version":        "pkg/proof/header/header.go",
}

// historyLine is the first line of an entry of a version's history: a number, then what
// changed with it.
var historyLine = regexp.MustCompile(`^\t(\d+):?\s+\S`)

// checkHistory says what is wrong with the history of a version: it has one entry for each
// number from 1 to that of the constant, in order.
func checkHistory(value, comment string) error {
	last, err := strconv.Atoi(value)
	if err != nil {
		return fmt.Errorf("%q is no integer", value)
	}
	next := 1
	for line := range strings.Lines(comment) {
		found := historyLine.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		if found[1] != strconv.Itoa(next) {
			return fmt.Errorf("its history has %s where %d is to be said", found[1], next)
		}
		next++
	}
	if next-1 != last {
		return fmt.Errorf("it is %d, and its history ends with %d", last, next-1)
	}
	return nil
}

// historyOf returns the value of a constant, and the comment on it.
func historyOf(path, name string) (value, comment string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		return "", "", err
	}
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, s := range group.Specs {
			spec := s.(*ast.ValueSpec)
			if spec.Names[0].Name != name || len(spec.Values) != 1 {
				continue
			}
			basic, ok := spec.Values[0].(*ast.BasicLit)
			if !ok {
				continue
			}
			if value, err = strconv.Unquote(basic.Value); err != nil {
				return "", "", err
			}
			return value, spec.Doc.Text() + group.Doc.Text(), nil
		}
	}
	return "", "", fmt.Errorf("%s: no constant %s", path, name)
}

// TestVersionsHaveTheirHistory: beside each version that is raised by hand stands what
// changed with each number, up to the one that counts.
func TestVersionsHaveTheirHistory(t *testing.T) {
	for name, path := range versioned {
		value, comment, err := historyOf(filepath.Join(root, path), name)
		if err == nil {
			err = checkHistory(value, comment)
		}
		if err != nil {
			t.Errorf("%s of %s: %v", name, path, err)
		}
	}
	for comment, want := range map[string]string{
		"History:\n\n\t1  this\n\t   and that\n\t2: more\n": "",
		"\t1  this\n":              "it is 2, and its history ends with 1",
		"\t1  this\n\t3  that\n":   "its history has 3 where 2 is to be said",
		"":                         "it is 2, and its history ends with 0",
		"\t1  a\n\t2  b\n\t3  c\n": "it is 2, and its history ends with 3",
	} {
		if err := checkHistory("2", comment); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%q: %v, want %q", comment, err, want)
		}
	}
}
