package api

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/catalog"
)

// TestWhatEntitiesAreAskedWith: what openapi.json allows is taken, and nothing else.
func TestWhatEntitiesAreAskedWith(t *testing.T) {
	snapshot, document := "snap_"+strings.Repeat("a", 26), "doc_"+strings.Repeat("2", 26)
	for asked, want := range map[string]bool{
		"": true,
		"type=goal&source=town&document=" + document: true,
		"source=0.5":        false,
		"source=":           false,
		"source=a&source=b": false,
		"document=doc_1":    false,
		"type=":             false,
		"after=0":           false,
		"after=" + snapshot + ".3.goal.reduce-nitrogen-1a2b3c4d": true,
		"after=" + snapshot + ".0.goal.reduce-nitrogen-1a2b3c4d": false, // pages begin at 1
		"after=" + snapshot + ".3.goal.":                         false,
		"after=" + strings.Repeat("0", 200):                      false,
	} {
		values, err := url.ParseQuery(asked)
		if err != nil {
			t.Fatal(err)
		}
		var problems []error
		for name, form := range entityForms() {
			problems = append(problems, ofForm(values, name, form))
		}
		if err := errors.Join(problems...); (err == nil) != want {
			t.Errorf("%s: %v", asked, err)
		}
	}
	if longest := len(snapshot) + len(".999999999.") + 64 + len(".") + 80; longest > maxValue || !regexp.MustCompile(catalog.PlaceForm).MatchString(
		snapshot+".999999999."+strings.Repeat("t", 64)+"."+strings.Repeat("e", 80)) {
		t.Errorf("a place of %d characters cannot be asked with", longest)
	}
}
