"""Documents with known blocks, drawn from a random source: reports, papers, slides, letters, newspapers, tables.

A block is a dictionary with a "kind":

    heading     text, level
    paragraph   text; lead: bold words that it begins with
    item        text, depth, mark ("" for a bullet, else "1.")
    caption     text
    table       rows of cells (text, rows, columns), head: rows of the head, look, notes
    code        lines
    lines       short lines below each other: an address, labels of a form
    pairs       two or three columns of lines that are no table: addresses, signatures
    chart       labels and values of bars
    page        a new page
"""

from dataclasses import dataclass, field

from words import CITIES, LANGUAGES, NAMES, Words

LOOKS = ["grid", "rows", "booktabs", "plain", "shaded", "head shaded", "striped columns", "under head"]


@dataclass
class Style:
    """How a document looks; each producer does with it what it can."""
    size: float
    serif: bool
    heading: str  # "large", "bold", "large upright", "capitals"
    numbered: bool
    justify: bool
    indent: bool  # paragraphs begin with an indent and have no gap between them
    columns: int
    slides: bool
    bullet: str
    colour: str


@dataclass
class Document:
    name: str
    kind: str
    producer: str
    language: str
    style: Style
    blocks: list = field(default_factory=list)


def table(rng, words, look):
    """A table: its first column names the rows, the others have words, codes or figures."""
    columns, count = rng.randint(2, 6), rng.randint(3, 9)
    kinds = [rng.choice(["words", "code", "words"])] + [rng.choice(["figure", "figure", "figure", "code", "word", "wrapped"]) for _ in range(columns - 1)]
    if columns > 4:
        kinds = [k if k != "wrapped" else "word" for k in kinds]
    make = {"words": lambda: words.phrase().capitalize(), "code": words.code, "word": lambda: words.noun().capitalize(), "figure": words.figure,
            "wrapped": lambda: words.sentence()[:rng.randint(40, 70)].rsplit(" ", 1)[0]}
    rows, head = [], 1
    names = [words.noun().capitalize() for _ in range(columns)]
    if columns >= 3 and rng.random() < 0.3:  # heads of two levels
        head, left = 2, columns - 1
        over, k = [(names[0], 2, 1)], 1
        while left:
            span = min(left, rng.randint(1, 3))
            if left - span == 1 and span > 1:
                span -= 1
            over.append((words.noun().capitalize() if rng.random() < 0.7 else str(rng.randint(2015, 2026)), 1, span))
            left -= span
            k += span
        rows += [over, [(n, 1, 1) for n in names[1:]]]
    else:
        rows.append([(n, 1, 1) for n in names])
    for _ in range(count):
        rows.append([(make[k]() if i == 0 or rng.random() > 0.06 else "", 1, 1) for i, k in enumerate(kinds)])
    if "figure" in kinds and rng.random() < 0.2:
        rows.append([("Total", 1, 1)] + [(words.figure() if k == "figure" else "", 1, 1) for k in kinds[1:]])
    notes = [f"* {words.sentence()}"] if rng.random() < 0.2 else []
    return {"kind": "table", "rows": rows, "head": head, "look": look, "notes": notes, "align": ["l" if k != "figure" else "r" for k in kinds]}


class Maker:
    def __init__(self, rng, style, language):
        self.rng, self.style, self.words = rng, style, Words(rng, language)
        self.numbers, self.tables, self.out = [0, 0, 0], 0, []

    def add(self, kind, **values):
        self.out.append({"kind": kind, **values})

    def heading(self, level):
        self.numbers[level - 1] += 1
        self.numbers[level:] = [0] * (3 - level)
        text = self.words.title()
        if self.style.numbered:
            text = ".".join(map(str, self.numbers[:level])) + " " + text
        self.add("heading", text=text, level=level)

    def paragraph(self, least=2, most=5, lead=0.0):
        lead = self.words.title() + "." if self.rng.random() < lead else ""
        self.add("paragraph", text=self.words.paragraph(least, most), lead=lead)

    def items(self, deep=True, short=False):
        ordered = self.rng.random() < 0.35
        for i in range(self.rng.randint(2, 6)):
            text = self.words.title() if short else self.words.item()
            self.add("item", text=text, depth=1, mark=f"{i + 1}." if ordered else "")
            if deep and self.rng.random() < 0.2:
                for _ in range(self.rng.randint(1, 3)):
                    self.add("item", text=self.words.title(), depth=2, mark="")

    def table(self, look=None, captions=0.7):
        self.tables += 1
        captioned = self.rng.random() < captions
        below = self.rng.random() < 0.2
        caption = f"Table {self.tables}{self.rng.choice([':', '.'])} {self.words.title()}"
        if captioned and not below:
            self.add("caption", text=caption)
        self.out.append(table(self.rng, self.words, look or self.rng.choice(LOOKS)))
        if captioned and below:
            self.add("caption", text=caption)

    def code(self):
        lines = [f"{self.words.noun()} = read({self.words.noun()!r}, {self.rng.randint(1, 99)})".encode("ascii", "ignore").decode() for _ in range(self.rng.randint(2, 5))]
        self.add("code", lines=lines)

    def pairs(self):
        """Addresses or signatures side by side."""
        columns = self.rng.randint(2, 3)
        people = self.rng.sample(NAMES, columns)
        self.add("pairs", rows=[people, [self.words.title()[:22].rsplit(" ", 1)[0] for _ in people],
                                [f"{self.rng.randint(1, 99)} {self.words.noun().capitalize()}" for _ in people],
                                [f"{self.rng.randint(1000, 9999)} {self.rng.choice(CITIES)}" for _ in people]])

    def chart(self):
        self.add("chart", bars=[(self.words.noun().capitalize(), self.rng.randint(5, 100)) for _ in range(self.rng.randint(3, 7))])

    def lines(self):
        self.add("lines", lines=[f"{self.words.noun().capitalize()}: {self.words.title() if self.rng.random() < 0.7 else '.' * 30}" for _ in range(self.rng.randint(3, 7))])


