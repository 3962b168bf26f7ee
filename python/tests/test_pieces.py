# SPDX-License-Identifier: Apache-2.0
"""Blocks that are labelled alone against one call for the whole image."""
import itertools
import pickle
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skerry
from skerry import blocks

NEIGHBOURS = {2: (4, 8), 3: (6, 18, 26)}


def cut(draw, length):
    """Bounds of blocks along an axis, at random."""
    inner = draw(st.sets(st.integers(1, length - 1), max_size=4)) if length > 1 else ()
    return [0, *sorted(inner), length]


def joined_at_random(pieces, seed):
    """Joins pieces, some at a time; what is closed is taken out now and then. Returns all that number() wants."""
    dice = random.Random(seed)
    pieces, closed = list(pieces), []
    while len(pieces) > dice.choice((1, 1, 3)):
        taken = [pieces.pop(dice.randrange(len(pieces))) for _ in range(min(len(pieces), dice.choice((2, 3))))]
        one = blocks.join(*taken)
        if dice.random() < 0.5:
            one, final = one.split()
            assert one.closed == final.open == final.pixels == 0
            closed.append(final)
        pieces.append(pickle.loads(pickle.dumps(one)))
    return pieces + closed


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_any_blocks_joined_in_any_order_are_one_call(data):
    shape = tuple(data.draw(st.lists(st.integers(1, 14), min_size=2, max_size=3)))
    dice = np.random.default_rng(data.draw(st.integers(0, 999)))
    image = dice.integers(0, data.draw(st.sampled_from([2, 3, 5])), shape).astype("u1")
    choice = {"connectivity": data.draw(st.sampled_from(NEIGHBOURS[len(shape)])), "equal": data.draw(st.booleans())}
    keep = data.draw(st.sampled_from([{}, {"min_area": 3}, {"max_area": 4}, {"clear_border": True}, {"largest": 2}]))
    regions = [tuple(itertools.starmap(slice, each))
               for each in itertools.product(*(list(itertools.pairwise(cut(data.draw, length))) for length in shape))]
    places = {tuple(side.start for side in region): region for region in regions}
    grey = dice.integers(0, 999, shape).astype("u2")
    pieces = [blocks.label_block(image[region], origin, shape, intensity=grey[region], moments=True, **choice)
              for origin, region in places.items()]
    numbering, table = blocks.number(joined_at_random(pieces, data.draw(st.integers(0, 999))), **keep)
    whole = skerry.label(image, **choice, **keep)
    expected = skerry.measure(image, grey, moments=True, **choice, **keep)
    assert numbering.count == whole.count and table.keys() == expected.keys()
    for name in expected:
        assert np.array_equal(table[name], expected[name]), name
    labels = np.full(shape, 77, "u2")
    for origin, region in places.items():
        given_labels = blocks.labels_of_block(numbering, origin, image[region].shape)
        blocks.emit_block(image[region], origin, shape, given_labels, out=labels[region], **choice)
    assert np.array_equal(labels, whole.image)


def noise(shape=(12, 15)):
    return np.random.default_rng(0).random(shape) < 0.5


def test_pieces_are_the_same_bytes_in_any_order():
    image = noise()
    parts = [blocks.label_block(image[:, begin:begin + 5], (0, begin), image.shape) for begin in (0, 5, 10)]
    one = blocks.join(*parts)
    for order in itertools.permutations(parts):
        assert blocks.join(*order).to_bytes() == one.to_bytes()
    assert one.complete and one.pixels == image.size and one.shape == image.shape and one.open == 0
    assert one == blocks.join(blocks.Piece(), one) and one != parts[0] and one != "bytes"
    assert repr(one) == f"<Piece: 180 of 12 x 15 pixels; components: 0 open, {skerry.count(image)} closed>"


def test_pieces_that_were_damaged_are_refused():
    whole = blocks.label_block(noise(), (0, 0), (12, 15)).to_bytes()
    for end in range(len(whole)):
        with pytest.raises(ValueError, match="^bytes: "):
            blocks.Piece.from_bytes(whole[:end])
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 4
        with pytest.raises(ValueError, match="^bytes: "):
            blocks.Piece.from_bytes(bytes(changed))
    with pytest.raises(TypeError):
        blocks.Piece.from_bytes("text")


def test_numberings_are_pickled():
    numbering, table = blocks.number([blocks.label_block(noise(), (0, 0), (12, 15))], spacing=0.5, unit="um")
    again = pickle.loads(pickle.dumps(numbering))
    assert again.shape == numbering.shape and again.count == numbering.count
    assert np.array_equal(again.first, numbering.first) and np.array_equal(again.label, numbering.label)
    assert repr(again) == f"<Numbering: {numbering.count} components, 12 x 15>"
    assert np.array_equal(table["area_um2"], table["area"] * 0.25)


