"""Runs one extraction tool over files and prints a line of JSON for each: what it
found, the pages, and the CPU seconds, start and imports not counted.

    python peers.py TOOL FILE...
"""

import json
import sys
import time


def pymupdf():
    import pymupdf

    def run(path):
        with pymupdf.open(path) as doc:
            return {"text": "\n".join(page.get_text() for page in doc), "pages": len(doc)}

    return run


def camelot(flavor):
    import camelot
    import pypdfium2

    def run(path):
        tables = []
        for found in camelot.read_pdf(path, pages="all", flavor=flavor, suppress_stdout=True):
            cells = [
                {"r0": r, "r1": r, "c0": c, "c1": c, "text": text}
                for r, row in enumerate(found.data)
                for c, text in enumerate(row)
            ]
            tables.append({"page": int(found.page), "cells": cells})
        with pypdfium2.PdfDocument(path) as doc:
            return {"tables": tables, "pages": len(doc)}

    return run


def readability():
    import readability

    def run(path):
        with open(path, "rb") as f:
            return {"html": readability.Document(f.read()).summary(html_partial=True)}

    return run


def trafilatura():
    import trafilatura

    def run(path):
        with open(path, "rb") as f:
            return {"text": trafilatura.extract(f.read(), include_comments=False, include_tables=True) or ""}

    return run


def main():
    tool, files = sys.argv[1], sys.argv[2:]
    tools = {
        "pymupdf": pymupdf,
        "camelot-hybrid": lambda: camelot("hybrid"),
        "camelot-lattice": lambda: camelot("lattice"),
        "camelot-stream": lambda: camelot("stream"),
        "readability": readability,
        "trafilatura": trafilatura,
    }
    run = tools[tool]()
    for path in files:
        began = time.process_time()
        try:
            result = run(path)
        except Exception as e:  # a file that a tool cannot read is a result
            result = {"error": f"{type(e).__name__}: {e}"}
        result["cpu"] = time.process_time() - began
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
