# SPDX-License-Identifier: Apache-2.0
"""Arrays on a GPU: labels and tables are those of the same image in host memory, in the array library's own memory."""
import concurrent.futures
import subprocess
import sys

import numpy as np
import pytest

import skerry
from skerry import _native

if _native.cuda_devices == 0:
    pytest.skip("there is no GPU, or no extension with CUDA", allow_module_level=True)

cupy = pytest.importorskip("cupy")
torch = pytest.importorskip("torch")


def noise(shape, dtype="u1", density=0.4, seed=0):
    random = np.random.default_rng(seed)
    return (random.random(shape) < density).astype(dtype) * np.array(1 if dtype == "?" else 3, dtype)


class OnlyInterface:
    """An array with __cuda_array_interface__ alone, as Numba's."""

    def __init__(self, array):
        self._array, self.shape, self.dtype = array, array.shape, array.dtype

    @property
    def __cuda_array_interface__(self):
        return self._array.__cuda_array_interface__


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "u4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("shape, connectivity", [((190, 333), 4), ((190, 333), 8), ((9, 40, 70), 6), ((9, 40, 70), 26)])
def test_labels_of_cupy_arrays(dtype, shape, connectivity):
    image = noise(shape, dtype)
    expected = skerry.label(image, connectivity=connectivity)
    for array in (cupy.asarray(image), cupy.asfortranarray(cupy.asarray(image)), cupy.asarray(np.repeat(image, 2, -1))[..., ::2]):
        labels = skerry.label(array, connectivity=connectivity)
        assert isinstance(labels.image, cupy.ndarray) and labels.image.dtype == np.uint32
        np.testing.assert_array_equal(labels.image.get(), expected.image)
        assert labels.count == expected.count


@pytest.mark.parametrize("keywords", [
    {"threshold": 100}, {"within": (50, 200)}, {"fill_holes": True, "at_least": 90}, {"min_area": 3, "above": 128},
    {"largest": 4, "above": 120}, {"clear_border": True, "above": 110}, {"equal": True}, {"delta": 9}, {"background": 7},
    {"periodic": True, "above": 150}, {"dtype": "int64"}, {"dtype": "uint16", "above": 200}])
def test_keywords(keywords):
    image = np.random.default_rng(1).integers(0, 256, (150, 200), np.uint8)
    expected = skerry.label(image, **keywords)
    labels = skerry.label(cupy.asarray(image), **keywords)
    np.testing.assert_array_equal(labels.image.get(), expected.image)
    assert labels.count == expected.count
    assert skerry.count(cupy.asarray(image), **{name: value for name, value in keywords.items() if name != "dtype"}) == expected.count


def test_torch_tensors():
    image = noise((120, 90))
    expected = skerry.label(image)
    for tensor in (torch.from_numpy(image).cuda(), torch.from_numpy(image).cuda().bool(), torch.from_numpy(image).cuda().T.contiguous().T):
        labels = skerry.label(tensor)
        assert labels.image.dtype == torch.int32 and labels.image.device == tensor.device
        np.testing.assert_array_equal(labels.image.cpu().numpy(), expected.image)
        assert labels.count == expected.count
    out = torch.zeros((120, 90), dtype=torch.int64, device="cuda")
    assert skerry.label(tensor, out=out).image is out
    np.testing.assert_array_equal(out.cpu().numpy(), expected.image)
    assert skerry.label(tensor, dtype=torch.int64).image.dtype == torch.int64
    with pytest.raises(TypeError, match="image: its library does not export it by DLPack"):
        skerry.label(tensor.float().requires_grad_())


def test_out_of_another_library_and_views():
    image = noise((80, 130))
    array, tensor = cupy.asarray(image), torch.from_numpy(image).cuda()
    expected = skerry.label(image)
    out = cupy.zeros((80, 130), "i8")
    assert skerry.label(tensor, out=out).count == expected.count
    np.testing.assert_array_equal(out.get(), expected.image)
    out = torch.zeros((80, 260), dtype=torch.int16, device="cuda")[:, ::2]
    assert skerry.label(array, out=out).count == expected.count
    np.testing.assert_array_equal(out.cpu().numpy(), expected.image)
    for given in (array[::-1, ::-1], torch.flip(tensor, (0, 1)), torch.nn.Parameter(tensor.flip(0, 1), requires_grad=False)):
        np.testing.assert_array_equal(cupy.asarray(skerry.label(given).image).get(), skerry.label(image[::-1, ::-1]).image)
    negative = torch.view_as_complex(torch.ones((4, 5, 2), device="cuda")).conj().imag  # -1, and the bit that says so
    labels = skerry.label(negative.resolve_neg(), at_least=0)
    assert labels.count == 0
    with pytest.raises(TypeError, match="^out: is in host memory"):
        skerry.label(array, out=(0, (80, 130), (130, 1), "|u1", 0))


def test_counts_are_read_behind_work_of_the_current_stream():
    image = noise((300, 500))
    array = cupy.asarray(image)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        labels = skerry.label(array)
        assert labels.count == skerry.label(image).count
    assert labels.count == skerry.label(image).count
    with pytest.raises(ValueError, match="do not fit"):
        skerry.label(array, connectivity=4, dtype="int8").count


