// Command generate writes the files that are made from the code: schemas, the
// pages of docs/schema and the AsyncAPI document, docs/telemetry.md, and the alerts and
// dashboards of deploy/k8s/components/monitoring. Run it at the root.
package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/colophon-dev/colophon/test/monitoring"
	"github.com/colophon-dev/colophon/test/schema"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	files, err := schema.Files(root)
	if err != nil {
		return err
	}
	operating, err := monitoring.Files()
	if err != nil {
		return err
	}
	maps.Copy(files, operating)
	for _, old := range []string{"docs/schema", "pkg/event/schemas", "deploy/k8s/components/monitoring/dashboards"} {
		if err := os.RemoveAll(filepath.Join(root, old)); err != nil {
			return err
		}
	}
	for path, data := range files {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
