package changes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

func unit(kind model.UnitType, text string, start int64) model.Unit {
	return model.Unit{Type: kind, FieldsRaw: model.Fields{BlockID: fmt.Sprintf("%s@%d", kind, start), Text: text, Confidence: 1},
		Evidence: []model.Evidence{{ByteSpan: &model.Span{Start: start, End: start + int64(len(text))}}}}
}

func frame(units ...model.Unit) *segment.Frame {
	return &segment.Frame{Page: model.Page{PageNo: 3, Status: model.PageProcessed, Coverage: 1}, Units: units}
}

func say(all []Change) (out []string) {
	for _, c := range all {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s>%s %s %s", c.Kind, c.FromType, c.ToType, c.Text, strings.Join(c.Fields, ","))))
	}
	return out
}

func TestPages(t *testing.T) {
	p := func(text string, at int64) model.Unit { return unit(model.UnitParagraph, text, at) }
	heading := unit(model.UnitHeading, "Water", 0)
	heading.FieldsRaw.Level = 2
	sure, unsure := p("The level rose.", 40), p("The level rose.", 40)
	unsure.FieldsRaw.Confidence = 0.5
	box := func(x float64, text string) model.Unit {
		return model.Unit{Type: model.UnitParagraph, FieldsRaw: model.Fields{Text: text},
			Evidence: []model.Evidence{{BBox: &model.BBox{X: x, W: .2, H: .1}}}}
	}
	for _, tt := range []struct {
		name     string
		from, to *segment.Frame
		want     []string
	}{
		{"equal", frame(p("a", 0), p("b", 10)), frame(p("a", 0), p("b", 10)), nil},
		{"added", frame(p("a", 0)), frame(p("a", 0), p("b", 10)), []string{"added >paragraph b"}},
		{"removed", frame(p("a", 0), p("b", 10), p("c", 20)), frame(p("a", 0), p("c", 20)), []string{"removed paragraph> b"}},
		{"text at the same place", frame(p("the quorum is seven", 0)), frame(p("the quorum was seven", 0)),
			[]string{"text paragraph>paragraph the quorum [-is-]{+was+} seven"}},
		{"type", frame(p("Water", 0)), frame(heading), []string{"type paragraph>heading 2 Water"}},
		{"order", frame(p("a", 0), p("b", 10), p("c", 20)), frame(p("b", 10), p("c", 20), p("a", 0)), []string{"order paragraph>paragraph a"}},
		{"one unit becomes two", frame(p("one and two", 0)), frame(p("one and", 0), p("two", 8)),
			[]string{"text paragraph>paragraph one and[- two-]", "added >paragraph two"}},
		{"fields", frame(sure), frame(unsure), []string{"fields paragraph>paragraph The level rose. confidence"}},
		{"boxes", frame(box(.1, "left"), box(.6, "right")), frame(box(.1, "lefT"), box(.6, "righT")),
			[]string{"text paragraph>paragraph [-left-]{+lefT+}", "text paragraph>paragraph [-right-]{+righT+}"}},
		{"page", nil, frame(p("a", 0)), []string{"page >", "added >paragraph a"}},
	} {
		if got := say(Pages(tt.from, tt.to)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestPageState(t *testing.T) {
	failed := frame()
	failed.Page.Status, failed.Page.Reason, failed.Page.Coverage = model.PageFailed, "timeout", 0
	got := Pages(failed, frame())
	if len(got) != 1 || got[0].From != "failed timeout" || got[0].To != "processed, coverage 1.0000" {
		t.Errorf("%+v", got)
	}
	if n := Count(got); n[Page] != 1 || len(n) != 1 {
		t.Errorf("counts %v", n)
	}
}

func TestDifferenceIsShort(t *testing.T) {
	a := strings.Repeat("é ", 200) + "was\n" + strings.Repeat("x", 300)
	b := strings.Repeat("é ", 200) + "is\n" + strings.Repeat("x", 300)
	if got, want := difference(a, b), "…"+strings.Repeat("é ", 10)+"[-was-]{+is+}⏎"+strings.Repeat("x", 19)+"…"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := difference(strings.Repeat("a", 500), ""); len([]rune(got)) > 90 {
		t.Errorf("%d code points: %q", len([]rune(got)), got)
	}
}

func FuzzDifference(f *testing.F) {
	f.Add("one two", "one three")
	f.Add("\xff", "é\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		if got := difference(a, b); len([]rune(got)) > 2*shown+2*context+16 {
			t.Errorf("%d code points", len([]rune(got)))
		}
		Pages(frame(unit(model.UnitParagraph, a, 0), unit(model.UnitCode, b, 3)), frame(unit(model.UnitParagraph, b, 1), unit(model.UnitTable, a, 0)))
	})
}
