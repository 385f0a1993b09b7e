package imports_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/test/imports"
)

func TestTheTreeKeepsItsFloors(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	broken, err := imports.CheckTree(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range broken {
		t.Error(b)
	}
}

func TestWrongImportsAreFound(t *testing.T) {
	const m = imports.Module
	cases := []struct {
		path, imp string
		wrong     bool
	}{
		{"pkg/digest/ids.go", m + "pkg/catalog", true},
		{"pkg/digest/ids.go", m + "pkg/model", true},
		{"pkg/digest/ids.go", m + "pkg/redact", false},
		{"pkg/model/unit.go", m + "pkg/telemetry", true},
		{"pkg/proof/header/header.go", m + "pkg/stream", true},
		{"pkg/catalog/runs.go", m + "pkg/stream", true},
		{"pkg/catalog/runs.go", m + "pkg/model", false},
		{"pkg/catalog/runs.go", "github.com/jackc/pgx/v5", false},
		{"pkg/stream/runner.go", "github.com/jackc/pgx/v5", true},
		{"services/chunker/internal/stage/stage.go", "github.com/nats-io/nats.go", true},
		{"services/chunker/internal/stage/stage.go", m + "pkg/catalog", true},
		{"services/chunker/internal/stage/stage.go", m + "pkg/stream", false},
		{"services/chunker/app/app.go", m + "pkg/catalog", false},
		{"services/chunker/internal/stage/stage.go", m + "services/indexer/app", true},
		{"services/chunker/internal/stage/stage.go", m + "services/chunker/app", true},
		{"services/chunker/app/app.go", m + "pkg/llm/chat", true},
		{"services/gateway/internal/api/api.go", m + "pkg/llm/chat", true},
		{"cmd/colophon/main.go", m + "pkg/llm/chat", true},
		{"services/annotator/app/stores.go", m + "pkg/llm/chat", false},
		{"services/chunker/main.go", m + "services/chunker/app", false},
		{"cmd/colophon/internal/cli/local/dev.go", m + "services/chunker/app", false},
		{"cmd/colophon/internal/cli/local/dev.go", m + "services/chunker/internal/stage", true},
		{"cmd/colophon/internal/cli/local/dev.go", m + "devstack", false},
		{"pkg/blobstore/store.go", m + "devstack", true},
		{"devstack/stack.go", m + "pkg/stream", true},
		{"devstack/nats/nats.go", "github.com/nats-io/nats.go", false},
		{"pkg/stream/run.go", m + "services/chunker/app", true},
		{"pkg/extract/html/html.go", m + "pkg/blobstore", true},
		{"pkg/container/warc/reader.go", m + "pkg/catalog", true},
		{"pkg/extract/html/html.go", "github.com/tetratelabs/wazero", true},
		{"pkg/sdk/sdk.go", m + "pkg/stream", false},
		{"pkg/sdk/sdk.go", m + "pkg/blobstore", true},
		{"pkg/sdk/inbox/inbox.go", m + "pkg/blobstore", false},
		{"pkg/sdk/inbox/inbox.go", m + "pkg/catalog", true},
		{"pkg/devtest/devtest.go", m + "pkg/stream", true},
		{"pkg/devtest/devtest.go", m + "pkg/devtest/stagetest", true},
		{"pkg/devtest/stagetest/world.go", m + "pkg/devtest", false},
		{"services/capturer/app/app.go", m + "pkg/devtest", true},
		{"test/bench/measure.go", m + "pkg/devtest", false},
		{"pkg/devtest/stagetest/world.go", m + "pkg/devtest/stagetest/base", false},
		{"pkg/devtest/stagetest/base/world.go", m + "pkg/catalog", false},
		{"pkg/devtest/stagetest/world.go", m + "services/chunker/app", true},
		{"services/chunker/app/app.go", m + "pkg/devtest/stagetest", true},
		{"services/chunker/app/app.go", m + "pkg/devtest", true},
		{"services/chunker/app/app_test.go", m + "pkg/devtest", false},
		{"pkg/ocr/child/client.go", m + "pkg/extract/child", true},
		{"pkg/ocr/reading/read.go", m + "pkg/language", false},
		{"pkg/layout/line.go", m + "pkg/ocr", true},
		{"pkg/extract/scan/scan.go", m + "pkg/ocr/picture", false},
		{"pkg/extract/child/client.go", m + "pkg/sandbox", false},
		{"pkg/sandbox/pool.go", m + "pkg/extract/block", true},
		{"pkg/blobstore/store.go", m + "pkg/container/warc", true},
		{"pkg/verify/member.go", m + "pkg/container/warc", false},
		{"pkg/reconcile/pass.go", m + "services/chunker/app", true},
		{"pkg/model/unit.go", m + "pkg/event", true},
		{"pkg/event/data.go", m + "pkg/model", false},
		{"pkg/language/detect.go", m + "pkg/layout", true},
		{"pkg/telemetry/telemetry.go", m + "pkg/process", true},
		{"pkg/process/run.go", m + "pkg/telemetry", false},
		{"pkg/attic/attic.go", m + "pkg/model", true},
		{"pkg/verify/verify.go", m + "pkg/attic", true},
		{"services/gateway/app/app.go", m + "pkg/reconcile", true},
		{"services/janitor/internal/rounds/rounds.go", m + "pkg/reconcile", false},
		{"cmd/colophon/internal/cli/operate/retry.go", m + "pkg/reconcile", false},
		{"cmd/colophon/internal/cli/export/export.go", m + "pkg/reconcile", true},
	}
	floors, err := imports.ReadFloors("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		got := floors.Check(c.path, []string{c.imp})
		if (len(got) > 0) != c.wrong {
			t.Errorf("%s importing %s: %v, want wrong=%v", c.path, c.imp, got, c.wrong)
		}
	}
}

// TestATableThatSaysTooLittle: what ReadFloors refuses.
func TestATableThatSaysTooLittle(t *testing.T) {
	for name, rows := range map[string]string{
		"no table":        "Nothing.",
		"no room":         "| words, `pkg/` | something | each other |",
		"two floors":      "| words, `pkg/` | `a` one | each other |\n| craft, `pkg/` | `a` two | words |",
		"an unknown one":  "| words, `pkg/` | `a` one | cellars |",
		"one that is not": "| words, `pkg/` | `a` one | craft |\n| craft, `pkg/` | `b` two | words |",
	} {
		path := filepath.Join(t.TempDir(), "ARCHITECTURE.md")
		if err := os.WriteFile(path, []byte(rows+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if floors, err := imports.ReadFloors(path); err == nil {
			t.Errorf("%s: %+v", name, floors)
		}
	}
}

// TestTheSDKIsLight: what a crawler links beside the standard library.
func TestTheSDKIsLight(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", imports.Module+"pkg/sdk").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := slices.Compact(slices.Sorted(strings.FieldsSeq(string(out))))
	light := []string{
		"github.com/caarlos0/env/v11", "github.com/cespare/xxhash/v2", "github.com/colophon-dev/colophon/pkg", "github.com/go-json-experiment/json",
		"github.com/google/uuid", "github.com/klauspost/compress", "github.com/nats-io/nats.go", "github.com/nats-io/nkeys",
		"github.com/nats-io/nuid", "go.opentelemetry.io/otel", "go.opentelemetry.io/otel/metric", "go.opentelemetry.io/otel/trace",
		"golang.org/x/crypto", "golang.org/x/net", "golang.org/x/sys", "golang.org/x/text",
	}
	for _, module := range linked {
		if !slices.Contains(light, module) {
			t.Errorf("pkg/sdk links %s", module)
		}
	}
}
