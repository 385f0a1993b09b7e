// Package inventory lists what the tree has (services, consumers, tables, buckets, ways
// out) and what is there for each: a Deployment, network policies, an identity, grants, a
// scaler, a panel. Its test fails for what has none.
package inventory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/blobstore"
)

// Tree is what there is, read from the code and not from any list of it.
type Tree struct {
	Services  []string            // folders of services/
	Consumers map[string]string   // of the chain, by name: the stream
	Tables    []string            // of the catalog
	Buckets   []string            // without an installation's prefix
	Ways      map[string][]string // by service: what its packages open connections to
	Openers   []string            // packages that open connections
	Strangers []string            // those among them that lead nobody knows where
}

const module = "github.com/colophon-dev/colophon/"

// dials are the packages that open connections, by what these lead to. "" is for those
// that no service's own doing reaches: tests' servers and programs outside.
func dials() map[string]string {
	return map[string]string{
		"pkg/stream": "nats", "pkg/catalog": "postgres", "pkg/blobstore": "s3", "pkg/vectorstore": "qdrant",
		"services/capturer/internal/fetch": "internet", "pkg/telemetry": "collector", "pkg/llm": "model", "pkg/llm/rerank": "reranker", "pkg/llm/chat": "model",
		"pkg/devtest": "", "pkg/devtest/stagetest/base": "", "pkg/sdk": "",
	}
}

// opens are the names by which Go code opens a connection, by the path of their package.
func opens() map[string][]string {
	return map[string][]string{
		"net":                                {"Dial", "DialTimeout", "DialTCP", "DialUDP", "DialIP", "DialUnix", "Dialer"},
		"crypto/tls":                         {"Dial", "DialWithDialer", "Dialer"},
		"net/http":                           {"Get", "Head", "Post", "PostForm", "DefaultClient", "DefaultTransport", "Client", "Transport"},
		"database/sql":                       {"Open", "OpenDB"},
		"net/smtp":                           {"Dial", "SendMail"},
		"net/rpc":                            {"Dial", "DialHTTP"},
		"google.golang.org/grpc":             {"NewClient", "Dial", "DialContext"},
		"github.com/nats-io/nats.go":         {"Connect"},
		"github.com/jackc/pgx/v5":            {"Connect", "ConnectConfig"},
		"github.com/jackc/pgx/v5/pgxpool":    {"New", "NewWithConfig"},
		"github.com/minio/minio-go/v7":       {"New", "NewCore"},
		"github.com/qdrant/go-client/qdrant": {"NewClient", "NewGrpcClient"},
		module + "pkg/llm":                   {"OpenEndpoint"}, // for whoever names the address
		"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc":   {"New", "NewClient"},
		"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc": {"New"},
	}
}

// ReadTree reads the tree below root, a path of this machine.
func ReadTree(ctx context.Context, root string) (Tree, error) {
	t := Tree{Consumers: make(map[string]string), Ways: make(map[string][]string)}
	folders, err := os.ReadDir(filepath.Join(root, "services"))
	if err != nil {
		return t, err
	}
	for _, f := range folders {
		if f.IsDir() {
			t.Services = append(t.Services, f.Name())
		}
	}
	for _, b := range blobstore.Buckets() {
		t.Buckets = append(t.Buckets, string(b))
	}
	if t.Tables, err = tables(filepath.Join(root, "pkg/catalog/migrations")); err != nil {
		return t, err
	}
	if err := t.consumers(filepath.Join(root, "pkg/stream/table.go")); err != nil {
		return t, err
	}
	return t, t.ways(ctx, root)
}

var (
	created = regexp.MustCompile(`(?im)^\s*CREATE TABLE (?:IF NOT EXISTS )?([a-z_]+)`)
	dropped = regexp.MustCompile(`(?im)^\s*DROP TABLE (?:IF EXISTS )?([a-z_, \n]+)`)
	renamed = regexp.MustCompile(`(?im)^\s*ALTER TABLE ([a-z_]+) RENAME TO ([a-z_]+)`)
)

