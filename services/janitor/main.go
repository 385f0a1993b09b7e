// Command janitor runs the janitor alone.
//
//	every ten minutes ─▶ Postgres: what stands still ─▶ its event again ─▶ the streams
//	every day         ─▶ S3: objects without a row   ─▶ deleted
package main

import (
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/services/janitor/app"
)

func main() {
	process.Main(app.Name, app.New, func(c app.Config) (config.Telemetry, config.Health) { return c.Telemetry, c.Health })
}
