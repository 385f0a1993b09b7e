package questions

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/html"
	"github.com/colophon-dev/colophon/pkg/extract/textfile"
	"github.com/colophon-dev/colophon/pkg/model"
)

// extracted returns the text that goes into chunks, as the program reads a document.
func extracted(t *testing.T, d Document) string {
	t.Helper()
	kind := model.KindTextFile
	if path.Ext(d.File) == ".html" {
		kind = model.KindHTML
	}
	in := extract.Input{Raw: d.Content, ExtractionID: digest.ExtractionID(extract.ParserVersion, "", ""), Snapshot: model.Snapshot{
		SnapshotID: digest.SnapshotID("questions", d.ID, digest.Content(d.Content)), SourceID: "questions", SourceName: "Questions",
		SnapshotKind: kind, Filename: path.Base(d.File), URL: d.URL, URLCanonical: d.URL, RetrievedAt: d.Date, ContentHash: digest.Content(d.Content)}}
	all := extract.Extractors{model.KindHTML: html.Extractor{}, model.KindTextFile: textfile.Extractor{Formats: textfile.Builtin()}}
	pages, reason, sentence, err := all.Pages(t.Context(), in)
	if err != nil || reason != "" {
		t.Fatal(d.ID, reason, sentence, err)
	}
	var text strings.Builder
	for n := range pages {
		frame, err := all.Extract(t.Context(), in, n+1)
		if err != nil {
			t.Fatal(d.ID, err)
		}
		for _, u := range frame.Units {
			if u.Chunked() {
				text.WriteString(u.FieldsRaw.Text + "\n")
			}
		}
	}
	return spaced(text.String())
}

// TestTheProgramReadsEachPassage: what goes into chunks has each passage once. Where a
// passage is missing from all chunks, no search can find it, and a measure of search would
// blame the wrong part.
func TestTheProgramReadsEachPassage(t *testing.T) {
	s := read(t)
	texts := map[string]string{}
	for _, d := range s.Documents {
		texts[d.ID] = extracted(t, d)
	}
	once := func(id, document, passage string) {
		if n := strings.Count(texts[document], spaced(passage)); n != 1 {
			t.Errorf("%s: %d times in what is read of %s: %s", id, n, document, passage)
		}
	}
	for _, q := range slices.Concat(s.Questions, s.Unasked) {
		once(q.ID, q.Document, q.Passage)
	}
	for _, r := range s.References {
		once(r.ID, r.Document, r.Pointer)
		once(r.ID, r.Document, r.Passage)
	}
	tellings, asked, err := ReadStories()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tellings {
		texts[d.ID] = extracted(t, d.Document)
	}
	for _, q := range asked {
		once(q.Story, q.Document, q.Passage)
	}
}
