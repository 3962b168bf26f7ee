"""# Galaxies by their contrast

No threshold finds faint galaxies beside bright ones. In a max-tree, each is a branch: small, and high above the place where
it joins another one. Attributes of nodes say both.
"""
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

import skerry

sky = np.asarray(Image.open("samples/galaxies.png"))
tree = skerry.max_tree(sky)
nodes = tree.measure()
stars = tree.filter((nodes["area"] <= 400) & (nodes["dynamics"] >= 40), rule="subtractive")
labels = skerry.label(stars, above=int(stars.min()) + 20)
print(tree)
print(f"{labels.count} objects of at most 400 pixels, at least 40 grey values high")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
part = np.s_[220:540, 400:800]
left.imshow(sky[part] ** 0.6, cmap="gray")
left.set_title("sky")
left.set_axis_off()
skerry.show(labels.image[part], sky[part] ** 0.6, axes=right, outlines=True)
right.set_title("objects")
