"""The producer Typst: breaks lines and pages itself, and writes tagged PDF.

Each word of the body is in one box with a mark that says on which page it came to
stand; Typst's own query reads the marks. The furniture needs the number of pages
and their chapters, so the document is set twice: it stands in the margins, and
does not move the body.
"""

import json
import pathlib
import tempfile

import typst

from document import Page

FAMILIES = {"serif": "Libertinus Serif", "sans": "DejaVu Sans Mono"}  # fonts that Typst brings along

PREAMBLE = """
#set page(width: {width}pt, height: {height}pt, margin: (left: {left}pt, top: {top}pt, right: {right}pt, bottom: {bottom}pt),
  columns: {columns}, header-ascent: 0pt, footer-descent: 0pt,
  header: context [#head.at(here().page() - 1, default: [])], footer: context [#foot.at(here().page() - 1, default: [])])
#set text(font: "{family}", size: {size}pt, hyphenate: false, lang: "{language}")
#set par(leading: {lead}pt, spacing: {spacing}pt, justify: {justify})
#show heading.where(level: 1): set text(size: {h1}pt)
#show heading.where(level: 2): set text(size: {h2}pt)
#let w(block, t) = box[#context [#metadata((block: block, word: t, page: here().page()))<w>]#t]
"""


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def words(number, text):
    return " ".join(f"#w({number}, {quote(word)})" for word in text.split())


def block_source(number, block, style):
    match block:
        case (("h1" | "h2") as level, text):
            return f"#heading(level: {level[1]})[{words(number, text)}]\n"
        case ("p", text):
            return f"{words(number, text)}\n\n"
        case ("line", text, align):
            side = {"L": "left", "C": "center", "R": "right"}[align]
            return f"#block(width: 100%, spacing: {style.leading - style.size * 0.7}pt)[#align({side})[{words(number, text)}]]\n"
        case ("row", cells):
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


def source(document, pages):
    s = document.style
    left, top, right, bottom = s.margins
    preamble = PREAMBLE.format(
        width=s.page[0], height=s.page[1], left=left, top=top, right=right, bottom=bottom, columns=s.columns,
        family=FAMILIES[s.family], size=s.size, language=document.language, lead=s.leading - s.size * 0.7,
        spacing=s.leading - s.size * 0.7 + s.gap, justify="true" if s.family == "serif" else "false", h1=s.size * 1.6, h2=s.size * 1.2)
    body = ""
    for i, block in enumerate(document.body):
        body += block_source(i, block, s)
        if block[0] == "bottom" and i + 1 < len(document.body):
            body += "#pagebreak()\n"
    return furniture_source(document, pages) + preamble + body


def read_pages(path, document):
    """The pages of a document as Typst laid it out: a string for each block and page."""
    pages, last = [], None
    for mark in json.loads(typst.query(str(path), "<w>", field="value")):
        while len(pages) < mark["page"]:
            pages.append(Page(chapter=pages[-1].chapter if pages else ""))
        page = pages[mark["page"] - 1]
        block = document.body[mark["block"]]
        if block[0] == "h1" and last != (mark["block"], mark["page"]):
            page.chapter, page.opens = block[1], True
        if last == (mark["block"], mark["page"]):
            page.body[-1] += " " + mark["word"]
        else:
            page.body.append(mark["word"])
        last = mark["block"], mark["page"]
    return pages


def draw(document, path):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "main.typ")
        pages = []
        for _ in range(2):
            file.write_text(source(document, pages))
            pages = read_pages(file, document)
        typst.compile(str(file), output=str(path), pdf_tags=document.tagged)
    return pages
