"""Producers that draw strings at places: ReportLab and fpdf2.

The lines are broken and the pages filled here, so that each string and its page
are known when they are drawn. Distances are points from the upper left corner.
"""

from datetime import datetime, timezone

import fpdf
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from document import Page

MADE = datetime(2026, 1, 2, tzinfo=timezone.utc)
CELL_PADDING = 4
HEADINGS = {"h1": 1.6, "h2": 1.2}  # of the size of the text


class ReportLab:
    fonts = {("serif", False): "Times-Roman", ("serif", True): "Times-Bold",
             ("sans", False): "Helvetica", ("sans", True): "Helvetica-Bold"}

    def __init__(self, path, document):
        self.style, self.height = document.style, document.style.page[1]
        self.canvas = Canvas(str(path), pagesize=document.style.page, invariant=1)
        self.canvas.setTitle(document.title or document.name)

    def width(self, text, bold, size):
        return stringWidth(text, self.fonts[self.style.family, bold], size)

    def text(self, x, y, text, bold, size):
        self.canvas.setFont(self.fonts[self.style.family, bold], size)
        self.canvas.drawString(x, self.height - y, text)

    def rule(self, x1, y, x2):
        self.canvas.setLineWidth(0.5)
        self.canvas.line(x1, self.height - y, x2, self.height - y)

    def outline(self, title, key):
        self.canvas.bookmarkPage(key)
        self.canvas.addOutlineEntry(title, key)

    def begin_page(self):
        pass

    def end_page(self):
        self.canvas.showPage()

    def save(self):
        self.canvas.save()


class FPDF2:
    fonts = {"serif": "Times", "sans": "Helvetica"}

    def __init__(self, path, document):
        self.path, self.style = path, document.style
        self.pdf = fpdf.FPDF(unit="pt", format=document.style.page)
        self.pdf.set_auto_page_break(False)
        self.pdf.set_title(document.title or document.name)
        self.pdf.set_creation_date(MADE)

    def set_font(self, bold, size):
        self.pdf.set_font(self.fonts[self.style.family], style="B" if bold else "", size=size)

    def width(self, text, bold, size):
        self.set_font(bold, size)
        return self.pdf.get_string_width(text)

    def text(self, x, y, text, bold, size):
        self.set_font(bold, size)
        self.pdf.text(x, y, text)

    def rule(self, x1, y, x2):
        self.pdf.set_line_width(0.5)
        self.pdf.line(x1, y, x2, y)

    def outline(self, title, key):
        pass

    def begin_page(self):
        self.pdf.add_page()

    def end_page(self):
        pass

    def save(self):
        self.pdf.output(str(self.path))


