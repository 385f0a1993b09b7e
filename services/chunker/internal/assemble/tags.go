package assemble

import (
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

const (
	// maxTags is how many tags of a document are kept: more are no choice but a vocabulary.
	maxTags = 50
	// maxTag is how long one may be, in bytes: longer ones are sentences.
	maxTag = 200
)

// tags are the keywords of a document, as its pages name them.
type tags struct{ found []string }

// add takes those among the facts of a page: lists of keywords, divided by commas, and
// single tags of an article.
func (t *tags) add(facts []model.PageFact) {
	for _, f := range facts {
		switch name := strings.ToLower(f.Name); {
		case name == "article:tag":
			t.one(f.Value)
		case name == "keywords", name == "news_keywords", strings.HasSuffix(name, ".keywords"):
			for _, tag := range strings.FieldsFunc(f.Value, func(r rune) bool { return r == ',' || r == ';' || r == '،' || r == '、' }) {
				t.one(tag)
			}
		}
	}
}

func (t *tags) one(tag string) {
	tag = strings.Join(strings.Fields(tag), " ")
	if tag == "" || len(tag) > maxTag || len(t.found) == maxTags || slices.Contains(t.found, tag) {
		return
	}
	t.found = append(t.found, tag)
}
