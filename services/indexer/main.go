// Command indexer runs the indexer alone.
//
//	CHUNKS ─▶ index ─▶ points and their rows ─▶ VECTORS
package main

import (
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/services/indexer/app"
)

func main() {
	process.Main(app.Name, app.New, func(c app.Config) (config.Telemetry, config.Health) { return c.Telemetry, c.Health })
}
