"""The producer WeasyPrint: documents as HTML with a style sheet."""

import logging
from html import escape

logging.getLogger("weasyprint").setLevel(logging.ERROR)
logging.getLogger("fontTools").setLevel(logging.ERROR)

SHEET = """
@page {{ size: {page}; margin: {margin}; }}
body {{ font: {size}pt/{leading} {family}; text-align: {align}; }}
.flow {{ columns: {columns}; column-gap: 18pt; }}
p {{ margin: {gap}; text-indent: {indent}; }}
h1, h2, h3 {{ color: {colour}; font-weight: {weight}; text-transform: {transform}; margin: 1.1em 0 .5em; text-align: left; break-after: avoid; }}
h1 {{ font-size: {h1}em; }} h2 {{ font-size: {h2}em; }} h3 {{ font-size: {h3}em; }}
.page {{ break-before: page; }}
li {{ margin: {item}; }}
ul, ul ul {{ list-style-type: "{bullet}  "; }}
table {{ border-collapse: collapse; margin: 8pt 0; {table} }}
td, th {{ padding: 3pt 7pt; text-align: left; vertical-align: top; font-weight: normal; }}
th {{ font-weight: {head}; }}
.r {{ text-align: right; }}
.grid td, .grid th {{ border: .6pt solid #333; }}
.rows tr {{ border-bottom: .5pt solid #777; }}
.booktabs {{ border-top: 1pt solid; border-bottom: 1pt solid; }} .booktabs tr.last {{ border-bottom: .6pt solid; }}
.under-head tr.last {{ border-bottom: .7pt solid; }}
.shaded tr:nth-child(even) {{ background: #e6ecf2; }}
.head-shaded th {{ background: #d9e4d0; }}
.striped-columns td:nth-child(even), .striped-columns th:nth-child(even) {{ background: #ececec; }}
.caption {{ font-size: .92em; margin: 6pt 0; text-indent: 0; }} .note {{ font-size: .85em; text-indent: 0; }}
pre {{ font: .9em "DejaVu Sans Mono", monospace; white-space: pre-wrap; }}
.pairs {{ display: flex; gap: 20pt; margin: 10pt 0; }} .pairs div {{ flex: 1; white-space: pre-line; text-align: left; }}
.lines {{ white-space: pre-line; margin: 8pt 0; text-indent: 0; text-align: left; }}
"""


def sheet(s, rng):
    large = {"large": (1.6, 1.25, 1.1), "large upright": (1.7, 1.35, 1.15), "bold": (1, 1, 1), "capitals": (1.15, 1, 1)}[s.heading]
    return SHEET.format(
        page="280mm 158mm" if s.slides else "210mm 297mm", margin="14mm" if s.columns > 2 else "20mm", size=s.size,
        leading=rng.choice([1.2, 1.3, 1.45]), family='"DejaVu Serif"' if s.serif else '"DejaVu Sans"', align="justify" if s.justify else "left",
        columns=s.columns, gap="0" if s.indent else "0 0 .7em", indent="1.5em" if s.indent else "0", colour=s.colour,
        weight="normal" if s.heading == "large upright" else "bold", transform="uppercase" if s.heading == "capitals" else "none",
        h1=large[0], h2=large[1], h3=large[2], item=rng.choice(["0", ".3em 0"]), bullet=s.bullet,
        table=rng.choice(["", "width: 100%;", "margin-left: auto; margin-right: auto;"]), head=rng.choice(["bold", "bold", "normal"]))


def row(cells, tag, first, align):
    out = ""
    for i, (text, rows, columns) in enumerate(cells):
        side = ' class="r"' if align[(first + i) % len(align)] == "r" else ""
        out += f'<{tag} rowspan="{rows}" colspan="{columns}"{side}>{escape(text)}</{tag}>'
    return out


def table(b):
    out = f'<table class="{b["look"].replace(" ", "-")}">'
    for k, cells in enumerate(b["rows"]):
        head = k < b["head"]
        last = ' class="last"' if k == b["head"] - 1 else ""
        out += f"<tr{last}>{row(cells, 'th' if head else 'td', 1 if head and k else 0, b['align'])}</tr>"
    return out + "</table>" + "".join(f'<p class="note">{escape(n)}</p>' for n in b["notes"])


def chart(bars):
    out = f'<svg width="320" height="{len(bars) * 22 + 20}" xmlns="http://www.w3.org/2000/svg">'
    for i, (name, value) in enumerate(bars):
        out += f'<text x="0" y="{i * 22 + 15}" font-size="10">{escape(name)}</text><rect x="90" y="{i * 22 + 4}" width="{value * 2}" height="14" fill="#5a7fb0"/>'
        out += f'<text x="{95 + value * 2}" y="{i * 22 + 15}" font-size="10">{value}</text>'
    return out + "</svg>"


def body(blocks, s):
    out, opened = "", []
    fresh = ""
    for i, b in enumerate(blocks):
        kind = b["kind"]
        if kind != "item":
            while opened:
                out += f"</li></{opened.pop()}>"
        if kind == "heading":
            out += f'<h{b["level"]}{fresh}>{escape(b["text"])}</h{b["level"]}>'
        elif kind == "paragraph":
            lead = f"<b>{escape(b['lead'])}</b> " if b["lead"] else ""
            out += f"<p{fresh}>{lead}{escape(b['text'])}</p>"
        elif kind == "item":
            while len(opened) > b["depth"]:
                out += f"</li></{opened.pop()}>"
            if len(opened) == b["depth"]:
                out += "</li>"
            while len(opened) < b["depth"]:
                opened.append("ol" if b["mark"] else "ul")
                out += f"<{opened[-1]}>"
            out += f"<li>{escape(b['text'])}"
        elif kind == "caption":
            out += f'<p class="caption">{escape(b["text"])}</p>'
        elif kind == "table":
            out += table(b)
        elif kind == "code":
            out += f"<pre>{escape(chr(10).join(b['lines']))}</pre>"
        elif kind == "lines":
            out += f'<p class="lines">{escape(chr(10).join(b["lines"]))}</p>'
        elif kind == "pairs":
            out += '<div class="pairs">' + "".join(f"<div>{escape(chr(10).join(column))}</div>" for column in zip(*b["rows"])) + "</div>"
        elif kind == "chart":
            out += chart(b["bars"])
        fresh = ' class="page"' if kind == "page" else ""
    while opened:
        out += f"</li></{opened.pop()}>"
    return out


def draw(document, path, rng):
    from weasyprint import HTML

    s = document.style
    HTML(string=f'<html lang="{document.language}"><head><style>{sheet(s, rng)}</style></head><body><div class="flow">{body(document.blocks, s)}</div></body></html>').write_pdf(
        str(path), pdf_tags=rng.random() < 0.3)
