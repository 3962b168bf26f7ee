# SPDX-License-Identifier: Apache-2.0
"""Max-trees and min-trees."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy

from . import _native
from ._arguments import array, flag
from ._table import Table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._types import Array, Image, Number


def max_tree(image: Image, *, connectivity: int | None = None, kind: Literal["max", "min"] = "max",
             threads: int | None = None) -> MaxTree:
    """Builds the tree of the components of all threshold sets of a grey image.

    >>> tree = max_tree(numpy.array([[1, 3, 1, 2]], numpy.uint8))
    >>> tree.level
    array([1., 2., 3.])
    >>> tree.parent
    array([0, 0, 0], dtype=uint32)
    >>> tree.measure()["area"]
    array([4, 1, 1])

    Parameters
    ----------
    image : array of (rows, columns) or (slices, rows, columns)
        Integers of 8 to 64 bits, at most 2^53 in magnitude, or floats without NaN; any strides; fewer than 2^31 pixels.
    connectivity : int
        4 or 8 neighbours in 2 dimensions; 6, 18 or 26 in 3. All (8 or 26) by default.
    kind : "max" or "min"
        "max": components of image >= t, whose leaves are peaks. "min": of image <= t, whose leaves are pits.
    threads : int
        1 to 1024; one per processor by default. The tree does not depend on it.

    Returns
    -------
    MaxTree
    """
    return MaxTree(_native.max_tree(image, connectivity, kind, threads))


class MaxTree:
    """A max-tree or min-tree that ``max_tree`` built.

    Nodes are numbered by level, and among equal levels by first pixel, so that parents come before their children. The
    arrays are read-only views of the tree's own memory, which they keep alive. Trees can be pickled; one that was is measured by
    one thread.
    """

    def __init__(self, tree: Any) -> None:
        self._tree = tree

    @classmethod
    def _of(cls, shape, dtype, options, parts):
        """A tree of its parts, for pickle."""
        like = numpy.broadcast_to(numpy.zeros((), dtype), shape)  # has no memory
        return cls(_native.tree_from_parts(like, options, *parts))

    def __reduce__(self):
        parts = [self.parent, self.first_pixel, self.level, self._tree.node_of_pixel()]
        return MaxTree._of, (self.shape, self.dtype.str, (self.kind, self.connectivity), [numpy.array(part) for part in parts])

    def __len__(self) -> int:
        """Number of nodes."""
        return self._tree.nodes

    def __repr__(self) -> str:
        sides = " x ".join(map(str, self.shape))
        return f"<MaxTree: {self.kind}, {len(self)} nodes, {sides} {self.dtype}>"

    @property
    def kind(self) -> str:
        """"max" or "min"."""
        return self._tree.kind

    @property
    def connectivity(self) -> int:
        """Neighbours of a pixel."""
        return self._tree.connectivity

    @property
    def dtype(self) -> numpy.dtype:
        """Type of the image's pixels."""
        return numpy.dtype(self._tree.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the image."""
        return self._tree.shape

    @property
    def parent(self) -> Array:
        """Of each node its parent; the root, node 0, is its own."""
        return self._tree.parent()

    @property
    def level(self) -> Array:
        """Of each node its grey value, as float64, exactly."""
        return self._tree.level()

    @property
    def first_pixel(self) -> Array:
        """Of each node the smallest raster index among its pixels at its level."""
        return self._tree.first_pixel()

    @property
    def node_of_pixel(self) -> Array:
        """An array of the image's shape: the smallest component that holds each pixel."""
        return self._tree.node_of_pixel().reshape(self.shape)

    def measure(self, *, geometry: bool = False, moments: bool = False, levels: bool = False,
                threads: int | None = None) -> Table:
        """Measures every node: area, height and dynamics, and on demand more columns.

        geometry adds boxes and centroids, moments elongation and compactness, levels volume and the mean and variance
        of grey values. Returns a Table with one row for each node.
        """
        return Table(self._tree.measure(flag("geometry", geometry), flag("moments", moments), flag("levels", levels), threads))

    def filter(self, keep: ArrayLike, *, rule: Literal["direct", "min", "max", "subtractive"] = "direct", top_hat: bool = False,
               threads: int | None = None) -> Array:
        """Writes the image of the nodes that are kept. The root always is.

        >>> tree = max_tree(numpy.array([[1, 3, 1, 2]], numpy.uint8))
        >>> tree.filter(tree.level != 2)
        array([[1, 3, 1, 1]], dtype=uint8)

        Parameters
        ----------
        keep : array of bool, one for each node
        rule : "direct", "min", "max" or "subtractive"
            direct: pixels of other nodes get the level of the nearest kept node below. min: removing a node removes its
            descendants. max: keeping a node keeps its ancestors. subtractive: as direct, and descendants come down by
            the step of the removed node.
        top_hat : bool
            Returns the distance between the image and the filtered image instead, unsigned for integers.
        """
        decisions = array("keep", keep)
        if decisions.dtype != bool:
            raise TypeError(f"keep: dtype {decisions.dtype} is not bool")
        if decisions.shape != (len(self),):
            raise ValueError(f"keep: shape {decisions.shape} is not one bool for each of {len(self)} nodes")
        bytes_of_nodes = numpy.ascontiguousarray(decisions).view(numpy.uint8)
        return self._tree.filter(bytes_of_nodes, rule, flag("top_hat", top_hat), threads)

    def _require(self, kind, name):
        if self.kind != kind:
            raise ValueError(f"{name} needs a {kind}-tree: max_tree(image, kind='{kind}')")

    def area_opening(self, area: int, *, top_hat: bool = False, threads: int | None = None) -> Array:
        """Flattens peaks of fewer than ``area`` pixels; for a max-tree.

        >>> max_tree(numpy.array([[1, 3, 1, 2]], numpy.uint8)).area_opening(2)
        array([[1, 1, 1, 1]], dtype=uint8)
        """
        self._require("max", "area_opening")
        return self._tree.filter_areas(area, flag("top_hat", top_hat), threads)

    def area_closing(self, area: int, *, top_hat: bool = False, threads: int | None = None) -> Array:
        """Fills pits of fewer than ``area`` pixels; for a min-tree."""
        self._require("min", "area_closing")
        return self._tree.filter_areas(area, flag("top_hat", top_hat), threads)

    def h_maxima(self, h: Number, *, top_hat: bool = False, threads: int | None = None) -> Array:
        """Cuts ``h`` off every peak: the reconstruction of the image from image - h; for a max-tree.

        >>> max_tree(numpy.array([[1, 3, 1, 2]], numpy.uint8)).h_maxima(1)
        array([[1, 2, 1, 1]], dtype=uint8)
        """
        self._require("max", "h_maxima")
        return self._tree.filter_extrema(h, flag("top_hat", top_hat), threads)

    def h_minima(self, h: Number, *, top_hat: bool = False, threads: int | None = None) -> Array:
        """Fills every pit by ``h``; for a min-tree."""
        self._require("min", "h_minima")
        return self._tree.filter_extrema(h, flag("top_hat", top_hat), threads)
