# SPDX-License-Identifier: Apache-2.0
"""The journey of a pixel: what the stages leave of an image of 12 x 8."""
import sys

from drawing import CELL, COLOURS, DARK, FAINT, INK, MARK, PALE, TOP, Drawing, printed_by


class Stages:
    """What journey_stages has printed: lists of numbers by name, and derived facts that need no algorithm."""

    def __init__(self, program):
        self.lists = {}
        self.rows = {"guest": [], "part": [], "row": []}
        for name, numbers in printed_by(program):
            self.lists[name] = numbers
            if name in self.rows:
                self.rows[name].append(numbers)
        self.height, self.width, self.strip_rows = self["size"]
        self.first_component = [0, self["components_of_strips"][0]]
        self.colour_of_label = {label: COLOURS[component] for component, label in
                                reversed(list(enumerate(self["labels_of_components"])))}

    def __getitem__(self, name):
        return self.lists[name]

    def strip_of(self, row):
        return row // self.strip_rows

    def runs(self, row):
        """Number within its strip, begin and end of each run of a row."""
        first, count = self[f"runs {row}"]
        edges = self[f"edges {self.strip_of(row)}"]
        return [(run, edges[2 * run], edges[2 * run + 1]) for run in range(first, first + count)]

    def shares_runs(self, row):
        return row % self.strip_rows > 0 and self[f"runs {row}"] == self[f"runs {row - 1}"] and self[f"runs {row}"][1] > 0

    def component_of(self, row, run):
        """Counted over both strips."""
        strip = self.strip_of(row)
        return self.first_component[strip] + self[f"run_components {strip}"][run]


def frame(drawing, left, stages):
    drawing.add(f'<rect x="{left}" y="{TOP}" width="{stages.width * CELL}" height="{stages.height * CELL}" fill="{PALE}" stroke="#dadce0"/>')


def strip_line(drawing, left, stages):
    y = TOP + stages.strip_rows * CELL
    drawing.add(f'<path d="M{left - 8} {y}h{stages.width * CELL + 16}" stroke="{MARK}" stroke-width="2" stroke-dasharray="6 4"/>')


def draw_image(drawing, left, stages):
    for place, value in enumerate(stages["pixels"]):
        grey = 40 + 22 * value
        drawing.box(left + place % stages.width * CELL, TOP + place // stages.width * CELL, CELL, CELL,
                    f"#{grey:02x}{grey:02x}{grey:02x}", value, "#ffffff" if value < 5 else INK)


def draw_bits(drawing, left, stages):
    frame(drawing, left, stages)
    for row in range(stages.height):
        for column, bit in enumerate(stages[f"bits {row}"]):
            drawing.box(left + column * CELL, TOP + row * CELL, CELL, CELL, DARK if bit else PALE, bit,
                        "#ffffff" if bit else FAINT, ' stroke="#dadce0"')


def draw_runs(drawing, left, stages, words, colour, faded=lambda row: False):
    """Each run as a bar; words and colour are functions of row and number of the run."""
    frame(drawing, left, stages)
    for row in range(stages.height):
        for run, begin, end in stages.runs(row):
            extra = ' rx="6"' + (f' stroke="{DARK}" stroke-dasharray="3 3"' if stages.shares_runs(row) else "")
            extra += ' opacity="0.35"' if faded(row) else ""
            drawing.box(left + begin * CELL + 1, TOP + row * CELL + 1, (end - begin) * CELL - 2, CELL - 2, colour(row, run),
                        words(row, run), INK, extra)


def encode(stages):
    drawing = Drawing(790, 252, "1 encode: grey values, and the words of bits")
    draw_image(drawing, 20, stages)
    drawing.title(20, "image")
    drawing.arrow(322, 142, 32)
    drawing.text(338, 130, f"&gt; {stages['threshold'][0]}")
    draw_bits(drawing, 368, stages)
    drawing.title(368, "bits, one word for each row")
    for row in range(stages.height):
        word = sum(bit << place for place, bit in enumerate(stages[f"bits {row}"]))
        drawing.text(672, TOP + row * CELL + 16.5, f"0x{word:03x}", extra=' text-anchor="start" font-family="monospace"')
    return drawing


def local(stages):
    drawing = Drawing(660, 440, "2 local: runs and components of two strips")
    draw_runs(drawing, 24, stages, lambda row, run: run, lambda row, run: "#dadce0")
    strip_line(drawing, 24, stages)
    drawing.title(24, "runs, numbered through their strip")
    own_number = lambda row, run: stages[f"run_components {stages.strip_of(row)}"][run]
    draw_runs(drawing, 348, stages, own_number, lambda row, run: COLOURS[stages.component_of(row, run)])
    strip_line(drawing, 348, stages)
    drawing.title(348, "components of each strip")
    for strip in (0, 1):
        colours = [COLOURS[stages.first_component[strip] + component] for component in stages[f"run_components {strip}"]]
        drawing.table(24, 258 + strip * 96, [
            (f"strip {strip}: run", [(run, "#ffffff", FAINT) for run in range(len(colours))]),
            ("parent", [(run, PALE, INK) for run in stages[f"run_parents {strip}"]]),
            ("component", [(number, colour, INK) for number, colour in zip(stages[f"run_components {strip}"], colours)])])
    return drawing


def parent_cells(stages, name):
    """A parent that stage 3 never writes is a dash; one that is not the component itself is marked."""
    return [("–", "#ffffff", FAINT) if parent > 2**31 else (parent, COLOURS[parent], INK if parent == component else MARK)
            for component, parent in enumerate(stages[name])]


