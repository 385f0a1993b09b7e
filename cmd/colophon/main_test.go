package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/colophon-dev/colophon/devstack"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/pkg/sandbox"
	annotator "github.com/colophon-dev/colophon/services/annotator/app"
	capturer "github.com/colophon-dev/colophon/services/capturer/app"
	chunker "github.com/colophon-dev/colophon/services/chunker/app"
	extractor "github.com/colophon-dev/colophon/services/extractor/app"
	gateway "github.com/colophon-dev/colophon/services/gateway/app"
	indexer "github.com/colophon-dev/colophon/services/indexer/app"
	janitor "github.com/colophon-dev/colophon/services/janitor/app"
	splitter "github.com/colophon-dev/colophon/services/splitter/app"
)

func TestMain(m *testing.M) {
	if devstack.ChildMain() || sandbox.Child(roles(added().Kinds)) {
		return
	}
	if serve, ok := services()[filepath.Base(os.Args[0])]; ok {
		serve()
		return
	}
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// services are the mains of the services: this test binary is one of them under its
// name, so that tests need no other.
func services() map[string]func() {
	return map[string]func(){
		"gateway": func() {
			process.Main(gateway.Name, gateway.New, func(c gateway.Config) (config.Telemetry, config.Health) { return c.Telemetry, c.Health })
		},
		"annotator": func() {
			process.Main(annotator.Name, annotator.New, func(c annotator.Config) (config.Telemetry, config.Health) { return c.Telemetry, c.Health })
		},
		"janitor": func() {
			process.Main(janitor.Name, janitor.New, func(c janitor.Config) (config.Telemetry, config.Health) { return c.Telemetry, c.Health })
		},
		"indexer": func() {
			process.Main(indexer.Name, indexer.New, func(c indexer.Config) (config.Telemetry, config.Health) { return c.Telemetry, c.Health })
		},
		"chunker": func() {
			process.Main(chunker.Name, chunker.New, func(c chunker.Config) (config.Telemetry, config.Health) { return c.Telemetry, c.Health })
		},
		"extractor": func() {
			process.Main(extractor.Name, extractor.New, func(c extractor.Config) (config.Telemetry, config.Health) { return c.Telemetry, c.Health })
		},
		"splitter": func() {
			process.Main(splitter.Name, splitter.New, func(c splitter.Config) (config.Telemetry, config.Health) { return c.Telemetry, c.Health })
		},
		"capturer": func() {
			process.Main(capturer.Name, capturer.New, func(c capturer.Config) (config.Telemetry, config.Health) { return c.Telemetry, c.Health })
		},
	}
}
