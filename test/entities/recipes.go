package entities

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// How many true pairs, and how many altered ones, each half has.
const (
	truePairs    = 500
	alteredPairs = 1000
)

// Pairs returns the benchmark: 1,000 true pairs and 2,000 altered ones, the same each time.
func Pairs() ([]Pair, error) {
	open, err := pairsOf("open", openTemplates(), 1)
	if err != nil {
		return nil, err
	}
	sealed, err := pairsOf("sealed", sealedTemplates(), 2)
	return append(open, sealed...), err
}

func pairsOf(half string, templates []template, seed uint64) ([]Pair, error) {
	r := rand.New(rand.NewPCG(seed, 22))
	alterations := alterations()
	var truths, altered []Pair
	for i := 0; len(truths) < truePairs || len(altered) < alteredPairs; i++ {
		t := templates[i%len(templates)]
		s := newScene(r, templates, t)
		if len(truths) < truePairs {
			p, err := s.truth(r, i)
			if err != nil {
				return nil, err
			}
			truths = append(truths, p.named(half, "true", len(truths)))
		}
		a := alterations[(i/len(templates)+i)%len(alterations)]
		if p, ok, err := a.make(r, s); err != nil {
			return nil, err
		} else if ok && len(altered) < alteredPairs {
			altered = append(altered, p.named(half, a.name, len(altered)))
		}
	}
	return append(truths, altered...), nil
}

func (p Pair) named(half, recipe string, n int) Pair {
	p.Half, p.Recipe, p.True = half, recipe, recipe == "true"
	p.ID = fmt.Sprintf("%s-%s-%s-%03d", half, p.Language, recipe, n)
	return p
}

// fill is a template with its values.
type fill struct {
	template
	of, place string
	year      int
	amount    amount
}

// amount is a number with its unit, as it is printed and as it is claimed.
type amount struct {
	value   float64
	unit    string // as claimed, the currency of money
	printed string
}

// scene is a page of a fill and of another of the same language, between lines that say nothing.
type scene struct {
	main, other fill
}

func newScene(r *rand.Rand, all []template, t template) scene {
	var same []template
	for _, o := range all {
		if o.language == t.language && o.typ == t.typ && o.number == t.number {
			same = append(same, o)
		}
	}
	s := scene{main: newFill(r, t)}
	for s.other = newFill(r, same[r.IntN(len(same))]); s.other.of == s.main.of || s.other.amount.value == s.main.amount.value || s.other.year == s.main.year || s.other.place == s.main.place; {
		s.other = newFill(r, s.other.template)
	}
	return s
}

