package boundaryset

import (
	"fmt"
	"strings"
)

func lookedAtPhrases(language string) phrases {
	switch language {
	case "fr":
		return phrases{
			[]string{"la commune", "le locataire d'un jardin", "le bureau des foires", "toute association", "l'agent des marchés", "le conseil des aînés"},
			[]string{"fixe par arrêté", "acquitte avant le 1er mars", "autorise par écrit", "reçoit à la mairie", "affiche au lavoir", "refuse sans motif"},
			[]string{"les jours de vente", "le droit de place", "la remise des clés", "les plaintes des voisins", "le plan des étals", "l'usage de la fontaine"},
		}
	case "pt":
		return phrases{
			[]string{"o município", "o concessionário do quiosque", "a assembleia de freguesia", "qualquer morador", "o fiscal dos jardins", "o conselho escolar"},
			[]string{"aprova por maioria", "paga até ao dia oito", "autoriza por escrito", "recebe na secretaria", "afixa no edital", "recusa com fundamento"},
			[]string{"o horário das feiras", "a taxa de ocupação", "a entrega das chaves", "as queixas dos vizinhos", "a planta das bancas", "a rega dos canteiros"},
		}
	case "it":
		return phrases{
			[]string{"il comune", "il concessionario del chiosco", "l'assemblea dei soci", "ogni residente", "il vigile dei mercati", "il consiglio di quartiere"},
			[]string{"approva a maggioranza", "versa entro il giorno otto", "autorizza per iscritto", "riceve in segreteria", "affigge all'albo", "respinge con motivazione"},
			[]string{"l'orario delle fiere", "il canone di occupazione", "la consegna delle chiavi", "i reclami dei vicini", "la pianta dei banchi", "la pulizia delle fontane"},
		}
	default:
		return phrases{
			[]string{"the parish", "a holder of an allotment", "the fairs office", "any society", "the markets officer", "the council of elders"},
			[]string{"sets by order", "pays before the first of March", "allows in writing", "hears at the hall", "posts at the wash house", "refuses without reasons"},
			[]string{"the days of sale", "the fee for a stall", "the handing over of keys", "complaints from neighbours", "the plan of stalls", "the use of the fountain"},
		}
	}
}

func (m *maker) lookedAtStatutes() []Document {
	var all []Document
	for _, language := range []string{"fr", "pt", "en", "it"} {
		all = append(all, m.lookedAtHeaded(language), m.lookedAtRunning(language), m.lookedAtText(language))
	}
	return all
}

type statuteWords struct{ title, chapter, article, short, preamble, signed, repeal string }

func lookedAtStatuteWords(language string) statuteWords {
	switch language {
	case "fr":
		return statuteWords{"TITRE %s", "Chapitre %d : %s", "Article %d - %s", "Art. %d", "Le conseil, vu la loi du 3 mai 1994, arrête :", "Fait à %s, le 4 mars 2024.", "Article 3 et article 5 du règlement de %s sont abrogés."}
	case "pt":
		return statuteWords{"TÍTULO %s", "Capítulo %d: %s", "Artigo %dº - %s", "Art. %dº -", "A câmara, tendo em conta a lei de 3 de maio de 1994, decreta:", "Dado em %s, a 4 de março de 2024.", "O artigo 3º do regulamento de %s é revogado."}
	case "it":
		return statuteWords{"TITOLO %s", "Capitolo %d: %s", "Articolo %d - %s", "Art. %d -", "Il consiglio, vista la legge 3 maggio 1994, delibera:", "Dato a %s, il 4 marzo 2024.", "L'articolo 3 del regolamento di %s è abrogato."}
	default:
		return statuteWords{"TITLE %s", "Chapter %d: %s", "Section %d - %s", "Article %d.", "The council, having regard to the act of 3 May 1994, orders:", "Given at %s on 4 March 2024.", "Section 3 of the by-law of %s is repealed."}
	}
}

