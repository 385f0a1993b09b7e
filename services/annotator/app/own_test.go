package app

import (
	"fmt"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/devtest/stagetest"
	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/custom"
	"github.com/colophon-dev/colophon/pkg/llm/chat"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// permits is a schema of one's own: permits, found by a pattern on pages that say the word.
func permits(version int) model.EntitySchema {
	field := func(more ...any) map[string]any {
		f := map[string]any{"type": "string"}
		for i := 0; i < len(more); i += 2 {
			f[more[i].(string)] = more[i+1]
		}
		return f
	}
	return model.EntitySchema{
		Name: "permits", Version: version, Instruction: "List each permit.", Pages: &model.EntityPages{Words: []string{"permit"}},
		Schema: map[string]any{"type": "object", "properties": map[string]any{"permits": map[string]any{
			"type": "array", "x-patterns": []any{`(?i)permit for (?P<work>[^.,]+?) (?P<outcome>granted|refused)`},
			"items": map[string]any{"title": "permit", "type": "object", "required": []any{"work", "outcome"}, "properties": map[string]any{
				"work": field("x-kind", "name"), "outcome": map[string]any{"enum": []any{"granted", "refused"}}, "holder": field(),
			}},
		}}},
	}
}

// captured records a snapshot with schemas of its source, and a run over it.
func (w *world) captured(name string, pages int, own ...model.EntitySchema) model.Run {
	w.Helper()
	s := w.Capture(name, model.KindPDF, func(s *model.Snapshot) { s.SourceEntities = own })
	return w.begin(s, extractionID, pages)
}

const (
	permitted = "Permit for a wooden footbridge granted to Ida Moran.\n"
	both      = goals + permitted
)

// TestEntitiesOfOnesOwn: a page has them beside those of the six types; one that does not have the word is not asked.
func TestEntitiesOfOnesOwn(t *testing.T) {
	w := newWorld(t)
	run := w.captured("town", 2, permits(3))
	e := w.extract(run, 0, 1, both, goals)
	w.handle(e)
	if got := w.entities(run.SnapshotID); got != "1 goal 0, 1 permits.permit 1, 2 goal 0" {
		t.Errorf("%s", got)
	}
	rows, err := w.DB.EntitiesOf(t.Context(), run.SnapshotID)
	if err != nil {
		t.Fatal(err)
	}
	own, err := entity.Restored(rows[1].Type, rows[1].Payload)
	if err != nil {
		t.Fatal(err)
	}
	if own.Values["work"] != "a wooden footbridge" || own.Values["outcome"] != "granted" || own.Schema != "permits" || own.SchemaNo != 3 || rows[1].Title != "a wooden footbridge" {
		t.Errorf("%+v of %s", own, rows[1].Title)
	}
	pages, err := w.DB.EntityPages(t.Context(), run.SnapshotID)
	if err != nil {
		t.Fatal(err)
	}
	if r := pages[0].Result; r.Counts["permits.permit"] != 1 || r.Schemas["permits"] != 3 {
		t.Errorf("%+v", r)
	}
	if r := pages[1].Result; len(r.Schemas) != 0 {
		t.Errorf("%+v of a page that does not have the word", r)
	}
	before := w.Dump()
	w.handle(e)
	if w.Dump() != before {
		t.Error("read twice, the dump differs")
	}
}

// TestANewerSchema: a re-parse takes the schemas that the source has then; what the older yielded is marked.
func TestANewerSchema(t *testing.T) {
	w := newWorld(t)
	run := w.captured("town", 1, permits(1))
	w.handle(w.extract(run, 0, 1, both))
	newer := permits(2)
	newer.Schema["properties"].(map[string]any)["permits"].(map[string]any)["x-patterns"] = []any{`(?i)permit for (?P<work>[^.,]+?) (?P<outcome>granted|refused) to (?P<holder>[^.]+)`}
	s, err := w.DB.Snapshot(t.Context(), run.SnapshotID)
	if err != nil {
		t.Fatal(err)
	}
	again := w.Start(model.Run{SnapshotID: s.SnapshotID, ExtractionID: "fedcba9876543210", SourceID: s.SourceID, DocumentID: s.DocumentID,
		PageCount: 1, ParserVersion: "1", Why: "reparse", Rules: &model.UnitRules{Entities: []model.EntitySchema{newer}}})
	w.handle(w.extract(again, 0, 1, both))
	rows, err := w.DB.EntitiesOf(t.Context(), run.SnapshotID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		if e, err := entity.Restored(r.Type, r.Payload); err == nil && entity.IsOwn(r.Type) {
			got = append(got, fmt.Sprint(e.Values["holder"], " ", e.SchemaNo))
		}
	}
	if strings.Join(got, ", ") != "Ida Moran 2" {
		t.Errorf("%q", got)
	}
}

// TestASchemaOfNoUse: the six types are read all the same, and it is counted.
func TestASchemaOfNoUse(t *testing.T) {
	w := newWorld(t)
	broken := permits(1)
	broken.Schema = map[string]any{"type": "object"}
	run := w.captured("town", 1, broken)
	w.handle(w.extract(run, 0, 1, both))
	pages, err := w.DB.EntityPages(t.Context(), run.SnapshotID)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.entities(run.SnapshotID); got != "1 goal 0" || pages[0].Result.Dropped[custom.SchemaUnusable] != 1 {
		t.Errorf("%s, %+v", got, pages[0].Result)
	}
}

// TestAModelIsAskedForOnesOwn: by itself, with the schema's words; what it makes up is dropped, and what the rules do
// not find is there.
func TestAModelIsAskedForOnesOwn(t *testing.T) {
	permit := func(work, holder, quote string) map[string]any {
		return map[string]any{"id": "p", "work": work, "outcome": "granted", "holder": holder, "evidence": []string{quote}}
	}
	s := startScript(t, func(k talk) reply {
		if !strings.Contains(k.Messages[1].Content, "List each permit.") {
			return reply{text: answerOf(nil)}
		}
		text := fmt.Sprintf(`{"permits": %s}`, strings.Join([]string{jsonOf(t, []any{
			permit("a wooden footbridge", "Ida Moran", strings.TrimSpace(permitted)),
			permit("a palace", "Ida Moran", "Permit for a palace granted to Ida Moran."),
		})}, ""))
		return reply{text: text}
	})
	c := config.Chat{URL: s.URL + "/v1", Model: "scripted", PromptVersion: 2, Calls: 2}
	m, err := chat.Open(chat.ConfigOf(c))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	sw := stagetest.New(t)
	w := &world{World: sw, stage: newStage(sw.DB, sw.Blobs, m, c, telemetry.Nop())}
	run := w.captured("town", 2, permits(1))
	e := w.extract(run, 0, 1, both, goals)
	w.handle(e)
	if n := len(s.calls()); n != 4 { // two pages, one of them for permits too, of which one quote is asked for again
		t.Errorf("asked %d times", n)
	}
	rows, err := w.DB.EntitiesOf(t.Context(), run.SnapshotID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		if e, err := entity.Restored(r.Type, r.Payload); err == nil && entity.IsOwn(r.Type) {
			got = append(got, fmt.Sprint(e.Values["work"], " ", e.Values["holder"], " ", e.Origin))
		}
	}
	if strings.Join(got, ", ") != "a wooden footbridge Ida Moran both" && strings.Join(got, ", ") != "a wooden footbridge <nil> both" {
		t.Errorf("%q", got)
	}
	if !w.annotated(run) {
		t.Error("somebody waits for the run")
	}
	before := w.Dump()
	if _, err := w.DB.RequeueEntities(t.Context(), run, nil); err != nil {
		t.Fatal(err)
	}
	w.handle(e)
	if n := len(s.calls()); n != 4 || w.Dump() != before {
		t.Errorf("asked %d times in the end", n)
	}
}

// TestALaterRunWithFewerPages: what an earlier one has read of pages beyond its end is not current any more; a run with
// more pages has them again.
func TestALaterRunWithFewerPages(t *testing.T) {
	w := newWorld(t)
	s := w.Capture("plan", model.KindPDF, nil)
	old := w.begin(s, extractionID, 3)
	w.handle(w.extract(old, 0, 1, goals, goals, goals))
	young := w.begin(s, "fedcba9876543210", 1)
	w.handle(w.extract(young, 0, 1, goals))
	if got := w.entities(s.SnapshotID); got != "1 goal 0" {
		t.Errorf("after the shorter run: %s", got)
	}
	pages, err := w.DB.EntityPages(t.Context(), s.SnapshotID)
	if err != nil || len(pages) != 1 {
		t.Errorf("%d pages, %v", len(pages), err)
	}
	longer := w.begin(s, "00000000000000ff", 2)
	w.handle(w.extract(longer, 0, 1, goals, goals))
	if got := w.entities(s.SnapshotID); got != "1 goal 0, 2 goal 0" {
		t.Errorf("after the longer run: %s", got)
	}
}