def report(m):
    m.add("heading", text=m.words.title(), level=1) if m.rng.random() < 0.5 and not m.style.numbered else None
    for _ in range(m.rng.randint(2, 4)):
        m.heading(1)
        m.paragraph()
        for _ in range(m.rng.randint(1, 3)):
            if m.rng.random() < 0.6:
                m.heading(2)
            for _ in range(m.rng.randint(1, 3)):
                m.paragraph(lead=0.2)
            kind = m.rng.random()
            if kind < 0.4:
                m.paragraph(1, 2)
                m.items()
            elif kind < 0.6:
                m.table()
                m.paragraph()
            elif kind < 0.7:
                m.code()
                m.paragraph()
            elif kind < 0.78:
                m.chart()
                m.paragraph()


def slides(m):
    for i in range(m.rng.randint(5, 9)):
        if i:
            m.add("page")
        m.add("heading", text=m.words.title(), level=1)
        kind = m.rng.random()
        if kind < 0.15:
            m.table(captions=0.2)
        elif kind < 0.25:
            m.paragraph(1, 2)
            m.items(short=True)
        else:
            m.items(short=m.rng.random() < 0.7)


def letter(m):
    m.pairs()
    m.paragraph(1, 1)
    m.add("heading", text=m.words.title(), level=1)
    for _ in range(m.rng.randint(2, 4)):
        m.paragraph()
    m.lines()
    if m.rng.random() < 0.5:
        m.items()
    m.paragraph(1, 2)
    m.pairs()


def news(m):
    m.add("heading", text=m.words.title(), level=1)
    for _ in range(m.rng.randint(3, 6)):
        if m.rng.random() < 0.7:
            m.add("heading", text=m.words.title(), level=2)
        for _ in range(m.rng.randint(2, 5)):
            m.paragraph(2, 6)


def tables(m):
    m.heading(1)
    for _ in range(m.rng.randint(3, 5)):
        m.paragraph(1, 3)
        m.table()
        if m.rng.random() < 0.5:
            m.paragraph(1, 2)
        if m.rng.random() < 0.3:
            m.heading(2)


def misleading(m):
    """What looks like tables and is none."""
    m.heading(1)
    for _ in range(m.rng.randint(3, 5)):
        m.paragraph(1, 2)
        m.rng.choice([m.pairs, m.chart, m.lines, m.items, m.items])()


KINDS = {"report": report, "paper": report, "slides": slides, "letter": letter, "news": news, "tables": tables, "misleading": misleading}


def style(rng, kind):
    columns = {"paper": 2, "news": rng.choice([2, 3])}.get(kind, 1)
    return Style(
        size=rng.choice([18, 20, 24]) if kind == "slides" else rng.choice([9, 10, 10, 11, 12]) - (columns > 2),
        serif=rng.random() < 0.5, heading=rng.choice(["large", "large", "bold", "large upright", "capitals"]),
        numbered=kind in ("report", "paper", "tables") and rng.random() < 0.5, justify=columns > 1 or rng.random() < 0.4,
        indent=kind == "news" or rng.random() < 0.25, columns=columns, slides=kind == "slides",
        bullet=rng.choice(["\u2022", "\u2022", "\u2013", "-", "\u25aa"]), colour=rng.choice(["#000000", "#000000", "#1a4f8a", "#8a1a1a"]))


def make(name, kind, producer, rng):
    s, language = style(rng, kind), rng.choice(LANGUAGES)
    m = Maker(rng, s, language)
    KINDS[kind](m)
    return Document(name, kind, producer, language, s, m.out)
