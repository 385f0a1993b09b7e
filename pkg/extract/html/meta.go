package html

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/language"
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

func (a *about) element(n *node) {
	first := func(s *string, value string) {
		if value = strings.Join(strings.Fields(value), " "); *s == "" {
			*s = value
		}
	}
	switch n.Data {
	case "html":
		first(&a.lang, n.attr("lang"))
		first(&a.lang, n.attr("xml:lang"))
	case "title":
		if len(n.kids) > 0 {
			first(&a.title, n.kids[0].Data)
		}
	case "base":
		first(&a.base, n.attr("href"))
	case "link":
		for _, rel := range strings.Fields(strings.ToLower(n.attr("rel"))) {
			if rel == "canonical" {
				first(&a.canonical, n.attr("href"))
			}
		}
	case "meta":
		name := strings.ToLower(n.attr("name") + n.attr("property") + n.attr("http-equiv") + n.attr("itemprop"))
		switch {
		case name == "content-language":
			first(&a.metaLang, n.attr("content"))
		case name == "dc.language" || name == "og:locale" || name == "language" || name == "dcterms.language":
			first(&a.metaLang, strings.ReplaceAll(n.attr("content"), "_", "-"))
		}
		if isFact(name) {
			a.fact(originMeta, name, n.attr("content"))
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
