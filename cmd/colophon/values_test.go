package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/export"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// said is a value of a field, with what it can be held against.
type said struct {
	value    any
	unit     *model.Unit
	page     *model.Page
	chunk    *export.Chunk
	manifest *model.Manifest
	snapshot model.Snapshot
	raw      []byte
}

// shelf is all that the system says of the test documents: values by record and field.
type shelf struct {
	*testing.T
	values    map[string][]said
	snapshots map[string]model.Snapshot
	raw       map[string][]byte // by snapshot
	units     map[string]*model.Unit
	pages     map[string]*model.Page // by page_id
	chunks    map[string]int         // by manifest
}

// sampled is how many filled values of a field are looked at.
const sampled = 50

// alwaysOne are the fields that have one value over the test documents, with the reason.
var alwaysOne = map[string]string{
	"unit.fields_raw.verbatim":                          "always true, as is promised",
	"unit.fields_raw.error.type":                        "extraction_failed is the one that there is",
	"unit.fields_raw.continued":                         "a flag: the others do not have it",
	"unit.fields_raw.continues":                         "a flag: the others do not have it",
	"unit.fields_raw.html_made":                         "a flag: the others do not have it",
	"unit.parser_version":                               "one build parses",
	"unit.source_id":                                    "one source is captured",
	"unit.source_name":                                  "one source is captured",
	"unit.evidence[].source_id":                         "one source is captured",
	"unit.ocr_engine":                                   "one engine reads",
	"unit.ocr_version":                                  "one engine reads",
	"chunk.chunk.generation":                            "each version was made into chunks once",
	"chunk.chunk.source_id":                             "one source is captured",
	"chunk.chunk.source":                                "one source is captured",
	"chunk.chunk.source_type":                           "one source is captured",
	"chunk.chunk.domain":                                "one source is captured",
	"chunk.chunk.territory":                             "one source is captured",
	"chunk.chunk.layer":                                 "that of the source, at creation",
	"chunk.chunk.type":                                  "by the source's type: there are no rules of enrichment yet",
	"chunk.chunk.status":                                "nobody has confirmed or refuted anything yet",
	"chunk.chunk.parser_version":                        "one build parses",
	"chunk.chunk.chunker_version":                       "one build cuts",
	"chunk.chunk.header_version":                        "one build writes headers",
	"chunk.state.layer":                                 "nothing was captured twice",
	"chunk.state.rev":                                   "nothing was captured twice",
	"manifest.generation":                               "each version was made into chunks once",
	"manifest.source_id":                                "one source is captured",
	"manifest.chunker_version":                          "one build cuts",
	"manifest.header_version":                           "one build writes headers",
	"manifest.last_pushed_collection":                   "one collection is written",
	"chunk.chunk.provenance.source.source_id":           "one source is captured",
	"chunk.chunk.provenance.source.record_pointer.kind": "snapshot is the one that there is",
	"unit.fields_raw.language.origin":                   "of a block, which is detected or said by its element",
	"chunk.chunk.extraction_id":                         "one build parses under the rules of one source",
	"manifest.extraction_id":                            "one build parses under the rules of one source",
	"chunk.chunk.host":                                  "one web archive is among the test documents: all else are files",
	"unit.fields_raw.table.bbox.x":                      "all drawn tables are those of one report, made alike",
	"unit.fields_raw.table.bbox.w":                      "all drawn tables are those of one report, made alike",
	"unit.fields_raw.table.bbox.h":                      "all drawn tables are those of one report, made alike",
	"unit.fields_raw.table.header_rows":                 "no table of the test documents has two rows of head",
}

