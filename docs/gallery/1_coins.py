"""# Coins on uneven ground

Otsu's threshold loses the coins in the dark corner. A top-hat first removes what changes slowly: of the max-tree, nodes larger
than any coin go, and what is left stands above its surroundings.
"""
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

import skerry

coins = np.asarray(Image.open("samples/coins.png"))
flat = skerry.max_tree(coins).area_opening(4000, top_hat=True)  # coins without the ground
labels = skerry.label(flat, threshold="otsu", fill_holes=True, min_area=150)
table = skerry.measure_labels(labels.image, columns=["area", "equivalent_diameter_area"])
print(labels)
print(f"{table['area'].sum():.0f} pixels, diameters {np.percentile(table['equivalent_diameter_area'], [10, 50, 90]).round(1)}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.imshow(flat, cmap="gray")
left.set_title("top-hat")
left.set_axis_off()
skerry.show(labels, coins, axes=right, numbers=True)
right.set_title("labels")
