"""Reductions over axes, segments and groups of arrays in GPU memory: the bits of the same call on the host.

Skipped without a GPU. What a GPU refuses (more than 6 axes that no one stride describes) has to be refused
with its sentence: a reduction that a GPU no longer had would fail these tests, not skip them.
"""

from __future__ import annotations

import gc
from typing import Any, Callable

import exactdot as xd
import numpy as np
import pytest

from element_types import EXTREMA, FLOATS, INTEGERS, MEANS, OF_ML_DTYPES, STORED, SUMS, dtype_of, samples
from gpu import CudaArrayInterface
from test_gpu_reductions import torch_converter
from test_gpu_streams import returns_early

pytestmark = pytest.mark.skipif(not xd.info()["cuda"]["devices"], reason="no GPU")

LIBRARIES = ["torch", "cupy", "jax"]
AXES: list[Any] = [0, 1, 2, -1, (0, 1), (1, 2), (0, 2), (0, 1, 2), None]


def converter(library: str, dtype: str) -> Callable[[np.ndarray], Any]:
    """A function from NumPy arrays to arrays of the library on the GPU."""
    if library == "torch":
        return torch_converter(dtype)
    if library == "jax":
        jax = pytest.importorskip("jax")
        jax.config.update("jax_enable_x64", True)
        return lambda a: jax.device_put(np.ascontiguousarray(a))
    cupy = pytest.importorskip("cupy")
    if dtype in OF_ML_DTYPES:
        pytest.skip(f"CuPy's {dtype} is not tested")
    return lambda a: cupy.asarray(np.ascontiguousarray(a))


def to_host(found: Any) -> np.ndarray:
    if type(found).__module__.startswith("torch"):
        torch = pytest.importorskip("torch")
        name = str(found.dtype).removeprefix("torch.")
        if name in OF_ML_DTYPES:
            stored = getattr(torch, STORED[found.element_size()])
            return found.view(stored).cpu().numpy().view(dtype_of(name))
        return found.cpu().numpy()
    return found.get() if type(found).__module__.startswith("cupy") else np.asarray(found)


def check(found: Any, expected: Any, like: Any) -> None:
    """A number, or an array of the library of `like` on its device, with these bits."""
    if not isinstance(expected, np.ndarray):
        assert type(found) is type(expected) and np.float64(found).tobytes() == np.float64(expected).tobytes()
        return
    assert type(found) is type(like) and str(found.device) == str(like.device)
    on_host = to_host(found)
    assert on_host.dtype == expected.dtype and on_host.shape == expected.shape
    assert on_host.tobytes() == expected.tobytes()


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
@pytest.mark.parametrize("name", [*SUMS, *MEANS, *EXTREMA])
def test_axes(library: str, dtype: str, name: str) -> None:
    to_gpu = converter(library, dtype)
    x = samples(dtype, 37 * 6 * 40).reshape(37, 6, 40)
    on_gpu, call = to_gpu(x), getattr(xd, name)
    for axis in AXES:
        if name.startswith("arg") and isinstance(axis, tuple):
            continue
        for keepdims in (False, True):
            arguments = {"axis": axis, "keepdims": keepdims}
            check(call(on_gpu, **arguments), call(x, **arguments), on_gpu)
    if name in SUMS + MEANS:
        for result in ("float32", "float64"):
            check(call(on_gpu, axis=1, dtype=result), call(x, axis=1, dtype=result), on_gpu)


