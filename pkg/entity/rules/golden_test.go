package rules_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/rules"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/html"
	"github.com/colophon-dev/colophon/pkg/extract/render"
	"github.com/colophon-dev/colophon/pkg/model"
)

// The founding document's golden files: of each captured page in testdata/captured the normalised HTML with its markers, and
// the JSON of what is found in it (seeds#extraction). They change with -args -update only.
func TestGoldenPages(t *testing.T) {
	captured, err := filepath.Glob(filepath.Join("testdata", "captured", "*.html"))
	if err != nil || len(captured) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, path := range captured {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		snap := model.Snapshot{SnapshotID: "snap_golden", SourceID: "golden", SnapshotKind: model.KindHTML, URL: "https://example.org/" + name}
		frame, err := extract.Extractors{model.KindHTML: html.Extractor{}}.Extract(context.Background(), extract.Input{Raw: raw, Snapshot: snap}, 1)
		if err != nil {
			t.Fatal(err)
		}
		page := rules.Extract(entity.PageOf(frame.Page, frame.Units, nil))
		found, err := json.MarshalIndent(page, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Entities) < 4 {
			t.Errorf("%s: %d entities", name, len(page.Entities))
		}
		holdGolden(t, filepath.Join("testdata", "normalised", name), []byte(render.HTML(frame, "golden", nil)))
		holdGolden(t, filepath.Join("testdata", "normalised", name+".json"), append(found, '\n'))
	}
}

func holdGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s is written again", path)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs:\n%s", path, got)
	}
}
