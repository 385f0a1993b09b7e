package entities

import (
	"math/rand/v2"
	"strings"
)

// words are what the alterations of this file write, by language: en, fr, pt, it.
type words struct {
	minus, half, per, million, question, untrue, rejected, below, dozen, head, state string
}

func wordsOf(language string) words {
	return map[string]words{
		"en": {"minus ", "half of the ", " per site", "million", "Is it so that ", "This is not true.", "Rejected alternatives", "Costs", "dozen", "Item | Amount | Status", "Rejected"},
		"fr": {"moins ", "la moitié des ", " par parcelle", "million", "Est-ce que ", "Ce n'est pas vrai.", "Mesures non retenues", "Coûts", "douzaines", "Poste | Valeur | Statut", "Rejeté"},
		"pt": {"menos ", "metade dos ", " por parcela", "milhão", "Será que ", "Isto não é verdade.", "Medidas rejeitadas", "Custos", "dúzias", "Item | Valor | Estado", "Rejeitado"},
		"it": {"meno ", "metà dei ", " ciascuno", "milione", "È vero che ", "Questo non è vero.", "Misure respinte", "Costi", "dozzine", "Voce | Valore | Stato", "Respinto"},
	}[language]
}

// reprint returns the scene with its number printed in another way; what is claimed stays. Number and unit are given apart.
func (s scene) reprint(change func(number, unit string) string) (scene, bool) {
	number, unit, found := s.main.amount.divide()
	if !found {
		return s, false
	}
	s.main.amount.printed = change(number, unit)
	return s, true
}

// divide returns the figure of an amount and what is printed behind it with its space; what stands before the figure stays with it.
func (a amount) divide() (number, unit string, found bool) {
	end := strings.LastIndexAny(a.printed, "0123456789") + 1
	if end == 0 {
		return "", "", false // in words
	}
	return a.printed[:end], a.printed[end:], true
}

// looks makes an alteration that prints the number in another way.
func looks(name string, change func(r *rand.Rand, w words, number, unit string) string) alteration {
	return alteration{name, func(r *rand.Rand, s scene) (Pair, bool, error) {
		altered, ok := s.reprint(func(number, unit string) string {
			return change(r, wordsOf(s.main.language), number, unit)
		})
		if !ok {
			return Pair{}, false, nil
		}
		return made(altered.pair(altered.page(altered.main.sentence(), altered.other.sentence()), altered.claim()))
	}}
}

// figureOf returns where the digits of a printed number begin, behind a currency.
func figureOf(number string) int { return strings.IndexAny(number, "0123456789") }

// alterationsOfLooks print another number, amount or unit that holds the one that is claimed.
func alterationsOfLooks() []alteration {
	inside := func(before, after string) func(*rand.Rand, words, string, string) string {
		return func(_ *rand.Rand, _ words, number, unit string) string {
			i := figureOf(number)
			return number[:i] + before + number[i:] + after + unit
		}
	}
	return []alteration{
		looks("minus", func(r *rand.Rand, w words, number, unit string) string {
			i := figureOf(number)
			return number[:i] + pick(r, []string{"-", "\u2013", "\u2212", w.minus, "\u00B1 "}) + number[i:] + unit
		}),
		looks("invisible", func(r *rand.Rand, w words, number, unit string) string {
			return inside("1"+pick(r, []string{"\u200B", "\u00AD", "\u2060", "\u200D"}), "")(r, w, number, unit)
		}),
		looks("other-digits", func(r *rand.Rand, w words, number, unit string) string {
			return inside("", pick(r, []string{"\uFF10", "\u0660", "\u00B2", "\u0336", "\u00BD"}))(r, w, number, unit)
		}),
		looks("turned", func(_ *rand.Rand, _ words, number, unit string) string { return "\u202E" + number + unit + "\u202C" }),
		looks("torn", func(r *rand.Rand, w words, number, unit string) string {
			return inside(pick(r, []string{"3/", "2:", "10\u00F7", "10..", "4 \u00D7 ", "10^", "0", "#"}), "")(r, w, number, unit)
		}),
		looks("scale", func(r *rand.Rand, w words, number, unit string) string {
			return number + pick(r, []string{" ", "-"}) + w.million + unit
		}),
		looks("dozen", func(_ *rand.Rand, w words, number, unit string) string { return number + " " + w.dozen + unit }),
		looks("address", func(_ *rand.Rand, _ words, number, unit string) string {
			return "https://example.org/" + number + strings.ReplaceAll(strings.ReplaceAll(unit, "\u00A0", ""), " ", "-")
		}),
		looks("share", func(_ *rand.Rand, w words, number, unit string) string { return w.half + number + unit }),
		{"unit-goes-on", func(r *rand.Rand, s scene) (Pair, bool, error) {
			if s.main.unit == "count" || s.main.unit == "percent" {
				return Pair{}, false, nil
			}
			tail := pick(r, []string{"/parcel", "/(ha\u00B7yr)"})
			if s.main.unit != "money" {
				tail = pick(r, []string{"/parcel", "^2", "\u00B7h"})
			} else if s.main.language != "it" {
				tail = wordsOf(s.main.language).per
			}
			s.main.amount.printed += tail
			return made(s.pair(s.page(s.main.sentence(), s.other.sentence()), s.claim()))
		}},
	}
}

