package boundaryset

import (
	"fmt"
	"strings"
)

// LookedAt returns the half that whoever writes rules looks at.
func LookedAt(seed uint64) []Document {
	m := newMaker(seed, "looked at")
	var all []Document
	for _, made := range [][]Document{
		m.lookedAtStatutes(), m.lookedAtMinutes(), m.lookedAtForums(), m.lookedAtDictionaries(), m.lookedAtPosts(), m.lookedAtTables(),
	} {
		all = append(all, made...)
	}
	return all
}

type councilWords struct{ title, present, agenda, item, resolved, closed string }

func lookedAtCouncilWords(language string) councilWords {
	switch language {
	case "fr":
		return councilWords{"Procès-verbal du conseil municipal du 12 mars 2024", "Étaient présents : %s, %s.", "Ordre du jour", "Point n° %d : %s", "Délibération adoptée à la majorité.", "L'ordre du jour étant épuisé, le maire clôt la séance à 20 h 30."}
	case "pt":
		return councilWords{"Ata da sessão da câmara de 12 de março de 2024", "Presentes: %s, %s.", "Ordem do dia", "Assunto n.º %d: %s", "Deliberação aprovada por maioria.", "Nada mais havendo, o presidente encerrou a sessão às 20h30."}
	case "it":
		return councilWords{"Verbale del consiglio comunale del 12 marzo 2024", "Sono presenti: %s, %s.", "Ordine del giorno", "Punto n. %d: %s", "Deliberazione approvata a maggioranza.", "Esauriti i punti, il sindaco chiude la seduta alle 20.30."}
	default:
		return councilWords{"Minutes of the town council of 12 March 2024", "In attendance: %s, %s.", "Agenda", "Agenda item %d: %s", "Resolved by a majority.", "There being no other business the chair closed the meeting at 8.30 pm."}
	}
}

func (m *maker) lookedAtMinutes() []Document {
	var all []Document
	for _, language := range []string{"fr", "pt", "en", "it"} {
		all = append(all, m.lookedAtCouncil(language), m.lookedAtAgenda(language))
	}
	return all
}

// lookedAtCouncil has a heading for each item, after a numbered list of them.
func (m *maker) lookedAtCouncil(language string) Document {
	p, w := lookedAtPhrases(language), lookedAtCouncilWords(language)
	s := &sheet{}
	s.add("<!DOCTYPE html><html lang=%q><title>%s</title><main><h1>%s</h1>", language, w.title, w.title)
	s.part(w.title)
	s.add("<p>%s</p><h2>%s</h2><ol>", fmt.Sprintf(w.present, m.name(), m.name()), w.agenda)
	topics := make([]string, m.between(4, 6))
	for i := range topics {
		topics[i] = m.name()
		s.add("<li>%s</li>", topics[i])
	}
	s.add("</ol>")
	for i, topic := range topics {
		head := fmt.Sprintf(w.item, i+1, topic)
		s.part(head)
		s.add("<h2>%s</h2>", head)
		for range m.between(1, 4) {
			s.add("<p>%s</p>", m.text(p, 2, 4))
		}
		s.add("<p>%s</p>", w.resolved)
	}
	s.add("<p>%s</p></main></html>", w.closed)
	return s.document("minutes", language, fmt.Sprintf("minutes-council-%s.html", language))
}

// lookedAtAgenda is what a council will talk about: a list of points.
func (m *maker) lookedAtAgenda(language string) Document {
	p, w := lookedAtPhrases(language), lookedAtCouncilWords(language)
	s := &sheet{}
	title := w.agenda + " " + m.name()
	s.add("<html lang=%q><title>%s</title><main><h1>%s</h1><p>%s</p><ol>\n", language, title, title, m.text(p, 2, 3))
	s.part(title)
	for range m.between(5, 8) {
		word := m.name()
		s.part(word)
		s.add("<li>%s %s</li>\n", word, m.text(p, 1, 2))
	}
	s.add("</ol></main></html>\n")
	d := s.document("minutes", language, fmt.Sprintf("minutes-agenda-%s.html", language))
	d.Domain = "civics"
	return d
}

