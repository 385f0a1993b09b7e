package imports_test

import (
	"path/filepath"
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
		{"pkg/digest/ids.go", m + "pkg/model", false},
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
		{"services/chunker/main.go", m + "services/chunker/app", false},
		{"cmd/colophon/dev.go", m + "services/chunker/app", false},
		{"cmd/colophon/dev.go", m + "services/chunker/internal/stage", true},
		{"cmd/colophon/dev.go", m + "devstack", false},
		{"pkg/blobstore/store.go", m + "devstack", true},
		{"devstack/stack.go", m + "pkg/stream", true},
		{"devstack/nats/nats.go", "github.com/nats-io/nats.go", false},
		{"pkg/stream/run.go", m + "services/chunker/app", true},
		{"pkg/extract/html/html.go", m + "pkg/blobstore", true},
		{"pkg/extract/html/html.go", "github.com/tetratelabs/wazero", true},
		{"pkg/devtest/devtest.go", m + "pkg/stream", true},
		{"services/chunker/app/app.go", m + "pkg/devtest", true},
		{"services/chunker/app/app_test.go", m + "pkg/devtest", false},
	}
	for _, c := range cases {
		got := imports.Check(c.path, []string{c.imp})
		if (len(got) > 0) != c.wrong {
			t.Errorf("%s importing %s: %v, want wrong=%v", c.path, c.imp, got, c.wrong)
		}
	}
}
