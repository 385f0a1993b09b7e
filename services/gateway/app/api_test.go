package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/services/gateway/internal/api"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

const page = `<!doctype html><html lang="fr"><head><title>Conseil</title></head><body><main>
<h1>Conseil municipal</h1><p>Le quorum est de sept membres présents.</p></main></body></html>`

func (r *rig) search(query string, params ...string) search.Answer {
	r.t.Helper()
	values := url.Values{"q": {query}}
	for _, p := range params {
		name, value, _ := strings.Cut(p, "=")
		values.Add(name, value)
	}
	return into[search.Answer](r.t, r.get("/v1/search", http.StatusOK, "/v1/search?"+values.Encode()))
}

func urls(a search.Answer) string {
	var list []string
	for _, h := range a.Hits {
		list = append(list, strings.TrimPrefix(h.URL, "https://example.org/"))
	}
	return strings.Join(list, " ")
}

func TestSearch(t *testing.T) {
	r := newRig(t)
	if got := r.search("quorum"); len(got.Hits) != 0 || got.Collection != "" {
		t.Errorf("before anything was indexed: %+v", got)
	}
	r.add(doc{url: "https://example.org/quorum", content: "Le quorum est de sept membres présents."})
	r.add(doc{url: "https://example.org/budget", source: "region", content: "Le budget de la région est voté en mars.",
		territory: "Alta", status: model.StatusConfirmed, language: "pt"})
	box := model.BBox{X: 0.1, Y: 0.2, W: 0.5, H: 0.1}
	r.add(doc{url: "https://example.org/pdf", content: "Article 3. Le quorum des sessions.", kind: model.TypePDF, box: &box})
	r.add(doc{url: "https://example.org/old", content: "Ancien règlement sur le quorum.", date: "2020-01-01", layer: model.LayerArchive})
	r.add(doc{url: "https://example.org/twin", source: "region", content: "Le quorum est de sept membres présents.", date: "2026-04-01"})

	for _, c := range []struct{ query, params, want string }{
		{"quorum membres présents", "limit=2", "quorum pdf"},
		{"budget région", "limit=1", "budget"},
		{"quorum", "source=region&limit=1", "twin"},
		{"quorum", "language=pt", "budget"},
		{"quorum", "territory=Alta", "budget"},
		{"quorum", "status=confirmed&status=refuted", "budget"},
		{"quorum", "type=opinion", ""},
		{"quorum", "domain=history", ""},
		{"quorum", "layer=archive", "old"},
		{"quorum", "as_of=2020-06-01", "old"},
		{"quorum", "as_of=2019-12-31", ""},
		{"…", "limit=100", ""},
	} {
		var params []string
		if c.params != "" {
			params = strings.Split(c.params, "&")
		}
		if got := urls(r.search(c.query, params...)); got != c.want {
			t.Errorf("%s with %s found %q, want %q", c.query, c.params, got, c.want)
		}
	}
	found := r.search("quorum membres présents", "limit=2")
	first := found.Hits[0]
	if len(first.Sources) != 2 || first.Sources[0].ChunkRef != first.ChunkRef || first.Sources[1].URL != "https://example.org/twin" {
		t.Errorf("the sources of equal content are %+v", first.Sources)
	}
	if len(first.Boxes) != 0 || first.Score <= found.Hits[1].Score || first.Score > 1 {
		t.Errorf("the first hit is %+v", first)
	}
	if boxes := found.Hits[1].Boxes; len(boxes) != 1 || boxes[0].BBox != box || boxes[0].Page != 1 || boxes[0].IRID == "" {
		t.Errorf("the boxes are %+v", boxes)
	}
	if !strings.Contains(urls(r.search("quorum", "as_of=2026-12-31")), "old") {
		t.Error("as of a day the archive is searched")
	}
}

