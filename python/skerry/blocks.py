# SPDX-License-Identifier: Apache-2.0
"""Images of any size in blocks, which are labelled anywhere and in any order: the labels and tables of one call, bit for bit."""
from ._pieces import BlockLabels, Numbering, Piece, emit_block, join, label_block, labels_of_block, number

__all__ = ["BlockLabels", "Numbering", "Piece", "emit_block", "join", "label_block", "labels_of_block", "number"]
