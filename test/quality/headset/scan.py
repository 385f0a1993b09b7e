"""Scans: the pages of a document as grey pictures, without a text layer."""

import pypdfium2

DOTS_PER_INCH = 150


def draw(source, path):
    """Writes the pages of the PDF file source as pictures into the PDF file path."""
    pdf = pypdfium2.PdfDocument(str(source))
    pictures = [page.render(scale=DOTS_PER_INCH / 72, grayscale=True).to_pil().convert("L") for page in pdf]
    pictures[0].save(str(path), format="PDF", save_all=True, append_images=pictures[1:], resolution=DOTS_PER_INCH)
    pdf.close()
