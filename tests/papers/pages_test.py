# SPDX-License-Identifier: Apache-2.0
"""What the pages of the papers leave out, count and refuse: bench/papers with a few samples made by hand."""
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

BENCH = pathlib.Path(__file__).resolve().parent.parent.parent / "bench"
sys.path.insert(0, str(BENCH / "papers"))
sys.dont_write_bytecode = True

import bounds  # noqa: E402
import claims_others  # noqa: E402
import report  # noqa: E402
import revisions  # noqa: E402
import rivals  # noqa: E402
import samples  # noqa: E402
import tables_streams  # noqa: E402


def sample(method, us, **others):
    return {"figure": "001 size", "method": method, "job": "labels", "connectivity": 8, "height": 128, "width": 128, "granularity": 1,
            "density": 50, "us": us, **others}


class revisions_of_results(unittest.TestCase):
    GPU, CPU = "1-gpu-papers.json", "1-xeon-papers-cpu.json"

    def note(self, gpu, cpu, joined=None):
        heads = [{"revision": revision} if revision else {} for revision in (gpu, cpu)]
        with mock.patch.object(revisions, "JOINED", joined or {}):
            return revisions.note((self.GPU, heads[0]), (self.CPU, heads[1]))[0]

    def test_one_revision_is_joined(self):
        self.assertIn("abc1234", self.note("abc1234", "abc1234"))

    def test_others_are_refused(self):
        for gpu, cpu in (("abc1234", "def5678"), ("abc1234", None), (None, None), ("abc1234-dirty", "abc1234-dirty"), ("not known", "not known")):
            with self.assertRaisesRegex(SystemExit, "measure both at one revision"):
                self.note(gpu, cpu)

    def test_a_reason_stands_on_the_page(self):
        line = self.note("abc1234", None, {(self.GPU, self.CPU): "because of this"})
        for part in ("abc1234", revisions.NOT_RECORDED, self.GPU, self.CPU, "because of this"):
            self.assertIn(part, line)

    def test_a_reason_that_is_not_needed_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "remove it"):
            self.note("abc1234", "abc1234", {(self.GPU, self.CPU): "because of this"})

    def test_reasons_are_of_files_that_are_there(self):
        for pair in revisions.JOINED:
            for name in pair:
                self.assertTrue((BENCH / "results" / name).exists(), name)

    def test_a_note_changes_the_head_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "papers.json"
            path.write_text('{"head": {"device": "a"},\n "samples": [\n  {"us": 1.50}\n ]}\n', encoding="utf-8")
            report.note(path, "revision", "abc1234")
            text = path.read_text(encoding="utf-8")
            self.assertEqual(json.loads(text)["head"], {"revision": "abc1234", "device": "a"})
            self.assertTrue(text.endswith('"samples": [\n  {"us": 1.50}\n ]}\n'))
            with self.assertRaises(SystemExit):
                report.note(path, "revision", "def5678")


class counted_rivals(unittest.TestCase):
    def test_streams_are_counted_apart(self):
        stream = {"figure": "000 frames", "job": "features to host", "connectivity": 4, "frames": 1000}
        here = [sample("skerry", 2), sample("jung", 3), sample("skerry", 2, **stream), sample("ha", 1, **stream)]
        lines = rivals.slower({}, here)
        self.assertIn("the fastest on 1 of 1 images", lines[0])
        self.assertIn("Of 1 streams it is the fastest on 0: on 1 of 2 in all", lines[0])
        self.assertIn("stream of features to host, 128², 4, 1 | 1 | 0 | 50 % ha 2.00", lines[-1])

    def test_a_cpu_has_no_rivals_on_a_gpu(self):
        lines = rivals.slower({}, [sample("skerry", 5), sample("jung", 6), sample("he-runs", 1)])
        self.assertIn("the fastest on 1 of 1 images", lines[0])
        self.assertNotIn("he-runs", lines[2])

    def test_every_method_of_a_cpu_is_counted_there(self):
        for method in samples.CPU_LABELS:
            here = [sample("skerry", 5, figure="001 cpu size"), sample(method, 1, figure="001 cpu size")]
            self.assertIn("the fastest on 0 of 1 label images", rivals.slower_on_a_cpu({"device": "a"}, here)[0])


class times_without_copies(unittest.TestCase):
    def test_copies_longer_than_calls_are_left_out(self):
        what = {"figure": "000 density", "job": "features to host", "connectivity": 4}
        here = [sample(method, us, **what, density=density, **{"phases us": {"copy": copy}})
                for method, us, density, copy in (("tmk", 9, 50, 1), ("ha", 9, 50, 5), ("tmk", 9, 90, 1), ("ha", 9, 90, 10))]
        kept, left_out = claims_others.merge_data(here).parted()
        self.assertEqual(kept, [(128, 1, 50)])
        self.assertIn("128², g = 1, 90 %", left_out)

    def test_times_of_the_same_calls_come_first(self):
        what = {"figure": "000 density", "job": "features to host", "connectivity": 4}
        here = [sample(method, 9, **what, **{"phases us": {"copy": 10}, "us without copies": 2}) for method in ("tmk", "ha")]
        data = claims_others.merge_data(here)
        self.assertEqual(data.bare("ha", 128, 1, 50), 2)
        self.assertEqual(data.parted(), ([(128, 1, 50)], ""))


