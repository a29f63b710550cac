"""Complex elements in GPU memory have the results of those in host memory, as arrays of their library."""

from __future__ import annotations

from typing import Any

import gpu
import numpy as np
import pytest

import exactdot as xd

pytestmark = pytest.mark.skipif(not xd.info()["cuda"]["devices"], reason="no GPU")

FRAMEWORKS = ("torch", "cupy", "jax")


def numbers(shape: tuple[int, ...], dtype: str, seed: int) -> Any:
    random = np.random.default_rng(seed)
    found = np.empty(shape, dtype)
    found.real, found.imag = (random.standard_normal(shape) * 2.0 ** random.integers(-20, 20, shape) for _ in range(2))
    flat = found.reshape(-1)
    flat[1::3] = -flat[0::3][:flat[1::3].size]
    return found


def to_host(x: Any) -> Any:
    x = x.cpu() if hasattr(x, "cpu") else x.get() if hasattr(x, "get") else x
    return np.asarray(x)


def same(found: Any, expected: Any) -> bool:
    found, expected = to_host(found), np.asarray(expected)
    return found.shape == expected.shape and found.dtype == expected.dtype and found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", ("complex64", "complex128"))
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_complex_elements(framework: str, dtype: str) -> None:
    to = gpu.converter(framework)
    x, y = numbers((6, 5, 70), dtype, 1), numbers((6, 5, 70), dtype, 2)
    a, b = to(x), to(y)
    for name in ("sum", "mean", "norm", "asum", "sum_of_squares"):
        call = getattr(xd, name)
        for axis in (0, 1, -1, (0, 2)):
            assert same(call(a, axis=axis), call(x, axis=axis)), (name, axis)
            assert same(call(a, axis=axis, keepdims=True), call(x, axis=axis, keepdims=True)), (name, axis)
        assert call(a) == call(x) and type(call(a[0, 0])) is type(call(x[0, 0]))
    for axis in (0, -1):
        assert same(xd.vecdot(a, b, axis=axis), xd.vecdot(x, y, axis=axis))
    assert same(xd.vecdot(a, b, axis=1, keepdims=True), xd.vecdot(x, y, axis=1, keepdims=True))
    assert same(xd.matvec(a[0], b[0, 0]), xd.matvec(x[0], y[0, 0]))
    assert same(xd.vecdot(a, b.real), xd.vecdot(x, y.real.copy())) and same(xd.vecdot(a.real, b), xd.vecdot(x.real.copy(), y))
    assert xd.dot(a[0, 0], b[0, 0]) == xd.dot(x[0, 0], y[0, 0]) and xd.vdot(a, b) == xd.vdot(x, y)
    assert xd.vdot(a, a).imag == 0
    v, w = x.reshape(-1)[:300], y.reshape(-1)[:300]
    offsets, keys = np.array([0, 3, 3, 250, 300], "i4"), (np.arange(300) ** 2 % 7).astype("i2")
    vector, other = to(v), to(w)
    for name in ("sum", "mean", "norm", "asum"):
        assert same(getattr(xd, f"segment_{name}")(vector, to(offsets)), getattr(xd, f"segment_{name}")(v, offsets)), name
        assert same(getattr(xd, f"group_{name}")(vector, to(keys), 7), getattr(xd, f"group_{name}")(v, keys, 7)), name
    assert same(xd.segment_dot(vector, other, to(offsets)), xd.segment_dot(v, w, offsets))
    assert same(xd.group_dot(vector, other, to(keys), 7), xd.group_dot(v, w, keys, 7))
    few = np.array([6, 0, 6, 2, 2, 2], "i4")
    for name in ("sum", "mean", "norm", "asum"):
        assert same(getattr(xd, f"group_{name}")(a, to(few), 7), getattr(xd, f"group_{name}")(x, few, 7)), name
    assert same(xd.group_dot(a, b, to(few), 7), xd.group_dot(x, y, few, 7))
    assert same(xd.group_dot(a[:, 0], other[:6], to(few), 7), xd.group_dot(x[:, 0], w[:6], few, 7))


@pytest.mark.parametrize("framework", ("torch", "cupy"))
def test_types_and_places_of_results(framework: str) -> None:
    to = gpu.converter(framework)
    x = numbers((4, 30), "complex64", 3)
    a, out = to(x), to(np.zeros(4, "complex128"))
    assert xd.sum(a, axis=1, out=out) is out and same(out, xd.sum(x, axis=1, dtype="complex128"))
    assert same(xd.vecdot(a, a, dtype="complex128"), xd.vecdot(x, x, dtype="complex128"))
    real = to(np.zeros((4, 1), "float32"))
    assert xd.norm(a, axis=1, keepdims=True, out=real) is real and same(real, xd.norm(x, axis=1, keepdims=True))
    keys, weights, table, norms = np.array([0, 1, 0, 3]), np.array([1, 2, 3, 4], "f4"), numbers((5, 30), "complex64", 4), np.ones((5, 30), "f4")
    on_gpu, of_norms = to(table), to(norms)
    assert xd.group_sum(a, to(keys), add_to=on_gpu) is on_gpu and same(on_gpu, xd.group_sum(x, keys, add_to=table))
    assert xd.group_dot(a, a, to(keys), add_to=on_gpu) is on_gpu and same(on_gpu, xd.group_dot(x, x, keys, add_to=table))
    assert same(xd.group_dot(a, to(weights), to(keys), add_to=on_gpu), xd.group_dot(x, weights, keys, add_to=table))
    assert xd.group_asum(a, to(keys), add_to=of_norms) is of_norms and same(of_norms, xd.group_asum(x, keys, add_to=norms))
    with pytest.raises(ValueError, match="results of float64 are not added to by sums of float32"):
        xd.group_sum(a, to(keys), add_to=to(table.astype("complex128")))
    if framework == "torch":
        assert same(xd.sum(a.conj(), axis=1), xd.sum(x.conj(), axis=1))


def test_refusals() -> None:
    cupy = pytest.importorskip("cupy")
    x = cupy.ones((3, 4), complex)
    for call, kind, why in ((lambda: xd.sum(x, axis=2), ValueError, "axis 2 is out of range"),
                            (lambda: xd.sum(x, axis=0, out=cupy.ones(4)), TypeError, "use an array of complex64"),
                            (lambda: xd.sum(x, axis=0, out=cupy.ones(3, complex)), ValueError, "out has shape"),
                            (lambda: xd.sum(x, dtype="float32"), ValueError, "use complex64 or complex128"),
                            (lambda: xd.var(x), TypeError, "complex"),
                            (lambda: xd.sum(gpu.CudaArrayInterface(x)), TypeError, "not float32|complex elements in GPU memory"),
                            (lambda: xd.dot(x[0], x[0, :3]), ValueError, "4 and 3"),
                            (lambda: xd.group_norm(x[0], cupy.zeros(3, int), 2), ValueError, "4 and 3"),
                            (lambda: xd.group_norm(x[0], [0, 0, 1, 1], 2), (TypeError, ValueError), "keys"),
                            (lambda: (xd.segment_norm(x[0], cupy.asarray([0, 5])), xd.check(x.real)), ValueError, "segment 0"),
                            (lambda: xd.sum(x, axis=0, where=cupy.ones((3, 4), bool)), (TypeError, ValueError), "where")):
        with pytest.raises(kind, match=why):
            call()
