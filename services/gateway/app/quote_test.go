package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/gateway/internal/api"
	"github.com/colophon-dev/colophon/services/gateway/internal/quote"
)

func (r *rig) check(q quote.Request) quote.Answer {
	r.t.Helper()
	content, err := json.Marshal(q)
	r.must(err)
	return into[quote.Answer](r.t, r.post("/v1/check-quote", http.StatusOK, string(content)))
}

// TestCheckQuote: a quotation is told with its place, its evidence and the way to its proof,
// or that there is none; what is narrowed, dated, disabled or in the archive is told as such.
func TestCheckQuote(t *testing.T) {
	r := newRig(t)
	if got := r.check(quote.Request{Quote: "Le quorum est de sept membres"}); got.Verdict != quote.NotFound || got.Exact {
		t.Errorf("in an empty catalog: %+v", got)
	}
	box := model.BBox{X: 0.1, Y: 0.2, W: 0.5, H: 0.1}
	_, c := r.add(doc{content: "Le quorum est de sept membres présents.", kind: model.TypePDF, box: &box})
	r.add(doc{content: "Le budget est de douze mille francs, dit l’ancien règlement.", date: "2020-01-01", layer: model.LayerArchive, source: "region"})
	r.add(doc{content: "Die Gemeinde\u00adverwaltung tagt im Rathaus am Marktplatz.", language: "de"})

	r.checkQuotes(c, box) // before their words are made
	n, err := r.app.db.MakeQuoteWords(r.ctx, 100)
	if r.must(err); n != 3 {
		t.Errorf("the words of %d chunks were made", n)
	}
	r.checkQuotes(c, box)
}

// checkQuotes asks about what TestCheckQuote has added.
func (r *rig) checkQuotes(c model.Chunk, box model.BBox) {
	t := r.t
	t.Helper()
	got := r.check(quote.Request{Quote: "« quorum  est de sept\nmembres »"})
	if got.Verdict != quote.Exact || !got.Exact || got.Standing != quote.Current || len(got.Places) != 1 {
		t.Fatalf("%+v", got)
	}
	p := got.Places[0]
	in := p.Ranges[0]
	if p.ChunkRef != c.ChunkRef || p.Text != "quorum est de sept membres" || p.Before != "Le " || p.After != " présents." || p.Page != 1 ||
		c.Text[in.Start:in.End] != p.Text || len(in.Units) != 1 || in.Units[0].BBox == nil || *in.Units[0].BBox != box ||
		c.Content[in.Units[0].From:in.Units[0].To] != p.Text {
		t.Errorf("the place is %+v", p)
	}
	if in.Proof != "/v1/chunks/"+c.ChunkRef+"/proof" {
		t.Errorf("the way to the proof is %q", in.Proof)
	}
	for _, c := range []struct {
		q        quote.Request
		verdict  quote.Verdict
		standing quote.Standing
	}{
		{quote.Request{Quote: "Le quorum est de huit membres"}, quote.NotFound, ""},
		{quote.Request{Quote: "Le quorum n'est pas de sept membres"}, quote.NotFound, ""},
		{quote.Request{Quote: "le QUORUM est de sept membres"}, quote.OtherCase, quote.Current},
		{quote.Request{Quote: "Le quorum"}, quote.TooShort, ""},
		{quote.Request{Quote: "Le quorum … sept membres"}, quote.InParts, quote.Current},
		{quote.Request{Quote: "sept membres … Le quorum"}, quote.NotFound, ""},
		{quote.Request{Quote: "Le quorum est … dit l'ancien règlement"}, quote.NotFound, ""},
		{quote.Request{Quote: "Le quorum … a … membres"}, quote.TooShort, ""},
		{quote.Request{Quote: "budget est de douze mille francs, dit l'ancien"}, quote.Exact, quote.Current},
		{quote.Request{Quote: "Die Gemeindeverwaltung tagt im"}, quote.Exact, quote.Current},
		{quote.Request{Quote: "Die Gemeindeverwaltung tagt im", Languages: []string{"fr"}}, quote.NotFound, ""},
		{quote.Request{Quote: "quorum est de sept membres", Source: []string{"region"}}, quote.NotFound, ""},
		{quote.Request{Quote: "quorum est de sept membres", Document: p.DocumentID, Source: []string{"mairie"}}, quote.Exact, quote.Current},
		{quote.Request{Quote: "quorum est de sept membres", Document: "doc_aaaaaaaaaaaaaaaaaaaaaaaaaa"}, quote.NotFound, ""},
		{quote.Request{Quote: "quorum est de sept membres", AsOf: "2026-02-28"}, quote.NotFound, ""},
		{quote.Request{Quote: "quorum est de sept membres", AsOf: "2026-03-01"}, quote.Exact, quote.Current},
	} {
		got := r.check(c.q)
		if got.Verdict != c.verdict || c.standing != "" && got.Standing != c.standing && got.Standing != quote.Archived {
			t.Errorf("%+v: %s, %s: %s", c.q, got.Verdict, got.Standing, got.Reason)
		}
	}
}

