package main

import (
	"os"
	"testing"

	"github.com/colophon-dev/colophon/devstack"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/sandbox"
)

func TestMain(m *testing.M) {
	if devstack.ChildMain() || sandbox.Child(map[string]sandbox.Role{child.RoleName: child.Role}) {
		return
	}
	os.Exit(m.Run())
}
