package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/html"
	"github.com/colophon-dev/colophon/pkg/extract/pdf"
	"github.com/colophon-dev/colophon/pkg/extract/textfile"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pdfium"
	"github.com/colophon-dev/colophon/pkg/segment"
	chunker "github.com/colophon-dev/colophon/services/chunker/app"
)

// The fields of a snapshot of which its digest must not depend although something
// that is made of it says them: its name, its time, and the date that it says.
func namesOfSnapshot() []string { return []string{"SnapshotID", "RetrievedAt", "LastModified"} }

// reason of fields that are in the digest, and that none of the documents of this test is
// made otherwise by.
func readElsewhere() map[string]string {
	return map[string]string{
		"ContentHash": "it stands for the bytes, which this test does not change",
		"ByteLength":  "a document of 0 bytes is refused before it is extracted",
		"MaxPages":    "a document with more pages is refused when it is split",
		"ExternalID":  "it names what has no URL, and every page of these has one",
	}
}

// readDocument is a document as it was captured, which is extracted and cut again and
// again.
type readDocument struct {
	snapshot model.Snapshot
	raw      []byte
}

// baseDocument is a snapshot of a document with a value in every field.
func baseDocument(kind model.SnapshotKind, final model.FinalType, raw []byte) readDocument {
	at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	s := model.Snapshot{
		SnapshotGroupID: "night", DocumentID: digest.DocumentID("council", "https://a.example/dir/page"), RequestID: "r1",
		SourceID: "council", SourceName: "Council", SnapshotKind: kind, FinalType: final,
		URL: "https://a.example/dir/page", URLCanonical: "https://a.example/dir/page", URLCanonicalizationVersion: "urlcanon_v1",
		SourceRecordID: "", ExternalID: "https://a.example/dir/page", RedirectChain: []string{"https://a.example/old"},
		Slug: "page-00000000", RetrievedAt: at, HTTPStatus: 200, ContentHash: digest.Content(raw), ByteLength: int64(len(raw)),
		DetectedEncoding: "utf-8", EncodingOrigin: "bytes", EncodingConfidence: 1, FetchStatus: "ok",
		LastModified: at, LastModifiedOrigin: "http_header", SourceType: "official", Domain: "civics", Territory: "valdoro",
		Layer: model.LayerHot, RuleVersions: map[string]string{"typing": "1"},
	}
	s.SnapshotID = digest.SnapshotID(s.SourceID, s.RequestID, s.ContentHash)
	return readDocument{s, raw}
}

// smallPDF is one page with one line.
func smallPDF() []byte {
	const text = "BT /F1 12 Tf 72 720 Td (The council meets on the third of March.) Tj ET"
	return fmt.Appendf(nil, `%%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>> endobj
4 0 obj <</Length %d>> stream
%s
endstream endobj
5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj
trailer <</Root 1 0 R>>
%%%%EOF`, len(text), text)
}

// readDocuments are small ones of each kind, whose bytes leave it to their snapshot how
// they are to be read.
func readDocuments() map[string]readDocument {
	// "протокол" in KOI8-R, which is other letters in every other encoding.
	cyrillic := "\xd0\xd2\xcf\xd4\xcf\xcb\xcf\xcc \xda\xc1\xd3\xc5\xc4\xc1\xce\xc9\xd1 \xd3\xcf\xd7\xc5\xd4\xc1"
	page := baseDocument(model.KindHTML, model.TypeHTML, []byte(`<main><h1>`+cyrillic+`</h1><p class=lead>`+cyrillic+
		` <a href="next">one</a></p><p>Second.</p></main>`))
	bare := baseDocument(model.KindTextFile, model.TypeText, []byte("- "+cyrillic+"\n- 2\n"))
	table := baseDocument(model.KindTextFile, model.TypeText, []byte("name,votes\nAna,3\nRui,4\n"))
	short := baseDocument(model.KindTextFile, model.TypeText, []byte("12 34"))
	return map[string]readDocument{
		"a page": page, "a text": bare, "a table": table, "numbers": short,
		"a PDF":                 baseDocument(model.KindPDF, model.TypePDF, smallPDF()),
		"nothing that is known": baseDocument(model.KindOther, model.TypeUnknown, []byte("\x00\x01")),
	}
}

// fieldValues are what a field is changed to, where anything else would say little.
func fieldValues() map[string][]any {
	return map[string][]any{
		"SnapshotKind":       {model.KindTextFile, model.KindHTML, model.KindOther},
		"FinalType":          {model.TypeText, model.TypeZIP},
		"ContentType":        {"text/plain; charset=koi8-r", "text/csv", "text/markdown"},
		"HTTPContentType":    {"text/plain; charset=koi8-r", "text/csv", "text/markdown"},
		"DetectedMIME":       {"text/csv", "text/markdown"},
		"DetectedExt":        {"csv", "md"},
		"URLExt":             {"csv", "md"},
		"Filename":           {"list.csv", "note.md", "letter.txt"},
		"Encoding":           {"koi8-r", "windows-1251"},
		"DetectedEncoding":   {"koi8-r"},
		"Language":           {"ru", "it"},
		"SourceLanguage":     {"ru", "it"},
		"SourceLanguages":    {[]string{"ru"}, []string{"it", "fr"}},
		"Region":             {"IT", "BR"},
		"URL":                {"https://b.example/other/page"},
		"URLCanonical":       {"https://b.example/other/page"},
		"SourceType":         {"forum"},
		"Layer":              {model.LayerArchive},
		"LastModifiedOrigin": {"meta"},
		"SourceEntry":        {&model.EntryRule{Select: "p.lead", Fields: []model.EntryField{{Name: "text"}}}},
		"SourceFurniture":    {&model.Furniture{Version: 1, Selectors: []model.FurnitureSelect{{Select: "p.lead", Role: "banner"}}}},
		"SourceEntities":     {[]model.EntitySchema{{Name: "permits", Version: 1, Schema: map[string]any{"type": "object"}}}},
		"ContextLine":        {true},
		"HeaderLabels":       {&model.Labels{Type: "T", Status: "S", Date: "D", Source: "Q"}},
		"MaxPages":           {1},
	}
}

