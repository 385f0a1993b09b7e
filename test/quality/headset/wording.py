"""Invented sentences and names: each half of the set has lists of its own.

Only characters of Latin-1 are used, which all producers can draw without a
font file.
"""

# (half, language): subjects, predicates, complements. A sentence takes one of each.
PHRASES = {
    ("looked-at", "en"): (
        ["The district office", "The working group on mobility", "Each tenant of the market hall", "The second pumping station",
         "The keeper of the land register", "A committee of three", "The orchard above the village", "Most of the older ferries"],
        ["has reviewed", "will publish", "must describe", "could not confirm", "compares every spring", "keeps a record of",
         "was asked to explain", "proposes to extend"],
        ["the plan for the northern quay", "two surveys of the river bed", "the cost of heating in public buildings",
         "the list of protected trees", "its agreement with the neighbouring parish", "the results of the autumn inspection",
         "the rules for temporary stalls", "a map of all wells and springs"]),
    ("looked-at", "de"): (
        ["Der Gemeinderat", "Die Verwaltung", "Das Amt für Gewässer", "Jede Eigentümerin", "Die Kommission für Bauten",
         "Ein Vertreter der Genossenschaft", "Der alte Steg am Weiher", "Die Mehrheit der Anwohner"],
        ["prüft jedes Jahr", "beschreibt ausführlich", "verlangt in der Regel", "genehmigt ohne Gegenstimme",
         "verschiebt bis zum Herbst", "bezahlt zur Hälfte", "erklärt in einem Schreiben", "ersetzt nach und nach"],
        ["den Plan der Quartierstrassen", "die Gebühren für Abwasser", "eine Liste der Bäume am Ufer", "das Reglement der Markthalle",
         "den Unterhalt der Brücken", "die Beiträge an den Schulweg", "das Protokoll der letzten Sitzung", "die Beleuchtung am Bahnhof"]),
    ("looked-at", "fr"): (
        ["Le conseil communal", "La commission des eaux", "Chaque locataire", "Le service des forêts", "Une délégation de la paroisse",
         "Le gardien du refuge", "La majorité des éleveurs", "Le bureau des constructions"],
        ["examine avec soin", "publie chaque automne", "refuse de modifier", "propose de financer", "décrit en détail",
         "reporte d'une année", "accepte sans réserve", "contrôle deux fois par an"],
        ["le plan des chemins pédestres", "les taxes de séjour", "la liste des arbres du parc", "le règlement de la halle",
         "les travaux du pont couvert", "une étude des sources", "le budget de la bibliothèque", "les horaires du bac"]),
    ("looked-at", "pt"): (
        ["A câmara municipal", "A comissão de obras", "Cada morador do bairro", "O serviço de águas", "Um grupo de pescadores",
         "O guarda do parque", "A maioria dos lavradores", "O arquivo da freguesia"],
        ["analisa com cuidado", "publica todos os anos", "recusa alterar", "propõe financiar", "descreve em pormenor",
         "adia por alguns meses", "aceita sem reservas", "fiscaliza duas vezes por ano"],
        ["o plano dos caminhos rurais", "as taxas do mercado", "a lista das árvores protegidas", "o regulamento do porto",
         "as obras da ponte velha", "um estudo das nascentes", "o orçamento da biblioteca", "os horários da barca"]),
    ("unseen", "en"): (
        ["The appellant", "Our bakery in the old mill", "The choir of the lower town", "A retired surveyor", "The panel of judges",
         "Nobody at the observatory", "The cooperative of weavers", "The night train"],
        ["never received", "bought back", "still remembers", "relies upon", "has doubts about", "turned down",
         "was shown", "insists on"],
        ["a letter about the boundary wall", "three crates of blue glass", "the opinion of the second expert",
         "a place beside the winter garden", "the notes on the eclipse", "an older reading of the statute",
         "the recipe with dried pears", "a timetable for the holidays"]),
    ("unseen", "fr"): (
        ["La recourante", "Le comité du musée", "Notre atelier de reliure", "Un témoin de la scène", "Le tribunal de première instance",
         "La fanfare du quartier", "L'expert désigné", "Personne à l'observatoire"],
        ["n'a jamais reçu", "conteste encore", "se souvient de", "renonce à produire", "cite à plusieurs reprises",
         "doit restituer", "a fait relire", "tient pour établi"],
        ["une lettre sur le mur mitoyen", "trois caisses de verre bleu", "l'avis du second médecin", "un ancien bail à ferme",
         "les notes prises durant l'éclipse", "la recette aux poires séchées", "une copie du testament", "les clés du pavillon"]),
    ("unseen", "it"): (
        ["La ricorrente", "Il consiglio di fondazione", "Ogni socio del circolo", "Il vecchio mulino", "La corte di appello",
         "Un perito della valle", "La scuola di musica", "Il custode della torre"],
        ["non ha ricevuto", "contesta ancora", "si ricorda bene", "rinuncia a produrre", "cita più volte",
         "deve restituire", "ha fatto rileggere", "ritiene provata"],
        ["una lettera sul muro comune", "tre casse di vetro azzurro", "il parere del secondo medico", "la vecchia ricetta",
         "le note prese durante l'eclissi", "una copia del testamento", "l'orario delle vacanze", "la chiave del padiglione"]),
    ("unseen", "es"): (
        ["La demandante", "El taller de encuadernación", "Cada socio del club", "El antiguo molino", "La sala segunda",
         "Un perito de la comarca", "La escuela de música", "El guardián de la torre"],
        ["nunca recibió", "discute todavía", "recuerda muy bien", "renuncia a presentar", "cita varias veces",
         "debe devolver", "ha mandado revisar", "da por probada"],
        ["una carta sobre el muro común", "tres cajas de vidrio azul", "el informe del segundo médico", "la vieja receta",
         "las notas tomadas durante el eclipse", "una copia del testamento", "el horario de las fiestas", "la llave del pabellón"]),
}

