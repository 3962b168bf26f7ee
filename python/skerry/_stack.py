# SPDX-License-Identifier: Apache-2.0
"""Components of a volume that comes in slabs, as a compressed volume of the package crackle-codec."""
import numpy

from ._voxel_graphs import _joined


def _crackle():
    try:
        import crackle
    except ImportError as missing:
        raise ImportError("connected_components_stack: its result is a CrackleArray: pip install crackle-codec") from missing
    return crackle


def _pairs(labels, parts):
    """Pairs of labels above 0 in the same part."""
    there = labels > 0
    rows = numpy.unique(numpy.stack([parts[there], labels[there]], axis=1), axis=0).astype(numpy.int64)
    same = rows[1:, 0] == rows[:-1, 0]
    return numpy.stack([rows[:-1, 1][same], rows[1:, 1][same]], axis=1)


def components_of_slabs(slabs, label):
    """A CrackleArray of the components of slabs, which follow each other along the third axis, and their number.

    ``label`` gives the labels 1..n of an image, as uint64, and n. Components that meet between two slabs are those of the two
    slices there, as an image by themselves. Besides the compressed slabs, one slab and two slices are in memory.
    """
    crackle = _crackle()
    pieces, pairs, total, last = [], [numpy.zeros((0, 2), numpy.int64)], 0, None
    for slab in slabs:
        labels, count = label(slab)
        labels[labels > 0] += numpy.uint64(total)
        total += count
        pieces.append(crackle.compress(labels))
        if last is not None:
            parts, _ = label(numpy.stack([last[0], slab[:, :, 0]], axis=2))
            pairs.append(_pairs(numpy.stack([last[1], labels[:, :, 0]], axis=2), parts))
        last = slab[:, :, -1].copy(), labels[:, :, -1].copy()
    if not pieces:
        raise ValueError("stacked_images: there is none")
    roots = _joined(numpy.concatenate(pairs), total + 1)
    numbers = (numpy.cumsum(roots == numpy.arange(total + 1)) - 1)[roots]
    whole = crackle.remap(crackle.zstack(pieces), dict(enumerate(numbers.tolist())))
    return crackle.CrackleArray(whole).refit(), int(numbers.max())
