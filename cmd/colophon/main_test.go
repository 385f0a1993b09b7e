package main

import (
	"os"
	"testing"

	"github.com/colophon-dev/colophon/devstack"
	"github.com/colophon-dev/colophon/pkg/sandbox"
)

func TestMain(m *testing.M) {
	if devstack.ChildMain() || sandbox.Child(roles()) {
		return
	}
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}
