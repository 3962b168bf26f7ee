"""# Nuclei of a microscope's stack

Two channels of eight slices. We find nuclei in the first one and measure them in micrometres; then
we measure each nucleus's brightness in the second channel.
"""
import matplotlib.pyplot as plt
import tifffile

import skerry

nuclei, glow = tifffile.imread("samples/cells.tif").transpose(1, 0, 2, 3)  # slices, rows, columns of each channel
spacing = (0.5, 0.25, 0.25)
labels = skerry.label(nuclei, threshold="otsu")
table = skerry.measure_labels(labels.image, glow, spacing=spacing, unit="um")
for label, volume, mean in zip(table["label"], table["area_um3"], table["intensity_mean"]):
    print(f"nucleus {label}: {volume:5.2f} um3, glow {mean:5.1f}")

figure, axes = plt.subplots(1, 3, figsize=(9, 2.6), layout="constrained")
for place, depth in zip(axes, (1, 3, 5)):
    skerry.show(labels, glow, axes=place, depth=depth, outlines=True)
    place.set_title(f"slice {depth}")
