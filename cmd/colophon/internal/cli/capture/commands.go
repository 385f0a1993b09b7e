// Package capture hands documents over and follows them to their end.
package capture

import (
	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
)

// commands are those of this room, over what all commands share.
type commands struct{ *cli.Tool }

// Commands returns the commands of this room.
func Commands(t *cli.Tool) []*cobra.Command {
	c := commands{t}
	return []*cobra.Command{c.captureCommand(), c.knowledgeCommand()}
}
