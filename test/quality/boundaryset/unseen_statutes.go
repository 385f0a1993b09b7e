package boundaryset

import (
	"fmt"
	"strings"
)

func unseenPhrases(language string) phrases {
	switch language {
	case "fr":
		return phrases{
			[]string{"le syndicat des canaux", "tout riverain", "la commission des berges", "l'exploitant du moulin", "le garde assermenté", "la régie des pontons"},
			[]string{"entretient à ses frais", "déclare sous quinzaine", "peut restreindre", "tient à jour", "fait vérifier chaque automne", "communique sans délai"},
			[]string{"les vannes et leurs abords", "le relevé des hauteurs d'eau", "la circulation des barques", "la liste des prises d'eau", "les travaux de curage", "le montant des redevances"},
		}
	case "pt":
		return phrases{
			[]string{"o armador", "a comissão de lotas", "cada titular de licença", "o mestre da embarcação", "a autoridade portuária", "o serviço de inspeção"},
			[]string{"deve comunicar até sexta-feira", "pode suspender", "regista em livro próprio", "fixa anualmente", "fiscaliza sem aviso", "publica no cais"},
			[]string{"as quantidades descarregadas", "o uso das redes de arrasto", "os lugares de amarração", "a tabela das taxas", "o período de defeso", "as avarias dos guinchos"},
		}
	case "it":
		return phrases{
			[]string{"il consorzio dei pascoli", "ogni allevatore", "il guardiaparco", "la giunta montana", "il titolare del rifugio", "l'ufficio forestale"},
			[]string{"comunica entro dieci giorni", "può vietare", "tiene aggiornato", "verifica ogni primavera", "determina con avviso", "custodisce"},
			[]string{"il numero dei capi", "l'accesso alle malghe", "il registro dei tagli", "lo stato dei sentieri", "le tariffe del legnatico", "le chiavi dei cancelli"},
		}
	default:
		return phrases{
			[]string{"the lighthouse board", "every pilot", "the keeper of the slipway", "a permit holder", "the harbour surgeon", "the chart office"},
			[]string{"shall file within a week", "may withhold", "keeps in good order", "must display at the gate", "inspects each winter", "shall publish"},
			[]string{"the book of soundings", "any berth left empty", "the lamps and their lenses", "the schedule of dues", "a note of each mooring", "the signals for fog"},
		}
	}
}

// unseenStatutes are three ways of writing a statute for each of four languages.
func (m *maker) unseenStatutes() []Document {
	var all []Document
	for _, language := range []string{"fr", "pt", "en", "it"} {
		all = append(all, m.unseenBold(language), m.unseenPlain(language), m.unseenDivided(language))
	}
	return all
}

func unseenForms(language string) (chapter, bold, plain, divided, of string) {
	switch language {
	case "fr":
		return "CHAPITRE %s – DES %s", "Art. %d.", "ARTICLE %d.-", "Article L. 214-%d", "Vu le code des canaux et l'avis rendu à %s ;"
	case "pt":
		return "CAPÍTULO %s — DAS %s", "Art. %dº", "ARTIGO %d.º", "Artigo %d.º-A", "Considerando o parecer dado em %s;"
	case "it":
		return "CAPO %s - DELLE %s", "Art. %d.", "ARTICOLO %d", "Articolo %d-bis", "Visto il parere reso a %s;"
	default:
		return "CHAPTER %s: OF %s", "Art. %d.", "SECTION %d.", "Article %d", "Whereas the board sat at %s;"
	}
}

func roman(n int) string { return []string{"I", "II", "III", "IV", "V", "VI", "VII"}[n-1] }

// unseenBold has articles that begin in bold within their first paragraph.
func (m *maker) unseenBold(language string) Document {
	p := unseenPhrases(language)
	chapter, bold, _, _, preamble := unseenForms(language)
	s := &sheet{}
	title := m.name()
	s.add("<html lang=%q><head><title>%s</title></head><body><div id=texte><h1>%s</h1>\n", language, title, title)
	s.part(title)
	s.add("<div>%s</div>\n", fmt.Sprintf(preamble, m.name()))
	n := 0
	for c := 1; c <= m.between(3, 4); c++ {
		head := fmt.Sprintf(chapter, roman(c), strings.ToUpper(m.name()))
		for a := range m.between(2, 4) {
			n++
			no := fmt.Sprintf(bold, n)
			word := m.name()
			if a == 0 {
				s.part(head)
				s.add("<p align=center><strong>%s</strong></p>\n", head)
			} else {
				s.part(no + " " + word)
			}
			s.add("<p><b>%s</b> %s. %s</p>\n", no, word, m.text(p, 1, 3))
			for i := range m.between(0, 3) {
				switch language {
				case "pt":
					s.add("<p>§ %dº %s</p>\n", i+1, m.text(p, 1, 2))
				case "it":
					s.add("<p>%d. %s</p>\n", i+2, m.text(p, 1, 2))
				default:
					s.add("<p>%c) %s</p>\n", 'a'+i, m.text(p, 1, 1))
				}
			}
		}
	}
	s.add("</div></body></html>\n")
	return s.document("statute", language, fmt.Sprintf("s-bold-%s.html", language))
}

// unseenPlain is a file of plain lines: the article's name stands on a line of its own.
func (m *maker) unseenPlain(language string) Document {
	p := unseenPhrases(language)
	chapter, _, plain, _, preamble := unseenForms(language)
	s := &sheet{}
	title := m.name() + " " + m.name()
	s.part(title)
	s.add("%s\n\n%s\n\n", strings.ToUpper(title), fmt.Sprintf(preamble, m.name()))
	n := 0
	for c := 1; c <= 3; c++ {
		head := fmt.Sprintf(chapter, roman(c), strings.ToUpper(m.name()))
		for a := range m.between(2, 3) {
			n++
			no := fmt.Sprintf(plain, n)
			if a == 0 {
				s.part(head)
				s.add("%s\n\n", head)
			} else {
				s.part(no)
			}
			s.add("%s\n\n", no)
			for i := range m.between(1, 4) {
				s.add("    %d. %s\n\n", i+1, m.text(p, 1, 3))
			}
		}
	}
	return s.document("statute", language, fmt.Sprintf("s-plain-%s.txt", language))
}

// unseenDivided has headings for articles, lists in them, and one article that is long.
func (m *maker) unseenDivided(language string) Document {
	p := unseenPhrases(language)
	_, _, _, divided, preamble := unseenForms(language) //nolint:dogsled // the other forms are of other documents
	s := &sheet{}
	title := m.name()
	s.add("<!doctype html><html lang=%q><title>%s</title><main><h1>%s</h1>\n", language, title, title)
	s.part(title)
	s.add("<p>%s</p>\n", fmt.Sprintf(preamble, m.name()))
	total := m.between(6, 9)
	for n := 1; n <= total; n++ {
		no := fmt.Sprintf(divided, n)
		s.part(no)
		s.add("<h4>%s</h4>\n", no)
		if n == total-1 {
			var inner []string
			for range 9 {
				word := m.name()
				inner = append(inner, word)
				s.add("<p>%s %s</p>\n", word, m.text(p, 7, 9))
			}
			s.long(inner)
			continue
		}
		s.add("<p>%s</p>\n<ol type=a>", m.text(p, 1, 3))
		for range m.between(2, 4) {
			s.add("<li>%s</li>", m.text(p, 1, 1))
		}
		s.add("</ol>\n")
	}
	s.add("</main></html>\n")
	return s.document("statute", language, fmt.Sprintf("s-divided-%s.html", language))
}
