package api

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
)

// TestHostsAndLanguagesAreAskedForAsTheyAreStored: H.EXAMPLE and bücher.example found nothing, and
// nothing said why.
func TestHostsAndLanguagesAreAskedForAsTheyAreStored(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"H.EXAMPLE": "h.example", "bücher.example": "xn--bcher-kva.example", "xn--bcher-kva.example": "xn--bcher-kva.example",
		"例え.テスト": "xn--r8jz45g.xn--zckzah", "h.example": "h.example", "[2001:DB8::1]": "2001:db8::1", "2001:db8::1": "2001:db8::1",
		"h.example:8080": "h.example:8080", "h.example/a": "h.example/a", "not a host": "not a host", "a@h.example": "a@h.example", "": "",
	} {
		r := httptest.NewRequest(http.MethodGet, "/v1/search?"+url.Values{"q": {"x"}, "host": {given, given}, "language": {"EN", "en", "pt"}}.Encode(), http.NoBody)
		req, err := searchRequest(r)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(req.Filter.Hosts, []string{want}) || !slices.Equal(req.Filter.Languages, []string{"en", "pt"}) {
			t.Errorf("%q: asked for %q, want %q; %q", given, req.Filter.Hosts, want, req.Filter.Languages)
		}
	}
}