func TestRecords(t *testing.T) {
	r := newRig(t)
	s, c := r.add(doc{content: "Le quorum est de sept membres présents.", html: page})
	path := "/v1/chunks/" + url.PathEscape(c.ChunkRef)

	got := into[api.ChunkAnswer](t, r.get("/v1/chunks/{ref}", http.StatusOK, path))
	if got.Chunk.Text != c.Text || got.State.Rev != 1 || len(got.Chunk.Provenance.Segments) != 2 {
		t.Errorf("the chunk is %+v", got)
	}
	p := into[proof.Proof](t, r.get("/v1/chunks/{ref}/proof", http.StatusOK, path+"/proof"))
	if p.Verdict != proof.Verified || p.Proved != len(c.Content) {
		t.Errorf("the proof is %+v", p)
	}
	if got.SourceRef.Kind == "" || got.SourceRef.TextRegion+got.SourceRef.Selector == "" || p.SourceRef == nil || *p.SourceRef != got.SourceRef {
		t.Errorf("the chunk is from %+v, by its proof from %+v", got.SourceRef, p.SourceRef)
	}
	d := into[api.DocumentAnswer](t, r.get("/v1/documents/{id}", http.StatusOK, "/v1/documents/"+s.DocumentID))
	if d.Document.CurrentDocHash != c.DocHash || len(d.Snapshots) != 1 || len(d.Snapshots[0].Runs) != 1 ||
		len(d.Manifests) != 1 || len(d.Pages) != 1 || d.Pages[0].Status != model.PageProcessed {
		t.Errorf("the document is %+v", d)
	}
	snap := into[api.SnapshotAnswer](t, r.get("/v1/snapshots/{id}", http.StatusOK, "/v1/snapshots/"+s.SnapshotID))
	if snap.Snapshot.ContentHash != s.ContentHash || len(snap.Pages) != 1 || snap.Runs[0].Processed != 1 {
		t.Errorf("the snapshot is %+v", snap)
	}
	one := into[api.PageAnswer](t, r.get("/v1/snapshots/{id}/pages/{n}", http.StatusOK, "/v1/snapshots/"+s.SnapshotID+"/pages/1"))
	html := string(r.get("/v1/snapshots/{id}/pages/{n}.html", http.StatusOK, "/v1/snapshots/"+s.SnapshotID+"/pages/1.html"))
	marker := fmt.Sprintf(`id="%s" slug="%s"`, one.Page.PageID, s.Slug)
	if one.Page.HTML != html || !strings.Contains(html, marker) || len(one.Units) == 0 {
		t.Errorf("the page is %+v\n%s\nwant %s", one.Page, html, marker)
	}
	status := into[api.StatusAnswer](t, r.get("/v1/status", http.StatusOK, "/v1/status"))
	if status.Quiet || len(status.Queues) != 8 || status.Progress.Unpublished != 1 || status.Oldest == nil {
		t.Errorf("the status is %+v", status)
	}
	r.get("/healthz", http.StatusOK, "/healthz")
	r.get("/readyz", http.StatusOK, "/readyz")
}

// TestUnitsAreShownWithWhatIsMadeOfThem: the units of a page say where they stand, and
// have hashes, Markdown and HTML, of a web page and of what has no markup; a document
// and a page say what became of a web page's text.
func TestUnitsAreShownWithWhatIsMadeOfThem(t *testing.T) {
	r := newRig(t)
	web, _ := r.add(doc{content: "Le quorum est de sept membres présents.", html: page + "<script>var a</script><nav><a href=/>Accueil</a> <a href=/b>Plan</a></nav>"})
	of := func(s model.Snapshot) api.PageAnswer {
		return into[api.PageAnswer](t, r.get("/v1/snapshots/{id}/pages/{n}", http.StatusOK, "/v1/snapshots/"+s.SnapshotID+"/pages/1"))
	}
	shown := of(web)
	for _, u := range shown.Units {
		ref, f := u.SourceRef, u.FieldsRaw
		if ref == nil || ref.Kind != model.SourceWebpage || ref.URL != web.URL || ref.Selector != u.Evidence[0].CSSSelector || !ref.CapturedAt.Equal(web.RetrievedAt) {
			t.Errorf("%s stands at %+v", u.IRID, ref)
		}
		if f.HTMLMade || len(f.BlockHash) != 64 || len(f.BlockHashHTML) != 64 || f.BlockHash == f.BlockHashHTML {
			t.Errorf("%s: %+v", u.IRID, f)
		}
	}
	l := shown.Page.Ledger
	if l == nil || l.Characters.Failed != 0 || !slices.Contains(l.Characters.Skipped, model.Skipped{Reason: model.ClassScript, Count: 4}) ||
		!slices.Contains(l.Characters.Skipped, model.Skipped{Reason: model.ClassFurniture, Count: 11}) {
		t.Errorf("the page accounts for %+v", l)
	}
	document := into[api.DocumentAnswer](t, r.get("/v1/documents/{id}", http.StatusOK, "/v1/documents/"+web.DocumentID))
	if got := document.Pages[0].Ledger; got == nil || got.Characters.Found != l.Characters.Found {
		t.Errorf("the document accounts for %+v", got)
	}

	pdf, _ := r.add(doc{content: "The *wells*", html: onePagePDF, kind: model.TypePDF, unit: model.UnitHeading, box: &model.BBox{X: .25, Y: .25, W: .5, H: .25}})
	u := of(pdf).Units[0]
	want := model.SourceRef{Kind: model.SourceDocument, Filename: pdf.Filename, PageNumber: 1, Section: "The *wells*"}
	if u.SourceRef == nil || *u.SourceRef != want {
		t.Errorf("it stands at %+v", u.SourceRef)
	}
	if f := u.FieldsRaw; f.HTML != "<h1>The *wells*</h1>" || !f.HTMLMade || f.Markdown != `# The \*wells\*` || f.BlockHash != digest.BlockHash(f.Text) {
		t.Errorf("it is shown as %+v", f)
	}
}