// TestFieldsAreRight: over the test documents, through the chain, fifty filled values of
// each field of units, chunks and manifests, drawn at random under a seed, are right where
// a rule can say so; and no field has one value everywhere, but where a reason is given.
func TestFieldsAreRight(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a system")
	}
	t.Setenv("COLOPHON_OCR", "on")
	t.Setenv("COLOPHON_OCR_ENGINE", "fake:read")
	d := newDesk(t)
	d.say(t, 0, "source", "add", "shelf", "--name", "Town of Valdoro", "--type", "official", "--domain", "civics", "--territory", "Valdoro")
	_, _ = d.hear(t, 3, "capture", "--wait", "--timeout", "5m", "--source", "shelf", "../../test/documents")
	s := &shelf{T: t, values: map[string][]said{}, snapshots: map[string]model.Snapshot{}, raw: map[string][]byte{}, units: map[string]*model.Unit{}, pages: map[string]*model.Page{}, chunks: map[string]int{}}
	s.readUnits(d)
	s.readChunks(d)
	s.readManifests(d)
	if len(s.units) < 300 || len(s.values) < 100 {
		t.Fatalf("%d units, %d fields", len(s.units), len(s.values))
	}
	rules := rulesOf(s)
	draw := rand.New(rand.NewPCG(18, 1))
	looked, wrong := 0, map[string]int{}
	for _, field := range slices.Sorted(maps.Keys(s.values)) {
		filled := s.values[field]
		s.checkVariety(field, filled)
		rule := rules[field]
		if rule == nil {
			continue
		}
		for _, i := range draw.Perm(len(filled))[:min(sampled, len(filled))] {
			looked++
			if err := rule(filled[i]); err != nil {
				if wrong[field]++; wrong[field] <= 3 {
					t.Errorf("%s is %.200v: %v", field, filled[i].value, err)
				}
			}
		}
	}
	for field := range alwaysOne {
		if len(s.values[field]) == 0 {
			t.Errorf("no value of %s is filled, and one is excused", field)
		}
	}
	for field := range rules {
		if len(s.values[field]) == 0 {
			t.Errorf("no value of %s is filled, and there is a rule for it", field)
		}
	}
	t.Logf("%d fields, %d rules, %d values looked at", len(s.values), len(rules), looked)
}

// checkVariety fails for a field with one value everywhere, unless a reason is known; and
// for a reason that is none any more.
func (s *shelf) checkVariety(field string, filled []said) {
	reason, excused := alwaysOne[field]
	first, _ := json.Marshal(filled[0].value)
	for _, one := range filled[1:] {
		if other, _ := json.Marshal(one.value); string(other) != string(first) {
			if excused {
				s.Errorf("%s has several values, and was excused: %s", field, reason)
			}
			return
		}
	}
	if excused || len(filled) < 2 {
		return
	}
	s.Errorf("%s has one value, %.200s, in all of %d", field, first, len(filled))
}

// freeMaps are fields whose keys are data.
var freeMaps = []string{"unit.fields_raw.values", "unit.fields_raw.groups", "chunk.chunk.rule_versions", "chunk.chunk.provenance.derivation.rule_versions", "manifest.left_out.classes"}

// add files the filled values of a record under their fields.
func (s *shelf) add(field string, value any, of said) {
	switch v := value.(type) {
	case nil:
	case map[string]any:
		if slices.Contains(freeMaps, field) {
			of.value = v
			s.values[field] = append(s.values[field], of)
			return
		}
		for key, inner := range v {
			s.add(field+"."+key, inner, of)
		}
	case []any:
		for _, inner := range v {
			s.add(field+"[]", inner, of)
		}
	default:
		if !reflect.ValueOf(v).IsZero() {
			of.value = v
			s.values[field] = append(s.values[field], of)
		}
	}
}

func recordOf(t *testing.T, line string) (value map[string]any) {
	t.Helper()
	decode(t, line, &value)
	return value
}

func (s *shelf) snapshot(d *desk, id string) model.Snapshot {
	s.Helper()
	if known, ok := s.snapshots[id]; ok {
		return known
	}
	snapshot, err := d.sys.DB.Snapshot(d.Context(), id)
	if err != nil {
		s.Fatal(err)
	}
	key, err := blobstore.RawKey(snapshot.SourceID, snapshot.ContentHash)
	if err != nil {
		s.Fatal(err)
	}
	file, err := d.sys.Blobs.GetFile(d.Context(), blobstore.Raw, key, snapshot.ContentHash, 0)
	if err != nil {
		s.Fatal(err)
	}
	defer file.Close()
	raw, err := io.ReadAll(io.NewSectionReader(file, 0, file.Size))
	if err != nil {
		s.Fatal(err)
	}
	s.snapshots[id], s.raw[id] = snapshot, raw
	return snapshot
}

