// Command gateway runs the gateway alone.
//
//	Postgres, S3, Qdrant ─▶ HTTP: search, chunks and their proofs, documents, captured bytes, pictures of pages
package main

import (
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/pkg/sandbox"
	"github.com/colophon-dev/colophon/services/gateway/app"
)

func main() {
	if sandbox.Child(map[string]sandbox.Role{child.RoleName: child.Builtin().Role, child.DrawRoleName: child.Builtin().DrawRole}) {
		return
	}
	process.Main(app.Name, app.New, func(c app.Config) (config.Telemetry, config.Health) { return c.Telemetry, c.Health })
}
