"""Lists of arrays in host memory: a result for each, or one for all elements together, against the call on one array."""

from __future__ import annotations

import itertools
import math
from typing import Any

import exactdot as xd
import numpy as np
import pytest
from element_types import FLOATS, dtype_of

NAMES = ["sum", "asum", "sum_of_squares", "norm"]
COMPARED = [name for name in FLOATS if name != "float8_e4m3fn"]  # whose sums overflow to NaN, which equals nothing


def arrays(dtype: str) -> list[Any]:
    rng = np.random.default_rng(7)
    shapes = ((3, 4), (5,), (), (0, 2), (2, 3, 4), (70, 90), (7,), (4096,))
    x = [rng.integers(0, 100, shape).astype(dtype_of(dtype)) for shape in shapes]
    for skew in range(1, 16):  # bytes
        memory = np.zeros(16 + 33 * x[0].dtype.itemsize, np.uint8)
        odd = memory[skew : skew + 33 * x[0].dtype.itemsize].view(x[0].dtype)
        odd[:] = rng.integers(0, 100, 33).astype(x[0].dtype)
        x.append(odd)
    return [*x, x[0].T, x[4][::-1, ::2, 1:3], np.asfortranarray(x[5])[:, ::-1], x[1][:0], np.broadcast_to(x[1], (3, 5))]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [*COMPARED, "int16", "int32", "uint64"])
def test_lists_have_the_bits_of_arrays(dtype: str, name: str) -> None:
    x = arrays(dtype)
    one, each = getattr(xd, name), getattr(xd, "list_" + name)
    found = each(x)
    assert str(found.tolist()) == str([one(a) for a in x])  # of narrow types NaN, too
    assert found.dtype == np.asarray(one(x[0], out=...)).dtype
    assert str(each(iter(x)).tolist()) == str(each(tuple(x), threads=2).tolist()) == str(found.tolist())
    flat = np.concatenate([a.reshape(-1) for a in x])
    assert str(each(x, joined=True)) == str(each(x[::-1], joined=True, threads=2)) == str(one(flat))
    out = np.zeros(2 * len(x), "f4")[::2]
    assert each(x, out=out) is out and out.tolist() == [one(a, dtype="f4") for a in x]
    scalar = np.zeros((), "f8")
    assert each(x, joined=True, out=scalar) is scalar and scalar == one(flat, dtype="f8")


def test_sums_over_a_list_are_rounded_once() -> None:
    cancelling = [np.array([1e300, 1.0]), np.array([[-1e300], [5e-324]]), np.array(2.0**-60)]
    assert xd.list_sum(cancelling, joined=True) == math.fsum(itertools.chain(*(a.reshape(-1) for a in cancelling)))
    assert xd.list_sum(cancelling).tolist() == [1e300, -1e300, 2.0**-60]
    assert xd.list_norm([np.array([3e-320, 4e-320]), np.array([12e-320])], joined=True) == 13e-320
    assert math.isnan(xd.list_sum([np.array([math.inf]), np.array([-math.inf])], joined=True))
    assert xd.list_norm([np.array([math.inf]), np.array([1.0])]).tolist() == [math.inf, 1.0]


def test_types_of_lists() -> None:
    half, single = np.full(3, 1e-3, "f2"), np.full((2, 2), 1e-3, "f4")
    assert xd.list_sum([half, single]).dtype == np.float32
    assert xd.list_sum([half, single]).tolist() == [xd.sum(half, dtype="f4"), xd.sum(single)]
    assert xd.list_sum([half, half]).dtype == np.float16 and xd.list_norm([half], dtype="f8").dtype == np.float64
    flags = np.array([True, True, False])
    assert xd.list_sum([flags, flags]).dtype == np.int64 and xd.list_sum([flags, flags], joined=True) == 4
    assert xd.list_sum([np.ones(3, "u1"), np.ones(2, "u4")]).dtype == np.uint64
    assert xd.list_sum([[1.0, 2], [3.5]]).tolist() == [3, 3.5]  # lists of numbers are arrays
    assert xd.list_sum([]).tolist() == [] and xd.list_norm([], joined=True) == 0


@pytest.mark.parametrize("name", ["list_sum", "list_norm"])
def test_errors_of_lists(name: str) -> None:
    call, single = getattr(xd, name), np.ones(2, "f4")
    for x, kind, why in (([single, np.ones(2)], TypeError, r"x\[1\] holds float64, x\[0\] float32, which one exact sum"),
                         ([single, np.ones(2, complex)], TypeError, r"x\[1\]: elements are of dtype complex128"),
                         ([single, None], TypeError, r"x\[1\]: is not a vector"),
                         (np.ones((2, 2)), TypeError, "x is one array; pass a list of arrays")):
        with pytest.raises(kind, match=f"^{name}: {why}"):
            call(x)
    with pytest.raises(ValueError, match=f"^{name}: stream is for vectors in GPU memory"):
        call([single], stream=1)
    with pytest.raises(ValueError, match="out"):
        call([single, single], out=np.zeros(3))
    with pytest.raises(TypeError, match=f"^{name}: joined"):
        call([single], joined=1)
    with pytest.raises(TypeError, match=f"^{name}: unknown argument 'axis'"):
        call([single], axis=0)
    with pytest.raises(OverflowError, match="^list_sum: "):
        xd.list_sum([np.array([2**62, 2**62, 2**62])])
    with pytest.raises(OverflowError, match="^list_sum: "):
        xd.list_sum([np.array([2**62, 2**62]), np.array([2**62])], joined=True)
