package llm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/devtest/endpoint"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/llm"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

const size = 8

func open(t *testing.T, s *endpoint.Server, change func(*llm.Config)) *llm.Embedder {
	t.Helper()
	c := llm.Config{BaseURL: s.URL, Model: "made-up", Dimensions: size, Timeout: 5 * time.Second}
	if change != nil {
		change(&c)
	}
	e, err := llm.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func unit(v []float32) []float32 {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	made := make([]float32, len(v))
	for i, x := range v {
		made[i] = float32(float64(x) / math.Sqrt(squares))
	}
	return made
}

func near(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Abs(float64(a[i]-b[i])) > 1e-5 {
			return false
		}
	}
	return true
}

// TestVectorsComeInTheOrderOfTheTexts: at length 1, however an answer is ordered or
// numbered, of as many calls as the bounds ask for.
func TestVectorsComeInTheOrderOfTheTexts(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]endpoint.Reply{"as asked": {}, "reversed": {Reversed: true}, "without numbers": {Unnumbered: true}} {
		s := endpoint.Start(t, size, nil)
		s.Set(func(endpoint.Request) endpoint.Reply { return reply })
		e := open(t, s, func(c *llm.Config) { c.BatchTexts = 2 })
		texts := []string{"water", "air", "fire", "earth", "wood"}
		vectors, err := e.Embed(t.Context(), texts, retrieval.Passage)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, text := range texts {
			if !near(vectors[i], unit(s.Vector(text))) {
				t.Errorf("%s: %q has %v", name, text, vectors[i])
			}
		}
		if n := len(s.Requests()); n != 3 {
			t.Errorf("%s: %d calls for five texts by two", name, n)
		}
	}
}

// TestBothSidesOfASearch: each has its model and its prefix, and both mark the name that
// vectors are kept under.
func TestBothSidesOfASearch(t *testing.T) {
	t.Parallel()
	s := endpoint.Start(t, size, nil)
	e := open(t, s, func(c *llm.Config) {
		c.QueryModel, c.PassagePrefix, c.QueryPrefix, c.Key, c.Shorten = "made-up-query", "passage: ", "query: ", "sesame", true
	})
	for _, kind := range []retrieval.Kind{retrieval.Passage, retrieval.Query} {
		if _, err := e.Embed(t.Context(), []string{"water"}, kind); err != nil {
			t.Fatal(err)
		}
	}
	want := []endpoint.Request{
		{N: 1, Key: "sesame", Model: "made-up", Input: []string{"passage: water"}, Dimensions: size},
		{N: 2, Key: "sesame", Model: "made-up-query", Input: []string{"query: water"}, Dimensions: size},
	}
	if got := s.Requests(); !reflect.DeepEqual(got, want) {
		t.Errorf("asked was %+v", got)
	}
	plain := open(t, s, nil)
	other := open(t, s, func(c *llm.Config) { c.PassagePrefix = "passage: " })
	if plain.Model() != "made-up" || !strings.HasPrefix(e.Model(), "made-up.") || !strings.HasPrefix(other.Model(), "made-up.") || e.Model() == other.Model() {
		t.Errorf("%s, %s, %s", plain.Model(), e.Model(), other.Model())
	}
}

// TestTextsThatSayNothingAreNotSent: nor is what would end a text before its end.
func TestTextsThatSayNothingAreNotSent(t *testing.T) {
	t.Parallel()
	s := endpoint.Start(t, size, nil)
	e := open(t, s, nil)
	vectors, err := e.Embed(t.Context(), []string{"", " \n\x00 ", "fire\x00 and\xff water "}, retrieval.Passage)
	if err != nil {
		t.Fatal(err)
	}
	nothing := make([]float32, size)
	if !slices.Equal(vectors[0], nothing) || !slices.Equal(vectors[1], nothing) || slices.Equal(vectors[2], nothing) {
		t.Errorf("%v", vectors)
	}
	if got := s.Requests(); len(got) != 1 || !slices.Equal(got[0].Input, []string{"fire  and\uFFFD water"}) {
		t.Errorf("asked was %+v", got)
	}
}

