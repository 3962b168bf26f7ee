# SPDX-License-Identifier: Apache-2.0
"""Where another method is faster than the library's own: every method that was timed for a job, against its own of the same engine.

Single images and streams are counted apart, and so are those of a GPU and of one thread of a CPU.
"""
from samples import MORE_LABELS, OWN_FIRST_PIXEL, of_a_gpu
from tables import row


def is_own(method):
    return method.startswith("skerry")


def of_one_thread(samples):
    """Labels alone: the model of [BlockFill2011] labels nothing, and trees have no rival there."""
    return [s for s in samples if s["figure"].startswith("001")]


def is_stream(sample):
    return "frames" in sample


class contest:
    """Images of one kind, or streams: how many there are; those where another method takes less time, and how much less; and how many
    there are where none takes less than labels 1..n."""

    def __init__(self):
        self.images, self.faster, self.consecutive = {}, [], 0

    def judge(self):
        for name, times in self.images.items():
            best = min((method for method in times if not is_own(method)), key=times.get)
            own = {method: time for method, time in times.items() if is_own(method)}
            self.consecutive += min(time for method, time in own.items() if method != OWN_FIRST_PIXEL) <= times[best]
            if min(own.values()) > times[best]:
                self.faster.append((name, best, min(own.values()) / times[best]))
        return self


def image_of(sample):
    if is_stream(sample):
        return f"{sample['density']} %" if sample["density"] else "changing"
    return sample.get("look") or f"{sample['density']} %"


def kind_of(sample):
    size = (sample.get("depth", 1), sample["height"], sample["width"])
    return is_stream(sample), sample["job"], sample["figure"][:3], *size, sample["connectivity"], sample.get("granularity")


def contests(samples):
    """By job, paper, size, neighbours and granularity, in the order they come; the images of each by density."""
    timed = [s for s in samples if "us" in s]
    found = {kind_of(s): contest() for s in timed}
    for s in sorted(timed, key=lambda s: s.get("density", 0)):
        found[kind_of(s)].images.setdefault(image_of(s), {})[s["method"]] = s["us"]
    return {kind: each.judge() for kind, each in found.items()}


def total(some):
    """How many images there are; on how many the library is the fastest; and on how many by labels 1..n."""
    images = sum(len(each.images) for each in some)
    return images, images - sum(len(each.faster) for each in some), sum(each.consecutive for each in some)


def who_does(samples):
    """Every method with a time, by what it was timed for."""
    methods = {}
    for s in samples:
        if "us" in s and not is_own(s["method"]):
            methods.setdefault(s["job"], {})[s["method"]] = None
    listed = lambda some: ", ".join(f"`{m}`" for m in some)
    lines = "Rivals: " + "; ".join(f"{job}: {listed(some)}" for job, some in methods.items()) + "."
    untimed = [m for m in MORE_LABELS if m not in methods.get("labels", {})]
    return lines + (f" These label too, and the run has no time of that: {listed(untimed)}." if untimed else "") + (
        " Without features `ha-otf` and `ha-cd` are `ha`, and `flsl-otf` and `flsl-cd` are `flsl`.")


def lost(found):
    """A row for each set of images that another method leads on."""
    lines = ["| job, side, neighbours, g | images | skerry is fastest | the fastest elsewhere: density, and how many times "
             "as fast |", "| --- | --: | --: | --- |"]
    for (stream, job, _, depth, height, width, connectivity, granularity), each in found.items():
        side = (f"{height}³" if depth == height else f"{height}²") if height == width else f"{height} × {width}"
        name = f"{'stream of ' if stream else ''}{job}, {side}, {connectivity}, {granularity or '–'}"
        if each.faster:
            lines.append(row(name, len(each.images), len(each.images) - len(each.faster),
                             ", ".join(f"{image} {best} {times:.2f}" for image, best, times in each.faster)))
    return lines


def slower(head, samples):
    here = of_a_gpu(samples)
    found = contests(here)
    images, fastest, consecutive = total([each for key, each in found.items() if not key[0]])
    how = (f" by labels of its own numbering, as rivals leave them (`{OWN_FIRST_PIXEL}`), and on {consecutive} by labels 1..n in raster "
           "order" if any(s["method"] == OWN_FIRST_PIXEL for s in here) else "")
    streams, led, _ = total([each for key, each in found.items() if key[0]])
    and_streams = f" Of {streams} streams it is the fastest on {led}: on {fastest + led} of {images + streams} in all." if streams else ""
    return [f"skerry is the fastest on {fastest} of {images} images{how}.{and_streams} The table has the others; sets of images on which it is "
            "always the fastest are left out.", "", who_does(here), "", *lost(found)]


def slower_on_a_cpu(head, samples):
    """Beside the table of the GPU, with the library's own on one thread, too."""
    found = contests(of_one_thread(samples))
    if not found:
        return []
    images, fastest, _ = total(found.values())
    names = ", ".join(f"`{m}`" for m in dict.fromkeys(s["method"] for s in of_one_thread(samples)) if not is_own(m))
    line = f"On one thread of a CPU ({head['device']}) skerry is the fastest on {fastest} of {images} label images; rivals: {names}."
    return [line] if fastest == images else [line, "", *lost(found)]


BLOCKS = {"slower": slower}