// alterationsOfContext leave the sentence as it is, and say of it that it is not so; or claim words that say nothing.
func alterationsOfContext() []alteration {
	return []alteration{
		{"question", func(_ *rand.Rand, s scene) (Pair, bool, error) {
			c := s.claim()
			asked := wordsOf(s.main.language).question + strings.TrimSuffix(s.main.sentence(), ".") + "?"
			c.evidence = []string{asked}
			return made(s.pair(s.page(asked, s.other.sentence()), c))
		}},
		{"denied-by-next", func(_ *rand.Rand, s scene) (Pair, bool, error) {
			return made(s.pair(s.page(s.main.sentence()+" "+wordsOf(s.main.language).untrue, s.other.sentence()), s.claim()))
		}},
		{"denied-by-heading", func(_ *rand.Rand, s scene) (Pair, bool, error) {
			return made(s.pair(s.page("# "+wordsOf(s.main.language).rejected, s.main.sentence(), s.other.sentence()), s.claim()))
		}},
		{"denied-by-cell", func(_ *rand.Rand, s scene) (Pair, bool, error) {
			c, w := s.claim(), wordsOf(s.main.language)
			row := s.main.of + " | " + s.main.amount.printed + " | " + w.state
			c.evidence = []string{row}
			return made(s.pair(s.page(w.head+"\n"+row), c))
		}},
		{"name-says-nothing", func(r *rand.Rand, s scene) (Pair, bool, error) {
			c := s.claim()
			small := map[string][]string{"en": {"the", "of", "in"}, "fr": {"de", "à", "le"}, "pt": {"de", "em", "o"}, "it": {"di", "a", "il"}}[s.main.language]
			c.of, c.field = pick(r, append(small, s.main.amount.printed, s.main.sentence()[:1])), s.main.name
			return made(s.pair(s.page(s.main.sentence(), s.other.sentence()), c))
		}},
		{"name-unseen", func(r *rand.Rand, s scene) (Pair, bool, error) {
			c := s.claim()
			c.of, c.field = s.main.of[:1]+pick(r, []string{"\u200B", "\u202E", "\u2066", "\u00AD"})+s.main.of[1:], s.main.name
			return made(s.pair(s.page(s.main.sentence(), s.other.sentence()), c))
		}},
		{"quote-of-nothing", func(r *rand.Rand, s scene) (Pair, bool, error) {
			c := s.claim()
			c.evidence = []string{pick(r, []string{"", " ", ".", "a", s.main.sentence()[:1], "\u200B"})}
			return made(s.pair(s.page(s.main.sentence(), s.other.sentence()), c))
		}},
	}
}