@pytest.mark.parametrize("library", ["torch", "cupy", "interface"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
@pytest.mark.parametrize("name", ["sum", "norm", "mean", "max"])
def test_views_and_out(library: str, dtype: str, name: str) -> None:
    to_gpu = converter("cupy" if library == "interface" else library, dtype)
    wrap = CudaArrayInterface if library == "interface" else lambda array: array
    x, call = samples(dtype, 30 * 40 * 6).reshape(30, 40, 6), getattr(xd, name)
    on_gpu = to_gpu(x)
    views = [lambda a: a, lambda a: a[3:20, ::2], lambda a: a[:, :, 2:5], lambda a: a[5], lambda a: a[:, 1:2],
             lambda a: a.swapaxes(0, 2), lambda a: a[:0]]
    for view in views:
        host, device = view(x), view(on_gpu)
        for axis in range(host.ndim):
            if name == "max" and host.shape[axis] == 0:
                continue
            expected = np.asarray(call(host, axis=axis, keepdims=True))
            for step in (1, 2):
                buffer = to_gpu(np.zeros((*expected.shape[:-1], step * expected.shape[-1]), expected.dtype))
                out = buffer[..., ::step]
                given = wrap(out)
                found = call(wrap(device), axis=axis, keepdims=True, out=given)
                assert found is given and to_host(out).tobytes() == expected.tobytes(), (host.shape, axis, step)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("shape", [(100_000, 3), (3, 300_000), (1000, 1000), (1, 2**20), (2**20, 1), (0, 5), (5, 0)])
@pytest.mark.parametrize("name", ["sum", "sum_of_squares", "norm", "var", "min"])
def test_shapes(library: str, shape: tuple[int, int], name: str) -> None:
    to_gpu, call = converter(library, "float32"), getattr(xd, name)
    x = samples("float32", shape[0] * shape[1]).reshape(shape)
    for axis in (0, 1):
        if name == "min" and shape[axis] == 0:
            continue
        check(call(to_gpu(x), axis=axis), call(x, axis=axis), to_gpu(x[:1]))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", FLOATS + ["int32", "uint64"])
def test_vecdot_and_matvec(library: str, dtype: str) -> None:
    to_gpu = converter(library, dtype)
    a, b = samples(dtype, 5 * 30 * 200).reshape(5, 30, 200), samples(dtype, 30 * 200 + 1)[1:].reshape(30, 200)
    x, y = to_gpu(a), to_gpu(b)
    for host, device in (((a, b), (x, y)), ((a, a), (x, x)), ((a, b[0]), (x, y[0])), ((a[:, :1], b), (x[:, :1], y))):
        check(xd.vecdot(*device), xd.vecdot(*host), x)
        check(xd.vecdot(*device, keepdims=True, dtype="f8"), xd.vecdot(*host, keepdims=True, dtype="f8"), x)
    check(xd.vecdot(x, y, axis=-2), xd.vecdot(a, b, axis=-2), x)
    check(xd.vecdot(y[0], y[1]), xd.vecdot(b[0], b[1]), x)
    check(xd.matvec(x, y[0]), xd.matvec(a, b[0]), x)
    check(xd.matvec(y, y[3]), xd.matvec(b, b[3]), x)
    check(xd.matvec(x[0], y), xd.matvec(a[0], b), x)
    check(xd.matvec(x.reshape(150, 200), y[:17]), xd.matvec(a.reshape(150, 200), b[:17]), x)
    check(xd.matvec(x.swapaxes(1, 2), y[0, :30]), xd.matvec(a.swapaxes(1, 2), b[0, :30]), x)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "uint64"])
@pytest.mark.parametrize("name", [*SUMS, *MEANS, *EXTREMA])
def test_segments(library: str, dtype: str, name: str) -> None:
    to_gpu, integers, call = converter(library, dtype), converter(library, "int64"), getattr(xd, f"segment_{name}")
    x = samples(dtype, 50_000)
    for offsets in ([0, 3, 3, 40, 20_000, 20_001, 50_000], np.arange(0, 50_001, 5), [7, 7], [3]):
        offsets = np.array(offsets, "i8")
        if name in EXTREMA and (np.diff(offsets) == 0).any():
            continue
        check(call(to_gpu(x), integers(offsets)), call(x, offsets), to_gpu(x[:1]))
    if name == "sum":
        found = xd.segment_dot(to_gpu(x), to_gpu(x[::-1].copy()), integers(offsets))
        check(found, xd.segment_dot(x, x[::-1], offsets), to_gpu(x[:1]))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "int64"])
