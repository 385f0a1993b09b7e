package language

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
)

// maxShort is how many short blocks of a page are asked: of more, as many that stand
// equally far from each other. More add cost, and change no share by a hundredth.
const maxShort = 2000

// Page returns the language of a page, nil when nothing tells it
// (contracts#page-language). The shares
// are of the characters whose language is known: of blocks that have one of their own,
// and of shorter ones where those in one language are minBlock characters or more
// together. It is multilingual where a second language has minShare of them.
func (d *Detector) Page(units []model.Unit) *model.Language {
	found := d.collect(units)
	shares := found.shares()
	detected, confidence := "", 0.0
	if len(shares) > 0 {
		detected, confidence = shares[0].Code, found.sure(shares[0].Code)
	} else if code, sure := d.detect(found.beginning); sure >= minConfidence {
		detected, confidence = code, sure
	}
	out := d.hints.choose(detected, confidence)
	if out == nil {
		return nil
	}
	if len(shares) > 1 && shares[1].Coverage >= minShare {
		out.Multilingual, out.Languages = true, shares
	}
	return out
}

// found is what the blocks of a page say about its languages.
type found struct {
	beginning string         // of the page's text
	weight    map[string]int // characters in each language
	certainty map[string]int // the same, times how sure it is, in thousandths
	total     int            // characters whose language is known
}

// add counts a text that stands for so many of its length.
func (f *found) add(code, text string, sure float64, times int) {
	n := utf8.RuneCountInString(text) * times
	f.weight[code] += n
	f.certainty[code] += n * int(math.Round(float64(sure*1000)))
	f.total += n
}

// shares returns the shares of the languages, largest first.
func (f *found) shares() []model.LanguageShare {
	shares := make([]model.LanguageShare, 0, len(f.weight))
	for code, n := range f.weight {
		shares = append(shares, model.LanguageShare{Code: code, Coverage: float64(n*1000/f.total) / 1000})
	}
	slices.SortFunc(shares, func(a, b model.LanguageShare) int {
		if n := f.weight[b.Code] - f.weight[a.Code]; n != 0 {
			return n
		}
		return strings.Compare(a.Code, b.Code)
	})
	return shares
}

// sure returns how sure it is that the page is in a language: how sure its blocks are,
// by length, with all others against it.
func (f *found) sure(code string) float64 { return float64(f.certainty[code]/f.total) / 1000 }

// collect asks the blocks of a page.
func (d *Detector) collect(units []model.Unit) found {
	f := found{weight: map[string]int{}, certainty: map[string]int{}}
	var text strings.Builder
	var short []string
	for _, u := range units {
		if !u.Chunked() || u.FieldsRaw.Text == "" {
			continue
		}
		if text.Len() < maxDetect {
			text.WriteString(u.FieldsRaw.Text)
			text.WriteByte('\n')
		}
		if l := u.FieldsRaw.Language; l != nil {
			f.add(l.Lang, u.FieldsRaw.Text, l.Confidence, 1)
		} else if utf8.RuneCountInString(u.FieldsRaw.Text) < minBlock {
			short = append(short, u.FieldsRaw.Text)
		}
	}
	f.beginning = text.String()
	d.addShort(&f, short)
	return f
}

// addShort adds short blocks. Each says little, so it is asked twice: which languages the
// page has besides those that are known is what the blocks say that are sure among all
// languages; the others are asked among these alone. Without the second question the
// language of the page, which is the likelier, would have more than its share.
func (d *Detector) addShort(f *found, short []string) {
	if len(short) == 0 {
		return
	}
	every := 1 + (len(short)-1)/maxShort
	short = everyNth(short, every)
	all := *d
	if all.likely == "" {
		if code, sure := d.detect(f.beginning); sure >= minConfidence {
			all.likely = code
		}
	}
	told, open := all.tell(short)
	languages := make([]string, 0, len(f.weight)+len(told))
	for code := range f.weight {
		languages = append(languages, code)
	}
	for code, texts := range told {
		if f.weight[code] > 0 {
			continue
		}
		if characters(texts)*every >= minBlock {
			languages = append(languages, code)
			continue
		}
		delete(told, code) // a name, or a foreign word
	}
	if slices.Sort(languages); len(languages) > 1 && len(open) > 0 {
		memory := &Memory{Languages: d.memory.Languages}
		memory.hold(languages)
		more, _ := (&Detector{memory: memory}).tell(open)
		for code, texts := range more {
			told[code] = append(told[code], texts...)
		}
	}
	for code, texts := range told {
		// Together they are as sure as a block of their length.
		sure := minConfidence
		if joined, s := all.detect(strings.Join(texts, "\n")); joined == code {
			sure = max(sure, s)
		}
		for _, text := range texts {
			f.add(code, text, sure, every)
		}
	}
}

func everyNth(texts []string, n int) (out []string) {
	for i := 0; i < len(texts); i += n {
		out = append(out, texts[i])
	}
	return out
}

// tell returns texts by the language that each is in, and those that do not tell it.
func (d *Detector) tell(texts []string) (told map[string][]string, open []string) {
	told = map[string][]string{}
	for _, text := range texts {
		if code, sure := d.detect(text); sure >= minConfidence {
			told[code] = append(told[code], text)
		} else {
			open = append(open, text)
		}
	}
	return told, open
}

func characters(texts []string) (n int) {
	for _, text := range texts {
		n += utf8.RuneCountInString(text)
	}
	return n
}