class judged_by_streams(unittest.TestCase):
    WHAT = {"job": "features of labels to host", "connectivity": 4}
    PARTS = {"phases us": {"copy": 1}, "us without copies": 3}

    def of_labels(self, method, us, **others):
        return sample(method + " of labels", us, **{**self.WHAT, **self.PARTS, **others})

    def called(self, density):
        return [sample("tmk", 5, figure="000 density", density=density, **{"phases us": {"copy": 1}}),
                *(self.of_labels(method, 5, figure="000 density", density=density) for method in ("tmk", "ha")),
                *(self.of_labels(method, 5, figure="000 size", density=density) for method in ("tmk", "ha"))]

    def stream(self, density, **others):
        return [self.of_labels(method, us, figure="000 frames", density=density, frames=frames, **others)
                for method, us, frames in (("tmk", 2, 50), ("ha", 3, 1000))]

    def test_streams_of_all_images_are_what_claims_see(self):
        data = claims_others.merge_data(self.called(50) + self.called(90) + self.stream(50) + self.stream(90) + self.stream(20))
        self.assertEqual(data.shown("by density"), "streams, by density")
        self.assertEqual(data.pick("tmk", 128, 1, 90)["us"], 2)
        self.assertEqual(data.wins_of_calls(), [])
        streams, won, frames = data.in_streams()  # 20 % is not among the images of the figure by density, but of this size
        self.assertEqual((len(streams), len(won), frames), (2, 2, "50 to 1000"))
        self.assertEqual(len(data.sized), 6)
        self.assertEqual(data.whole(128), 2)

    def test_one_missing_stream_leaves_calls(self):
        data = claims_others.merge_data(self.called(50) + self.called(90) + self.stream(50))
        self.assertEqual(data.shown("by density"), "by density")
        self.assertEqual(data.pick("tmk", 128, 1, 90)["us"], 5)
        self.assertTrue(data.streamed_sizes)  # one stream of each size is enough for these

    def test_streams_without_phases_leave_calls(self):
        data = claims_others.merge_data(self.called(50) + [{k: v for k, v in s.items() if k != "phases us"} for s in self.stream(50)])
        self.assertEqual(data.pick("tmk", 128, 1, 50)["us"], 5)
        self.assertEqual(data.both[128], (2, 3))  # times by size are of streams all the same

    def test_shorter_streams_say_so(self):
        own = {"second copies": 0, "figure": "000 frames", "frames": 1000}
        here = [sample("skerry", 1, **own), *self.stream(50, **{"second copies": 7}), *self.stream(90, **{"second copies": 7})[:1]]
        lines = tables_streams.streams({}, here)
        self.assertIn("| 128², g = 1, 50 % | 1 | 2 (7) | 3 |", lines)
        self.assertIn("| 128², g = 1 | 2 / 3 (50) | 2 (50) |", lines)
        self.assertNotIn("Medians", "".join(lines))

    def test_the_longest_frame_is_named(self):
        facts = {"second copies": 0, "median frame us": 1.5, "longest frame us": 6100}
        lines = tables_streams.streams({}, self.stream(50, **facts))
        self.assertEqual(lines[-1], "Medians of frames are 50 to 75 % of these means. The longest frame of all streams took 6.1 ms "
                                    "(tmk of labels, 128², g = 1).")


class bounds_of_figures(unittest.TestCase):
    def test_both_scaled_numbers_stand_beside_ours(self):
        votes = {"figure": "002 density", "job": "features", "connectivity": 4, "granularity": 4}
        phases = {"phases us": {"unification": 9}}
        times = {"naive": 100, "ha": 30, "ha-otf": 30, "ha-cd": 10, "flsl": 20, "flsl-otf": 10, "flsl-cd": 5}
        here = [sample(method, us, **votes, **phases, **{"Gpx/s": 100}) for method, us in times.items()]
        lines = bounds.bounds({"device": "NVIDIA H200"}, here)
        moved = next(line for line in lines if line.startswith("| `flsl-otf`"))
        self.assertIn("219.2 (46 %) | 99.7 (100 %) | clock: 90 %", moved)
        self.assertTrue(moved.endswith("| yes |"))
        self.assertIn("| 274.1 (36 %) | – | bandwidth | no |", next(line for line in lines if line.startswith("| `flsl-cd`")))


if __name__ == "__main__":
    unittest.main()
