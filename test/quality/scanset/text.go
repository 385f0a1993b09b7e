package scanset

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tongue is what pages of a language are written with. In patterns N stands for a thing, A
// for what it is like, P for a place, W for a person, D for a day, X for a number, S for a
// sum of money.
type tongue struct {
	things, kinds, months, patterns, stamps []string
	day                                     string // of a number, a month and a year
}

// people and places are names in all languages.
var (
	people = strings.Fields("Anders Beatrix Carmen Dorothea Emil Fiona Gustav Henriette Isidor Josefine Konrad Leonor Matthias Ottavia Philippe Quirin Rosalie Sebastian Theodora Ulrich Valerie Walter Xavier Yvonne Zacharias")
	places = strings.Fields("Ashford Belmonte Castelnau Dorfheim Elvas Ferrara Grenville Hochstadt Isola Kirkby Lugano Montreux Norwood Oldenau Palmela Quimper Ravello Saltburn Tavira Uelzen Viseu Weston Yverdon Zell")
)

// tongues are the languages, by their codes of ISO 639-1.
var tongues = map[string]*tongue{
	"en": {
		things: strings.Fields("agreement archive bridge budget carpenter cellar chimney committee contract council courtyard drawing embankment engine fence foundation furnace harbour invoice kitchen ladder ledger library machine meadow mortgage orchard parish pipeline quarry railway register reservoir roof shipment staircase statute survey tenant timber treaty valve warehouse workshop"),
		kinds:  strings.Fields("annual broken careful damp earlier final general heavy independent joint large modest narrow ordinary previous quiet regular southern temporary unexpected vacant wooden"),
		months: strings.Fields("January February March April May June July August September October November December"), day: "%[2]s %[1]d, %[3]d",
		patterns: []string{
			"On D the A N of P was measured by W, who found X faults in it.", "Nobody had asked whether the N belongs to P or to the owner of the A N.",
			"The price of S includes delivery, but neither the N nor the A N that goes with it.", "According to W, each N should be painted before winter begins.",
			"There were X visitors in P that year; most of them came to see the N.", "If the N is A, the tenant pays for it; if it is not, the landlord does.",
			"Please send the A N back to P by D at the latest.", "\"We will keep the N,\" wrote W, \"although it is too A for us.\"",
			"Between the N and the N there is a gap of X centimetres, which must be filled.", "A sum of S was set aside for the N (see the A N of D).",
			"W explained why the N takes longer: first the A N has to be removed.", "Of the X samples, half came from P and the others from a A N nearby.",
		}, stamps: []string{"RECEIVED", "COPY", "PAID", "ARCHIVE"},
	},
	"fr": {
		things: strings.Fields("accord archive bâtiment budget cave cheminée chantier conseil contrat clôture digue dossier écluse escalier facture fenêtre grenier hôpital inventaire jardin livraison machine mairie moulin ouvrage patrimoine pont procès registre réservoir séance toiture verger"),
		kinds:  strings.Fields("ancien annuel brisé complet étroit général humide immense léger modeste nécessaire ordinaire prévu récent solide tranquille utile vaste"),
		months: strings.Fields("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"), day: "%d %s %d",
		patterns: []string{
			"Le D, W a visité P et relevé X défauts dans le rapport.", "Personne ne savait si le terrain situé à P appartenait encore à la commune.",
			"Le montant de S comprend la livraison, mais non le transport jusqu’à P.", "Selon W, il fallait attendre que l’eau soit retirée avant de commencer.",
			"On a compté X visiteurs cette année-là ; la plupart venaient de P.", "Voir aussi : N, N et N (chapitre X).",
			"Prière de renvoyer le formulaire à P avant le D.", "« Nous garderons tout cela », écrivit W, « même si c’est trop A pour nous. »",
			"Une somme de S a été réservée à cet effet, où qu’elle soit dépensée.", "W expliqua pourquoi les travaux dureraient plus longtemps que prévu à P.",
		}, stamps: []string{"REÇU", "COPIE", "PAYÉ", "ARCHIVES"},
	},
	"de": {
		things: strings.Fields("Abkommen Archiv Brücke Dachstuhl Eigentum Fundament Gemeinde Grundstück Hafen Inventar Keller Kirche Leitung Lieferung Maschine Mühle Nachbar Ordnung Pächter Quelle Rechnung Schleuse Schornstein Sitzung Treppe Urkunde Vertrag Verzeichnis Werkstatt Zaun Ziegel Zuschuss"),
		kinds:  strings.Fields("alt breit einfach feucht gemeinsam groß jährlich klein leer nördlich öffentlich ruhig schmal schwer südlich teuer üblich vorläufig"),
		months: strings.Fields("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"), day: "%d. %s %d",
		patterns: []string{
			"Am D hat W in P die Anlage gemessen und dabei X Mängel gefunden.", "Niemand wusste, ob das Grundstück noch zu P gehört oder längst verkauft ist.",
			"Der Preis von S enthält die Lieferung, nicht aber den Aufbau in P.", "Nach Ansicht von W müsste alles vor dem Winter gestrichen werden.",
			"Im selben Jahr kamen X Besucher; die meisten stammten aus P.", "Siehe auch: N, N und N (Abschnitt X).",
			"Bitte schicken Sie das Formular bis zum D nach P zurück.", "„Das behalten wir“, schrieb W, „auch wenn es uns zu A ist.“",
			"Für diesen Zweck wurde ein Betrag von S zurückgelegt.", "W erklärte, weshalb die Arbeiten in P länger dauern als geplant: Das Wasser stieg über Nacht.",
		}, stamps: []string{"EINGANG", "KOPIE", "BEZAHLT", "ARCHIV"},
	},
	"pt": {
		things: strings.Fields("acordo arquivo barragem câmara cave chaminé conselho contrato convento edifício escada factura farol fazenda igreja inventário jardim limpeza máquina mercado moinho muralha obra orçamento ponte registo reservatório sessão telhado vedação"),
		kinds:  strings.Fields("antigo anual breve completo estreito frágil geral húmido imenso leve modesto necessário público recente sólido útil"),
		months: strings.Fields("janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"), day: "%d de %s de %d",
		patterns: []string{
			"No dia D, W visitou P e encontrou X defeitos na construção.", "Ninguém sabia se o terreno de P ainda pertencia à freguesia.",
			"O valor de S inclui a entrega, mas não o transporte até P.", "Segundo W, é preciso esperar que a água baixe antes de começar.",
			"Nesse ano contaram-se X visitantes; quase todos vinham de P.", "Ver também: N, N e N (capítulo X).",
			"Pedimos que devolva o formulário a P até D.", "«Ficaremos com tudo», escreveu W, «ainda que seja A para nós.»",
			"Uma quantia de S foi reservada para esse fim.", "W explicou por que razão as obras em P não estarão concluídas tão cedo.",
		}, stamps: []string{"RECEBIDO", "CÓPIA", "PAGO"},
	},
	"it": {
		things: strings.Fields("accordo archivio argine bilancio cantina camino chiesa cantiere consiglio contratto cortile documento fattura faro giardino inventario macchina mercato mulino muro ponte registro ricevuta scala seduta serbatoio tetto verbale vigneto"),
		kinds:  strings.Fields("annuo antico breve completo comune fragile generale immenso leggero modesto necessario pubblico recente solido stretto umido utile"),
		months: strings.Fields("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"), day: "%d %s %d",
		patterns: []string{
			"Il D W ha visitato P e ha trovato X difetti nella costruzione.", "Nessuno sapeva se il terreno di P appartenesse ancora al comune.",
			"La somma di S comprende la consegna, ma non il trasporto fino a P.", "Secondo W, bisogna aspettare che l’acqua si ritiri prima di cominciare.",
			"Quell’anno si contarono X visitatori; quasi tutti venivano da P.", "Vedi anche: N, N e N (capitolo X).",
			"Si prega di restituire il modulo a P entro il D.", "«Terremo tutto», scrisse W, «anche se per noi è troppo A.»",
			"A questo scopo è stata riservata la somma di S.", "W spiegò perché i lavori a P dureranno più a lungo di quanto previsto.",
		}, stamps: []string{"RICEVUTO", "COPIA", "PAGATO"},
	},
}

