# SPDX-License-Identifier: Apache-2.0
"""Contacts, columns and outlines of a label image."""
import collections
import sys

from drawing import CELL, COLOURS, FAINT, INK, MARK, PALE, TOP, Drawing, printed_by


class Regions:
    """What journey_regions has printed of a label image."""

    def __init__(self, program):
        printed = list(printed_by(program))
        self.columns = dict(printed)
        self.height, self.width = self.columns["size"]
        self.contacts = [numbers for name, numbers in printed if name == "contact"]
        self.rings = [(numbers[0], numbers[1], list(zip(numbers[2::2], numbers[3::2]))) for name, numbers in printed if name == "ring"]

    def at(self, y, x):
        inside = 0 <= y < self.height and 0 <= x < self.width
        return self.columns["labels"][y * self.width + x] if inside else 0

    def draw(self, drawing, left, shown=None):
        """The label image, or one region of it."""
        for y in range(self.height):
            for x in range(self.width):
                label = self.at(y, x)
                seen = label and shown in (None, label)
                drawing.box(left + x * CELL, TOP + y * CELL, CELL, CELL, COLOURS[label - 1] if seen else PALE, label if shown is None else "",
                            INK if label else FAINT, ' stroke="#ffffff"')


def neighbours(regions):
    """The faces that regions share, and the table of contacts."""
    drawing = Drawing(708, 228, "contacts: the faces between regions, and their counts")
    regions.draw(drawing, 20)
    drawing.title(20, "label image, and faces of contacts")
    faces = collections.Counter()
    for y in range(regions.height):
        for x in range(regions.width):
            for axis, (dy, dx) in enumerate(((1, 0), (0, 1))):
                pair = sorted((regions.at(y, x), regions.at(y + dy, x + dx)))
                if 0 < pair[0] < pair[1]:
                    faces[pair[0], pair[1], axis] += 1
                    step = f"h{CELL}" if axis == 0 else f"v{CELL}"
                    drawing.add(f'<path d="M{20 + (x + dx) * CELL} {TOP + (y + dy) * CELL}{step}" stroke="{MARK}" stroke-width="4"/>')
    drawing.title(320, "contacts, 8 neighbours")
    for place, words in enumerate(("regions", "faces along y", "along x", "edges")):
        drawing.text(366 + place * 92, TOP + 16, words, FAINT)
    for place, (first, second, along_y, along_x, edges) in enumerate(regions.contacts, 1):
        if (along_y, along_x) != (faces[first, second, 0], faces[first, second, 1]):
            sys.exit(f"contact of {first} and {second}: the faces drawn are not those counted")
        drawing.box(320, TOP + place * CELL, 46, CELL, COLOURS[first - 1], first, INK, ' stroke="#dadce0"')
        drawing.box(366, TOP + place * CELL, 46, CELL, COLOURS[second - 1], second, INK, ' stroke="#dadce0"')
        drawing.table(412, TOP + place * CELL, [("", [(count, "#ffffff", INK) for count in (along_y, along_x, edges)])], 0, 92)
    return drawing


def patterns(regions):
    """What each window of 2 x 2 pixels adds to the Euler number of region 2, and columns of all regions."""
    shown = 2
    drawing = Drawing(708, 228, "patterns: windows of a region, and what they add to its Euler number")
    regions.draw(drawing, 20, shown)
    drawing.title(20, f"windows of region {shown}: + 1 and - 1")
    total = 0
    for y in range(regions.height + 1):
        for x in range(regions.width + 1):
            # Corner, edges and face of which (y, x) is the lowest corner.
            above_left, above, before, own = (regions.at(y + dy, x + dx) == shown for dy, dx in ((-1, -1), (-1, 0), (0, -1), (0, 0)))
            part = (above_left or above or before or own) - (before or own) - (above or own) + own
            total += part
            if part:
                drawing.add(f'<circle cx="{20 + x * CELL}" cy="{TOP + y * CELL}" r="8" fill="#ffffff" stroke="{INK if part > 0 else MARK}"/>')
                drawing.text(20 + x * CELL, TOP + y * CELL + 4.5, "+" if part > 0 else "–", INK if part > 0 else MARK)
    if total != regions.columns["euler_number"][shown - 1]:
        sys.exit("euler_number: the windows drawn do not add up to it")
    drawing.title(320, "columns")
    for place, words in enumerate(("label", "area", "euler_number", "perimeter")):
        drawing.text(366 + place * 92, TOP + 16, words, FAINT)
    rows = zip(*(regions.columns[name] for name in ("label", "area", "euler_number", "perimeter")))
    for place, (label, area, euler, perimeter) in enumerate(rows, 1):
        drawing.table(320, TOP + place * CELL, [("", [(label, COLOURS[label - 1], INK), (area // 10**6, "#ffffff", INK),
                                                      (euler, "#ffffff", INK), (f"{perimeter / 1e6:.3f}", "#ffffff", INK)])], 0, 92)
    return drawing


def outlines(regions):
    """The rings of each region, drawn apart, with the area of each."""
    drawing = Drawing(680, 228, "outlines: rings of vertices, and their areas")
    drawing.title(20, "outlines: rings begin at the large dot")
    drawing.add(f'<rect x="20" y="{TOP}" width="{regions.width * CELL}" height="{regions.height * CELL}" fill="{PALE}"/>')
    for label, twice_area, vertices in regions.rings:
        points = [(20 + x * CELL, TOP + y * CELL) for x, y in vertices]
        fill = COLOURS[label - 1] if twice_area > 0 else PALE
        drawing.add(f'<path d="M{" L".join(f"{x} {y}" for x, y in points)}Z" fill="{fill}" stroke="{INK if twice_area > 0 else MARK}" stroke-width="2"/>')
    for _, twice_area, vertices in regions.rings:
        for place, (x, y) in enumerate(vertices):
            drawing.add(f'<circle cx="{20 + x * CELL}" cy="{TOP + y * CELL}" r="{3 if place else 5.5}" fill="{INK if twice_area > 0 else MARK}"/>')
    drawing.title(320, "rings, counted in corners")
    areas = collections.Counter()
    for place, (label, twice_area, vertices) in enumerate(regions.rings):
        areas[label] += twice_area
        drawing.table(320, TOP + place * CELL, [("", [(label, COLOURS[label - 1], INK)])], 0, 46)
        words = f"{len(vertices)} vertices, area {twice_area // 2}" + ("" if twice_area > 0 else ": a hole")
        drawing.text(380, TOP + place * CELL + 16.5, words, INK if twice_area > 0 else MARK, ' text-anchor="start"')
    if [areas[label] // 2 for label in sorted(areas)] != [area // 10**6 for area in regions.columns["area"]]:
        sys.exit("outlines: the areas of rings do not add up to those of regions")
    return drawing


DRAWINGS = neighbours, patterns, outlines
