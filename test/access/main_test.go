package access

import (
	"os"
	"testing"

	"github.com/colophon-dev/colophon/devstack/child"
	"github.com/colophon-dev/colophon/devstack/postgres"
	"github.com/colophon-dev/colophon/devstack/s3"
)

// TestMain lets the test binary be the child that looks after a server.
func TestMain(m *testing.M) {
	if child.Main(map[string]child.Role{s3.RoleName: s3.Role, postgres.RoleName: postgres.Role}) {
		return
	}
	os.Exit(m.Run())
}
