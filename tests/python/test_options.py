"""Arguments beside the arrays: booleans, axes by position, names of other libraries, out=..., dtypes that messages advise.
Also the results of booleans, and arrays of no dimension."""

from __future__ import annotations

import re
from typing import Any

import exactdot as xd
import numpy as np
import pytest

from dlpack_capsules import on_gpu
from element_types import EXTREMA, FLOATS, INTEGERS, MEANS, OF_ML_DTYPES, SUMS, dtype_of

X = np.array([[1.0, 2.0], [3.0, 5.0]])


def booleans() -> list[Any]:
    made: list[Any] = [np.ones((2, 3), bool), [[True] * 3] * 2, memoryview(np.ones((2, 3), bool))]
    try:
        import torch
        made.append(torch.ones(2, 3, dtype=torch.bool))
    except ImportError:
        pass
    return made


@pytest.mark.parametrize("x", booleans(), ids=lambda x: type(x).__name__)
def test_sums_of_booleans_are_int64(x: Any) -> None:
    row = x[0] if not isinstance(x, memoryview) else np.asarray(x)[0]
    arrays = [xd.sum(x, axis=1), xd.asum(x, axis=1), xd.sum_of_squares(x, axis=1), xd.vecdot(x, x), xd.matvec(x, row),
              xd.segment_sum(row, [0, 3]), xd.segment_asum(row, [0, 3]), xd.segment_dot(row, row, [0, 3]),
              xd.group_sum(row, [0, 0, 0]), xd.group_asum(row, [0] * 3), xd.group_dot(row, row, [0] * 3)]
    for found in map(np.asarray, arrays):
        assert found.dtype == np.int64 and ((found - 4) == -1).all()
    assert np.asarray(xd.mean(x, axis=1)).dtype == np.float64
    assert type(xd.dot(row, row)) is int


def test_booleans_beside_integers_take_their_type() -> None:
    flags = np.array([[True, False]])
    for name in INTEGERS:
        for found in (xd.vecdot(flags, np.ones((1, 2), name)), xd.vecdot(np.ones((1, 2), name), flags)):
            assert found.dtype == ("uint64" if name.startswith("u") else "int64")


@pytest.mark.parametrize("name", [*SUMS, *MEANS, *EXTREMA])
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, "bool"])
def test_keepdims_and_an_ellipsis_as_out_give_arrays(name: str, dtype: str) -> None:
    call = getattr(xd, name)
    array = np.array(3 if dtype != "bool" else 1).astype("bool" if dtype == "bool" else dtype_of(dtype))
    for x, found in ((array, call(array, keepdims=True)), (array, call(array, out=...)),
                     (array[None], call(array[None], out=...)), (array[None, None], call(array[None, None], out=...))):
        assert isinstance(found, np.ndarray) and found.shape == ()
        assert found.tolist() == call(x)
    assert call(array[None], axis=0, out=...).shape == ()
    assert call(array[None], keepdims=True, out=...).shape == (1,)


def test_an_ellipsis_as_out_of_two_vectors() -> None:
    for found in (xd.dot(X[0], X[1], out=...), xd.vecdot(X[0], X[1], out=...), xd.matvec(X, X[0], out=...)[1]):
        assert isinstance(found, (np.ndarray, np.float64)) and found == 13.0
    assert xd.dot([1, 2], [3, 4], out=..., dtype="float32").dtype == "float32"
    assert xd.group_sum([1.0], [0], out=...).tolist() == xd.segment_sum([1.0], [0, 1], out=...).tolist() == [1.0]
    with pytest.raises(ValueError, match="^dot: the vectors differ in length: 2 and 1"):
        xd.dot([1, 2], [3], out=...)
    with pytest.raises(ValueError, match="^norm: out=... is not for lists of arrays"):
        xd.norm([X, X], out=...)
    torch = pytest.importorskip("torch")
    found = xd.dot(torch.ones(3), torch.ones(3), out=...)
    assert isinstance(found, torch.Tensor) and found.shape == () and found == 3


@pytest.mark.parametrize("wrong", ["false", 0, 1, None, 1.0, np.ones(2, bool), "True"])
def test_booleans_are_true_or_false(wrong: Any) -> None:
    for call in (lambda: xd.sum(X, axis=0, keepdims=wrong), lambda: xd.vecdot(X, X, keepdims=wrong)):
        with pytest.raises(TypeError, match="^(sum|vecdot): keepdims is .*; use True or False"):
            call()
    with pytest.raises(TypeError, match="^sum: negative_zero is .*; use True or False"):
        xd.sum(X[0], negative_zero=wrong)
    with pytest.raises(TypeError, match="^group_sum: skip_out_of_range is .*; use True or False"):
        xd.group_sum(X[0], [0, 1], skip_out_of_range=wrong)


