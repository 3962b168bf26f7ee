"""# A page of text

Dark pixels are ink. Each component is a letter, a dot, or letters that touch; labelling the rows
that contain ink finds the lines of text.
"""
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

import skerry

page = np.asarray(Image.open("samples/page.png"))
letters = skerry.label(page, within=(0, 127), min_area=3)
table = skerry.measure(page, within=(0, 127), min_area=3)
has_ink = (page < 128).any(axis=1, keepdims=True)
lines = skerry.measure(has_ink)
print(letters)
print(f"{len(lines)} lines, {np.median(lines['bbox-2'] - lines['bbox-0']):.0f} pixels high")
print(f"the median letter is {np.median(table['bbox-2'] - table['bbox-0']):.0f} pixels high")

figure, axes = plt.subplots(figsize=(8, 3.4), layout="constrained")
skerry.show(letters.image[60:340, 90:760], axes=axes)
