package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/entity"
)

// promised is a row of docs/seeds.md: what one of the founding documents names, and the
// places where it is said to be.
type promised struct {
	line   int
	name   string
	places []string // each "go model.Unit.Type", "sql pages.status", …
	rest   string   // of the cell: links and words
	remark string   // the third cell
}

var (
	inBackticks = regexp.MustCompile("`([a-z]+) ([^`]+)`")
	ofPage      = regexp.MustCompile(`\[[^]]+\]\([^)]+\)`)
)

// placeKinds are the first words of places.
var placeKinds = []string{"go", "sql", "index", "entity", "api", "cmd", "event", "env"}

// promisesOf reads the tables of docs/seeds.md that say where things are.
func promisesOf(t *testing.T) []promised {
	t.Helper()
	page, err := os.ReadFile("../../docs/seeds.md")
	if err != nil {
		t.Fatal(err)
	}
	var found []promised
	in := false
	for n, line := range strings.Split(string(page), "\n") {
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		switch {
		case line == "| named | where | |":
			in = true
			continue
		case line == "":
			in = false
		}
		if !in || strings.HasPrefix(line, "|---") {
			continue
		}
		if len(cells) != 3 {
			t.Errorf("line %d has %d cells", n+1, len(cells))
			continue
		}
		p := promised{line: n + 1, name: strings.TrimSpace(cells[0]), remark: cells[2]}
		for _, m := range inBackticks.FindAllStringSubmatch(cells[1], -1) {
			p.places = append(p.places, m[1]+" "+m[2])
		}
		p.rest = inBackticks.ReplaceAllString(cells[1], "")
		found = append(found, p)
	}
	return found
}

// TestPromises: everything that docs/seeds.md names has a place or is said not to be
// built, and each place exists: types, fields and functions in the source, columns in a
// migrated catalog and its views, each column of the views, its indexes, fields of entities, paths in openapi.json, commands and their flags in their help, events
// and their fields in the schemas, settings in their page.
func TestPromises(t *testing.T) {
	rows := promisesOf(t)
	if len(rows) < 300 {
		t.Fatalf("only %d rows were read", len(rows))
	}
	d := newDesk(t)
	checks := map[string]func(place string) error{
		"go": newSource("../../pkg").find, "sql": columnsOf(t, d), "index": indexesOf(t, d), "entity": hasEntityField, "api": pathsOf(t), "cmd": d.hasCommand, "event": hasEventField, "env": settingsOf(t),
	}
	used, named := map[string]int{}, map[string]bool{}
	for _, p := range rows {
		if len(p.places) == 0 && !ofPage.MatchString(p.rest) && !strings.Contains(p.rest, "not built (") {
			t.Errorf("docs/seeds.md, line %d: %s is nowhere, and not said not to be built", p.line, p.name)
		}
		if unbuilt := strings.Count(p.rest+p.remark, "not built"); unbuilt > strings.Count(p.rest+p.remark, "not built (") {
			t.Errorf("docs/seeds.md, line %d: %s is not built, without a reason in brackets", p.line, p.name)
		}
		for _, place := range p.places {
			named[place] = true
			kind, at, _ := strings.Cut(place, " ")
			check, known := checks[kind]
			if !known {
				t.Errorf("docs/seeds.md, line %d: %q is none of %v", p.line, kind, placeKinds)
				continue
			}
			used[kind]++
			if err := check(at); err != nil {
				t.Errorf("docs/seeds.md, line %d: %s: %s %s: %v", p.line, p.name, kind, at, err)
			}
		}
	}
	for _, column := range seedColumns(t, d) {
		if !named["sql "+column] {
			t.Errorf("docs/seeds.md does not name the column %s", column)
		}
	}
	for _, kind := range placeKinds {
		if used[kind] == 0 {
			t.Errorf("no place of kind %s was looked at", kind)
		}
		for _, nowhere := range []string{"model.Unit.Nothing", "pages.nothing", "/v1/nothing", "export nothing", "export --nothing", "nothing.happened", "COLOPHON_NOTHING"} {
			if checks[kind](nowhere) == nil {
				t.Errorf("%s %s is found", kind, nowhere)
			}
		}
	}
}

// source knows what is declared in the packages below a folder.
type source struct {
	root  string
	known map[string]map[string]bool // by package: Name, Type.Field
}

func newSource(root string) *source {
	return &source{root: root, known: map[string]map[string]bool{}}
}

// find looks for package.Name or package.Type.Field, the package as its path.
func (s *source) find(place string) error {
	folder, last := filepath.Split(place)
	pkg, name, ok := strings.Cut(last, ".")
	if !ok {
		return fmt.Errorf("it is no package.Name")
	}
	names, err := s.declared(folder + pkg)
	if err != nil {
		return err
	}
	if !names[name] {
		return fmt.Errorf("there is none")
	}
	return nil
}

