# SPDX-License-Identifier: Apache-2.0
"""Arrays of any type, shape and layout: answers are SciPy's, or errors are."""
import os
import warnings

import numpy as np
import pytest
import scipy.ndimage
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import skerry
from skerry import ndimage

# SKERRY_EXAMPLES=20000 searches on, with other arrays each time.
EXAMPLES = int(os.environ.get("SKERRY_EXAMPLES", "0"))
BUDGET = settings(max_examples=EXAMPLES or 60, deadline=None, derandomize=EXAMPLES == 0, database=None,
                  suppress_health_check=list(HealthCheck))

NUMBERS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", ">i2", ">u4", ">i8", ">f4", ">f8"]
OTHERS = ["c8", "O", "U1", "M8[s]"]


def layouts(array, choice):
    """The same array in another place: other orders, strides of 2, of -1 and of 0, read-only, misaligned, of a subclass."""
    if choice == "fortran":
        return np.asfortranarray(array)
    if choice == "every second":
        wide = np.repeat(array, 2, axis=-1) if array.ndim else array
        return wide[..., ::2] if array.ndim else array
    if choice == "backwards" and array.ndim:
        return array[(slice(None, None, -1),) * array.ndim].copy()[(slice(None, None, -1),) * array.ndim]
    if choice == "transposed":
        return np.ascontiguousarray(array.T).T
    if choice == "read-only":
        array = array.copy()
        array.flags.writeable = False
        return array
    if choice == "misaligned" and array.dtype.kind != "O":
        memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
        moved = memory.view(array.dtype).reshape(array.shape)
        moved[...] = array
        return moved
    if choice == "broadcast" and array.ndim:
        return np.broadcast_to(array[..., :1], array.shape)
    if choice == "matrix" and array.ndim == 2:
        return array.view(np.matrix)
    return array


LAYOUTS = ["plain", "fortran", "every second", "backwards", "transposed", "read-only", "misaligned", "broadcast", "matrix"]


@st.composite
def arrays(draw, dtypes, shape=None, most=4):
    if shape is None:
        rank = draw(st.sampled_from([2, 2, 2, 3, 3, 1, 0, 4]))
        shape = tuple(draw(st.lists(st.sampled_from([3, 5, 1, 2, 8, 0]), min_size=rank, max_size=rank)))
    size = int(np.prod(shape))
    values = draw(st.lists(st.integers(0, most), min_size=size, max_size=size))
    array = np.array(values, np.int64).reshape(shape).astype(draw(st.sampled_from(dtypes)))
    if array.dtype.kind == "f" and draw(st.booleans()):
        array = array / array.dtype.type(2)
    if array.dtype.kind in "if" and draw(st.booleans()):
        array = np.negative(array)
    return layouts(np.asarray(array), draw(st.sampled_from(LAYOUTS)))


def outcome(function, *arguments):
    """What a call gives, or the kind of its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*arguments), None
        except Exception as error:  # any kind: it is compared
            return None, error


def same(mine, theirs):
    if isinstance(theirs, (list, tuple)):
        return len(mine) == len(theirs) and all(map(same, mine, theirs))
    if isinstance(theirs, dict):
        return mine.keys() == theirs.keys() and all(same(mine[key], theirs[key]) for key in theirs)
    if theirs is None or isinstance(theirs, slice):
        return mine == theirs
    mine, theirs = np.asarray(mine), np.asarray(theirs)
    if theirs.dtype == object:
        return mine.shape == theirs.shape and all(map(same, mine.ravel().tolist(), theirs.ravel().tolist()))
    return mine.shape == theirs.shape and (theirs.size == 0 or np.allclose(mine, theirs, rtol=1e-6, atol=1e-9, equal_nan=True))


def check(name, *arguments):
    theirs, their_error = outcome(getattr(scipy.ndimage, name), *arguments)
    mine, my_error = outcome(getattr(ndimage, name), *arguments)
    if my_error is not None:
        assert their_error is not None, f"{name}: {my_error!r} instead of {theirs}"
    elif their_error is None:
        assert same(mine, theirs), f"{name}: {mine} instead of {theirs}"
    return mine


@BUDGET
@given(st.data())
def test_label(data):
    image = data.draw(arrays(NUMBERS + OTHERS))
    before = image.copy()
    structure = data.draw(st.sampled_from([None, 1, 2, 3]))
    if structure is not None:
        structure = scipy.ndimage.generate_binary_structure(max(image.ndim, 1), structure)
    output = data.draw(st.sampled_from([None, np.int32, np.uint8, np.int64, np.float32]))
    found = check("label", image, structure, output)
    check("find_objects", image)
    if image.dtype.isnative:  # SciPy takes others as if they were
        check("value_indices", image)
    if image.size and image.ndim:  # SciPy divides by 0
        check("binary_fill_holes", image)
    assert np.array_equal(image, before)
    if found is not None:
        assert found[0].dtype == (np.int32 if output is None else output)


def values_at(image, places):
    return [np.asarray(image)[place] for place in (places if isinstance(places, list) else [places])]


@BUDGET
@given(st.data())
def test_measurements(data):
    image = data.draw(arrays(NUMBERS))
    labels = data.draw(arrays(NUMBERS, image.shape, most=5))
    index = data.draw(st.sampled_from([None, 1, [1, 2], [3, 1, 1, 9], np.array([[1, 2], [0, 4]]), np.arange(3, dtype=np.uint8)]))
    for name in ("sum", "sum_labels", "mean", "variance", "standard_deviation", "minimum", "maximum", "center_of_mass"):
        check(name, image, labels, index)
    if np.isin([] if index is None else index, labels).all():  # of a label without pixels SciPy gives a value of another
        check("median", image, labels, index)
        for name in ("minimum_position", "maximum_position"):  # of equal values any of them
            theirs, error = outcome(getattr(scipy.ndimage, name), image, labels, index)
            if error is None:
                mine = getattr(ndimage, name)(image, labels, index)
                assert same(values_at(image, mine), values_at(image, theirs)), f"{name}: {mine} instead of {theirs}"
        extremes = outcome(scipy.ndimage.extrema, image, labels, index)[0]
        assert extremes is None or same(ndimage.extrema(image, labels, index)[:2], extremes[:2])
    check("histogram", image, 0, 4, 3, labels, index)
    check("labeled_comprehension", image, labels, index, np.size, int, -1)


@BUDGET
@given(arrays(NUMBERS + OTHERS), st.sampled_from([None, 4, 8, 6, 26, 5]))
def test_native_calls(image, connectivity):
    """The package's own calls answer, or refuse an argument by name."""
    for function in (skerry.label, skerry.measure, skerry.max_tree, skerry.measure_labels, skerry.relabel, skerry.contacts):
        options = {} if function in (skerry.measure_labels, skerry.relabel) else {"connectivity": connectivity}
        try:
            found = function(image, **options)
        except (ValueError, TypeError) as error:
            assert str(error).split(":")[0] in ("image", "labels", "connectivity"), f"{function.__name__}: {error!r}"
        else:
            if function is skerry.label:
                structure = scipy.ndimage.generate_binary_structure(image.ndim, {4: 1, 6: 1}.get(connectivity, image.ndim))
                assert np.array_equal(found.image, scipy.ndimage.label(image != 0, structure)[0])


@pytest.mark.parametrize("function", [skerry.label, skerry.measure, skerry.relabel, skerry.measure_labels])
def test_masked_arrays_are_refused(function):
    masked = np.ma.masked_array(np.ones((3, 4), int), np.eye(3, 4, dtype=bool))
    with pytest.raises(TypeError, match="masked"):
        function(masked)
