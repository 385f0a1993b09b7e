package quality

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/test/quality/entityset"
)

// verdict is what became of a value or an entity.
type verdict int

const (
	unjudged verdict = iota
	right
	wrong
	missed
)

// judged is the verdict on one value of a page, or on an entity, whose field is empty.
type judged struct {
	typ, field string
	verdict    verdict
	foundBy    string // of what was found: the kind of finding
	text       string // for a person
}

// scorePage holds the entities of a page against its labels. Each found entity belongs to the label of its type with
// which it shares most values, of which one must be what the entity is called by (anchors); without one all its values are wrong.
func scoreEntities(p entityset.Page, found []foundEntity) (out []judged) {
	taken := make(map[int]int) // label of a found entity
	owned := make(map[int]bool)
	for n := 0; n < len(found); n++ {
		best, bestFound, bestLabel := 0, -1, -1
		for f, e := range found {
			if _, done := taken[f]; done {
				continue
			}
			for l, label := range p.Labels {
				if s := agreement(e, label); !owned[l] && s > best {
					best, bestFound, bestLabel = s, f, l
				}
			}
		}
		if bestFound < 0 {
			break
		}
		taken[bestFound], owned[bestLabel] = bestLabel, true
	}
	for f, e := range found {
		l, ok := taken[f]
		if !ok {
			out = append(out, judged{typ: e.Type, verdict: wrong, foundBy: e.FoundBy, text: describe(e)})
			for name := range e.Values {
				out = append(out, judged{e.Type, name, wrong, e.FoundBy, describe(e)})
			}
			continue
		}
		out = append(out, scoreValues(e, p.Labels[l])...)
	}
	for l, label := range p.Labels {
		if owned[l] || label.Optional {
			continue
		}
		out = append(out, judged{typ: label.Type, verdict: missed, text: strings.Join(label.Texts, " / ")})
		for field, want := range label.Values {
			if !want.Optional {
				out = append(out, judged{label.Type, field, missed, "", strings.Join(want.Forms, " ~ ")})
			}
		}
	}
	return out
}

// scoreValues judges an entity that has a label.
func scoreValues(e foundEntity, label entityset.Label) (out []judged) {
	add := func(field string, v verdict, text string) {
		if label.Optional && v != wrong {
			v = unjudged
		}
		out = append(out, judged{e.Type, field, v, e.FoundBy, text})
	}
	add("", right, describe(e))
	for field, v := range e.Values {
		want, ok := wanted(label, field)
		switch {
		case ok && agrees(field, e.Type, v, want):
			add(field, right, "")
		case !ok && isPartOf(field, v, label):
			add(field, unjudged, "")
		default:
			add(field, wrong, describe(e))
		}
	}
	for field, want := range label.Values {
		if _, ok := e.Values[field]; !ok && !want.Optional {
			add(field, missed, strings.Join(want.Forms, " ~ "))
		}
	}
	return out
}

// wanted returns what a field must hold; the unit of a monitored value is that which is printed with it.
func wanted(label entityset.Label, field string) (entityset.Want, bool) {
	want, ok := label.Values[field]
	if !ok && field == "unit" {
		if value, has := label.Values["value"]; has {
			_, unit := quantityOf(value.Forms[0])
			return entityset.Want{Forms: []string{unit}}, unit != ""
		}
	}
	return want, ok
}

// isPartOf reports whether a value that no label asks for only repeats what the page says of the entity:
// a description or title is a sentence of it, an activity is the noun that its count counts.
func isPartOf(field string, v any, label entityset.Label) bool {
	s, ok := v.(string)
	if !ok {
		return field == "relatedGoals" || field == "dependencies"
	}
	switch field {
	case "description", "title":
		return slices.ContainsFunc(label.Texts, func(t string) bool { return isWithin(foldWords(s), foldWords(t)) })
	case "activity", "channel", "name", "unit":
		for _, want := range label.Values {
			for _, form := range want.Forms {
				if _, unit := quantityOf(form); unit != "" && sameText(unit, s) {
					return true
				}
			}
		}
	}
	return false
}

