package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/html"
	"github.com/colophon-dev/colophon/pkg/extract/present"
	"github.com/colophon-dev/colophon/pkg/extract/scan"
	"github.com/colophon-dev/colophon/pkg/extract/textfile"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/language"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

var update = flag.Bool("update", false, "write the golden frames anew; ParserVersion must be raised when a released one moves")

func input(kind model.SnapshotKind, raw []byte) Input {
	return Input{
		Raw: raw, ExtractionID: digest.ExtractionID(ParserVersion, "", ""),
		Snapshot: model.Snapshot{
			SnapshotID: digest.SnapshotID("valdoria", "req-1", digest.Content(raw)), SourceID: "valdoria", SourceName: "Commune de Valdoria",
			SnapshotKind: kind, FinalType: model.TypeHTML, URL: "https://valdoria.example/conseil/2024-06", URLCanonical: "https://valdoria.example/conseil/2024-06",
			RetrievedAt: time.Date(2024, 6, 3, 10, 0, 0, 0, time.UTC), ContentHash: digest.Content(raw),
		},
	}
}

// extractors are those that need nothing but the bytes.
func extractors() Extractors {
	return Extractors{model.KindHTML: html.Extractor{}, model.KindTextFile: textfile.Extractor{Formats: textfile.Builtin()}, model.KindImageScan: scan.Extractor{}}
}

// withPDF are they, and e for PDF files.
func withPDF(e Extractor) Extractors {
	all := extractors()
	all[model.KindPDF] = e
	return all
}

func frameOf(t testing.TB, in Input) segment.Frame {
	t.Helper()
	f, err := extractors().Extract(context.Background(), in, 1)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var documents = []struct {
	name, file string
	kind       model.SnapshotKind
}{
	{"council", "html/testdata/council.html", model.KindHTML},
	{"old", "html/testdata/old.html", model.KindHTML},
	{"regulation", "text/testdata/regulation.txt", model.KindTextFile},
	{"notes", "text/testdata/notes.md", model.KindTextFile},
	{"fees", "csv/testdata/fees.csv", model.KindTextFile},
	{"deliberations", "json/testdata/council.json", model.KindTextFile},
	{"news", "xml/testdata/news.xml", model.KindTextFile},
}

// The frames of these documents may only move together with ParserVersion
// (contracts#version-numbers): their golden files are kept by version.
func TestGoldenFrames(t *testing.T) {
	for _, d := range documents {
		t.Run(d.name, func(t *testing.T) {
			raw, err := os.ReadFile(d.file)
			if err != nil {
				t.Fatal(err)
			}
			in := input(d.kind, raw)
			in.Snapshot.Filename = filepath.Base(d.file)
			f := frameOf(t, in)
			got := pretty(t, f)
			golden := filepath.Join("testdata", "v"+ParserVersion, d.name+".json")
			if *update {
				if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
				t.Fatal("golden frame written; run again without -update")
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("the frame moved: raise ParserVersion, then run with -update\n%s", firstDifference(got, want))
			}
		})
	}
}

func pretty(t *testing.T, f segment.Frame) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func firstDifference(got, want []byte) string {
	a, b := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "got  " + a[i] + "\nwant " + b[i]
		}
	}
	return "one is longer"
}

// Every frame must keep the invariants of seeds#capture, and be the same each time.
func TestFramesAreSound(t *testing.T) {
	for _, d := range documents {
		raw, err := os.ReadFile(d.file)
		if err != nil {
			t.Fatal(err)
		}
		in := input(d.kind, raw)
		in.Snapshot.Filename = filepath.Base(d.file)
		f := frameOf(t, in)
		checkFrame(t, in, f)
		if f.Page.Status != model.PageProcessed || f.Page.Coverage != 1 || f.Page.Quality < 0.9 {
			t.Errorf("%s: %s, coverage %v (%s), quality %v", d.name, f.Page.Status, f.Page.Coverage, f.Page.CoverageNote, f.Page.Quality)
		}
		first, err := segment.EncodeFrame(f)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			again, err := segment.EncodeFrame(frameOf(t, in))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(first, again) {
				t.Fatalf("%s: two runs differ", d.name)
			}
		}
	}
}