def merge(stages):
    drawing = Drawing(760, 252, "3 merge: components at the border of two strips, and their parents")
    draw_runs(drawing, 24, stages, stages.component_of, lambda row, run: COLOURS[stages.component_of(row, run)],
              lambda row: row not in (stages.strip_rows - 1, stages.strip_rows))
    strip_line(drawing, 24, stages)
    drawing.title(24, "the two rows at the border")
    drawing.title(350, "components of both strips")
    drawing.table(350, TOP + CELL, [
        ("component", [(component, "#ffffff", FAINT) for component in range(len(stages["parents"]))]),
        ("parent before", parent_cells(stages, "parents_before")), ("parent after", parent_cells(stages, "parents"))])
    alone = next(component for component, parent in enumerate(stages["parents"]) if parent > 2**31)
    drawing.text(350, TOP + 5.2 * CELL, f"Component {alone} touches no first or last row of a strip:", extra=' text-anchor="start"')
    drawing.text(350, TOP + 6.0 * CELL, "nothing can join it, so it needs no parent.", extra=' text-anchor="start"')
    return drawing


def resolve(stages):
    drawing = Drawing(440, 178, "4 resolve: components get labels")
    merged = {component for component, _ in stages.rows["guest"]}
    colour = lambda component: stages.colour_of_label[stages["labels_of_components"][component]]
    count = range(len(stages["numbers"]))
    drawing.title(20, "labels of components")
    drawing.table(20, TOP, [
        ("component", [(component, "#ffffff", FAINT) for component in count]),
        ("parent", parent_cells(stages, "parents")),
        ("while measuring", [(stages["numbers"][c], COLOURS[c], MARK if c in merged else INK) for c in count]),
        ("label", [(stages["labels_of_components"][c], colour(c), INK) for c in count])])
    return drawing


def measure(stages):
    drawing = Drawing(800, 276, "5 measure: sums of parts, and rows of labels")
    colour_of_number = dict(zip(stages["numbers"], COLOURS))
    root = {stages["numbers"][component]: stages["numbers"][of] for component, of in stages.rows["guest"]}
    drawing.title(20, "sums of each component")
    for place, words in enumerate(("number", "area", "Σ y", "Σ x")):
        drawing.text(50 + place * 60, TOP + 16, words, FAINT)
    for number, part in enumerate(stages.rows["part"], 1):
        cells = [(f"{number} → {root[number]}" if number in root else number, colour_of_number[number], MARK if number in root else INK)]
        drawing.table(20, TOP + number * CELL, [("", cells + [(value, "#ffffff", INK) for value in part])], 0, 60)
    drawing.arrow(272, 150)
    drawing.title(312, "rows of the table")
    for place, words in enumerate(("label", "area", "centroid", "box: rows", "columns")):
        drawing.text(358 + place * 92, TOP + 16, words, FAINT)
    for label, (area, sum_y, sum_x, top, left, bottom, right) in enumerate(stages.rows["row"], 1):
        cells = [area, f"{sum_y / area:.2f}, {sum_x / area:.2f}", f"{top} – {bottom}", f"{left} – {right}"]
        drawing.table(312, TOP + label * CELL, [("", [(label, stages.colour_of_label[label], INK)] +
                                                [(cell, "#ffffff", INK) for cell in cells])], 0, 92)
    return drawing


def emit(stages):
    drawing = Drawing(688, 252, "6 emit: labels of runs, and the label image")
    label = lambda row, run: stages["labels_of_components"][stages.component_of(row, run)]
    draw_runs(drawing, 24, stages, label, lambda row, run: stages.colour_of_label[label(row, run)])
    drawing.title(24, "labels of runs")
    drawing.arrow(326, 142)
    frame(drawing, 372, stages)
    drawing.title(372, "label image")
    for place, value in enumerate(stages["labels"]):
        drawing.box(372 + place % stages.width * CELL, TOP + place // stages.width * CELL, CELL, CELL,
                    stages.colour_of_label.get(value, PALE), value, INK if value else FAINT, ' stroke="#ffffff"')
    return drawing


def numbering(stages):
    """First pixels as bits, and labels as ranks of these bits, as engines on a GPU number."""
    drawing = Drawing(700, 276, "numbering on a GPU: a bit for each first pixel, and its rank")
    width, labels = stages.width, stages["labels"]
    firsts = sorted(labels.index(label) for label in set(labels) - {0})
    frame(drawing, 24, stages)
    drawing.title(24, "first pixels of components")
    for place, label in enumerate(labels):
        mark = f' stroke="{MARK}" stroke-width="3"' if place in firsts else ' stroke="#ffffff"'
        if label and place not in firsts:
            drawing.box(24 + place % width * CELL, TOP + place // width * CELL, CELL, CELL, stages.colour_of_label[label], "", INK, mark)
    for place in firsts:
        drawing.box(24 + place % width * CELL, TOP + place // width * CELL, CELL, CELL, stages.colour_of_label[labels[place]], "1", INK,
                    f' stroke="{MARK}" stroke-width="3"')
    for x, words in ((362, "bits in rows before"), (520, "label: 1 + bits before")):
        drawing.text(x, 26, words, INK, ' text-anchor="start" font-weight="bold"')
    for row in range(stages.height):
        before = sum(place < row * width for place in firsts)
        drawing.box(362, TOP + row * CELL, 46, CELL, "#ffffff", before, INK, ' stroke="#dadce0"')
        for number, place in enumerate(place for place in firsts if place // width == row):
            if labels[place] != 1 + before + number:
                sys.exit(f"label {labels[place]} is not 1 and the bits before its own")
            drawing.box(520 + number * 46, TOP + row * CELL, 46, CELL, stages.colour_of_label[labels[place]], labels[place], INK,
                        ' stroke="#dadce0"')
    return drawing


DRAWINGS = encode, local, merge, resolve, measure, emit, numbering