func TestPictures(t *testing.T) {
	r := newRig(t)
	s, _ := r.add(doc{content: "A map of the wells", html: onePagePDF, kind: model.TypePDF, unit: model.UnitFigure,
		box: &model.BBox{X: .25, Y: .25, W: .5, H: .25}})
	pages := "/v1/snapshots/" + s.SnapshotID + "/pages/1"
	size := func(template, path string) (w, h int) {
		t.Helper()
		picture, err := png.Decode(bytes.NewReader(r.get(template, http.StatusOK, path)))
		if err != nil {
			t.Fatal(err)
		}
		return picture.Bounds().Dx(), picture.Bounds().Dy()
	}
	if w, h := size("/v1/snapshots/{id}/pages/{n}.png", pages+".png?width=640"); w != 640 || h != 320 {
		t.Errorf("the page is %d x %d", w, h)
	}
	if w, h := size("/v1/snapshots/{id}/pages/{n}.png", pages+".png"); w != 320 || h != 160 {
		t.Errorf("the page is %d x %d", w, h)
	}
	// Half of the 595 points that the unit's page is said to be wide, at 150 dots an inch.
	if w, _ := size("/v1/snapshots/{id}/pages/{n}/figures/{figure}", pages+"/figures/fig-1-1.png"); w != 620 {
		t.Errorf("the figure is %d wide", w)
	}
	// The page that is served says where its figure is, from its own address on.
	if html := r.get("/v1/snapshots/{id}/pages/{n}.html", http.StatusOK, pages+".html"); !bytes.Contains(html, []byte(`<img src="1/figures/fig-1-1.png"`)) {
		t.Errorf("no address of the figure: %s", html)
	}
	kept := 0
	for object, err := range r.app.blobs.List(r.ctx, blobstore.Derived, s.SourceID+"/") {
		r.must(err)
		if strings.Contains(object.Key, "/thumbs/") || strings.Contains(object.Key, "/figures/") {
			kept++
		}
	}
	if kept != 3 {
		t.Errorf("%d pictures are kept", kept)
	}
	web, _ := r.add(doc{content: "Le quorum est de sept membres présents.", html: page + "<table><tr><th>a</th><th>b, c</th></tr><tr><td>1</td><td>2</td></tr></table>"})
	other := "/v1/snapshots/" + web.SnapshotID + "/pages/1"
	if csv := r.get("/v1/snapshots/{id}/pages/{n}/tables/{table}", http.StatusOK, other+"/tables/tbl-1-1.csv"); string(csv) != "a,\"b, c\"\r\n1,2\r\n" {
		t.Errorf("the table is %q", csv)
	}
	for path, status := range map[string]int{
		pages + ".png?width=641": 400, pages + ".gif": 400, other + ".png": 404, pages + "/figures/fig-1-2.png": 404,
		pages + "/figures/fig-1-1": 400, pages + "/figures/fig-1-1.png?width=3": 400, other + "/tables/tbl-1-2.csv": 404, other + "/tables/tbl-1-1": 400,
	} {
		template := "/v1/snapshots/{id}/pages/{n}.png"
		r.get(template, status, path)
	}
}

// onePagePDF is a page of 400 x 200 points with a filled rectangle.
const onePagePDF = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 200]/Contents 4 0 R>>endobj\n" +
	"4 0 obj<</Length 18>>stream\n100 100 200 50 re f\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"