// TestALongTextIsTheMeanOfItsParts: no part is longer than the bound, no word is cut and
// none is lost.
func TestALongTextIsTheMeanOfItsParts(t *testing.T) {
	t.Parallel()
	s := endpoint.Start(t, size, nil)
	e := open(t, s, func(c *llm.Config) { c.TextTokens = 64 })
	var words []string
	for i := range 200 {
		words = append(words, fmt.Sprintf("mot%d", i))
	}
	text := strings.Join(words, " ")
	vectors, err := e.Embed(t.Context(), []string{"before", text, "after"}, retrieval.Passage)
	if err != nil {
		t.Fatal(err)
	}
	var sent []string
	sum := make([]float32, size)
	for _, r := range s.Requests() {
		for _, part := range r.Input {
			if part == "before" || part == "after" {
				continue
			}
			if len(part) > 64*3 {
				t.Errorf("a part has %d bytes", len(part))
			}
			sent = append(sent, strings.Fields(part)...)
			for i, x := range unit(s.Vector(part)) {
				sum[i] += x * float32(len(part))
			}
		}
	}
	if slices.Sort(sent); !slices.Equal(sent, slices.Sorted(slices.Values(words))) {
		t.Errorf("sent were %d words, %v", len(sent), sent)
	}
	if !near(vectors[1], unit(sum)) || !near(vectors[0], unit(s.Vector("before"))) || !near(vectors[2], unit(s.Vector("after"))) {
		t.Errorf("%v", vectors)
	}
}

// TestAnEndpointThatMisbehavesIsAway: whatever it answers, it is no attempt of a chunk's,
// it is left alone for a while, and what was made before is returned.
func TestAnEndpointThatMisbehavesIsAway(t *testing.T) {
	t.Parallel()
	number := make([]float32, size)
	number[0] = 1
	for name, c := range map[string]struct {
		reply endpoint.Reply
		says  string
	}{
		"too many requests":             {endpoint.Reply{Status: 429, Body: `{"error":{"message":"slow down"}}`}, "status 429: slow down"},
		"its own failure":               {endpoint.Reply{Status: 500, Body: `oops`}, "status 500"},
		"a gateway's page":              {endpoint.Reply{Status: 502, Body: `<html>bad gateway</html>`}, "status 502"},
		"a wrong path":                  {endpoint.Reply{Status: 404, Body: `{"error":{"message":"no such model"}}`}, "status 404: no such model"},
		"a redirect":                    {endpoint.Reply{Status: 302, Body: `x`}, "redirect"},
		"a wrong key":                   {endpoint.Reply{Status: 401, Body: `{"error":{"message":"no"}}`}, "refused our credentials"},
		"fewer vectors":                 {endpoint.Reply{Vectors: [][]float32{number}}, "gave 1 vectors for 2 texts"},
		"more vectors":                  {endpoint.Reply{Vectors: [][]float32{number, number, number}}, "gave 3 vectors for 2 texts"},
		"vectors of another size":       {endpoint.Reply{Vectors: [][]float32{{1}, {1}}}, "a vector of 1 numbers, wanted 8"},
		"half a JSON":                   {endpoint.Reply{Body: `{"data":[{"embedding":[1,`}, "EOF"},
		"no JSON":                       {endpoint.Reply{Body: `hello`}, "invalid"},
		"an error with a good status":   {endpoint.Reply{Body: `{"error":{"message":"no"}}`}, "gave 0 vectors"},
		"a number beyond all":           {endpoint.Reply{Body: `{"data":[{"index":0,"embedding":[1e39,0,0,0,0,0,0,0]},{"index":1,"embedding":[1,0,0,0,0,0,0,0]}]}`}, "1e39"},
		"a number that is none":         {endpoint.Reply{Body: `{"data":[{"index":0,"embedding":["NaN",0,0,0,0,0,0,0]},{"index":1,"embedding":[1,0,0,0,0,0,0,0]}]}`}, "string"},
		"two vectors for one text":      {endpoint.Reply{Body: `{"data":[{"index":1,"embedding":[1,0,0,0,0,0,0,0]},{"index":1,"embedding":[1,0,0,0,0,0,0,0]}]}`}, "or two"},
		"a vector for no text":          {endpoint.Reply{Body: `{"data":[{"index":0,"embedding":[1,0,0,0,0,0,0,0]},{"index":7,"embedding":[1,0,0,0,0,0,0,0]}]}`}, "no vector"},
		"an answer larger than any may": {endpoint.Reply{Body: `{"data":"` + strings.Repeat("x", 2<<20) + `"}`}, "larger than any"},
		"no answer":                     {endpoint.Reply{Hang: true}, "no answer within"},
	} {
		s := endpoint.Start(t, size, nil)
		e := open(t, s, func(c *llm.Config) {
			c.BatchTexts, c.Calls, c.Timeout, c.TokenTime = 2, 1, 100*time.Millisecond, time.Nanosecond
		})
		if c.reply.Hang == false {
			e = open(t, s, func(c *llm.Config) { c.BatchTexts, c.Calls = 2, 1 })
		}
		s.Set(func(r endpoint.Request) endpoint.Reply {
			if r.N == 1 {
				return endpoint.Reply{}
			}
			return c.reply
		})
		vectors, err := e.Embed(t.Context(), []string{"one", "two", "three", "four", "five"}, retrieval.Passage)
		if fault.KindOf(err) != fault.KindUnavailable || !errors.Is(err, llm.ErrAway) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		if len(vectors) != 5 || !near(vectors[0], unit(s.Vector("one"))) || vectors[2] != nil || vectors[4] != nil {
			t.Errorf("%s: %v", name, vectors)
		}
		if n := len(s.Requests()); n != 2 {
			t.Errorf("%s: asked %d times", name, n)
		}
		if err := e.Ready(t.Context()); fault.KindOf(err) != fault.KindUnavailable {
			t.Errorf("%s: ready: %v", name, err)
		}
		if refused := errors.Is(err, credential.ErrRefused); refused != (name == "a wrong key") {
			t.Errorf("%s: refused %t", name, refused)
		}
	}
}