// lookedAtHeaded has headings of two levels and articles with a title in a third.
func (m *maker) lookedAtHeaded(language string) Document {
	p, w := lookedAtPhrases(language), lookedAtStatuteWords(language)
	s := &sheet{}
	title := m.name() + " " + m.name()
	s.add("<!DOCTYPE html><html lang=%q><head><title>%s</title></head><body><nav><a href=/>%s</a></nav><main><h1>%s</h1>", language, title, m.name(), title)
	s.part(title)
	s.add("<p>%s</p>\n", w.preamble)
	n := 0
	for c := 1; c <= 3; c++ {
		chapter := fmt.Sprintf(w.chapter, c, m.name())
		s.part(chapter)
		s.add("<h2>%s</h2>", chapter)
		for a := range m.between(2, 4) {
			n++
			head := fmt.Sprintf(w.article, n, m.name())
			if a > 0 {
				s.part(head)
			}
			s.add("<h3>%s</h3><p>%s</p>", head, m.text(p, 1, 4))
			for range m.between(0, 2) {
				s.add("<p>%s</p>", m.text(p, 1, 3))
			}
		}
	}
	s.add("<p>%s</p></main></body></html>", fmt.Sprintf(w.signed, m.name()))
	return s.document("statute", language, fmt.Sprintf("statute-headed-%s.html", language))
}

// lookedAtRunning has no headings at all below its title: all is paragraphs.
func (m *maker) lookedAtRunning(language string) Document {
	p, w := lookedAtPhrases(language), lookedAtStatuteWords(language)
	s := &sheet{}
	title := m.name()
	s.add("<html lang=%q><title>%s</title><body><h1>%s</h1><p>%s</p>\n", language, title, title, w.preamble)
	s.part(title)
	n := 0
	for c := 1; c <= 2; c++ {
		head := fmt.Sprintf(w.title, roman(c))
		for a := range m.between(3, 5) {
			n++
			no, word := fmt.Sprintf(w.short, n), m.name()
			if a == 0 {
				s.part(head + " " + strings.ToUpper(word))
				s.add("<p>%s</p><p>%s</p>\n", head, strings.ToUpper(word))
			} else {
				s.part(no + " " + word)
			}
			s.add("<p>%s %s %s</p>\n", no, word, m.text(p, 1, 3))
			for i := range m.between(0, 3) {
				s.add("<p>%s</p>\n", []string{"§ 1. ", "§ 2. ", "§ 3. "}[i]+m.text(p, 1, 2))
			}
			if n == 4 {
				s.add("<p>%s</p>\n", fmt.Sprintf(w.repeal, m.name()))
			}
		}
	}
	s.add("</body></html>\n")
	return s.document("statute", language, fmt.Sprintf("statute-running-%s.html", language))
}

// lookedAtText is a file of text with underlined headings, and one article of many
// paragraphs.
func (m *maker) lookedAtText(language string) Document {
	p, w := lookedAtPhrases(language), lookedAtStatuteWords(language)
	s := &sheet{}
	title := m.name() + " " + m.name()
	s.part(title)
	s.add("%s\n%s\n\n%s\n\n", title, strings.Repeat("=", len(title)), w.preamble)
	total := m.between(7, 10)
	for n := 1; n <= total; n++ {
		no, word := fmt.Sprintf(w.short, n), m.name()
		s.part(no + " " + word)
		s.add("%s %s\n\n", no, word)
		if n == 3 {
			var inner []string
			for range 8 {
				word := m.name()
				inner = append(inner, word)
				s.add("%s\n\n", word+" "+m.text(p, 8, 10))
			}
			s.long(inner)
			continue
		}
		for i := range m.between(1, 3) {
			s.add("(%d) %s\n\n", i+1, m.text(p, 1, 2))
		}
	}
	return s.document("statute", language, fmt.Sprintf("statute-text-%s.txt", language))
}
