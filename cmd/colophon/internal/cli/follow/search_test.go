package follow

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
)

// A hit is printed with what it is said as, and with the sources that say it so.
func TestHitsNameTypeStatusAndSources(t *testing.T) {
	var found SearchAnswer
	answer := `{"hits":[
		{"chunk_ref":"a:0","score":0.5,"title":"One","type":"fact","status":"confirmed","snippet":"x","sources":[{"source_id":"mairie"},{"source_id":"mairie"}]},
		{"chunk_ref":"b:0","title":"Two","type":"opinion","status":"under_review","sources":[{"source_id":"p"},{"source_id":"q"},{"source_id":"r"},{"source_id":"s"},{"source_id":"t"}]},
		{"chunk_ref":"c:0","title":"Three","type":"fact","status":"refuted","more_sources":true,"sources":[{"source_id":"p"}]}]}`
	if err := json.Unmarshal([]byte(answer), &found); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	WriteHits(&out, found)
	for _, want := range []string{"fact, confirmed, said by mairie\n", "opinion, under_review, said by p, q, r and 2 more\n", "fact, refuted, said by p and others\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// What was asked for beside hits is printed, too.
func TestFacetsNeighboursAndTheNextPageArePrinted(t *testing.T) {
	var found SearchAnswer
	answer := `{"hits":[{"chunk_ref":"a:0","title":"One","url":"https://example.org/a.zip!/b.pdf","type":"fact","status":"confirmed","snippet":"x","before":[{"content":"before it"}],"after":[{"content":"behind it"}]}],
		"next":"MTAu","bounded":true,"facets":{"counted":3,"complete":false,"fields":{"source":[{"value":"mairie","count":2},{"value":"region","count":1}],"type":[]}}}`
	if err := json.Unmarshal([]byte(answer), &found); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	WriteHits(&out, found)
	want := "1. 0.000  One\n   a:0\n   fact, confirmed, said by \n   https://example.org/a.zip!/b.pdf\n   ↑ before it\n   x\n   ↓ behind it\nof 3 hits that fit best:\n" +
		"  source       mairie 2, region 1\n  type         \nmore: --cursor MTAu\nlooked for among the best candidates only: there may be more\n"
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}

// A terminal obeys nothing that a document says.
func TestWhatDocumentsSayIsShownAndNotObeyed(t *testing.T) {
	var out strings.Builder
	WriteHits(cli.ForPeople(&out), SearchAnswer{Hits: []searchHit{{
		ChunkRef: "a:0", Type: "fact", Status: "under_\x1breview", Title: "Evil \x1b]0;title\a\u009b31m\u202e", URL: "u", Snippet: "ça\x1b[2J va\x7f 😀",
	}}})
	want := "1. 0.000  Evil \ufffd]0;title\ufffd\ufffd31m\ufffd\n   a:0\n   fact, under_\ufffdreview, said by \n   u\n   ça\ufffd[2J va\ufffd 😀\n"
	if out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
	if text := "two\n\tlines of Ελληνικά, עברית"; cli.Shown(text) != text {
		t.Errorf("%q", cli.Shown(text))
	}
}