// TestATextThatIsNotTakenHarmsNoOther: a long one is embedded in halves, a short one has
// the zero vector.
func TestATextThatIsNotTakenHarmsNoOther(t *testing.T) {
	t.Parallel()
	s := endpoint.Start(t, size, nil)
	e := open(t, s, nil)
	long := strings.Repeat("lac ", 100)
	s.Set(func(r endpoint.Request) endpoint.Reply {
		for _, text := range r.Input {
			if strings.Contains(text, "forbidden") || len(text) > 200 {
				return endpoint.Reply{Status: http.StatusBadRequest, Body: `{"error":{"message":"I do not take this","code":"x"}}`}
			}
		}
		return endpoint.Reply{}
	})
	vectors, err := e.Embed(t.Context(), []string{"one", "forbidden", "two", long, "three"}, retrieval.Passage)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float32{unit(s.Vector("one")), make([]float32, size), unit(s.Vector("two")), unit(s.Vector("lac")), unit(s.Vector("three"))} {
		if !near(vectors[i], want) {
			t.Errorf("%d: %v, want %v", i, vectors[i], want)
		}
	}
	if err := e.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAnEndpointThatTakesNoTextIsAway: no chunk pays for a setting that is wrong.
func TestAnEndpointThatTakesNoTextIsAway(t *testing.T) {
	t.Parallel()
	s := endpoint.Start(t, size, nil)
	e := open(t, s, nil)
	s.Set(func(endpoint.Request) endpoint.Reply {
		return endpoint.Reply{Status: http.StatusBadRequest, Body: `{"error":{"message":"unknown parameter"}}`}
	})
	texts := make([]string, 32)
	for i := range texts {
		texts[i] = fmt.Sprintf("text %d", i)
	}
	_, err := e.Embed(t.Context(), texts, retrieval.Passage)
	if fault.KindOf(err) != fault.KindUnavailable || !strings.Contains(err.Error(), "no text at all") || len(s.Requests()) > 8 {
		t.Errorf("%v after %d calls", err, len(s.Requests()))
	}
}

// TestASlowEndpointGetsItsTime: a call that came too late is given twice the time, so that
// one that is slow, and not away, is of use in the end.
func TestASlowEndpointGetsItsTime(t *testing.T) {
	t.Parallel()
	s := endpoint.Start(t, size, nil)
	s.Set(func(endpoint.Request) endpoint.Reply { return endpoint.Reply{Wait: 150 * time.Millisecond} })
	e := open(t, s, func(c *llm.Config) { c.Timeout, c.TokenTime = 60*time.Millisecond, time.Nanosecond })
	for {
		vectors, err := e.Embed(t.Context(), []string{"one"}, retrieval.Passage)
		if err == nil && near(vectors[0], unit(s.Vector("one"))) {
			break
		}
		if fault.KindOf(err) != fault.KindUnavailable {
			t.Fatal(err)
		}
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("it took %d calls", n)
	}
}

// TestWhoeverAskedHasGone: that is no failure of the endpoint's.
func TestWhoeverAskedHasGone(t *testing.T) {
	t.Parallel()
	s := endpoint.Start(t, size, nil)
	ctx, cancel := context.WithCancel(t.Context())
	s.Set(func(endpoint.Request) endpoint.Reply {
		cancel()
		return endpoint.Reply{Hang: true}
	})
	e := open(t, s, nil)
	if _, err := e.Embed(ctx, []string{"one"}, retrieval.Query); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := e.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAKeyInAFileIsReadAgain: after it was refused, at the next call.
func TestAKeyInAFileIsReadAgain(t *testing.T) {
	t.Parallel()
	s := endpoint.Start(t, size, nil)
	s.Set(func(r endpoint.Request) endpoint.Reply {
		if r.Key != "new" {
			return endpoint.Reply{Status: http.StatusUnauthorized, RetryAfter: "0", Body: `{"error":{"message":"wrong key"}}`}
		}
		return endpoint.Reply{}
	})
	file := filepath.Join(t.TempDir(), "key")
	write := func(key string) {
		if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("old")
	e := open(t, s, func(c *llm.Config) { c.KeyFile = file })
	_, err := e.Embed(t.Context(), []string{"one"}, retrieval.Passage)
	if !errors.Is(err, credential.ErrRefused) {
		t.Fatal(err)
	}
	write("new")
	for {
		vectors, err := e.Embed(t.Context(), []string{"one"}, retrieval.Passage)
		if err == nil && near(vectors[0], unit(s.Vector("one"))) {
			return
		}
		if fault.KindOf(err) != fault.KindUnavailable {
			t.Fatal(err)
		}
	}
}

// TestSettingsThatCannotBeUsed are said at the start, and repeat no secret.
func TestSettingsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]llm.Config{
		"no URL":                         {BaseURL: "http://host:port:9/v1"},
		"another scheme":                 {BaseURL: "ftp://host/v1"},
		"no host":                        {BaseURL: "https:///v1"},
		"a password":                     {BaseURL: "https://me:hunter2@host/v1"},
		"a query":                        {BaseURL: "https://host/v1?key=hunter2"},
		"a model of unknown size":        {BaseURL: "https://host/v1", Model: "mine"},
		"certificates without https":     {BaseURL: "http://host/v1", Files: credential.TLSFiles{CA: "ca.pem"}},
		"a certificate without its key":  {BaseURL: "https://host/v1", Files: credential.TLSFiles{Cert: "c.pem"}},
		"a password in what is no URL":   {BaseURL: "https://me:hunter2@ho st/v1"},
		"a number of dimensions below 0": {BaseURL: "https://host/v1", Dimensions: -1},
	} {
		if e, err := llm.Open(c); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, %v", name, e, err)
		}
	}
	e, err := llm.Open(llm.Config{BaseURL: "https://host/v1"})
	if err != nil || e.Model() != "text-embedding-3-small" || e.Dimensions() != 1536 || e.DenseWeight() != llm.DenseWeight {
		t.Errorf("%v, %v", e, err)
	}
}
