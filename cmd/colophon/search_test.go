package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// A hit is printed with what it is said as, and with the sources that say it so.
func TestHitsNameTypeStatusAndSources(t *testing.T) {
	var found searchAnswer
	answer := `{"hits":[
		{"chunk_ref":"a:0","score":0.5,"title":"One","type":"fact","status":"confirmed","snippet":"x","sources":[{"source_id":"mairie"},{"source_id":"mairie"}]},
		{"chunk_ref":"b:0","title":"Two","type":"opinion","status":"under_review","sources":[{"source_id":"p"},{"source_id":"q"},{"source_id":"r"},{"source_id":"s"},{"source_id":"t"}]},
		{"chunk_ref":"c:0","title":"Three","type":"fact","status":"refuted","more_sources":true,"sources":[{"source_id":"p"}]}]}`
	if err := json.Unmarshal([]byte(answer), &found); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	writeHits(&out, found)
	for _, want := range []string{"fact, confirmed, said by mairie\n", "opinion, under_review, said by p, q, r and 2 more\n", "fact, refuted, said by p and others\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}
