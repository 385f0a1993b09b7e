// Package follow shows what becomes of documents, and what is found of them.
package follow

import (
	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
)

// commands are those of this room, over what all commands share.
type commands struct{ *cli.Tool }

// Commands returns the commands of this room.
func Commands(t *cli.Tool) []*cobra.Command {
	c := commands{t}
	return []*cobra.Command{c.statusCommand(), c.showCommand(), c.searchCommand(), c.checkQuoteCommand(), c.askCommand(), c.contextCommand(), c.tailCommand(), c.dlqCommand()}
}
