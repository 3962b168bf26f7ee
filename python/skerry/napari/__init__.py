# SPDX-License-Identifier: Apache-2.0
"""Plugin of napari: threshold and label, measure, filter by a max-tree, track. ``pip install skerry[napari]``.

napari finds it by its manifest, napari.yaml; nothing is imported before a widget is opened.
"""
