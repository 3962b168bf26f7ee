# SPDX-License-Identifier: Apache-2.0
"""A drawing of docs/journey.md, and what all of them share."""
import subprocess

CELL = 24  # pixels of the drawing for a pixel of the image
TOP = 46   # above the first row of an image
COLOURS = ["#8ecae6", "#ffb703", "#b7e4c7", "#f4a6a6", "#cdb4db", "#d4a373", "#a5be00", "#90a8c3"]  # of components
INK, FAINT, DARK, PALE, MARK = "#202124", "#9aa0a6", "#3c4043", "#f1f3f4", "#9d0208"


def printed_by(program):
    """Pairs of a name and a list of numbers."""
    for line in subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
        name, _, numbers = line.partition(": ")
        yield name, [int(number) for number in numbers.split()]


class Drawing:
    def __init__(self, width, height, title):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
                      'font-family="DejaVu Sans, Arial, sans-serif" font-size="13" text-anchor="middle">',
                      f"<!-- {title}. Drawn by script/journey-pictures. SPDX-License-Identifier: Apache-2.0 -->",
                      f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>']

    def add(self, part):
        self.parts.append(part)

    def text(self, x, y, words, fill=INK, extra=""):
        self.add(f'<text x="{x:g}" y="{y:g}" fill="{fill}"{extra}>{words}</text>')

    def title(self, x, words):
        self.text(x, 26, words, extra=' text-anchor="start" font-weight="bold"')

    def box(self, x, y, width, height, fill, words="", ink=INK, extra=""):
        self.add(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}"{extra}/>')
        if words != "":
            self.text(x + width / 2, y + height / 2 + 4.5, words, ink)

    def arrow(self, x, y, length=26):
        self.add(f'<path d="M{x} {y}h{length}m-7 -5l7 5l-7 5" fill="none" stroke="{DARK}" stroke-width="2"/>')

    def table(self, x, y, rows, label_width=150, column=30):
        """Rows of (name, cells); a cell is (words, fill, ink)."""
        for number, (name, cells) in enumerate(rows):
            top = y + number * CELL
            self.text(x, top + CELL / 2 + 4.5, name, extra=' text-anchor="start"')
            for place, (words, fill, ink) in enumerate(cells):
                self.box(x + label_width + place * column, top, column, CELL, fill, words, ink, ' stroke="#dadce0"')

    def written(self):
        return "\n".join([*self.parts, "</svg>", ""])


def draw_labels(drawing, left, labels, width, words=None):
    """A label image, or other numbers in the colours of labels."""
    for place, label in enumerate(labels):
        drawing.box(left + place % width * CELL, TOP + place // width * CELL, CELL, CELL, COLOURS[label - 1] if label else PALE,
                    (words or labels)[place] or "", INK, ' stroke="#ffffff"')
