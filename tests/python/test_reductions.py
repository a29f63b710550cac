"""Every reduction of one vector has the value of the reference, for every element type and layout."""

from __future__ import annotations

import inspect
import math
import pickle
import struct
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any, Callable

import exactdot as xd
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlpack_capsules import CapsuleArray, on_gpu
from reference import FORMATS, bits, exact_reduction, plain, rounded, rounded_root, views

SUMS = ["sum", "asum", "sum_of_squares"]
MEANS = ["norm", "mean", "var", "std"]
EXTREMA = ["min", "max", "argmin", "argmax"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def dtype_of(name: str) -> np.dtype:
    """The dtype; a test of bfloat16 is skipped without ml_dtypes."""
    if name == "bfloat16":
        return np.dtype(pytest.importorskip("ml_dtypes").bfloat16)
    return np.dtype(name)


def default_result(name: str, dtype: str) -> str:
    """NumPy's: floating-point types stay; sums of integers are of 64 bits, other results of integers float64."""
    if dtype in FLOATS:
        return dtype
    return ("uint64" if dtype.startswith("u") else "int64") if name in SUMS else "float64"


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, int):
        return type(found) is int and found == expected
    return type(found) is float and bits(found) == bits(expected)


@st.composite
def vectors(draw: st.DrawFn, names: list[str], min_size: int = 0) -> np.ndarray:
    """A vector of one of these types: any numbers, or a sum that cancels."""
    dtype = dtype_of(draw(st.sampled_from(names)))
    sizes = {"min_size": min_size, "max_size": 24}
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array(draw(st.lists(st.integers(int(info.min), int(info.max)), **sizes)), dtype)
    special = draw(st.booleans())
    width = 8 * dtype.itemsize
    if dtype.name == "bfloat16":
        words = st.integers(0, 0xFFFF).filter(lambda word: special or word & 0x7F80 != 0x7F80)
        x = np.array(draw(st.lists(words, **sizes)), np.uint16).view(dtype)
    else:
        numbers = st.floats(width=width, allow_nan=special, allow_infinity=special)  # type: ignore[arg-type]
        x = np.array(draw(st.lists(numbers, **sizes)), dtype)
    return np.concatenate([x, -x[::-1]]) if draw(st.booleans()) else x


def test_the_reference() -> None:
    assert rounded_root(Fraction(2), "float64") == math.sqrt(2)
    assert rounded_root(Fraction(9, 4), "float16") == 1.5
    assert rounded_root(Fraction(2) ** -2148, "float64") == 2.0**-1074
    assert rounded(Fraction(65520), "float16") == math.inf and rounded(Fraction(65519), "float16") == 65504
    assert exact_reduction("argmin", [0.0, -0.0, -0.0], "int64") == 1
    assert exact_reduction("argmax", [1.0, math.nan, math.inf, math.nan], "int64") == 1
    assert exact_reduction("var", [1.0, 3.0], "float64", 1) == 2.0


@given(vectors(FLOATS), st.sampled_from(FLOATS), st.integers(0, 2))
def test_floats_equal_the_reference(x: np.ndarray, dtype: str, ddof: int) -> None:
    values = plain(x)
    for name in SUMS + MEANS:
        options = {"ddof": ddof} if name in ("var", "std") else {}
        expected = exact_reduction(name, values, dtype, ddof)
        assert same(getattr(xd, name)(x, dtype=dtype, **options), expected), name
        expected = exact_reduction(name, values, x.dtype.name, ddof)
        assert same(getattr(xd, name)(x, **options), expected), name


@given(vectors(INTEGERS), st.sampled_from(FLOATS), st.integers(0, 2))
def test_integers_equal_the_reference(x: np.ndarray, dtype: str, ddof: int) -> None:
    values = plain(x)
    for name in SUMS + MEANS:
        options = {"ddof": ddof} if name in ("var", "std") else {}
        expected = exact_reduction(name, values, dtype, ddof)
        assert same(getattr(xd, name)(x, dtype=dtype, **options), expected), name
        default = default_result(name, x.dtype.name)
        expected = exact_reduction(name, values, default, ddof)
        if default not in FORMATS and not np.iinfo(default).min <= expected <= np.iinfo(default).max:
            with pytest.raises(OverflowError, match=f"^{name}: the result does not fit into {default}"):
                getattr(xd, name)(x)
        else:
            assert same(getattr(xd, name)(x, **options), expected), name


