# SPDX-License-Identifier: Apache-2.0
"""Arrays of Zarr in blocks: who writes which shard, and label images of OME-Zarr."""
import concurrent.futures
import functools
import os
import random
import shutil
import threading

import numpy as np
import pytest
import zarr
import zarr.storage

import skerry
import skerry.blocks


def make_pool(workers=2):
    return concurrent.futures.ProcessPoolExecutor(workers)


def noise(shape=(24, 40, 48)):
    return (np.random.default_rng(0).random(shape) < 0.3).astype("u1")


def stored(path, image, chunks=(4, 8, 8), shards=(8, 16, 16)):
    store = path if isinstance(path, zarr.storage.MemoryStore) else str(path)
    array = zarr.create_array(store=store, shape=image.shape, chunks=chunks, shards=shards, dtype=image.dtype)
    array[:] = image
    return array


def contents(folder):
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def test_any_executor_writes_the_same_files(tmp_path):
    image = noise()
    source = stored(tmp_path / "in", image)
    expected = skerry.measure(image, image)
    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        for name, executor in [("alone", None), ("threads", threads), ("processes", make_pool)]:
            labels, table = skerry.blocks.label(source, intensity=source, out=tmp_path / name, blocks=(8, 32, 16), executor=executor)
            assert np.array_equal(labels[:], skerry.label(image).image) and labels.dtype == skerry.label(image).image.dtype
            assert (labels.chunks, labels.shards, labels.metadata.zarr_format) == (source.chunks, source.shards, 3)
            assert all(np.array_equal(table[each], expected[each]) for each in expected)
            assert contents(tmp_path / name) == contents(tmp_path / "alone")


def test_blocks_are_shards_or_several(tmp_path):
    source = stored(tmp_path / "in", noise(), shards=None)
    labels, _ = skerry.blocks.label(source, out=tmp_path / "out")
    assert labels.chunks == source.chunks and labels.shards is None
    labels, _ = skerry.blocks.label(source, out=tmp_path / "other", blocks=(5, 40, 48))
    assert labels.chunks == (5, 40, 48)  # two blocks would share a chunk of the source's size
    assert np.array_equal(labels[:], skerry.label(noise()).image)
    labels, _ = skerry.blocks.label(noise(), out=tmp_path / "third", blocks=(8, 20, 20), dtype="i8")
    assert labels.chunks == (8, 20, 20) and labels.dtype == "i8"


def test_two_workers_do_not_write_one_shard(tmp_path):
    image = noise()
    out = stored(tmp_path / "out", np.zeros(image.shape, "u2"))
    for blocks in [(8, 16, 8), (12, 16, 16), (4, 40, 48)]:
        with pytest.raises(ValueError, match=r"^blocks: two blocks would write one chunk or shard of out; .* multiples of \(8, 16, 16\)"):
            skerry.blocks.label(image, out=out, blocks=blocks)
    assert not out[:].any()
    skerry.blocks.label(image, out=out, blocks=(16, 16, 32), executor=make_pool)
    assert np.array_equal(out[:], skerry.label(image).image)


def test_arrays_in_memory_are_written_by_the_caller():
    image = noise()
    source, out = (stored(zarr.storage.MemoryStore(), each) for each in (image, np.zeros(image.shape, "u2")))
    skerry.blocks.label(source, out=out, blocks=(8, 16, 16), executor=make_pool)
    assert np.array_equal(out[:], skerry.label(image).image)


def test_workers_that_are_killed_at_any_time(tmp_path):
    """The files are those of a call without deaths."""
    image = noise()
    source = stored(tmp_path / "in", image)
    skerry.blocks.label(source, out=tmp_path / "alone", blocks=(8, 16, 16))
    dice, pools = random.Random(1), []

    def make():
        pools.append(make_pool())
        return pools[-1]

    for run in range(3):
        done = threading.Event()

        def kill():
            while not done.wait(dice.uniform(0.01, 0.15)):
                for worker in list((pools[-1]._processes or {}).values())[:1] if pools else ():
                    worker.kill()

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            skerry.blocks.label(source, out=tmp_path / f"out{run}", blocks=(8, 16, 16), executor=make, retries=5,
                                resume=tmp_path / f"folder{run}")
        except RuntimeError as died:
            assert "workers died more often" in str(died)
        finally:
            done.set()
            killer.join()
        skerry.blocks.label(source, out=tmp_path / f"out{run}", blocks=(8, 16, 16), executor=make, resume=tmp_path / f"folder{run}")
        assert contents(tmp_path / f"out{run}") == contents(tmp_path / "alone")
    assert len(pools) > 6


# ---- paths


def test_what_is_there_is_not_overwritten(tmp_path):
    image = noise()
    stored(tmp_path / "there", image)
    with pytest.raises(ValueError, match="^out: .*there exists; remove it, or open it and give the array"):
        skerry.blocks.label(image, out=tmp_path / "there")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ValueError, match="^out: .*folder exists and is no Zarr array"):
        skerry.blocks.label(image, out=tmp_path / "folder")
    zarr.create_group(str(tmp_path / "group"))
    with pytest.raises(ValueError, match="^out: .*group is a Zarr group"):
        skerry.blocks.label(image, out=tmp_path / "group")
    source = zarr.open_array(str(tmp_path / "there"), mode="r")
    with pytest.raises(ValueError, match="^out: is read-only"):
        skerry.blocks.label(image, out=source)
    with pytest.raises(ValueError, match="^out: is the array itself"):
        skerry.blocks.label(source, out=zarr.open_array(str(tmp_path / "there"), mode="r+"))


