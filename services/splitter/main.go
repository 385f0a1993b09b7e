// Command splitter runs the splitter alone.
//
//	SNAPSHOTS ─▶ split ─▶ run and page rows, facts ─▶ PAGES
package main

import (
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/pkg/sandbox"
	"github.com/colophon-dev/colophon/services/splitter/app"
)

func main() {
	if sandbox.Child(map[string]sandbox.Role{child.RoleName: child.Builtin().Role}) {
		return
	}
	process.Main(app.Name, app.New, func(c app.Config) (config.Telemetry, config.Health) { return c.Telemetry, c.Health })
}
