"""The producer pdfLaTeX: documents as LaTeX, with its own fonts."""

import os
import pathlib
import subprocess
import tempfile

SIGNS = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
LEVELS = {1: "section", 2: "subsection", 3: "subsubsection"}


def quote(text):
    return "".join(SIGNS.get(c, c) for c in text)


def preamble(s, rng):
    if s.slides:
        return (r"\documentclass[17pt]{extarticle}\usepackage[papersize={280mm,158mm},margin=16mm]{geometry}\renewcommand{\familydefault}{\sfdefault}"
                r"\setlength{\parindent}{0pt}\pagestyle{empty}\raggedright" + "\n")
    size = min(12, max(10, round(s.size)))
    columns = ",twocolumn" if s.columns > 1 else ""
    out = rf"\documentclass[{size}pt,a4paper{columns}]{{article}}" + "\n"
    if not s.indent:
        out += r"\setlength{\parindent}{0pt}\setlength{\parskip}{6pt}" + "\n"
    if not s.serif:
        out += r"\renewcommand{\familydefault}{\sfdefault}" + "\n"
    if not s.justify:
        out += r"\AtBeginDocument{\raggedright}" + "\n"
    return out


def row(cells, first, head):
    out, column, rules = [], 1 if first else 0, []
    if first:
        out.append("")
    for text, rows, columns in cells:
        text = rf"\textbf{{{quote(text)}}}" if head and text else quote(text)
        out.append(rf"\multicolumn{{{columns}}}{{c}}{{{text}}}" if columns > 1 else text)
        if columns > 1:
            rules.append((column + 1, column + columns))
        column += columns
    return " & ".join(out) + r" \\", rules


def table(b, bold):
    look, columns = b["look"], len(b["align"])
    wide = any(len(c[0]) > 38 for r in b["rows"] for c in r)
    one = {"l": "p{%.2f\\linewidth}" % (0.75 / columns) if wide else "l", "r": "r"}
    spec = [one[a] for a in b["align"]]
    if look == "striped columns":
        spec = [(r">{\columncolor[gray]{.92}}" if i % 2 else "") + c for i, c in enumerate(spec)]
    grid = look == "grid"
    out = rf"\begin{{tabular}}{{{'|' + '|'.join(spec) + '|' if grid else ''.join(spec)}}}" + "\n"
    out += {"booktabs": "\\toprule\n", "grid": "\\hline\n", "rows": "\\hline\n"}.get(look, "")
    for k, cells in enumerate(b["rows"]):
        head = k < b["head"]
        if look == "head shaded" and head:
            out += r"\rowcolor[gray]{.85}" + "\n"
        if look == "shaded" and k % 2:
            out += r"\rowcolor[gray]{.9}" + "\n"
        text, rules = row(cells, head and k > 0, head and bold)
        out += text + "\n"
        last = k == len(b["rows"]) - 1
        if grid or look == "rows":
            out += "\\hline\n" if not (head and k == 0 and b["head"] == 2) else "".join(rf"\cline{{{a}-{z}}}" for a, z in [(2, columns)]) + "\n"
        elif look == "booktabs":
            if k == b["head"] - 1:
                out += "\\midrule\n"
            elif head:
                out += "".join(rf"\cmidrule(lr){{{a}-{z}}}" for a, z in rules) + "\n"
            elif last:
                out += "\\bottomrule\n"
        elif look == "under head" and k == b["head"] - 1:
            out += "\\hline\n"
    out += "\\end{tabular}\n"
    notes = "".join(rf"\par\smallskip{{\footnotesize {quote(n)}\par}}" for n in b["notes"])
    return "\n\\par\\medskip\\noindent{%s}%s\\par\\medskip\n" % (out, notes)


def body(document, rng):
    s, out, opened = document.style, "", []
    bold = rng.random() < 0.7
    for b in document.blocks:
        kind = b["kind"]
        if kind != "item":
            while opened:
                out += rf"\end{{{opened.pop()}}}" + "\n"
        if kind == "heading":
            title = b["text"].split(" ", 1)[1] if s.numbered and b["text"][0].isdigit() else b["text"]
            out += rf"{{\LARGE\bfseries {quote(title)}\par}}\bigskip" + "\n" if s.slides else rf"\{LEVELS[b['level']]}{'' if s.numbered else '*'}{{{quote(title)}}}" + "\n"
        elif kind == "paragraph":
            lead = rf"\textbf{{{quote(b['lead'])}}} " if b["lead"] else ""
            out += lead + quote(b["text"]) + "\n\n"
        elif kind == "item":
            while len(opened) > b["depth"]:
                out += rf"\end{{{opened.pop()}}}" + "\n"
            while len(opened) < b["depth"]:
                opened.append("enumerate" if b["mark"] else "itemize")
                out += rf"\begin{{{opened[-1]}}}" + "\n"
            out += rf"\item {quote(b['text'])}" + "\n"
        elif kind == "caption":
            out += rf"{{\small {quote(b['text'])}\par}}" + "\n"
        elif kind == "table":
            out += table(b, bold)
        elif kind == "code":
            out += "\\begin{verbatim}\n" + "\n".join(b["lines"]) + "\n\\end{verbatim}\n"
        elif kind == "page":
            out += "\\clearpage\n"
        elif kind == "lines":
            out += "\\noindent " + " \\\\ ".join(quote(line) for line in b["lines"]) + "\n\n"
        elif kind == "pairs":
            width = 0.9 / len(b["rows"][0])
            columns = [rf"\parbox[t]{{{width:.2f}\linewidth}}{{\raggedright " + r" \\ ".join(map(quote, column)) + "}" for column in zip(*b["rows"])]
            out += "\\noindent " + " ".join(columns) + "\n\n\\medskip\n"
        elif kind == "chart":
            rows = ""
            for i, (name, value) in enumerate(b["bars"]):
                y = -i * 14
                rows += rf"\put(0,{y}){{\footnotesize {quote(name)}}}\put(70,{y}){{\rule{{{value}pt}}{{8pt}}}}\put({value + 76},{y}){{\footnotesize {value}}}"
            out += rf"\par\begin{{picture}}(200,{len(b['bars']) * 14})(0,-{len(b['bars']) * 14 - 14}){rows}\end{{picture}}\par\medskip" + "\n"
    while opened:
        out += rf"\end{{{opened.pop()}}}" + "\n"
    return out


def draw(document, path, rng):
    packages = r"\usepackage{booktabs,colortbl,array}" + "\n"
    source = preamble(document.style, rng) + packages + "\\begin{document}\n" + body(document, rng) + "\\end{document}\n"
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "main.tex").write_text(source)
        done = subprocess.run(["pdflatex", "-interaction=batchmode", "main.tex"], cwd=folder, capture_output=True,
                              env={**os.environ, "SOURCE_DATE_EPOCH": "1767312000"})
        made = pathlib.Path(folder, "main.pdf")
        if not made.exists():
            log = pathlib.Path(folder, "main.log")
            lines = log.read_text(errors="replace").splitlines() if log.exists() else done.stderr.decode().splitlines()
            raise RuntimeError("; ".join(line for line in lines if line.startswith("!")))
        path.write_bytes(made.read_bytes())