func (s *source) declared(pkg string) (map[string]bool, error) {
	if names, ok := s.known[pkg]; ok {
		return names, nil
	}
	files, err := filepath.Glob(filepath.Join(s.root, pkg, "*.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("there is no package %s: %w", pkg, err)
	}
	names := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			declare(names, decl)
		}
	}
	s.known[pkg] = names
	return names, nil
}

func declare(names map[string]bool, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names[d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names[n.Name] = true
				}
			case *ast.TypeSpec:
				names[s.Name.Name] = true
				fields, ok := s.Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, f := range fields.Fields.List {
					for _, n := range f.Names {
						names[s.Name.Name+"."+n.Name] = true
					}
				}
			}
		}
	}
}

// columnsOf returns a check for table.column in the catalog of a system, and for
// seed003.view.column in the views of the founding documents beside it.
func columnsOf(t *testing.T, d *desk) func(string) error {
	return namesOf(t, d, `SELECT CASE WHEN table_schema = current_schema() THEN '' ELSE right(table_schema, length('seed003')) || '.' END || table_name || '.' || column_name
		FROM information_schema.columns WHERE table_schema = current_schema() OR table_schema LIKE '%seed003' OR table_schema LIKE '%seed004'`)
}

// seedColumns returns the columns of the views of the founding documents, as rows name them.
func seedColumns(t *testing.T, d *desk) (columns []string) {
	t.Helper()
	if err := d.sys.DB.Tx(t.Context(), func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), `SELECT right(table_schema, length('seed003')) || '.' || table_name || '.' || column_name
			FROM information_schema.columns WHERE table_schema LIKE '%seed003' OR table_schema LIKE '%seed004' ORDER BY 1`)
		if err != nil {
			return err
		}
		columns, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if len(columns) < 40 {
		t.Fatalf("only %d columns of views: %v", len(columns), columns)
	}
	return columns
}

// indexesOf returns a check for the name of an index of the catalog of a system.
func indexesOf(t *testing.T, d *desk) func(string) error {
	return namesOf(t, d, `SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()`)
}

// namesOf returns a check for the names that a statement returns.
func namesOf(t *testing.T, d *desk, statement string) func(string) error {
	t.Helper()
	known := map[string]bool{}
	if err := d.sys.DB.Tx(t.Context(), func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), statement)
		if err != nil {
			return err
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		for _, name := range names {
			known[name] = true
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return oneOfThese(known)
}

// hasEntityField looks for type.field, the field by its name or by that of the canonical
// schema; id and evidence are of all types.
func hasEntityField(place string) error {
	name, field, _ := strings.Cut(place, ".")
	of, ok := entity.TypeOf(name)
	if !ok {
		return fmt.Errorf("there is no type %s", name)
	}
	all := slices.ContainsFunc(of.Fields, func(f entity.Field) bool { return f.Name == field || f.Alias == field })
	if !all && field != "id" && field != "evidence" {
		return fmt.Errorf("%s has no such field", name)
	}
	return nil
}

func oneOfThese(known map[string]bool) func(string) error {
	return func(place string) error {
		if !known[place] {
			return fmt.Errorf("there is none among %d", len(known))
		}
		return nil
	}
}

// pathsOf returns a check for a path of the gateway.
func pathsOf(t *testing.T) func(string) error {
	t.Helper()
	data, err := os.ReadFile("../../services/gateway/internal/api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for path := range document.Paths {
		known[path] = true
	}
	return oneOfThese(known)
}

// hasCommand looks for a command in its own help, and for the flags that are named behind
// it.
func (d *desk) hasCommand(place string) error {
	words := strings.Fields(place)
	flags := len(words)
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "--") }); i >= 0 {
		flags = i
	}
	var out, problems bytes.Buffer
	if code := run(d.Context(), append(slices.Clone(words[:flags]), "--help"), &out, &problems); code != 0 {
		return fmt.Errorf("exit %d: %s", code, &problems)
	}
	if !strings.Contains(out.String(), "\n  colophon "+strings.Join(words[:flags], " ")) {
		return fmt.Errorf("there is no such command")
	}
	for _, flag := range words[flags:] {
		if !regexp.MustCompile(`(?m)^\s.*` + regexp.QuoteMeta(flag) + `\b`).MatchString(out.String()) {
			return fmt.Errorf("it has no %s", flag)
		}
	}
	return nil
}

// hasEventField looks for a type of event, and for the field of its data behind a slash.
func hasEventField(place string) error {
	kind, field, named := strings.Cut(place, "/")
	data, err := os.ReadFile("../../pkg/event/schemas/" + kind + ".json")
	if err != nil {
		return err
	}
	if named && !bytes.Contains(data, []byte(`"`+field+`": {`)) {
		return fmt.Errorf("its data has no %s", field)
	}
	return nil
}

// settingsOf returns a check for a setting.
func settingsOf(t *testing.T) func(string) error {
	t.Helper()
	page, err := os.ReadFile("../../docs/environment.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, m := range regexp.MustCompile("`(COLOPHON_[A-Z0-9_]+)`").FindAllStringSubmatch(string(page), -1) {
		known[m[1]] = true
	}
	return oneOfThese(known)
}
