package entities

// sealedTemplates were written once, after the guard had its rules, before they were run. What their first
// run showed, and the one rule that was mended since, is in README.md. Do not tune on them.
func sealedTemplates() []template {
	return []template{
		{"en", "goal", "pollutant", "target", "deadline", "percent", "The long-term objective for {l} is a {n} cut of {a}, to be reached no later than {y}.", "The board rejected a {n} cut of {a} for {l} to be reached no later than {y}.", "{n} cut"},
		{"en", "bmp", "name", "quantity", "", "length", "Contractors finished {n} of {a} near {l} last autumn.", "Contractors have not finished {n} of {a} near {l}.", "finished"},
		{"en", "bmp", "name", "cost", "", "money", "For {a} at {l}, the county sets aside {n} from its stormwater fund.", "For {a} at {l}, the county never set aside {n} from its stormwater fund.", "set aside"},
		{"en", "monitoring", "parameter", "threshold", "", "conc", "Concentrations of {a} at {l} exceeded {n} on two sampling days.", "Concentrations of {a} at {l} have never exceeded {n}.", "exceeded"},
		{"en", "outreach", "audience", "count", "", "count", "Staff led {n} that drew {a} from {l} and beyond.", "Staff did not lead the {n} that drew {a} from {l}.", "the {n}"},
		{"fr", "goal", "pollutant", "target", "deadline", "percent", "Le syndicat vise pour {a} une baisse de {n} sur le secteur de {l} avant {y}.", "Le syndicat ne vise pour {a} aucune baisse de {n} sur le secteur de {l} avant {y}.", "baisse"},
		{"fr", "bmp", "name", "quantity", "", "length", "Près de {l}, les travaux ont porté sur {n} de {a}.", "Près de {l}, les travaux n'ont pas porté sur {n} de {a}.", "{n} de"},
		{"fr", "bmp", "name", "cost", "", "money", "Une enveloppe de {n} finance les {a} du secteur de {l}.", "Aucune enveloppe de {n} ne finance les {a} du secteur de {l}.", "enveloppe"},
		{"fr", "monitoring", "parameter", "threshold", "", "conc", "Au captage de {l}, {n} est le seuil retenu pour les {a}.", "Au captage de {l}, {n} n'est plus le seuil retenu pour les {a}.", "{n}"},
		{"fr", "outreach", "audience", "count", "", "count", "L'association a animé {n} auprès des {a} de {l}.", "L'association n'a jamais animé {n} auprès des {a} de {l}.", "{n} auprès"},
		{"pt", "goal", "pollutant", "target", "deadline", "percent", "Pretende-se baixar {a} em {n} na zona de {l} antes de {y}.", "Já não se pretende baixar {a} em {n} na zona de {l} antes de {y}.", "baixar"},
		{"pt", "bmp", "name", "quantity", "", "length", "Junto a {l} foram recuperados {n} de {a}.", "Junto a {l} não foram recuperados {n} de {a}.", "recuperados"},
		{"pt", "bmp", "name", "cost", "", "money", "Foi aprovada uma verba de {n} para {a} em {l}.", "Foi rejeitada uma verba de {n} para {a} em {l}.", "uma verba"},
		{"pt", "monitoring", "parameter", "threshold", "", "conc", "Nas captações de {l}, o limite para {a} é {n}.", "Nas captações de {l}, o limite para {a} não é {n}.", "é {n}"},
		{"pt", "outreach", "audience", "count", "", "count", "A associação promoveu {n} dirigidas a {a} de {l}.", "A associação não promoveu {n} dirigidas a {a} de {l}.", "promoveu"},
		{"it", "goal", "pollutant", "target", "deadline", "percent", "L'ente punta a tagliare {a} del {n} nell'area di {l} prima del {y}.", "L'ente non punta a tagliare {a} del {n} nell'area di {l} prima del {y}.", "tagliare"},
		{"it", "bmp", "name", "quantity", "", "length", "Presso {l} sono stati sistemati {n} di {a}.", "Presso {l} non sono stati sistemati {n} di {a}.", "sistemati"},
		{"it", "bmp", "name", "cost", "", "money", "Per {a} a {l} si spendono {n} in due annualità.", "Per {a} a {l} non si spendono {n}.", "si spendono"},
		{"it", "monitoring", "parameter", "threshold", "", "conc", "Nei pozzi di {l} il valore di {a} ha toccato {n}.", "Nei pozzi di {l} il valore di {a} non ha mai toccato {n}.", "toccato"},
		{"it", "outreach", "audience", "count", "", "count", "Con {n} sono stati coinvolti gli {a} di {l}.", "Senza {n} sono stati coinvolti gli {a} di {l}.", "{n} sono"},
	}
}
