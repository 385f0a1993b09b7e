package entities

// template is a sentence of which the values are known. {n} is the number with its unit, {a} what the
// values are of, {y} a year, {l} a place.
type template struct {
	language string
	typ      string
	name     string // field of {a}
	number   string // field of {n}
	year     string // field of {y}; may be empty
	unit     string // of {n}: percent, area, length, load, conc, count, money
	text     string
	denied   string // the same denied
	cut      string // where in denied the quote begins that leaves the denial out
}

// openTemplates are those that the guard was written beside.
func openTemplates() []template {
	return []template{
		{"en", "goal", "pollutant", "target", "deadline", "percent", "Reduce {a} by {n} in {l} by {y}.", "The district will not reduce {a} by {n} in {l} by {y}.", "reduce"},
		{"en", "goal", "pollutant", "target", "deadline", "load", "By {y}, loads of {a} in {l} fall to {n}.", "By {y}, loads of {a} in {l} never fall to {n}.", "fall"},
		{"en", "bmp", "name", "quantity", "", "area", "The town will plant {n} of {a} along {l}.", "The town refused to plant {n} of {a} along {l}.", "plant"},
		{"en", "bmp", "name", "cost", "", "money", "The estimated cost of {a} in {l} is {n}.", "The estimated cost of {a} in {l} is not {n}.", "the estimated"},
		{"en", "monitoring", "parameter", "threshold", "", "conc", "Water samples from {l} must stay below {n} of {a}.", "Water samples from {l} do not stay below {n} of {a}.", "stay"},
		{"en", "outreach", "audience", "count", "", "count", "In {l}, {n} for {a} are held each spring.", "In {l}, no {n} for {a} are held each spring.", "for"},
		{"fr", "goal", "pollutant", "target", "deadline", "percent", "Réduire {a} de {n} à {l} d'ici {y}.", "La commune ne va pas réduire {a} de {n} à {l} d'ici {y}.", "réduire"},
		{"fr", "bmp", "name", "quantity", "", "area", "La commune plantera {n} de {a} à {l}.", "La commune renonce à planter {n} de {a} à {l}.", "planter"},
		{"fr", "bmp", "name", "cost", "", "money", "Le coût estimé de {a} à {l} est de {n}.", "Le coût estimé de {a} à {l} n'est pas de {n}.", "de {n}"},
		{"fr", "monitoring", "parameter", "threshold", "", "conc", "La teneur en {a} à {l} reste sous {n}.", "La teneur en {a} à {l} ne reste jamais sous {n}.", "sous"},
		{"fr", "outreach", "audience", "count", "", "count", "À {l}, {n} pour {a} sont organisés chaque printemps.", "À {l}, aucun des {n} pour {a} ne sera organisé.", "des"},
		{"pt", "goal", "pollutant", "target", "deadline", "percent", "Reduzir {a} em {n} em {l} até {y}.", "O município não vai reduzir {a} em {n} em {l} até {y}.", "reduzir"},
		{"pt", "bmp", "name", "quantity", "", "area", "O município plantará {n} de {a} em {l}.", "O município nunca plantará {n} de {a} em {l}.", "plantará"},
		{"pt", "bmp", "name", "cost", "", "money", "O custo estimado de {a} em {l} é de {n}.", "O custo estimado de {a} em {l} não é de {n}.", "é de"},
		{"pt", "monitoring", "parameter", "threshold", "", "conc", "O teor de {a} em {l} fica abaixo de {n}.", "O teor de {a} em {l} não fica abaixo de {n}.", "fica"},
		{"pt", "outreach", "audience", "count", "", "count", "Em {l}, {n} para {a} realizam-se em cada primavera.", "Em {l}, nenhuma das {n} para {a} foi realizada.", "das"},
		{"it", "goal", "pollutant", "target", "deadline", "percent", "Ridurre {a} del {n} a {l} entro il {y}.", "Il comune non intende ridurre {a} del {n} a {l} entro il {y}.", "ridurre"},
		{"it", "bmp", "name", "quantity", "", "area", "Il comune pianterà {n} di {a} a {l}.", "Il comune rinuncia a piantare {n} di {a} a {l}.", "piantare"},
		{"it", "bmp", "name", "cost", "", "money", "Il costo stimato di {a} a {l} è di {n}.", "Il costo stimato di {a} a {l} non è di {n}.", "di {n}"},
		{"it", "monitoring", "parameter", "threshold", "", "conc", "Il tenore di {a} a {l} resta sotto {n}.", "Il tenore di {a} a {l} non resta sotto {n}.", "resta"},
		{"it", "outreach", "audience", "count", "", "count", "A {l}, {n} per {a} si tengono ogni primavera.", "A {l}, nessuno dei {n} per {a} si terrà.", "dei"},
	}
}

// names are what values can be of, by language and by the unit that goes with them.
func names(language, unit string) []string {
	all := map[string]map[string][]string{
		"en": {"goal": {"nitrogen", "phosphorus", "sediment", "E. coli", "chloride", "total suspended solids"}, "bmp": {"riparian buffers", "rain gardens", "cover crops", "stone check dams", "wetland", "tree trenches"},
			"monitoring": {"nitrate", "dissolved oxygen", "ammonia", "turbidity", "orthophosphate"}, "outreach": {"farmers", "schools", "home owners", "boaters", "volunteers"}, "count": {"workshops", "field days", "training sessions"}},
		"fr": {"goal": {"l'azote", "le phosphore", "les nitrates", "les sédiments", "le cuivre"}, "bmp": {"haies", "zones humides", "bandes enherbées", "mares", "couverts végétaux"},
			"monitoring": {"nitrates", "oxygène dissous", "ammonium", "phosphates"}, "outreach": {"agriculteurs", "écoles", "habitants", "pêcheurs"}, "count": {"ateliers", "réunions publiques", "sorties scolaires"}},
		"pt": {"goal": {"o azoto", "o fósforo", "os nitratos", "os sedimentos", "o cobre"}, "bmp": {"galerias ripícolas", "zonas húmidas", "sebes vivas", "bacias de retenção", "faixas de proteção"},
			"monitoring": {"nitratos", "oxigénio dissolvido", "amónio", "fosfatos"}, "outreach": {"agricultores", "escolas", "moradores", "pescadores"}, "count": {"oficinas", "sessões públicas", "visitas de estudo"}},
		"it": {"goal": {"l'azoto", "il fosforo", "i nitrati", "i sedimenti", "il rame"}, "bmp": {"siepi", "zone umide", "fasce tampone", "vasche di raccolta", "prati stabili"},
			"monitoring": {"nitrati", "ossigeno disciolto", "ammonio", "fosfati"}, "outreach": {"agricoltori", "scuole", "residenti", "pescatori"}, "count": {"laboratori", "incontri pubblici", "visite guidate"}},
	}
	return all[language][unit]
}

// placesOf are names of places, all made up.
func placesOf(language string) []string {
	return map[string][]string{
		"en": {"Alder Creek", "Mill Run", "Corbin Lake", "Tansy Hollow", "Birch Ford"},
		"fr": {"Valmarais", "Ormesson-le-Gué", "Fontvieil", "Sauvelade"},
		"pt": {"Vale Dourado", "Ribeira Alva", "Pedras Ruivas", "Campo Novo"},
		"it": {"Valdoro", "Rocca Mirta", "Pian Selva", "Fontelunga"},
	}[language]
}