func (s *shelf) readUnits(d *desk) {
	var page *model.Page
	for line := range strings.Lines(d.say(s.T, 0, "export", "ir", "--source", "shelf")) {
		record := recordOf(s.T, line)
		if _, isUnit := record["ir_id"]; !isUnit {
			page = new(model.Page)
			decode(s.T, line, page)
			s.pages[page.PageID] = page
			continue
		}
		u := new(model.Unit)
		decode(s.T, line, u)
		s.units[u.IRID] = u
		s.add("unit", record, said{unit: u, page: page, snapshot: s.snapshot(d, u.SnapshotID), raw: s.raw[u.SnapshotID]})
	}
}

func (s *shelf) readChunks(d *desk) {
	for line := range strings.Lines(d.say(s.T, 0, "export", "chunks", "--source", "shelf")) {
		c := new(export.Chunk)
		decode(s.T, line, c)
		s.chunks[c.Chunk.DocHash]++
		s.add("chunk", recordOf(s.T, line), said{chunk: c, snapshot: s.snapshot(d, c.Chunk.SnapshotID)})
	}
}

func (s *shelf) readManifests(d *desk) {
	seen := map[string]bool{}
	for _, snapshot := range s.snapshots {
		if seen[snapshot.DocumentID] {
			continue
		}
		seen[snapshot.DocumentID] = true
		var document struct {
			Manifests []json.RawMessage `json:"manifests"`
		}
		decode(s.T, d.say(s.T, 0, "show", "document", snapshot.DocumentID), &document)
		for _, line := range document.Manifests {
			m := new(model.Manifest)
			decode(s.T, string(line), m)
			s.add("manifest", recordOf(s.T, string(line)), said{manifest: m, snapshot: snapshot})
		}
	}
}

func equal[T comparable](got, want T) error {
	if got != want {
		return fmt.Errorf("want %v", want)
	}
	return nil
}

func expect(ok bool, what string) error {
	if !ok {
		return fmt.Errorf("it is not %s", what)
	}
	return nil
}

// squeezed is a text without white space, as units and quotes of one place are compared.
func squeezed(s string) string { return strings.Join(strings.Fields(digest.TextNormV1(s)), "") }

func share(v said) error {
	n, ok := v.value.(float64)
	return expect(ok && n >= 0 && n <= 1+1e-6, "a share")
}

func code(v said) error {
	text := fmt.Sprint(v.value)
	return expect(len(text) == 2 && text == strings.ToLower(text), "a language")
}

func absolute(v said) error {
	u, err := url.Parse(fmt.Sprint(v.value))
	return expect(err == nil && u.IsAbs(), "absolute")
}

// rulesOf are what can be said of single values.
func rulesOf(s *shelf) map[string]func(said) error {
	rules := unitRules(s)
	maps.Copy(rules, placeRules())
	maps.Copy(rules, tableRules())
	maps.Copy(rules, chunkRules(s))
	maps.Copy(rules, manifestRules(s))
	return rules
}

