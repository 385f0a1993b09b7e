// Package imports holds the floors of ARCHITECTURE.md as one table and checks
// source files against it: words import no store, stores import no other
// store, a driver has one importer, services never meet.
package imports

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Module is the path that all modules of the repository begin with.
const Module = "github.com/colophon-dev/colophon/"

// words are the packages of the ground floor: no I/O.
func words() []string {
	return []string{"redact", "digest", "model", "event", "fault", "segment", "retrieval", "running", "proof", "instrument"}
}

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
	}
}

// stores are the packages of the first floor that drive a server.
func stores() []string { return []string{"blobstore", "catalog", "stream", "vectorstore", "llm"} }

// Check returns why the file at path (relative to the repository's root, with
// forward slashes) may not import what it imports, or nothing.
func Check(path string, imported []string) []string {
	if strings.HasSuffix(path, "_test.go") {
		return nil
	}
	folder := path[:strings.LastIndex(path, "/")+1]
	var broken []string
	for _, imp := range imported {
		if why := check(strings.TrimSuffix(folder, "/"), imp); why != "" {
			broken = append(broken, fmt.Sprintf("%s imports %s: %s", path, imp, why))
		}
	}
	return broken
}

func check(folder, imp string) string {
	exempt := within(folder, "devstack") || within(folder, "test") || within(folder, "tools")
	for prefix, home := range drivers() {
		if strings.HasPrefix(imp, prefix) && !within(folder, home) && !exempt {
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
	case within(folder, "pkg/devtest"):
		return "devtest uses the standard library only"
	case within(rest, "pkg/devtest"):
		return "devtest is for tests"
	case within(folder, "pkg"):
		return checkPkg(folder, rest)
	case within(folder, "services"):
		return checkService(folder, rest)
	case within(folder, "cmd") && within(rest, "services") && !strings.HasSuffix(rest, "/app"):
		return "a service is entered through its app"
	}
	return ""
}

func checkPkg(folder, rest string) string {
	from, to := strings.Split(folder, "/")[1], strings.Split(rest, "/")[1]
	switch {
	case slices.Contains(words(), from) && !slices.Contains(words(), to):
		return "words import only words"
	case slices.Contains(stores(), from) && slices.Contains(stores(), to) && from != to:
		return "a store imports no other store"
	case (from == "extract" || from == "pdfium" || from == "ocr" || from == "container") && slices.Contains(stores(), to):
		return "craft knows no store"
	case from == "sdk" && to != "sdk" && to != "stream" && !slices.Contains(words(), to) && (folder != "pkg/sdk/inbox" || to != "blobstore"):
		return "a crawler links words and the bus, and the object store by sdk/inbox only"
	}
	return ""
}

// checkService holds the rules of services. The gateway has no stage: it reads
// the stores in their own words.
func checkService(folder, rest string) string {
	service := strings.Split(folder, "/")[1]
	switch {
	case within(rest, "services") && !within(rest, "services/"+service):
		return "services never import each other"
	case strings.HasSuffix(rest, "/app") && folder != "services/"+service:
		return "only main.go and cmd/colophon import app"
	case service != "gateway" && within(folder, "services/"+service+"/internal") && isStoreOtherThanStream(rest):
		return "a stage declares the methods that it needs; app names the store"
	}
	return ""
}

func isStoreOtherThanStream(rest string) bool {
	if !within(rest, "pkg") {
		return false
	}
	name := strings.Split(rest, "/")[1]
	return name != "stream" && slices.Contains(stores(), name)
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// CheckTree checks every Go file below root, except testdata and hidden
// folders.
func CheckTree(root string) ([]string, error) {
	var broken []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != root && (name == "testdata" || strings.HasPrefix(name, ".") || name == "bin") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		imported, err := imports(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		broken = append(broken, Check(filepath.ToSlash(rel), imported)...)
		return nil
	})
	return broken, err
}

func imports(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
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