@given(vectors(FLOATS + INTEGERS, min_size=1))
def test_extrema_equal_the_reference(x: np.ndarray) -> None:
    for name in EXTREMA:
        assert same(getattr(xd, name)(x), exact_reduction(name, plain(x), x.dtype.name)), name


def test_extrema_of_zeros_and_nans() -> None:
    assert bits(xd.min([0.0, -0.0])) == bits(-0.0) and bits(xd.max([-0.0, 0.0])) == bits(0.0)
    assert (xd.argmin([0.0, -0.0, -0.0]), xd.argmax([-0.0, 0.0, 0.0])) == (1, 1)
    x = np.array([1.0, -math.nan, math.inf, math.nan])
    assert math.isnan(xd.min(x)) and math.isnan(xd.max(x)) and xd.argmin(x) == xd.argmax(x) == 1


def samples(name: str, n: int) -> np.ndarray:
    """Numbers of every size that the type has, whose sums do not overflow 64 bits."""
    dtype = dtype_of(name)
    generator = np.random.default_rng(n)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return generator.integers(max(info.min, -(2**24)), min(info.max, 2**24), n).astype(dtype)
    return (generator.standard_normal(n) * 2.0 ** generator.integers(-8, 6, n)).astype(dtype)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
@pytest.mark.parametrize("n", [1, 37, 5000])
def test_layouts_and_threads_change_nothing(dtype: str, n: int) -> None:
    x = samples(dtype, n)
    layouts = {"contiguous": x} if x.dtype.kind == "V" and n == 0 else {}
    if dtype == "bfloat16":  # ml_dtypes has no byte orders
        spread = np.repeat(x, 3)
        layouts = {"strided": spread[::3], "reversed twice": x[::-1].copy()[::-1]}
    else:
        layouts = views(x)
    for name in SUMS + MEANS + EXTREMA:
        call = getattr(xd, name)
        expected = call(x)
        assert n > 37 or same(expected, exact_reduction(name, plain(x), default_result(name, dtype))), name
        for layout, y in layouts.items():
            for threads in (1, 3):
                assert same(call(y, threads=threads), expected), (name, layout)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_protocols(dtype: str) -> None:
    x = samples(dtype, 20)
    expected = xd.sum(x)
    code = {"i": 0, "u": 1, "f": 2, "V": 4}[x.dtype.kind]
    stored = x.view(np.uint16) if dtype == "bfloat16" else x
    for versioned in (True, False):
        assert same(xd.sum(CapsuleArray(stored, code=code, versioned=versioned)), expected)
        assert same(xd.sum(CapsuleArray(np.repeat(stored, 2)[::2], code=code, versioned=versioned)), expected)
    if dtype != "bfloat16":
        assert same(xd.sum(memoryview(x)), expected)
    typestr = f"{'|' if x.itemsize == 1 else '<'}{x.dtype.kind}{x.itemsize}"
    interface = {"typestr": typestr, "shape": (3,), "data": (4096, False), "version": 3}
    there = type("There", (), {"__cuda_array_interface__": interface, "dtype": x.dtype})()
    with pytest.raises(ValueError, match="a is in GPU memory, b in host memory"):
        xd.dot(there, x)


def test_buffer_formats() -> None:
    import array

    for code in "bBhHiIlLqQfd":
        x = array.array(code, [1, 2, 3])
        assert same(xd.sum(x), float(6) if code in "fd" else 6), code
    for code in "nN":
        assert same(xd.sum(memoryview(struct.pack(f"3{code}", 1, 2, 3)).cast(code)), 6)
    for x in (np.array([True, False, True]), memoryview(b"\1\0\1").cast("?"), CapsuleArray(np.ones(2, "u1"), code=6)):
        assert same(xd.sum(x), 2)
    assert same(xd.sum(b"\1\2"), 3) and same(xd.sum(bytearray(3)), 0)


