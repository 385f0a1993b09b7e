"""The half of the set that may be looked at: its kinds of documents and its list.

Each maker takes wording and returns (body, furniture, style, title).
"""

from document import A4, LETTER, SLIDE, Furniture, Style, decimal, offset, roman_front

BANK = "Bank of Alder, IBAN CH93 0076 2011 6238 5295 7"
TERMS = {  # language: (invoice, total, carried, brought, signed, page, of)
    "en": ("Invoice", "Total amount due in francs", "Carried forward", "Brought forward", "Signed at", "Page", "of"),
    "de": ("Rechnung", "Zu zahlender Betrag in Franken", "Übertrag", "Vortrag", "Unterzeichnet in", "Seite", "von"),
    "fr": ("Facture", "Montant dû en francs", "À reporter", "Report", "Fait à", "Page", "sur"),
    "pt": ("Fatura", "Valor total em euros", "A transportar", "Transporte", "Assinado em", "Página", "de"),
}
MOTION = {"en": "The motion is carried unanimously.", "de": "Der Antrag wird einstimmig angenommen.",
          "fr": "La motion est acceptée à l'unanimité.", "pt": "A moção é aprovada por unanimidade."}


def invoice(w, pages=1, furnished=False, lone=False, **style):
    """Rows of wares, a sum on top and at the foot of each page, the total at the end."""
    name, total, carried, brought, signed, page, of = TERMS[w.language]
    number = w.rng.randint(2000, 8999)
    body = [("line", w.name(), "L"), ("line", w.place(), "L"), ("gap", 14), ("h2", f"{name} {number}"),
            ("line", f"{w.place()}, {w.rng.randint(1, 28)}.{w.rng.randint(1, 12)}.2026", "R"), ("gap", 14)]
    for p in range(pages):
        for _ in range(18 if p == 0 else 24):
            body.append(("row", [w.ware(), str(w.rng.randint(11, 60)), w.amount(), w.amount()]))
        if p + 1 < pages:
            amount = w.amount()
            body += [("bottom", f"{carried} {amount}", "R"), ("line", f"{brought} {amount}", "R")]
    amount = str(w.rng.randint(1000, 1990))
    body.append(("bottom", amount, "R") if lone else ("bottom", f"{total} {amount}", "L"))
    furniture = Furniture()
    if furnished:
        furniture = Furniture(head=[(f"{name} {number}", "", "")], foot=[(BANK, "", page + " {n} " + of + " {N}")])
    return body, furniture, Style(leading=14, **style), f"{name} {number}"


def letter(w, paragraphs=4, continued=False, **style):
    """A letter; the pages after the first may name its reader above."""
    signed, to = TERMS[w.language][4], w.name()
    date = f"{w.rng.randint(2, 28)}.{w.rng.randint(1, 12)}.2026"
    body = [("line", w.name(), "R"), ("line", w.place(), "R"), ("gap", 20), ("line", to, "L"), ("line", w.place(), "L"), ("gap", 20)]
    body += [("p", w.paragraph(4, 7)) for _ in range(paragraphs)]
    body += [("gap", 10), ("line", w.name(), "L"), ("bottom", f"{signed} {w.place()}, {date}", "L")]
    furniture = Furniture(head=[(to, date, "{n}")], first=False) if continued else Furniture()
    return body, furniture, Style(**style), w.title()


def statute(w, articles=14, furniture=None, sign="Art.", **style):
    """Each page begins with the line "Art. N" and ends somewhere."""
    body = []
    for n in range(1, articles + 1):
        if body:
            body.append(("break",))
        body.append(("line", f"{sign} {n}", "L"))
        body += [("p", f"{k} {w.paragraph(1, 4)}") for k in range(1, w.rng.randint(3, 6))]
    return body, furniture or Furniture(), Style(**style), w.title()


def minutes(w, pages=10, furniture=None, **style):
    """Pages of one length whose last line is the same everywhere, set as the others are."""
    body = []
    for n in range(1, pages + 1):
        if body:
            body.append(("break",))
        body += [("line", f"{n}. {w.title()}", "L"), *(("line", w.sentence(), "L") for _ in range(38)), ("line", MOTION[w.language], "L")]
    return body, furniture or Furniture(), Style(**style), w.title()


def decisions(w, count=20, furniture=None, **style):
    """A line with a counting number on top of each page, and another at its foot."""
    goal = {"en": "Decision {}: the goal of 2027 is met.", "de": "Beschluss {}: das Ziel von 2027 ist erreicht.",
            "fr": "Décision {}: le but de 2027 est atteint.", "pt": "Decisão {}: o objetivo de 2027 foi atingido."}[w.language]
    vote = {"en": "Vote {}: {} in favour, {} against.", "de": "Abstimmung {}: {} dafür, {} dagegen.",
            "fr": "Vote {}: {} pour, {} contre.", "pt": "Votação {}: {} a favor, {} contra."}[w.language]
    body = []
    for n in range(1, count + 1):
        body += [("line", goal.format(n), "L"), ("gap", 6), *(("p", w.paragraph()) for _ in range(3)),
                 ("bottom", vote.format(n, w.rng.randint(11, 30), w.rng.randint(0, 9)), "L")]
    return body, furniture or Furniture(), Style(**style), w.title()


