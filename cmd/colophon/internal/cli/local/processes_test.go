package local

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/process"
)

// TestAServiceThatIsGivenUpIsNamedOnce lets a service die too often: the sentence of dev
// says its name once, and where its words are.
func TestAServiceThatIsGivenUpIsNamedOnce(t *testing.T) {
	p := &serviceProcess{name: "capturer", path: "/bin/false", output: io.Discard}
	p.supervisor.Delay = time.Microsecond
	err := process.Run(t.Context(), process.Options{Health: config.Health{Addr: "off"}}, p)
	want := "capturer: it died 5 times within 1m0s and is not started again (log: what it wrote on standard error); the last time: exit status 1"
	if err == nil || !strings.Contains(err.Error(), want) || cli.ExitCode(err) != cli.ExitInternal {
		t.Errorf("exit %d: %v, want %q", cli.ExitCode(err), err, want)
	}
}
