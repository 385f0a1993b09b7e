package app

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
)

// crowdBound is how long any of many searches may take on a busy machine. They have
// half a second to wait for their turn; what remains is for the answers of those that
// have one.
const crowdBound = 5 * time.Second

// TestManySearchesAtOnce puts 500 searches for PDFs to a whole gateway: each is
// answered, or told to come again, none fails, and probes are answered meanwhile.
func TestManySearchesAtOnce(t *testing.T) {
	const crowd = 500
	r := newRig(t)
	for i := range 12 {
		r.add(doc{content: fmt.Sprintf("Le quorum numéro %d.", i), kind: model.TypePDF, more: 50, box: &model.BBox{X: 0.1, W: 0.5, H: 0.1}})
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: crowd}}
	defer client.CloseIdleConnections()
	type outcome struct {
		status int
		retry  string
		took   time.Duration
		err    error
	}
	ask := func(path string) (o outcome) {
		began := time.Now()
		resp, err := client.Get("http://" + r.app.Addr() + path)
		if err != nil {
			return outcome{err: err}
		}
		defer func() { _ = resp.Body.Close() }()
		_, err = io.Copy(io.Discard, resp.Body)
		return outcome{resp.StatusCode, resp.Header.Get("Retry-After"), time.Since(began), err}
	}
	outcomes := make(chan outcome, crowd)
	for i := range crowd {
		go func() { outcomes <- ask(fmt.Sprintf("/v1/search?q=quorum+%d", i)) }()
	}
	count := make(map[int]int)
	for n := range crowd {
		o := <-outcomes
		count[o.status]++
		if o.err != nil || o.took > crowdBound || o.status != http.StatusOK && (o.status != http.StatusServiceUnavailable || o.retry == "") {
			t.Errorf("a search: %+v", o)
		}
		if n%100 == 0 {
			if probe := ask("/healthz"); probe.status != http.StatusOK || probe.took > crowdBound {
				t.Errorf("a probe meanwhile: %+v", probe)
			}
		}
	}
	if count[http.StatusOK] == 0 {
		t.Error("no search was answered")
	}
	now, most := r.app.searchMemory.Held()
	if now != 0 || most == 0 || most > r.app.config.HTTP.Memory {
		t.Errorf("%d bytes are held in the end, %d at most", now, most)
	}
	t.Logf("%d answered, %d told to come again", count[http.StatusOK], count[http.StatusServiceUnavailable])
}