def slides(w, count=9, foot=True, **style):
    """Steps of a handbook, one a page."""
    step = {"en": "Step {}: open valve {}", "de": "Schritt {}: Ventil {} öffnen", "fr": "Étape {}: ouvrir la vanne {}",
            "pt": "Passo {}: abrir a válvula {}"}[w.language]
    body = []
    for n in range(1, count + 1):
        if body:
            body.append(("break",))
        body += [("line", step.format(n, n + 3), "L"), ("gap", 20), *(("line", "- " + w.title(), "L") for _ in range(w.rng.randint(2, 4)))]
    furniture = Furniture(foot=[(f"{w.place()} {w.rng.choice(['2026', 'II'])}", "", "{n}")]) if foot else Furniture()
    style = {"page": SLIDE, "margins": (50, 40, 50, 60), "size": 20, "leading": 27, "foot": 22, "family": "sans", **style}
    return body, furniture, Style(**style), w.title()


def table(w, rows=90, furniture=None, **style):
    """Rows from edge to edge of all pages."""
    body = [("row", [w.ware(), str(w.rng.randint(101, 989)), w.amount(), str(w.rng.randint(1000, 2030))]) for _ in range(rows)]
    style = {"margins": (60, 36, 60, 36), **style}
    return body, furniture or Furniture(), Style(**style), w.title()


def report(w, chapters=4, furniture=None, **style):
    """Chapters with smaller heads below, whose paragraphs run over pages."""
    body = []
    for c in range(1, chapters + 1):
        body.append(("h1", f"{c} {w.title()}"))
        for s in range(1, 4):
            body.append(("h2", f"{c}.{s} {w.title()}"))
            body += [("p", w.paragraph(3, 8)) for _ in range(w.rng.randint(2, 4))]
    return body, furniture or Furniture(), Style(**style), w.title()


def book(w, front=3, chapters=4, title="", **style):
    """Roman front matter; the title on left pages, the chapter on right ones; each chapter begins a page without a head."""
    title = title or w.title()
    body = []
    for p in range(front):
        body += [("line", title if p == 0 else w.title(), "C"), ("gap", 20), *(("p", w.paragraph(3, 6)) for _ in range(2)), ("break",)]
    for c in range(1, chapters + 1):
        body.append(("h1", w.title()))
        body += [("p", w.paragraph(4, 9)) for _ in range(14)]
        if c < chapters:
            body.append(("break",))
    furniture = Furniture(head=[(title, "", "{chapter}")], foot=[("", "{n}", "")], label=roman_front(front), mirror=True, first=False, chapter_pages=False)
    return body, furniture, Style(**style), title


def survey(w, stations=40, furniture=None, **style):
    """Paragraphs that differ in little but their figures, and run over pages."""
    text = {"en": ("The concentration of {} was measured {} times at station AC-{:03d}. The samples were taken by volunteers of the "
                   "district, kept on ice and analysed within a day; the difference between duplicates stayed below {} percent.",
                   ["dissolved oxygen", "turbidity", "nitrate", "chloride"]),
            "de": ("Die Konzentration von {} wurde {} Mal an der Stelle AC-{:03d} gemessen. Die Proben nahmen Freiwillige des Bezirks, "
                   "kühlten sie und untersuchten sie am gleichen Tag; der Unterschied der Doppelproben blieb unter {} Prozent.",
                   ["Sauerstoff", "Nitrat", "Chlorid", "Phosphor"])}[w.language]
    body = [("h1", w.title())]
    body += [("p", text[0].format(text[1][n % 4], 11 + n % 9, n + 1, 5 + n % 7)) for n in range(stations)]
    return body, furniture or Furniture(), Style(**style), w.title()


def notice(w, **style):
    """One page whose first and last lines are its own."""
    body = [("line", f"{w.place()}, {w.rng.randint(1, 28)}.5.2026", "R"), ("gap", 30), ("h1", w.title()), *(("p", w.paragraph()) for _ in range(3)),
            ("bottom", f"Tel. 0{w.rng.randint(20, 79)} 555 {w.rng.randint(10, 99)} {w.rng.randint(10, 99)}", "C")]
    return body, Furniture(), Style(**style), w.title()


def paper(w, pages=8, furniture=None, **style):
    """A numbered formula is the last line of each page, a lone figure the first of some."""
    body = []
    for n in range(1, pages + 1):
        body += [("line", f"{w.rng.randint(40, 99)}", "L")] if n % 3 == 0 else []
        body += [*(("p", w.paragraph()) for _ in range(w.rng.randint(4, 6))), ("bottom", f"x + {n + 1} y = {w.rng.randint(20, 90)}   ({n})", "C")]
    return body, furniture or Furniture(), Style(**style), w.title()