@pytest.mark.parametrize("name", [*SUMS, *MEANS, "min", "max"])
def test_groups(library: str, dtype: str, name: str) -> None:
    to_gpu, integers, call = converter(library, dtype), converter(library, "int64"), getattr(xd, f"group_{name}")
    x = samples(dtype, 60_000)
    for groups in (7, 5000):
        keys = np.random.default_rng(groups).permutation(np.arange(len(x)) % groups)
        check(call(to_gpu(x), integers(keys), groups), call(x, keys, groups), to_gpu(x[:1]))
        some = {"skip_out_of_range": True}
        check(call(to_gpu(x), integers(keys - 1), groups - 1, **some), call(x, keys - 1, groups - 1, **some),
              to_gpu(x[:1]))
    if name == "sum":
        check(xd.group_dot(to_gpu(x), to_gpu(x[::-1].copy()), integers(keys), groups),
              xd.group_dot(x, x[::-1], keys, groups), to_gpu(x[:1]))
        check(xd.group_count(integers(keys), groups), xd.group_count(keys, groups), to_gpu(x[:1]))
        columns = x.reshape(-1, 3)
        check(call(to_gpu(columns), integers(keys[: len(columns)]), groups),
              call(columns, keys[: len(columns)], groups), to_gpu(x[:1]))
        check_weights_and_add_to(to_gpu, integers, columns, keys[: len(columns)], groups)


def check_weights_and_add_to(to_gpu: Any, integers: Any, x: np.ndarray, keys: np.ndarray, groups: int) -> None:
    weights = x[::-1, :1].copy()  # one of each row
    expected = xd.group_dot(x, weights, keys, groups)
    check(xd.group_dot(to_gpu(weights), to_gpu(x), integers(keys), groups), expected, to_gpu(x[:1]))
    table, on_host = to_gpu(expected), expected.copy()
    if expected.dtype.kind != "i" and not type(table).__module__.startswith("jax"):  # whose arrays are immutable
        check(xd.group_sum(to_gpu(x), integers(keys), add_to=table), xd.group_sum(x, keys, add_to=on_host), to_gpu(x[:1]))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", [*FLOATS, "int32"])
def test_norm_of_a_list(library: str, dtype: str) -> None:
    to_gpu = converter(library, dtype)
    x = [samples(dtype, n).reshape(shape) for n, shape in ((12, (3, 4)), (70_000, (70, 1000)), (1, ()), (5, (5,)))]
    x.append(samples(dtype, 0).reshape(0, 3))
    on_gpu = [to_gpu(each) for each in x]
    on_gpu.append(on_gpu[1].swapaxes(0, 1)[::3] if library != "jax" else to_gpu(x[1].T[::3]))
    x.append(x[1].T[::3])
    result = {"dtype": "float32"} if dtype == "float8_e4m3fn" else {}  # whose range is too short
    assert xd.norm(on_gpu, **result) == xd.norm(tuple(on_gpu[::-1]), **result) == xd.norm(x, **result)
    if library == "torch":
        torch = pytest.importorskip("torch")
        out = torch.zeros((), dtype=torch.float32, device="cuda")
        assert xd.norm(on_gpu, out=out) is out and out.item() == xd.norm(x, dtype="f4")


def test_norm_of_a_list_of_types() -> None:
    torch = pytest.importorskip("torch")
    half, single = torch.rand(1000, dtype=torch.float16, device="cuda"), torch.rand(3, 5, device="cuda")
    expected = xd.norm([half.cpu().numpy(), single.cpu().numpy()])
    assert xd.norm([half, single]) == xd.norm([single, half]) == expected


def test_calls_do_not_wait() -> None:
    torch = pytest.importorskip("torch")
    a = samples("float32", 2**20).reshape(1024, 1024)
    source, x = torch.as_tensor(a, device="cuda"), torch.zeros(1024, 1024, device="cuda")
    stream, expected = torch.cuda.Stream(), xd.sum(a, axis=1) * np.float32(2)
    with torch.cuda.stream(stream):
        x.copy_(source)
        xd.sum(x, axis=1) * 2
        stream.synchronize()

    def attempt(load: int) -> bool:
        x.zero_()
        for _ in range(load):
            torch.cuda._sleep(200_000_000)
        x.copy_(source)
        doubled = xd.sum(x, axis=1) * 2
        early = not stream.query()
        stream.synchronize()
        assert np.array_equal(doubled.cpu().numpy(), expected)
        return early

    with torch.cuda.stream(stream):
        assert returns_early(attempt), "the call waited"


def test_an_explicit_stream() -> None:
    torch = pytest.importorskip("torch")
    a = samples("float64", 10**6).reshape(1000, 1000)
    x, stream = torch.as_tensor(a, device="cuda"), torch.cuda.Stream()
    for _ in range(20):
        found = xd.sum(x, axis=0, stream=stream)
        torch.cuda.current_stream().wait_stream(stream)
        assert np.array_equal(found.cpu().numpy(), xd.sum(a, axis=0))
        torch.zeros(1000, dtype=torch.float64, device="cuda")  # may take memory that is free


