package llm_test

import (
	"testing"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/llm"
)

// TestTheFormerModelIsConnectedToAsItsAddressAsks: nothing that we prove ourselves by goes
// to another address, and settings of an address without certificates do not stop the start.
func TestTheFormerModelIsConnectedToAsItsAddressAsks(t *testing.T) {
	const here, elsewhere, plain = "https://models.example/v1", "https://old.example/v1", "http://old.example/v1"
	for name, c := range map[string]struct {
		url  string
		key  string
		want credential.TLSFiles
	}{
		"the same address": {"", "key", credential.TLSFiles{CA: "ca", Cert: "crt", Key: "crt.key"}},
		"said again":       {here, "key", credential.TLSFiles{CA: "ca", Cert: "crt", Key: "crt.key"}},
		"another":          {elsewhere, "", credential.TLSFiles{CA: "ca"}},
		"without TLS":      {plain, "", credential.TLSFiles{}},
	} {
		e := config.Embedding{URL: here, KeyFile: "key", Model: "new", Dimensions: size}
		e.TLS.CAFile, e.TLS.CertFile, e.TLS.KeyFile = "ca", "crt", "crt.key"
		e.Former = config.FormerModel{URL: c.url, Model: "old", Dimensions: size}
		all, _ := llm.ConfigsOf(e)
		if len(all) != 2 || all[1].Files != c.want || all[1].KeyFile != c.key {
			t.Fatalf("%s: %+v", name, all)
		}
		for _, one := range all {
			opened, err := llm.Open(one)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			opened.Close()
		}
	}
}
