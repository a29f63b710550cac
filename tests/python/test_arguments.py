"""One rule for an argument wherever it is taken: ddof, integers, axes, names; and sentences that say what to pass."""

from __future__ import annotations

import math
import types
from typing import Any, Callable

import exactdot as xd
import numpy as np
import pytest

X = np.array([1.0, 2.0, 4.0])
KEYS, OFFSETS = [0, 0, 0], [0, 3]


def of_moments(name: str) -> Callable[..., Any]:
    made = xd.Moments()
    made.add(X)
    return lambda **given: getattr(made, name)(**given)


VARIANCES: dict[str, Callable[..., Any]] = {
    "var": lambda **given: xd.var(X, **given), "segment_var": lambda **given: xd.segment_var(X, OFFSETS, **given)[0],
    "group_var": lambda **given: xd.group_var(X, KEYS, **given)[0], "Moments.var": of_moments("var"),
    "round_states": lambda **given: xd.round_states(xd.states("var", X), "var", "f8", **given)}
DEVIATIONS: dict[str, Callable[..., Any]] = {
    "std": lambda **given: xd.std(X, **given), "segment_std": lambda **given: xd.segment_std(X, OFFSETS, **given)[0],
    "group_std": lambda **given: xd.group_std(X, KEYS, **given)[0], "Moments.std": of_moments("std"),
    "round_states": lambda **given: xd.round_states(xd.states("variance", X), "var", "f8", finish="stddev", **given)}


@pytest.mark.parametrize("calls", [VARIANCES, DEVIATIONS])
def test_ddof_has_two_names_everywhere(calls: dict[str, Callable[..., Any]]) -> None:
    first, *others = calls.values()
    for ddof in (0, 1, 1.0, 1.5, np.float32(0.5), 3, None):
        expected = first(ddof=ddof)
        for call in calls.values():
            for found in (call(ddof=ddof), call(correction=ddof)):
                assert found == expected or math.isnan(found) and math.isnan(expected)
    assert first(ddof=1.5) not in (first(ddof=1), first(ddof=2))
    for name, call in calls.items():
        with pytest.raises(ValueError, match=f"^{name}: ddof and correction mean the same; pass one"):
            call(ddof=1, correction=1)
        with pytest.raises(ValueError, match=f"^{name}: correction is -1"):
            call(correction=-1)
        with pytest.raises(TypeError, match=f"^{name}: correction is 1; use a number"):
            call(correction="1")


