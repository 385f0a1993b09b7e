package main

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// TestTheGatewayIsAskedByItsAuthority: a gateway with a certificate is asked where an
// authority that is named, or one of the system, has signed that, and not otherwise; one
// without is asked whatever file is named, since overlays name it for both.
func TestTheGatewayIsAskedByItsAuthority(t *testing.T) {
	t.Chdir(t.TempDir())
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"hits":[]}`) })
	open, sealed := httptest.NewServer(answer), httptest.NewTLSServer(answer)
	defer open.Close()
	defer sealed.Close()
	folder := t.TempDir()
	own, empty, missing := filepath.Join(folder, "ca.crt"), filepath.Join(folder, "empty.crt"), filepath.Join(folder, "missing.crt")
	for path, content := range map[string][]byte{
		own: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: sealed.Certificate().Raw}), empty: nil,
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		url, file string
		want      int
		says      []string
	}{
		"by its authority":               {sealed.URL, own, 0, nil},
		"by the system's":                {sealed.URL, "", 4, []string{"the gateway does not answer", "certificate"}},
		"by a file without one":          {sealed.URL, empty, 4, []string{"COLOPHON_GATEWAY_CA_FILE", empty}},
		"by a file that is not there":    {sealed.URL, missing, 4, []string{"COLOPHON_GATEWAY_CA_FILE", missing}},
		"without a certificate":          {open.URL, "", 0, nil},
		"without one, and a file for it": {open.URL, missing, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("COLOPHON_GATEWAY_URL", c.url)
			t.Setenv("COLOPHON_GATEWAY_CA_FILE", c.file)
			refuse(t, c.want, c.says, "search", "mill")
		})
	}
}
