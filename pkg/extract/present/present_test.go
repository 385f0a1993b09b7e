package present

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

func unitOf(kind model.UnitType, n int, text string, e model.Evidence) model.Unit {
	return model.Unit{Type: kind, Evidence: []model.Evidence{e}, FieldsRaw: model.Fields{
		BlockID: digest.BlockID(string(kind), n, digest.BlockHash(text)), Text: text, Verbatim: true,
	}}
}

// TestSourceReferences: a unit says where it stands as its kind of document has it.
func TestSourceReferences(t *testing.T) {
	at := time.Date(2024, 8, 12, 10, 30, 0, 0, time.UTC)
	box := model.BBox{X: 0.1, Y: 0.2, W: 0.5, H: 0.1}
	for name, tt := range map[string]struct {
		snapshot model.Snapshot
		page     int
		unit     model.Unit
		want     model.SourceRef
	}{
		"a web page": {
			model.Snapshot{SnapshotKind: model.KindHTML, URL: "https://a.example/aide", ExternalID: "aide", RetrievedAt: at}, 1,
			unitOf(model.UnitParagraph, 1, "a", model.Evidence{ByteSpan: &model.Span{End: 1}, CSSSelector: "article > p"}),
			model.SourceRef{Kind: "webpage", URL: "https://a.example/aide", Selector: "article > p", CapturedAt: at},
		},
		"a web page in an archive": {
			model.Snapshot{SnapshotKind: model.KindHTML, ExternalID: "https://a.example/b.zip!/x/p.html", RetrievedAt: at, ParentSnapshotID: "snap_z", MemberPath: "x/p.html", Filename: "p.html"}, 1,
			unitOf(model.UnitParagraph, 1, "a", model.Evidence{ByteSpan: &model.Span{End: 1}, CSSSelector: "p"}),
			model.SourceRef{Kind: "webpage", URL: "https://a.example/b.zip!/x/p.html", Selector: "p", CapturedAt: at, Filename: "x/p.html"},
		},
		"a record of a web archive": {
			model.Snapshot{SnapshotKind: model.KindHTML, URL: "https://a.example/r", RetrievedAt: at, ParentSnapshotID: "snap_z", MemberPath: "@1024"}, 1,
			unitOf(model.UnitParagraph, 1, "a", model.Evidence{ByteSpan: &model.Span{End: 1}, CSSSelector: "p"}),
			model.SourceRef{Kind: "webpage", URL: "https://a.example/r", Selector: "p", CapturedAt: at},
		},
		"a PDF file": {
			model.Snapshot{SnapshotKind: model.KindPDF, Filename: "decision.pdf", URL: "https://a.example/d"}, 6,
			unitOf(model.UnitListItem, 4, "a", model.Evidence{PageNumber: 6, BBox: &box}),
			model.SourceRef{Kind: "document", Filename: "decision.pdf", PageNumber: 6, Section: "Article 3.2", TextRegion: "list item 4"},
		},
		"one that has no name": {
			model.Snapshot{SnapshotKind: model.KindPDF, URL: "https://a.example/files/d%20e.pdf?x=1"}, 2,
			unitOf(model.UnitTable, 1, "a", model.Evidence{PageNumber: 2, BBox: &box}),
			model.SourceRef{Kind: "document", Filename: "d e.pdf", PageNumber: 2, Section: "Article 3.2", TextRegion: "table 1"},
		},
		"a scan": {
			model.Snapshot{SnapshotKind: model.KindImageScan, Filename: "s.tif"}, 3,
			unitOf(model.UnitParagraph, 2, "a", model.Evidence{PageIndex: new(int), BBox: &box}),
			model.SourceRef{Kind: "document", Filename: "s.tif", PageNumber: 3, Section: "Article 3.2", TextRegion: "paragraph 2"},
		},
		"a text file in an archive": {
			model.Snapshot{SnapshotKind: model.KindTextFile, Filename: "c.csv", ParentSnapshotID: "snap_z", MemberPath: "annex/c.csv"}, 1,
			unitOf(model.UnitParagraph, 1, "a", model.Evidence{ByteSpan: &model.Span{End: 1}, Lines: &model.Lines{First: 12, Last: 14}}),
			model.SourceRef{Kind: "document", Filename: "annex/c.csv", Section: "Article 3.2", TextRegion: "lines 12-14"},
		},
		"one line": {
			model.Snapshot{SnapshotKind: model.KindTextFile, Filename: "a.txt"}, 1,
			unitOf(model.UnitParagraph, 1, "a", model.Evidence{ByteSpan: &model.Span{End: 1}, Lines: &model.Lines{First: 3, Last: 3}}),
			model.SourceRef{Kind: "document", Filename: "a.txt", Section: "Article 3.2", TextRegion: "line 3"},
		},
		"a page that failed": {
			model.Snapshot{SnapshotKind: model.KindPDF, Filename: "a.pdf"}, 1,
			model.Unit{Type: model.UnitError, Evidence: []model.Evidence{{ByteSpan: &model.Span{End: 9}}}, FieldsRaw: model.Fields{BlockID: "failed_block_001", Error: &model.Failure{}}},
			model.SourceRef{Kind: "document", Filename: "a.pdf", PageNumber: 1, Section: "Article 3.2"},
		},
	} {
		r := NewReader(tt.snapshot)
		r.Open("Article 3.2", tt.page)
		got := slices.Collect(r.Units(segment.Frame{Page: model.Page{PageNo: tt.page}, Units: []model.Unit{tt.unit}}))[0].SourceRef
		if got == nil || !reflect.DeepEqual(*got, tt.want) {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// A section goes on over the pages behind its heading, up to the next one, and for no
// more pages than whoever shows one page looks back.
func TestSectionsGoOnOverPages(t *testing.T) {
	r := NewReader(model.Snapshot{SnapshotKind: model.KindPDF, Filename: "a.pdf"})
	text := unitOf(model.UnitParagraph, 1, "text", model.Evidence{BBox: &model.BBox{}})
	for page := 1; page <= SectionReach+3; page++ {
		units := []model.Unit{text}
		want := []string{"Two"}
		switch {
		case page == 1:
			units = []model.Unit{text, unitOf(model.UnitHeading, 1, "One\n is\tfirst", text.Evidence[0]), text, unitOf(model.UnitHeading, 2, "Two", text.Evidence[0])}
			want = []string{"", "One is first", "One is first", "Two"}
		case page > SectionReach+1:
			want = []string{""}
		}
		for i, u := range slices.Collect(r.Units(segment.Frame{Page: model.Page{PageNo: page}, Units: units})) {
			if u.SourceRef.Section != want[i] {
				t.Errorf("page %d, unit %d: in %q, want %q", page, i, u.SourceRef.Section, want[i])
			}
		}
	}
}

// Units without text have the hash of their picture, each its own; a text has its own
// whatever its markup, of which the other hash is.
func TestBlockHashes(t *testing.T) {
	const content = "sha256:aa"
	picture := func(page int, x float64, images ...model.Image) *model.Unit {
		return &model.Unit{Type: model.UnitFigure, Evidence: []model.Evidence{{PageNumber: page, BBox: &model.BBox{X: x, W: 0.1, H: 0.1}}}, FieldsRaw: model.Fields{Images: images}}
	}
	inline := func(hash string) *model.Unit {
		return &model.Unit{Type: model.UnitFigure, Evidence: []model.Evidence{{ByteSpan: &model.Span{}, FragmentHash: "sha256:" + hash}}, FieldsRaw: model.Fields{Images: []model.Image{{Alt: "x"}}}}
	}
	seen := map[string]string{digest.BlockHash(""): "no text"}
	for name, hash := range map[string]string{
		"page 1":            BlockHash(picture(1, 0.1), content),
		"elsewhere":         BlockHash(picture(1, 0.2), content),
		"page 2":            BlockHash(picture(2, 0.1), content),
		"another file":      BlockHash(picture(1, 0.1), "sha256:bb"),
		"an address":        BlockHash(picture(1, 0.1, model.Image{URL: "https://a.example/a.png"}), content),
		"another address":   BlockHash(picture(1, 0.1, model.Image{URL: "https://a.example/b.png"}), content),
		"in the page":       BlockHash(inline("11"), content),
		"another in it":     BlockHash(inline("22"), content),
		"two of them":       BlockHash(picture(1, 0.1, model.Image{URL: "a"}, model.Image{URL: "b"}), content),
		"a stored one":      BlockHash(picture(1, 0.1, model.Image{SHA256: "ab"}), content),
		"a text that is so": BlockHash(&model.Unit{FieldsRaw: model.Fields{Text: "page 1"}}, content),
	} {
		if other, taken := seen[hash]; taken || hash == "" {
			t.Errorf("%s and %s have one hash %s", name, other, hash)
		}
		seen[hash] = name
	}
	same := picture(7, 0.5, model.Image{URL: "https://a.example/a.png", Alt: "other words"})
	if BlockHash(same, content) != BlockHash(picture(1, 0.1, model.Image{URL: "https://a.example/a.png"}), content) {
		t.Error("one picture at two places has two hashes")
	}
	if BlockHash(picture(1, 0.1), content) != BlockHash(picture(1, 0.1, []model.Image{{Alt: "words"}}...), content) {
		t.Error("what a picture is said to show is no part of its hash")
	}
	for _, blank := range []string{" \n", "\uFEFF"} {
		u := picture(1, 0.1)
		u.FieldsRaw.Text = blank
		if BlockHash(u, content) != BlockHash(picture(1, 0.1), content) {
			t.Errorf("%q is a text", blank)
		}
	}

	hashes := func(html, text string) (string, string) {
		u := unitOf(model.UnitParagraph, 1, text, model.Evidence{ByteSpan: &model.Span{}})
		u.FieldsRaw.HTML = html
		made := slices.Collect(NewReader(model.Snapshot{ContentHash: content}).Units(segment.Frame{Units: []model.Unit{u}}))[0].FieldsRaw
		return made.BlockHash, made.BlockHashHTML
	}
	ours, seeds := hashes("<p>Art. 2</p>", "Art. 2")
	if ours != digest.BlockHash("Art. 2") || seeds != digest.HexParts("<p>art. 2</p>", "art. 2") {
		t.Errorf("%s, %s", ours, seeds)
	}
	for markup, differs := range map[string]bool{"<p>Art. 2</p>": false, "<P>art.\n 2</P>": false, "<h2>Art. 2</h2>": true, "": false} {
		text, both := hashes(markup, "Art. 2")
		if text != ours || (both != seeds) != differs {
			t.Errorf("%s: %s, %s", markup, text, both)
		}
	}
}

// HTML is made where the captured bytes have none, and says so; the frame stays as it
// is stored.
func TestTheFrameStays(t *testing.T) {
	captured := unitOf(model.UnitParagraph, 1, "a", model.Evidence{ByteSpan: &model.Span{End: 1}})
	captured.FieldsRaw.HTML, captured.FieldsRaw.Markdown = "<p class=x>a", "*a*"
	failed := model.Unit{Type: model.UnitError, FieldsRaw: model.Fields{BlockID: "failed_block_001", Error: &model.Failure{Reason: "timeout"}}}
	f := segment.Frame{Page: model.Page{PageNo: 2}, Units: []model.Unit{
		captured, unitOf(model.UnitHeading, 1, "b <c>", model.Evidence{BBox: &model.BBox{}}), failed,
	}}
	before, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Collect(NewReader(model.Snapshot{SnapshotKind: model.KindPDF}).Units(f))
	if after, err := json.Marshal(f); err != nil || string(after) != string(before) {
		t.Errorf("the frame was changed: %s", after)
	}
	for i, want := range []string{"<p class=x>a false *a*", "<h1>b &lt;c&gt;</h1> true # b \\<c>", " false "} {
		if f := got[i].FieldsRaw; fmt.Sprintf("%s %v %s", f.HTML, f.HTMLMade, f.Markdown) != want {
			t.Errorf("%d: %s %v %s, want %s", i, f.HTML, f.HTMLMade, f.Markdown, want)
		}
	}
	if failed := got[2]; failed.SourceRef == nil || failed.FieldsRaw.BlockHash != "" || failed.FieldsRaw.BlockHashHTML != "" {
		t.Errorf("%+v", failed)
	}
}
