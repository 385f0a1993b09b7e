package quality

import (
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/test/quality/entityset"
)

// The set has what it must: both halves all types, languages and forms, and labels whose types and fields there are.
func TestEntitySet(t *testing.T) {
	total := 0
	for _, half := range []string{entityset.HalfLookedAt, entityset.HalfUnseen} {
		pages, err := entityset.Pages(half)
		if err != nil {
			t.Fatal(err)
		}
		total += len(pages)
		has := make(map[string]int)
		for _, p := range pages {
			has[p.Language]++
			has[p.Form]++
			if len(p.Labels) == 0 {
				has["no label"]++
			}
			for _, l := range p.Labels {
				has[l.Type]++
				typ, ok := entity.TypeOf(l.Type)
				if !ok || len(l.Texts) == 0 {
					t.Errorf("%s %s: label of type %q, texts %q", half, p.Name, l.Type, l.Texts)
				}
				for field := range l.Values {
					name, _, _ := strings.Cut(field, ".")
					if _, ok := typ.Field(name); !ok {
						t.Errorf("%s %s: %s has no field %q", half, p.Name, l.Type, field)
					}
				}
			}
			for _, b := range p.Blocks {
				if strings.ContainsAny(b.Text+b.Caption, "{}|") {
					t.Errorf("%s %s: a mark is left in %q", half, p.Name, b.Text)
				}
			}
		}
		for _, want := range []string{"en", "fr", "pt", "it", "html", "pdf", "scan", "no label", "goal", "bmp", "implementation", "monitoring", "outreach", "geographicArea"} {
			if has[want] == 0 {
				t.Errorf("%s: nothing of %s", half, want)
			}
		}
	}
	if total < 60 {
		t.Errorf("%d pages", total)
	}
}

func labelled() entityset.Page {
	return entityset.Page{Name: "p", Half: entityset.HalfLookedAt, Language: "en", Form: "html", Labels: []entityset.Label{
		{Type: "goal", Texts: []string{"Reduce nitrogen by 30 % by 2030."}, Values: map[string]entityset.Want{
			"pollutant": {Forms: []string{"nitrogen"}}, "target": {Forms: []string{"30 %"}}, "deadline": {Forms: []string{"2030"}}, "location": {Forms: []string{"Mill Run"}, Optional: true}}},
		{Type: "bmp", Texts: []string{"12 rain gardens"}, Values: map[string]entityset.Want{"name": {Forms: []string{"rain gardens"}}, "cost": {Forms: []string{"1200;USD", "$1,200"}}}},
	}}
}

// What is right, wrong and missed is told apart, by entity and by value.
func TestEntitiesAreScored(t *testing.T) {
	found := []foundEntity{
		{Type: "goal", Values: map[string]any{"pollutant": "the nitrogen", "target": map[string]any{"value": 30.0, "unit": "percent"}, "deadline": "2031", "description": "Reduce nitrogen by 30 % by 2030."}},
		{Type: "monitoring", Values: map[string]any{"parameter": "nitrogen"}},
	}
	var entities, values EntityCounts
	var wrongs []string
	for _, j := range scoreEntities(labelled(), found) {
		if j.field == "" {
			entities.add(j.verdict)
		} else {
			values.add(j.verdict)
		}
		if j.verdict == wrong {
			wrongs = append(wrongs, j.typ+"."+j.field)
		}
	}
	slices.Sort(wrongs)
	if want := []string{"goal.deadline", "monitoring.", "monitoring.parameter"}; !slices.Equal(wrongs, want) {
		t.Errorf("wrong: %q, want %q", wrongs, want)
	}
	if (entities != EntityCounts{Right: 1, Wrong: 1, Missed: 1}) || (values != EntityCounts{Right: 2, Wrong: 2, Missed: 2}) {
		t.Errorf("entities %+v, values %+v", entities, values)
	}
}

// A value of an entity that shares no name with any label is wrong, whatever else is right.
func TestAnEntityNeedsItsAnchor(t *testing.T) {
	found := []foundEntity{{Type: "bmp", Values: map[string]any{"name": "wetland", "cost": map[string]any{"value": 1200.0, "currency": "USD"}}}}
	right := 0
	for _, j := range scoreEntities(labelled(), found) {
		if j.verdict == verdict(1) {
			right++
		}
	}
	if right != 0 {
		t.Errorf("%d right", right)
	}
}

// What does not stand where it says is found, whatever the guard says.
func TestUngroundedValuesAreFound(t *testing.T) {
	const text = "Reduce nitrogen by 1,200 lb by 2030."
	units := map[string]string{"ir_1": text}
	ground := func(field, words string) foundGround {
		at := strings.Index(text, words)
		return foundGround{Field: field, IRID: "ir_1", Start: at, End: at + len(words), Text: words}
	}
	good := func() foundEntity {
		return foundEntity{Type: "goal", Evidence: []string{text}, Values: map[string]any{"pollutant": "nitrogen", "target": map[string]any{"value": 1200.0, "unit": "lb"}, "deadline": "2030"},
			Grounds: []foundGround{ground("evidence", text), ground("pollutant", "nitrogen"), ground("target", "1,200 lb"), ground("deadline", "2030")}}
	}
	if bad := ungrounded(good(), units); len(bad) > 0 {
		t.Errorf("a true entity: %q", bad)
	}
	for name, spoil := range map[string]func(e *foundEntity){
		"another number":    func(e *foundEntity) { e.Values["target"] = map[string]any{"value": 1300.0, "unit": "lb"} },
		"another name":      func(e *foundEntity) { e.Values["pollutant"] = "phosphorus" },
		"another year":      func(e *foundEntity) { e.Values["deadline"] = "2031" },
		"moved bytes":       func(e *foundEntity) { e.Grounds[1].Start++ },
		"no such unit":      func(e *foundEntity) { e.Grounds[2].IRID = "ir_2" },
		"other words":       func(e *foundEntity) { e.Grounds[2].Text = "1,300 lb" },
		"no ground":         func(e *foundEntity) { e.Grounds = e.Grounds[:3] },
		"no evidence":       func(e *foundEntity) { e.Evidence = nil },
		"made-up evidence":  func(e *foundEntity) { e.Evidence = []string{"Cut nitrogen by 1,200 lb by 2030."} },
		"value without any": func(e *foundEntity) { e.Values["location"] = "Mill Run" },
	} {
		e := good()
		spoil(&e)
		if len(ungrounded(e, units)) == 0 {
			t.Errorf("%s was not found", name)
		}
	}
}

// Figures are read in both ways of writing them.
func TestReadingsOfFigures(t *testing.T) {
	for text, want := range map[string]float64{"1,200 lb": 1200, "1.200 m": 1200, "0,2 mg/L": 0.2, "4 200 m": 4200, "thirty percent": 30, "quattro incontri": 4, "3.5 km": 3.5} {
		if !saysNumber(text, text, want) || saysNumber(text, text, want+1) {
			t.Errorf("%q: %v", text, want)
		}
	}
}