def test_a_graph_of_torch():
    tensor = torch.zeros((256, 300), dtype=torch.uint8, device="cuda")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        skerry.label(tensor)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        labels = skerry.label(tensor)
    for seed in range(3):
        image = noise((256, 300), seed=seed)
        tensor.copy_(torch.from_numpy(image))
        graph.replay()
        np.testing.assert_array_equal(labels.image.cpu().numpy(), skerry.label(image).image)
    assert labels.count == skerry.label(image).count


def test_nothing_waits_but_for_the_count():
    tensor = torch.from_numpy(noise((1000, 1000))).cuda()
    skerry.label(tensor)
    torch.cuda.synchronize()
    torch.cuda._sleep(2_000_000_000)  # clocks: about a second
    labels = skerry.label(tensor)
    done = torch.cuda.current_stream().query()
    assert not done
    assert labels.count > 0
    assert torch.cuda.current_stream().query()


def test_streams_of_cupy_and_torch():
    image = noise((700, 900))
    expected = skerry.label(image).image
    with cupy.cuda.Stream(non_blocking=True):
        np.testing.assert_array_equal(skerry.label(cupy.asarray(image)).image.get(), expected)
    with torch.cuda.stream(torch.cuda.Stream()):
        np.testing.assert_array_equal(skerry.label(torch.from_numpy(image).cuda()).image.cpu().numpy(), expected)


def test_other_libraries_take_labels_by_either_protocol():
    image = noise((64, 65))
    expected = skerry.label(image)
    labels = skerry.label(OnlyInterface(cupy.asarray(image)))
    assert isinstance(labels.image, skerry.DeviceArray) and labels.count == expected.count
    np.testing.assert_array_equal(labels.image.copy_to_host(), expected.image)
    np.testing.assert_array_equal(cupy.asarray(labels).get(), expected.image)
    np.testing.assert_array_equal(cupy.from_dlpack(labels).get(), expected.image)
    with torch.cuda.stream(torch.cuda.Stream()):
        taken = torch.from_dlpack(skerry.label(OnlyInterface(cupy.asarray(image)), dtype="int32"))
        np.testing.assert_array_equal(taken.cpu().numpy(), expected.image)
    assert skerry.label(cupy.zeros((0, 5), "u1")).count == 0


@pytest.mark.filterwarnings("ignore:Warning. Profiler clears events:UserWarning")
def test_nothing_goes_to_the_host_nor_back():
    """Pixels stay where they are: a profiler of PyTorch sees copies of a few bytes only, and no memory is held afterwards."""
    tensor = torch.from_numpy(noise((2000, 2000))).cuda()
    skerry.label(tensor).count
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        labels = skerry.label(tensor)
        assert labels.count > 0
    copies = [event for event in profile.events() if "Memcpy" in event.name]
    assert all("HtoD" not in event.name for event in copies)
    assert len(copies) <= 2 and sum("DtoH" in event.name for event in copies) <= 1, [event.name for event in copies]
    # The allocator of PyTorch splits off no rest of less than 1 MiB; scratch of 1.5 bytes per pixel would be 6 MB.
    assert torch.cuda.memory_allocated() - before <= 2000 * 2000 * 4 + 2**20 + 4096
    out = torch.empty((2000, 2000), dtype=torch.int32, device="cuda")
    assert skerry.label(tensor, out=out).image.data_ptr() == out.data_ptr()


def test_memory_of_cuda_managed_arrays_and_of_no_pixels():
    image = noise((40, 50))
    with cupy.cuda.using_allocator(cupy.cuda.MemoryPool(cupy.cuda.malloc_managed).malloc):
        array = cupy.asarray(image)
        np.testing.assert_array_equal(skerry.label(array).image.get(), skerry.label(image).image)
        assert np.array_equal(skerry.measure(array)["area"], skerry.measure(image)["area"])
    for shape in ((0, 5), (5, 0), (0, 3, 4)):
        for empty in (cupy.zeros(shape, "u1"), torch.zeros(shape, dtype=torch.uint8, device="cuda")):
            labels = skerry.label(empty)
            assert tuple(labels.image.shape) == shape and labels.count == 0
            assert len(skerry.measure(empty)["area"]) == 0 and skerry.count(empty) == 0


def test_calls_of_many_threads_on_their_streams():
    image = noise((300, 400))
    expected = skerry.label(image)

    def work(seed):
        with cupy.cuda.Stream(non_blocking=True):
            for _ in range(20):
                labels = skerry.label(cupy.asarray(image))
                assert labels.count == expected.count and np.array_equal(labels.image.get(), expected.image)
                assert len(skerry.measure(cupy.asarray(image))["area"]) == expected.count
        return seed

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        assert list(pool.map(work, range(6))) == list(range(6))


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)


def test_a_process_that_ends():
    done = run("import cupy, skerry; array = cupy.ones((50, 60), 'u1'); print(skerry.label(array).count, "
               "len(skerry.measure(array)), skerry.count(array)); skerry.release_scratch()")
    assert done.returncode == 0 and done.stderr == "" and done.stdout.split()[0] == "1", done


def test_the_import_leaves_cuda_to_the_children_of_forks():
    done = run("import os, skerry\n"
               "from skerry import _native\n"
               "assert _native.cuda_devices > 0 and skerry.label([[1, 0, 1]]).count == 2\n"
               "child = os.fork()\n"
               "if child == 0:\n"
               "    import cupy\n"
               "    os._exit(skerry.label(cupy.ones((5, 6), 'u1')).count)\n"
               "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))")
    assert done.stdout == "1\n", (done.stdout, done.stderr)