// anchors are the fields of which an entity must have one right to be what its label means.
func anchors(typ string) []string {
	return map[string][]string{"goal": {"pollutant", "target", "progress"}, "bmp": {"name"}, "implementation": {"action"},
		"monitoring": {"parameter"}, "outreach": {"audience", "activity", "channel", "count"}, "geographicArea": {"name", "huc"}}[typ]
}

// agreement counts the values that a found entity and a label share; 0 when they are not of one thing.
func agreement(e foundEntity, label entityset.Label) (n int) {
	if e.Type != label.Type {
		return 0
	}
	anchored := false
	for field, v := range e.Values {
		if want, ok := label.Values[field]; ok && agrees(field, e.Type, v, want) {
			n++
			anchored = anchored || slices.Contains(anchors(e.Type), field)
		}
	}
	if !anchored {
		return 0
	}
	return n
}

// agrees reports whether a value is one of the forms in which it is right.
func agrees(field, typ string, v any, want entityset.Want) bool {
	return slices.ContainsFunc(want.Forms, func(form string) bool { return isForm(field, typ, v, form) })
}

func isForm(field, typ string, v any, form string) bool {
	switch v := v.(type) {
	case string:
		if isDateText(v) && field != "timeframe" && field != "huc" {
			return v == form
		}
		if field == "status" || field == "type" && typ == "geographicArea" || field == "huc" {
			return v == form
		}
		return sameText(v, form)
	case float64:
		n, _ := quantityOf(form)
		return isEqual(n, v)
	case map[string]any:
		n, unit := quantityOf(form)
		value, _ := v["value"].(float64)
		said, _ := v["unit"].(string)
		if currency, isMoney := v["currency"].(string); isMoney {
			said = currency
		}
		return isEqual(n, value) && (unit == "" || sameUnit(unit, said))
	case []any:
		return samePoint(v, form)
	default:
		return false
	}
}

func isEqual(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }

func samePoint(points []any, form string) bool {
	lat, lon, ok := strings.Cut(form, ",")
	if !ok || len(points) != 1 {
		return false
	}
	p, _ := points[0].(map[string]any)
	x, errX := strconv.ParseFloat(lat, 64)
	y, errY := strconv.ParseFloat(lon, 64)
	foundLat, _ := p["lat"].(float64)
	foundLon, _ := p["lon"].(float64)
	return errX == nil && errY == nil && isEqual(x, foundLat) && isEqual(y, foundLon)
}

// quantityOf reads a form: number;unit, or a plain number and its unit.
func quantityOf(form string) (float64, string) {
	number, unit, ok := strings.Cut(form, ";")
	if !ok {
		number, unit, _ = strings.Cut(form, " ")
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return math.NaN(), ""
	}
	return n, strings.TrimSpace(unit)
}

// sameUnit compares units without spaces and capital letters; percent is %.
func sameUnit(a, b string) bool {
	fold := func(s string) string {
		s = strings.ToLower(strings.NewReplacer(" ", "", "\u00A0", "", "μ", "µ").Replace(s))
		if slices.Contains([]string{"percent", "pourcent", "porcento", "percento"}, s) {
			return "%"
		}
		return s
	}
	return fold(a) == fold(b)
}

// sameText reports whether two texts say the same: equal words, small words at their beginning aside, or one
// within the other with half of its words or more.
func sameText(a, b string) bool {
	x, y := withoutArticle(foldWords(a)), withoutArticle(foldWords(b))
	if len(x) > len(y) {
		x, y = y, x
	}
	return len(x) > 0 && 2*len(x) >= len(y) && isWithin(x, y)
}

func withoutArticle(words []string) []string {
	for len(words) > 1 && slices.Contains(strings.Fields("the a an of le la les l un une des de du d o os as um uma do da dos das il lo i gli uno una di del della dei"), words[0]) {
		words = words[1:]
	}
	return words
}
