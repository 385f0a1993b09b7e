"""The half of the set that nobody looks at: other kinds, wording, layout, options.

Results of these documents are told in sums only. Each maker takes wording and
returns (body, furniture, style, title).
"""

from document import LETTER, SLIDE, Furniture, Style, offset, prefixed, roman_front

WORDS = {  # language: (judgment, page, section, question, balance, order, refrain)
    "en": ("Judgment of the second chamber", "page", "Clause", "Question", "Balance", "Order", "All: and the night goes on."),
    "fr": ("Arrêt de la deuxième chambre", "page", "Clause", "Question", "Solde", "Commande", "Tous: et la nuit s'en va."),
    "it": ("Sentenza della seconda camera", "pagina", "Clausola", "Domanda", "Saldo", "Ordine", "Tutti: e la notte se ne va."),
    "es": ("Sentencia de la sala segunda", "página", "Cláusula", "Pregunta", "Saldo", "Pedido", "Todos: y la noche se va."),
}


def judgment(w, considerations=30, furniture=None, **style):
    """Numbered considerations; the operative part and signatures at the end."""
    title = WORDS[w.language][0]
    body = [("h1", title), ("line", f"4A_{w.rng.randint(100, 999)}/2025", "L"), ("gap", 8)]
    body += [("p", f"{n}. {w.paragraph(2, 6)}") for n in range(1, considerations + 1)]
    body += [("gap", 20), ("row", [w.name(), w.name()])]
    return body, furniture or Furniture(), Style(**style), title


def newsletter(w, articles=10, furniture=None, **style):
    """Two columns of short articles."""
    body = []
    for _ in range(articles):
        body += [("h2", w.title()), *(("p", w.paragraph(3, 6)) for _ in range(w.rng.randint(2, 4))), ("line", w.name(), "R"), ("gap", 8)]
    style = {"columns": 2, "size": 9, "leading": 12, "family": "sans", **style}
    return body, furniture or Furniture(), Style(**style), w.place()


def form(w, pages=3, furniture=None, **style):
    """Numbered fields to fill in; a place for date and signature on each page."""
    body = []
    for p in range(pages):
        if p:
            body.append(("break",))
        for n in range(1, 13):
            body += [("line", f"{p + 1}.{n} {w.title()}", "L"), ("line", "." * 60, "L"), ("gap", 6)]
        body.append(("line", f"{w.place()}, ____.____.2026", "L"))
    return body, furniture or Furniture(), Style(**style), w.title()


def catalogue(w, pages=9, furniture=None, **style):
    """One ware after another; number and name are the first line of each page, a price the last."""
    body = []
    for n in range(pages):
        body += [("line", f"No. {14 + n} {w.ware()}", "L"), ("gap", 8), *(("p", w.paragraph()) for _ in range(3)),
                 ("bottom", f"EUR {w.amount()}", "R")]
    return body, furniture or Furniture(), Style(**style), w.title()


def agenda(w, points=9, furniture=None, **style):
    """Times and points; the last line says when it ends."""
    body = [("h1", w.title())]
    body += [("row", [f"{9 + n // 4:02d}:{n % 4 * 15:02d}", f"{n + 1}. {w.title()}"]) for n in range(points)]
    body.append(("bottom", f"{w.place()}, {w.rng.randint(11, 28)}.6.2026", "L"))
    return body, furniture or Furniture(), Style(**style), w.title()


def contract(w, clauses=12, sign="§", furniture=None, **style):
    """A clause a page, with its number on top."""
    body = []
    for n in range(1, clauses + 1):
        if body:
            body.append(("break",))
        body += [("line", f"{sign} {n}", "C"), ("gap", 6), *(("p", w.paragraph()) for _ in range(w.rng.randint(2, 5)))]
    return body, furniture or Furniture(), Style(**style), w.title()


def order(w, pages=1, furniture=None, **style):
    """Wares with prices; a sum is the last line of each page, alone."""
    name = f"{WORDS[w.language][5]} {w.rng.randint(300, 799)}"
    body = [("line", w.place(), "R"), ("gap", 10), ("line", w.name(), "L"), ("gap", 24), ("h2", name)]
    for p in range(pages):
        body += [("row", [w.ware(), w.amount()]) for _ in range(15 + 4 * min(p, 1))]
        body.append(("bottom", str(w.rng.randint(1000, 1999)), "R"))
    return body, furniture or Furniture(), Style(**style), name


