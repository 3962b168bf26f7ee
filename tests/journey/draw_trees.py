# SPDX-License-Identifier: Apache-2.0
"""A max-tree, its nodes, and two filterings."""
import collections

from drawing import CELL, DARK, FAINT, INK, TOP, Drawing, printed_by


class Tree:
    """What journey_trees has printed."""

    def __init__(self, program):
        self.lists = dict(printed_by(program))
        self.height, self.width = self.lists["size"]
        self.top = max(self.lists["level"])
        self.children = collections.defaultdict(list)
        for node, parent in enumerate(self.lists["parent"]):
            if node != parent:
                self.children[parent].append(node)

    def grey(self, level):
        shade = 60 + (255 - 60) * (level - 1) // max(1, self.top - 1)
        return f"#{shade:02x}{shade:02x}{shade:02x}", "#ffffff" if shade < 150 else INK

    def draw_image(self, drawing, left, top, cell, values):
        for place, value in enumerate(values):
            fill, ink = self.grey(value)
            drawing.box(left + place % self.width * cell, top + place // self.width * cell, cell, cell, fill, value, ink)

    def columns(self, node, first, place):
        """Gives each node a place from left to right: a leaf the next free one, others the middle of their children."""
        for child in self.children[node]:
            first = self.columns(child, first, place)
        if not self.children[node]:
            place[node] = first
            return first + 1
        of_children = [place[child] for child in self.children[node]]
        place[node] = sum(of_children) / len(of_children)
        return first


def max_tree(tree):
    drawing = Drawing(812, 366, "a max-tree: the image, its nodes, and two filterings")
    drawing.title(20, "image")
    tree.draw_image(drawing, 20, TOP, CELL, tree.lists["pixels"])
    drawing.title(290, "max-tree: node, area · dynamics")
    place, rise, base = {}, 44, TOP + 18 + 44 * (tree.top - 1)
    tree.columns(0, 0, place)
    at = {node: (330 + 72 * place[node], base - rise * (level - 1)) for node, level in enumerate(tree.lists["level"])}
    for level in range(1, tree.top + 1):
        y = base - rise * (level - 1)
        drawing.add(f'<path d="M300 {y}H590" stroke="{FAINT}" stroke-dasharray="1 4"/>')
        drawing.text(296, y + 4.5, level, FAINT, ' text-anchor="end"')
    for node, parent in enumerate(tree.lists["parent"]):
        (x, y), (x_parent, y_parent) = at[node], at[parent]
        drawing.add(f'<path d="M{x:g} {y:g}V{y_parent:g}H{x_parent:g}" fill="none" stroke="{FAINT}" stroke-width="2"/>')
    for node, (x, y) in at.items():
        fill, ink = tree.grey(tree.lists["level"][node])
        drawing.add(f'<circle cx="{x:g}" cy="{y:g}" r="11" fill="{fill}" stroke="{FAINT}"/>')
        drawing.text(x, y + 4.5, node, ink)
        drawing.text(x + 14, y - 4, f"{tree.lists['area'][node]} · {tree.lists['dynamics'][node]}", DARK, ' font-size="11" text-anchor="start"')
    least, most, contrast = tree.lists["bounds"]
    for top, name, words in ((0, "opened", f"area ≥ {least}"), (170, "kept", f"area ≤ {most}, dynamics ≥ {contrast}")):
        drawing.text(612, 26 + top, words, extra=' text-anchor="start" font-weight="bold"')
        tree.draw_image(drawing, 612, TOP - 8 + top, 20, tree.lists[name])
    return drawing