// TestAQuotationAmongWhatIsNotLookedUpYet: of chunks that have come faster than their words
// are made so many are read; beyond, the answer is never that there is none.
func TestAQuotationAmongWhatIsNotLookedUpYet(t *testing.T) {
	r := newRig(t)
	_, c := r.add(doc{content: "Le quorum est de sept membres présents."})
	if _, err := r.app.db.MakeQuoteWords(r.ctx, 10); err != nil {
		t.Fatal(err)
	}
	r.exec(`INSERT INTO chunks SELECT (jsonb_populate_record(c, jsonb_build_object('chunk_ref', c.chunk_ref || n, 'point_id', gen_random_uuid(),
			'generation', 7, 'chunk_index', n, 'content', 'Le budget de ' || n || ' francs est voté.'))).*
		FROM chunks c, generate_series(1, 1001) n`)
	r.exec(`INSERT INTO chunk_state SELECT (jsonb_populate_record(s, jsonb_build_object('chunk_ref', s.chunk_ref || n))).*
		FROM chunk_state s, generate_series(1, 1001) n`)
	missing := quote.Request{Quote: "Le quorum est de neuf membres"}
	if got := r.check(missing); got.Verdict != quote.Undecided || !strings.Contains(got.Reason, "later") {
		t.Errorf("what cannot be looked up yet: %s, %s", got.Verdict, got.Reason)
	}
	if got := r.check(quote.Request{Quote: "Le quorum est de sept membres"}); got.Verdict != quote.Exact || !got.More {
		t.Errorf("what is found beside it: %+v", got)
	}
	r.exec(`DELETE FROM chunk_state WHERE chunk_ref = $1`, c.ChunkRef+"1001")
	if got := r.check(missing); got.Verdict != quote.NotFound {
		t.Errorf("as many as are read: %s, %s", got.Verdict, got.Reason)
	}
	if got := r.check(quote.Request{Quote: "Le quorum est de sept … membres présents"}); got.Verdict != quote.InParts {
		t.Errorf("in parts: %s, %s", got.Verdict, got.Reason)
	}
}

// TestCheckQuoteRefuses: what cannot be asked is refused with a problem.
func TestCheckQuoteRefuses(t *testing.T) {
	r := newRig(t)
	for _, body := range []string{``, `{`, `{}`, `{"quote":""}`, `{"quote":7}`, `{"quote":"a"} {}`, `{"quote":"a","of":"b"}`, `{"quote":"a","as_of":"soon"}`, `{"quote":"a","as_of":""}`,
		`{"quote":"a","limit":51}`, `{"quote":"a","limit":-1}`, `{"quote":"a","limit":0}`, `{"quote":"a","limit":1.5}`, `{"quote":"a","limit":1e99}`, `{"quote":"a","source":null}`, `{"quote":"a","language":[null]}`, `null`,
		`{"quote":"a","source":["\u0001"]}`, fmt.Sprintf(`{"quote":%q}`, strings.Repeat("a", quote.MaxQuote+1)),
		`{"quote":"a","source":[` + strings.Repeat(`"a",`, 50) + `"a"]}`} {
		r.post("/v1/check-quote", http.StatusBadRequest, body)
	}
	for _, whole := range []string{`38`, `38.0`, `3.8e1`} {
		r.post("/v1/check-quote", http.StatusOK, `{"quote":"nobody has said it so far","limit":`+whole+`}`)
	}
	r.post("/v1/check-quote", http.StatusRequestEntityTooLarge, fmt.Sprintf(`{"quote":%q}`, strings.Repeat("a", api.MaxBody)))
	if resp, _ := r.requestWith(http.MethodPost, "/v1/check-quote", http.Header{"Content-Type": {"text/plain"}}, `{"quote":"a"}`); resp.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("text is answered with %s", resp.Status)
	}
	if resp, _ := r.request(http.MethodGet, "/v1/check-quote", nil); resp.StatusCode != http.StatusMethodNotAllowed || resp.Header.Get("Allow") != "POST" {
		t.Errorf("GET is answered with %s, allowed is %q", resp.Status, resp.Header.Get("Allow"))
	}
}

// TestWordsAreThoseOfTheCatalog: whoever asks the index for a word must write it as the
// index does, or a quotation is not found.
func TestWordsAreThoseOfTheCatalog(t *testing.T) {
	r := newRig(t)
	texts := []string{
		"Le quorum est de 1 234,5 membres (½) — l’eau d'ÎLE, n°3 & co.", "Gemeinde-\nverwaltung Gemeinde\u00adverwaltung well-known", "ΑΘΗΝΑ Совет м² 10²",
		"市长签署了预算案 テスト ประชาชน", "ﬁn eﬃcient e\u0301te\u0301 ÅÅ İı ß", strings.Repeat("a", 40) + "é" + strings.Repeat("字", 3), "a\u200bb\u2060c\ufeffd|e\tf\u00a0g",
		"قال: نعم، لا؟ שלום־עולם हिन्दी। ", "½¼™№℃ x⁄y 🙂 ok … ‹a› „b“", "", " .,; ", "½",
	}
	for lo := rune(0x21); lo < 0x3100; lo += 64 { // each character between two words
		var b strings.Builder
		for c := lo; c < lo+64; c++ {
			fmt.Fprintf(&b, "x%cy ", c)
		}
		texts = append(texts, b.String())
	}
	for _, text := range texts {
		words, err := r.app.db.QuoteWords(r.ctx, text)
		r.must(err)
		words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\u00ad\n", ""), "-\n", "")
		if got := quote.IndexForm(text); !slices.Equal(got, words) {
			t.Errorf("%q:\n%q\nthe catalog %q", text, got, words)
		}
	}
}

// TestAChunkSaysWhatCameAfter: a chunk that its document says has nothing after it.
func TestAChunkSaysWhatCameAfter(t *testing.T) {
	r := newRig(t)
	_, c := r.add(doc{content: "Le quorum est de sept membres présents."})
	got := into[api.ChunkAnswer](t, r.get("/v1/chunks/{ref}", http.StatusOK, "/v1/chunks/"+url.PathEscape(c.ChunkRef)))
	if got.Successor != nil || got.Chunk.ChunkRef != c.ChunkRef {
		t.Errorf("%+v", got)
	}
}
