"""Invented words: sentences, titles, names, codes and figures, drawn from a random source.

Only characters of Latin-1 are used, which all producers can draw without a font file.
"""

NOUNS = {
    "en": "harbour meadow archive bridge council ferry garden harvest island journal kiln ledger market nursery orchard parish quarry reservoir station theatre union valley workshop mill tariff permit survey boiler culvert grant".split(),
    "fr": "port pré archive pont conseil bac jardin récolte île journal four registre marché verger paroisse carrière réservoir gare théâtre vallée atelier moulin tarif permis relevé chaudière subvention".split(),
    "de": "Hafen Wiese Archiv Brücke Gemeinderat Fähre Garten Ernte Insel Zeitung Ofen Register Markt Obstgarten Pfarrei Steinbruch Speicher Bahnhof Bühne Tal Werkstatt Mühle Tarif Bewilligung Vermessung Kessel Beitrag".split(),
    "pt": "porto prado arquivo ponte conselho barca jardim colheita ilha jornal forno registo mercado pomar freguesia pedreira albufeira estação teatro vale oficina moinho tarifa licença vistoria caldeira subsídio".split(),
}
ADJECTIVES = {
    "en": "northern public annual narrow restored former joint rural open lower technical recent shared coastal".split(),
    "fr": "public annuel étroit ancien commun rural ouvert technique récent partagé côtier local".split(),
    "de": "öffentliche jährliche schmale frühere gemeinsame ländliche offene technische neue untere".split(),
    "pt": "público anual estreito antigo comum rural aberto técnico recente partilhado local".split(),
}
VERBS = {
    "en": "reviews extends closes finances describes repairs inspects replaces records supports".split(),
    "fr": "examine prolonge ferme finance décrit répare inspecte remplace relève soutient".split(),
    "de": "prüft erweitert schliesst bezahlt beschreibt ersetzt meldet unterstützt".split(),
    "pt": "analisa prolonga encerra financia descreve repara fiscaliza substitui regista apoia".split(),
}
SMALL = {
    "en": ("the", "of the", "in the", "and", "which"), "fr": ("le", "du", "dans le", "et", "qui"),
    "de": ("der", "von der", "in der", "und", "die"), "pt": ("o", "do", "no", "e", "que"),
}
LANGUAGES = list(NOUNS)
CITIES = ["Amberfield", "Brackwater", "Costaval", "Dornbruck", "Elmstow", "Fontclaire", "Grauburg", "Hollin", "Isola", "Jarnac"]
NAMES = ["M. Abreu", "J. Bellini", "C. Dupont", "E. Frost", "H. Graf", "L. Ivens", "P. Keller", "R. Lopes", "S. Moor", "T. Vidal"]


class Words:
    def __init__(self, rng, language):
        self.rng, self.language = rng, language

    def noun(self):
        return self.rng.choice(NOUNS[self.language])

    def phrase(self):
        """Two to four words without a verb."""
        the, of, within, _, _ = SMALL[self.language]
        text = f"{self.rng.choice(ADJECTIVES[self.language])} {self.noun()}"
        return text + (f" {self.rng.choice((of, within))} {self.noun()}" if self.rng.random() < 0.5 else "")

    def sentence(self):
        the, of, within, also, who = SMALL[self.language]
        pick = lambda table: self.rng.choice(table[self.language])
        text = f"{the} {pick(ADJECTIVES)} {self.noun()} {of} {self.noun()} {pick(VERBS)} {the} {self.noun()} {within} {self.noun()}"
        while self.rng.random() < 0.45:
            text += f" {also} {who} {pick(VERBS)} {the} {pick(ADJECTIVES)} {self.noun()}"
        if self.rng.random() < 0.15:
            text += f" ({self.rng.randint(1980, 2026)})"
        return text[0].upper() + text[1:] + "."

    def paragraph(self, least=2, most=6):
        return " ".join(self.sentence() for _ in range(self.rng.randint(least, most)))

    def title(self):
        text = self.phrase()
        if self.rng.random() < 0.3:
            text += f" {SMALL[self.language][3]} {self.phrase()}"
        return text[0].upper() + text[1:]

    def item(self):
        """What a list says in one entry: a phrase or a sentence, with or without its point."""
        kind = self.rng.random()
        if kind < 0.4:
            return self.title()
        if kind < 0.7:
            return self.sentence()
        return self.sentence()[:-1]

    def code(self):
        return self.rng.choice(["{}-{:03}", "{}{:04}", "{}.{:02}", "{}/{:03}"]).format(self.rng.choice("ABCKMRSTX") * self.rng.randint(1, 2), self.rng.randint(1, 99))

    def figure(self):
        kind = self.rng.random()
        if kind < 0.4:
            return str(self.rng.randint(1, 999))
        if kind < 0.7:
            return f"{self.rng.randint(1, 99)}.{self.rng.randint(0, 9)}"
        if kind < 0.9:
            return f"{self.rng.randint(1, 99)},{self.rng.randint(0, 999):03}"
        return f"{self.rng.randint(0, 100)} %"