func TestRawBytesCannotHarm(t *testing.T) {
	r := newRig(t)
	s, _ := r.add(doc{content: "Le quorum est de sept membres présents.", html: page})
	path := "/v1/snapshots/" + s.SnapshotID + "/raw"
	if got := string(r.get("/v1/snapshots/{id}/raw", http.StatusOK, path)); got != page {
		t.Errorf("the bytes are %q", got)
	}
	resp, body := r.request(http.MethodGet, path, http.Header{"Range": {"bytes=0-4"}})
	if resp.StatusCode != http.StatusPartialContent || string(body) != page[:5] {
		t.Errorf("a range: %s %q", resp.Status, body)
	}
	if got := resp.Header.Get("Content-Disposition"); !strings.HasPrefix(got, "attachment; filename") || strings.ContainsAny(got, "\r\n") {
		t.Errorf("Content-Disposition is %q", got)
	}
	resp, _ = r.request(http.MethodGet, path, http.Header{"If-None-Match": {resp.Header.Get("ETag")}})
	if resp.StatusCode != http.StatusNotModified {
		t.Errorf("the same bytes again: %s", resp.Status)
	}
	resp, body = r.request(http.MethodHead, path, nil)
	if resp.StatusCode != http.StatusOK || len(body) != 0 || resp.ContentLength != int64(len(page)) {
		t.Errorf("HEAD: %s, %d bytes", resp.Status, resp.ContentLength)
	}
}

// A range that lies behind the end is a problem, one that is none is ignored
// (RFC 9110, 14.2).
func TestRanges(t *testing.T) {
	r := newRig(t)
	s, _ := r.add(doc{content: "Le quorum est de sept membres présents.", html: page})
	path := "/v1/snapshots/" + s.SnapshotID + "/raw"
	for given, want := range map[string]int{
		"bytes=0-4": 206, "bytes=-3": 206, "bytes=2-": 206, "bytes=0-1, 3-4": 206, "bytes=0-99999999": 206,
		"bytes=99999999-": 416, "bytes=4-2": 200, "bytes=abc": 200, "bytes=0-1,x": 200, "lines=0-4": 200, "bytes=99999999999999999999-": 200,
	} {
		resp, body := r.request(http.MethodGet, path, http.Header{"Range": {given}})
		if resp.StatusCode != want {
			t.Errorf("%s: %s", given, resp.Status)
		}
		switch {
		case want == 200 && string(body) != page:
			t.Errorf("%s: %q", given, body)
		case want == 416:
			var p api.Problem
			if err := json.Unmarshal(body, &p); err != nil || p.Status != 416 || resp.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s: %s: %s: %v", given, resp.Header.Get("Content-Type"), body, err)
			}
			if got := resp.Header.Get("Content-Range"); got != fmt.Sprintf("bytes */%d", len(page)) {
				t.Errorf("Content-Range: %q", got)
			}
		}
	}
	resp, body := r.request(http.MethodHead, path, http.Header{"Range": {"bytes=99999999-"}})
	if resp.StatusCode != 416 || len(body) != 0 {
		t.Errorf("HEAD: %s %q", resp.Status, body)
	}
	for _, path := range []string{"//v1/status", "/v1//status", "/v1/../v1/status", "/v1/status/", "//"} {
		resp, body := r.request(http.MethodGet, path, nil)
		if resp.StatusCode != http.StatusNotFound || resp.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %s %s", path, resp.Status, body)
		}
	}
}

func TestChanges(t *testing.T) {
	r := newRig(t)
	refs := make(map[string]bool)
	for i := range 3 {
		_, c := r.add(doc{content: fmt.Sprintf("Chunk %d.", i)})
		refs[c.ChunkRef] = true
	}
	for after, n := int64(0), 0; len(refs) > 0; n++ {
		got := into[api.ChangesAnswer](t, r.get("/v1/changes", http.StatusOK, fmt.Sprintf("/v1/changes?after=%d&limit=2", after)))
		if n > 1000 {
			t.Fatalf("%d changes never come", len(refs))
		}
		for _, c := range got.Changes {
			data := c.Data.(map[string]any)["chunk"].(map[string]any)
			if c.Type != event.TypeChunkCreated || data["text"] == "" {
				t.Errorf("change %+v", c)
			}
			delete(refs, data["chunk_ref"].(string))
		}
		after = got.Next
	}
}

