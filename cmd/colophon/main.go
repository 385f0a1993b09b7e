// Command colophon runs the whole system on one machine and is its operators' tool. Its
// commands are in internal/cli, in rooms by what they do; this package holds them
// together, and their tests on whole systems.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/colophon-dev/colophon/devstack"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	ocrchild "github.com/colophon-dev/colophon/pkg/ocr/child"
	"github.com/colophon-dev/colophon/pkg/sandbox"
)

func main() {
	if devstack.ChildMain() || sandbox.Child(roles(child.Builtin())) {
		return
	}
	ended := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		ended = append(ended, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ended...)
	ctx, cancel := context.WithCancelCause(ctx)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a write says so instead: temporary systems have an end
	code := run(ctx, os.Args[1:], heard{os.Stdout, cancel}, os.Stderr)
	unheard := errors.Is(context.Cause(ctx), errUnheard)
	cancel(nil)
	stop()
	if unheard {
		signal.Reset(syscall.SIGPIPE)
		_, _ = os.Stdout.WriteString("\n") // ends the process by that signal, as a shell expects
	}
	os.Exit(code)
}

// roles are what this program's children can be, for these kinds of files.
func roles(kinds child.Kinds) map[string]sandbox.Role {
	return map[string]sandbox.Role{child.RoleName: kinds.Role, child.DrawRoleName: kinds.DrawRole, ocrchild.RoleName: ocrchild.Role(kinds.Openers())}
}
