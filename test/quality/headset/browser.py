"""The producer WeasyPrint: HTML with running heads in the margin boxes of pages.

It breaks lines and pages itself; its tree of boxes says which text came to stand
on which page, and whether in a margin. As the furniture needs the number of pages
and their chapters, the document is laid out twice.
"""

import html

from weasyprint import HTML
from weasyprint.formatting_structure import boxes

from document import Page

FAMILIES = {"serif": "DejaVu Serif", "sans": "DejaVu Sans"}
SIDES = {"L": "left", "C": "center", "R": "right"}

SHEET = """
@page {{ size: {width}pt {height}pt; margin: {top}pt {right}pt {bottom}pt {left}pt; }}
html {{ font: {size}pt/{leading}pt "{family}"; hyphens: none; }}
body, p, h1, h2, table, section {{ margin: 0; padding: 0; }}
p {{ margin-bottom: {gap}pt; text-align: justify; orphans: 1; widows: 1; }}
h1 {{ font-size: {h1}pt; line-height: 1.3; margin-bottom: {gap}pt; }}
h2 {{ font-size: {h2}pt; line-height: 1.3; margin-bottom: {gap}pt; }}
main {{ columns: {columns}; column-gap: 18pt; column-fill: auto; }}
.filled {{ position: relative; height: {area}pt; break-after: page; }}
.filled:last-child {{ break-after: auto; }}
.bottom {{ position: absolute; bottom: 0; left: 0; right: 0; }}
table {{ width: 100%; border-collapse: collapse; table-layout: fixed; }}
td {{ padding: 4pt; border-bottom: {row}; }}
"""


def css_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\A ") + '"'


def margin_boxes(document, index, count, page):
    style, out = document.style, []
    pitch = style.furniture_size * 1.25
    for where, edge in (("head", "top"), ("foot", "bottom")):
        lines = document.furniture.lines(where, index, count, page.chapter, page.opens)
        if not lines:
            continue
        distance = style.head - style.furniture_size if where == "head" else style.foot
        padding = f"padding-{edge}: {distance}pt; vertical-align: {edge};"
        for column, side in enumerate(("left", "center", "right")):
            text = "\n".join(line[column] for line in lines)
            if not text.strip():
                continue
            rule = ""
            if document.furniture.rule and column == 0:
                rule = f"text-decoration: {'underline' if where == 'head' else 'overline'};"
            out.append(f"@{edge}-{side} {{ content: {css_string(text)}; white-space: pre; {padding} "
                       f"font-size: {style.furniture_size}pt; line-height: {pitch}pt; {rule} }}")
    return "".join(out)


def sheet(document, pages):
    s = document.style
    left, top, right, bottom = s.margins
    text = SHEET.format(width=s.page[0], height=s.page[1], left=left, top=top, right=right, bottom=bottom, size=s.size, leading=s.leading,
                        family=FAMILIES[s.family], gap=s.gap, h1=s.size * 1.6, h2=s.size * 1.2, columns=s.columns if s.columns > 1 else "auto",
                        area=s.page[1] - top - bottom - 0.5, row="0.5pt solid black" if s.ruled_rows else "none")
    for index, page in enumerate(pages):
        text += f"@page :nth({index + 1}) {{ {margin_boxes(document, index, len(pages), page)} }}\n"
    return text


def block_html(block):
    match block:
        case (("h1" | "h2") as level, text):
            return f"<{level}>{html.escape(text)}</{level}>"
        case ("p", text):
            return f"<p>{html.escape(text)}</p>"
        case ("line", text, align):
            return f'<div style="text-align: {SIDES[align]}">{html.escape(text)}</div>'
        case (("row" | "again") as kind, cells):
            first = ' style="width: 40%"' if len(cells) > 2 else ""
            return f'<tr class="{kind}">' + "".join(f"<td{first if i == 0 else ''}>{html.escape(cell)}</td>" for i, cell in enumerate(cells)) + "</tr>"
        case ("gap", points):
            return f'<div style="height: {points}pt"></div>'
        case ("bottom", text, align):
            return f'<div class="bottom" style="text-align: {SIDES[align]}">{html.escape(text)}</div>'
    raise ValueError(f"no such block: {block[0]}")


def body_html(body):
    """Pages that end with a break are sections; one with a line at its foot has the height of the page."""
    sections, section = [], []
    for block in body:
        if block != ("break",):
            section.append(block)
        if block[0] in ("break", "bottom"):
            sections.append(section)
            section = []
    if section:
        sections.append(section)
    out = ""
    for i, section in enumerate(sections):
        filled = section and section[-1][0] == "bottom"
        attributes = ' class="filled"' if filled else ' style="break-after: page"' if i + 1 < len(sections) else ""
        out += f"<section{attributes}>"
        rows = False
        for block in section:
            if (block[0] in ("row", "again")) != rows:
                out += "</table>" if rows else "<table>"
                rows = not rows
            out += block_html(block)
        out += ("</table>" if rows else "") + "</section>"
    return out


def read_page(page_box, chapter):
    page = Page(chapter=chapter)

    def walk(box, heading, either):
        if isinstance(box, boxes.MarginBox):
            return
        heading = heading or box.element_tag == "h1"
        either = either or box.element is not None and box.element.get("class") == "again"
        if isinstance(box, boxes.LineBox):
            text = " ".join("".join(b.text for b in box.descendants() if isinstance(b, boxes.TextBox)).split())
            if text:
                (page.either if either else page.body).append(text)
                if heading:
                    page.chapter = text if not page.opens else f"{page.chapter} {text}"
                    page.opens = True
            return
        for child in getattr(box, "children", ()):
            walk(child, heading, either)

    walk(page_box, False, False)
    return page


def draw(document, path):
    pages = []
    for _ in range(2):
        text = (f'<html lang="{document.language}"><head><title>{html.escape(document.title or document.name)}</title>'
                f"<style>{sheet(document, pages)}</style></head><body><main>{body_html(document.body)}</main></body></html>")
        rendered = HTML(string=text).render()
        pages = []
        for laid_out in rendered.pages:
            pages.append(read_page(laid_out._page_box, pages[-1].chapter if pages else ""))
    rendered.write_pdf(str(path), pdf_tags=document.tagged)
    return pages
