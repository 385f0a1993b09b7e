"""Reads what is known of PDF files of packages from their HTML twins.

    python twins.py FOLDER PACKAGES

PACKAGES has a folder for each unpacked package (`dpkg -x`, by its name). Each PDF is
copied into FOLDER with a label: headings, items, captions, paragraphs and tables of
the twin. What is of the site around them (navigation) is left out. Twins are found
by the table below; packages that are not there are passed over.
"""

import gzip
import json
import pathlib
import re
import sys
from html.parser import HTMLParser

# package: half, origin (what made both), PDF, HTML files
TWINS = [
    ("debian-policy", "looked-at", "sphinx", "usr/share/doc/debian-policy/policy.pdf.gz", "usr/share/doc/debian-policy/policy.html/*.html"),
    ("debmake-doc", "looked-at", "docbook", "usr/share/doc/debmake-doc/debmake-doc.en.pdf", "usr/share/doc/debmake-doc/html/*.en.html"),
    ("debian-faq-fr", "looked-at", "docbook", "usr/share/doc/debian/FAQ/debian-faq.fr.pdf.gz", "usr/share/doc/debian/FAQ/fr/*.html"),
    ("haskell98-report", "looked-at", "tex4ht", "usr/share/doc/haskell98-report/haskell98-report.pdf.gz", "usr/share/doc/haskell98-report/html/haskell98-report-html/*.html"),
    ("dynare-doc", "looked-at", "sphinx", "usr/share/doc/dynare/dynare-manual.pdf.gz", "usr/share/doc/dynare/dynare.html/*.html"),
    ("octave-doc", "looked-at", "texinfo", "usr/share/doc/octave/liboctave.pdf", "usr/share/doc/octave/liboctave.html/*.html"),
    ("developers-reference", "left-out", "sphinx", "usr/share/developers-reference/developers-reference.pdf", "usr/share/developers-reference/*.html"),
    ("debian-reference-en", "left-out", "docbook", "usr/share/debian-reference/debian-reference.en.pdf", "usr/share/debian-reference/*.en.html"),
    ("maint-guide", "left-out", "docbook", "usr/share/doc/maint-guide/maint-guide.en.pdf", "usr/share/doc/maint-guide/html/*.en.html"),
    ("debian-faq-it", "left-out", "docbook", "usr/share/doc/debian/FAQ/debian-faq.it.pdf.gz", "usr/share/doc/debian/FAQ/it/*.html"),
    ("debian-history", "left-out", "docbook", "usr/share/doc/debian-history/docs/project-history.de.pdf", "usr/share/doc/debian-history/docs/*.de.html"),
    ("dblatex-doc", "left-out", "dblatex", "usr/share/doc/dblatex/manual.pdf.gz", "usr/share/doc/dblatex/xhtml/manual/*.html"),
    ("zsh-doc", "left-out", "texinfo", "usr/share/doc/zsh-common/zsh.pdf", "usr/share/doc/zsh-common/html/*.html"),
    ("libcfitsio-doc", "left-out", "latex2html", "usr/share/doc/libcfitsio-dev/cfitsio.pdf.gz", "usr/share/doc/libcfitsio-dev/cfitsio/*.html"),
]

HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
BREAKS = {"p", "div", "ul", "ol", "dl", "dt", "dd", "table", "pre", "blockquote", "section", "hr"} | HEADINGS | {"li", "caption", "figcaption"}
VOID = {"br", "hr", "img", "meta", "link", "input", "col", "wbr", "area", "base"}
AROUND = re.compile(r"\b(nav\w*|toc\w*|sphinxsidebar\w*|related|footer|header|footnotes?|contents|sidebar\w*|wy-nav\S*|rst-\S+|crumbs|index|genindex\S*)\b")


