"""# A volume of a scanner

Fluid is bright in this magnetic resonance image of a head, which has 24 slices. Components are connected through slices; the
largest ones are what the picture shows.
"""
import matplotlib.pyplot as plt
import tifffile

import skerry

head = tifffile.imread("samples/brain.tif")
labels = skerry.label(head, above=640, connectivity=6, largest=8)
table = skerry.measure_labels(labels.image)
for label, voxels, first, end in zip(table["label"], table["area"], table["bbox-0"], table["bbox-3"]):
    print(f"component {label}: {voxels} voxels in slices {first} to {end - 1}")

figure, axes = plt.subplots(1, 4, figsize=(9, 2.6), layout="constrained")
for place, depth in zip(axes, (6, 10, 14, 18)):
    skerry.show(labels, head, axes=place, depth=depth, alpha=0.7)
    place.set_title(f"slice {depth}")