// tables returns the tables that are there after all migrations, and that of the versions.
func tables(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.sql"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, fmt.Errorf("no migrations in %s", dir))
	}
	slices.Sort(files)
	there := map[string]bool{"goose_db_version": true}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		up, _, _ := strings.Cut(string(text), "-- +goose Down")
		for _, m := range created.FindAllStringSubmatch(up, -1) {
			there[m[1]] = true
		}
		for _, m := range renamed.FindAllStringSubmatch(up, -1) {
			delete(there, m[1])
			there[m[2]] = true
		}
		for _, m := range dropped.FindAllStringSubmatch(up, -1) {
			for name := range strings.SplitSeq(m[1], ",") {
				delete(there, strings.TrimSpace(name))
			}
		}
	}
	return slices.Sorted(maps.Keys(there)), nil
}

// consumers reads the table of streams in a file: each composite literal with a name and
// consumers, whose first element is a constant of the file.
func (t *Tree) consumers(file string) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return err
	}
	constants := make(map[string]string)
	ast.Inspect(parsed, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && len(v.Names) == len(v.Values) {
			for i, name := range v.Names {
				constants[name.Name] = text(v.Values[i], nil)
			}
		}
		return true
	})
	ast.Inspect(parsed, func(n ast.Node) bool {
		row, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		fields := make(map[string]ast.Expr)
		for _, e := range row.Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok {
				if name, ok := pair.Key.(*ast.Ident); ok {
					fields[name.Name] = pair.Value
				}
			}
		}
		list, ok := fields["consumers"].(*ast.CompositeLit)
		if !ok {
			return true
		}
		for _, e := range list.Elts {
			if one, ok := e.(*ast.CompositeLit); ok && len(one.Elts) > 0 {
				t.Consumers[text(one.Elts[0], constants)] = text(fields["name"], constants)
			}
		}
		return true
	})
	if len(t.Consumers) == 0 {
		return fmt.Errorf("%s has no consumers", file)
	}
	return nil
}

// text returns the string that an expression is, or that its constant is.
func text(e ast.Expr, constants map[string]string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strings.Trim(e.Value, `"`)
	case *ast.Ident:
		return constants[e.Name]
	}
	return ""
}

// listed is what `go list` says of a package.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Deps       []string
}

// ways asks go which packages each service is made of, and their code which of them open
// connections.
func (t *Tree) ways(ctx context.Context, root string) error {
	args := []string{"list", "-json=ImportPath,Dir,GoFiles,Deps", "./pkg/..."}
	for _, s := range t.Services {
		args = append(args, "./services/"+s+"/...")
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	all := make(map[string]listed)
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var one listed
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("what go list says: %w", err)
		}
		all[strings.TrimPrefix(one.ImportPath, module)] = one
	}
	leads := dials()
	for name, one := range all {
		opened, err := opensConnections(one)
		if err != nil {
			return err
		}
		if !opened {
			continue
		}
		t.Openers = append(t.Openers, name)
		if _, known := leads[name]; !known {
			t.Strangers = append(t.Strangers, name)
		}
	}
	slices.Sort(t.Openers)
	slices.Sort(t.Strangers)
	for _, s := range t.Services {
		main, there := all["services/"+s]
		if !there {
			return fmt.Errorf("services/%s holds no program", s)
		}
		found := make(map[string]bool)
		for _, dep := range main.Deps {
			if way := leads[strings.TrimPrefix(dep, module)]; way != "" {
				found[way] = true
			}
		}
		t.Ways[s] = slices.Sorted(maps.Keys(found))
	}
	return nil
}

// opensConnections reports whether the code of a package names what opens one.
func opensConnections(one listed) (bool, error) {
	names := opens()
	for _, file := range one.GoFiles {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(one.Dir, file), nil, parser.SkipObjectResolution)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		imported := make(map[string]string) // by the name that the file uses
		for _, i := range parsed.Imports {
			full := strings.Trim(i.Path.Value, `"`)
			name := path.Base(full)
			switch {
			case i.Name != nil:
				name = i.Name.Name
			case full == "github.com/nats-io/nats.go":
				name = "nats"
			case regexp.MustCompile(`/v[0-9]+$`).MatchString(full):
				name = strings.TrimSuffix(path.Base(path.Dir(full)), "-go")
			}
			imported[name] = full
		}
		found := false
		ast.Inspect(parsed, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && slices.Contains(names[imported[x.Name]], s.Sel.Name) {
					found = true
				}
			}
			return !found
		})
		if found {
			return true, nil
		}
	}
	return false, nil
}
