// Command extractor runs the extractor alone.
//
//	PAGES ─▶ extract ─▶ IR segment, page rows ─▶ IR
//	PAGES ─▶ ocr ─────▶ OCR results ──────────▶ PAGES
package main

import (
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	ocrchild "github.com/colophon-dev/colophon/pkg/ocr/child"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/pkg/sandbox"
	"github.com/colophon-dev/colophon/services/extractor/app"
)

func main() {
	if sandbox.Child(map[string]sandbox.Role{child.RoleName: child.Builtin().Role, ocrchild.RoleName: ocrchild.Role(child.Builtin().Openers())}) {
		return
	}
	process.Main(app.Name, app.New, func(c app.Config) (config.Telemetry, config.Health) { return c.Telemetry, c.Health })
}
