package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// term is a word or phrase of a class in a sentence, as printed.
type term struct {
	value.Span
	text string
}

// terms returns the words and phrases of a class in a sentence, the longest at each place.
func terms(t value.Text, class string) (out []term) {
	words := make([]string, len(t.Words))
	for i := range t.Words {
		words[i] = t.Words[i].Folded
	}
	for i := 0; i < len(words); {
		_, n := lexicon.LookupPhrase(class, t.Language, words[i:])
		if n == 0 {
			i++
			continue
		}
		s := value.Span{Start: t.Words[i].Start, End: t.Words[i+n-1].End}
		out = append(out, term{s, t.Text[s.Start:s.End]})
		i += n
	}
	return out
}

// nearest returns the term that is nearest to a number, one behind it being nearer than one before it.
func nearest(all []term, n value.Number) (term, bool) {
	best, at := term{}, -1
	for _, x := range all {
		d := x.Start - n.End
		if x.End <= n.Start {
			d = n.Start - x.End + 1
		}
		if x.Start < max(n.End, n.Unit.End) && n.Start < x.End {
			continue
		}
		if at < 0 || d < at {
			best, at = x, d
		}
	}
	return best, at >= 0
}

// unitText is a number's unit as it is printed.
func unitText(t value.Text, n value.Number) string {
	if n.Unit.Canonical == "" {
		return ""
	}
	return t.Text[n.Unit.Start:n.Unit.End]
}

// isCounted reports whether a number is a quantity with one reading.
func isCounted(n value.Number) bool {
	return !n.IsDate && !n.IsLabel && len(n.Readings) == 1 && n.Currency == "" && n.Range != value.LowEnd
}

// by returns how a sentence of a type of entity is found here.
func (f *finder) by(kind string) string {
	if f.inSection(kind) {
		return bySection
	}
	return bySentence
}

// deadline returns the date of a sentence by which something is to be done.
func deadline(t value.Text) string {
	if len(t.Dates) == 1 {
		return t.Dates[0].Value
	}
	found := ""
	for _, cue := range terms(t, "deadline_cue") {
		for _, d := range t.Dates {
			if d.Start >= cue.End && strings.TrimSpace(t.Text[cue.End:d.Start]) == "" {
				if found != "" && found != d.Value {
					return ""
				}
				found = d.Value
			}
		}
	}
	return found
}

// goals finds what is to be reached: a percentage or an amount of a pollutant.
func (f *finder) goals(t value.Text) {
	pollutants := terms(t, "pollutant")
	inGoals := f.inSection("goal")
	if len(pollutants) == 0 || !inGoals && len(terms(t, "goal_word")) == 0 {
		return
	}
	for _, n := range t.Numbers {
		if !isCounted(n) || n.Unit.Canonical == "" || isTimeUnit(n.Unit.Canonical) || !inGoals && isConcentration(n.Unit.Canonical) {
			continue
		}
		p, ok := nearest(pollutants, n)
		if !ok {
			continue
		}
		values := map[string]any{"description": t.Text, "pollutant": p.text, "deadline": deadline(t), "location": place(t)}
		q := entity.Quantity{Value: n.Readings[0], Unit: unitText(t, n)}
		if isDone(t) {
			values["progress"] = q
		} else {
			values["target"] = q
		}
		f.add(entity.Goal, values, t.Text, f.by("goal"))
	}
}

// isDone reports whether a sentence says how far something is.
func isDone(t value.Text) bool {
	for _, x := range terms(t, "role") {
		role, _ := lexicon.Lookup("role", t.Language, lexicon.Fold(x.text))
		if role == "complete" || role == "achieved" {
			return true
		}
	}
	return false
}

func isTimeUnit(u string) bool {
	switch u {
	case "yr", "mo", "wk", "d", "h", "min", "s":
		return true
	}
	return false
}

func isConcentration(u string) bool {
	return strings.HasSuffix(u, "/L") || strings.Contains(u, "100 mL") || strings.HasSuffix(u, "/mL") || u == "NTU" || u == "FNU" || u == "ppm" || u == "ppb" || u == "°C" || u == "µS/cm"
}

