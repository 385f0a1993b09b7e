// Command annotator runs the annotator alone.
//
//	IR ─▶ entities ─▶ entities of pages ─▶ ENTITIES
package main

import (
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/services/annotator/app"
)

func main() {
	process.Main(app.Name, app.New, func(c app.Config) (config.Telemetry, config.Health) { return c.Telemetry, c.Health })
}