func unitRules(s *shelf) map[string]func(said) error {
	return map[string]func(said) error{
		"unit.ir_id": func(v said) error {
			id, err := digest.IRID(v.page.PageID, v.page.ExtractionID, v.unit.RecordLocator)
			if err != nil {
				return err
			}
			return equal(v.unit.IRID, id)
		},
		"unit.snapshot_id": func(v said) error { return equal(v.unit.SnapshotID, v.page.SnapshotID) },
		"unit.retrieved_at": func(v said) error {
			return expect(v.unit.RetrievedAt.Equal(v.snapshot.RetrievedAt), "that of the snapshot")
		},
		"unit.fields_raw.block_id": func(v said) error {
			f := v.unit.FieldsRaw
			if f.Error != nil {
				return expect(strings.HasPrefix(f.BlockID, "failed_block_"), "that of an error")
			}
			n, ok := v.unit.Position()
			return errorsOf(expect(ok, "a block's"), equal(f.BlockID, digest.BlockID(string(v.unit.Type), n, digest.BlockHash(f.Text))))
		},
		"unit.fields_raw.block_hash": func(v said) error {
			if strings.TrimSpace(v.unit.FieldsRaw.Text) == "" {
				return nil // of its picture
			}
			return equal(v.unit.FieldsRaw.BlockHash, digest.BlockHash(v.unit.FieldsRaw.Text))
		},
		"unit.fields_raw.block_hash_html": func(v said) error {
			return equal(v.unit.FieldsRaw.BlockHashHTML, digest.BlockHashHTML(v.unit.FieldsRaw.HTML, v.unit.FieldsRaw.Text))
		},
		"unit.fields_raw.text": func(v said) error {
			for _, e := range v.unit.Evidence {
				if quote := e.PDFTextQuote + e.OCRTextQuote; quote != "" {
					return expect(strings.Contains(squeezed(quote+v.unit.FieldsRaw.TextPrinted), squeezed(strings.Fields(v.unit.FieldsRaw.Text)[0])), "what its quote begins with")
				}
			}
			return nil
		},
		"unit.fields_raw.html": func(v said) error {
			e := v.unit.Evidence[0]
			if v.unit.FieldsRaw.HTMLMade || e.ByteSpan == nil || v.snapshot.DetectedEncoding != "utf-8" {
				return nil
			}
			return equal(v.unit.FieldsRaw.HTML, string(v.raw[e.ByteSpan.Start:e.ByteSpan.End]))
		},
		"unit.fields_raw.ocr_text": func(v said) error { return equal(v.unit.FieldsRaw.OCRText, v.unit.FieldsRaw.Text) },
		"unit.fields_raw.links[].text": func(v said) error {
			return expect(strings.Contains(squeezed(v.unit.FieldsRaw.Text), squeezed(fmt.Sprint(v.value))), "in the text")
		},
		"unit.fields_raw.links[].url": absolute,
		"unit.fields_raw.level": func(v said) error {
			return expect(v.unit.Type == model.UnitHeading && v.unit.FieldsRaw.Level >= 1 && v.unit.FieldsRaw.Level <= 6, "a heading's level")
		},
		"unit.fields_raw.depth": func(v said) error {
			return expect(v.unit.Type == model.UnitListItem && v.unit.FieldsRaw.Depth >= 1, "an item's depth")
		},
		"unit.fields_raw.confidence":    share,
		"unit.fields_raw.language.lang": code,
		"unit.source_ref.kind": func(v said) error {
			want := model.SourceDocument
			if v.snapshot.SnapshotKind == model.KindHTML {
				want = model.SourceWebpage
			}
			return equal(v.unit.SourceRef.Kind, want)
		},
		"unit.source_ref.url": func(v said) error { return equal(v.unit.SourceRef.URL, cmp.Or(v.snapshot.URL, v.snapshot.ExternalID)) },
		"unit.source_ref.captured_at": func(v said) error {
			return expect(v.unit.SourceRef.CapturedAt.Equal(v.snapshot.RetrievedAt), "when it was captured")
		},
		"unit.source_ref.page_number": func(v said) error { return equal(v.unit.SourceRef.PageNumber, v.page.PageNo) },
		"unit.source_ref.selector":    func(v said) error { return equal(v.unit.SourceRef.Selector, v.unit.Evidence[0].CSSSelector) },
		"unit.source_ref.section": func(v said) error {
			for _, u := range s.units {
				if u.Type == model.UnitHeading && u.SnapshotID == v.unit.SnapshotID && squeezed(u.FieldsRaw.Text) == squeezed(v.unit.SourceRef.Section) {
					return nil
				}
			}
			return fmt.Errorf("no heading of the document says so")
		},
	}
}

