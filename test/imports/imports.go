// Package imports reads the floors of ARCHITECTURE.md and checks
// source files against them: words import no store, stores import no other
// store, a driver has one importer, services never meet.
package imports

import (
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Module is the path that all modules of the repository begin with.
const Module = "github.com/colophon-dev/colophon/"

// drivers maps an import path prefix to the only folder that may import it.
func drivers() map[string]string {
	return map[string]string{
		"github.com/nats-io/nats.go":         "pkg/stream",
		"github.com/minio/minio-go":          "pkg/blobstore",
		"github.com/jackc/pgx":               "pkg/catalog",
		"github.com/pressly/goose":           "pkg/catalog",
		"github.com/qdrant/go-client":        "pkg/vectorstore",
		"github.com/sashabaranov/go-openai":  "pkg/llm",
		"github.com/otiai10/gosseract":       "pkg/ocr/tesseract",
		"github.com/klippa-app/go-pdfium":    "pkg/pdfium",
		"github.com/tetratelabs/wazero":      "pkg/pdfium",
		"github.com/nats-io/nats-server":     "devstack",
		"github.com/versity/versitygw":       "devstack",
		"github.com/spf13/cobra":             "cmd/colophon",
		"github.com/tiktoken-go/tokenizer":   "services/chunker",
		"github.com/JohannesKaufmann/":       "pkg/extract",
		"github.com/kljensen/snowball":       "pkg/retrieval",
		"github.com/gabriel-vasile/mimetype": "services/capturer",
		"modernc.org/sqlite":                 "cmd/colophon/internal/sink/sqlite",
		"github.com/parquet-go/":             "cmd/colophon/internal/sink/files",
		"github.com/pgvector/":               "cmd/colophon/internal/sink/pgvector",
		"github.com/opensearch-project/":     "cmd/colophon/internal/sink/opensearch",
	}
}

// isTarget reports whether a folder is a target of `colophon sink`, which is a client of a store
// that is not ours, by a driver that one of our own stores has, too.
func isTarget(folder, imp string) bool {
	return folder == "cmd/colophon/internal/sink/pgvector" && strings.HasPrefix(imp, "github.com/jackc/pgx")
}

// Check returns why the file at path (relative to the repository's root, with
// forward slashes) may not import what it imports, or nothing.
func (f Floors) Check(path string, imported []string) []string {
	if strings.HasSuffix(path, "_test.go") {
		return nil
	}
	folder := strings.TrimSuffix(path[:strings.LastIndex(path, "/")+1], "/")
	if within(folder, "pkg") && f.of(folder) == nil {
		return []string{path + ": ARCHITECTURE.md names no floor of its room"}
	}
	var broken []string
	for _, imp := range imported {
		if why := f.check(folder, imp); why != "" {
			broken = append(broken, fmt.Sprintf("%s imports %s: %s", path, imp, why))
		}
	}
	return broken
}

func (f Floors) check(folder, imp string) string {
	exempt := within(folder, "devstack") || within(folder, "test") || within(folder, "tools")
	for prefix, home := range drivers() {
		if strings.HasPrefix(imp, prefix) && !within(folder, home) && !exempt && !isTarget(folder, imp) {
			return "only " + home + " may"
		}
	}
	rest, ours := strings.CutPrefix(imp, Module)
	switch {
	case !ours:
		return ""
	case within(folder, "devstack") && !within(rest, "devstack"):
		return "devstack imports nothing of the product"
	case within(rest, "devstack") && !within(folder, "devstack") && !within(folder, "cmd/colophon"):
		return "only cmd/colophon imports devstack"
	case within(folder, "pkg") && !within(rest, "pkg"):
		return "pkg looks up to nobody"
	case folder == "pkg/devtest":
		return "devtest uses the standard library only"
	case within(rest, "pkg/devtest") && !within(folder, "pkg/devtest") && !within(folder, "test"):
		return "devtest is for tests"
	case within(folder, "pkg"):
		return f.checkPkg(folder, rest)
	case within(rest, "pkg/reconcile") && !mayDelete(folder):
		return "what heals and deletes is the janitor, or the operator's command"
	case within(rest, "pkg/llm/chat") && !within(folder, "services/annotator"):
		return "only the annotator talks to chat models"
	case within(folder, "services"):
		return f.checkService(folder, rest)
	case within(folder, "cmd") && within(rest, "services") && !strings.HasSuffix(rest, "/app"):
		return "a service is entered through its app"
	}
	return ""
}

func (f Floors) checkPkg(folder, rest string) string {
	from, to := f.of(folder), f.of(rest)
	a, b := room(folder), room(rest)
	switch {
	case to == nil:
		return "ARCHITECTURE.md names no floor of it"
	case a == b:
		return ""
	case a == "sdk" && b != "stream" && to.Name != "words" && (folder != "pkg/sdk/inbox" || b != "blobstore"):
		return "a crawler links words and the bus, and the object store by sdk/inbox only"
	case !from.mayImport(to):
		return fmt.Sprintf("%s may import %s only", from.Name, strings.Join(from.May, ", "))
	case from == to && slices.Index(from.Rooms, a) < slices.Index(from.Rooms, b):
		return "on its floor it stands before that one, and nothing looks up"
	}
	return ""
}

// mayDelete reports whether a folder is of those who heal and delete.
func mayDelete(folder string) bool {
	return within(folder, "services/janitor") || within(folder, "cmd/colophon/internal/cli/operate") || within(folder, "test")
}

// checkService holds the rules of services. The gateway has no stage: it reads
// the stores in their own words.
func (f Floors) checkService(folder, rest string) string {
	service := strings.Split(folder, "/")[1]
	switch {
	case within(rest, "services") && !within(rest, "services/"+service):
		return "services never import each other"
	case strings.HasSuffix(rest, "/app") && folder != "services/"+service:
		return "only main.go and cmd/colophon import app"
	case service != "gateway" && within(folder, "services/"+service+"/internal") && f.isStoreOtherThanStream(rest):
		return "a stage declares the methods that it needs; app names the store"
	}
	return ""
}

func (f Floors) isStoreOtherThanStream(rest string) bool {
	floor := f.of(rest)
	return floor != nil && floor.Name == "stores" && room(rest) != "stream"
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// CheckTree checks every Go file below root, except testdata and hidden folders,
// against the table of root's ARCHITECTURE.md.
func CheckTree(root string) ([]string, error) {
	floors, err := ReadFloors(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		return nil, err
	}
	rooms, err := ReadRooms(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		return nil, err
	}
	files, err := Files(root)
	if err != nil {
		return nil, err
	}
	var broken []string
	for _, f := range files {
		broken = append(broken, floors.Check(f.Path, f.Imports)...)
		if !rooms.Know(path.Dir(f.Path)) {
			broken = append(broken, f.Path+": ARCHITECTURE.md names no such room")
		}
	}
	return broken, nil
}

func imports(name string, text []byte) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, len(file.Imports))
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, path)
	}
	return out, nil
}