@pytest.mark.parametrize("library", LIBRARIES)
def test_nothing_is_copied_to_the_host(library: str) -> None:
    torch = pytest.importorskip("torch")
    from torch.profiler import ProfilerActivity, profile

    x = converter(library, "float32")(samples("float32", 2**20).reshape(1024, 1024))
    kept = [xd.norm(x, axis=1), xd.matvec(x, x[0])]
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        kept += [xd.norm(x, axis=1), xd.matvec(x, x[0])]
        torch.zeros(1, device="cuda").cpu()  # a copy that the profiler must record
        torch.cuda.synchronize()
    assert sum("DtoH" in event.name for event in seen.events()) == 1


def test_graphs() -> None:
    torch = pytest.importorskip("torch")
    x, out = torch.ones(300, 5000, device="cuda"), torch.zeros(300, device="cuda")
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        xd.sum(x, axis=1, out=out)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph, stream=stream):
        xd.sum(x, axis=1, out=out)
        made = xd.sum(x, axis=0)
    x.fill_(3)
    graph.replay()
    torch.cuda.synchronize()
    assert out.tolist() == [15000] * 300 and made.tolist() == [900] * 5000


def test_memory_of_jax() -> None:
    """The memory that results leave is used again, and not before JAX has read it."""
    jax = pytest.importorskip("jax")
    to_gpu, double = converter("jax", "float32"), jax.jit(lambda x: x * 2)
    a = samples("float32", 300 * 1000).reshape(300, 1000)
    x, expected = to_gpu(a), xd.sum(a, axis=0) * np.float32(2)
    later = []
    for i in range(300):
        later.append(double(xd.sum(x, axis=0)))
        if i % 50 == 0:
            gc.collect()
    assert all(np.array_equal(np.asarray(each), expected) for each in later)
    before = to_gpu(np.zeros((0, 3), "f4"))
    assert xd.sum(before, axis=1).shape == (0,) and xd.sum(before, axis=0).tolist() == [0, 0, 0]


def test_integers_that_do_not_fit() -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor([[2**62, 2**62], [1, 2]], device="cuda")
    assert xd.sum(x, axis=1).tolist() == [0, 3]
    with pytest.raises(OverflowError, match="fit"):
        xd.check(x)
    xd.check(x)  # once is enough
    with pytest.raises(OverflowError, match="fit"):
        xd.sum(x)
    assert xd.sum(x[1:], axis=None) == 3


def test_bad_keys_are_named_later() -> None:
    torch = pytest.importorskip("torch")
    x, keys = torch.ones(5, device="cuda"), torch.tensor([0, 1, 7, 1, -1], device="cuda")
    xd.group_sum(x, keys, 2)
    with pytest.raises(ValueError, match="key"):
        xd.check(x)
    xd.check(x)


