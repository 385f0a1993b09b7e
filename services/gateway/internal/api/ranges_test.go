package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Whatever a Range header says, the answer is the whole, the ranges, or a problem
// that says how long the content is.
func FuzzRange(f *testing.F) {
	for _, header := range []string{"bytes=0-4", "bytes=-3", "bytes=9-,0-1", "bytes=4-2", "bytes=", "bytes=-0", "bytes=0-0,0-0", "lines=1", "bytes=10-"} {
		f.Add(header)
	}
	const content = "0123456789"
	f.Fuzz(func(t *testing.T, header string) {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Range", header)
		(&API{}).serveContent(w, r, strings.NewReader(content))
		switch {
		case w.Code == http.StatusOK && w.Body.String() == content:
		case w.Code == http.StatusPartialContent && wellFormed(header):
		case w.Code == http.StatusRequestedRangeNotSatisfiable && wellFormed(header) && w.Header().Get("Content-Range") == "bytes */10" &&
			w.Header().Get("Content-Type") == "application/problem+json":
		default:
			t.Errorf("%q: %d %v %q", header, w.Code, w.Header(), w.Body)
		}
	})
}
