"""What a document of the set is before it is drawn: body, furniture, style.

A body is a list of blocks, each a tuple whose first item is its kind:

    ("h1", text)            a chapter's head; running heads of chapters show it
    ("h2", text)            a smaller head
    ("p", text)             a paragraph, set in lines by the producer
    ("line", text, align)   one line that is not broken; align is L, C or R
    ("row", [cells])        a row of a table
    ("again", [cells])      the head of a table on its next pages: it may be left out or not
    ("gap", points)         white space
    ("bottom", text, align) a line at the foot of the body area, which ends the page
    ("break",)              the next page
"""

from dataclasses import dataclass, field

A4 = (595.0, 842.0)
LETTER = (612.0, 792.0)
SLIDE = (720.0, 405.0)


@dataclass
class Style:
    """Sizes in points. Margins are left, top, right, bottom of the body area;
    head and foot are the distances of their first and last line from the edge."""

    page: tuple = A4
    margins: tuple = (70, 90, 70, 90)
    head: float = 45
    foot: float = 40
    family: str = "serif"  # or sans
    size: float = 11
    leading: float = 14
    gap: float = 7  # after a paragraph
    columns: int = 1
    furniture_size: float = 9
    words: bool = False  # canvas producers: each word is drawn by itself
    furniture_last: bool = False  # canvas producers: drawn after the body
    ruled_rows: bool = True


def decimal(index, count):
    return str(index + 1)


def offset(by):
    """Labels that begin elsewhere than at 1."""
    return lambda index, count: str(index + 1 + by)


def roman_front(front):
    """Small Roman numbers for the first pages, then from 1."""
    def label(index, count):
        return to_roman(index + 1) if index < front else str(index + 1 - front)
    return label


def prefixed(prefix):
    return lambda index, count: f"{prefix}{index + 1}"


def to_roman(n):
    out = ""
    for value, sign in ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):
        while n >= value:
            out, n = out + sign, n - value
    return out


@dataclass
class Furniture:
    """Running heads and feet. Each line is a triple: left, middle, right. In it
    {n} is the page's label, {N} the number of pages, {chapter} the chapter that
    the page belongs to (a line that names it is left out before the first)."""

    head: list = field(default_factory=list)
    foot: list = field(default_factory=list)
    label: object = decimal
    mirror: bool = False  # left and right change places on even pages
    first: bool = True  # whether the first page has any
    chapter_pages: bool = True  # whether a page on which a chapter begins has a head
    rule: bool = False

    def lines(self, where, index, count, chapter, opens):
        """The lines of one page, each three strings of which some are empty."""
        if index == 0 and not self.first or where == "head" and opens and not self.chapter_pages:
            return []
        out = []
        for line in self.head if where == "head" else self.foot:
            texts = []
            for text in line:
                if "{chapter}" in text and not chapter:
                    text = ""
                texts.append(text.format(n=self.label(index, count), N=count, chapter=chapter))
            if self.mirror and index % 2 == 1:
                texts.reverse()
            out.append(texts)
        return out if any(any(line) for line in out) else []

    def pieces(self, index, count, chapter, opens):
        """All texts of one page in the order in which they stand."""
        return [t for where in ("head", "foot") for line in self.lines(where, index, count, chapter, opens) for t in line if t]


@dataclass
class Document:
    """One document; drawn by a producer it gets pages, which are its labels."""

    name: str
    half: str
    kind: str
    language: str
    producer: str
    body: list
    furniture: Furniture
    style: Style
    tagged: bool = False
    scan: bool = False
    title: str = ""


@dataclass
class Page:
    """What a producer knows of a page: the strings of its body, those that may be
    left out or not, the chapter it belongs to, whether that begins here. Canvas producers also have marks."""

    body: list = field(default_factory=list)
    either: list = field(default_factory=list)
    chapter: str = ""
    opens: bool = False
    marks: list = field(default_factory=list)  # ("text", x, baseline, text, bold, size) or ("rule", x1, y, x2)