@pytest.mark.parametrize("library", ["torch", "cupy"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64"])
@pytest.mark.parametrize("name", [*SUMS, *MEANS, *EXTREMA])
def test_axes_that_no_one_stride_describes(library: str, dtype: str, name: str) -> None:
    to_gpu, call = converter(library, dtype), getattr(xd, name)
    x = samples(dtype, 20 * 6 * 10 * 30).reshape(20, 6, 10, 30)
    on_gpu = to_gpu(x)
    check(call(on_gpu[:, ::2]), call(x[:, ::2]), on_gpu)
    if name.startswith("arg"):
        return
    for axis in ((0, 2), (0, 2, 3), (1, 3)):
        for view in (lambda a: a, lambda a: a[:, ::2, 1:], lambda a: a.swapaxes(1, 3)):
            check(call(view(on_gpu), axis=axis), call(view(x), axis=axis), on_gpu)


def test_more_axes_than_a_gpu_takes_are_refused() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(ValueError, match="7 axes that no one stride"):
        xd.sum(torch.ones((3,) * 7, device="cuda")[(slice(2),) * 7])


def test_errors() -> None:
    torch = pytest.importorskip("torch")
    x, keys = torch.ones(4, 6, device="cuda"), torch.zeros(4, dtype=torch.int64, device="cuda")
    for call, kind, why in (
        (lambda: xd.sum(x, axis=2), IndexError, "sum: axis is 2"),
        (lambda: xd.sum(x, axis=0, mode="fast"), ValueError, "sum: in a GPU's memory mode fast sums vectors only"),
        (lambda: xd.sum(x, axis=0, out=torch.zeros(5, device="cuda")), ValueError, "sum: out has shape"),
        (lambda: xd.sum(x, axis=0, out=torch.zeros(6)), ValueError, "sum: out: is on another device"),
        (lambda: xd.sum(x, axis=0, out=x[0]), ValueError, "sum: .*results lie within x"),
        (lambda: xd.sum(x, axis=0, out=torch.zeros(1, device="cuda").expand(6)), ValueError, "overwrite each other"),
        (lambda: xd.vecdot(x, np.ones(6, "f4")), ValueError, "a is in GPU memory, b in host memory"),
        (lambda: xd.vecdot(x, torch.ones(5, device="cuda")), ValueError, "differ in length"),
        (lambda: xd.mean(x, axis=0, dtype=int), ValueError, "mean: the result type is int64"),
        (lambda: xd.group_sum(x, keys), ValueError, "group_sum: groups is missing"),
        (lambda: xd.group_sum(x, [0] * 4, 1), ValueError, "keys: lie in host memory"),
        (lambda: xd.sum(CudaArrayInterface(pytest.importorskip("cupy").ones((2, 3))), axis=0), ValueError, "pass out"),
    ):
        with pytest.raises(kind, match=why):
            call()
    assert x.sum().item() == 24


STATES = ["sum", "asum", "sum_of_squares", "norm", "mean", "var", "dot"]


def words_of_host(found: Any, like: Any) -> np.ndarray:
    """The words of an array of the library of `like`, on its device."""
    assert type(found) is type(like) and str(found.device) == str(like.device)
    words = to_host(found)
    assert words.dtype == np.int64
    return words


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", [*FLOATS, "int8", "uint32", "int64"])
@pytest.mark.parametrize("compact", [False, True])
def test_states(library: str, dtype: str, compact: bool) -> None:
    to_gpu, to_index = converter(library, dtype), converter(library, "int64")
    x = samples(dtype, 300 * 8).reshape(300, 8)
    offsets, keys = np.array([0, 5, 5, 290, 2400], "i8"), np.arange(300, dtype="i8") * 7 % 11
    on_gpu, line, flat = to_gpu(x), to_gpu(x.ravel()), x.ravel()
    for reduction in STATES:
        second = {} if reduction != "dot" else {"b": x}
        there = {} if reduction != "dot" else {"b": on_gpu}
        for axis in (0, 1, None):
            found = xd.states(reduction, on_gpu, axis=axis, compact=compact, **there)
            expected = xd.states(reduction, x, axis=axis, compact=compact, **second)
            assert words_of_host(found, on_gpu).tobytes() == expected.tobytes()
        found = xd.group_states(reduction, on_gpu, to_index(keys), 11, compact=compact, **there)
        expected = xd.group_states(reduction, x, keys, 11, compact=compact, **second)
        assert words_of_host(found, on_gpu).tobytes() == expected.tobytes()
        second, there = ({}, {}) if reduction != "dot" else ({"b": flat}, {"b": line})
        found = xd.segment_states(reduction, line, to_index(offsets), compact=compact, **there)
        expected = xd.segment_states(reduction, flat, offsets, compact=compact, **second)
        assert words_of_host(found, line).tobytes() == expected.tobytes()


def test_states_of_wrong_offsets_and_keys() -> None:
    to_gpu = converter("torch", "int64")
    x = torch_converter("float32")(np.ones(10, "f4"))
    with pytest.raises(ValueError, match="lie in host memory, the vector in GPU memory"):
        xd.segment_states("sum", x, [0, 10])
    words = xd.segment_states("sum", x, to_gpu(np.array([0, 5, 3, 10], "i8")))
    with pytest.raises(ValueError, match="segment 1"):
        xd.check(x)
    assert to_host(words)[:, -1].tolist() == [1, 0, 1]  # states
    xd.group_states("sum", x, to_gpu(np.full(10, 4, "i8")), 4)
    with pytest.raises(ValueError, match="key 0"):
        xd.check(x)
    with pytest.raises(ValueError, match="for vectors in GPU memory"):
        xd.states("sum", np.ones(3), stream=0)