func TestWrongRequests(t *testing.T) {
	r := newRig(t)
	s, _ := r.add(doc{content: "Le quorum est de sept membres présents.", html: page})
	snapshot := "/v1/snapshots/" + s.SnapshotID
	for _, c := range []struct {
		template, path string
		status         int
	}{
		{"/v1/search", "/v1/search", 400},
		{"/v1/search", "/v1/search?q=", 400},
		{"/v1/search", "/v1/search?q=a&q=b", 400},
		{"/v1/search", "/v1/search?q=" + strings.Repeat("a", 1001), 400},
		{"/v1/search", "/v1/search?q=a&limit=101", 400},
		{"/v1/search", "/v1/search?q=a&limit=0", 400},
		{"/v1/search", "/v1/search?q=a&limit=ten", 400},
		{"/v1/search", "/v1/search?q=a&as_of=yesterday", 400},
		{"/v1/search", "/v1/search?q=a&as_of=2026-02-30", 400},
		{"/v1/search", "/v1/search?q=a&as_of=2026-02-01&as_of=2026-02-02", 400},
		{"/v1/search", "/v1/search?q=a&layer=warm", 400},
		{"/v1/search", "/v1/search?q=a&type=rumour", 400},
		{"/v1/search", "/v1/search?q=a&status=new", 400},
		{"/v1/search", "/v1/search?q=a&sources=mairie", 400},
		{"/v1/search", "/v1/search?q=%FF", 400},
		{"/v1/search", "/v1/search?q=a&source=%00", 400},
		{"/v1/search", "/v1/search?q=a&source=" + strings.Repeat("a", 201), 400},
		{"/v1/search", "/v1/search?q=a" + strings.Repeat("&source=a", 51), 400},
		{"/v1/search", "/v1/search?q=a;b", 400},
		{"/v1/chunks/{ref}", "/v1/chunks/none", 404},
		{"/v1/chunks/{ref}", "/v1/chunks/%00", 400},
		{"/v1/chunks/{ref}/proof", "/v1/chunks/none/proof", 404},
		{"/v1/documents/{id}", "/v1/documents/doc_none", 404},
		{"/v1/snapshots/{id}", "/v1/snapshots/snap_none", 404},
		{"/v1/snapshots/{id}/raw", "/v1/snapshots/snap_none/raw", 404},
		{"/v1/snapshots/{id}/pages/{n}", snapshot + "/pages/2", 404},
		{"/v1/snapshots/{id}/pages/{n}", snapshot + "/pages/0", 400},
		{"/v1/snapshots/{id}/pages/{n}", snapshot + "/pages/01", 400},
		{"/v1/snapshots/{id}/pages/{n}", snapshot + "/pages/one", 400},
		{"/v1/snapshots/{id}/pages/{n}.html", snapshot + "/pages/2.html", 404},
		{"/v1/chunks/{ref}", "/v1/chunks/none?x=1", 400},
		{"/v1/chunks/{ref}/proof", "/v1/chunks/none/proof?x=1", 400},
		{"/v1/documents/{id}", "/v1/documents/doc_none?x=1", 400},
		{"/v1/snapshots/{id}", snapshot + "?x=1", 400},
		{"/v1/snapshots/{id}/raw", snapshot + "/raw?width=640", 400},
		{"/v1/snapshots/{id}/pages/{n}", snapshot + "/pages/1?width=640", 400},
		{"/v1/snapshots/{id}/pages/{n}/figures/{figure}", snapshot + "/pages/1/figures/fig-1-1.png?x=1", 400},
		{"/v1/snapshots/{id}/pages/{n}/tables/{table}", snapshot + "/pages/1/tables/tbl-1-1.csv?x=1", 400},
		{"/v1/status", "/v1/status?x=1", 400},
		{"/v1/changes", "/v1/changes?after=-1", 400},
		{"/v1/changes", "/v1/changes?after=99999", 404},
		{"/v1/search", "/v1/nothing", 404},
	} {
		body := r.get(c.template, c.status, c.path)
		if p := into[api.Problem](t, body); p.Status != c.status || p.Detail == "" || p.Title == "" {
			t.Errorf("%s: %+v", c.path, p)
		}
	}
	resp, _ := r.request(http.MethodPost, "/v1/search?q=a", nil)
	if resp.StatusCode != http.StatusMethodNotAllowed || resp.Header.Get("Allow") == "" {
		t.Errorf("POST: %s", resp.Status)
	}
	resp, _ = r.request(http.MethodGet, "/v1/status", http.Header{"Host": {"rebound.example"}})
	if resp.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("another host: %s", resp.Status)
	}
	resp, _ = r.request(http.MethodGet, "/healthz", http.Header{"Host": {"localhost:1"}})
	if resp.StatusCode != http.StatusOK {
		t.Errorf("localhost: %s", resp.Status)
	}
}
