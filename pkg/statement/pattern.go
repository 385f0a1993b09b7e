package statement

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"
)

// A pattern is a row of elements, each of which takes words of a sentence:
//
//	word       that word
//	no~one     these words
//	accus*     a word that begins so, with three letters at least
//	*ing       a word that ends so
//	a|b|<c>    one of these; <c> is a set of the language's file, whose members may have several words
//	[a|b]      one of these, or none
//	_          any one word
//	.          up to three words
//	..         up to eight words
//	...        up to twenty words
//	^ and $    the beginning and the end of the sentence
type pattern struct {
	elements []element
	begins   bool // ^
	ends     bool // $
}

type element struct {
	options  [][]form // each is one word or several; none: a gap
	optional bool
	least    int // of a gap: how many words it takes at least and at most
	most     int
}

// form is how one word looks.
type form struct {
	text           string
	prefix, suffix bool // text is how it begins, or ends
}

// How many words a gap takes at most: further on another thing is said.
const (
	nearGap = 3
	wideGap = 8
	farGap  = 20
)

// leastStem is how many letters a stem has: fewer begin too many words.
const leastStem = 3

func (f form) takes(w string) bool {
	switch {
	case f.prefix:
		return strings.HasPrefix(w, f.text)
	case f.suffix:
		return len(w) > len(f.text) && strings.HasSuffix(w, f.text)
	default:
		return w == f.text
	}
}

// parsePattern reads a pattern; sets are the members of the sets by name.
func parsePattern(s string, sets map[string][]string) (pattern, error) {
	var p pattern
	for i, field := range strings.Fields(s) {
		switch {
		case field == "^" && i == 0:
			p.begins = true
		case field == "$":
			p.ends = true
		case p.ends:
			return p, errors.New("something stands behind $")
		case field == ".":
			p.elements = append(p.elements, element{most: nearGap})
		case field == "..":
			p.elements = append(p.elements, element{most: wideGap})
		case field == "...":
			p.elements = append(p.elements, element{most: farGap})
		case field == "_":
			p.elements = append(p.elements, element{least: 1, most: 1})
		default:
			e := element{}
			if inner, ok := strings.CutPrefix(field, "["); ok {
				if inner, ok = strings.CutSuffix(inner, "]"); !ok {
					return p, fmt.Errorf("%q has no end", field)
				}
				field, e.optional = inner, true
			}
			var err error
			if e.options, err = parseOptions(field, sets); err != nil {
				return p, err
			}
			p.elements = append(p.elements, e)
		}
	}
	first := p.first()
	if len(first) == 0 {
		return p, errors.New("the first element that is not optional must be a word")
	}
	for _, f := range first {
		if f.suffix || f.prefix && utf8.RuneCountInString(f.text) < leastStem {
			return p, fmt.Errorf("%q begins too many words", f.text)
		}
	}
	return p, nil
}

// first returns what the pattern may begin with: none where that can be any word.
func (p *pattern) first() (out []form) {
	for _, e := range p.elements {
		if e.options == nil {
			return nil
		}
		for _, o := range e.options {
			out = append(out, o[0])
		}
		if !e.optional {
			return out
		}
	}
	return nil
}

func parseOptions(field string, sets map[string][]string) ([][]form, error) {
	var out [][]form
	for one := range strings.SplitSeq(field, "|") {
		phrases := []string{strings.ReplaceAll(one, "~", " ")}
		if name, ok := strings.CutPrefix(one, "<"); ok {
			phrases = sets[strings.TrimSuffix(name, ">")]
			if len(phrases) == 0 {
				return nil, fmt.Errorf("there is no set %s", one)
			}
		}
		for _, phrase := range phrases {
			var forms []form
			for w := range wordsOfPattern(phrase) {
				f := form{text: w}
				if stem, ok := strings.CutSuffix(w, "*"); ok {
					f = form{text: stem, prefix: true}
				} else if end, ok := strings.CutPrefix(w, "*"); ok {
					f = form{text: end, suffix: true}
				}
				if f.text == "" || strings.ContainsAny(f.text, "*<>[]|") {
					return nil, fmt.Errorf("%q is no word", w)
				}
				forms = append(forms, f)
			}
			if len(forms) == 0 {
				return nil, fmt.Errorf("%q has an empty word", field)
			}
			out = append(out, forms)
		}
	}
	return out, nil
}

// match returns where the pattern ends that begins with words[at].
func (p *pattern) match(words []word, at int) (end int, ok bool) {
	if p.begins && at != 0 {
		return 0, false
	}
	return p.rest(0, words, at)
}

func (p *pattern) rest(element int, words []word, at int) (end int, ok bool) {
	if element == len(p.elements) {
		return at, !p.ends || onlySigns(words[at:])
	}
	e := &p.elements[element]
	if e.options == nil {
		for n := e.least; n <= e.most && at+n <= len(words); n++ {
			if end, ok := p.rest(element+1, words, at+n); ok {
				return end, true
			}
		}
		return 0, false
	}
	for _, option := range e.options {
		if takes(option, words, at) {
			if end, ok := p.rest(element+1, words, at+len(option)); ok {
				return end, true
			}
		}
	}
	if e.optional {
		return p.rest(element+1, words, at)
	}
	return 0, false
}

func takes(option []form, words []word, at int) bool {
	if at+len(option) > len(words) {
		return false
	}
	for i, f := range option {
		if !f.takes(words[at+i].text) {
			return false
		}
	}
	return true
}

func onlySigns(words []word) bool {
	for _, w := range words {
		if w.text != "?" && w.text != "!" {
			return false
		}
	}
	return true
}

// wordsOfPattern yields the words of a phrase as those of a text: l'eau is two.
func wordsOfPattern(phrase string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for field := range strings.FieldsSeq(phrase) {
			if strings.Contains(field, "*") {
				if !yield(field) {
					return
				}
				continue
			}
			for _, w := range wordsOf(field) {
				if !yield(w.text) {
					return
				}
			}
		}
	}
}
