package app

import (
	"net/http"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/gateway/internal/api"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// refsOf returns the chunk_refs of an answer's hits that have some score: what shares
// nothing with the question has none.
func refsOf(a search.Answer) string {
	var refs []string
	for _, h := range a.Hits {
		if h.Score > 0 {
			refs = append(refs, h.ChunkRef)
		}
	}
	return strings.Join(refs, " ")
}

// TestReferencesAreFollowed: what a hit refers to is found behind it, in another document,
// unless a filter, the registry or a phrase keeps it out; and the chunk says where it leads.
func TestReferencesAreFollowed(t *testing.T) {
	r := newRig(t)
	r.register("mairie", "estado")
	_, pointer := r.add(doc{content: "Le quorum se calcule comme il est dit à l'article 5 da Lei n.º 18/2021, et à l'article 9 de la même loi."})
	_, target := r.add(doc{source: "estado", title: "Lei n.º 18/2021 – Lei das Bibliotecas", language: "pt",
		content: "Art. 5. Sessões. Metade dos membros basta.", shape: func(c *model.Chunk) {
			c.Anchors = []model.Anchor{{Type: "artigo", Text: "Art. 5", Page: 1}}
		}})
	_, other := r.add(doc{title: "Lei n.º 19/2021", content: "Art. 5. Outra coisa."})

	found := r.search("quorum calcule")
	if refsOf(found) != pointer.ChunkRef+" "+target.ChunkRef || found.Hits[0].ReferredBy != "" || found.Hits[1].ReferredBy != pointer.ChunkRef ||
		found.Hits[1].Score > found.Hits[0].Score {
		t.Fatalf("found %+v", found.Hits)
	}
	if first := r.search("quorum calcule", "limit=1"); refsOf(first) != pointer.ChunkRef || first.Next == "" {
		t.Errorf("the first page has %s", refsOf(first))
	} else if second := r.search("quorum calcule", "limit=1", "cursor="+first.Next); refsOf(second) != target.ChunkRef {
		t.Errorf("the second page has %s", refsOf(second))
	}
	for params, want := range map[string]string{
		"source=mairie": pointer.ChunkRef, "language=fr": pointer.ChunkRef, "snapshot=" + pointer.SnapshotID: pointer.ChunkRef,
	} {
		if got := refsOf(r.search("quorum calcule", params)); got != want {
			t.Errorf("%s found %q, want %q", params, got, want)
		}
	}
	if got := refsOf(r.search(`"quorum" calcule`)); got != pointer.ChunkRef {
		t.Errorf("a phrase that the target has not: %q", got)
	}
	links := into[api.ChunkAnswer](t, r.get("/v1/chunks/{ref}", http.StatusOK, "/v1/chunks/"+pointer.ChunkRef)).Links
	if len(links.RefersTo) != 1 || links.Section != pointer.ChunkRef || links.Prev+links.Next != "" {
		t.Fatalf("links %+v", links)
	}
	to := links.RefersTo[0]
	if to.Kind != "article" || to.Number != "5" || to.DocumentID != target.DocumentID || strings.Join(to.ChunkRefs, " ") != target.ChunkRef ||
		pointer.Content[to.Start:to.End] != to.Text || to.Text != "article 5 da Lei n.º 18/2021" {
		t.Errorf("refers to %+v", to)
	}
	if links := into[api.ChunkAnswer](t, r.get("/v1/chunks/{ref}", http.StatusOK, "/v1/chunks/"+other.ChunkRef)).Links; len(links.RefersTo) != 0 {
		t.Errorf("links %+v", links)
	}
	r.setState("estado", model.SourceDisabled)
	if got := refsOf(r.search("quorum calcule")); got != pointer.ChunkRef {
		t.Errorf("of a disabled source: %q", got)
	}
}

// TestAVersionRefersToItsOwn: of a document that says something else by now, what is current
// refers to what is current, and what an earlier version said to that version.
func TestAVersionRefersToItsOwn(t *testing.T) {
	r := newRig(t)
	_, law := r.add(doc{title: "Lei n.º 7/2020", content: "Art. 1. O prazo é de dez dias."})
	_, pointer := r.add(doc{content: "O quorum segue o art. 1 da Lei n.º 7/2020."})
	_, newer := r.add(doc{title: "Lei n.º 7/2020", url: law.URL, date: "2026-04-01", content: "Art. 1. O prazo é de vinte dias."})
	links := into[api.ChunkAnswer](t, r.get("/v1/chunks/{ref}", http.StatusOK, "/v1/chunks/"+pointer.ChunkRef)).Links
	if len(links.RefersTo) != 1 || strings.Join(links.RefersTo[0].ChunkRefs, " ") != newer.ChunkRef {
		t.Errorf("links %+v, want %s", links, newer.ChunkRef)
	}
}