func checkFrame(t *testing.T, in Input, f segment.Frame) {
	t.Helper()
	ids, blocks := map[string]bool{}, map[string]bool{}
	var hashes []string
	for _, u := range f.Units {
		if err := u.Validate(); err != nil {
			t.Error(err)
		}
		if ids[u.IRID] || blocks[u.FieldsRaw.BlockID] {
			t.Errorf("%s %s stands twice", u.IRID, u.FieldsRaw.BlockID)
		}
		ids[u.IRID], blocks[u.FieldsRaw.BlockID] = true, true
		if id, err := digest.IRID(f.Page.PageID, f.Page.ExtractionID, u.RecordLocator); err != nil || id != u.IRID {
			t.Errorf("ir_id %s, want %s (%v)", u.IRID, id, err)
		}
		e := u.Evidence[0]
		if e.FragmentHash != digest.FragmentSpan(in.Raw[e.ByteSpan.Start:e.ByteSpan.End]) {
			t.Errorf("%s: fragment_hash is not of its slice", u.IRID)
		}
		if u.Type != model.UnitError {
			hash := present.BlockHash(&u, in.Snapshot.ContentHash)
			if u.FieldsRaw.Text != "" && hash != digest.BlockHash(u.FieldsRaw.Text) {
				t.Errorf("%s: the block hash of %q is not that of its text", u.IRID, u.FieldsRaw.Text)
			}
			hashes = append(hashes, hash)
		}
	}
	if f.Page.PageHash != digest.PageHash(hashes) || f.Page.ContentHash != digest.PageContentHash([]byte(f.Page.HTML)) || f.Page.UnitCount != len(f.Units) {
		t.Errorf("page hashes or counts are not of its units: %+v", f.Page)
	}
}

type failing struct{ err error }

func (f failing) Pages(context.Context, Input) (int, error)            { return 0, f.err }
func (f failing) Page(context.Context, Input, int) (block.Page, error) { return block.Page{}, f.err }