// practices finds measures on the ground with how much of them, or what they cost.
func (f *finder) practices(t value.Text) {
	names := terms(t, "practice")
	if len(names) == 0 {
		return
	}
	byName := make(map[string]map[string]any)
	var order []string
	put := func(x term, field string, v any) {
		if byName[x.text] == nil {
			byName[x.text] = map[string]any{"name": x.text}
			order = append(order, x.text)
		}
		if byName[x.text][field] == nil {
			byName[x.text][field] = v
		}
	}
	for _, n := range t.Numbers {
		if n.IsDate || n.IsLabel || len(n.Readings) != 1 || n.Range == value.LowEnd {
			continue
		}
		x, ok := nearest(names, n)
		if !ok || lexicon.Has("generic_practice", t.Language, lexicon.Fold(x.text)) && len(terms(t, "plant_word")) == 0 {
			continue
		}
		switch {
		case n.Currency != "" && !n.PerUnit:
			put(x, "cost", entity.Money{Value: n.Readings[0], Currency: n.Currency})
		case n.Currency != "":
		case n.Unit.Canonical == "%" && isDone(t):
			put(x, "progress", entity.Quantity{Value: n.Readings[0], Unit: unitText(t, n)})
		case n.Unit.Canonical != "" && n.Unit.Canonical != "%" && !isTimeUnit(n.Unit.Canonical) && !strings.Contains(n.Unit.Canonical, "/"):
			put(x, "quantity", entity.Quantity{Value: n.Readings[0], Unit: unitText(t, n)})
		case n.Unit.Canonical == "" && x.Start >= n.End && strings.Count(t.Text[n.End:x.Start], " ") <= maxCounted && !strings.ContainsAny(t.Text[n.End:x.Start], ",;.:"):
			put(x, "quantity", entity.Quantity{Value: n.Readings[0], Unit: x.text})
		}
	}
	for _, name := range order {
		if len(byName[name]) > 1 {
			if len(order) == 1 {
				byName[name]["location"] = place(t)
			}
			f.add(entity.BMP, byName[name], t.Text, f.by("bmp"))
		}
	}
}

// maxCounted is how many spaces stand between a number and the noun that it counts, with three words between.
const maxCounted = 4

// measures finds what is measured, with its value or its limit, and how often.
func (f *finder) measures(t value.Text) {
	parameters := terms(t, "parameter")
	if len(parameters) == 0 || f.inSection("goal") {
		return
	}
	found := false
	for _, n := range t.Numbers {
		if !isCounted(n) || !isConcentration(n.Unit.Canonical) {
			continue
		}
		p, ok := nearest(parameters, n)
		if !ok {
			continue
		}
		values := map[string]any{"parameter": p.text, "location": place(t), "timeframe": timeframe(t)}
		if len(terms(t, "limit")) > 0 {
			values["threshold"] = entity.Quantity{Value: n.Readings[0], Unit: unitText(t, n)}
		} else {
			values["value"], values["unit"] = n.Readings[0], unitText(t, n)
		}
		if often := terms(t, "frequency"); len(often) == 1 {
			values["frequency"] = often[0].text
		}
		f.add(entity.Monitoring, values, t.Text, f.by("monitoring"))
		found = true
	}
	often := terms(t, "frequency")
	if found || len(often) != 1 || !f.inSection("monitoring") {
		return
	}
	for _, p := range parameters {
		f.add(entity.Monitoring, map[string]any{"parameter": p.text, "frequency": often[0].text, "location": place(t)}, t.Text, bySection)
	}
}

// longestAction bounds the words of an action that stands before a sign or a date.
const longestAction = 12

// activities finds what is done below a heading of implementation: the words before a colon, a bracket or
// a comma, with dates, a state or a budget behind them.
func (f *finder) activities(t value.Text) {
	if f.statement(t) || !f.inSection("implementation") {
		return
	}
	at := strings.IndexAny(t.Text, ":(,")
	if at < 0 {
		return
	}
	action := strings.TrimSpace(t.Text[:at])
	words := value.Words(action)
	if len(words) == 0 || len(words) > longestAction || strings.ContainsAny(action, "0123456789") {
		return
	}
	values := map[string]any{"action": action}
	switch rest := t.Dates; {
	case len(rest) == 2:
		values["start"], values["end"] = rest[0].Value, rest[1].Value
	case len(rest) == 1:
		values["end"] = rest[0].Value
	}
	if states := terms(t, "status"); len(states) == 1 {
		values["status"], _ = lexicon.Lookup("status", t.Language, lexicon.Fold(states[0].text))
	}
	if m := budget(t); m != nil {
		values["budget"] = *m
	}
	if len(values) > 1 {
		f.add(entity.Implementation, values, t.Text, bySection)
	}
}

