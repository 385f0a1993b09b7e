// Command chunker runs the chunker alone.
//
//	IR ─▶ chunk ─▶ chunks, what is current, chunk log ─▶ CHUNKS, OUTCOMES
package main

import (
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/services/chunker/app"
)

func main() {
	process.Main(app.Name, app.New, func(c app.Config) (config.Telemetry, config.Health) { return c.Telemetry, c.Health })
}
