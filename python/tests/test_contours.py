# SPDX-License-Identifier: Apache-2.0
"""skerry.cv2.findContours has the points, the order and the hierarchy of OpenCV."""
import cv2 as opencv
import numpy as np
import pytest

import skerry
from skerry import cv2

MODES = [cv2.RETR_EXTERNAL, cv2.RETR_LIST, cv2.RETR_CCOMP, cv2.RETR_TREE]
METHODS = [cv2.CHAIN_APPROX_NONE, cv2.CHAIN_APPROX_SIMPLE]


def test_constants():
    for name in cv2.__all__:
        if name.isupper():
            assert getattr(cv2, name) == getattr(opencv, name)


def expect_same(image, **options):
    for mode in MODES:
        for method in METHODS:
            mine, rows = cv2.findContours(image, mode, method, **options)
            theirs, their_rows = opencv.findContours(image, mode, method, **options)
            assert len(mine) == len(theirs) and isinstance(mine, tuple), (mode, method)
            for one, other in zip(mine, theirs):
                assert one.dtype == other.dtype and np.array_equal(one, other), (mode, method)
            if their_rows is None:
                assert rows is None
            else:
                assert rows.dtype == their_rows.dtype and np.array_equal(rows, their_rows), (mode, method)


def test_random_images():
    random = np.random.default_rng(0)
    for i in range(400):
        shape = random.integers(1, 24, 2)
        image = (random.random(shape) < random.choice([0.2, 0.4, 0.6, 0.8])).astype(np.uint8)
        if i % 4 == 3:
            image = np.kron(image, np.ones((2, 3), np.uint8))
        expect_same(image * np.uint8(random.integers(1, 256)))


def test_nested_rings():
    y, x = np.mgrid[:61, :61]
    rings = (np.maximum(abs(y - 30), abs(x - 30)) % 4 < 2).astype(np.uint8)
    expect_same(np.hstack([rings, rings[:, ::-1] * 7, np.zeros((61, 3), np.uint8)]))
    expect_same((((y - 30) ** 2 + (x - 30) ** 2) // 40 % 3 == 0).astype(np.uint8) * 255)


def test_offset_and_layout():
    image = (np.random.default_rng(1).random((20, 30)) < 0.5).astype(np.uint8)
    expect_same(image, offset=(-5, 7))
    mine = cv2.findContours(image[::-1, ::2], cv2.RETR_TREE, cv2.CHAIN_APPROX_NONE)
    theirs = opencv.findContours(np.ascontiguousarray(image[::-1, ::2]), cv2.RETR_TREE, cv2.CHAIN_APPROX_NONE)
    assert all(map(np.array_equal, mine[0], theirs[0])) and np.array_equal(mine[1], theirs[1])


def test_images_without_contours():
    expect_same(np.zeros((4, 5), np.uint8))
    expect_same(np.full((4, 5), 9, np.uint8))


def test_contours_can_be_drawn():
    image = (np.random.default_rng(2).random((40, 50)) < 0.6).astype(np.uint8)
    contours, _ = cv2.findContours(image, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    drawn = opencv.drawContours(np.zeros_like(image), contours, -1, 1)
    assert np.all(image[drawn == 1] == 1) and drawn.sum() > 100


def test_the_place_for_a_hierarchy():
    image = np.eye(3, dtype=np.uint8)
    place = np.zeros((1, 1, 4), np.int32)
    assert cv2.findContours(image, cv2.RETR_TREE, cv2.CHAIN_APPROX_NONE, hierarchy=place)[1] is place
    assert place.tolist() == [[[-1, -1, -1, -1]]]


def test_what_is_left_to_opencv(monkeypatch):
    image = np.eye(3, dtype=np.uint8)
    theirs = opencv.findContours(image, cv2.RETR_LIST, opencv.CHAIN_APPROX_TC89_L1)
    assert np.array_equal(cv2.findContours(image, cv2.RETR_LIST, opencv.CHAIN_APPROX_TC89_L1)[0][0], theirs[0][0])
    labels = np.array([[1, 1, 2, 2]], np.int32)
    mine = cv2.findContours(labels, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    assert np.array_equal(mine[1], opencv.findContours(labels, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)[1])
    with pytest.raises(opencv.error):
        cv2.findContours(image.astype(np.float32), cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    monkeypatch.setenv("SKERRY_FALLBACK", "error")
    for arguments, reason in (((image, 4, 1), "^mode: 4"), ((image, 1, 3), "^method: 3"), ((labels, 2, 1), "^image: not an array")):
        with pytest.raises(NotImplementedError, match=reason):
            cv2.findContours(*arguments)


def test_outlines_of_labels_through_centres():
    labels = np.array([[2, 2, 2, 5], [2, 0, 2, 5], [2, 2, 2, 0]])
    outlines = skerry.outline(labels, connectivity=8, through_centres=True, nesting=True)
    assert outlines[1][0][0].tolist() == [[3, 0], [3, 1]]
    assert outlines.parents.tolist() == [-1, 0, -1] and outlines.firsts.tolist() == [[0, 0], [1, 1], [3, 0]]
    assert outlines.__geo_interface__["features"][1]["geometry"]["coordinates"] == [[[3, 0], [3, 1], [3, 1], [3, 0]]]
    assert len(skerry.outline(labels).parents) == 0
    with pytest.raises(ValueError, match="^through_centres: only outlines along edges are simplified"):
        skerry.outline(labels, through_centres=True, simplify=1)
