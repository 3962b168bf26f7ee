"""# Particles of a film

Forty particles drift and bounce. A tracker labels each frame and passes ids on by overlap; it tells births, deaths, splits
and merges.
"""
import collections

import matplotlib.pyplot as plt
import numpy as np

import skerry

HEIGHT, WIDTH, FRAMES = 240, 320, 60
random = np.random.default_rng(3)
place = random.uniform([0, 0], [HEIGHT, WIDTH], (40, 2))
speed = random.normal(0, 1.2, (40, 2))
radius = random.uniform(4, 8, 40)
rows, columns = np.mgrid[:HEIGHT, :WIDTH]

events, paths = collections.Counter(), collections.defaultdict(list)
with skerry.Tracker((HEIGHT, WIDTH), "uint8", threshold=100, labels=True) as tracker:
    for _ in range(FRAMES):
        frame = np.full((HEIGHT, WIDTH), 20, np.uint8)
        for (y, x), r in zip(place, radius):
            frame[(rows - y) ** 2 + (columns - x) ** 2 < r * r] = 200
        tracker.push(frame)
        place += speed
        speed[(place < 0) | (place > [HEIGHT, WIDTH])] *= -1
    for result in tracker:
        events.update(event.kind for event in result.events)
        for number, y, x in zip(result.objects["id"], result.objects["centroid-0"], result.objects["centroid-1"]):
            paths[int(number)].append((x, y))
print(dict(sorted(events.items())))
print(f"{sum(len(path) == FRAMES for path in paths.values())} objects are seen in all {FRAMES} frames")

figure, axes = plt.subplots(figsize=(6.4, 4.8), layout="constrained")
skerry.show(result.labels, frame, axes=axes, alpha=0.8)
for path in paths.values():
    axes.plot(*zip(*path), color="white", linewidth=0.6)