def test_booleans_of_numpy() -> None:
    assert xd.sum(X, axis=0, keepdims=np.bool_(True)).shape == (1, 2)
    assert xd.sum(X, axis=0, keepdims=np.bool_(False)).shape == (2,)


def test_an_axis_by_position() -> None:
    for name in [*SUMS, *MEANS, *EXTREMA]:
        call = getattr(xd, name)
        if name == "norm":  # whose second argument is the order elsewhere
            continue
        assert call(X, 0).tolist() == call(X, axis=0).tolist()
        with pytest.raises(TypeError, match=f"^{name}: argument 'axis' twice"):
            call(X, 0, axis=0)
        with pytest.raises(TypeError, match=f"^{name}: 3 positional arguments; use one array, x, an axis, and keyword"):
            call(X, 0, None)
    with pytest.raises(TypeError, match="^dot: 3 positional arguments; use two arrays"):
        xd.dot(X[0], X[0], 0)


@pytest.mark.parametrize("foreign, own", [("dim", "axis"), ("dims", "axis"), ("keepdim", "keepdims")])
def test_names_of_other_libraries(foreign: str, own: str) -> None:
    with pytest.raises(TypeError, match=f"^sum: unknown argument '{foreign}'; use {own}$"):
        xd.sum(X, **{foreign: 0})
    way_out = "" if own == "keepdims" else "; use vecdot, which has axis"
    with pytest.raises(TypeError, match=f"^dot: unknown argument '{foreign}'{way_out}$"):
        xd.dot(X[0], X[0], **{foreign: 0})
    with pytest.raises(TypeError, match="^var: unknown argument 'unbiased'; use correction$"):
        xd.var(X, unbiased=False)


@pytest.mark.parametrize("x", [[1, 2], [1.0, 2.0], np.ones(2, bool)], ids=["integers", "floats", "booleans"])
@pytest.mark.parametrize("name", [*SUMS, *MEANS])
def test_the_dtypes_that_a_message_advises_are_accepted(name: str, x: Any) -> None:
    call = getattr(xd, name)
    for wrong in (bool, "complex64", "O"):
        for arguments in ({}, {"axis": 0}):
            with pytest.raises(ValueError, match=f"^{name}: dtype is ") as caught:
                call(x, dtype=wrong, **arguments)
            advised = re.split(", | or ", str(caught.value).partition("; use ")[2])
            assert len(advised) >= 4
            for dtype in advised:
                if dtype not in OF_ML_DTYPES:
                    call(x, dtype=dtype)


def test_spellings_are_told_apart_after_each_other() -> None:
    """Dtypes that were passed before are remembered."""
    x = np.array([1 + 2.0**-30])
    for _ in range(3):
        for spelling, exact in (("f4", False), ("f8", True), (np.float32, False), (float, True), (np.dtype("f4"), False),
                                ("<f8", True), ("float32", False), (np.float64, True)):
            assert (xd.sum(x, dtype=spelling) == x[0]) == exact
        for i in range(40):
            assert xd.sum(x, dtype="".join(["f", "84"[i % 2]])) == (x[0], 1.0)[i % 2]
            with pytest.raises(ValueError, match="^sum: dtype is"):
                xd.sum(x, dtype=f"f{i + 100}")


def test_a_tensor_that_requires_a_gradient() -> None:
    torch = pytest.importorskip("torch")
    for x in (torch.ones(3, requires_grad=True), torch.nn.Parameter(torch.ones(3))):
        for call in (xd.sum, xd.Accumulator("float32").add):
            with pytest.raises(TypeError, match="requires a gradient, which this package does not compute; pass its detach"):
                call(x)
        with pytest.raises(TypeError, match="^sum: out: requires a gradient"):
            xd.sum(np.ones(3, "f4"), axis=0, out=x[0])
        assert xd.sum(x.detach()) == 3.0


def test_an_array_that_refuses_to_export_its_memory() -> None:
    class Refuses:
        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

        def __dlpack__(self, **arguments: Any) -> object:
            raise BufferError("not now")

    with pytest.raises(TypeError, match="^sum: x: does not export its memory: not now"):
        xd.sum(Refuses())


def test_a_list_and_an_array_in_gpu_memory() -> None:
    with pytest.raises(ValueError, match="a is in host memory, b in GPU memory"):
        xd.dot([10**30, 1], on_gpu(X[0]))