func newFill(r *rand.Rand, t template) fill {
	f := fill{template: t, year: 2025 + r.IntN(20)}
	f.of = pick(r, names(t.language, t.typ))
	f.place = pick(r, placesOf(t.language))
	f.amount = newAmount(r, t.language, t.unit)
	return f
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// newAmount draws a number of a kind, in figures as the language prints them or in words.
func newAmount(r *rand.Rand, language, kind string) amount {
	switch kind {
	case "percent":
		n := 5 * (1 + r.IntN(18))
		if words := tens(language, n); words != "" && r.IntN(4) == 0 {
			word := map[string]string{"en": "percent", "fr": "pour cent", "pt": "por cento", "it": "per cento"}[language]
			return amount{value: float64(n), unit: "%", printed: words + " " + word}
		}
		space := map[string]string{"en": "", "fr": "\u00A0", "pt": "", "it": " "}[language]
		return amount{value: float64(n), unit: "%", printed: fmt.Sprintf("%d%s%%", n, space)}
	case "area", "length":
		units := map[string][]string{"area en": {"acres", "hectares"}, "length en": {"feet", "miles"}, "area fr": {"hectares", "ha"}, "length fr": {"mètres", "km"},
			"area pt": {"hectares", "ha"}, "length pt": {"metros", "km"}, "area it": {"ettari", "ha"}, "length it": {"metri", "km"}}
		v := float64(11+r.IntN(8900)) / []float64{1, 1, 10}[r.IntN(3)]
		u := pick(r, units[kind+" "+language])
		return amount{value: v, unit: u, printed: figure(v, language) + " " + u}
	case "load":
		v := float64(100 * (3 + r.IntN(400)))
		return amount{value: v, unit: "lb/yr", printed: figure(v, language) + " lb/yr"}
	case "conc":
		v := float64(2+r.IntN(400)) / 10
		u := pick(r, []string{"mg/L", "µg/L", "ppm"})
		return amount{value: v, unit: u, printed: figure(v, language) + " " + u}
	case "count":
		v, noun := float64(3+r.IntN(60)), pick(r, names(language, "count"))
		return amount{value: v, unit: noun, printed: figure(v, language) + " " + noun}
	default:
		v := float64(500 * (3 + r.IntN(4000)))
		if language == "en" {
			return amount{value: v, unit: "USD", printed: "$" + figure(v, language)}
		}
		return amount{value: v, unit: "EUR", printed: figure(v, language) + " €"}
	}
}

// figure prints a number as a language does.
func figure(v float64, language string) string {
	s := fmt.Sprintf("%.1f", v)
	whole, part, _ := strings.Cut(s, ".")
	group, point := map[string]string{"en": ",", "fr": "\u00A0", "pt": ".", "it": "."}[language], map[string]string{"en": "."}[language]
	if point == "" {
		point = ","
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + group + whole[i:]
	}
	if part == "0" {
		return whole
	}
	return whole + point + part
}

// tens writes multiples of ten in words.
func tens(language string, n int) string {
	if n%10 != 0 {
		return ""
	}
	return map[string][]string{
		"en": {"ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"},
		"fr": {"dix", "vingt", "trente", "quarante", "cinquante", "soixante", "soixante-dix", "quatre-vingts", "quatre-vingt-dix"},
		"pt": {"dez", "vinte", "trinta", "quarenta", "cinquenta", "sessenta", "setenta", "oitenta", "noventa"},
		"it": {"dieci", "venti", "trenta", "quaranta", "cinquanta", "sessanta", "settanta", "ottanta", "novanta"},
	}[language][n/10-1]
}

// print writes a text of the template with the values.
func (f fill) print(text string) string {
	s := strings.NewReplacer("{n}", f.amount.printed, "{a}", f.of, "{y}", fmt.Sprint(f.year), "{l}", f.place).Replace(text)
	return strings.ToUpper(s[:firstLen(s)]) + s[firstLen(s):]
}

func firstLen(s string) int {
	for i := range s {
		if i > 0 {
			return i
		}
	}
	return len(s)
}

func (f fill) sentence() string { return f.print(f.text) }

// page sets sentences as blocks between others.
func (s scene) page(blocks ...string) string {
	filler := map[string][2]string{
		"en": {"# Chapter 4", "The maps are in the annex."}, "fr": {"# Chapitre 4", "Les cartes sont en annexe."},
		"pt": {"# Capítulo 4", "Os mapas estão em anexo."}, "it": {"# Capitolo 4", "Le mappe sono in allegato."},
	}[s.main.language]
	return strings.Join(append(append([]string{filler[0]}, blocks...), filler[1]), "\n")
}

// claim is a proposal about a scene.
type claim struct {
	of       string
	amount   amount
	year     int // 0: not claimed
	evidence []string
	field    string
}

func (s scene) claim() claim {
	return claim{of: s.main.of, amount: s.main.amount, evidence: []string{s.main.sentence()}, field: s.main.number}
}

// pair writes a claim about a page.
func (s scene) pair(page string, c claim) (Pair, error) {
	t := s.main.template
	values := map[string]any{t.name: c.of, "evidence": c.evidence, "id": "x"}
	if t.unit == "money" {
		values[t.number] = entity.Money{Value: c.amount.value, Currency: c.amount.unit}
	} else {
		values[t.number] = entity.Quantity{Value: c.amount.value, Unit: c.amount.unit}
	}
	if c.year != 0 {
		values[t.year] = fmt.Sprint(c.year)
	}
	data, err := json.Marshal(values)
	return Pair{Language: t.language, Page: page, Type: t.typ, Entity: data, Field: c.field}, err
}

// truth is a claim as the page has it: of the number, the name or the year, the sentence alone, with the next or in a table.
func (s scene) truth(_ *rand.Rand, i int) (Pair, error) {
	c := s.claim()
	switch {
	case s.main.year0() && i%3 == 0:
		c.year, c.field = s.main.year, s.main.template.year
	case i%5 == 0:
		c.field = s.main.name
	}
	page := s.page(s.main.sentence(), s.other.sentence())
	switch i % 4 {
	case 1:
		page = s.page(s.other.sentence() + " " + s.main.sentence())
	case 2:
		c.evidence[0] = strings.ReplaceAll(strings.ReplaceAll(c.evidence[0], "\u00A0", " "), "'", "’")
	case 3:
		if c.year == 0 {
			page, c.evidence = s.table(s.main, s.other), []string{s.main.row()}
		}
	}
	return s.pair(page, c)
}

func (f fill) year0() bool { return f.template.year != "" }

// row is the fill as a row of a table.
func (f fill) row() string { return f.of + " | " + f.place + " | " + f.amount.printed }

func (s scene) table(rows ...fill) string {
	head := map[string]string{"en": "Item | Place | Amount", "fr": "Poste | Lieu | Valeur", "pt": "Item | Local | Valor", "it": "Voce | Luogo | Valore"}[s.main.language]
	lines := []string{head}
	for _, r := range rows {
		lines = append(lines, r.row())
	}
	return s.page(strings.Join(lines, "\n"))
}

// alteration is a way to falsify a claim.
type alteration struct {
	name string
	make func(r *rand.Rand, s scene) (Pair, bool, error)
}

// made is a pair that could be made.
func made(p Pair, err error) (Pair, bool, error) { return p, true, err }

// alterations are the ways of falsification, each named by what is wrong.
func alterations() []alteration {
	return slices.Concat(alterationsOfValues(), alterationsOfPlaces(), alterationsOfLooks(), alterationsOfContext())
}

// alterationsOfValues change what is claimed.
func alterationsOfValues() []alteration {
	return []alteration{
		{"digits", func(r *rand.Rand, s scene) (Pair, bool, error) {
			c := s.claim()
			c.amount.value = changed(r, c.amount.value)
			return made(s.pair(s.page(s.main.sentence(), s.other.sentence()), c))
		}},
		{"digits-in-quote", func(r *rand.Rand, s scene) (Pair, bool, error) {
			c := s.claim()
			f := s.main
			f.amount.value = changed(r, c.amount.value)
			f.amount.printed = strings.Replace(f.amount.printed, figure(c.amount.value, f.language), figure(f.amount.value, f.language), 1)
			c.amount, c.evidence = f.amount, []string{f.sentence()}
			return made(s.pair(s.page(s.main.sentence(), s.other.sentence()), c))
		}},
		{"units", func(r *rand.Rand, s scene) (Pair, bool, error) {
			c := s.claim()
			for was := c.amount.unit; isSameUnit(c.amount.unit, was, s.main.language); {
				if s.main.unit == "money" {
					c.amount.unit = pick(r, []string{"USD", "EUR", "GBP", "BRL", "CHF"})
				} else {
					c.amount.unit = pick(r, []string{"%", "mg/L", "kg/yr", "acres", "ha", "km", "µg/L", "ppm", "m³", "farmers", "lb"})
				}
			}
			return made(s.pair(s.page(s.main.sentence(), s.other.sentence()), c))
		}},
		{"names", func(_ *rand.Rand, s scene) (Pair, bool, error) {
			c := s.claim()
			c.of, c.field = s.other.of, s.main.name
			return made(s.pair(s.page(s.main.sentence(), s.other.sentence()), c))
		}},
		{"names-joined", func(_ *rand.Rand, s scene) (Pair, bool, error) {
			c := s.claim()
			c.of, c.evidence = s.other.of, []string{s.main.sentence() + " " + s.other.sentence()}
			return made(s.pair(s.page(s.main.sentence()+" "+s.other.sentence()), c))
		}},
		{"dates", func(_ *rand.Rand, s scene) (Pair, bool, error) {
			if !s.main.year0() {
				return Pair{}, false, nil
			}
			c := s.claim()
			c.year, c.field = s.other.year, s.main.template.year
			return made(s.pair(s.page(s.main.sentence(), s.other.sentence()), c))
		}},
	}
}

// isSameUnit reports whether two units are one, as ha and hectares.
func isSameUnit(a, b, language string) bool {
	x, _, okX := value.CanonicalUnit(a, language)
	y, _, okY := value.CanonicalUnit(b, language)
	return a == b || okX && okY && x == y
}

// alterationsOfPlaces keep what is claimed, and take it from where it is not said.
func alterationsOfPlaces() []alteration {
	return []alteration{
		{"negation", func(_ *rand.Rand, s scene) (Pair, bool, error) {
			c := s.claim()
			denied := s.main.print(s.main.denied)
			c.evidence = []string{denied}
			return made(s.pair(s.page(denied, s.other.sentence()), c))
		}},
		{"negation-cut", func(_ *rand.Rand, s scene) (Pair, bool, error) {
			c := s.claim()
			denied := s.main.print(s.main.denied)
			at := strings.Index(strings.ToLower(denied), strings.ToLower(strings.NewReplacer("{n}", s.main.amount.printed).Replace(s.main.cut)))
			if at < 0 {
				return Pair{}, false, fmt.Errorf("template %q: %q is not in it", s.main.denied, s.main.cut)
			}
			c.evidence = []string{denied[at:]}
			return made(s.pair(s.page(denied, s.other.sentence()), c))
		}},
		{"negation-lost", func(_ *rand.Rand, s scene) (Pair, bool, error) {
			return made(s.pair(s.page(s.main.print(s.main.denied), s.other.sentence()), s.claim()))
		}},
		{"stitched", func(_ *rand.Rand, s scene) (Pair, bool, error) {
			c := s.claim()
			a, b := strings.Fields(s.other.sentence()), strings.Fields(s.main.sentence())
			c.of = s.other.of
			c.evidence = []string{strings.Join(slices.Concat(a[:len(a)/2], b[len(b)/2:]), " ")}
			return made(s.pair(s.page(s.other.sentence(), s.main.sentence()), c))
		}},
		{"stitched-blocks", func(_ *rand.Rand, s scene) (Pair, bool, error) {
			c := s.claim()
			c.of, c.evidence = s.other.of, []string{s.other.sentence() + " " + s.main.sentence()}
			return made(s.pair(s.page(s.other.sentence(), s.main.sentence()), c))
		}},
		{"wrong-sentence", func(_ *rand.Rand, s scene) (Pair, bool, error) {
			c := s.claim()
			c.of, c.evidence = s.other.of, []string{s.other.sentence()}
			return made(s.pair(s.page(s.main.sentence(), s.other.sentence()), c))
		}},
		{"wrong-row", func(_ *rand.Rand, s scene) (Pair, bool, error) {
			c := s.claim()
			c.of, c.evidence = s.other.of, []string{s.other.row()}
			return made(s.pair(s.table(s.main, s.other), c))
		}},
		{"invented", func(_ *rand.Rand, s scene) (Pair, bool, error) {
			return made(s.pair(s.page(s.other.sentence()), s.claim()))
		}},
	}
}

// changed returns another number that looks like v: a digit more, less, or turned.
func changed(r *rand.Rand, v float64) float64 {
	return []float64{v * 10, v + 1, v + 10, v / 10, v + 0.5}[r.IntN(5)]
}