NAMES = {
    "looked-at": ["Ruth Amberg", "Jonas Keller", "Odile Favre", "Pedro Lagoa", "Hanna Weid", "Louis Morand", "Ines Prado", "Karl Steg"],
    "unseen": ["Vera Tolmin", "Carlo Fenis", "Amaya Rey", "Noel Garrow", "Livia Sartori", "Blas Medina", "Eloise Carne", "Tomas Quill"],
}

PLACES = {
    "looked-at": ["Niederwald", "Port Alder", "Valmont", "Ribeira Alta", "Oberstein", "Les Roches", "Millbrook", "Serra Nova"],
    "unseen": ["Castelmare", "Fuente Clara", "Thornby", "Montlac", "San Siro Alto", "Villarada", "Greyford", "Beaupré"],
}

WARES = {
    "looked-at": ["oak board", "copper pipe", "garden gate", "roof tile", "window frame", "iron hinge", "clay pot", "hemp rope",
                  "oil lamp", "door handle", "stone slab", "rain barrel"],
    "unseen": ["tea kettle", "wool blanket", "paper kite", "brass bell", "walnut chest", "linen shirt", "desk globe", "violin bow",
               "sugar bowl", "felt hat", "pocket atlas", "cherry jam"],
}


class Wording:
    """Makes text of one half and language from a random source of its own."""

    def __init__(self, half, language, rng):
        self.half, self.language, self.rng = half, language, rng
        self.phrases = PHRASES[half, language]

    def sentence(self):
        return " ".join(self.rng.choice(part) for part in self.phrases) + "."

    def paragraph(self, least=2, most=6):
        return " ".join(self.sentence() for _ in range(self.rng.randint(least, most)))

    def title(self):
        """A title without a full stop: what a sentence is about, with a capital."""
        text = self.rng.choice(self.phrases[2])
        return text[0].upper() + text[1:]

    def name(self):
        return self.rng.choice(NAMES[self.half])

    def place(self):
        return self.rng.choice(PLACES[self.half])

    def ware(self):
        return self.rng.choice(WARES[self.half])

    def amount(self):
        return f"{self.rng.randint(3, 989)}.{self.rng.randint(0, 19) * 5:02d}"
