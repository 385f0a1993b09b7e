package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// riverPages are the pages of a commission as its server gives them: with tags, two languages,
// figures, a table of two rows of head and cells of each type, a list, a quotation, code, a
// form, navigation; one that a redirect leads to; and one that cannot be read.
func riverPages() map[string]string {
	const french = "<p>La commission de la rivière publie chaque année le relevé des niveaux, avec les mesures prises par les services et les avis " +
		"des communes qui bordent le cours d'eau.</p>\n<p>Les travaux de la digue seront achevés avant l'hiver, et les habitants en seront avertis par la mairie.</p>\n"
	return map[string]string{
		"/plan.html": `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Plan of the river</title>
<meta name="keywords" content="river, dykes"><meta property="article:tag" content="floods"><link rel="canonical" href="/plan.html"><script type="application/ld+json">{"@type":"Report","datePublished":"2026-02-11"}</script></head><body>
<nav><a href="/">Home</a> <a href="/news">News</a></nav><main><h1>Plan of the river</h1><p><time itemprop="dateModified" datetime="2026-02-12">12 February</time></p><p>` + english + `</p>
<h2>Goals and objectives</h2><p>The commission will raise <a href="/dykes.html">the dykes</a> by a metre before the end of the year, and says so each spring.</p>
<figure><img src="/map.png" alt="A map of the dykes"><figcaption>The dykes in 2026</figcaption></figure>
<table><caption>Cost of the works</caption><thead><tr><th rowspan="2">Work</th><th colspan="3">Cost</th></tr><tr><th>Euro</th><th>Share</th><th>Until</th></tr></thead>
<tbody><tr><td>Dyke</td><td>€ 1,200</td><td>40 %</td><td>2026-12-31</td></tr><tr><td><a href="/gate.html">Gate</a></td><td>€ 1,800</td><td>60 %</td><td>2027-06-30</td></tr></tbody></table>
<blockquote><p>The water has never stood as high as in that spring.</p></blockquote><ol><li>Survey the banks of the river<ol><li>in the north of the town</li></ol></li><li>Build the dyke</li></ol>
<pre>level = 1.2</pre><dl><dt>Dyke</dt><dd>A wall of earth along the river.</dd></dl></main><footer>Commission of the river, Old Mill 1</footer></body></html>`,
		"/niveaux.html": `<!DOCTYPE html><html lang="fr"><head><meta charset="utf-8"><title>Niveaux</title></head><body><main><h1>Les niveaux de la rivière</h1>` +
			french + `<h2>In English</h2><p>` + english + `</p><p>` + english + `</p></main></body></html>`,
		"/notes.html": "<!DOCTYPE html><html><head><meta http-equiv=\"content-language\" content=\"en\"><title>Notes</title></head><body><main><h1>Notes</h1><p>" +
			english + "</p><h2>The gate</h2><p>The gate at the old mill is closed in the winter, and opened in the spring.</p></main></body></html>",
	}
}

// river is the server of the commission.
type river struct {
	at    string
	pages map[string]string // by path
	day   int               // of March, on which its pages were last modified
}

// newRiver serves the pages of the commission, and the PDF file with a figure.
func newRiver(t *testing.T) *river {
	on := &river{pages: riverPages(), day: 1}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		switch r.URL.Path {
		case "/old.html":
			http.Redirect(w, r, "/niveaux.html", http.StatusFound)
			return
		case "/levels.pdf":
			h.Set("Content-Type", "application/pdf")
			h.Set("Content-Disposition", `attachment; filename="levels of march.pdf"`)
			h.Set("Last-Modified", "Sun, 01 Mar 2026 08:00:00 GMT")
			_, _ = w.Write([]byte(illustrated()))
			return
		}
		page, known := on.pages[r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("ETag", `"`+r.URL.Path+`"`)
		h.Set("Last-Modified", time.Date(2026, time.March, on.day, 8, 0, 0, 0, time.UTC).Format(http.TimeFormat))
		_, _ = w.Write([]byte(page))
	}))
	t.Cleanup(server.Close)
	parsed, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("COLOPHON_FETCH_NETWORKS", "127.0.0.0/8")
	t.Setenv("COLOPHON_FETCH_PORTS", parsed.Port())
	on.at = server.URL
	return on
}

// fill captures the test documents under one source, and the commission's under another that
// is otherwise in all that a source says; one of its pages in three
// versions, the last of which differs in its markup alone, and a copy of it.
func (s *shelf) fill(d *desk, on *river) {
	t, at := s.T, on.at
	d.say(t, 0, "source", "add", "shelf", "--name", "Town of Valdoro", "--type", "official", "--domain", "civics", "--territory", "Valdoro")
	_, _ = d.hear(t, 3, "capture", "--wait", "--timeout", "5m", "--source", "shelf", "../../test/documents")
	d.say(t, 0, "source", "add", "river", "--name", "Commission of the river", "--type", "comment", "--domain", "cadastre", "--territory", "Alta", "--layer", "summary",
		"--region", "FR", "--robots-notes", "asked by letter", "--max-pages", "500", "--language", "en", "--languages", "en,fr", "--header-labels", "kind,state,day,from", "--context-line")
	d.say(t, 0, "capture", "--wait", "--timeout", "2m", "--source", "river", at+"/plan.html", at+"/old.html", at+"/notes.html", at+"/levels.pdf")
	on.day++
	on.pages["/notes.html"] = strings.Replace(on.pages["/notes.html"], "closed in the winter", "open again", 1)
	on.pages["/copy.html"] = on.pages["/notes.html"]
	d.say(t, 0, "capture", "--wait", "--timeout", "2m", "--source", "river", "--force", at+"/notes.html", at+"/copy.html")
	on.day++
	on.pages["/notes.html"] = strings.Replace(on.pages["/notes.html"], "<p>", `<p class="text">`, 1)
	d.say(t, 0, "capture", "--wait", "--timeout", "2m", "--source", "river", "--force", at+"/notes.html")
}
