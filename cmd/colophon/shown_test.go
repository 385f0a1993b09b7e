package main

import (
	"encoding/json"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/html"
	"github.com/colophon-dev/colophon/pkg/extract/pdf"
	"github.com/colophon-dev/colophon/pkg/extract/present"
	"github.com/colophon-dev/colophon/pkg/extract/scan"
	"github.com/colophon-dev/colophon/pkg/extract/textfile"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

var shownOf = flag.String("shown-of", "../../test/documents", "folder of the documents whose units' fields are counted, with -v")

// fieldCount is how many units have a field, and how many values it has.
type fieldCount struct {
	units  int
	values map[string]int
}

// shownFields are the fields of a unit that are looked at, as they are shown; "" for
// what it has not.
func shownFields(u model.Unit) map[string]string {
	ref, f := u.SourceRef, u.FieldsRaw
	text := func(v any) string {
		raw, _ := json.Marshal(v)
		if s := string(raw); s != "0" && s != "null" && s != `""` && s != "false" {
			return s
		}
		return ""
	}
	captured := ""
	if !ref.CapturedAt.IsZero() {
		captured = text(ref.CapturedAt)
	}
	made, given := "", f.HTML
	if f.HTMLMade {
		made, given = f.HTML, ""
	}
	return map[string]string{
		"source_ref.kind": ref.Kind, "source_ref.url": ref.URL, "source_ref.selector": ref.Selector, "source_ref.captured_at": captured,
		"source_ref.filename": ref.Filename, "source_ref.page_number": text(ref.PageNumber), "source_ref.section": ref.Section,
		"source_ref.text_region": ref.TextRegion, "markdown": f.Markdown, "html, captured": given, "html, made": made,
		"block_hash": f.BlockHash, "block_hash_html": f.BlockHashHTML, "evidence.lines": text(u.Evidence[0].Lines),
	}
}

// TestShownFieldsHaveValues: over all documents that the tests have, each field that a
// unit is shown with has more than one value, and every unit has those that its kind of
// document must have. No two units of other text have one hash.
func TestShownFieldsHaveValues(t *testing.T) {
	engine, err := pdfium.Open(t.Context(), pdfium.Config{CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close(t.Context()) })
	kinds := extract.Extractors{
		model.KindHTML: html.Extractor{}, model.KindTextFile: textfile.Extractor{Formats: textfile.Builtin()},
		model.KindImageScan: scan.Extractor{}, model.KindPDF: pdf.New(engine),
	}
	counts := map[string]*fieldCount{}
	textOf := map[string]string{} // by block hash
	total, stored, shown := 0, 0, 0
	each := func(path string, s model.Snapshot, raw []byte) {
		for _, u := range shownUnits(t, kinds, s, raw, &stored) {
			total++
			if line, err := json.Marshal(u); err == nil {
				shown += len(line)
			}
			for name, value := range shownFields(u) {
				c := counts[name]
				if c == nil {
					c = &fieldCount{values: map[string]int{}}
					counts[name] = c
				}
				if value != "" {
					c.units++
					c.values[value]++
				}
			}
			f := u.FieldsRaw
			if u.Type != model.UnitError && (f.BlockHash == "" || f.BlockHashHTML == "" || f.HTML == "" || f.Markdown == "" && strings.TrimSpace(f.Text) != "") {
				t.Errorf("%s: %s %s lacks a field: %+v", path, u.Type, f.BlockID, f)
			}
			if other, taken := textOf[f.BlockHash]; taken && f.BlockHash != "" && digest.TextNormV1(other) != digest.TextNormV1(f.Text) {
				t.Errorf("%s: %q and %q have one hash", path, other, f.Text)
			}
			textOf[f.BlockHash] = f.Text
		}
	}
	n := 0
	err = filepath.WalkDir(*shownOf, func(path string, d fs.DirEntry, err error) error {
		kinds := map[model.FinalType]model.SnapshotKind{model.TypeHTML: model.KindHTML, model.TypePDF: model.KindPDF, model.TypeText: model.KindTextFile}
		kind, known := map[string]model.FinalType{".html": model.TypeHTML, ".pdf": model.TypePDF, ".txt": model.TypeText, ".csv": model.TypeText}[filepath.Ext(path)]
		if err != nil || d.IsDir() || !known {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil || len(raw) == 0 {
			return err
		}
		n++
		hash := digest.Content(raw)
		each(path, model.Snapshot{
			SnapshotID: digest.SnapshotID("s", path, hash), SourceID: "s", ContentHash: hash, SnapshotKind: kinds[kind], FinalType: kind,
			URL: "https://town.example/" + filepath.Base(path), ExternalID: path, Filename: filepath.Base(path),
			RetrievedAt: time.Date(2026, 1, 1, 0, n, 0, 0, time.UTC),
		}, raw)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d documents, %d units; JSON of the units %d bytes as stored, %d as shown", n, total, stored, shown)
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		c := counts[name]
		t.Logf("%-24s %6d units, %6d values", name, c.units, len(c.values))
		if len(c.values) < 2 {
			t.Errorf("%s has %d values in %d units", name, len(c.values), c.units)
		}
	}
}

// shownUnits extracts a document and returns its units as they are shown; stored counts
// the bytes of their JSON as they are stored.
func shownUnits(t *testing.T, kinds extract.Extractors, s model.Snapshot, raw []byte, stored *int) (units []model.Unit) {
	t.Helper()
	in := extract.Input{Raw: raw, Snapshot: s, ExtractionID: digest.ExtractionID(extract.ParserVersion, "", "")}
	pages, reason, sentence, err := kinds.Pages(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	in.RunReason, in.RunMessage = string(reason), sentence
	reader := present.NewReader(s)
	for no := 1; no <= pages; no++ {
		f, err := kinds.Extract(t.Context(), in, no)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range f.Units {
			if line, err := json.Marshal(u); err == nil {
				*stored += len(line)
			}
			if u.SourceRef != nil || u.FieldsRaw.BlockHash != "" || u.FieldsRaw.HTMLMade {
				t.Errorf("%s has what is not to be stored", u.IRID)
			}
		}
		units = slices.AppendSeq(units, reader.Units(f))
	}
	return units
}
