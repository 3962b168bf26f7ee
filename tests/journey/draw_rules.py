# SPDX-License-Identifier: Apache-2.0
"""Label images of one image by several rules, and ids of two frames."""
import collections
import math

from drawing import CELL, COLOURS, INK, PALE, TOP, Drawing, draw_labels, printed_by


class Rules:
    """What journey_rules has printed: label images of one image by several rules."""

    def __init__(self, program):
        self.lists = dict(printed_by(program))

    def draw(self, of, title, panels):
        """Panels of (name of a list, words above it); a list of values has no colours."""
        height, width = self.lists[f"{of} size"]
        step = width * CELL + 28
        drawing = Drawing(12 + len(panels) * step, TOP + height * CELL + 20, title)
        for number, (name, words) in enumerate(panels):
            values = self.lists[f"{of} {name}"]
            drawing.title(20 + number * step, words)
            draw_labels(drawing, 20 + number * step, [0] * len(values) if name == "values" else values, width, values)
        return drawing


def selections(rules):
    return rules.draw("selections", "selections: components, with holes filled, and of at least 3 pixels",
                      [("none", "components"), ("holes", "holes filled"), ("area", "and at least 3 pixels")])


def joins(rules):
    return rules.draw("joins", "joining: values, and labels by three rules",
                      [("values", "values"), ("equal", "equal values"), ("within", "within a delta of 1"), ("periodic", "equal, x wraps")])


def inherit(program):
    """Two frames, the pixels that objects share, and the events."""
    printed = list(printed_by(program))
    ids = [numbers for name, numbers in printed if name.startswith("ids")]
    side = math.isqrt(len(ids[0]))
    drawing = Drawing(690, 160, "inherit: ids of two frames, and the pixels that objects share")
    for left, words, frame in ((20, "frame before", ids[0]), (160, "this frame, its ids", ids[1])):
        drawing.title(left, words)
        for place, number in enumerate(frame):
            drawing.box(left + place % side * CELL, TOP + place // side * CELL, CELL, CELL, COLOURS[number - 1] if number else PALE,
                        number or "", INK, ' stroke="#ffffff"')
    old, new = (sorted(set(frame) - {0}) for frame in ids)
    shared = collections.Counter(zip(ids[1], ids[0]))
    drawing.title(350, "shared pixels")
    head = [("", "#ffffff", INK)] + [(number, COLOURS[number - 1], INK) for number in old]
    drawing.table(350, TOP, [("", head)] + [("", [(number, COLOURS[number - 1], INK)] +
                  [(shared[number, each] or "", "#ffffff", INK) for each in old]) for number in new], 0, 30)
    drawing.title(510, "events")
    says = {"merge": "{} merged into {}", "split": "{} split off {}", "birth": "{} was born", "death": "{} died"}
    for place, (name, numbers) in enumerate(pair for pair in printed if pair[0].endswith(" 1") and not pair[0].startswith("ids")):
        drawing.text(510, TOP + 17 + place * CELL, says[name.split()[0]].format(*numbers), INK, ' text-anchor="start"')
    return drawing


DRAWINGS = selections, joins
