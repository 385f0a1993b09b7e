package language

import (
	"math"
	"slices"
)

// maxWords bounds the words of a script that a memory holds; with one more it
// begins anew.
const maxWords = 8192

// Memory keeps what words say about the languages that a document may hold, so
// that a word is judged once for all pages that it stands on. It changes no
// answer. It is not safe for concurrent use.
type Memory struct {
	// Languages are those that are told apart; nil: those of the files of words. Set
	// before the first use.
	Languages *Languages

	allowed []string // codes; empty: all
	words   map[*family]map[string]*verdict
}

// verdict is what one word says: the logarithm of its probability in the
// language that fits it best, how far behind the others are, and which of them
// list it, a bit for each.
type verdict struct {
	best   int32
	behind [width]uint16
	known  uint64
}

// family returns what tells the languages of a script apart, nil where nothing does.
func (m *Memory) family(s script) *family {
	if m.Languages == nil {
		m.Languages = builtin()
	}
	return m.Languages.families[s]
}

// hold forgets what was said among other languages than those allowed.
func (m *Memory) hold(allowed []string) {
	if m.words == nil || !slices.Equal(allowed, m.allowed) {
		m.allowed, m.words = allowed, map[*family]map[string]*verdict{}
	}
}

// may reports whether the document may hold a language.
func (m *Memory) may(code string) bool {
	return len(m.allowed) == 0 || slices.Contains(m.allowed, code)
}

// of returns the verdicts of a family, to which judge adds.
func (m *Memory) of(f *family) map[string]*verdict {
	words := m.words[f]
	if words == nil || len(words) >= maxWords {
		words = map[string]*verdict{}
		m.words[f] = words
	}
	return words
}

// judge makes and keeps the verdict on a word that is new.
func (m *Memory) judge(f *family, word []byte) *verdict {
	var form [width]int32
	f.form(word, &form)
	list := f.words[string(word)]
	v := &verdict{best: math.MinInt32}
	for k, code := range f.langs {
		form[k] = form[k]*formNum/formDen - unlisted
		if !m.may(code) {
			continue
		}
		if list != nil && list[k] != absent {
			v.known |= 1 << k
			form[k] = max(int32(list[k]), form[k])
		}
		v.best = max(v.best, form[k])
	}
	for k := range f.langs {
		v.behind[k] = uint16(min(max(v.best-form[k], 0), capped))
	}
	m.words[f][string(word)] = v
	return v
}