@pytest.mark.parametrize("width", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_keys_and_offsets_of_any_width_and_byte_order(width: str) -> None:
    for order in "<>":
        keys, offsets = np.array([1, 0, 1], order + width), np.array([0, 1, 3], order + width)
        assert xd.group_sum(X, keys).tolist() == [2.0, 5.0]
        assert xd.group_sum(X, keys[::-1], 3).tolist() == [2.0, 5.0, 0.0]
        assert xd.group_max(np.stack([X, -X], 1), keys).tolist() == [[2.0, -2.0], [4.0, -1.0]]
        assert xd.group_count(keys).tolist() == [1, 2]
        assert xd.segment_sum(X, offsets).tolist() == [1.0, 6.0]
        assert xd.segment_argmax(X, offsets[1:][::-1][::-1]).tolist() == [1]
        assert xd.segment_dot(X, X, np.repeat(offsets, 2)[::2]).tolist() == [1.0, 20.0]
        for words in (xd.group_states("sum", X, keys, 2), xd.segment_states("sum", X, offsets)[::-1]):
            assert xd.round_states(words, "sum", "f8").sum() == 7.0
        assert xd.group_sum([2**70, 1, 2], keys, dtype="f8").tolist() == [1.0, 2.0**70]
        if width[0] == "i":
            keys[1] = -3
            with pytest.raises(ValueError, match="^group_sum: key 1 is -3, and there are 2 groups"):
                xd.group_sum(X, keys)
            offsets[0] = -1
            with pytest.raises(ValueError, match="^segment_sum: offset 0 is -1"):
                xd.segment_sum(X, offsets)
    far = np.array([2**40, 1, 2**40], ">i8")
    with pytest.raises(ValueError, match="the greatest key is 1099511627776"):
        xd.group_sum(X, far)
    with pytest.raises(TypeError, match="^segment_sum: offsets: holds bool; use integers"):
        xd.segment_sum(X, [False, True])


def test_the_second_argument_of_a_norm_is_named() -> None:
    matrix = np.array([[3.0, 4.0], [5.0, 12.0]])
    for name, call in (("norm", xd.norm), ("norm", xd.nrm2), ("vector_norm", xd.linalg.vector_norm)):
        for second in (1, 2, 0, None, "fro"):
            with pytest.raises(TypeError, match=f"^{name}: 2 positional arguments; use one array, x, and name what follows: "
                                                "axis= or ord="):
                call(matrix, second)
        assert call(matrix, axis=1).tolist() == [5.0, 13.0]
    for name, call in (("norm", xd.norm), ("vector_norm", xd.linalg.vector_norm)):
        with pytest.raises(TypeError, match=f"^{name}: unknown argument 'p'; use ord$"):
            call(matrix, p=1)


@pytest.mark.parametrize("name", ["dim", "axes", "axis"])
def test_an_axis_where_there_is_none(name: str) -> None:
    one, x = {name: 0}, np.ones((2, 2))
    cases: list[tuple[Callable[..., Any], tuple[Any, ...], str]] = [
        (xd.matvec, (x, x[0]), "use vecdot, which has axis"), (xd.dot, (X, X), "use vecdot, which has axis"),
        (xd.group_sum, (x, [0, 1]), "keys go along the first axis"), (xd.group_count, ([0],), "keys go along"),
        (xd.segment_sum, (X, OFFSETS), "segments are of vectors"), (xd.list_sum, ([X],), "each array of the list is one"),
        (xd.group_states, ("sum", x, [0, 1], 2), "keys go along the first axis"),
        (xd.segment_states, ("sum", X, OFFSETS), "segments are of vectors")]
    cases += [(xd.states, ("sum", x), "use axis")] if name != "axis" else []
    for call, given, way_out in cases:
        with pytest.raises(TypeError, match=f"^{call.__name__}: unknown argument '{name}'; {way_out}"):
            call(*given, **one)
    with pytest.raises(TypeError, match="^states: unknown argument 'axs'$"):
        xd.states("sum", x, axs=0)  # type: ignore[call-arg]


def test_names_of_other_languages_are_the_same_functions() -> None:
    assert xd.nrm2 is xd.norm and xd.variance is xd.var and xd.stddev is xd.std
    assert {"nrm2", "variance", "stddev"} <= set(xd.__all__)
    for name, own in (("nrm2", "norm"), ("variance", "var"), ("stddev", "std")):
        words = xd.states(name, X)  # type: ignore[arg-type]
        assert np.array_equal(words, xd.states(own, X))  # type: ignore[arg-type]
        assert xd.round_states(words, name, "f8") == getattr(xd, own)(X)  # type: ignore[arg-type]
        assert xd.round_states(xd.states("var", X), "var", "f8", finish=name) == getattr(xd, own)(X)  # type: ignore[arg-type]
    fraction = xd.round_states(xd.states("variance", X), "variance", "f8", ddof=1.5)
    assert fraction == xd.var(X, ddof=1.5)
    assert xd.round_states(xd.states("std", X), "stddev", "f8", ddof=1.5) == xd.std(X, ddof=1.5)
    with pytest.raises(ValueError, match="reduction is max"):
        xd.states("max", X)  # type: ignore[arg-type]


@pytest.mark.parametrize("call, dtype", [
    (lambda **given: xd.sum([2**62, 2**62], **given), "uint64"), (lambda **given: xd.asum([-2**63], **given), "uint64"),
    (lambda **given: xd.sum([2**62] * 4, **given), "float64"), (lambda **given: xd.sum([-2**63, -1], **given), "float64"),
    (lambda **given: xd.sum(np.array([[2**62], [2**62]]), axis=0, **given), "uint64"),
    (lambda **given: xd.group_sum([2**62, 2**62, -1], [0, 0, 1], **given), "float64"),
    (lambda **given: xd.segment_sum([2**62, 2**62], [0, 2], **given), "uint64"),
    (lambda **given: xd.list_sum([np.array([2**62, 2**62])], **given), "uint64"),
    (lambda **given: xd.dot([2**62], [2], **given), "uint64"),
    (lambda **given: xd.sum(iter([2**62, 2**62]), **given), "float64"),
    (lambda **given: xd.sum([2**70, 2**62 - 2**70, 2**62], **({"dtype": "int64"} | given)), "uint64"),
    (lambda **given: xd.sum([2**70, 1], **given), "float64")])
def test_a_sum_that_does_not_fit_says_which_type_takes_it(call: Callable[..., Any], dtype: str) -> None:
    way = "holds" if dtype == "uint64" else "rounds"
    with pytest.raises(OverflowError, match=f'does not fit into .*; use dtype="{dtype}", which {way} it$'):
        call()
    call(dtype=dtype)


def test_a_sum_that_does_not_fit_into_out_or_is_of_an_accumulator() -> None:
    with pytest.raises(OverflowError, match="use out of uint64, which holds it$"):
        xd.sum([2**62, 2**62], out=np.zeros((), "i8"))
    with pytest.raises(OverflowError, match='use dtype="uint64", which holds it$'):
        (xd.Accumulator("int64") + 2**63).round()
    for number in (2**64, -2**63 - 1):
        with pytest.raises(OverflowError, match='use dtype="float64", which rounds it$'):
            (xd.Accumulator("int64") + number).round()


def test_a_list_of_axes_is_a_tuple() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    assert np.array_equal(xd.sum(x, axis=[0, 2]), xd.sum(x, axis=(0, 2))) and xd.sum(x, [0, 1, 2]) == xd.sum(x)
    assert np.array_equal(xd.states("sum", x, axis=[0, 2]), xd.states("sum", x, axis=(0, 2)))
    assert xd.sum([[2**70, 1], [2, 3]], axis=[0, 1], dtype="f8") == 2.0**70
    assert xd.var(x, axis=[0, 2], ddof=1.5).tolist() == xd.var(x, axis=(0, 2), ddof=1.5).tolist()
    for call in (lambda axis: xd.argmax(x, axis=axis), lambda axis: xd.vecdot(x, x, axis=axis)):
        with pytest.raises(TypeError, match="axis is a list; use an integer"):
            call([0])
    with pytest.raises(ValueError, match="axis 1 is named twice"):
        xd.sum(x, axis=[1, -2])


def test_tensors_that_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins for PyTorch's: one without elements, and one that requires a gradient as an item of a list."""
    class Tensor:
        requires_grad, is_cuda, is_cpu, device = False, False, False, "meta"

        def is_neg(self) -> bool:
            return False

        def __dlpack_device__(self) -> Any:
            raise ValueError("Unknown device type meta for Dlpack")

        def __array__(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")

    torch = types.ModuleType("torch")
    torch.Tensor = Tensor  # type: ignore[attr-defined]
    monkeypatch.setitem(__import__("sys").modules, "torch", torch)
    if pytest.importorskip("torch") is torch:
        with pytest.raises(TypeError, match="^sum: x: is on PyTorch's device meta, which is neither a CPU nor CUDA; "):
            xd.sum(Tensor())
    item = Tensor()
    item.requires_grad = True
    for given in ([item, item], [item, 1.0]):
        with pytest.raises(TypeError, match=r"^sum: x: element 0 requires a gradient, .*; pass its detach\(\)"):
            xd.sum(given)