func (m *maker) lookedAtForums() []Document {
	return []Document{m.lookedAtThread("fr", true), m.lookedAtThread("pt", true), m.lookedAtThread("en", false), m.lookedAtThread("it", false), m.lookedAtMails()}
}

func (m *maker) lookedAtThread(language string, rule bool) Document {
	p := lookedAtPhrases(language)
	by := map[string]string{"fr": "par %s le %d mars 2024 à 18:0%d", "pt": "por %s em %d de março de 2024, 18:0%d", "en": "by %s on %d March 2024, 18:0%d", "it": "scritto da %s il %d marzo 2024, 18:0%d"}[language]
	s := &sheet{}
	title := m.name()
	s.add("<!DOCTYPE html><html lang=%q><title>%s</title><main><h1>%s</h1>", language, title, title)
	s.part(title)
	for i := range m.between(5, 8) {
		line := fmt.Sprintf(by, m.name(), m.between(10, 28), m.between(0, 9))
		if rule || i > 0 {
			s.part(line)
		}
		s.add("<article class=post><p class=by>%s</p>", line)
		if i > 0 && m.between(0, 1) == 0 {
			s.add("<blockquote><p>%s</p></blockquote>", m.text(p, 1, 1))
		}
		for range m.between(1, 3) {
			s.add("<p>%s</p>", m.text(p, 1, 4))
		}
		s.add("</article>")
	}
	s.add("</main></html>")
	d := s.document("forum", language, fmt.Sprintf("forum-thread-%s.html", language))
	d.SourceType = "forum"
	if rule {
		d.EntryRule = `{"select": "article.post", "fields": [{"name": "author_raw", "select": ".by"}]}`
	}
	return d
}

func (m *maker) lookedAtMails() Document {
	p := lookedAtPhrases("en")
	s := &sheet{}
	title := m.name()
	s.part(title)
	s.add("%s\n\n", title)
	for i := range m.between(5, 7) {
		word := m.name()
		if i > 0 {
			s.part(word)
		}
		s.add("%s wrote on %d April 2024 at 10:2%d:\n\n", word, i+10, m.between(0, 9))
		for range m.between(1, 3) {
			s.add("%s\n\n", m.text(p, 1, 4))
		}
	}
	d := s.document("forum", "en", "forum-mails.txt")
	d.SourceType = "forum"
	return d
}

func (m *maker) lookedAtDictionaries() []Document {
	return []Document{m.lookedAtEntries("fr", true), m.lookedAtEntries("pt", false), m.lookedAtHeadwords("it", "html"), m.lookedAtHeadwords("fr", "txt")}
}

func (m *maker) lookedAtEntries(language string, rule bool) Document {
	p := lookedAtPhrases(language)
	s := &sheet{}
	title := m.name()
	s.add("<!DOCTYPE html><html lang=%q><title>%s</title><main><h1>%s</h1><dl class=words>", language, title, title)
	s.part(title)
	for i := range m.between(15, 25) {
		word := strings.ToLower(m.name())
		if rule || i > 0 {
			s.part(word)
		}
		s.add("<dt><b>%s</b> <i>n.</i></dt>", word)
		for range m.between(1, 3) {
			s.add("<dd>%s</dd>", m.text(p, 1, 1))
		}
	}
	s.add("</dl></main></html>")
	name := fmt.Sprintf("dictionary-entries-%s.html", language)
	d := s.document("dictionary", language, name)
	if rule {
		d.EntryRule = `{"select": "dl.words > dt", "through": "dd", "fields": [{"name": "headword_candidates", "select": "b"}]}`
	}
	return d
}