def test_a_call_goes_on_in_the_array_that_it_made(monkeypatch, tmp_path):
    image = noise()
    source = stored(tmp_path / "in", image)
    calls, emit, left = skerry.blocks._block_calls, skerry.blocks._block_calls.emit_task, [7]

    def fails(*arguments):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        return emit(*arguments)

    monkeypatch.setattr(calls, "emit_task", fails)
    call = functools.partial(skerry.blocks.label, source, out=tmp_path / "out", blocks=(8, 16, 16), resume=tmp_path / "folder")
    with pytest.raises(OSError, match="No space left"):
        call()
    left[0] = 99
    labels, _ = call()
    assert left[0] == 99 - (27 - 7)
    assert np.array_equal(labels[:], skerry.label(image).image)
    shutil.rmtree(tmp_path / "out")  # the folder knows of blocks that are not there any more
    left[0] = 99
    assert np.array_equal(call()[0][:], skerry.label(image).image) and left[0] == 99 - 27


# ---- OME-Zarr


def test_label_images_of_ome_zarr(tmp_path):
    image = np.zeros((30, 600, 700), "u1")
    image[::3, ::50, :] = image[5:9, 100:300, 100:500] = 1
    source = stored(tmp_path / "image/0", image, (30, 100, 100), None)
    path = tmp_path / "image/labels/cells"
    labels, _ = skerry.blocks.label(source, out=path, ome=True, spacing=(2, 0.5, 0.5), unit="um", executor=make_pool)
    expected = skerry.label(image).image
    group = zarr.open_group(str(path), mode="r")
    for level in range(3):
        assert np.array_equal(group[str(level)][:], expected[::2**level, ::2**level, ::2**level])
        assert group[str(level)].metadata.dimension_names == ("z", "y", "x")
    assert sorted(group.array_keys()) == ["0", "1", "2"]
    ome = group.attrs["ome"]
    assert ome["version"] == "0.5" and ome["image-label"] == {"source": {"image": "../../"}}
    assert ome["multiscales"][0]["axes"][0] == {"name": "z", "type": "space", "unit": "micrometer"}
    assert [each["coordinateTransformations"][0]["scale"] for each in ome["multiscales"][0]["datasets"]] == [
        [2, 0.5, 0.5], [4, 1, 1], [8, 2, 2]]
    skerry.blocks.label(image[0], out=tmp_path / "image/labels/plane", ome=True, blocks=(300, 350))
    assert zarr.open_group(str(tmp_path / "image/labels"), mode="r").attrs["ome"]["labels"] == ["cells", "plane"]
    with pytest.raises(ValueError, match="^out: .*cells/0 exists"):
        skerry.blocks.label(source, out=path, ome=True)


def test_tables_are_written_to_parquet_by_part(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    image = np.random.default_rng(1).random((40, 50)) < 0.2
    table = skerry.measure(image, moments=True)
    parts = table.to_parquet(tmp_path / "table", rows=100)
    assert len(parts) == -(-len(table) // 100) and sorted(os.path.basename(part) for part in parts) == sorted(os.listdir(tmp_path / "table"))
    found = parquet.read_table(tmp_path / "table")
    assert found.column_names == table.keys() and all(np.array_equal(found[name].to_numpy(), table[name]) for name in table)
    with pytest.raises(ValueError, match="^folder: .* is not empty"):
        table.to_parquet(tmp_path / "table")
    with pytest.raises(ValueError, match="^rows: 0"):
        table.to_parquet(tmp_path / "other", rows=0)
    assert len(skerry.measure(image & False).to_parquet(tmp_path / "none")) == 1


def test_films_are_tracked_chunk_by_chunk(tmp_path):
    film = (np.random.default_rng(2).random((23, 12, 15)) < 0.3).astype("u1")
    source = zarr.create_array(store=str(tmp_path / "film"), shape=film.shape, chunks=(5, 12, 15), dtype="u1")
    source[...] = film
    ids, objects, events = skerry.blocks.track(source, out=tmp_path / "ids", connectivity=8, keep_alive=2)
    one_by_one = list(skerry.track(film, labels=True, connectivity=8, keep_alive=2))
    assert ids.chunks == (5, 12, 15) and np.array_equal(ids[...], np.stack([frame.labels for frame in one_by_one]))
    assert np.array_equal(objects["id"], np.concatenate([frame.objects["id"] for frame in one_by_one]))
    assert np.array_equal(objects["frame"], np.repeat(np.arange(23), [frame.count for frame in one_by_one]))
    assert events["kind"].tolist() == [event.kind for frame in one_by_one for event in frame.events]
    for arguments, kind, text in [({"out": tmp_path / "ids"}, ValueError, "out: .* exists"), ({"labels": True}, TypeError, "labels: "),
                                  ({"capacity": 1}, ValueError, "capacity: frame "), ({"array": film[0]}, ValueError, "array: 2 dimensions")]:
        with pytest.raises(kind, match="^" + text):
            skerry.blocks.track(**{"array": film, **arguments})