class Twin(HTMLParser):
    def __init__(self):
        super().__init__()
        self.blocks, self.tables = [], []
        self.stack, self.kind, self.text, self.skip = [], "other", "", 0
        self.rows, self.cell, self.depth = None, None, 0

    def flush(self):
        text = " ".join(self.text.split()).replace("\u00b6", "").replace("\uf0c1", "").strip()
        if text and self.rows is None:
            self.blocks.append({"kind": self.kind, "text": text})
            self.kind = "paragraph" if self.kind == "item" else self.kind  # what else an item has
        self.text = ""

    def handle_starttag(self, tag, attributes):
        if tag in VOID:
            self.text += " " if tag == "br" else ""
            return
        a = dict(attributes)
        name = f"{a.get('class') or ''} {a.get('id') or ''} {a.get('role') or ''}"
        hides = tag in ("script", "style", "nav", "head", "footer") or bool(AROUND.search(name)) and tag not in ("body", "html", "h1", "h2", "h3", "h4", "section")
        self.stack.append((tag, hides))
        self.skip += hides
        if self.skip:
            return
        if tag == "table":
            self.flush()
            self.depth += 1
            self.rows = [] if self.depth == 1 else self.rows
        elif self.rows is not None and self.depth == 1 and tag == "tr":
            self.rows.append([])
        elif self.rows is not None and self.depth == 1 and tag in ("td", "th") and self.rows:
            number = lambda k: int(a[k]) if (a.get(k) or "").isdigit() else 1
            self.cell = ["", number("rowspan"), number("colspan")]
            self.rows[-1].append(self.cell)
        elif self.rows is None and tag in BREAKS:
            self.flush()
            if tag in HEADINGS:
                self.kind = "heading"
            elif tag == "li":
                self.kind = "item"
            elif tag in ("caption", "figcaption"):
                self.kind = "caption"
            elif tag == "p" and self.kind != "item":
                self.kind = "caption" if "title" in name.split() and self.near("table", "figure") else "paragraph"
            elif tag not in ("p", "div"):
                self.kind = "other"

    def near(self, *names):
        return any(names_in in str(self.stack[-3:]) for names_in in names)

    def handle_endtag(self, tag):
        if tag in VOID or not any(t == tag for t, _ in self.stack):
            return
        if not self.skip and tag in BREAKS and self.rows is None:
            self.flush()
            self.kind = "other" if tag in HEADINGS or tag in ("li", "pre", "caption") else self.kind
            self.kind = "paragraph" if tag == "p" else self.kind
        if tag == "table" and self.depth and not self.skip:
            self.depth -= 1
            if self.depth == 0:
                self.end_table()
        if tag in ("td", "th") and self.depth == 1:
            self.cell = None
        while True:
            t, hides = self.stack.pop()
            self.skip -= hides
            if t == tag:
                return

    def end_table(self):
        rows, self.rows, self.cell = [r for r in self.rows if r], None, None
        self.kind, self.text = "other", ""
        if len(rows) < 2 or max(map(len, rows)) < 2:
            for cells in rows:  # what is set by a table and is none
                self.blocks += [{"kind": "other", "text": " ".join(c[0].split())} for c in cells if c[0].strip()]
            return
        taken, cells = set(), []
        for y, row in enumerate(rows):
            x = 0
            for text, height, width in row:
                while (y, x) in taken:
                    x += 1
                height = min(height, len(rows) - y)
                taken |= {(y + i, x + k) for i in range(height) for k in range(width)}
                cells.append({"r0": y, "r1": y + height - 1, "c0": x, "c1": x + width - 1, "text": " ".join(text.split())})
                x += width
        self.tables.append({"page": 1, "cells": cells})
        self.blocks.append({"kind": "table", "text": ""})

    def handle_data(self, data):
        if self.skip:
            return
        if self.rows is not None:
            if self.cell is not None:
                self.cell[0] += data
        elif self.stack and data:
            self.text += data


def main():
    folder, packages = map(pathlib.Path, sys.argv[1:3])
    for package, half, origin, pdf, pages in TWINS:
        file = packages / package / pdf
        if not file.exists():
            print(f"made set: no {package}", file=sys.stderr)
            continue
        data = file.read_bytes()
        blocks, tables = [], []
        for page in sorted((packages / package).glob(pages)):
            if re.search(r"index|search|modindex|_toc|abt", page.name) and "genindex" in page.name:
                continue
            twin = Twin()
            twin.feed(page.read_text(errors="replace"))
            twin.flush()
            blocks += twin.blocks
            tables += twin.tables
        target = folder / f"twin-{package}.pdf"
        target.write_bytes(gzip.decompress(data) if file.suffix == ".gz" else data)
        label = {"half": half, "origin": f"package, {origin}", "blocks": blocks, "tables": tables}
        target.with_suffix(".json").write_text(json.dumps(label, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
