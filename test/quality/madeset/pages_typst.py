"""The producer Typst: documents as its own markup."""

import pathlib
import tempfile

import typst

LARGE = {"large": (1.5, 1.25, 1.1), "large upright": (1.6, 1.3, 1.15), "bold": (1, 1, 1), "capitals": (1.1, 1, 1)}


def quote(text):
    return '#"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def preamble(s, rng):
    page = "width: 254mm, height: 143mm, margin: 16mm" if s.slides else f'paper: "a4", margin: {rng.choice(["20mm", "25mm"])}, columns: {s.columns}'
    sizes = LARGE[s.heading]
    out = f'#set page({page})\n#set text(font: "Libertinus Serif", size: {s.size}pt, hyphenate: {"true" if s.columns > 1 else "false"})\n'
    out += f'#set par(justify: {str(s.justify).lower()}, leading: {rng.choice([0.5, 0.65, 0.8])}em, spacing: {"0.65em" if s.indent else "1.1em"}, first-line-indent: {"1.4em" if s.indent else "0em"})\n'
    for level, size in enumerate(sizes, 1):
        case = "upper(it.body)" if s.heading == "capitals" else "it.body"
        out += (f'#show heading.where(level: {level}): it => block(above: 1.3em, below: .8em, text(size: {size * s.size}pt, fill: rgb("{s.colour}"), '
                f'weight: "{"regular" if s.heading == "large upright" else "bold"}", {case}))\n')
    return out + f'#set list(marker: [{s.bullet if s.bullet != "-" else "–"}], indent: {rng.choice(["0pt", "8pt"])})\n'


def cell(c, head, bold, align):
    text, rows, columns = c
    inner = f"strong[{quote(text)}]" if head and bold and text else f"[{quote(text)}]" if text else "[]"
    inner = "#" + inner if inner.startswith("strong") else inner
    if inner.startswith("#"):
        inner = f"[{inner}]"
    return f"table.cell(rowspan: {rows}, colspan: {columns}, align: {align}){inner}"


def table(b, bold):
    look, columns = b["look"], len(b["align"])
    wide = any(len(c[0]) > 38 for r in b["rows"] for c in r)
    sides = ["right" if a == "r" else "left" for a in b["align"]]
    spec = "(" + ", ".join(["1fr" if wide else "auto"] * columns) + ",)"
    fill = {"shaded": "(x, y) => if calc.odd(y) { luma(230) }", "head shaded": f"(x, y) => if y < {b['head']} {{ luma(215) }}",
            "striped columns": "(x, y) => if calc.odd(x) { luma(235) }"}.get(look, "none")
    stroke = "0.5pt" if look == "grid" else "none"
    out = f"#table(columns: {spec}, stroke: {stroke}, fill: {fill}, inset: (x: 6pt, y: 4pt),\n"
    out += "table.hline(),\n" if look in ("rows", "booktabs") else ""
    for k, cells in enumerate(b["rows"]):
        head = k < b["head"]
        first = 1 if head and k else 0
        out += "".join(cell(c, head, bold, "center" if c[2] > 1 else sides[(first + i) % columns]) + ", " for i, c in enumerate(cells)) + "\n"
        if look == "rows" or look == "booktabs" and (k == b["head"] - 1 or k == len(b["rows"]) - 1) or look == "under head" and k == b["head"] - 1:
            out += "table.hline(stroke: .5pt),\n" if not (look == "rows" and head and k + 1 < b["head"]) else ""
    return out + ")\n" + "".join(f"#text(size: .85em)[{quote(n)}]\n\n" for n in b["notes"])


def chart(bars):
    out = f"#block(height: {len(bars) * 16 + 6}pt, width: 260pt)[\n"
    for i, (name, value) in enumerate(bars):
        out += f"#place(dx: 0pt, dy: {i * 16}pt)[#text(size: 8pt)[{quote(name)}]]#place(dx: 70pt, dy: {i * 16}pt)[#rect(width: {value}pt, height: 9pt, fill: blue.lighten(40%))]"
        out += f"#place(dx: {value + 76}pt, dy: {i * 16}pt)[#text(size: 8pt)[{value}]]\n"
    return out + "]\n"


def block(b, s, bold):
    match b["kind"]:
        case "heading":
            return f"#heading(level: {b['level']})[{quote(b['text'])}]\n"
        case "paragraph":
            return (f"*{quote(b['lead'])}* " if b["lead"] else "") + quote(b["text"]) + "\n\n"
        case "item":
            return "  " * (b["depth"] - 1) + (f"{b['mark']} " if b["mark"] else "- ") + quote(b["text"]) + "\n"
        case "caption":
            return f"#block[#text(size: .9em)[{quote(b['text'])}]]\n"
        case "table":
            return table(b, bold)
        case "code":
            return "#block[#raw(block: true, " + '"' + "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in b["lines"]) + '")]\n'
        case "lines":
            return "#par(first-line-indent: 0pt)[" + " \\ ".join(map(quote, b["lines"])) + "]\n\n"
        case "pairs":
            columns = ", ".join("[" + " \\ ".join(map(quote, column)) + "]" for column in zip(*b["rows"]))
            return f"#grid(columns: {len(b['rows'][0])}, column-gutter: 28pt, {columns})\n\n"
        case "chart":
            return chart(b["bars"])
        case "page":
            return "#pagebreak()\n"
    raise ValueError(b["kind"])


def draw(document, path, rng):
    out, bold, before = preamble(document.style, rng), rng.random() < 0.7, ""
    for b in document.blocks:
        if before == "item" and b["kind"] != "item":
            out += "\n"
        out += block(b, document.style, bold)
        before = b["kind"]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "main.typ")
        file.write_text(out)
        typst.compile(str(file), output=str(path))
