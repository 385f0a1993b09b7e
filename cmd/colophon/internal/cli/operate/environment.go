package operate

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/deliver"
	"github.com/colophon-dev/colophon/pkg/config"
	annotator "github.com/colophon-dev/colophon/services/annotator/app"
	capturer "github.com/colophon-dev/colophon/services/capturer/app"
	chunker "github.com/colophon-dev/colophon/services/chunker/app"
	extractor "github.com/colophon-dev/colophon/services/extractor/app"
	gateway "github.com/colophon-dev/colophon/services/gateway/app"
	indexer "github.com/colophon-dev/colophon/services/indexer/app"
	janitor "github.com/colophon-dev/colophon/services/janitor/app"
	splitter "github.com/colophon-dev/colophon/services/splitter/app"
)

// EnvironmentCommand prints docs/environment.md, for `make generate`.
func (c commands) environmentCommand() *cobra.Command {
	return &cobra.Command{
		Use: "environment", Short: "Print the page of all settings", Hidden: true, Args: cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			page, err := config.Document(
				config.Reader{Name: capturer.Name, Config: capturer.Config{}},
				config.Reader{Name: splitter.Name, Config: splitter.Config{}},
				config.Reader{Name: extractor.Name, Config: extractor.Config{}},
				config.Reader{Name: chunker.Name, Config: chunker.Config{}},
				config.Reader{Name: annotator.Name, Config: annotator.Config{}},
				config.Reader{Name: indexer.Name, Config: indexer.Config{}},
				config.Reader{Name: gateway.Name, Config: gateway.Config{}},
				config.Reader{Name: janitor.Name, Config: janitor.Config{}},
				config.Reader{Name: "colophon", Config: cli.Settings{}},
				config.Reader{Name: "colophon sink", Config: deliver.Settings{}},
			)
			if err != nil {
				return err
			}
			_, err = io.WriteString(c.Out, page)
			return err
		},
	}
}