def statement(w, pages=6, furniture=None, **style):
    """An account: the balance is the first and the last line of each page."""
    name, balance, body = WORDS[w.language][4], f"{w.rng.randint(1000, 1999)}.00", []
    for _ in range(pages):
        body.append(("line", f"{name} {balance}", "R"))
        body += [("row", [f"{w.rng.randint(10, 28)}.{w.rng.randint(10, 12)}.", w.ware(), w.amount()]) for _ in range(20)]
        balance = f"{w.rng.randint(1000, 1999)}.00"
        body.append(("bottom", f"{name} {balance}", "R"))
    return body, furniture or Furniture(), Style(**style), name


def thesis(w, chapters=4, furniture=None, **style):
    """Chapters that begin pages; their paragraphs run over pages."""
    body = []
    for c in range(1, chapters + 1):
        body += [("h1", f"{c}. {w.title()}"), *(("p", w.paragraph(4, 9)) for _ in range(13))]
        if c < chapters:
            body.append(("break",))
    return body, furniture or Furniture(), Style(**style), w.title()


def examination(w, questions=8, furniture=None, **style):
    """A question a page, and its points as the last line of the text."""
    name = WORDS[w.language][3]
    body = []
    for n in range(1, questions + 1):
        if body:
            body.append(("break",))
        body += [("h2", f"{name} {n}"), *(("p", w.paragraph(1, 3)) for _ in range(3)), *(("line", "_" * 50, "L") for _ in range(8)),
                 ("line", f"({w.rng.randint(11, 30)} / 30)", "R")]
    return body, furniture or Furniture(), Style(**style), w.title()


def prices(w, pages=5, furniture=None, **style):
    """A list whose columns have their names on each page."""
    body = []
    for p in range(pages):
        if p:
            body.append(("break",))
        body.append(("again" if p else "row", ["Article", "EUR", "Stock"]))
        body += [("row", [w.ware(), w.amount(), str(w.rng.randint(100, 999))]) for _ in range(26)]
    return body, furniture or Furniture(), Style(**style), w.title()


def songs(w, count=8, furniture=None, **style):
    """A song a page; the same refrain ends each, set as its other lines are."""
    body = []
    for n in range(count):
        if n:
            body.append(("break",))
        body += [("line", w.title(), "L"), *(("line", w.sentence(), "L") for _ in range(24)), ("line", WORDS[w.language][6], "L")]
    return body, furniture or Furniture(), Style(**style), w.title()


def talk(w, count=7, furniture=None, **style):
    """Slides with a counting title."""
    body = []
    for n in range(1, count + 1):
        if body:
            body.append(("break",))
        body += [("h2", f"{WORDS[w.language][3]} {n}: {w.title()}"), ("gap", 12), *(("line", "* " + w.title(), "L") for _ in range(3))]
    style = {"page": SLIDE, "margins": (60, 50, 60, 55), "size": 18, "leading": 25, "foot": 18, "family": "sans", **style}
    return body, furniture or Furniture(), Style(**style), w.title()


