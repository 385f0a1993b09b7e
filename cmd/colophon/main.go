// Command colophon runs the whole system on one machine and is its operators'
// tool (contracts 10): one file a command, each of which parses, calls and
// prints.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/colophon-dev/colophon/devstack"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	ocrchild "github.com/colophon-dev/colophon/pkg/ocr/child"
	"github.com/colophon-dev/colophon/pkg/sandbox"
)

func main() {
	if devstack.ChildMain() || sandbox.Child(roles()) {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// roles are what this program's children can be.
func roles() map[string]sandbox.Role {
	return map[string]sandbox.Role{child.RoleName: child.Role, child.DrawRoleName: child.DrawRole, ocrchild.RoleName: ocrchild.Role}
}