func TestFailedPages(t *testing.T) {
	ctx := context.Background()
	pdf := func(err error) Extractors { return withPDF(failing{err}) }
	withReason := input(model.KindPDF, []byte("%PDF"))
	withReason.RunReason, withReason.RunMessage = "encrypted", "the file needs a password"
	for _, tt := range []struct {
		name   string
		kinds  Extractors
		in     Input
		reason fault.Reason
	}{
		{"nothing", extractors(), input(model.KindHTML, nil), fault.EmptyContent},
		{"no text", extractors(), input(model.KindHTML, []byte("<title>t</title><script>x</script>")), fault.EmptyContent},
		{"white space", extractors(), input(model.KindTextFile, []byte(" \n\n")), fault.EmptyContent},
		{"unknown kind", extractors(), input(model.KindOther, []byte("\x00\x01\xFF")), fault.UnsupportedType},
		{"failure", pdf(&block.Failure{Reason: fault.Malformed, Message: "page 1: cut", FallbackText: "some"}), input(model.KindPDF, []byte("%PDF-\x00\xFF")), fault.Malformed},
		{"permanent", pdf(fault.Permanent(fault.Timeout, errors.New("page 1: 30 s are over"))), input(model.KindPDF, []byte("%PDF")), fault.Timeout},
		{"run", extractors(), withReason, fault.Encrypted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := tt.kinds.Extract(ctx, tt.in, 1)
			if err != nil {
				t.Fatal(err)
			}
			if f.Page.Status != model.PageFailed || f.Page.Reason != string(tt.reason) || f.Page.Message == "" || len(f.Units) != 1 {
				t.Fatalf("%+v", f.Page)
			}
			u := f.Units[0]
			if u.Type != model.UnitError || u.FieldsRaw.BlockID != "failed_block_001" || u.Evidence[0].ByteSpan.End != int64(len(tt.in.Raw)) {
				t.Errorf("%+v", u)
			}
			checkFrame(t, tt.in, f)
			if _, err := segment.EncodeFrame(f); err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := pdf(fault.Unavailable(errors.New("away"))).Extract(ctx, input(model.KindPDF, []byte("%PDF")), 1); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("what is not the document's fault must be returned: %v", err)
	}
}

func TestPages(t *testing.T) {
	ctx := context.Background()
	if n, reason, _, err := extractors().Pages(ctx, input(model.KindHTML, []byte("<p>a"))); n != 1 || reason != "" || err != nil {
		t.Errorf("%d %s %v", n, reason, err)
	}
	kinds := withPDF(failing{&block.Failure{Reason: fault.Encrypted, Message: "needs a password"}})
	if n, reason, sentence, err := kinds.Pages(ctx, input(model.KindPDF, []byte("%PDF"))); n != 1 || reason != fault.Encrypted || sentence == "" || err != nil {
		t.Errorf("%d %s %q %v", n, reason, sentence, err)
	}
	if _, _, _, err := withPDF(failing{errors.New("broken")}).Pages(ctx, input(model.KindPDF, []byte("%PDF"))); err == nil {
		t.Error("an unknown error must be returned")
	}
}

// Bytes that no store can hold never reach a frame.
func TestCleanText(t *testing.T) {
	for in, want := range map[string]string{"a\x00b": "a\uFFFDb", "a\xFF\xFEb": "a\uFFFD\uFFFDb", "\x01é": "\x01é", "": ""} {
		if got, _ := clean(in); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
	f := frameOf(t, input(model.KindTextFile, []byte("a\x00b\n\nc")))
	if f.Units[0].FieldsRaw.Text != "a\uFFFDb" || len(f.Units[0].ParseWarnings) != 1 {
		t.Errorf("%+v", f.Units[0])
	}
}

func TestTooMuchForAFrame(t *testing.T) {
	page := block.Page{Blocks: make([]block.Block, block.MaxBlocks+1)}
	f, err := Assemble(input(model.KindHTML, []byte("x")), 1, page)
	if err != nil || f.Page.Reason != string(fault.LimitExceeded) {
		t.Errorf("%+v %v", f.Page, err)
	}
}

func TestOddCharactersAreFlagged(t *testing.T) {
	f := frameOf(t, input(model.KindTextFile, []byte("a\x07b\n\n\u202Ec\n\nd")))
	for i, want := range []string{FlagControl, FlagBidi, ""} {
		if got := strings.Join(f.Units[i].FieldsRaw.Flags, " "); got != want {
			t.Errorf("%q: flags %q, want %q", f.Units[i].FieldsRaw.Text, got, want)
		}
	}
}

// A piece of a page that fails becomes an error unit, and the page goes on.
func TestAFailedPieceOfAPage(t *testing.T) {
	in := input(model.KindHTML, []byte("<p>before</p><table>"+strings.Repeat("<tr><td colspan=1000>a<td colspan=1000>b</tr>", 2000)+"</table>"))
	f := frameOf(t, in)
	u := f.Units[1]
	if u.Type != model.UnitError || u.FieldsRaw.BlockID != "failed_block_001" || u.FieldsRaw.Text != "" || u.Validate() != nil || u.Chunked() {
		t.Fatalf("%+v", u)
	}
	e := u.FieldsRaw.Error
	if e.Type != "extraction_failed" || e.Reason != "limit_exceeded" || !strings.HasPrefix(e.RawHTML, "<table>") || !strings.HasPrefix(e.FallbackText, "a b") || len(e.FallbackText) > maxRawFragment {
		t.Errorf("%+v", e)
	}
	if f.Page.Status != model.PageProcessed || f.Page.Coverage != 1 || f.Page.Quality >= 1 {
		t.Errorf("%+v", f.Page)
	}
}

// TestAnAddedLanguage: a page in a language of which a file of words was added is in it,
// block by block, without a word to anybody else.
func TestAnAddedLanguage(t *testing.T) {
	files, err := language.Words()
	if err != nil {
		t.Fatal(err)
	}
	const words = "i ar na nar ve lá an elen sila lumenn omentielvo aure entuluva eldar laurie lantar lassi surinen yeni unotime"
	files["qya.txt"] = words + "\n\nI eldar lantar ve lassi i surinen ar yeni unotime nar laurie.\n"
	languages, err := language.Train(files)
	if err != nil {
		t.Fatal(err)
	}
	in := input(model.KindHTML, []byte("<main><h1>Namarie</h1><p>"+strings.Repeat("Laurie nar i lassi ve i elen sila, ar eldar lantar an aure entuluva lumenn omentielvo. ", 3)+"</p></main>"))
	in.Snapshot.URL, in.Snapshot.URLCanonical = "https://a.example/", "https://a.example/"
	for want, memory := range map[string]*language.Memory{"qya": {Languages: languages}, "": {}} {
		in.Words = memory
		f := frameOf(t, in)
		units := f.Units
		got := units[len(units)-1].FieldsRaw.Language
		if is := got != nil && got.Lang == "qya"; is != (want == "qya") {
			t.Errorf("the paragraph is in %+v, want %q", got, want)
		}
		if is := f.Page.Language != nil && f.Page.Language.Lang == "qya"; is != (want == "qya") {
			t.Errorf("the page is in %+v, want %q", f.Page.Language, want)
		}
	}
}

// TestFivePrioritiesOfPages: what a captured page, its address and its source say about
// its language comes to its record in the order of seeds#conventions, and the short blocks
// of another language are among its shares, whichever of them says the first.
func TestFivePrioritiesOfPages(t *testing.T) {
	const italian = `<p>Il consiglio comunale si riunisce almeno una volta ogni tre mesi, quando il sindaco lo ritiene necessario oppure quando lo chiedono per iscritto i suoi membri.</p>`
	const english = `<h2>The council meets tonight at the town hall</h2><ul><li>You can now put your name on the list</li><li>The road through the valley is closed</li></ul>`
	page := func(attribute, meta, body string) string {
		return "<html" + attribute + "><head><title>a</title>" + meta + "</head><body>" + body + "</body></html>"
	}
	const meta = `<meta http-equiv="content-language" content="pt">`
	for _, c := range []struct {
		name, raw, url, region, lang, origin string
		multilingual                         bool
	}{
		{"html lang", page(` lang="fr"`, meta, italian+english), "https://example.ro/", "GB", "fr", "html_lang", true},
		{"meta", page("", meta, italian+english), "https://example.ro/", "GB", "pt", "meta", true},
		{"text", page("", "", italian+english), "https://example.ro/", "GB", "it", "detected", true},
		{"text of one language", page("", "", italian), "https://example.ro/", "GB", "it", "detected", false},
		{"URL", page("", "", "<p>12</p>"), "https://example.ro/", "GB", "ro", "url", false},
		{"region", page("", "", "<p>12</p>"), "https://example.org/", "GB", "en", "region", false},
		{"nothing", page("", "", "<p>12</p>"), "https://example.org/", "", "", "", false},
	} {
		in := input(model.KindHTML, []byte(c.raw))
		in.Snapshot.URL, in.Snapshot.Region = c.url, c.region
		in.Snapshot.Language, in.Snapshot.SourceLanguage, in.Snapshot.SourceLanguages = "", "", nil
		l := frameOf(t, in).Page.Language
		if l == nil {
			l = &model.Language{}
		}
		if l.Lang != c.lang || l.Origin != c.origin || l.Multilingual != c.multilingual {
			t.Errorf("%s: %+v", c.name, l)
		}
		if c.multilingual && (len(l.Languages) != 2 || l.Languages[0].Code != "it" || l.Languages[1].Code != "en" || l.Languages[1].Coverage < 0.3) {
			t.Errorf("%s: %+v", c.name, l.Languages)
		}
	}
}

// TestFoldedHash: pages whose quotation marks alone are others have one folded hash and
// two content hashes; apostrophes and other letters count in both.
func TestFoldedHash(t *testing.T) {
	hashes := func(body string) (content, folded string) {
		p := frameOf(t, input(model.KindHTML, []byte("<h1>"+body+"</h1><p>"+body+"</p>"))).Page
		return p.ContentHash, p.FoldedHash
	}
	straight, folded := hashes(`The "old" mill`)
	for _, c := range []struct {
		body         string
		same, sameAs bool
	}{
		{`The "old" mill`, true, true}, {`The “old” mill`, false, true}, {`The „old‟ mill`, false, true},
		{`The «old» mill`, false, false}, {`The 'old' mill`, false, false}, {`The "old" weir`, false, false},
		{`The &amp;quot;old&amp;quot; mill`, false, false},
	} {
		if a, b := hashes(c.body); (a == straight) != c.same || (b == folded) != c.sameAs || len(b) != 64 {
			t.Errorf("%s: content_hash the same %v, folded %v", c.body, a == straight, b == folded)
		}
	}
}