func placeRules() map[string]func(said) error {
	return map[string]func(said) error{
		"unit.evidence[].fragment_hash": func(v said) error {
			for _, e := range v.unit.Evidence {
				if e.FragmentHash == v.value && e.ByteSpan != nil {
					return equal(e.FragmentHash, fmt.Sprintf("sha256:%x", sha256.Sum256(v.raw[e.ByteSpan.Start:e.ByteSpan.End])))
				}
			}
			return nil // over a locator: verify makes it again
		},
		"unit.evidence[].text_quote": func(v said) error {
			quote := squeezed(fmt.Sprint(v.value))
			text := squeezed(v.unit.FieldsRaw.Text)
			return expect(strings.HasPrefix(text, quote) || strings.HasPrefix(quote, text), "the beginning of the text")
		},
		"unit.evidence[].page_number": func(v said) error { return equal(v.value.(float64), float64(v.page.PageNo)) },
		"unit.evidence[].bbox.x":      share,
		"unit.evidence[].bbox.y":      share,
		"unit.evidence[].bbox.w":      share,
		"unit.evidence[].bbox.h":      share,
		"unit.evidence[].fragment_representation_kind": func(v said) error {
			return expect(v.value == model.RepresentationRaw || v.value == model.RepresentationLocator, "a kind")
		},
		"unit.evidence[].lines.first": func(v said) error {
			lines := v.unit.Evidence[0].Lines
			return expect(lines.First >= 1 && lines.Last >= lines.First, "a line")
		},
		"unit.record_locator.kind": func(v said) error {
			return expect(slices.Contains([]string{model.LocatorRecord, model.LocatorEntry, model.LocatorQuote, model.LocatorBlock}, v.unit.RecordLocator.Kind), "a kind")
		},
		"unit.record_locator.page_number": func(v said) error { return equal(v.unit.RecordLocator.PageNumber, v.page.PageNo) },
	}
}

func tableRules() map[string]func(said) error {
	inText := func(v said) error {
		text, _ := v.value.(string)
		for part := range strings.SplitSeq(text, " / ") {
			if !strings.Contains(squeezed(v.unit.FieldsRaw.Text), squeezed(part)) {
				return fmt.Errorf("%q is not in the text", part)
			}
		}
		return nil
	}
	return map[string]func(said) error{
		"unit.fields_raw.table.columns[]": inText,
		"unit.fields_raw.table.rows[][]":  inText,
		"unit.fields_raw.table.csv": func(v said) error {
			rows, err := csv.NewReader(strings.NewReader(v.unit.FieldsRaw.Table.CSV)).ReadAll()
			table := v.unit.FieldsRaw.Table
			return errorsOf(err, equal(len(rows), len(table.Rows)+table.HeaderRows))
		},
		"unit.fields_raw.table.source": func(v said) error {
			return expect(slices.Contains([]string{"ruled", "heuristic", "html", "text", "ocr"}, v.unit.FieldsRaw.Table.Source), "a source")
		},
		"unit.fields_raw.table.confidence": share,
		"unit.fields_raw.table.cell_ranges[].end": func(v said) error {
			for _, r := range v.unit.FieldsRaw.Table.CellRanges {
				if r.Start > r.End || r.End > len(v.unit.FieldsRaw.Text) {
					return fmt.Errorf("a cell from %d to %d is not in %d bytes", r.Start, r.End, len(v.unit.FieldsRaw.Text))
				}
			}
			return nil
		},
	}
}

func errorsOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

