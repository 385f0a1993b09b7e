package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
)

// alteration is a file with one place changed.
type alteration struct {
	file string
	line int
	what string // "old → new"
	text []byte // of the whole file, altered
}

func (a alteration) place() string { return fmt.Sprintf("%s:%d", a.file, a.line) }

// finder collects the alterations of one file.
type finder struct {
	files *token.FileSet
	file  string
	text  []byte
	found []alteration
}

// alterationsOf returns what can be altered in a file, in the order of its places.
func alterationsOf(file string) ([]alteration, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	f := &finder{files: token.NewFileSet(), file: file, text: text}
	parsed, err := parser.ParseFile(f.files, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(parsed, f.visit)
	return f.found, nil
}

// visit adds the alterations of one node; those below it are visited unless they say
// nothing that a test could see.
func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec, *ast.StructType:
		return false
	case *ast.CallExpr:
		if isUnseen(n) {
			return false
		}
		f.alterCall(n)
	case *ast.BinaryExpr:
		f.alterOperator(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.replace(n.OpPos, n.OpPos+1, "")
		}
	case *ast.IfStmt:
		f.replace(n.Cond.Pos(), n.Cond.End(), "!("+f.source(n.Cond)+")")
		f.replace(n.Cond.Pos(), n.Cond.End(), "("+f.source(n.Cond)+") && false")
		f.replace(n.Cond.Pos(), n.Cond.End(), "("+f.source(n.Cond)+") || true")
	case *ast.BasicLit:
		f.alterConstant(n)
	case *ast.Ident:
		switch n.Name {
		case "true":
			f.replace(n.Pos(), n.End(), "false")
		case "false":
			f.replace(n.Pos(), n.End(), "true")
		}
	case *ast.ReturnStmt:
		return f.alterReturn(n)
	case *ast.BlockStmt:
		f.leaveOut(n.List)
	case *ast.CaseClause:
		f.leaveOut(n.Body)
	}
	return true
}

// isUnseen reports whether a call only writes to logs, words an error, or marks a
// place for tests of faults.
func isUnseen(call *ast.CallExpr) bool {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	if of, ok := selector.X.(*ast.Ident); ok && slices.Contains([]string{"faultpoint", "slog", "errors"}, of.Name) {
		return selector.Sel.Name != "Is" && selector.Sel.Name != "As"
	}
	return strings.HasSuffix(selector.Sel.Name, "Context") && selectorName(selector.X) == "log"
}

// selectorName returns the last name of an expression, in lower case: "log" of s.Log;
// a logger is "log".
func selectorName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return strings.TrimSuffix(strings.ToLower(e.Name), "ger")
	case *ast.SelectorExpr:
		return strings.TrimSuffix(strings.ToLower(e.Sel.Name), "ger")
	}
	return ""
}

func (f *finder) alterCall(call *ast.CallExpr) {
	switch name, ok := call.Fun.(*ast.Ident); {
	case !ok:
	case name.Name == "min":
		f.replace(name.Pos(), name.End(), "max")
	case name.Name == "max":
		f.replace(name.Pos(), name.End(), "min")
	}
}

// alterReturn loses an error that is returned. It reports whether the values are to be
// visited: names and constants beside an error are nobody's to read.
func (f *finder) alterReturn(n *ast.ReturnStmt) bool {
	lost := false
	for _, result := range n.Results {
		if id, ok := result.(*ast.Ident); ok && id.Name == "err" {
			f.replace(id.Pos(), id.End(), "nil")
			lost = true
		}
	}
	for _, result := range n.Results {
		switch result.(type) {
		case *ast.Ident, *ast.BasicLit:
		default:
			if lost {
				ast.Inspect(result, f.visit)
			}
		}
	}
	return !lost
}

func (f *finder) alterOperator(n *ast.BinaryExpr) {
	others := map[token.Token][]string{
		token.EQL: {"!="}, token.NEQ: {"=="}, token.LSS: {"<=", ">"}, token.LEQ: {"<", ">"}, token.GTR: {">=", "<"},
		token.GEQ: {">", "<"}, token.LAND: {"||"}, token.LOR: {"&&"}, token.ADD: {"-"}, token.SUB: {"+"},
	}
	for _, other := range others[n.Op] {
		f.replace(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), other)
	}
	if n.Op == token.LAND || n.Op == token.LOR { // one side alone
		f.replace(n.Pos(), n.End(), f.source(n.X))
		f.replace(n.Pos(), n.End(), f.source(n.Y))
	}
}

func (f *finder) alterConstant(n *ast.BasicLit) {
	switch n.Kind {
	case token.INT:
		if v, err := strconv.Atoi(n.Value); err == nil {
			f.replace(n.Pos(), n.End(), strconv.Itoa(v+1))
		}
	case token.STRING:
		if said, err := strconv.Unquote(n.Value); err == nil && !strings.Contains(said, " ") && !strings.Contains(said, "%") {
			f.replace(n.Pos(), n.End(), strconv.Quote(said+"~"))
		}
	}
}

// leaveOut leaves out one statement after the other, but for declarations and returns,
// without which the rest does not compile.
func (f *finder) leaveOut(statements []ast.Stmt) {
	for _, s := range statements {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
			var kept strings.Builder // so that what it reads counts as used
			for _, e := range s.Rhs {
				fmt.Fprintf(&kept, "_ = %s; ", f.source(e))
			}
			if _, call := s.Rhs[0].(*ast.CallExpr); call && len(s.Lhs) > 1 {
				continue
			}
			f.replace(s.Pos(), s.End(), kept.String())
			continue
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok && isUnseen(call) {
				continue
			}
		case *ast.IncDecStmt, *ast.BranchStmt, *ast.DeferStmt:
		case *ast.ForStmt:
			f.replace(s.Body.Lbrace+1, s.Body.Lbrace+1, " break; ")
			continue
		case *ast.RangeStmt:
			f.replace(s.Body.Lbrace+1, s.Body.Lbrace+1, " break; ")
			continue
		default:
			continue
		}
		f.replace(s.Pos(), s.End(), "")
	}
}

func (f *finder) source(n ast.Node) string {
	return string(f.text[f.offset(n.Pos()):f.offset(n.End())])
}

func (f *finder) offset(p token.Pos) int { return f.files.Position(p).Offset }

// replace adds the alteration that writes other where the file has what is between
// two places.
func (f *finder) replace(from, to token.Pos, other string) {
	old := string(f.text[f.offset(from):f.offset(to)])
	text := slices.Concat(f.text[:f.offset(from)], []byte(other), f.text[f.offset(to):])
	what := strings.Join(strings.Fields(old+" → "+other), " ")
	f.found = append(f.found, alteration{file: f.file, line: f.files.Position(from).Line, what: what, text: text})
}
