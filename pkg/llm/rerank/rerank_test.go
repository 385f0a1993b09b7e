package rerank_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/devtest/endpoint"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/llm"
	"github.com/colophon-dev/colophon/pkg/llm/rerank"
)

func openReranker(t *testing.T, c rerank.Config) *rerank.Reranker {
	t.Helper()
	r, err := rerank.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func TestRerank(t *testing.T) {
	server := endpoint.StartReranker(t, map[string]string{"dog": "hound"})
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := openReranker(t, rerank.Config{BaseURL: server.URL + "/", KeyFile: key, Model: "m"})
	scores, err := r.Rerank(t.Context(), "a dog", []string{"cats", "a hound\x00", "the hound"})
	if err != nil || !slices.Equal(scores, []float64{0, 1, 0.5}) {
		t.Fatalf("%v, %v", scores, err)
	}
	asked := server.Requests()
	if len(asked) != 1 || asked[0].Key != "s3cret" || asked[0].Model != "m" || asked[0].TopN != 3 || asked[0].Documents[1] != "a hound" {
		t.Errorf("%+v", asked)
	}
	if scores, err := r.Rerank(t.Context(), "nothing to order", nil); err != nil || scores != nil || len(server.Requests()) != 1 {
		t.Errorf("%v, %v, %d calls", scores, err, len(server.Requests()))
	}
	server.Set(func(endpoint.RerankRequest) endpoint.RerankReply { // as others name it
		return endpoint.RerankReply{Body: `{"data":[{"index":1,"relevance_score":-3.5},{"index":0,"relevance_score":7}]}`}
	})
	if scores, err := r.Rerank(t.Context(), "q", []string{"a", "b"}); err != nil || !slices.Equal(scores, []float64{7, -3.5}) {
		t.Errorf("%v, %v", scores, err)
	}
}

// TestARerankerThatIsOfNoUse: whatever it answers is Unavailable, in time, and it is then
// left alone; only what it says of one question's texts does not count against it.
func TestARerankerThatIsOfNoUse(t *testing.T) {
	for name, test := range map[string]struct {
		reply endpoint.RerankReply
		rests bool
		says  string
	}{
		"asks for patience":       {endpoint.RerankReply{Status: http.StatusTooManyRequests, RetryAfter: "30", Body: "slow down"}, true, "429"},
		"fails":                   {endpoint.RerankReply{Status: http.StatusInternalServerError, Body: "oops"}, true, "500"},
		"does not answer in time": {endpoint.RerankReply{Hang: true}, true, "no answer within"},
		"is too slow":             {endpoint.RerankReply{Wait: time.Minute}, true, "no answer within"},
		"refuses the key":         {endpoint.RerankReply{Status: http.StatusUnauthorized, Body: "no"}, true, "401"},
		"is not there":            {endpoint.RerankReply{Status: http.StatusNotFound, Body: "no such route"}, true, "404"},
		"leads elsewhere":         {endpoint.RerankReply{Status: http.StatusFound}, true, "redirect"},
		"has no JSON":             {endpoint.RerankReply{Body: "<html>"}, true, "invalid character"},
		"has too few results":     {endpoint.RerankReply{Body: `{"results":[{"index":0,"relevance_score":1}]}`}, true, "1 results for 2 texts"},
		"has too many results": {endpoint.RerankReply{Body: `{"results":[{"index":0,"relevance_score":1},{"index":1,"relevance_score":1},{"index":1,"relevance_score":1}]}`},
			true, "3 results"},
		"has none":            {endpoint.RerankReply{Body: `{}`}, true, "0 results"},
		"has an index beyond": {endpoint.RerankReply{Body: `{"results":[{"index":0,"relevance_score":1},{"index":2,"relevance_score":1}]}`}, true, "not asked"},
		"has an index below":  {endpoint.RerankReply{Body: `{"results":[{"index":0,"relevance_score":1},{"index":-1,"relevance_score":1}]}`}, true, "not asked"},
		"has no index":        {endpoint.RerankReply{Body: `{"results":[{"relevance_score":1},{"index":1,"relevance_score":1}]}`}, true, "not asked"},
		"has one index twice": {endpoint.RerankReply{Body: `{"results":[{"index":1,"relevance_score":1},{"index":1,"relevance_score":2}]}`}, true, "two results"},
		"has a number that is none": {endpoint.RerankReply{Body: `{"results":[{"index":0,"relevance_score":NaN},{"index":1,"relevance_score":1}]}`},
			true, "invalid character"},
		"has a number too large": {endpoint.RerankReply{Body: `{"results":[{"index":0,"relevance_score":1e999},{"index":1,"relevance_score":1}]}`}, true, "1e999"},
		"has no number":          {endpoint.RerankReply{Body: `{"results":[{"index":0,"relevance_score":null},{"index":1,"relevance_score":1}]}`}, true, "is a number"},
		"never ends":             {endpoint.RerankReply{Body: `{"results":[` + strings.Repeat(`{"index":0,"relevance_score":1},`, 100_000)}, true, "larger than any answer"},
		"does not take the text": {endpoint.RerankReply{Status: http.StatusBadRequest, Body: "too long"}, false, "400"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := endpoint.StartReranker(t, nil)
			server.Set(func(endpoint.RerankRequest) endpoint.RerankReply { return test.reply })
			r := openReranker(t, rerank.Config{BaseURL: server.URL, Key: "k", Timeout: 300 * time.Millisecond})
			scores, err := r.Rerank(t.Context(), "q", []string{"a", "b"})
			if scores != nil || fault.KindOf(err) != fault.KindUnavailable || !strings.Contains(err.Error(), test.says) {
				t.Fatalf("%v, %v: wanted Unavailable that says %q", scores, err, test.says)
			}
			server.Set(nil)
			_, err = r.Rerank(t.Context(), "q", []string{"a", "b"})
			if rested := errors.Is(err, llm.ErrAway) && len(server.Requests()) == 1; rested != test.rests {
				t.Errorf("after it: %v, %d calls; wanted a rest: %t", err, len(server.Requests()), test.rests)
			}
		})
	}
}

// TestARerankerIsNotBlamedForWhoLeft: that who asked has gone says nothing of the endpoint.
func TestARerankerIsNotBlamedForWhoLeft(t *testing.T) {
	server := endpoint.StartReranker(t, nil)
	ctx, leave := context.WithCancel(t.Context())
	server.Set(func(endpoint.RerankRequest) endpoint.RerankReply {
		leave()
		return endpoint.RerankReply{Hang: true}
	})
	r := openReranker(t, rerank.Config{BaseURL: server.URL, Timeout: time.Minute})
	if _, err := r.Rerank(ctx, "q", []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	server.Set(nil)
	if scores, err := r.Rerank(t.Context(), "a", []string{"a"}); err != nil || len(scores) != 1 {
		t.Errorf("%v, %v", scores, err)
	}
}

func TestRerankSettings(t *testing.T) {
	for _, c := range []rerank.Config{
		{BaseURL: "ftp://host/v1"}, {BaseURL: "host/v1"}, {BaseURL: "https://user:secret@host/v1"}, {BaseURL: "https://host/v1?key=secret"},
		{BaseURL: "://secret"}, {BaseURL: "http://host/v1", Files: credential.TLSFiles{CA: "ca.pem"}},
	} {
		_, err := rerank.Open(c)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", c.BaseURL, err)
		}
	}
}
