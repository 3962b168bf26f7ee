# SPDX-License-Identifier: Apache-2.0
"""What tables and labels become: structured arrays, data frames, Arrow, HTML."""
import base64
import ctypes
import gc
import io
import os
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import skerry
from skerry import _thumbnail


def table(**options):
    return skerry.measure([[1, 0, 1], [1, 0, 0]], **options)


# ---- Arrow, read by the layouts that its specification gives


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
                   ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
                   ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.c_void_p),
                   ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))), ("private_data", ctypes.c_void_p)]
Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
                  ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
                  ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.POINTER(ctypes.POINTER(Array))),
                  ("dictionary", ctypes.c_void_p), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))),
                  ("private_data", ctypes.c_void_p)]
Stream._fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
                   ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
                   ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
                   ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))), ("private_data", ctypes.c_void_p)]
TYPES = {b"l": "i8", b"L": "u8", b"g": "f8", b"I": "u4", b"c": "i1", b"S": "u2", b"f": "f4", b"e": "f2"}


def struct_in(capsule, name, kind):
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(pointer(capsule, name), ctypes.POINTER(kind))


def columns_of(schema, array):
    assert schema.format == b"+s" and schema.n_children == array.n_children and array.null_count == 0
    columns = {}
    for i in range(schema.n_children):
        field, values = schema.children[i].contents, array.children[i].contents
        assert values.length == array.length and values.n_buffers == 2 and not values.buffers[0]
        kind = np.dtype(TYPES[field.format])
        data = ctypes.string_at(values.buffers[1], values.length * kind.itemsize) if values.length else b""
        columns[field.name.decode()] = np.frombuffer(data, kind)
    return columns


def assert_is(columns, original):
    assert list(columns) == original.keys()
    for name in original:
        assert columns[name].dtype == original[name].dtype and np.array_equal(columns[name], original[name]), name


@pytest.mark.parametrize("image", [[[1, 0, 1], [1, 0, 0]], np.zeros((3, 3))])
def test_arrow_arrays(image):
    original = skerry.measure(image, moments=True)
    schema, array = original.__arrow_c_array__()
    told, rows = struct_in(schema, b"arrow_schema", Schema), struct_in(array, b"arrow_array", Array)
    assert rows.contents.length == len(original)
    assert_is(columns_of(told.contents, rows.contents), original)
    told.contents.release(told)
    rows.contents.release(rows)
    assert not told.contents.release and not rows.contents.release


def test_an_arrow_array_outlives_its_table():
    original = table()
    copies = dict(original)
    schema, array = original.__arrow_c_array__()
    rows = struct_in(array, b"arrow_array", Array).contents
    del original
    gc.collect()
    moved = rows.children[1].contents  # a consumer takes one column, and releases the rest
    kept = Array.from_buffer_copy(moved)
    moved.release = type(moved.release)()
    rows.release(rows)
    assert ctypes.string_at(kept.buffers[1], 16) == copies["area"].tobytes()
    kept.release(kept)


def test_arrow_streams():
    original = table()
    capsule = original.__arrow_c_stream__()
    stream = struct_in(capsule, b"arrow_array_stream", Stream)
    schema, array = Schema(), Array()
    assert stream.contents.get_schema(stream, schema) == 0 and stream.contents.get_next(stream, array) == 0
    assert_is(columns_of(schema, array), original)
    after = Array()
    assert stream.contents.get_next(stream, after) == 0 and not after.release
    stream.contents.release(stream)
    assert_is(columns_of(schema, array), original)  # what it gave is its consumer's
    schema.release(schema)
    array.release(array)


