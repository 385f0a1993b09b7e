package follow

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
)

// A page is shown as the API serves it with evidence, byte for byte; nothing else is shown so.
func TestShowHTML(t *testing.T) {
	const page = `<section data-page="1"><p>It costs <span data-docxt="evidence" data-key="bmp:x">5 &lt; 6</span></p></section>`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.String() != "/v1/snapshots/snap_a/pages/3.html?evidence=true" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(page))
	}))
	t.Cleanup(server.Close)
	t.Setenv("COLOPHON_GATEWAY_URL", server.URL)
	show := func(asJSON bool, args ...string) (string, error) {
		var out strings.Builder
		command := commands{&cli.Tool{Out: &out, Dir: t.TempDir(), JSON: asJSON}}.showCommand()
		command.SetArgs(args)
		command.SilenceErrors, command.SilenceUsage = true, true
		command.SetContext(t.Context())
		err := command.Execute()
		return out.String(), err
	}
	if out, err := show(false, "page", "--html", "snap_a/3"); err != nil || out != page {
		t.Errorf("%q, %v", out, err)
	}
	for _, wrong := range [][]string{{"page", "--html", "snap_a"}, {"page", "--html", "snap_a/3/4"}, {"page", "--html", "snap_a/"}, {"chunk", "--html", "a:0"}, {"page", "--html", "snap_b/1"}} {
		if out, err := show(false, wrong...); err == nil || out != "" {
			t.Errorf("%v: %q", wrong, out)
		}
	}
	if out, err := show(true, "page", "--html", "snap_a/3"); err == nil {
		t.Errorf("as JSON: %q", out)
	}
}
