// Package operate holds the operator's commands: prepare an installation, prove it, move it on.
package operate

import (
	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
)

// commands are those of this room, over what all commands share.
type commands struct{ *cli.Tool }

// Commands returns the commands of this room.
func Commands(t *cli.Tool) []*cobra.Command {
	c := commands{t}
	return []*cobra.Command{c.verifyCommand(), c.retryCommand(), c.affectedCommand(), c.reparseCommand(), c.reannotateCommand(), c.reconcileCommand(), c.indexCommand(), c.provisionCommand(), c.migrateCommand(), c.versionCommand(), c.environmentCommand()}
}