// findAreas finds areas of which a sentence says something: a code, coordinates, an extent, or what an area does. A name
// that is only a place of something else is no area of its own.
func (f *finder) findAreas(t value.Text) {
	names := areaNames(t)
	if len(names) == 0 {
		return
	}
	places := value.Places(t.Text)
	codes := hydrologicCodes(t)
	extent := extentOf(t)
	if len(codes) == 0 && len(places) == 0 && extent == "" && len(terms(t, "area_says")) == 0 {
		return
	}
	for i, name := range names {
		values := map[string]any{"name": name.text}
		how := byName
		if len(codes) == 0 && len(places) == 0 && f.areas[name.text] {
			continue // named before on this page, and nothing new is said
		}
		if kinds := terms(value.Read(name.text, t.Language), "area_type"); len(kinds) > 0 {
			values["type"], _ = lexicon.Lookup("area_type", t.Language, lexicon.Fold(kinds[kindOf(t.Language, kinds)].text))
		}
		if len(codes) == len(names) || len(codes) == 1 && i == 0 && isNextCode(t, name, names) {
			values["huc"], how = codes[min(i, len(codes)-1)], byCode
		}
		if len(places) == 1 && len(names) == 1 {
			values["coordinates"], how = []entity.Point{{Lat: places[0].Lat, Lon: places[0].Lon}}, byCode
		}
		if i == 0 {
			values["description"] = extent
		}
		f.add(entity.GeographicArea, values, t.Text, how)
	}
}

// kindOf returns which of the words of kinds in a name says what it is: the last one in English, else the first.
func kindOf(language string, kinds []term) int {
	if language == "en" {
		return len(kinds) - 1
	}
	return 0
}

// isNextCode reports whether a sentence's one code stands behind a name and before the next.
func isNextCode(t value.Text, name term, names []term) bool {
	at := strings.Index(strings.ToLower(t.Text), "huc")
	return at >= name.End && (len(names) == 1 || at < names[1].Start)
}

// extentOf returns how large a sentence says that an area is, as printed, where it says so once.
func extentOf(t value.Text) (found string) {
	for _, n := range t.Numbers {
		switch n.Unit.Canonical {
		case "ac", "ha", "km²", "mi²":
			if found != "" || !isCounted(n) {
				return ""
			}
			found = t.Text[n.Start:n.Unit.End]
		}
	}
	return found
}

// areaNames returns the proper names that stand before or behind the word of an area.
func areaNames(t value.Text) (out []term) {
	for _, x := range terms(t, "area_after") {
		if t.Language != "en" || !isUpperAt(t.Text, x.Start) {
			continue
		}
		start := x.Start
		for i := len(t.Words) - 1; i >= 0; i-- {
			w := t.Words[i]
			if w.End > start {
				continue
			}
			if !isUpperAt(t.Text, w.Start) || t.Text[w.End:start] != " " && t.Text[w.End:start] != "-" || lexicon.Has("stop", t.Language, w.Folded) {
				break
			}
			start = w.Start
		}
		if start == x.Start {
			continue
		}
		if n := len(out); n > 0 && out[n-1].End <= x.Start && start <= out[n-1].End { // Clear Creek Watershed
			start = out[n-1].Start
			out = out[:n-1]
		}
		out = append(out, term{value.Span{Start: start, End: x.End}, t.Text[start:x.End]})
	}
	if t.Language == "en" {
		return out
	}
	for _, x := range terms(t, "area_before") {
		end := x.End
		for _, w := range t.Words {
			if w.Start < end {
				continue
			}
			between := t.Text[end:w.Start]
			if between != " " && between != "-" && (between != "" || end == x.End) || !isUpperAt(t.Text, w.Start) && !lexicon.Has("name_link", t.Language, w.Folded) {
				break
			}
			end = w.End
		}
		for end > x.End { // no link at the end
			last := t.Text[x.End:end]
			i := strings.LastIndexAny(last, " ")
			if i < 0 || isUpperAt(last, i+1) {
				break
			}
			end = x.End + i
		}
		if end > x.End {
			out = append(out, term{value.Span{Start: x.Start, End: end}, t.Text[x.Start:end]})
		}
	}
	return out
}

func isUpperAt(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsUpper(r)
}

// hydrologicCodes returns the codes that stand behind the letters HUC.
func hydrologicCodes(t value.Text) (out []string) {
	for i, w := range t.Words {
		if !strings.HasPrefix(w.Folded, "huc") {
			continue
		}
		for _, next := range t.Words[i+1 : min(len(t.Words), i+3)] {
			if len(next.Folded) >= 4 && value.CheckHUC(next.Folded) {
				out = append(out, next.Folded)
				break
			}
		}
	}
	return out
}
