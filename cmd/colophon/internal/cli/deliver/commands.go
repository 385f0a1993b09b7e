// Package deliver keeps other stores equal to what is known of chunks.
package deliver

import (
	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
)

// commands are those of this room, over what all commands share.
type commands struct{ *cli.Tool }

// Commands returns the commands of this room.
func Commands(t *cli.Tool) []*cobra.Command { return []*cobra.Command{commands{t}.sinkCommand()} }