def register(w, entries=70, furniture=None, **style):
    """Entries that differ in little but their figures."""
    text = {"it": "Il fondo n. {} alla mappa {} misura {} metri quadrati ed è iscritto a nome di {}, che ne chiede la rettifica al catasto "
                  "entro il termine di {} giorni.",
            "en": "Parcel {} on sheet {} has an area of {} square metres and is entered under the name of {}, who asked for it to be "
                  "surveyed again within {} days."}[w.language]
    body = [("h2", w.title())]
    body += [("p", text.format(200 + n, 11 + n // 9, w.rng.randint(150, 990), w.name(), w.rng.randint(20, 60))) for n in range(entries)]
    return body, furniture or Furniture(), Style(**style), w.title()


def poster(w, **style):
    """One page whose first and last lines are figures and a call."""
    body = [("line", f"{w.rng.randint(1, 28)}.9.2026", "C"), ("gap", 40), ("h1", w.title()), ("p", w.paragraph(2, 3)),
            ("bottom", f"{w.place()}, {w.rng.randint(17, 21)}:30", "C")]
    return body, Furniture(), Style(**style), w.title()


IBAN = Furniture(foot=[("Tel. 091 555 20 26", "info@example.org", "IBAN IT60 X054 2811 1010 0000 0123 456"), ("", "{n}", "")])
SLASH = Furniture(foot=[("Modulo 27-B", "03/2026", "{n}/{N}")], rule=True)
DASH_TOP = Furniture(head=[("", "- {n} -", "")])
APPENDIX = Furniture(head=[("Annex to the inventory", "", "{n}")], label=prefixed("A-"))
ROMAN = Furniture(foot=[("", "", "{n}")], label=roman_front(20))
MASTHEAD = Furniture(head=[("La Gazette de Montlac", "", "{n}")], mirror=True, foot=[("Rue du Port 7, Montlac", "", "Tel. 055 17 20")])
TWO_LINES = Furniture(head=[("", "Studies of the valley, no. 41", ""), ("{chapter}", "", "{n}")], label=roman_front(2), rule=True)
BESIDE = Furniture(head=[("{n}   Villarada", "", "")], label=offset(90))
PAGE_WORD = Furniture(foot=[("Thornby v. Greyford", "", "p. {n}")], first=False)
OUTER = Furniture(head=[("", "", "{chapter}")], foot=[("{n}", "", "")], mirror=True, chapter_pages=False)

# name: (maker, language, producer, arguments); "-tagged" behind a producer: with tags.
DOCUMENTS = {
    "judgment-dash": (judgment, "it", "weasyprint", {"furniture": DASH_TOP, "size": 10}),
    "judgment-word": (judgment, "en", "weasyprint-tagged", {"furniture": PAGE_WORD, "size": 10, "considerations": 18}),
    "judgment-bare": (judgment, "es", "reportlab", {"considerations": 16, "page": LETTER}),
    "newsletter-mast": (newsletter, "fr", "reportlab", {"furniture": MASTHEAD}),
    "newsletter-columns": (newsletter, "es", "weasyprint", {"furniture": IBAN, "articles": 12}),
    "form-slash": (form, "it", "weasyprint", {"furniture": SLASH, "leading": 13, "size": 9}),
    "form-bare": (form, "es", "reportlab", {"pages": 2}),
    "catalogue-annex": (catalogue, "en", "reportlab", {"furniture": APPENDIX}),
    "catalogue-bare": (catalogue, "fr", "weasyprint", {"pages": 12}),
    "agenda-one": (agenda, "it", "weasyprint-tagged", {"margins": (60, 50, 60, 44)}),
    "agenda-two": (agenda, "es", "typst", {"points": 34, "furniture": IBAN, "size": 14, "leading": 20}),
    "contract-sign": (contract, "es", "weasyprint", {"furniture": ROMAN}),
    "contract-bare": (contract, "en", "reportlab", {"clauses": 9, "words": True}),
    "contract-tagged": (contract, "fr", "weasyprint-tagged", {"furniture": BESIDE, "sign": "Clause"}),
    "order-one": (order, "en", "weasyprint", {"margins": (60, 40, 60, 40)}),
    "order-two": (order, "it", "reportlab", {"pages": 2, "furniture": IBAN}),
    "order-three": (order, "fr", "weasyprint-tagged", {"pages": 3, "furniture": SLASH}),
    "statement-bare": (statement, "es", "weasyprint", {}),
    "statement-footed": (statement, "en", "typst", {"furniture": IBAN}),
    "thesis-lines": (thesis, "en", "weasyprint", {"furniture": TWO_LINES, "size": 10, "leading": 14}),
    "thesis-outer": (thesis, "it", "reportlab", {"furniture": OUTER, "leading": 16}),
    "thesis-tagged": (thesis, "fr", "weasyprint-tagged", {"furniture": TWO_LINES, "size": 10}),
    "thesis-bare": (thesis, "es", "typst", {"chapters": 2}),
    "examination-bare": (examination, "en", "weasyprint", {}),
    "examination-footed": (examination, "it", "reportlab", {"furniture": SLASH, "furniture_last": True}),
    "prices-bare": (prices, "es", "reportlab", {"size": 10}),
    "prices-annex": (prices, "en", "weasyprint", {"furniture": APPENDIX, "size": 9}),
    "songs-bare": (songs, "fr", "weasyprint", {}),
    "songs-beside": (songs, "es", "reportlab", {"furniture": BESIDE}),
    "talk-bare": (talk, "it", "weasyprint", {}),
    "talk-footed": (talk, "en", "typst", {"furniture": PAGE_WORD}),
    "talk-tagged": (talk, "es", "weasyprint-tagged", {"furniture": SLASH, "count": 12}),
    "poster-one": (poster, "fr", "typst", {"margins": (70, 38, 70, 42)}),
    "register-dash": (register, "it", "weasyprint", {"furniture": DASH_TOP}),
    "register-bare": (register, "en", "reportlab", {"entries": 90, "size": 12, "leading": 17}),
    "poster-wide": (poster, "en", "weasyprint", {"page": SLIDE, "margins": (40, 40, 40, 40), "family": "sans"}),
    "scan-judgment": (judgment, "it", "reportlab", {"considerations": 22, "furniture": PAGE_WORD, "furniture_size": 11}),
    "scan-catalogue": (catalogue, "fr", "reportlab", {"pages": 3, "furniture": APPENDIX, "furniture_size": 11}),
}