// languages are the codes of the tongues, in the order in which they are drawn.
var languages = []string{"en", "fr", "de", "pt", "it"}

// writer makes text.
type writer struct {
	rand *rand.Rand
	of   *tongue
}

func (w writer) one(of []string) string { return of[w.rand.IntN(len(of))] }

func (w writer) number() string { return fmt.Sprint(2 + w.rand.IntN(1+w.rand.IntN(1200))) }

func (w writer) sum() string {
	whole, cents := 1+w.rand.IntN(1+w.rand.IntN(90000)), w.rand.IntN(100)
	if whole >= 1000 {
		return fmt.Sprintf("%d.%03d,%02d €", whole/1000, whole%1000, cents)
	}
	return fmt.Sprintf("%d,%02d €", whole, cents)
}

func (w writer) date() string {
	return fmt.Sprintf(w.of.day, 1+w.rand.IntN(28), w.one(w.of.months), 1952+w.rand.IntN(73))
}

// sentence writes one sentence.
func (w writer) sentence() string {
	words := strings.Fields(w.one(w.of.patterns))
	for i, word := range words {
		at := strings.IndexFunc(word, func(r rune) bool { return strings.ContainsRune("NAPWDXS", r) })
		if at < 0 || at+1 < len(word) && isLetter(word[at+1:]) || at > 0 && isLetter(word[at-1:at]) {
			continue
		}
		words[i] = word[:at] + w.slot(word[at]) + word[at+1:]
		if i > 0 && words[i-1] == "a" && strings.ContainsRune("aeiou", rune(words[i][0])) && w.of == tongues["en"] {
			words[i-1] = "an"
		}
	}
	return capital(strings.Join(words, " "))
}

func (w writer) slot(of byte) string {
	switch of {
	case 'N':
		return w.one(w.of.things)
	case 'A':
		return w.one(w.of.kinds)
	case 'P':
		return w.one(places)
	case 'W':
		return w.one(people) + " " + w.one(places)
	case 'D':
		return w.date()
	case 'X':
		return w.number()
	}
	return w.sum()
}

// paragraph writes some sentences.
func (w writer) paragraph(sentences int) string {
	out := make([]string, sentences)
	for i := range out {
		out[i] = w.sentence()
	}
	return strings.Join(out, " ")
}

// title writes a heading.
func (w writer) title() string {
	return capital(w.one(w.of.things)) + " " + w.one(places) + ", " + w.date()
}

func isLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
