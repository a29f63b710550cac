"""The arguments of the functions: vectors, types, `out`, signatures; and the messages for wrong ones."""

from __future__ import annotations

import inspect
import pickle
from fractions import Fraction
from typing import Any, Callable

import exactdot as xd
import numpy as np
import pytest

from dlpack_capsules import on_gpu
from element_types import EXTREMA, FLOATS, MEANS, SUMS, dtype_of, same
from reference import bits, rounded


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
                           ("double", "float64"), ("single", "float32"), (np.float16, "float16"),
                           ("bfloat16", "bfloat16"), (TorchType(), "float64"), ("e", "float16"),
                           (np.array([1.0], "f4").dtype, "float32")):
        assert same(xd.mean(third, dtype=spelling), rounded(Fraction(1, 3), name)), spelling
        assert xd.Accumulator(spelling).dtype == xd.Moments(spelling).dtype == name
    assert same(xd.mean(third, dtype=dtype_of("bfloat16")), rounded(Fraction(1, 3), "bfloat16"))
    assert same(xd.mean(third, dtype=dtype_of("bfloat16").type), rounded(Fraction(1, 3), "bfloat16"))
    for spelling in (int, "i8", "int64", np.int64, "uint64", "u8", np.uint64):
        assert same(xd.sum([1, 2], dtype=spelling), 3), spelling
    for spelling in ("complex64", "O", "U3", bool, "f16", 3, [], "M8[s]", "quad", type(None)):
        with pytest.raises(ValueError, match="^sum: dtype is .*; use int8, .*, uint64, float16, bfloat16, float32, float64, float8_e4m3fn or float8_e5m2$"):
            xd.sum([1], dtype=spelling)
    for spelling in (None, "c8"):
        with pytest.raises(ValueError, match="^Accumulator: dtype is"):
            xd.Accumulator(spelling)


def test_out() -> None:
    x = np.array([1, 2, 4], "i2")
    for dtype in FLOATS + ["int64", "uint64", "int8", "uint32"]:
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