EDGE = (60, 44, 60, 36)  # margins of bodies that reach where heads and feet of others are
HEAD_AND_NUMBER = Furniture(head=[("Niederwald", "", "{n}")], rule=True)
NUMBER = Furniture(foot=[("", "{n}", "")])
DASHES = Furniture(foot=[("", "- {n} -", "")])
PAGE_OF = Furniture(head=[("Alder Creek 2026", "", "")], foot=[("", "", "Page {n} of {N}")])
DRAFT = Furniture(head=[("", "DRAFT - not for circulation", "")], foot=[("Printed 4 May 2026", "", "{n}/{N}")])
CHAPTERS = Furniture(head=[("{chapter}", "", "{n}")], mirror=True, rule=True)
OFFSET = Furniture(head=[("Proceedings, volume 12", "", "{n}")], mirror=True, label=offset(211), first=False)
TWO_LINES = Furniture(head=[("Valmont", "", "Session 2026"), ("Service des eaux", "", "{n}")], rule=True, label=decimal)

# name: (maker, language, producer, arguments); "typst" is untagged, "typst-tagged" tagged.
DOCUMENTS = {
    "invoice-one": (invoice, "en", "reportlab", {"margins": EDGE}),
    "invoice-plain": (invoice, "fr", "typst", {"margins": EDGE}),
    "invoice-lone": (invoice, "de", "fpdf2", {"lone": True, "margins": EDGE}),
    "invoice-two": (invoice, "fr", "reportlab", {"pages": 2, "furnished": True}),
    "invoice-three": (invoice, "pt", "typst", {"pages": 3, "furnished": True, "family": "sans", "size": 9}),
    "invoice-three-bare": (invoice, "en", "fpdf2", {"pages": 3}),
    "letter-one": (letter, "fr", "fpdf2", {"margins": EDGE}),
    "letter-two": (letter, "en", "typst-tagged", {"paragraphs": 11}),
    "letter-continued": (letter, "de", "reportlab", {"paragraphs": 22, "continued": True}),
    "statute-bare": (statute, "de", "reportlab", {}),
    "statute-numbered": (statute, "fr", "fpdf2", {"furniture": NUMBER}),
    "statute-headed": (statute, "pt", "typst", {"furniture": HEAD_AND_NUMBER}),
    "statute-tagged": (statute, "en", "typst-tagged", {"furniture": DASHES, "articles": 9}),
    "minutes-bare": (minutes, "en", "reportlab", {}),
    "minutes-headed": (minutes, "de", "fpdf2", {"furniture": PAGE_OF}),
    "minutes-short": (minutes, "fr", "typst", {"pages": 3, "furniture": DASHES}),
    "decisions-bare": (decisions, "en", "fpdf2", {}),
    "decisions-headed": (decisions, "pt", "reportlab", {"furniture": HEAD_AND_NUMBER}),
    "decisions-tagged": (decisions, "fr", "typst-tagged", {"count": 8, "furniture": NUMBER}),
    "slides-footed": (slides, "en", "reportlab", {}),
    "slides-bare": (slides, "de", "typst", {"foot": False}),
    "slides-few": (slides, "fr", "fpdf2", {"count": 3}),
    "table-bare": (table, "en", "reportlab", {}),
    "table-numbered": (table, "de", "fpdf2", {"furniture": DASHES, "margins": (60, 60, 60, 60), "rows": 140}),
    "table-two": (table, "fr", "typst", {"rows": 70, "ruled_rows": False}),
    "report-chapters": (report, "en", "reportlab", {"furniture": CHAPTERS, "words": True}),
    "report-draft": (report, "de", "fpdf2", {"furniture": DRAFT, "chapters": 5, "furniture_last": True}),
    "report-two-lines": (report, "fr", "typst", {"furniture": TWO_LINES}),
    "report-tagged": (report, "pt", "typst-tagged", {"furniture": CHAPTERS}),
    "report-bare": (report, "en", "fpdf2", {"chapters": 3, "page": LETTER}),
    "report-two-pages": (report, "de", "reportlab", {"chapters": 2, "furniture": PAGE_OF}),
    "book-mirrored": (book, "en", "reportlab", {"page": (420, 595), "margins": (50, 70, 50, 60), "foot": 30, "size": 10, "leading": 13}),
    "book-offset": (report, "fr", "fpdf2", {"chapters": 22, "furniture": OFFSET}),
    "notice-one": (notice, "pt", "reportlab", {"margins": EDGE}),
    "notice-tagged": (notice, "fr", "typst-tagged", {}),
    "survey-headed": (survey, "en", "reportlab", {"furniture": PAGE_OF}),
    "survey-bare": (survey, "de", "typst", {"stations": 60}),
    "survey-three": (survey, "en", "fpdf2", {"stations": 22, "furniture": NUMBER, "leading": 15}),
    "paper-formulas": (paper, "en", "fpdf2", {"furniture": NUMBER}),
    "paper-bare": (paper, "de", "typst", {"page": A4}),
    "scan-report": (report, "en", "reportlab", {"chapters": 2, "furniture": PAGE_OF, "furniture_size": 11}),
    "scan-statute": (statute, "de", "fpdf2", {"articles": 4, "furniture": NUMBER, "furniture_size": 11}),
}
