# SPDX-License-Identifier: Apache-2.0
"""Means of time of some samples, by what is looked for."""
from samples import mean, mean_speed, of


class measured:
    """Throughput of all pixels of the samples asked for in all of their time; with a key, the mean of that."""

    def __init__(self, samples, key="Gpx/s"):
        self.samples, self.key = samples, key

    def __call__(self, **wanted):
        some = of(self.samples, **wanted)
        return mean_speed(some) if self.key == "Gpx/s" else mean(s[self.key] for s in some)
