"""The producer Typst: breaks lines and pages itself, and writes tagged PDF.

Each word of the body stands between two marks that say on which page they came to
stand; Typst's own query reads them. Where a page ends one mark may part from its
word; such a word is put into a box with its mark, and the document set again. The
furniture needs the number of pages and their chapters, which the run before told:
it stands in the margins, and does not move the body. What is written in the end has
no marks; make.py proves that its pages are the same.
"""

import json
import pathlib
import tempfile

import typst

from document import Page

FAMILIES = {"serif": "Libertinus Serif", "sans": "DejaVu Sans Mono"}  # fonts that Typst brings along

ATTEMPTS = 6  # a run for the pages, one for each new word in doubt, one with the furniture; two boxes are rare

PREAMBLE = """
#set page(width: {width}pt, height: {height}pt, margin: (left: {left}pt, top: {top}pt, right: {right}pt, bottom: {bottom}pt),
  columns: {columns}, header-ascent: 0pt, footer-descent: 0pt,
  header: context [#head.at(here().page() - 1, default: [])], footer: context [#foot.at(here().page() - 1, default: [])])
#set text(font: "{family}", size: {size}pt, hyphenate: false, lang: "{language}")
#set par(leading: {lead}pt, spacing: {spacing}pt, justify: {justify})
#show heading.where(level: 1): set text(size: {h1}pt)
#show heading.where(level: 2): set text(size: {h2}pt)
#let mark(block, number, t) = context [#metadata((block: block, number: number, word: t, page: here().page()))<w>]
#let w(block, number, t) = [#mark(block, number, t)#t#mark(block, number, t)]
#let boxed(block, number, t) = box[#mark(block, number, t)#t]
"""


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Source:
    """Numbers the words of a block, and knows which of them need a box (None: no marks)."""

    def __init__(self, boxed):
        self.boxed, self.count = boxed, 0

    def words(self, block, text):
        if self.boxed is None:
            return "#" + quote(text)
        out = []
        for word in text.split():
            maker = "boxed" if (block, self.count) in self.boxed else "w"
            out.append(f"#{maker}({block}, {self.count}, {quote(word)})")
            self.count += 1
        return " ".join(out)


def block_source(number, block, style, boxed):
    words = Source(boxed).words
    match block:
        case (("h1" | "h2") as level, text):
            return f"#heading(level: {level[1]})[{words(number, text)}]\n"
        case ("p", text):
            return f"{words(number, text)}\n\n"
        case ("line", text, align):
            side = {"L": "left", "C": "center", "R": "right"}[align]
            return f"#block(width: 100%, spacing: {style.leading - style.size * 0.7}pt)[#align({side})[{words(number, text)}]]\n"
        case ("row" | "again", cells):
            first = "2fr" if len(cells) > 2 else "1fr"
            columns = ", ".join([first] + ["1fr"] * (len(cells) - 1))
            content = ", ".join(f"[{words(number, cell)}]" for cell in cells)
            stroke = "(bottom: 0.5pt)" if style.ruled_rows else "none"
            return f"#block(spacing: 0pt)[#table(columns: ({columns}), stroke: {stroke}, inset: 4pt, {content})]\n"
        case ("gap", points):
            return f"#v({points}pt)\n"
        case ("bottom", text, align):
            side = {"L": "left", "C": "center", "R": "right"}[align]
            return f"#v(1fr)\n#align({side})[{words(number, text)}]\n"
        case ("break",):
            return "#pagebreak()\n"
    raise ValueError(f"no such block: {block[0]}")


def margin_source(document, where, lines):
    """The head or foot of a page: each text is placed, so that none moves another."""
    style, out = document.style, ""
    pitch = style.furniture_size * 1.25
    height = style.margins[1] if where == "head" else style.margins[3]
    first = style.head - style.furniture_size if where == "head" else height - style.foot - pitch * len(lines)
    for number, line in enumerate(lines):
        for text, side in zip(line, ("left", "center", "right")):
            if text:
                out += f"#place(top + {side}, dy: {first + number * pitch}pt)[#text(size: {style.furniture_size}pt, {quote(text)})]"
    if document.furniture.rule and lines:
        place = first + len(lines) * pitch + 2 if where == "head" else first - 5
        out += f"#place(top + left, dy: {place}pt)[#line(length: 100%, stroke: 0.5pt)]"
    return f"[#block(height: {height}pt, width: 100%)[{out}]]"


def furniture_source(document, pages):
    out = ""
    for where in ("head", "foot"):
        margins = ""
        for index, page in enumerate(pages):
            lines = document.furniture.lines(where, index, len(pages), page.chapter, page.opens)
            margins += margin_source(document, where, lines) + ", "
        out += f"#let {where} = ({margins})\n"
    return out


def source(document, pages, boxed, marked=True):
    s = document.style
    left, top, right, bottom = s.margins
    preamble = PREAMBLE.format(
        width=s.page[0], height=s.page[1], left=left, top=top, right=right, bottom=bottom, columns=s.columns,
        family=FAMILIES[s.family], size=s.size, language=document.language, lead=s.leading - s.size * 0.7,
        spacing=s.leading - s.size * 0.7 + s.gap, justify="true" if s.family == "serif" else "false", h1=s.size * 1.6, h2=s.size * 1.2)
    body = ""
    for i, block in enumerate(document.body):
        body += block_source(i, block, s, boxed if marked else None)
        if block[0] == "bottom" and i + 1 < len(document.body):
            body += "#pagebreak()\n"
    return furniture_source(document, pages) + preamble + body


def read_words(path):
    """The words as Typst laid them out, in their order, and those whose page is in doubt."""
    words, doubtful = {}, set()
    for mark in json.loads(typst.query(str(path), "<w>", field="value")):
        key = mark["block"], mark["number"]
        if words.setdefault(key, mark)["page"] != mark["page"]:
            doubtful.add(key)
    return [words[key] for key in sorted(words)], doubtful


def read_pages(words, document):
    """The pages of a document: a string for each block and page."""
    pages, last = [], None
    for mark in words:
        while len(pages) < mark["page"]:
            pages.append(Page(chapter=pages[-1].chapter if pages else ""))
        page = pages[mark["page"] - 1]
        block = document.body[mark["block"]]
        if block[0] == "h1" and last != (mark["block"], mark["page"]):
            page.chapter, page.opens = block[1], True
        texts = page.either if block[0] == "again" else page.body
        if last == (mark["block"], mark["page"]):
            texts[-1] += " " + mark["word"]
        else:
            texts.append(mark["word"])
        last = mark["block"], mark["page"]
    return pages


def draw(document, path):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "main.typ")
        pages, boxed = [], set()
        for _ in range(ATTEMPTS):
            file.write_text(source(document, pages, boxed))
            words, doubtful = read_words(file)
            before, pages = pages, read_pages(words, document)
            boxed |= doubtful
            if pages == before and not doubtful:  # the furniture is that of these pages
                file.write_text(source(document, pages, boxed, marked=False))
                typst.compile(str(file), output=str(path), pdf_tags=document.tagged)
                return pages
    raise RuntimeError(f"{document.name}: Typst's pages remain in doubt")
