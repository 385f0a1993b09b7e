package main

import (
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
	document *model.Document
	snapshot model.Snapshot
	raw      []byte
}

// shelf is all that the system says of the test documents: values by record and field.
type shelf struct {
	*testing.T
	values      map[string][]said
	snapshots   map[string]model.Snapshot
	raw         map[string][]byte // by snapshot
	units       map[string]*model.Unit
	pages       map[string]*model.Page // by page_id
	chunks      map[string]int         // by manifest
	order       map[string][]*model.Unit
	pageOf      map[string]string           // page_id, by ir_id
	manifests   map[string][]model.Manifest // by document
	newest      map[string]string           // snapshot, by document
	texts       map[string]string           // of all units, by snapshot
	chunksByRef map[string]*export.Chunk
}

// sampled is how many filled values of a field are looked at.
const sampled = 50

// alwaysOne are the fields that have one value over the test documents, with the reason.
var alwaysOne = map[string]string{
	"chunk.chunk.meta.type_guess":                       "the test documents say facts in passing only",
	"manifest.generation":                               "each version was made into chunks once",
	"snapshot.encoding":                                 "who declares one declares this one",
	"snapshot.context_line":                             "one of two sources wants it",
	"snapshot.header_labels.type":                       "one of two sources sets them",
	"snapshot.header_labels.status":                     "one of two sources sets them",
	"snapshot.header_labels.date":                       "one of two sources sets them",
	"snapshot.header_labels.source":                     "one of two sources sets them",
	"snapshot.region":                                   "one of two sources has one",
	"snapshot.robots_policy_notes":                      "one of two sources has them",
	"snapshot.source_language":                          "one of two sources has one",
	"snapshot.http_status":                              "what is stored was answered so",
	"snapshot.redaction_policy_id":                      "one build redacts",
	"snapshot.request_headers":                          "one build asks, and nothing twice but by force",
	"snapshot.url_canonicalization_version":             "one build canonicalises",
	"document.current_generation":                       "each version was made into chunks once",
	"page.parser_version":                               "one build parses",
	"page.coverage":                                     "all text of the test documents is in some unit, or accounted for",
	"page.coverage_ledger.drawings.found":               "the drawn tables of one report, one a page",
	"page.coverage_ledger.drawings.skipped[].count":     "the drawn tables of one report, one a page",
	"page.coverage_ledger.drawings.skipped[].reason":    "the drawings are tables' lines",
	"page.coverage_ledger.pictures.found":               "a page with pictures has one",
	"page.coverage_ledger.pictures.placed":              "a page with pictures has one",
	"unit.fields_raw.verbatim":                          "always true, as is promised",
	"unit.fields_raw.error.type":                        "extraction_failed is the one that there is",
	"unit.fields_raw.continued":                         "a flag: the others do not have it",
	"unit.fields_raw.continues":                         "a flag: the others do not have it",
	"unit.fields_raw.html_made":                         "a flag: the others do not have it",
	"unit.parser_version":                               "one build parses",
	"unit.ocr_engine":                                   "one engine reads",
	"unit.ocr_version":                                  "one engine reads",
	"chunk.chunk.generation":                            "each version was made into chunks once",
	"chunk.chunk.status":                                "nobody has confirmed or refuted anything yet",
	"chunk.chunk.parser_version":                        "one build parses",
	"chunk.chunk.chunker_version":                       "one build cuts",
	"chunk.chunk.header_version":                        "one build writes headers",
	"manifest.chunker_version":                          "one build cuts",
	"manifest.header_version":                           "one build writes headers",
	"manifest.last_pushed_collection":                   "one collection is written",
	"chunk.chunk.provenance.source.record_pointer.kind": "snapshot is the one that there is",
	"unit.fields_raw.language.origin":                   "of a block, which is detected or said by its element",
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
	on := newRiver(t)
	d := newDesk(t)
	s := &shelf{T: t, values: map[string][]said{}, snapshots: map[string]model.Snapshot{}, raw: map[string][]byte{}, units: map[string]*model.Unit{}, pages: map[string]*model.Page{}, chunks: map[string]int{},
		order: map[string][]*model.Unit{}, pageOf: map[string]string{}, manifests: map[string][]model.Manifest{}, newest: map[string]string{}, texts: map[string]string{}, chunksByRef: map[string]*export.Chunk{}}
	s.fill(d, on)
	s.readUnits(d)
	s.readChunks(d)
	s.readDocuments(d)
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
			t.Errorf("no rule says whether %s is right, as %.80v", field, filled[0].value)
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
	s.checkUnfilled()
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
var freeMaps = []string{"snapshot.metadata", "snapshot.response_headers", "snapshot.request_headers", "snapshot.rule_versions", "unit.fields_raw.values", "unit.fields_raw.groups", "chunk.chunk.rule_versions", "chunk.chunk.provenance.derivation.rule_versions", "manifest.left_out.classes"}

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
	results, err := d.sys.DB.Results(s.Context(), "", nil)
	if err != nil {
		s.Fatal(err)
	}
	var all strings.Builder // of earlier versions, too
	for _, result := range results {
		if runs, err := d.sys.DB.Runs(s.Context(), result.SnapshotID); err == nil && len(runs) > 0 {
			all.WriteString(d.say(s.T, 0, "export", "ir", "--snapshot", result.SnapshotID))
		}
	}
	var page *model.Page
	for line := range strings.Lines(all.String()) {
		record := recordOf(s.T, line)
		if _, isUnit := record["ir_id"]; !isUnit {
			page = new(model.Page)
			decode(s.T, line, page)
			s.pages[page.PageID] = page
			s.add("page", record, said{page: page, snapshot: s.snapshot(d, page.SnapshotID), raw: s.raw[page.SnapshotID]})
			continue
		}
		u := new(model.Unit)
		decode(s.T, line, u)
		s.units[u.IRID], s.pageOf[u.IRID] = u, page.PageID
		s.order[u.SnapshotID] = append(s.order[u.SnapshotID], u)
		s.add("unit", record, said{unit: u, page: page, snapshot: s.snapshot(d, u.SnapshotID), raw: s.raw[u.SnapshotID]})
	}
}