@pytest.mark.parametrize("dtype", FLOATS + ["uint8", "int32", "int64"])
def test_torch_tensors_in_host_memory(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor([1, 2, 4], dtype=getattr(torch, dtype))
    assert same(xd.sum(x), 7.0 if dtype in FLOATS else 7)
    assert same(xd.sum([1, 2], dtype=x.dtype) if dtype in FLOATS else 3.0, 3.0)


def test_objects_that_numpy_converts() -> None:
    class Convertible:
        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
            return np.array([1.5, 2.5])

    for x, expected in (([1, 2, 3], 6), ((0.5, 0.25), 0.75), (range(4), 6), ([], 0.0), (3, 3), (2.5, 2.5), (True, 1),
                        (np.float32(1.5), 1.5), (np.int8(-3), -3), (np.array(7), 7), (Convertible(), 4.0),
                        ([2**63], 2**63), ([np.float16(1), np.float16(2)], 3.0), (np.array(2.5, ">f4"), 2.5)):
        assert same(xd.sum(x), expected), x
    assert same(xd.dot([1, 2], (3, 4)), 11) and same(xd.dot([0.5], Convertible().__array__()[:1]), 0.75)
    assert same(xd.argmax([1, 3, 2]), 1) and same(xd.var(5), 0.0)
    bfloat16 = dtype_of("bfloat16")
    assert same(xd.sum(bfloat16.type(1.5)), 1.5) and same(xd.sum([bfloat16.type(1.5)] * 2), 3.0)


def test_dots_of_two_types() -> None:
    for a in FLOATS:
        for b in FLOATS:
            x, y = np.array([1.5, -2.0], dtype_of(a)), np.array([2.0, 0.25], dtype_of(b))
            assert same(xd.dot(x, y), 2.5)
    small, large = np.array([1 + 2.0**-10], "f2"), np.array([1 + 2.0**-50])
    assert xd.dot(small, large) == rounded(Fraction(1 + 2.0**-10) * Fraction(1 + 2.0**-50), "float64")
    assert same(xd.dot(np.array([2], "u1"), np.array([-3], "i8")), -6)
    assert same(xd.dot(np.array([255] * 2, "u1"), np.array([2**40] * 2, "u8")), 510 * 2**40)
    assert same(xd.dot(np.array([2**63, 2**63], "u8"), np.array([1, 1], "u8"), dtype=float), 2.0**64)
    with pytest.raises(OverflowError, match="^dot: the result does not fit into uint64"):
        xd.dot(np.array([2**63, 2**63], "u8"), np.array([1, 1], "u8"))
    with pytest.raises(TypeError, match="a holds int64, b float16; convert one"):
        xd.dot(np.array([1]), np.array([1], "f2"))


class TorchType:
    """Has the text of torch.float64."""

    def __str__(self) -> str:
        return "torch.float64"


def test_spellings_of_dtypes() -> None:
    third = [1.0, 0.0, 0.0]
    for spelling, name in (("f4", "float32"), ("<f8", "float64"), (">f4", "float32"), (np.float32, "float32"),
                           (float, "float64"), (np.dtype("float16"), "float16"), ("half", "float16"),
                           ("double", "float64"), ("single", "float32"), (np.float16, "float16"), ("bfloat16", "bfloat16"),
                           (TorchType(), "float64"), (np.array([1.0], "f4").dtype, "float32"), ("e", "float16")):
        assert same(xd.mean(third, dtype=spelling), rounded(Fraction(1, 3), name)), spelling
        assert xd.Accumulator(spelling).dtype == xd.Moments(spelling).dtype == name
    assert same(xd.mean(third, dtype=dtype_of("bfloat16")), rounded(Fraction(1, 3), "bfloat16"))
    assert same(xd.mean(third, dtype=dtype_of("bfloat16").type), rounded(Fraction(1, 3), "bfloat16"))
    for spelling in (int, "i8", "int64", np.int64, "uint64", "u8", np.uint64):
        assert same(xd.sum([1, 2], dtype=spelling), 3), spelling
    for spelling in ("complex64", "O", "U3", bool, "f16", 3, [], "M8[s]", "quad", type(None)):
        with pytest.raises(ValueError, match="^sum: dtype is .*; use float32"):
            xd.sum([1], dtype=spelling)
    for spelling in (None, "c8"):
        with pytest.raises(ValueError, match="^Accumulator: dtype is"):
            xd.Accumulator(spelling)


def test_out() -> None:
    x = np.array([1, 2, 4], "i2")
    for dtype in FLOATS + ["int64", "uint64"]:
        out = np.zeros((), dtype_of(dtype))
        assert xd.sum(x, out=out) is out and out == 7
    for dtype in FLOATS:
        out = np.zeros(1, dtype_of(dtype))
        assert xd.mean([1.0, 0.0, 0.0], out=out) is out
        assert bits(float(out[0])) == bits(rounded(Fraction(1, 3), dtype))
    for dtype in (">i8", ">f2", ">f4", ">f8", ">u8"):
        swapped = np.zeros(1, dtype)
        assert xd.sum(x, out=swapped)[0] == 7
    element, index = np.zeros((), "i2"), np.zeros((), "i8")
    assert xd.max(x, out=element) is element and element == 4
    assert xd.argmax(x, out=index) is index and index == 2
    for call, out, why in ((xd.max, np.zeros(()), "^max: the result type is float64; use int16"),
                           (xd.argmin, np.zeros(()), "^argmin: the result type is float64; use int64 or uint64"),
                           (xd.mean, index, "^mean: the result type is int64; use a floating-point type"),
                           (xd.sum, np.zeros((), "i4"), "^sum: the result type is int32; use int64"),
                           (xd.sum, np.zeros(2), "^sum: out has 2 elements")):
        before = out.copy()
        with pytest.raises(ValueError, match=why):
            call(x, out=out)
        assert np.array_equal(out, before)
    with pytest.raises(TypeError, match="^sum: out: is not a vector.*out is list, length 1; x is"):
        xd.sum(x, out=[0.0])
    with pytest.raises(ValueError, match="out: is on another device than x"):
        xd.sum(x, out=on_gpu(np.zeros(1)))
    with pytest.raises(ValueError, match="^sum: out does not have the dtype"):
        xd.sum(x, out=np.zeros(1), dtype="f4")


def test_negative_zero() -> None:
    for dtype in FLOATS:
        for values in ([], [-0.0], [-0.0] * 3000):
            x = np.array(values, dtype_of(dtype))
            for mode in ("exact", "fast"):
                assert bits(xd.sum(x, mode=mode)) == bits(0.0)
                assert bits(xd.sum(x, mode=mode, negative_zero=True)) == bits(-0.0)
                for result in FLOATS:
                    assert bits(xd.sum(x, dtype=result, negative_zero=True)) == bits(-0.0)
        for values in ([0.0], [-0.0, 0.0], [0.0, -0.0], [1.0, -1.0], [1.0, -1.0, -0.0]):
            assert bits(xd.sum(np.array(values, dtype_of(dtype)), negative_zero=True)) == bits(0.0)
    out = np.zeros(())
    xd.sum([-0.0], negative_zero=True, out=out)
    assert bits(float(out)) == bits(-0.0)
    assert same(xd.sum(np.array([0, 0]), negative_zero=True), 0)
    assert same(xd.sum([1.5], negative_zero=True), 1.5)
    assert bits(xd.sum([-0.0], negative_zero=False)) == bits(0.0)


def test_mode_fast() -> None:
    x = np.tile(np.array([1e16, 1.0, -1e16, 3.0, -1.0, 0.1]), 5000)
    expected = {name: getattr(xd, name)(x, mode="fast") for name in (*SUMS, "norm", "mean")}
    assert expected["sum"] != xd.sum(x) and expected["mean"] == expected["sum"] / len(x)
    assert expected["norm"] == math.sqrt(expected["sum_of_squares"])
    for name, value in expected.items():
        assert same(getattr(xd, name)(np.repeat(x, 2)[::2], mode="fast", threads=3), value)
        assert same(getattr(xd, name)(np.array([3, 4]), mode="fast"), getattr(xd, name)(np.array([3, 4])))
    for call in (xd.var, xd.std):
        with pytest.raises(ValueError, match=f"^{call.__name__}: mode \"fast\" has no variance"):
            call(x, mode="fast")


def test_signatures() -> None:
    common = "threads=0, device='auto', out=None, stream=None"
    rounds = f"mode='exact', dtype=None, {common}"
    expected = {"dot": f"(a, b, *, {rounds})", "sum": f"(x, *, {rounds}, negative_zero=False)", "info": "()",
                "use_instruction_set": "(name)", **{name: f"(x, *, {rounds})" for name in (*SUMS[1:], "norm", "mean")},
                **{name: f"(x, *, ddof=0, {rounds})" for name in ("var", "std")},
                **{name: f"(x, *, {common})" for name in EXTREMA}}
    functions = {name for name in xd.__all__ if not inspect.isclass(getattr(xd, name))}
    assert set(expected) == functions
    for name, signature in expected.items():
        function: Callable[..., Any] = getattr(xd, name)
        assert str(inspect.signature(function)) == signature
        assert pickle.loads(pickle.dumps(function)) is function and function.__name__ == name


def test_arguments() -> None:
    assert xd.sum(x=[1]) == 1 and xd.dot(b=[1], a=[2]) == 2 and xd.dot([1], b=[2]) == 2
    name = "".join(["mo", "de"])  # not interned
    assert xd.sum([1], **{name: "fast"}) == 1
    assert xd.sum([1], threads=np.int64(2)) == 1 and xd.sum([1], threads=2**40) == 1
    wrong: list[tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
        ((), {}, TypeError, "^sum: argument 'x' is missing"),
        (([1], [2]), {}, TypeError, "^sum: 2 positional arguments"),
        (([1],), {"ddof": 1}, TypeError, "^sum: unknown argument 'ddof'"),
        (([1],), {"x": [1]}, TypeError, "^sum: argument 'x' twice"),
        (([1],), {"threads": 1.5}, TypeError, "^sum: threads is 1.5; use an integer"),
        (([1],), {"threads": 2**70}, ValueError, "^sum: threads is .*, beyond 64 bits"),
        (([1],), {"threads": -1}, ValueError, "^sum: threads is -1"),
        (([1],), {"mode": "quick"}, ValueError, "^sum: mode is quick"),
        (([1],), {"device": "tpu"}, ValueError, "^sum: device is tpu"),
        (([1],), {"stream": 5}, ValueError, "^sum: stream is for vectors in GPU memory"),
        (([1],), {"negative_zero": np.ones(2)}, ValueError, "ambiguous"),
        (("abc",), {}, TypeError, "^sum: x: elements are of dtype str.*x is str, length 3"),
        (([1j],), {}, TypeError, "^sum: x: elements are of dtype complex128.*not float32, .* or uint64"),
        ((np.zeros((2, 2)),), {}, ValueError, "^sum: x: has 2 dimensions"),
        ((np.ma.masked_array([1.0], [1]),), {}, TypeError, "^sum: x: is a masked array"),
        (([2**64],), {}, TypeError, "^sum: x: is not a vector"),
    ]
    for positional, keywords, kind, why in wrong:
        with pytest.raises(kind, match=why):
            xd.sum(*positional, **keywords)
    with pytest.raises(TypeError, match="^dot: argument 'b' is missing"):
        xd.dot([1])
    for call in (xd.var, xd.std):
        with pytest.raises(ValueError, match=f"^{call.__name__}: ddof is -1"):
            call([1.0], ddof=-1)
    for name in EXTREMA:
        with pytest.raises(ValueError, match=f"^{name}: the vector is empty"):
            getattr(xd, name)(np.array([]))
    with pytest.raises(TypeError, match="^min: unknown argument 'dtype'"):
        xd.min([1], dtype="f4")
    with pytest.raises(TypeError, match="use_instruction_set: name is 3; use a str"):
        xd.use_instruction_set(3)
    xd.use_instruction_set(name="")


def test_vectors_in_gpu_memory_need_the_engine() -> None:
    if xd.info()["cuda"]["built"]:
        pytest.skip("this build has the CUDA engine")
    for name in SUMS + MEANS + EXTREMA:
        with pytest.raises(RuntimeError, match="in GPU memory, but this build of exactdot is for CPUs only"):
            getattr(xd, name)(on_gpu(np.ones(3)))


def test_long_calls_and_threads() -> None:
    """Lengths that release the GIL, and lengths that run on a worker."""
    x = np.random.default_rng(5).integers(-100, 100, 2**24 + 3).astype(np.int8)
    wide = x.astype(np.int64)
    expected: dict[str, Any] = {"sum": int(wide.sum()), "sum_of_squares": int((wide * wide).sum()),
                                "asum": int(np.abs(wide).sum()), "argmax": int(x.argmax()), "min": int(x.min())}
    with ThreadPoolExecutor(3) as pool:
        found = dict(zip(expected, pool.map(lambda name: getattr(xd, name)(x), expected)))
    assert found == expected
