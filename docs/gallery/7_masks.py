"""# Masks of another program

A label image that is given, with gaps in its numbers: here the part of the plane that is nearest to each coin. We
measure the regions, list the pairs that touch, and trace outlines with shared borders.
"""
import matplotlib.pyplot as plt
import numpy as np
import scipy.ndimage
from PIL import Image

import skerry

coins = np.asarray(Image.open("samples/coins.png"))
flat = skerry.max_tree(coins).area_opening(4000, top_hat=True)
seeds = 10 * skerry.label(flat, threshold="otsu", fill_holes=True, min_area=150).image.astype(np.int32)
nearest = scipy.ndimage.distance_transform_edt(seeds == 0, return_distances=False, return_indices=True)
masks = seeds[tuple(nearest)]

table = skerry.measure_labels(masks, columns=["area", "solidity", "perimeter"])
pairs = skerry.contacts(masks, connectivity=4)
outlines = skerry.outline(masks, simplify=1)
print(f"{len(table)} regions, {len(pairs)} pairs that touch; the least solid is {table['label'][table['solidity'].argmin()]}")
print(outlines)

figure, axes = plt.subplots(figsize=(6, 4.6), layout="constrained")
skerry.show(masks, coins, axes=axes, alpha=0.35)
for polygons in outlines:
    for ring in (ring for polygon in polygons for ring in polygon):
        axes.plot(*(np.vstack([ring, ring[:1]]) - 0.5).T, color="white", linewidth=1)
