package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/capture"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/convert"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/deliver"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/export"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/follow"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/local"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/operate"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/sources"
)

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := &told{Writer: stdout}
	c := &cli.Tool{Out: out, Err: stderr}
	root := rootOf(c)
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(stderr)
	err := cli.Interrupted(ctx, root.ExecuteContext(ctx))
	if err == nil || errors.Is(err, cli.ErrFailed) {
		err = cmp.Or(out.failed(), err)
	}
	code := cli.ExitCode(err)
	switch {
	case err == nil, errors.Is(err, cli.ErrFailed), errors.Is(context.Cause(ctx), errUnheard):
	case c.JSON:
		_ = cli.WriteJSON(stderr, problemLine{Error: cli.Sentence(err), Exit: code}) // nobody is left to tell
	default:
		fmt.Fprintf(stderr, "colophon: %s\n", cli.Shown(cli.Sentence(err)))
	}
	return code
}

// problemLine is an error with --json.
type problemLine struct {
	Error string `json:"error"`
	Exit  int    `json:"exit"` // the exit status
}

// rootOf is the command that all others stand below.
func rootOf(c *cli.Tool) *cobra.Command {
	root := &cobra.Command{
		Use:           "colophon",
		Short:         "Turns captured documents into searchable chunks that prove where they come from",
		Long:          "Colophon turns captured documents into searchable chunks that each prove\nwhere they come from, down to the captured bytes.\n\nExit status: 0 done, 1 internal error, 2 wrong usage or settings, 3 something\nfailed, was interrupted, is not there or does not verify, 4 not reachable.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return cli.Usage(err) })
	flags := root.PersistentFlags()
	flags.StringVar(&c.Dir, "dir", ".colophon", "development folder whose endpoints.env is used when the environment names no server, and in any case when it is given")
	c.DirFlag = flags.Lookup("dir")
	flags.BoolVar(&c.JSON, "json", false, "print JSON for programs, errors as well (on standard error)")
	flags.BoolVar(&c.Progress, "progress", false, "show progress also where standard error is no terminal")
	for _, commands := range []func(*cli.Tool) []*cobra.Command{
		local.Commands, convert.Commands, capture.Commands, follow.Commands, export.Commands, deliver.Commands, operate.Commands, sources.Commands,
	} {
		root.AddCommand(commands(c)...)
	}
	return root
}
