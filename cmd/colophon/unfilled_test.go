package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/export"
	"github.com/colophon-dev/colophon/pkg/model"
)

// unfilled are the fields of records that no test document fills, with what they are of and
// where a test fills them. A star at the end stands for all that begins so.
var unfilled = map[string]string{
	"unit.evidence[].page_index":                 "pictures of several pages: pkg/extract/ocrblocks",
	"unit.evidence[].rotation_degrees":           "turned pages: pkg/extract/pdf, pkg/extract/ocrblocks",
	"unit.evidence[].crop.*":                     "turned and cut pictures: pkg/extract/ocrblocks",
	"unit.record_locator.source_record_id":       "records of an entry rule: pkg/extract/entry, docs/entry-rules.md",
	"unit.record_locator.css_selector":           "records of an entry rule: pkg/extract/html",
	"unit.record_locator.text_quote":             "records of an entry rule: pkg/extract",
	"unit.fields_raw.groups":                     "records of an entry rule: pkg/extract/entry",
	"unit.fields_raw.language.multilingual":      "a block has one language; of a page it is held",
	"unit.fields_raw.language.languages[].*":     "a block has one language; of a page they are held",
	"unit.fields_raw.quality_flags[]":            "text in doubt: pkg/extract/pdf",
	"unit.fields_raw.table.spans[].row":          "cells that span rows alone: pkg/extract/table",
	"unit.fields_raw.table.warnings[]":           "columns that drift, tables that are too large: pkg/extract/table",
	"unit.fields_raw.error.raw_html":             "a web page that cannot be read: pkg/extract",
	"unit.fields_raw.error.fallback_text":        "a web page that cannot be read: pkg/extract",
	"unit.parse_warnings[]":                      "pkg/extract",
	"page.label":                                 "pkg/extract/pdf",
	"page.rotation":                              "pkg/extract/pdf",
	"page.coverage_note":                         "pages whose coverage is not known: pkg/extract",
	"page.coverage_ledger.*":                     "pictures that are ornaments, drawings that are figures: pkg/extract/coverage, pkg/extract/pdf",
	"page.left_out.classes.*":                    "the map is looked at as a whole where it is stored; of pages in pkg/extract/html",
	"page.left_out.unusual":                      "much that is left out: pkg/model",
	"page.ocr[].region.*":                        "a scan within a page of text: pkg/extract/pdf",
	"page.ocr[].reason":                          "pages that the engine cannot read: services/extractor/app",
	"page.ocr[].error_message":                   "pages that the engine cannot read: services/extractor/app",
	"chunk.chunk.meta.evidence[].*":              "notes: pkg/statement/note, test/e2e (stories)",
	"chunk.chunk.meta.replaces[]":                "notes: pkg/statement/note, test/e2e (stories)",
	"chunk.chunk.meta.sums_up[]":                 "notes: pkg/statement/note, pkg/proof",
	"chunk.chunk.provenance.segments[].evidence": "the first place of a unit is 0; of others pkg/proof",
	"snapshot.snapshot_group_id":                 "what a crawler says: services/capturer/app",
	"snapshot.source_record_id":                  "what a crawler says: services/capturer/app",
	"snapshot.content_encoding":                  "services/capturer/app, warc_test.go",
	"snapshot.wire_hash":                         "services/capturer/app, warc_test.go",
	"snapshot.quality_flags[]":                   "what a crawler says, or a body that was cut: services/capturer/app",
	"snapshot.language":                          "what a crawler says: services/capturer/app, pkg/language",
	"snapshot.source_entry_rule.*":               "a copy of the source's: TestWhatIsReadMovesTheDigest and docs/entry-rules.md",
	"snapshot.source_furniture.*":                "a copy of the source's: pkg/extract",
	"snapshot.source_entities[].*":               "a copy of the source's: services/annotator/app, docs/entities.md",
	"snapshot.source_enrich":                     "a copy of the source's: services/chunker/app",
	"manifest.redo":                              "pages that were read again: pkg/catalog, test/fault",
	"manifest.meta.proposals*":                   "enrichment: services/chunker/app, test/fault",
	"manifest.left_out.unusual":                  "much that is left out: pkg/model",
}

// checkUnfilled fails for a field of a record that has no value over the test documents,
// but where a reason is given; and for a reason that is none any more.
func (s *shelf) checkUnfilled() {
	s.Helper()
	all, used := map[string]bool{}, map[string]bool{}
	for record, of := range map[string]any{
		"unit": model.Unit{}, "page": model.Page{}, "chunk": export.Chunk{}, "snapshot": model.Snapshot{}, "document": model.Document{}, "manifest": model.Manifest{},
	} {
		for _, field := range fieldsOf(record, reflect.TypeOf(of), nil) {
			all[field] = true
			switch excuse := excuseOf(field); {
			case len(s.values[field]) > 0:
			case excuse == "":
				s.Errorf("no value of %s is filled", field)
			default:
				used[excuse] = true
			}
		}
	}
	if len(all) < 200 {
		s.Errorf("only %d fields of records were found", len(all))
	}
	for field := range unfilled {
		if !used[field] {
			s.Errorf("%s is filled, or no field, and was excused", field)
		}
	}
}

// excuseOf returns the key of unfilled that excuses a field, "" for none.
func excuseOf(field string) string {
	for key := range unfilled {
		if begin, open := strings.CutSuffix(key, "*"); key == field || open && strings.HasPrefix(field, begin) {
			return key
		}
	}
	return ""
}

// fieldsOf returns the fields of a type as shelf.add names them, each down to what holds a
// value. Types within themselves are followed once.
func fieldsOf(at string, of reflect.Type, above []reflect.Type) (fields []string) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch {
	case of.Kind() == reflect.Map, slices.Contains(freeMaps, at):
		if !slices.Contains(freeMaps, at) {
			return fieldsOf(at+".*", of.Elem(), above)
		}
		return []string{at}
	case of.Kind() == reflect.Slice && of != reflect.TypeFor[json.RawMessage]() && of.Elem().Kind() != reflect.Uint8:
		return fieldsOf(at+"[]", of.Elem(), above)
	case of.Kind() != reflect.Struct, of == reflect.TypeFor[time.Time](), of.Implements(reflect.TypeFor[json.Marshaler]()):
		return []string{at}
	case slices.Contains(above, of):
		return nil
	}
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "":
			fields = append(fields, fieldsOf(at, f.Type, append(above, of))...)
		case name == "":
			fields = append(fields, fieldsOf(at+"."+f.Name, f.Type, append(above, of))...)
		default:
			fields = append(fields, fieldsOf(at+"."+name, f.Type, append(above, of))...)
		}
	}
	return fields
}

func TestFieldsOf(t *testing.T) {
	type inner struct {
		B int `json:"b"`
	}
	type outer struct {
		inner
		A    []inner           `json:"a"`
		M    map[string]string `json:"m"`
		At   time.Time         `json:"at"`
		Self *outer            `json:"self"`
		no   int
		Skip int `json:"-"`
	}
	got := fieldsOf("x", reflect.TypeFor[outer](), nil)
	if want := []string{"x.b", "x.a[].b", "x.m.*", "x.at"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	_ = outer{}.no
}
