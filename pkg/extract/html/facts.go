package html

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
)

// What a page says about itself is kept as found, as far as it is about its
// content: what says how the page is to be shown, or to whom, is left out.
const (
	originMeta   = "meta"
	originJSONLD = "json_ld"
	originTime   = "time"

	// maxFacts and maxFact bound the facts of a page and each value in code
	// points: a page is not described at greater length by its text.
	maxFacts = 100
	maxFact  = 500
	// maxJSONLD bounds a JSON-LD block in bytes, maxNested how deep it is gone into.
	maxJSONLD = 1 << 20
	maxNested = 6
)

// factNames are the meta elements that are kept.
var factNames = set("last-modified", "date", "pubdate", "revised", "datepublished", "datemodified", "datecreated", "description", "author",
	"keywords", "publisher", "copyright", "abstract", "subject", "language", "content-language", "title", "news_keywords", "parsely-pub-date",
	"parsely-author", "parsely-title", "sailthru.date", "geo.region", "geo.placename", "reply-to", "contact", "license", "generator")

// factPrefixes begin the names of vocabularies that are kept whole.
var factPrefixes = []string{"article:", "og:", "dc.", "dcterms.", "dc:", "dcterms:", "citation_", "book:", "twitter:title", "twitter:description", "bepress_citation_", "prism."}

func isFact(name string) bool {
	if factNames[name] {
		return true
	}
	for _, p := range factPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// fact keeps one fact.
func (a *about) fact(origin, name, value string) {
	value = strings.Join(strings.Fields(value), " ")
	if value == "" || name == "" || len(a.facts) >= maxFacts || utf8.RuneCountInString(value) > maxFact {
		return
	}
	f := model.PageFact{Origin: origin, Name: name, Value: value}
	if !a.seen[f] {
		if a.seen == nil {
			a.seen = map[model.PageFact]bool{}
		}
		a.seen[f] = true
		a.facts = append(a.facts, f)
	}
}

// time keeps the machine form of a time element, or its text.
func (a *about) time(n *node) {
	value := n.attr("datetime")
	if value == "" {
		value = hiddenText(n)
	}
	name := strings.ToLower(n.attr("itemprop"))
	if name == "" {
		if _, ok := n.lookup("pubdate"); ok {
			name = "pubdate"
		} else if classes := strings.Fields(strings.ToLower(n.attr("class"))); len(classes) > 0 {
			name = classes[0]
		} else {
			name = "time"
		}
	}
	a.fact(originTime, name, value)
}

// ldNames are the properties of JSON-LD that are kept (schema.org).
var ldNames = set("@type", "name", "headline", "alternativeheadline", "description", "datepublished", "datemodified", "datecreated", "uploaddate",
	"inlanguage", "url", "license", "identifier", "isbn", "issn", "keywords", "articlesection", "startdate", "enddate", "validfrom", "validthrough")

// ldObjects are those whose value is gone into, in the order of the document.
var ldObjects = set("author", "creator", "publisher", "@graph", "mainentity", "ispartof", "about", "location", "mainentityofpage")

// jsonLD keeps the facts of a JSON-LD block. What is no JSON says nothing.
func (a *about) jsonLD(text string) {
	if len(text) > maxJSONLD {
		return
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	a.ldValue(d, "", 0)
}

// ldValue reads the next value of d; path is that of the object around it, key
// included. It reports false when there is no more to read. The order is that
// of the document: maps would lose it.
func (a *about) ldValue(d *json.Decoder, path string, depth int) bool {
	token, err := d.Token()
	if err != nil || depth > maxNested {
		return false
	}
	switch v := token.(type) {
	case json.Delim:
		if v == '[' {
			for d.More() {
				if !a.ldValue(d, path, depth+1) {
					return false
				}
			}
		} else {
			for d.More() {
				if !a.ldProperty(d, path, depth) {
					return false
				}
			}
		}
		_, err = d.Token()
		return err == nil
	case string:
		a.fact(originJSONLD, path, v)
	case json.Number:
		a.fact(originJSONLD, path, v.String())
	}
	return true
}

func (a *about) ldProperty(d *json.Decoder, path string, depth int) bool {
	token, err := d.Token()
	if err != nil {
		return false
	}
	key, _ := token.(string)
	lower := strings.ToLower(key)
	switch {
	case lower == "@graph":
		return a.ldValue(d, path, depth+1)
	case ldNames[lower] || ldObjects[lower]:
		if path != "" {
			key = path + "." + key
		}
		return a.ldValue(d, key, depth+1)
	}
	var skipped json.RawMessage
	return d.Decode(&skipped) == nil
}
