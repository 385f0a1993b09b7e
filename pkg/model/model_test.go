package model_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
)

func TestRanges(t *testing.T) {
	for n, want := range map[int]string{
		-1: "[{1 1}]", 0: "[{1 1}]", 1: "[{1 1}]", 16: "[{1 16}]", 17: "[{1 16} {17 17}]", 40: "[{1 16} {17 32} {33 40}]",
	} {
		if got := fmt.Sprint(model.Ranges(n)); got != want {
			t.Errorf("%d pages: %s, want %s", n, got, want)
		}
	}
}

func TestTile(t *testing.T) {
	const text = "TYPE: fact\n\nà b"
	head := model.Segment{End: 12, Synthetic: model.SyntheticHeader}
	body := model.Segment{Start: 12, End: len(text), IRID: "ir_a", From: 3, To: 3 + len(text) - 12}
	with := func(s model.Segment, f func(*model.Segment)) model.Segment { f(&s); return s }
	for name, c := range map[string]struct {
		segments []model.Segment
		good     bool
	}{
		"whole":              {[]model.Segment{head, body}, true},
		"none":               {nil, false},
		"an end is missing":  {[]model.Segment{head}, false},
		"a gap":              {[]model.Segment{head, with(body, func(s *model.Segment) { s.Start++; s.From++ })}, false},
		"twice":              {[]model.Segment{head, body, body}, false},
		"empty":              {[]model.Segment{head, {Start: 12, End: 12, Synthetic: "x"}, body}, false},
		"beyond":             {[]model.Segment{head, with(body, func(s *model.Segment) { s.End++; s.To++ })}, false},
		"another length":     {[]model.Segment{head, with(body, func(s *model.Segment) { s.To++ })}, false},
		"nowhere":            {[]model.Segment{head, with(body, func(s *model.Segment) { s.IRID = "" })}, false},
		"before the unit":    {[]model.Segment{head, with(body, func(s *model.Segment) { s.From, s.To = -1, s.To-4 })}, false},
		"within a character": {[]model.Segment{head, {Start: 12, End: 13, IRID: "a", To: 1}, {Start: 13, End: len(text), IRID: "a", To: len(text) - 13}}, false},
	} {
		if err := (model.Provenance{Segments: c.segments}).Tile(text); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := (model.Provenance{Segments: []model.Segment{head, body}}).ProvedBytes(); n != len(text)-12 {
		t.Errorf("%d proved bytes", n)
	}
	if err := (model.Provenance{}).Tile(""); err != nil {
		t.Error(err)
	}
}

// each changes one thing at a time of what is valid, and sees that it is not.
func each[T interface{ Validate() error }](t *testing.T, valid T, flips map[string]func(*T)) {
	t.Helper()
	if err := valid.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, flip := range flips {
		changed := valid
		flip(&changed)
		if changed.Validate() == nil {
			t.Errorf("%T: %s is accepted", valid, name)
		}
	}
}

func TestValidate(t *testing.T) {
	each(t, model.DefaultSource("mairie"), map[string]func(*model.Source){
		"no name":      func(s *model.Source) { s.Name = "" },
		"a dot":        func(s *model.Source) { s.SourceID = "a.b" },
		"too long":     func(s *model.Source) { s.SourceID = strings.Repeat("a", 65) },
		"no id":        func(s *model.Source) { s.SourceID = "" },
		"a layer":      func(s *model.Source) { s.Layer = "cold" },
		"robots":       func(s *model.Source) { s.RobotsPolicy = "" },
		"a window":     func(s *model.Source) { s.DedupHTML = -1 },
		"other window": func(s *model.Source) { s.DedupOther = -1 },
		"no bytes":     func(s *model.Source) { s.MaxBytes = 0 },
		"no pages":     func(s *model.Source) { s.MaxPages = 0 },
		"a state":      func(s *model.Source) { s.State = "" },
	})
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	each(t, model.Snapshot{SnapshotID: "snap_a", SourceID: "s", ContentHash: "sha256:" + strings.Repeat("0", 64), RetrievedAt: now,
		LastModified: now, ExternalID: "x", DocumentID: "doc_a"}, map[string]func(*model.Snapshot){
		"an id":           func(s *model.Snapshot) { s.SnapshotID = "a" },
		"a source":        func(s *model.Snapshot) { s.SourceID = "A" },
		"a hash":          func(s *model.Snapshot) { s.ContentHash = "sha256:00" },
		"a length":        func(s *model.Snapshot) { s.ByteLength = -1 },
		"no capture date": func(s *model.Snapshot) { s.RetrievedAt = time.Time{} },
		"no date":         func(s *model.Snapshot) { s.LastModified = time.Time{} },
		"no identity":     func(s *model.Snapshot) { s.ExternalID = "" },
		"no document":     func(s *model.Snapshot) { s.DocumentID = "" },
		"raw headers":     func(s *model.Snapshot) { s.ResponseHeaders = map[string][]string{"etag": {"x"}} },
		"raw request":     func(s *model.Snapshot) { s.RequestHeaders = map[string][]string{"Accept": {"*/*"}} },
	})
	each(t, model.Unit{IRID: "ir_a", Type: model.UnitParagraph, RecordLocator: model.Locator{Kind: model.LocatorEntry},
		FieldsRaw: model.Fields{Text: "x", Verbatim: true},
		Evidence:  []model.Evidence{{FragmentHash: "sha256:0", ByteSpan: &model.Span{End: 1}}}}, map[string]func(*model.Unit){
		"an id":        func(u *model.Unit) { u.IRID = "a" },
		"no evidence":  func(u *model.Unit) { u.Evidence = nil },
		"a locator":    func(u *model.Unit) { u.RecordLocator.Kind = "here" },
		"not verbatim": func(u *model.Unit) { u.FieldsRaw.Verbatim = false },
		"a failure":    func(u *model.Unit) { u.FieldsRaw.Error = &model.Failure{} },
		"no failure":   func(u *model.Unit) { u.Type = model.UnitError },
		"a bare hash":  func(u *model.Unit) { u.Evidence = []model.Evidence{{FragmentHash: "0", ByteSpan: &model.Span{}}} },
		"no locator":   func(u *model.Unit) { u.Evidence = []model.Evidence{{FragmentHash: "sha256:0"}} },
		"a span": func(u *model.Unit) {
			u.Evidence = []model.Evidence{{FragmentHash: "sha256:0", ByteSpan: &model.Span{Start: 2, End: 1}}}
		},
		"a box outside": func(u *model.Unit) {
			u.Evidence = []model.Evidence{{FragmentHash: "sha256:0", BBox: &model.BBox{X: 0.9, W: 0.2}}}
		},
	})
	each(t, model.Chunk{DocHash: "h", ChunkID: "0", ChunkRef: "h:0", Generation: 1, Text: "x", Content: "x", Provenance: model.Provenance{
		Segments: []model.Segment{{End: 1, IRID: "ir_a", To: 1}}}}, map[string]func(*model.Chunk){
		"a reference":    func(c *model.Chunk) { c.ChunkRef = "h:1" },
		"too large":      func(c *model.Chunk) { c.Text = strings.Repeat("x", model.MaxChunkText+1) },
		"not UTF-8":      func(c *model.Chunk) { c.Text = "\xff" },
		"no content":     func(c *model.Chunk) { c.Content = "" },
		"no generation":  func(c *model.Chunk) { c.Generation = 0 },
		"a place":        func(c *model.Chunk) { c.ChunkIndex = -1 },
		"not tiled":      func(c *model.Chunk) { c.Text = "xy" },
		"no provenance":  func(c *model.Chunk) { c.Provenance.Segments = nil },
		"another length": func(c *model.Chunk) { c.Provenance.Segments = []model.Segment{{End: 1, IRID: "ir_a", To: 2}} },
	})
}

func TestStates(t *testing.T) {
	for state, terminal := range map[model.RunState]bool{
		model.RunQueued: false, model.RunRunning: false, model.RunDone: true, model.RunPartial: true, model.RunFailed: true,
		model.RunSuperseded: true, model.RunRemoved: true,
	} {
		if state.Terminal() != terminal {
			t.Errorf("%s", state)
		}
	}
	for name, c := range map[string]struct {
		run  model.Run
		want bool
	}{
		"fine":                 {model.Run{PageCount: 1}, false},
		"could not be split":   {model.Run{PageCount: 1, Reason: "encrypted"}, true},
		"its page failed":      {model.Run{PageCount: 1, Reason: "timeout", FactsKey: "facts"}, false},
		"one of several fails": {model.Run{PageCount: 2, Reason: "timeout"}, false},
	} {
		if c.run.Unsplit() != c.want {
			t.Error(name)
		}
	}
	for u, want := range map[model.UnitType]bool{model.UnitParagraph: true, model.UnitTable: true, model.UnitFurniture: false,
		model.UnitPageHeader: false, model.UnitPageFooter: false, model.UnitLink: false, model.UnitError: false} {
		if (model.Unit{Type: u, FieldsRaw: model.Fields{Text: "x"}}).Chunked() != want || (model.Unit{Type: u}).Chunked() {
			t.Error(u)
		}
	}
}

// TestVersionsAreOrdered by (retrieved_at, snapshot_id, order of the runs,
// generation), in this order.
func TestVersionsAreOrdered(t *testing.T) {
	day := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	ordered := []model.Version{
		{RetrievedAt: day, SnapshotID: "snap_b", RunOrder: 9, Generation: 9},
		{RetrievedAt: day.Add(time.Hour), SnapshotID: "snap_a", RunOrder: 2, Generation: 9},
		{RetrievedAt: day.Add(time.Hour), SnapshotID: "snap_b", RunOrder: 1, Generation: 3},
		{RetrievedAt: day.Add(time.Hour), SnapshotID: "snap_b", RunOrder: 2, Generation: 1},
		{RetrievedAt: day.Add(time.Hour), SnapshotID: "snap_b", RunOrder: 2, Generation: 2},
	}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := a.Compare(b); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%d against %d: %d", i, j, got)
			}
		}
	}
	if (model.KnowledgeKey{TextHash: "a", SourceType: "z"}).Compare(model.KnowledgeKey{TextHash: "b", SourceType: "a"}) >= 0 ||
		(model.KnowledgeKey{TextHash: "a", SourceType: "a"}).Compare(model.KnowledgeKey{TextHash: "a", SourceType: "b"}) >= 0 {
		t.Error("knowledge is locked in another order")
	}
}