func (s *shelf) readChunks(d *desk) {
	for line := range strings.Lines(d.say(s.T, 0, "export", "chunks", "--archive")) {
		c := new(export.Chunk)
		decode(s.T, line, c)
		s.chunks[c.Chunk.DocHash]++
		s.chunksByRef[c.Chunk.ChunkRef] = c
		s.add("chunk", recordOf(s.T, line), said{chunk: c, snapshot: s.snapshot(d, c.Chunk.SnapshotID), raw: s.raw[c.Chunk.SnapshotID]})
	}
}

// readDocuments reads the records of documents, with their snapshots and manifests.
func (s *shelf) readDocuments(d *desk) {
	results, err := d.sys.DB.Results(s.Context(), "", nil)
	if err != nil {
		s.Fatal(err)
	}
	seen := map[string]bool{"": true}
	for _, result := range results {
		if seen[result.DocumentID] {
			continue
		}
		seen[result.DocumentID] = true
		var answer struct {
			Document  json.RawMessage `json:"document"`
			Snapshots []struct {
				Snapshot json.RawMessage `json:"snapshot"`
			} `json:"snapshots"`
			Manifests []json.RawMessage `json:"manifests"`
		}
		decode(s.T, d.say(s.T, 0, "show", "document", result.DocumentID), &answer)
		document := new(model.Document)
		decode(s.T, string(answer.Document), document)
		for i, one := range answer.Snapshots {
			var snapshot model.Snapshot
			decode(s.T, string(one.Snapshot), &snapshot)
			_ = s.snapshot(d, snapshot.SnapshotID)
			if i == 0 {
				s.newest[document.DocumentID] = snapshot.SnapshotID
			}
			s.add("snapshot", recordOf(s.T, string(one.Snapshot)), said{snapshot: snapshot, raw: s.raw[snapshot.SnapshotID]})
		}
		newest := s.newest[document.DocumentID]
		s.add("document", recordOf(s.T, string(answer.Document)), said{document: document, snapshot: s.snapshots[newest], raw: s.raw[newest]})
		for _, line := range answer.Manifests {
			m := new(model.Manifest)
			decode(s.T, string(line), m)
			s.manifests[document.DocumentID] = append(s.manifests[document.DocumentID], *m)
			s.add("manifest", recordOf(s.T, string(line)), said{manifest: m, snapshot: s.snapshots[m.SnapshotID]})
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
	for _, more := range []map[string]rule{pageRules(s), snapshotRules(), documentRules(s), unitDetailRules(s), tableDetailRules(s), chunkDetailRules(s), manifestDetailRules(s)} {
		for field, r := range more {
			rules[field] = r
		}
	}
	maps.Copy(rules, placeRules())
	maps.Copy(rules, tableRules())
	maps.Copy(rules, chunkRules(s))
	maps.Copy(rules, manifestRules(s))
	return rules
}

func errorsOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}
