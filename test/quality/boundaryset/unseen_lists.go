package boundaryset

import (
	"fmt"
	"strings"
)

// unseenDictionaries are entries: by a rule, as a list of definitions, as paragraphs and
// as lines.
func (m *maker) unseenDictionaries() []Document {
	return []Document{m.unseenGlossary(true), m.unseenGlossary(false), m.unseenLexicon(), m.unseenWordlist()}
}

func (m *maker) unseenGlossary(rule bool) Document {
	p := unseenPhrases("it")
	s := &sheet{}
	title := m.name()
	s.add("<html lang=it><title>%s</title><body><h2>%s</h2><dl>\n", title, title)
	s.part(title)
	for i := range m.between(12, 20) {
		word := strings.ToLower(m.name())
		if rule || i > 0 {
			s.part(word)
		}
		s.add("<dt>%s</dt><dd>%s</dd>", word, m.text(p, 1, 1))
		if m.between(0, 2) == 0 {
			s.add("<dd>%s</dd>", m.text(p, 1, 1))
		}
		s.add("\n")
	}
	s.add("</dl></body></html>\n")
	name := "d-definitions.html"
	if rule {
		name = "d-rule.html"
	}
	d := s.document("dictionary", "it", name)
	if rule {
		d.EntryRule = `{"select": "dl > dt", "through": "dd", "fields": [{"name": "headword_candidates"}]}`
	}
	return d
}

func (m *maker) unseenLexicon() Document {
	p := unseenPhrases("fr")
	s := &sheet{}
	title := m.name()
	s.add("<html lang=fr><title>%s</title><main><h1>%s</h1>\n", title, title)
	s.part(title)
	for i := range m.between(12, 18) {
		word := strings.ToLower(m.name())
		if i > 0 {
			s.part(word + " n. m.")
		}
		s.add("<p><b>%s</b> <i>n. m.</i> %s</p>\n", word, m.text(p, 1, 2))
	}
	s.add("</main></html>\n")
	d := s.document("dictionary", "fr", "d-lexicon.html")
	d.Domain = "dictionary"
	return d
}

func (m *maker) unseenWordlist() Document {
	p := unseenPhrases("en")
	s := &sheet{}
	title := strings.ToUpper(m.name())
	s.part(title)
	s.add("%s\n\n", title)
	for i := range m.between(12, 18) {
		word := strings.ToLower(m.name())
		if i > 0 {
			s.part(word + " v.")
		}
		s.add("%s v. %s\n\n", word, m.text(p, 1, 2))
	}
	d := s.document("dictionary", "en", "d-wordlist.txt")
	d.Domain = "dictionary"
	return d
}

// unseenPosts are one long post, and pages of several.
func (m *maker) unseenPosts() []Document {
	return []Document{m.unseenEssay("fr"), m.unseenEssay("en"), m.unseenJournal("it"), m.unseenJournal("pt")}
}

func (m *maker) unseenEssay(language string) Document {
	p := unseenPhrases(language)
	s := &sheet{}
	title := m.name()
	s.add("<html lang=%q><head><title>%s</title><meta property=og:type content=article><meta property=article:published_time content=2024-03-02></head><body><article><h1>%s</h1>\n", language, title, title)
	s.part(title)
	for range m.between(3, 4) {
		s.add("<h2>%s</h2>\n", m.name())
		for range m.between(3, 4) {
			s.add("<p>%s</p>\n", m.text(p, 4, 6))
		}
	}
	s.add("</article></body></html>\n")
	d := s.document("post", language, fmt.Sprintf("p-essay-%s.html", language))
	d.SourceType = "history"
	return d
}

func (m *maker) unseenJournal(language string) Document {
	p := unseenPhrases(language)
	s := &sheet{}
	title := m.name()
	s.add("<html lang=%q><title>%s</title><body><main><h1>%s</h1>\n", language, title, title)
	s.part(title)
	for i := range m.between(3, 5) {
		word := m.name()
		if i > 0 {
			s.part(word)
		}
		s.add("<div><h2>%s</h2><p><time>%d.0%d.2024</time></p>", word, m.between(10, 28), i+1)
		for range m.between(2, 4) {
			s.add("<p>%s</p>", m.text(p, 3, 5))
		}
		s.add("</div>\n")
	}
	s.add("</main></body></html>\n")
	d := s.document("post", language, fmt.Sprintf("p-journal-%s.html", language))
	d.SourceType = "history"
	return d
}

// unseenTables are registers: tables under headings with a line before each, and a file of
// values divided by semicolons.
func (m *maker) unseenTables() []Document {
	return []Document{m.unseenRegister("pt", 5), m.unseenRegister("en", 60), m.unseenRegister("fr", 90), m.unseenValues()}
}

func (m *maker) unseenRegister(language string, rows int) Document {
	p := unseenPhrases(language)
	s := &sheet{}
	title := m.name()
	s.add("<html lang=%q><title>%s</title><main><h1>%s</h1>\n", language, title, title)
	s.part(title)
	for t := range 3 {
		head := m.name()
		if t > 0 {
			s.part(head)
		}
		s.add("<h3>%s</h3><table><thead><tr><th>No</th><th>%s</th><th>%s</th></tr></thead><tbody>\n", head, m.name(), m.name())
		var inner []string
		for range rows {
			word := m.name()
			inner = append(inner, word)
			s.add("<tr><td>%s</td><td>%d</td><td>%s</td></tr>\n", word, m.between(100, 999), m.sentence(p))
		}
		s.add("</tbody></table>\n")
		if rows > 20 {
			s.long(inner)
		}
	}
	s.add("</main></html>\n")
	return s.document("table", language, fmt.Sprintf("t-register-%s.html", language))
}

func (m *maker) unseenValues() Document {
	p := unseenPhrases("it")
	s := &sheet{}
	s.add("sigla;quantita;nota\n")
	s.part("sigla")
	var inner []string
	for range 120 {
		word := m.name()
		inner = append(inner, word)
		s.add("%s;%d;%s\n", word, m.between(1, 99), m.sentence(p))
	}
	s.long(inner)
	return s.document("table", "it", "t-values.csv")
}

// Unseen returns the half that nobody looks at who writes rules.
func Unseen(seed uint64) []Document {
	m := newMaker(seed, "unseen")
	var all []Document
	for _, made := range [][]Document{
		m.unseenStatutes(), m.unseenMinutes(), m.unseenForums(), m.unseenDictionaries(), m.unseenPosts(), m.unseenTables(),
	} {
		all = append(all, made...)
	}
	return all
}
