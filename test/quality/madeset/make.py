"""Makes PDF files whose blocks are known, for `make quality-made`.

    python make.py FOLDER SEED [COUNT]

writes NAME.pdf and NAME.json for each document: its half, producer, kind, and its
blocks and tables in reading order. The same seed makes the same documents.
Producers that are not installed are named on standard error and left out.
docs/quality.md describes the set.
"""

import json
import pathlib
import random
import shutil
import sys
import zlib

import documents
import pages_html
import pages_reportlab
import pages_tex
import pages_typst

# Whoever works on the rules looks at documents of the first two producers only.
PRODUCERS = {"weasyprint": ("looked-at", pages_html), "reportlab": ("looked-at", pages_reportlab),
             "latex": ("left-out", pages_tex), "typst": ("left-out", pages_typst)}
SHARES = ["report", "report", "paper", "slides", "slides", "letter", "news", "tables", "tables", "tables", "misleading"]


def places(rows):
    """The cells of a table's rows with their places."""
    taken, out = set(), []
    for y, cells in enumerate(rows):
        x = 0
        for text, height, width in cells:
            while (y, x) in taken:
                x += 1
            taken |= {(y + i, x + k) for i in range(height) for k in range(width)}
            out.append({"r0": y, "r1": y + height - 1, "c0": x, "c1": x + width - 1, "text": text})
            x += width
    return out


def label(document):
    """What is known of a document: its blocks in order. Runs of items and captions count by themselves."""
    blocks, tables = [], []
    for b in document.blocks:
        match b["kind"]:
            case "heading" | "item" | "caption":
                blocks.append({"kind": b["kind"], "text": b["text"]})
            case "paragraph":
                blocks.append({"kind": "paragraph", "text": f"{b['lead']} {b['text']}".strip()})
            case "table":
                blocks.append({"kind": "table", "text": "", "table": len(tables)})
                tables.append({"page": 1, "look": b["look"], "cells": places(b["rows"])})
                blocks += [{"kind": "other", "text": n} for n in b["notes"]]
            case "code" | "lines":
                blocks += [{"kind": "other", "text": line} for line in b["lines"]]
            case "pairs":
                blocks += [{"kind": "other", "text": text} for row in b["rows"] for text in row]
            case "chart":
                blocks += [{"kind": "other", "text": f"{name} {value}"} for name, value in b["bars"]]
    return {"half": PRODUCERS[document.producer][0], "origin": f"{document.producer}, {document.kind}", "blocks": blocks, "tables": tables}


def main():
    folder, seed = pathlib.Path(sys.argv[1]), sys.argv[2]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    folder.mkdir(parents=True, exist_ok=True)
    for producer, (_, module) in PRODUCERS.items():
        if producer == "latex" and not shutil.which("pdflatex"):
            print("made set: no pdflatex, so no documents by LaTeX", file=sys.stderr)
            continue
        for i in range(count):
            rng = random.Random(zlib.crc32(f"{seed} {producer} {i}".encode()))
            kind = SHARES[i % len(SHARES)]
            document = documents.make(f"{producer}-{i:03}", kind, producer, rng)
            path = folder / f"{document.name}.pdf"
            try:
                module.draw(document, path, rng)
            except Exception as e:
                raise SystemExit(f"{document.name} ({kind}): {type(e).__name__}: {e}")
            path.with_suffix(".json").write_text(json.dumps(label(document), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
