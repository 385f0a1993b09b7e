package html

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/language"
	"github.com/colophon-dev/colophon/pkg/model"
)

// about is what a page says about itself.
type about struct {
	title, canonical, base string
	lang, metaLang         string
	facts                  []model.PageFact
	seen                   map[model.PageFact]bool
}

// language returns the code that the page declares, "".
func (a about) language() string {
	if code := language.Code(a.lang); code != "" {
		return code
	}
	return language.Code(a.metaLang)
}

// readMeta collects what the page says about itself; of several the first
// counts.
func readMeta(root *node) about {
	var a about
	var walk func(n *node)
	walk = func(n *node) {
		if n.Type == html.ElementNode && n.Namespace == "" {
			a.element(n)
		}
		for _, k := range n.kids {
			walk(k)
		}
	}
	walk(root)
	return a
}

// first sets what is not yet known.
func (a *about) first(s *string, value string) {
	if value = strings.Join(strings.Fields(value), " "); *s == "" {
		*s = value
	}
}

func (a *about) element(n *node) {
	switch n.Data {
	case "html":
		a.first(&a.lang, n.attr("lang"))
		a.first(&a.lang, n.attr("xml:lang"))
	case "title":
		if len(n.kids) > 0 {
			a.first(&a.title, n.kids[0].Data)
		}
	case "base":
		a.first(&a.base, n.attr("href"))
	case "link":
		for _, rel := range strings.Fields(strings.ToLower(n.attr("rel"))) {
			if rel == "canonical" {
				a.first(&a.canonical, n.attr("href"))
			}
		}
	case "meta":
		for _, key := range []string{"name", "property", "http-equiv", "itemprop"} {
			a.meta(strings.ToLower(n.attr(key)), n.attr("content"))
		}
	case "script":
		if kind, _, _ := strings.Cut(n.attr("type"), ";"); strings.EqualFold(strings.TrimSpace(kind), "application/ld+json") && len(n.kids) > 0 {
			a.jsonLD(n.kids[0].Data)
		}
	case "time":
		if !n.hidden {
			a.time(n)
		}
	}
}

// meta keeps what a meta element says under one of its names.
func (a *about) meta(name, content string) {
	switch name {
	case "content-language":
		a.first(&a.metaLang, content)
	case "dc.language", "og:locale", "language", "dcterms.language":
		a.first(&a.metaLang, strings.ReplaceAll(content, "_", "-"))
	}
	if isFact(name) {
		a.fact(originMeta, name, content)
	}
}
