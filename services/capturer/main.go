// Command capturer runs the capturer alone.
//
//	REQUESTS ─▶ capture ─▶ raw bytes, capture, document and snapshot rows ─▶ SNAPSHOTS, OUTCOMES
package main

import (
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/services/capturer/app"
)

func main() {
	process.Main(app.Name, app.New, func(c app.Config) (config.Telemetry, config.Health) { return c.Telemetry, c.Health })
}
