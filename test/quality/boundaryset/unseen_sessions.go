package boundaryset

import (
	"fmt"
	"strings"
)

// unseenMinutes are the sessions of a body, told two ways in four languages.
func (m *maker) unseenMinutes() []Document {
	var all []Document
	for _, language := range []string{"fr", "pt", "en", "it"} {
		all = append(all, m.unseenSession(language), m.unseenSummons(language))
	}
	return all
}

type sessionWords struct{ title, present, item, vote, closing, call string }

func unseenSessionWords(language string) sessionWords {
	switch language {
	case "fr":
		return sessionWords{"Compte rendu de la réunion du bureau", "Présents : %s. Excusée : %s.", "Question n° %d – %s", "Adopté à l'unanimité.", "La séance est levée à 22 h 10.", "Les membres du bureau sont convoqués le mardi 4 juin à 18 heures, avec l'ordre du jour suivant :"}
	case "pt":
		return sessionWords{"Ata da reunião da junta", "Estiveram presentes: %s. Faltou: %s.", "Ponto %d – %s", "Aprovado por unanimidade.", "A reunião foi encerrada às 21h40.", "Convocam-se os membros da junta para terça-feira, 4 de junho, às 18 horas, com a seguinte ordem de trabalhos:"}
	case "it":
		return sessionWords{"Verbale della riunione di giunta", "Presenti: %s. Assente: %s.", "Punto %d all'ordine del giorno: %s", "Approvato all'unanimità.", "La seduta è tolta alle ore 21.50.", "I componenti della giunta sono convocati martedì 4 giugno alle ore 18 con il seguente ordine del giorno:"}
	default:
		return sessionWords{"Minutes of the board meeting", "Present: %s. Apologies: %s.", "Item %d – %s", "Carried.", "The meeting closed at 9.40 pm.", "Members are summoned to meet on Tuesday 4 June at 6 pm with the following agenda:"}
	}
}

// unseenSession has a list of its items in front, and then each with its debate.
func (m *maker) unseenSession(language string) Document {
	p, w := unseenPhrases(language), unseenSessionWords(language)
	s := &sheet{}
	s.add("<html lang=%q><title>%s</title><body><article><h2>%s</h2>\n", language, w.title, w.title)
	s.part(w.title)
	s.add("<p>%s</p>\n", fmt.Sprintf(w.present, m.name(), m.name()))
	topics := make([]string, m.between(4, 7))
	s.add("<ul>")
	for i := range topics {
		topics[i] = m.name()
		s.add("<li>%s</li>", topics[i])
	}
	s.add("</ul>\n")
	for i, topic := range topics {
		head := fmt.Sprintf(w.item, i+1, topic)
		s.part(head)
		s.add("<p><strong>%s</strong></p>\n", head)
		for range m.between(1, 3) {
			s.add("<p>%s</p>\n", m.text(p, 2, 4))
		}
		s.add("<p><em>%s</em></p>\n", w.vote)
	}
	s.add("<p>%s</p></article></body></html>\n", w.closing)
	return s.document("minutes", language, fmt.Sprintf("m-session-%s.html", language))
}

// unseenSummons is a page of plain text: what a meeting will be about, point by point.
func (m *maker) unseenSummons(language string) Document {
	p, w := unseenPhrases(language), unseenSessionWords(language)
	s := &sheet{}
	title := strings.ToUpper(m.name())
	s.part(title)
	s.add("%s\n\n%s\n\n", title, w.call)
	for i := range m.between(5, 8) {
		word := m.name()
		s.part(fmt.Sprintf("%d. %s", i+1, word))
		s.add("%d. %s: %s\n\n", i+1, word, m.text(p, 1, 2))
	}
	d := s.document("minutes", language, fmt.Sprintf("m-summons-%s.txt", language))
	d.Domain = "civics"
	return d
}

// unseenForums are threads: by an entry rule, by lines that say who wrote when, and as a
// file of plain text.
func (m *maker) unseenForums() []Document {
	return []Document{m.unseenThread("fr", true), m.unseenThread("en", true), m.unseenThread("it", false), m.unseenThread("pt", false), m.unseenTranscript()}
}

func (m *maker) unseenThread(language string, rule bool) Document {
	p := unseenPhrases(language)
	s := &sheet{}
	title := m.name()
	s.add("<html lang=%q><title>%s</title><body><section class=fil><h1>%s</h1>\n", language, title, title)
	s.part(title)
	for i := range m.between(5, 8) {
		word := strings.ToLower(m.name())
		if rule || i > 0 {
			s.part(word)
		}
		s.add("<div class=msg><div class=who>%s · %d/0%d/2024 1%d:4%d</div>", word, m.between(10, 28), m.between(1, 9), m.between(0, 9), m.between(0, 9))
		for range m.between(1, 3) {
			s.add("<p>%s</p>", m.text(p, 1, 4))
		}
		s.add("</div>\n")
	}
	s.add("</section></body></html>\n")
	d := s.document("forum", language, fmt.Sprintf("f-thread-%s.html", language))
	d.SourceType = "forum"
	if rule {
		d.EntryRule = `{"select": "div.msg", "fields": [{"name": "author_raw", "select": ".who"}]}`
	}
	return d
}

func (m *maker) unseenTranscript() Document {
	p := unseenPhrases("en")
	s := &sheet{}
	title := m.name()
	s.part(title)
	s.add("%s\n\n", title)
	for i := range m.between(5, 8) {
		word := m.name()
		if i > 0 {
			s.part("Posted by " + word)
		}
		s.add("Posted by %s on %d May 2024, 09:1%d\n\n", word, i+3, m.between(0, 9))
		for range m.between(1, 3) {
			s.add("%s\n\n", m.text(p, 1, 4))
		}
	}
	d := s.document("forum", "en", "f-transcript.txt")
	d.SourceType = "comment"
	return d
}
