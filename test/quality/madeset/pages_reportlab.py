"""The producer ReportLab: documents as flowables on frames."""

from html import escape

from reportlab.graphics.shapes import Drawing, Rect, String
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import BaseDocTemplate, Frame, PageBreak, PageTemplate, Paragraph, Preformatted, Spacer, Table, TableStyle

LARGE = {"large": (1.6, 1.25, 1.1), "large upright": (1.7, 1.35, 1.15), "bold": (1, 1, 1), "capitals": (1.1, 1, 1)}


class Styles:
    def __init__(self, s, rng):
        self.s = s
        self.regular, self.bold = ("Times-Roman", "Times-Bold") if s.serif else ("Helvetica", "Helvetica-Bold")
        lead = rng.choice([1.15, 1.25, 1.4])
        self.text = ParagraphStyle("text", fontName=self.regular, fontSize=s.size, leading=s.size * lead, alignment=4 if s.justify else 0,
                                   firstLineIndent=s.size * 1.4 if s.indent else 0, spaceAfter=0 if s.indent else s.size * 0.6)
        self.plain = ParagraphStyle("plain", parent=self.text, firstLineIndent=0, alignment=0)
        self.item_gap, self.small = rng.choice([0, s.size * 0.25]), ParagraphStyle("small", parent=self.plain, fontSize=s.size * 0.9, leading=s.size * 1.1)
        self.cell_bold, self.wide = rng.random() < 0.7, rng.random() < 0.4

    def heading(self, level):
        s = self.s
        size = s.size * LARGE[s.heading][level - 1]
        return ParagraphStyle("heading", fontName=self.regular if s.heading == "large upright" else self.bold, fontSize=size, leading=size * 1.2,
                              textColor=colors.HexColor(s.colour), spaceBefore=size * 0.9, spaceAfter=size * 0.45, keepWithNext=1)

    def item(self, depth):
        return ParagraphStyle("item", parent=self.plain, leftIndent=depth * self.s.size * 1.5, bulletIndent=(depth - 1) * self.s.size * 1.5 + 3,
                              spaceAfter=self.item_gap, bulletFontName=self.regular, bulletFontSize=self.s.size)


def table(b, st, width):
    look, columns = b["look"], len(b["align"])
    grid = [[""] * columns for _ in b["rows"]]
    commands = [("VALIGN", (0, 0), (-1, -1), "TOP")]
    wide = any(len(c[0]) > 38 for r in b["rows"] for c in r)
    taken = set()
    for y, cells in enumerate(b["rows"]):
        x = 0
        for text, rows, span in cells:
            while (y, x) in taken:
                x += 1
            bold = y < b["head"] and st.cell_bold
            style = ParagraphStyle("cell", parent=st.small, fontName=st.bold if bold else st.regular, alignment=2 if b["align"][x] == "r" and span == 1 else 1 if span > 1 else 0, spaceAfter=0)
            grid[y][x] = Paragraph(escape(text), style)
            if rows > 1 or span > 1:
                commands.append(("SPAN", (x, y), (x + span - 1, y + rows - 1)))
            taken |= {(y + i, x + k) for i in range(rows) for k in range(span)}
            x += span
    ink = (0.5, colors.black)
    commands += {"grid": [("GRID", (0, 0), (-1, -1), *ink)], "rows": [("LINEBELOW", (0, b["head"] - 1), (-1, -1), *ink)],
                 "booktabs": [("LINEABOVE", (0, 0), (-1, 0), 1, colors.black), ("LINEBELOW", (0, b["head"] - 1), (-1, b["head"] - 1), *ink), ("LINEBELOW", (0, -1), (-1, -1), 1, colors.black)],
                 "under head": [("LINEBELOW", (0, b["head"] - 1), (-1, b["head"] - 1), *ink)],
                 "head shaded": [("BACKGROUND", (0, 0), (-1, b["head"] - 1), colors.HexColor("#d5dfe8"))],
                 "shaded": [("BACKGROUND", (0, y), (-1, y), colors.HexColor("#eeeeee")) for y in range(1, len(grid), 2)],
                 "striped columns": [("BACKGROUND", (x, 0), (x, -1), colors.HexColor("#eeeeee")) for x in range(1, columns, 2)]}.get(look, [])
    full = wide or st.wide or columns > 4
    widths = [width / columns] * columns if full else [min(width / columns, 95)] * columns
    out = [Spacer(1, 6), Table(grid, colWidths=widths, style=TableStyle(commands), hAlign="LEFT"), Spacer(1, 4)]
    return out + [Paragraph(escape(n), st.small) for n in b["notes"]] + [Spacer(1, 6)]


def chart(bars):
    d = Drawing(260, len(bars) * 16 + 4)
    for i, (name, value) in enumerate(bars):
        y = (len(bars) - 1 - i) * 16
        d.add(String(0, y + 2, name, fontSize=8))
        d.add(Rect(70, y, value * 1.5, 10, fillColor=colors.HexColor("#6688aa"), strokeColor=None))
        d.add(String(76 + value * 1.5, y + 2, str(value), fontSize=8))
    return d


def flowables(document, st, width):
    s, out = document.style, []
    for b in document.blocks:
        match b["kind"]:
            case "heading":
                text = b["text"].upper() if s.heading == "capitals" else b["text"]
                out.append(Paragraph(escape(text), st.heading(b["level"])))
            case "paragraph":
                lead = f"<b>{escape(b['lead'])}</b> " if b["lead"] else ""
                out.append(Paragraph(lead + escape(b["text"]), st.text))
            case "item":
                out.append(Paragraph(escape(b["text"]), st.item(b["depth"]), bulletText=b["mark"] or (s.bullet if s.bullet != "\u25aa" else "\u2022")))
            case "caption":
                out.append(Paragraph(escape(b["text"]), st.small))
            case "table":
                out += table(b, st, width)
            case "code":
                out.append(Preformatted("\n".join(b["lines"]), ParagraphStyle("code", fontName="Courier", fontSize=s.size * 0.85, leading=s.size * 1.1, spaceAfter=6)))
            case "lines":
                out.append(Paragraph("<br/>".join(map(escape, b["lines"])), st.plain))
            case "pairs":
                out.append(Table([b["rows"]] and [[Paragraph("<br/>".join(map(escape, column)), st.plain) for column in zip(*b["rows"])]], hAlign="LEFT"))
            case "chart":
                out.append(chart(b["bars"]))
            case "page":
                out.append(PageBreak())
    return out


def draw(document, path, rng):
    s = document.style
    st = Styles(s, rng)
    width, height = (720, 405) if s.slides else A4
    margin, gap = 48, 18
    span = (width - 2 * margin - gap * (s.columns - 1)) / s.columns
    frames = [Frame(margin + i * (span + gap), margin, span, height - 2 * margin, 0, 0, 0, 0) for i in range(s.columns)]
    template = BaseDocTemplate(str(path), pagesize=(width, height), invariant=1, pageTemplates=[PageTemplate(frames=frames)])
    template.build(flowables(document, st, span))