def test_signatures() -> None:
    common = "threads=0, device='auto', out=None, stream=None"
    filters, first = "where=None, skip_nan=False", ", initial=None"
    unfiltered = f"mode='exact', dtype=None, {common}"
    rounds = f"{unfiltered}, {filters}"
    axes = "axis=None, keepdims=False"
    expected = {"dot": f"(a, b, *, {rounds})", "sum": f"(x, axis=None, *, keepdims=False, {unfiltered}, negative_zero=False, {filters})", "info": "()",
                "use_instruction_set": "(name)", "vecdot": f"(a, b, *, {axes}, {rounds})",
                "matvec": f"(a, b, *, {unfiltered})",
                **{name: f"(x, axis=None, *, keepdims=False, {rounds})" for name in (*SUMS[1:], "mean")},
                "norm": f"(x, *, {axes}, {rounds})",
                **{name: f"(x, axis=None, *, keepdims=False, ddof=0, correction=None, mean=None, {rounds})" for name in ("var", "std")},
                **{name: f"(x, axis=None, *, keepdims=False, {common}, {filters}{'' if 'arg' in name else first})" for name in EXTREMA}}
    expected |= {f"segment_{name}": signature.replace("(x", "(x, offsets").replace("(a, b", "(a, b, offsets")
                 .replace("axis=None, ", "").replace("keepdims=False, ", "").replace(", negative_zero=False", "")
                 for name, signature in expected.items() if "=" in signature and name not in ("vecdot", "matvec")}
    expected |= {name.replace("segment", "group"): signature.replace("offsets", "keys, groups=None")
                 .replace("mode='exact', ", "").replace("stream=None", "stream=None, skip_out_of_range=False")
                 for name, signature in expected.items() if name.startswith("segment_") and "_arg" not in name}
    expected |= {f"group_{name}": expected[f"group_{name}"].replace("out=None, ", "out=None, add_to=None, ") for name in ("dot", *SUMS)}
    expected |= {f"list_{name}": f"(x, *, joined=False, {unfiltered})".replace("mode='exact', ", "") for name in (*SUMS, "norm")}
    expected["norm"] = expected["norm"].replace("keepdims=False, ", "keepdims=False, ord=2, ")
    for prefix in ("", "segment_", "group_"):
        expected[f"{prefix}minmax"] = expected[f"{prefix}max"].replace("out=None, ", "")
    expected["iamax"] = expected["argmax"].replace("out=None, ", "")
    expected["rms_norm"] = f"(x, weight=None, *, epsilon=None, {common})"
    expected["layer_norm"] = f"(x, weight=None, bias=None, *, epsilon=1e-05, {common})"
    for prefix, after, axis, last in (("", "", f"{axes}, ", ""), ("segment_", ", offsets", "", ""),
                                      ("group_", ", keys, groups=None", "", ", skip_out_of_range=False")):
        last += f", {filters}"
        for name in ("weighted_mean", "weighted_var", "weighted_std", "cosine", "distance", "cov", "corr", "slope", "intercept"):
            ddof = f"ddof={int(name == 'cov')}, correction=None, " if name in ("cov", "weighted_var", "weighted_std") else ""
            is_matrix = axis and name in ("cov", "corr")
            inputs = "x, weights" if "weighted" in name else "x, y=None" if is_matrix else "x, y"
            expected[prefix + name] = f"({inputs}{after}, *, {axis}{ddof}dtype=None, {common}{last}{', rowvar=True' if is_matrix else ''})"
        inputs = "x, axis=None, *, keepdims=False, " if axis else f"x{after}, *, "
        expected[f"{prefix}standard_error"] = f"({inputs}ddof=1, correction=None, dtype=None, {common}{last})"
    expected["check"], expected["vdot"] = "(x, *, stream=None)", expected["dot"]
    expected["group_count"] = expected["group_max"].replace("x, ", "").replace(f", {filters}{first}", "")
    functions = {name for name in xd.__all__ if inspect.isbuiltin(getattr(xd, name))} - {"nrm2", "variance", "stddev"}
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
        (([1], [2]), {}, ValueError, "^sum: axis is 2, the array has 1 dimension"),
        (([1], {2}), {}, TypeError, r"^sum: axis is \{2\}; use an integer"),
        (([1], 0, None), {}, TypeError, "^sum: 3 positional arguments"),
        (([1],), {"ddof": 1}, TypeError, "^sum: unknown argument 'ddof'"),
        (([1],), {"x": [1]}, TypeError, "^sum: argument 'x' twice"),
        (([1],), {"threads": 1.5}, TypeError, "^sum: threads is 1.5; use an integer"),
        (([1],), {"threads": 2**70}, ValueError, "^sum: threads is .*, beyond 64 bits"),
        (([1],), {"threads": -1}, ValueError, "^sum: threads is -1"),
        (([1],), {"mode": "quick"}, ValueError, "^sum: mode is quick"),
        (([1],), {"device": "tpu"}, ValueError, "^sum: device is tpu"),
        (([1],), {"stream": 5}, ValueError, "^sum: stream is for vectors in GPU memory"),
        (([1],), {"negative_zero": np.ones(2)}, TypeError, r"^sum: negative_zero is \[1. 1.\]; use True or False"),
        (("abc",), {}, TypeError, "^sum: x: is not a vector; it is str 'abc' .x is str, length 3"),
        (([1j],), {}, TypeError, "^sum: x: element 0 is complex 1j; lists hold real numbers"),
        ((np.array([1], "m8[s]"),), {}, TypeError, "^sum: x: elements are of dtype timedelta64.*not float32, .* or float8_e5m2"),
        ((np.ma.masked_array([1.0], [1]),), {}, TypeError, "^sum: x: is a masked array"),
        (([2**64],), {}, OverflowError, "^sum: the result does not fit into int64 or uint64"),
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