class Flow:
    """Fills pages with the blocks of a body."""

    def __init__(self, document, width):
        self.style, self.width = document.style, width
        self.left, self.top, right, bottom = self.style.margins
        self.bottom = self.style.page[1] - bottom
        between = 18
        self.span = (self.style.page[0] - self.left - right - between * (self.style.columns - 1)) / self.style.columns
        self.step = self.span + between
        self.pages, self.chapter = [], ""
        self.next_page()

    def next_page(self):
        self.pages.append(Page(chapter=self.chapter))
        self.column, self.y = 0, self.top

    def next_column(self):
        if self.column + 1 < self.style.columns:
            self.column, self.y = self.column + 1, self.top
        else:
            self.next_page()

    def make_room(self, height):
        if self.y + height > self.bottom + 0.01:
            self.next_column()

    def draw(self, text, x, baseline, bold=False, size=None, either=False):
        page = self.pages[-1]
        (page.either if either else page.body).append(text)
        page.marks.append(("text", x, baseline, text, bold, size or self.style.size))

    def aligned(self, text, align, bold, size):
        x = self.left + self.column * self.step
        free = self.span - self.width(text, bold, size)
        return x + {"L": 0, "C": free / 2, "R": free}[align]

    def break_lines(self, text, span, bold, size):
        lines, line = [], ""
        for word in text.split():
            longer = f"{line} {word}".strip()
            if line and self.width(longer, bold, size) > span:
                lines.append(line)
                longer = word
            line = longer
        return lines + [line]

    def place(self, block):
        style = self.style
        match block:
            case (("h1" | "h2") as level, text):
                size = style.size * HEADINGS[level]
                self.make_room(size * 1.3 + 3 * style.leading)
                if level == "h1":
                    self.chapter = self.pages[-1].chapter = text
                    self.pages[-1].opens = True
                for line in self.break_lines(text, self.span, True, size):
                    self.draw(line, self.left + self.column * self.step, self.y + size, True, size)
                    self.y += size * 1.3
                self.y += style.gap
            case ("p", text):
                for line in self.break_lines(text, self.span, False, style.size):
                    self.make_room(style.leading)
                    self.draw(line, self.left + self.column * self.step, self.y + style.size)
                    self.y += style.leading
                self.y += style.gap
            case ("line", text, align):
                self.make_room(style.leading)
                self.draw(text, self.aligned(text, align, False, style.size), self.y + style.size)
                self.y += style.leading
            case (("row" | "again") as kind, cells):
                self.place_row(cells, kind == "again")
            case ("gap", points):
                self.y += points
            case ("bottom", text, align):
                self.draw(text, self.aligned(text, align, False, style.size), self.bottom - style.leading + style.size)
                self.next_page()
            case ("break",):
                self.next_page()

    def place_row(self, cells, either):
        style = self.style
        height = style.leading + 2 * CELL_PADDING
        self.make_room(height)
        x0 = self.left + self.column * self.step
        first = self.span * 0.4 if len(cells) > 2 else self.span / len(cells)  # names are longer than figures
        rest = (self.span - first) / max(1, len(cells) - 1)
        for i, cell in enumerate(cells):
            x = x0 + (0 if i == 0 else first + (i - 1) * rest) + CELL_PADDING
            self.draw(cell, x, self.y + CELL_PADDING + style.size, either=either)
        if style.ruled_rows:
            self.pages[-1].marks.append(("rule", x0, self.y + height, x0 + self.span))
        self.y += height


def draw_furniture(out, document, index, count, page):
    style = document.style
    width, height = style.page
    left, _, right, _ = style.margins
    pitch = style.furniture_size * 1.25
    for where in ("head", "foot"):
        lines = document.furniture.lines(where, index, count, page.chapter, page.opens)
        y = style.head if where == "head" else height - style.foot - pitch * (len(lines) - 1)
        if lines and document.furniture.rule:
            out.rule(left, y + pitch * (len(lines) - 1) + 5 if where == "head" else y - pitch - 3, width - right)
        for line in lines:
            for text, place in zip(line, (0, 0.5, 1)):
                if text:
                    free = width - left - right - out.width(text, False, style.furniture_size)
                    out.text(left + free * place, y, text, False, style.furniture_size)
            y += pitch


def draw_body(out, style, page):
    for mark in page.marks:
        if mark[0] == "rule":
            out.rule(*mark[1:])
            continue
        _, x, y, text, bold, size = mark
        for word in text.split() if style.words else [text]:
            out.text(x, y, word, bold, size)
            x += out.width(word + " ", bold, size)


def draw(document, path, maker):
    """Writes a document with one of the classes above and returns its pages."""
    out = maker(path, document)
    flow = Flow(document, out.width)
    for block in document.body:
        flow.place(block)
    pages = flow.pages
    if not pages[-1].body:
        pages.pop()
    for index, page in enumerate(pages):
        out.begin_page()
        if page.opens:
            out.outline(page.chapter, f"chapter{index}")
        if not document.style.furniture_last:
            draw_furniture(out, document, index, len(pages), page)
        draw_body(out, document.style, page)
        if document.style.furniture_last:
            draw_furniture(out, document, index, len(pages), page)
        out.end_page()
    out.save()
    return pages
