"""Makes the set of PDF files that measures running heads and feet.

    python make.py FOLDER SEED

writes NAME.pdf and NAME.json for each document: what is head or foot on each of
its pages, what is body, and what is either. The labels are what was drawn; the PDF
files are read back only to prove that each page has the text of its label.
docs/quality.md describes the set.
"""

import collections
import json
import pathlib
import random
import sys
import tempfile
import unicodedata
import zlib

import pypdfium2

import browser
import canvas
import looked_at
import scan
import typeset
import unseen
from document import Document
from wording import Wording

HALVES = {"looked-at": looked_at, "unseen": unseen}


def build(half, name, recipe, seed):
    """The content of one document; its random numbers are its own, whatever others take."""
    maker, language, producer, arguments = recipe
    rng = random.Random(zlib.crc32(f"{seed} {half} {name}".encode()))
    body, furniture, style, title = maker(Wording(half, language, rng), **arguments)
    producer, _, tagged = producer.partition("-")
    kind = name.split("-")[0]
    return Document(name, half, kind, language, producer, body, furniture, style, tagged=bool(tagged), scan=kind == "scan", title=title)


def draw(document, path):
    match document.producer:
        case "reportlab":
            return canvas.draw(document, path, canvas.ReportLab)
        case "fpdf2":
            return canvas.draw(document, path, canvas.FPDF2)
        case "typst":
            return typeset.draw(document, path)
        case "weasyprint":
            return browser.draw(document, path)
    raise ValueError(f"no such producer: {document.producer}")


def signs(text):
    """The letters and digits of a text, counted; ligatures as their letters."""
    return collections.Counter(c for c in unicodedata.normalize("NFKC", text) if c.isalnum())


def check(document, path, pages):
    """Raises unless each page has the letters and digits of its label, no more and no fewer."""
    pdf = pypdfium2.PdfDocument(str(path))
    if len(pdf) != len(pages):
        raise ValueError(f"{len(pdf)} pages, labels of {len(pages)}")
    for i, (drawn, page) in enumerate(zip(pdf, pages)):
        label = document.furniture.pieces(i, len(pages), page.chapter, page.opens) + page.body + page.either
        if signs(drawn.get_textpage().get_text_range()) != signs(" ".join(label)):
            raise ValueError(f"page {i + 1} is not what its label says")
    pdf.close()


def write(document, folder):
    path = folder / f"{document.half}-{document.name}.pdf"
    if document.scan:
        with tempfile.TemporaryDirectory() as scratch:
            drawn = pathlib.Path(scratch, "drawn.pdf")
            pages = draw(document, drawn)
            check(document, drawn, pages)
            scan.draw(drawn, path)
    else:
        pages = draw(document, path)
        check(document, path, pages)
    label = {"half": document.half, "kind": document.kind, "language": document.language, "producer": document.producer,
             "tagged": document.tagged, "scan": document.scan, "pages": [
                 {"heads": document.furniture.pieces(i, len(pages), page.chapter, page.opens), "body": page.body, "either": page.either}
                 for i, page in enumerate(pages)]}
    path.with_suffix(".json").write_text(json.dumps(label, ensure_ascii=False, indent=1) + "\n")


def main():
    folder, seed = pathlib.Path(sys.argv[1]), sys.argv[2]
    for half, module in HALVES.items():
        for name, recipe in module.DOCUMENTS.items():
            try:
                write(build(half, name, recipe, seed), folder)
            except Exception as error:
                raise RuntimeError(f"{half}-{name} could not be made") from error


if __name__ == "__main__":
    main()