@pytest.mark.parametrize("arguments, kind, text", [
    ({"origin": (0, 0, 0)}, ValueError, r"origin: \(0, 0, 0\) has not one integer for each of the 2 axes"),
    ({"origin": (0, 1)}, ValueError, "place: a block of .* is not within the whole image"),
    ({"origin": (0, -1)}, ValueError, "origin: -1 is not in 0"),
    ({"origin": 0}, ValueError, "origin: 0 is not one integer for each of 2 or 3 axes"),
    ({"whole": (12, 15, 1)}, ValueError, "origin: .* for each of the 3 axes"),
    ({"whole": (12, 1.5)}, TypeError, "whole: 1.5 is not an integer"),
    ({"threshold": "otsu"}, ValueError, "threshold: 'otsu' is of a whole image, not of a block; give a number"),
    ({"connectivity": 6}, ValueError, "connectivity: 6 is not 4 or 8"),
    ({"block": np.zeros((0, 4))}, ValueError, "block: size .* has no pixels"),
    ({"intensity": np.zeros((3, 4))}, ValueError, "intensity"),
])
def test_blocks_that_are_refused(arguments, kind, text):
    arguments = {"block": noise(), "origin": (0, 0), "whole": (12, 15), **arguments}
    with pytest.raises(kind, match="^" + text):
        blocks.label_block(**arguments)


def test_what_does_not_belong_together_is_refused():
    image = noise()
    left, right = (blocks.label_block(image[:, side], (0, side.start), image.shape) for side in (slice(0, 7), slice(7, 15)))
    other = blocks.label_block(image[:, 7:], (0, 7), image.shape, connectivity=4)
    for pieces in [(left, left), (left, other)]:
        with pytest.raises(ValueError, match="^join: "):
            blocks.join(*pieces)
    with pytest.raises(ValueError, match="^pieces: 84 of 180 pixels"):
        blocks.number([left])
    with pytest.raises(TypeError, match="^pieces: None is not a Piece"):
        blocks.join(left, None)
    with pytest.raises(ValueError, match="^min_area: 5 is above max_area 4"):
        blocks.number([left, right], min_area=5, max_area=4)
    numbering, _ = blocks.number([left, right])
    given_labels = blocks.labels_of_block(numbering, (0, 0), (12, 7))
    out = np.full((12, 8), 9, "u1")
    with pytest.raises(ValueError, match="^given: the labels are not those of this block"):
        blocks.emit_block(image[:, 7:], (0, 7), image.shape, given_labels, out=out)
    assert (out == 9).all()
    with pytest.raises(ValueError, match="^out: 300 components do not fit uint8"):
        blocks.emit_block(image[:, 7:], (0, 7), image.shape, given_labels._replace(count=300), out=out)
    with pytest.raises(TypeError, match="^out: dtype float32 is not an integer type"):
        blocks.emit_block(image[:, 7:], (0, 7), image.shape, given_labels, out=out.astype("f4"))


def test_pieces_of_labels_are_the_same_bytes_in_any_order():
    labels = np.random.default_rng(0).integers(-1, 9, (12, 15))
    parts = [blocks.measure_block(labels[:, begin:begin + 5], (0, begin), labels.shape, moments=True) for begin in (0, 5, 10)]
    one = blocks.join_regions(*parts)
    for order in itertools.permutations(parts):
        assert blocks.join_regions(*order).to_bytes() == one.to_bytes()
    assert one.complete and one.pixels == labels.size and one.shape == labels.shape and one.regions == 8
    assert one == pickle.loads(pickle.dumps(one)) and one != parts[0] and one != "bytes"
    table, expected = blocks.table_of(parts), skerry.measure_labels(labels, moments=True)
    assert table.keys() == expected.keys() and all(np.array_equal(table[name], expected[name]) for name in expected)
    for work, text in [(lambda: blocks.join_regions(one, parts[0]), "join: a block at"), (lambda: blocks.table_of(parts[:2]), "pieces: 120 of 180"),
                       (lambda: blocks.RegionPiece.from_bytes(one.to_bytes()[:-9]), "bytes: ")]:
        with pytest.raises(ValueError, match="^" + text):
            work()
    with pytest.raises(TypeError, match="^pieces: 3 is not a RegionPiece"):
        blocks.join_regions(3)