OUT_OF_MEMORY = """
import resource
import numpy as np
from test_table import Array, Stream, skerry, struct_in

value = np.ones(1)
capsule = skerry.Table._of({str(column): value for column in range(20000)}, 1).__arrow_c_stream__()
stream = struct_in(capsule, b"arrow_array_stream", Stream).contents
array, codes = Array(), []
before, most = resource.getrlimit(resource.RLIMIT_AS)
pages = int(open("/proc/self/statm").read().split()[0])
for more in range(2**20, 2**26, 2**19):
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more, most))
    codes.append(stream.get_next(stream, array))
    resource.setrlimit(resource.RLIMIT_AS, (before, most))
    if codes[-1] == 0:
        break
    assert not array.release
assert set(codes[:-1]) <= {12} and codes[-1] == 0, codes
assert array.n_children == 20000 and array.length == 1
array.release(array)
assert stream.get_next(stream, array) == 0 and not array.release
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits memory as Linux does")
def test_an_arrow_stream_that_ran_out_of_memory_gives_its_batch_later():
    environment = dict(os.environ, MALLOC_MMAP_THRESHOLD_="65536", PYTHONPATH=os.pathsep.join([os.path.dirname(__file__), *sys.path]))
    subprocess.run([sys.executable, "-c", OUT_OF_MEMORY], env=environment, check=True)


def test_capsules_that_nobody_takes_are_released():
    arrays = {"column": np.arange(5)}
    original = skerry.Table._of(arrays, 5)
    counts = []
    for _ in range(4):
        original.__arrow_c_array__(), original.__arrow_c_stream__(), original.__arrow_c_schema__()
        gc.collect()
        counts.append(sys.getrefcount(arrays["column"]))
    assert counts == counts[:1] * 4


def test_arrow_refuses_what_it_cannot_hold():
    with pytest.raises(TypeError, match="^flag: this column has no type"):
        skerry.Table._of({"flag": np.ones(3, bool)}, 3).__arrow_c_array__()
    with pytest.raises(ValueError, match="^short: this column does not have one value per row"):
        skerry.Table._of({"short": np.ones(2)}, 3).__arrow_c_stream__()


def test_every_type_of_column():
    arrays = {kind: np.arange(3).astype(kind) for kind in TYPES.values()}
    schema, array = skerry.Table._of(arrays, 3).__arrow_c_array__()
    columns = columns_of(struct_in(schema, b"arrow_schema", Schema).contents,
                         struct_in(array, b"arrow_array", Array).contents)
    assert all(columns[kind].dtype == kind and columns[kind].tolist() == [0, 1, 2] for kind in arrays)


def test_libraries_take_tables():
    pyarrow = pytest.importorskip("pyarrow")
    taken = pyarrow.table(table())
    assert taken.column_names == table().keys() and taken["area"].to_pylist() == [2, 1]


# ---- several columns at once


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (40, 50), (700, 800), (9, 20, 30), (900,)])
@pytest.mark.parametrize("threads", [None, 1, 3])
@pytest.mark.parametrize("options", [{}, {"moments": True, "spacing": 0.3, "unit": "um"}])
def test_columns_together_are_each_alone(shape, threads, options):
    image = np.random.default_rng(len(shape)).random(shape) < 0.2
    for measure in (skerry.measure, lambda image, **more: skerry.measure_labels(np.asarray(skerry.label(image)).astype(np.int32), **more)):
        together = measure(image, threads=threads, **options)
        names, arrays = together.keys(), together.arrays()
        assert list(arrays) == names
        for name in names:
            alone = measure(image, threads=threads, **options)[name]
            assert arrays[name].dtype == alone.dtype and arrays[name].tobytes() == alone.tobytes(), name
            assert arrays[name].shape == (len(together),) and arrays[name].flags.writeable


def test_columns_that_are_asked_for_again_are_the_same_arrays():
    original = table()
    area = original["area"]
    assert list(original.arrays(["bbox-1", "area"])) == ["bbox-1", "area"]
    assert original.arrays(iter(["area"]))["area"] is area and original.arrays()["bbox-1"] is original["bbox-1"]
    assert original.arrays([]) == {} and list(original.arrays(["area", "area"])) == ["area"]


def test_a_column_that_is_not_there_is_a_key_error():
    for ask in (lambda of: of["areas"], lambda of: of.arrays(["area", "areas"])):
        with pytest.raises(KeyError, match="areas"):
            ask(table())


def test_a_column_outlives_its_table_and_those_beside_it():
    kept = skerry.measure(np.tile([1, 0], 30000)).arrays(["area", "centroid-0", "label"])["centroid-0"]
    gc.collect()
    assert np.array_equal(kept, np.arange(0, 60000, 2))


def test_columns_of_large_tables_do_not_overlap():
    arrays = skerry.measure(np.tile([1, 0], (2, 700001))[0]).arrays()  # 700 001 rows, in large pages
    copies = {name: column.copy() for name, column in arrays.items()}
    for name, column in arrays.items():
        column[...] = 0
        assert all(np.array_equal(arrays[other], copies[other]) for other in arrays if other != name)
        column[...] = copies[name]


# ---- other forms


def test_polars():
    polars = pytest.importorskip("polars")
    assert table().to_polars()["area"].to_list() == polars.DataFrame(table())["area"].to_list() == [2, 1]


def test_what_is_not_installed_is_named(monkeypatch):
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError, match=rf"^to_{name}\(\) needs {name}: pip install {name}"):
            getattr(table(), f"to_{name}")()


def test_tables_are_pickled():
    copy = pickle.loads(pickle.dumps(table()))
    assert copy.keys() == table().keys() and copy["centroid-0"].tolist() == table()["centroid-0"].tolist()


def test_html_of_a_table():
    text = skerry.measure(np.eye(40)[::2] * 0 + np.tile([1, 0], (20, 20)))._repr_html_()
    assert text.count("<tr>") == 11 and "<th>centroid-0</th>" in text and "<p>20 rows × " in text
    assert "<td>9.5</td>" in text
    assert "<b>" not in skerry.Table._of({"<b>": np.ones(1)}, 1)._repr_html_()


@pytest.mark.parametrize("shape", [(30, 50), (5, 300, 700), (1, 1)])
@pytest.mark.parametrize("dtype", ["u1", "i1", "i8"])
def test_picture_of_labels(shape, dtype):
    from PIL import Image
    labels = (np.arange(np.prod(shape)) % 100).reshape(shape).astype(dtype)
    picture = Image.open(io.BytesIO(_thumbnail.png(labels)))
    assert max(picture.size) <= 192
    plane = labels if labels.ndim == 2 else labels[len(labels) // 2]
    step = -(-max(plane.shape) // 192)
    assert picture.mode == "P" and np.array_equal(np.asarray(picture), plane[::step, ::step])
    assert picture.convert("RGB").getpixel((0, 0)) == (0, 0, 0) or plane[0, 0] > 0


def test_many_labels_keep_off_the_background():
    assert _thumbnail._reduced(np.array([[0, 1, 127, 128, 254, 255, 300, -1]])).tolist() == [[0, 1, 127, 1, 127, 1, 46, 0]]


def test_html_of_labels():
    text = skerry.label([[1, 0, 1]])._repr_html_()
    data = re.search(r"base64,([^\"]+)\"", text)[1]
    assert base64.b64decode(data).startswith(b"\x89PNG") and "Labels: 2 components, 1 x 3 uint8" in text
    assert "<img" not in skerry.label(np.zeros((0, 4)))._repr_html_()


@pytest.mark.parametrize("of, name, text", [
    (lambda: skerry.measure([[1, 0]]), "axis_major_length", "'axis_major_length' in this table; measure with moments=True"),
    (lambda: skerry.measure([[1, 0]]), "intensity_mean", "'intensity_mean' in this table; measure with intensity=..."),
    (lambda: skerry.measure_labels([[1, 0]]), "perimeter", "'perimeter' in this table; give the labels and the name to skerry.measure_columns()"),
    (lambda: skerry.measure_labels([[1, 0]]), "moments", "'moments' in this table; give the labels and the name to skerry.measure_columns()"),
    (lambda: skerry.measure_columns([[1, 0]], ["perimeter"]), "area", "'area' in this table; give the labels"),
    (lambda: skerry.measure([[1, 0]]), "centroid", "'centroid' is several columns; give one, such as 'centroid-0'"),
    (lambda: skerry.measure([[1, 0]]), "aera", "'aera' in this table; did you mean 'area'?"),
    (lambda: skerry.measure([[1, 0]]), "MeanIntensity", "'MeanIntensity' is now called 'intensity_mean'"),
    (lambda: skerry.measure([[1, 0]]), "zzz", "'zzz' in this table; there are label, area, bbox-0"),
    (lambda: skerry.max_tree(np.eye(3, dtype="u1")).measure(), "perimeter", "'perimeter' in this table; there are node"),
])
def test_an_absent_column_is_explained(of, name, text):
    with pytest.raises(KeyError) as refused:
        of()[name]
    assert text in refused.value.args[0]


def test_a_table_is_not_one_array():
    for use in (np.asarray, np.sum):
        with pytest.raises(TypeError, match="to_pandas"):
            use(table())
    for names in (["area", "label"], 0):
        with pytest.raises(TypeError, match=r"arrays\(\[\.\.\.\]\)"):
            table()[names]