// otherValues returns values of a field that differ from the one that it has.
func otherValues(t *testing.T, name string, v reflect.Value) []reflect.Value {
	t.Helper()
	var out []reflect.Value
	for _, value := range fieldValues()[name] {
		out = append(out, reflect.ValueOf(value))
	}
	if len(out) > 0 {
		return out
	}
	next := reflect.New(v.Type()).Elem()
	switch value := v.Interface().(type) {
	case model.Time:
		next.Set(reflect.ValueOf(value.Add(48 * time.Hour)))
	case []string:
		next.Set(reflect.ValueOf(append(slices.Clone(value), "other")))
	case map[string]string:
		other := maps.Clone(value)
		if other == nil {
			other = map[string]string{}
		}
		other["other"] = "2"
		next.Set(reflect.ValueOf(other))
	case map[string][]string:
		next.Set(reflect.ValueOf(map[string][]string{"Content-Type": {"text/csv"}}))
	default:
		switch v.Kind() {
		case reflect.String:
			next.SetString(v.String() + "other")
		case reflect.Int, reflect.Int64:
			next.SetInt(v.Int() + 1)
		case reflect.Float64:
			next.SetFloat(v.Float() / 2)
		default:
			t.Fatalf("%s is of a type that this test cannot change: %s", name, v.Type())
		}
	}
	return []reflect.Value{next}
}

// TestWhatIsReadMovesTheDigest changes every field of a snapshot, one at a time: what
// is extracted and cut into chunks is as it was, or the digest is another. The other
// way round, a field is in the digest only when it is read.
func TestWhatIsReadMovesTheDigest(t *testing.T) {
	engine, err := pdfium.Open(t.Context(), pdfium.Config{CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close(t.Context()) })
	kinds := extract.Extractors{
		model.KindHTML: html.Extractor{}, model.KindTextFile: textfile.Extractor{Formats: textfile.Builtin()}, model.KindPDF: pdf.New(engine),
	}
	documents := readDocuments()
	names := slices.Sorted(maps.Keys(documents))
	before := make(map[string]string, len(names))
	for _, name := range names {
		before[name] = madeOf(t, kinds, documents[name])
	}
	if !strings.Contains(before["a PDF"], "third of March") {
		t.Fatalf("of the PDF is made %.2000s", before["a PDF"])
	}
	fields := reflect.TypeFor[model.Snapshot]()
	moves, read := map[string]bool{}, map[string]bool{}
	for i := range fields.NumField() {
		field := fields.Field(i).Name
		for _, name := range names {
			original := documents[name]
			was := readsOf(t, original.snapshot)
			for _, value := range otherValues(t, field, reflect.ValueOf(original.snapshot).Field(i)) {
				other := original
				reflect.ValueOf(&other.snapshot).Elem().Field(i).Set(value)
				if reflect.DeepEqual(other.snapshot, original.snapshot) {
					continue
				}
				moved := readsOf(t, other.snapshot) != was
				moves[field] = moves[field] || moved
				if slices.Contains(namesOfSnapshot(), field) {
					continue
				}
				if madeOf(t, kinds, other) != before[name] {
					read[field] = true
					if !moved {
						t.Errorf("%s: with %s %v others are made of it, and the digest is the same", name, field, value)
					}
				}
			}
		}
	}
	for field := range moves {
		switch _, known := readElsewhere()[field]; {
		case moves[field] && slices.Contains(namesOfSnapshot(), field):
			t.Errorf("%s is in the digest: no two captures would be equal", field)
		case moves[field] && !read[field] && !known:
			t.Errorf("%s is in the digest, and nothing is made otherwise by it", field)
		case known && (read[field] || !moves[field]):
			t.Errorf("%s is said to be read elsewhere only", field)
		}
	}
}

func readsOf(t *testing.T, s model.Snapshot) string {
	t.Helper()
	reads, err := s.ReadsDigest()
	if err != nil {
		t.Fatal(err)
	}
	return reads
}

// madeOf writes down the frames and the chunks that are made of a document.
func madeOf(t *testing.T, kinds extract.Extractors, c readDocument) string {
	t.Helper()
	rules, err := digest.SourceRulesDigest(c.snapshot.UnitRules())
	if err != nil {
		t.Fatal(err)
	}
	in := extract.Input{Raw: c.raw, Snapshot: c.snapshot, ExtractionID: digest.ExtractionID(extract.ParserVersion, rules, "")}
	count, reason, sentence, err := kinds.Pages(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	in.RunReason, in.RunMessage = string(reason), sentence
	var frames []segment.Frame
	for no := 1; no <= count; no++ {
		f, err := kinds.Extract(t.Context(), in, no)
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, f)
	}
	out := []any{frames}
	run := model.Run{SnapshotID: c.snapshot.SnapshotID, ExtractionID: in.ExtractionID, ParserVersion: extract.ParserVersion}
	made, err := chunker.NewMaker().Make(c.snapshot, run, frames, false)
	if err != nil {
		t.Fatal(fmt.Errorf("cutting: %w", err))
	}
	for i := range made.Chunks { // the ids are those of the version, not what was read
		made.Chunks[i].DocHash, made.Chunks[i].ChunkRef, made.Chunks[i].PointID = "", "", ""
	}
	out = append(out, made)
	text, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
