package sdk_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

// TestSources: a consumer learns which sources are disabled from the gateway.
func TestSources(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	if _, err := r.client().Sources(t.Context()); !errors.Is(err, sdk.ErrNoGateway) {
		t.Errorf("without a gateway: %v", err)
	}
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/v1/sources" {
			http.NotFound(w, req)
			return
		}
		_, _ = io.WriteString(w, `{"sources":[{"source_id":"aa","name":"A","state":"disabled"},{"source_id":"bb","name":"B","state":"enabled"}]}`)
	}))
	defer gateway.Close()
	got, err := r.client(func(c *sdk.Config) { c.Gateway = gateway.URL + "/" }).Sources(t.Context())
	r.must(err)
	if len(got) != 2 || got[0] != (sdk.Source{SourceID: "aa", Name: "A", State: "disabled"}) || !got[0].Disabled() || got[1].Disabled() {
		t.Errorf("%+v", got)
	}
}

// TestSourceChanges: a consumer hears what was changed in the registry, of all sources or
// of one.
func TestSourceChanges(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	began := time.Now().Add(-time.Hour)
	for n, id := range []string{"aa", "bb", "aa"} {
		r.must(r.conn.Publisher("cli").Emit(t.Context(), sdk.SourceChanged{SourceID: id, Seq: int64(n + 1), Change: event.SourceDisabled, State: model.SourceDisabled}))
	}
	for source, want := range map[string][]int64{"": {1, 2, 3}, "aa": {1, 3}} {
		var got []int64
		for change, err := range r.client().SourceChanges(t.Context(), source, began) {
			r.must(err)
			if got = append(got, change.Seq); len(got) == len(want) {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("of %q: %v, want %v", source, got, want)
		}
	}
}