// lookedAtHeadwords has a paragraph for each entry.
func (m *maker) lookedAtHeadwords(language, form string) Document {
	p := lookedAtPhrases(language)
	s := &sheet{}
	title := m.name()
	if form == "txt" {
		title = strings.ToUpper(title)
	}
	s.part(title)
	if form == "txt" {
		s.add("%s\n\n", title)
	} else {
		s.add("<html lang=%q><title>%s</title><main><h1>%s</h1>\n", language, title, title)
	}
	for i := range m.between(12, 20) {
		word := strings.ToLower(m.name())
		entry := fmt.Sprintf("%s, %s", word, []string{"s. f.", "s. m.", "adj.", "v. tr."}[m.between(0, 3)])
		if i > 0 {
			s.part(entry)
		}
		if form == "txt" {
			s.add("%s %s\n\n", entry, m.text(p, 1, 3))
		} else {
			s.add("<p><strong>%s</strong>, %s %s</p>\n", word, strings.TrimPrefix(entry, word+", "), m.text(p, 1, 3))
		}
	}
	d := s.document("dictionary", language, "dictionary-headwords."+form)
	d.Domain = "dictionary"
	return d
}

func (m *maker) lookedAtPosts() []Document {
	return []Document{m.lookedAtPost("fr"), m.lookedAtPost("pt"), m.lookedAtBlog("en"), m.lookedAtBlog("it")}
}

func (m *maker) lookedAtPost(language string) Document {
	p := lookedAtPhrases(language)
	s := &sheet{}
	title := m.name()
	s.add("<!DOCTYPE html><html lang=%q><head><title>%s</title><meta property=\"og:type\" content=\"article\"></head><body><main><article><h1>%s</h1><p>%s</p>", language, title, title, m.text(p, 3, 5))
	s.part(title)
	for range m.between(2, 4) {
		s.add("<h2>%s</h2>", m.name())
		for range m.between(2, 5) {
			s.add("<p>%s</p>", m.text(p, 4, 7))
		}
	}
	s.add("</article></main></body></html>")
	return s.document("post", language, fmt.Sprintf("post-single-%s.html", language))
}

func (m *maker) lookedAtBlog(language string) Document {
	p := lookedAtPhrases(language)
	s := &sheet{}
	title := m.name()
	s.add("<!DOCTYPE html><html lang=%q><title>%s</title><main><h1>%s</h1>", language, title, title)
	s.part(title)
	for i := range m.between(3, 5) {
		word := m.name()
		if i > 0 {
			s.part(word)
		}
		s.add("<article><h2>%s</h2><p class=date>%d/0%d/2023</p>", word, m.between(10, 28), m.between(1, 9))
		for range m.between(2, 5) {
			s.add("<p>%s</p>", m.text(p, 3, 5))
		}
		s.add("</article>")
	}
	s.add("</main></html>")
	d := s.document("post", language, fmt.Sprintf("post-blog-%s.html", language))
	d.SourceType = "history"
	return d
}

func (m *maker) lookedAtTables() []Document {
	return []Document{m.lookedAtSheet("fr", 6), m.lookedAtSheet("it", 70), m.lookedAtSheet("en", 100), m.lookedAtCSV()}
}

func (m *maker) lookedAtSheet(language string, rows int) Document {
	p := lookedAtPhrases(language)
	s := &sheet{}
	title := m.name()
	s.add("<!DOCTYPE html><html lang=%q><title>%s</title><main><h1>%s</h1>", language, title, title)
	s.part(title)
	for t := range 2 {
		head := m.name()
		if t > 0 {
			s.part(head)
		}
		s.add("<h2>%s</h2><table><tr><th>%s</th><th>%s</th><th>%s</th></tr>", head, m.name(), m.name(), m.name())
		var inner []string
		for range rows {
			word := m.name()
			inner = append(inner, word)
			s.add("<tr><td>%s</td><td>%s</td><td>%d</td></tr>", word, m.sentence(p), m.between(1, 99))
		}
		s.add("</table>")
		if rows > 20 {
			s.long(inner)
		}
	}
	s.add("</main></html>")
	return s.document("table", language, fmt.Sprintf("table-sheet-%s.html", language))
}

func (m *maker) lookedAtCSV() Document {
	p := lookedAtPhrases("pt")
	s := &sheet{}
	s.add("numero,nome,texto\n")
	s.part("numero")
	var inner []string
	for range 100 {
		word := m.name()
		inner = append(inner, word)
		s.add("%s,%s,%s\n", word, m.name(), m.sentence(p))
	}
	s.long(inner)
	return s.document("table", "pt", "table-list.csv")
}