func TestUnitRules(t *testing.T) {
	digestOf := func(r model.UnitRules) string {
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if got := digestOf(model.Snapshot{Region: "CH", SourceType: "official"}.UnitRules()); got != "{}" {
		t.Errorf("no rules are %s", got)
	}
	s := model.Snapshot{SourceLanguage: "fr", SourceLanguages: []string{"fr", "de"}}
	if got := digestOf(s.UnitRules()); got != `{"language":"fr","languages":["fr","de"]}` {
		t.Errorf("rules %s", got)
	}
	if got := digestOf(s.Under(model.Run{}).UnitRules()); got != digestOf(s.UnitRules()) {
		t.Errorf("a run without rules changes them to %s", got)
	}
	rules := model.UnitRules{Entry: &model.EntryRule{Select: "dt"}, Furniture: &model.Furniture{Version: 2}}
	if got := digestOf(s.Under(model.Run{Rules: &rules}).UnitRules()); got != digestOf(rules) {
		t.Errorf("under a run with rules they are %s", got)
	}
}

func TestEntryRuleNamesWhatIsWrong(t *testing.T) {
	good := func() model.EntryRule {
		return model.EntryRule{Select: "li", Fields: []model.EntryField{{Name: "title", Select: "h3"}, {Name: "examples", Parts: []model.EntryPart{{Name: "text"}}}}}
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(r *model.EntryRule){
		"select:":                 func(r *model.EntryRule) { r.Select = "" },
		"fields:":                 func(r *model.EntryRule) { r.Fields = nil },
		"fields[1].name":          func(r *model.EntryRule) { r.Fields[1].Name = "title" },
		"fields[0].name":          func(r *model.EntryRule) { r.Fields[0].Name = "Head word" },
		"fields[1].attr":          func(r *model.EntryRule) { r.Fields[1].Attr = "id" },
		"fields[1].parts[0].name": func(r *model.EntryRule) { r.Fields[1].Parts[0].Name = "" },
		"record_id.parts":         func(r *model.EntryRule) { r.RecordID = &model.EntryField{Parts: []model.EntryPart{{}}} },
	} {
		r := good()
		spoil(&r)
		if err := r.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		s := model.DefaultSource("town")
		s.Entry = &r
		if err := s.Validate(); err == nil || !strings.HasPrefix(err.Error(), "entry_rule."+want) {
			t.Errorf("%s: the source says %v", want, err)
		}
	}
}

func TestFurnitureNamesWhatIsWrong(t *testing.T) {
	good := model.Furniture{Version: 1, Selectors: []model.FurnitureSelect{{Select: "#side", Role: "related"}}, Blocks: []model.FurnitureBlock{{Hash: "0123456789abcdef", Role: "footer"}}}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]model.Furniture{
		"version":      {},
		"selectors[0]": {Version: 1, Selectors: []model.FurnitureSelect{{Select: "#side", Role: "side"}}},
		"blocks[0]":    {Version: 1, Blocks: []model.FurnitureBlock{{Hash: "0123", Role: "footer"}}},
	} {
		if err := f.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestLeftOut: what no chunk has is counted by what it is, links and errors aside, and
// a share beyond that of nearly all documents of a kind is said.
func TestLeftOut(t *testing.T) {
	unit := func(kind model.UnitType, text string) model.Unit {
		return model.Unit{Type: kind, FieldsRaw: model.Fields{Text: text}}
	}
	got := model.LeftOutOf([]model.Unit{
		unit(model.UnitParagraph, "eight of them"), unit(model.UnitPageFooter, "page 3"), unit(model.UnitFurniture, "a menu"),
		unit(model.UnitLink, "https://example.org"), unit(model.UnitError, "lost"),
	})
	if want := (model.LeftOut{Text: 21, Furniture: 5, Heads: 5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for kind, unusual := range map[model.SnapshotKind]bool{model.KindPDF: true, model.KindImageScan: true, model.KindTextFile: true, model.KindHTML: false} {
		if judged := got.Judge(kind); (judged.Unusual != "") != unusual {
			t.Errorf("%s: %q", kind, judged.Unusual)
		}
	}
	if judged := (model.LeftOut{Text: 1000, Heads: 40}).Judge(model.KindPDF); judged.Unusual != "" {
		t.Error(judged.Unusual)
	}
}

// The classes of web pages are those of their ledgers, added; those of other documents
// are none, whatever their ledgers skip.
func TestClassesOfWebPages(t *testing.T) {
	page := model.Page{Ledger: &model.Ledger{Characters: model.Account{Found: 31, Placed: 2, Failed: 1, Skipped: []model.Skipped{
		{Reason: "alternative", Count: 7}, {Reason: "furniture", Count: 1}, {Reason: "head", Count: 2}, {Reason: "hidden", Count: 3},
		{Reason: "script", Count: 4}, {Reason: "style", Count: 5}, {Reason: "template", Count: 6},
	}}}}
	want := model.TextClasses{Text: 2, Furniture: 1, Head: 2, Hidden: 3, Script: 4, Style: 5, Template: 6, Alternative: 7, Lost: 1}
	once := model.LeftOutOn(page, nil)
	if once.Classes != want || want.Sum() != page.Ledger.Characters.Found {
		t.Errorf("%+v, want %+v", once.Classes, want)
	}
	if twice := once.Plus(once).Judge(model.KindHTML); twice.Classes.Sum() != 62 || twice.Classes.Script != 8 {
		t.Errorf("%+v", twice)
	}
	if pdf := once.Judge(model.KindPDF); pdf.Classes != (model.TextClasses{}) {
		t.Errorf("%+v", pdf)
	}
	if raw, err := json.Marshal(once.Judge(model.KindPDF)); err != nil || strings.Contains(string(raw), "classes") {
		t.Errorf("%s, %v", raw, err)
	}
	if none := model.LeftOutOn(model.Page{}, nil); none != (model.LeftOut{}) {
		t.Errorf("%+v", none)
	}
}
