package imports_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/test/imports"
)

// isPublic reports whether a package may export what nobody here uses: it is for crawlers
// and consumers, or for tests.
func isPublic(folder string) bool {
	for _, public := range []string{"pkg/sdk", "pkg/model", "pkg/devtest", "test", "tools"} {
		if folder == public || strings.HasPrefix(folder, public+"/") {
			return true
		}
	}
	return slices.Contains([]string{"pagetest", "containertest", "splittest", "drawn"}, filepath.Base(folder))
}

// exportedAllTheSame says of names that no code, or no other package, uses why they are exported.
func exportedAllTheSame() map[string]string {
	return map[string]string{
		"cmd/colophon/internal/cli/operate.VerifySweep": "the command's tests read what a sweep that was cut short has counted",
		"pkg/access.Find":                    "tests of the catalog take a role by its name",
		"pkg/catalog.DB.DropSchema":          "tests of services lose their catalog, and clean up with it",
		"pkg/catalog.DB.ForgetEmbeddings":    "a takedown must call it (contracts#takedown); there is none yet",
		"pkg/catalog.DB.QuoteWords":          "a test of the gateway holds its words against those of the catalog",
		"pkg/config.Secret.LogValue":         "slog asks for it",
		"pkg/config.Secret.MarshalText":      "encoding asks for it",
		"pkg/extract.Assemble":               "where all kinds of files end, as ARCHITECTURE.md says",
		"pkg/ocr/tesseract.Package":          "what is installed, beside Name",
		"pkg/pdfium.Version":                 "the engine on whose memory the package relies",
		"pkg/statement.KindOf":               "beside the other answers about a document",
		"pkg/statement.Rows":                 "what a language's tables say, for who adds one",
		"pkg/telemetry.Nop":                  "what tests of services give to New",
		"pkg/vectorstore.Client.RemoveAlias": "tests of gateway and verify lose their collection",

		"pkg/credential/rpc.Transport.ClientHandshake":    "gRPC asks for it",
		"pkg/credential/rpc.Transport.OverrideServerName": "gRPC asks for it",
		"pkg/credential/rpc.Transport.ServerHandshake":    "gRPC asks for it",

		"services/gateway/internal/api.EntitiesAnswer":   "an answer of docs/api.md, as the others are",
		"services/gateway/internal/api.EntityListAnswer": "an answer of docs/api.md, as the others are",
		"services/gateway/internal/api.HealthAnswer":     "an answer of docs/api.md, as the others are",
		"services/gateway/internal/api.OutlineAnswer":    "an answer of docs/api.md, as the others are",
		"services/gateway/internal/api.PageAnswer":       "the description of the API and its tests know the answer by it; the code writes it unit by unit",
	}
}

// TestExportedNamesAreUsed: what a package exports is asked for by another one, else it is its own affair.
func TestExportedNamesAreUsed(t *testing.T) {
	root := filepath.Join("..", "..")
	files, err := imports.Files(root)
	if err != nil {
		t.Fatal(err)
	}
	unused, err := imports.UnusedNames(root, files, isPublic)
	if err != nil {
		t.Fatal(err)
	}
	excepted := exportedAllTheSame()
	for _, name := range unused {
		name, why, _ := strings.Cut(name, ": ")
		if excepted[name] == "" {
			t.Errorf("%s is exported, and %s: it goes, or begins with a small letter", name, why)
		}
		delete(excepted, name)
	}
	for name := range excepted {
		t.Errorf("%s is excepted, and used, or not there", name)
	}
}

// TestUnusedNamesAreFound writes a package with what may be exported and what may not.
func TestUnusedNamesAreFound(t *testing.T) {
	root := t.TempDir()
	var files []imports.File
	for name, text := range map[string]string{
		"a/a.go": `package a

type Shown struct{ Inner Inner }
type Inner int
type Maker interface{ Make() }
type Hidden struct{}
const (
	WordOne = 1
	WordTwo = 2
	WordDead = 3
)
const Alone = 4
var ErrOwn = f()
func f() error { _ = WordTwo + Alone; Own(); Tested(); new(Hidden).Call(); return ErrOwn }
func Own() {}
func Used() Shown { return Shown{} }
func Tested() {}
func OnlyTested() {}
func Dead() {}
func (Hidden) Call() {}
func (Shown) Make() {}
func (Shown) Take() {}
`,
		"a/in_test.go":    "package a\nfunc g() { Dead(); Own() }",
		"a/out_test.go":   "package a_test\nimport \"" + imports.Module + "a\"\nfunc g() { a.Tested(); a.OnlyTested() }",
		"b/b.go":          "package b\nimport x \"" + imports.Module + "a\"\nfunc g() { x.Used().Take(); _ = x.WordOne }",
		"c/c.go":          "//go:build faults\n\npackage c\nfunc Public() {}",
		"c/main/main.go":  "package main\nfunc Main() {}",
		"c/tagged/tag.go": "//go:build faults\n\npackage tagged\nfunc Tagged() {}",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, imports.File{Path: name})
	}
	got, err := imports.UnusedNames(root, files, func(folder string) bool { return folder == "c" })
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a.Alone: no other package uses it", "a.Dead: no code uses it", "a.Hidden.Call: no other package uses it",
		"a.Hidden: no other package uses it", "a.Maker: no code uses it", "a.OnlyTested: no code uses it",
		"a.Own: no other package uses it", "a.WordDead: no code uses it", "c/tagged.Tagged: no code uses it",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
