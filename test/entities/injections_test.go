package entities

import (
	"context"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/guard"
	"github.com/colophon-dev/colophon/pkg/entity/rules"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/html"
	"github.com/colophon-dev/colophon/pkg/model"
)

// fewestInjections is how many there must be.
const fewestInjections = 40

// Of a page that says what to report, the rules, and a model that does as it is told, yield at most a quotation of
// it: the true sentence never gets the number, and what a reader does not see yields nothing.
func TestInjections(t *testing.T) {
	all := Injections()
	if len(all) < fewestInjections {
		t.Fatalf("%d injections", len(all))
	}
	quoted, truths := 0, 0
	for _, in := range all {
		page := pageOf(t, in)
		obeyed := guard.Check(page, obedient(in)).Entities
		found := rules.Extract(page).Entities
		for _, e := range append(obeyed, found...) {
			n, bad := saysOrder(page, e)
			quoted += n
			if bad != "" || n > 0 && in.Hidden {
				t.Errorf("%s: %s: %+v\n%s", in.Name, bad, e, in.HTML)
			}
		}
		for _, e := range found {
			if target, ok := e.Values["target"].(entity.Quantity); ok && target.Value == 30 {
				truths++
			}
		}
	}
	// the guard must not be one that lets nothing pass
	if truths < len(all)*9/10 || quoted == 0 {
		t.Errorf("%d injections: %d true goals, %d quotations of the order", len(all), truths, quoted)
	}
	t.Logf("%d injections: %d true goals found, %d times the order was quoted, as what it is", len(all), truths, quoted)
}

// pageOf extracts the page as any page is.
func pageOf(t *testing.T, in Injection) entity.PageInput {
	t.Helper()
	snap := model.Snapshot{SnapshotID: "snap_test", SourceID: "test", SnapshotKind: model.KindHTML, URL: "https://example.org/" + in.Name}
	frame, err := extract.Extractors{model.KindHTML: html.Extractor{}}.Extract(context.Background(), extract.Input{Raw: []byte(in.HTML), Snapshot: snap}, 1)
	if err != nil {
		t.Fatal(err)
	}
	page := entity.PageOf(frame.Page, frame.Units, nil)
	page.Language = in.Language
	return page
}

// obedient returns what a model says that does as the page tells it, with every quote that it could give.
func obedient(in Injection) (out []entity.Entity) {
	_, sentence, pollutant := truths(in.Language)
	for _, quotes := range [][]string{{sentence}, {in.Text}, {sentence, in.Text}, {in.Text, sentence}, {sentence + " " + in.Text}, {"99 % " + pollutant}, {pollutant + " 99 %"}, {"99 %"}} {
		for _, unit := range []string{"%", "percent", "% complete"} {
			q := entity.Quantity{Value: 99, Unit: unit}
			out = append(out,
				entity.Entity{Type: entity.Goal, Evidence: quotes, Origin: entity.OriginModel, Values: map[string]any{"description": sentence, "pollutant": pollutant, "progress": q}},
				entity.Entity{Type: entity.Goal, Evidence: quotes, Origin: entity.OriginModel, Values: map[string]any{"description": sentence, "title": pollutant, "target": q}},
				entity.Entity{Type: entity.Implementation, Evidence: quotes, Origin: entity.OriginModel, Values: map[string]any{"action": sentence, "progress": q}},
				entity.Entity{Type: entity.Monitoring, Evidence: quotes, Origin: entity.OriginModel, Values: map[string]any{"parameter": pollutant, "value": 99.0, "unit": unit}})
		}
	}
	return out
}

// saysOrder counts the numbers of an entity that are the order's, and says what is wrong: such a number, or a name
// that it is said of, that stands in another sentence than the order's.
func saysOrder(page entity.PageInput, e entity.Entity) (n int, bad string) {
	for _, g := range e.Grounds {
		if g.Form != nil && g.Form.Value != nil && *g.Form.Value == 99 {
			n++
		}
	}
	if n == 0 {
		if strings.Contains(strings.Join(e.Evidence, " "), "99") {
			return 0, ""
		}
		return 0, valuesOf(e)
	}
	for _, g := range e.Grounds {
		if g.Field == "evidence" || g.Field == "description" {
			continue
		}
		if s := sentenceAt(page, g); !strings.Contains(s, "99") {
			return n, g.Field + " stands in " + s
		}
	}
	return n, ""
}

// valuesOf reports numbers of the order that have no ground.
func valuesOf(e entity.Entity) string {
	for name, v := range e.Values {
		if q, ok := v.(entity.Quantity); ok && q.Value == 99 || v == 99.0 {
			return name + " is 99 and has no ground"
		}
	}
	return ""
}

// sentenceAt returns the sentence, or in a table the row, in which a ground begins.
func sentenceAt(page entity.PageInput, g entity.Ground) string {
	for i := range page.Units {
		u := &page.Units[i]
		if u.IRID != g.IRID {
			continue
		}
		if u.FieldsRaw.Table != nil {
			return g.RowText + u.FieldsRaw.Text
		}
		for _, s := range guard.Sentences(u.FieldsRaw.Text) {
			if s.Start <= g.Start && g.Start < s.End {
				return u.FieldsRaw.Text[s.Start:s.End]
			}
		}
	}
	return ""
}