func chunkRules(s *shelf) map[string]func(said) error {
	return map[string]func(said) error{
		"chunk.chunk.chunk_ref": func(v said) error {
			return equal(v.chunk.Chunk.ChunkRef, digest.ChunkRef(v.chunk.Chunk.DocHash, v.chunk.Chunk.ChunkID))
		},
		"chunk.chunk.point_id":          func(v said) error { return equal(v.chunk.Chunk.PointID, digest.PointID(v.chunk.Chunk.ChunkRef)) },
		"chunk.chunk.text_hash":         func(v said) error { return equal(v.chunk.Chunk.TextHash, digest.Text(v.chunk.Chunk.Text)) },
		"chunk.chunk.content_text_hash": func(v said) error { return equal(v.chunk.Chunk.ContentTextHash, digest.Text(v.chunk.Chunk.Content)) },
		"chunk.chunk.text": func(v said) error {
			return expect(strings.HasSuffix(v.chunk.Chunk.Text, "\n\n"+v.chunk.Chunk.Content), "header and content")
		},
		"chunk.chunk.info_date": func(v said) error {
			return equal(v.chunk.Chunk.InfoDate, v.snapshot.LastModified.UTC().Format("2006-01-02"))
		},
		"chunk.chunk.document_id": func(v said) error { return equal(v.chunk.Chunk.DocumentID, v.snapshot.DocumentID) },
		"chunk.chunk.url":         func(v said) error { return equal(v.chunk.Chunk.URL, v.snapshot.URL) },
		"chunk.chunk.doc_type":    func(v said) error { return equal(v.chunk.Chunk.DocType, string(v.snapshot.FinalType)) },
		"chunk.chunk.language":    code,
		"chunk.chunk.tokens": func(v said) error {
			return expect(v.chunk.Chunk.Tokens > 0 && v.chunk.Chunk.Tokens <= len(v.chunk.Chunk.Text), "a number of tokens")
		},
		"chunk.chunk.section_path[]": func(v said) error {
			for _, u := range s.units {
				if u.Type == model.UnitHeading && u.SnapshotID == v.chunk.Chunk.SnapshotID && strings.HasPrefix(squeezed(u.FieldsRaw.Text), squeezed(fmt.Sprint(v.value))) {
					return nil
				}
			}
			return fmt.Errorf("no heading of the document says so")
		},
		"chunk.chunk.page_hint": func(v said) error { return equal(v.chunk.Chunk.PageHint, v.chunk.Chunk.Places()[0].Page) },
		"chunk.chunk.provenance.segments[].ir_id": func(v said) error {
			for _, p := range v.chunk.Chunk.Provenance.Segments {
				u := s.units[p.IRID]
				switch {
				case p.Synthetic != "":
				case u == nil:
					return fmt.Errorf("there is no unit %s", p.IRID)
				case u.FieldsRaw.Text[p.From:p.To] != v.chunk.Chunk.Text[p.Start:p.End]:
					return fmt.Errorf("%s says something else", p.IRID)
				}
			}
			return nil
		},
		"chunk.source_ref.kind": func(v said) error {
			return equal(v.chunk.SourceRef.Kind == model.SourceWebpage, v.snapshot.SnapshotKind == model.KindHTML)
		},
		"chunk.source_ref.page_number": func(v said) error { return equal(v.chunk.SourceRef.PageNumber, v.chunk.Chunk.PageHint) },
		"chunk.source_ref.text_region": func(v said) error {
			u := s.units[v.chunk.Chunk.Places()[0].IRID]
			begins, _, _ := strings.Cut(u.SourceRef.TextRegion, " ") // heading of heading 3, lines of lines 3-5
			return expect(strings.HasPrefix(v.chunk.SourceRef.TextRegion, strings.TrimSuffix(begins, "s")), "where its first unit stands")
		},
		"chunk.source_ref.selector": func(v said) error {
			for _, at := range v.chunk.Chunk.Places() {
				if !strings.HasPrefix(s.units[at.IRID].Evidence[0].CSSSelector, v.chunk.SourceRef.Selector) {
					return fmt.Errorf("%s stands elsewhere", at.IRID)
				}
			}
			return nil
		},
	}
}

func manifestRules(s *shelf) map[string]func(said) error {
	return map[string]func(said) error{
		"manifest.doc_type":      func(v said) error { return equal(v.manifest.DocType, string(v.snapshot.FinalType)) },
		"manifest.canonical_url": func(v said) error { return equal(v.manifest.CanonicalURL, v.snapshot.URLCanonical) },
		"manifest.source_file":   func(v said) error { return equal(v.manifest.SourceFile, v.snapshot.Filename) },
		"manifest.chunk_count": func(v said) error {
			return equal(v.manifest.ChunkCount, s.chunks[v.manifest.DocHash])
		},
		"manifest.meta.pages": func(v said) error {
			n := 0
			for _, p := range s.pages {
				if p.SnapshotID == v.manifest.SnapshotID {
					n++
				}
			}
			return equal(*v.manifest.Meta.Pages, n)
		},
		"manifest.meta.tables": func(v said) error {
			n := 0
			for _, u := range s.units {
				if u.SnapshotID == v.manifest.SnapshotID && u.Type == model.UnitTable {
					n++
				}
			}
			return equal(*v.manifest.Meta.Tables, n)
		},
		"manifest.status": func(v said) error {
			return expect(slices.Contains([]model.ManifestStatus{model.ManifestDone, model.ManifestError}, v.manifest.Status), "an end")
		},
	}
}
