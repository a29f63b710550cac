"""Results have the bits of the oracle, which sums fractions: every element type, dims and layouts; gradients that are sums too."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
pytest.importorskip("torch")  # before what imports it
import exactdot as xd
import exactdot.torch as xt
import torch
from torch import Tensor

from reference import exact_dot, exact_reduction, rounded

FLOATS = ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
REDUCTIONS = {"sum": xt.sum, "mean": xt.mean, "var": lambda x, d, k, **o: xt.var(x, d, correction=1, keepdim=k, **o),
              "std": lambda x, d, k, **o: xt.std(x, d, correction=0, keepdim=k, **o),
              "norm": lambda x, d, k, **o: xt.vector_norm(x, 2, d, k, **o),
              "asum": lambda x, d, k, **o: xt.vector_norm(x, 1, d, k, **o), "max": xt.amax, "min": xt.amin}
DIMS: list[Any] = [None, 0, 1, -1, (0, 2), (2, 1), (0, 1, 2)]


def samples(name: str, *shape: int) -> Tensor:
    """Numbers of many sizes, half of which cancel the others but for one."""
    if name == "bool":
        return torch.randint(0, 2, shape).bool()
    if name in INTEGERS:
        return torch.randint(0 if name[0] == "u" else -100, 100, shape).to(getattr(torch, name))
    reach = 4 if name.startswith("float8") else 10
    x = torch.randn(shape, dtype=torch.float64) * 2.0 ** torch.randint(-reach, reach, shape)
    flat = x.view(-1)
    half = len(flat) // 2
    flat[half:2 * half] = -flat[:half].flip(0)
    if half:
        flat[0] *= 1 + 2**-5
    return x.to(getattr(torch, name))


def numbers(x: Tensor) -> list[Any]:
    return x.flatten().tolist() if x.dtype in (torch.uint64, torch.int64) else x.to(torch.float64).flatten().tolist()


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def pattern(x: Tensor) -> list[Any]:
    """The values; NaN as text, and zeros with their sign."""
    return ["nan" if isinstance(v, float) and math.isnan(v) else (v, math.copysign(1, v)) for v in numbers(x)]


def expected(name: str, x: Tensor, dims: Any, keepdim: bool, dtype: torch.dtype, ddof: int) -> Tensor:
    every = range(x.ndim)
    reduced = sorted({d % x.ndim for d in (every if dims is None else [dims] if isinstance(dims, int) else dims)})
    kept = [d for d in every if d not in reduced]
    rows = x.permute(*kept, *reduced).reshape(*[x.shape[d] for d in kept], -1)
    of = {"max": "max", "min": "min"}.get(name, name)
    values = [exact_reduction(of, numbers(row), name_of(dtype), ddof) for row in rows.reshape(-1, rows.shape[-1])]
    shape = [1 if d in reduced else x.shape[d] for d in every if keepdim or d not in reduced]
    if dtype in (torch.int64, torch.uint64):
        return torch.tensor([int(v) for v in values], dtype=dtype).reshape(shape)
    return torch.tensor(values, dtype=torch.float64).to(dtype).reshape(shape)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("element", FLOATS + INTEGERS)
def test_reductions(name: str, element: str) -> None:
    x = samples(element, 3, 4, 5)
    if name in ("max", "min"):
        options: list[dict[str, Any]] = [{}]
    elif element in FLOATS:
        options = [{}, {"dtype": torch.float64}, {"dtype": torch.bfloat16}]
    else:
        options = [{"dtype": torch.float32}] + ([{}, {"dtype": torch.int64}] if name == "sum" else [])
    ddof = {"var": 1}.get(name, 0)
    for dims, keepdim, more in product(DIMS, (False, True), options):
        found = REDUCTIONS[name](x, dims, keepdim, **more)
        default = x.dtype if element in FLOATS or name in ("max", "min") else \
            torch.uint64 if element == "uint64" else torch.int64
        dtype = more.get("dtype", default)
        wanted = expected(name, x, dims, keepdim, dtype, ddof)
        assert found.dtype is dtype and found.shape == wanted.shape
        assert pattern(found) == pattern(wanted), (dims, keepdim, more)


@pytest.mark.parametrize("element", FLOATS + INTEGERS)
def test_what_python_computes_of_tensors(element: str) -> None:
    """By functions of exactdot: of types that NumPy lacks, too."""
    x = samples(element, 3, 4, 5)
    wide = x.to(torch.float64)
    for dim in (0, 1, 2):
        found = xd.iamax(x, axis=dim)
        assert isinstance(found, Tensor) and found.dtype is torch.int64 and torch.equal(found, wide.abs().argmax(dim))
        for order in (0, math.inf, -math.inf):
            norms = xd.norm(x, ord=order, axis=dim, dtype="float64")
            assert isinstance(norms, Tensor) and torch.equal(norms, torch.linalg.vector_norm(wide, order, dim))
            if element in FLOATS:
                assert pattern(xd.norm(x, ord=order, axis=dim)) == pattern(norms.to(x.dtype))
    assert xd.norm(x, ord=math.inf, dtype="float64") == float(wide.abs().max()) and xd.iamax(x.flatten()) == int(wide.abs().flatten().argmax())
    assert xd.var(x, ddof=0.5, skip_nan=True, dtype="float64") == xd.var(wide, ddof=0.5)


@pytest.mark.parametrize("element", FLOATS)
def test_layouts_and_special_values(element: str) -> None:
    x = samples(element, 6, 8)
    layouts = [x.t().contiguous().t(), torch.cat([x, x], 1)[:, :8], x.repeat_interleave(2, 1)[:, ::2], x.flip(0).flip(0),
               x.unsqueeze(1).expand(6, 3, 8)[:, 1]]
    for name, function in REDUCTIONS.items():
        for each in layouts:
            assert pattern(function(each, 1, False)) == pattern(function(x, 1, False)), name
    for special in ([math.inf, 1.0], [math.inf, -math.inf], [math.nan, 1.0], [-0.0, 0.0], [-0.0, -0.0]):
        y = torch.tensor([special], dtype=torch.float64).to(x.dtype)
        for name in ("sum", "mean", "norm", "max", "min"):
            assert pattern(REDUCTIONS[name](y, 1, False)) == pattern(expected(name, y, 1, False, y.dtype, 0)), (name, special)
    imaginary = torch.randn(4, dtype=torch.complex64).conj().imag  # a view that is not yet negated
    assert imaginary.is_neg() and torch.equal(xt.sum(imaginary, dtype=torch.float64), xt.sum(imaginary.clone(), dtype=torch.float64))


@pytest.mark.parametrize("element", FLOATS)
def test_corrections_with_a_fraction(element: str) -> None:
    x = samples(element, 3, 9)
    for correction in (0.5, 1.25):
        for dtype in (torch.float64, torch.float32, x.dtype):
            found = xt.var(x, 1, correction=correction, dtype=dtype)
            rows = [[Fraction(v) for v in numbers(row)] for row in x]
            wanted = [rounded((9 * sum(v * v for v in row) - sum(row) ** 2) / (9 * (9 - Fraction(correction))), name_of(dtype)) for row in rows]
            assert found.double().tolist() == wanted
    assert xt.std(x, correction=0.5).dtype is x.dtype


def test_maxima_of_magnitudes() -> None:
    for element, least in ((torch.int8, -128), (torch.int64, -2**63), (torch.bool, 1), (torch.uint16, 3)):
        x = torch.tensor([least, 1], dtype=element)
        assert xt.vector_norm(x, math.inf, dtype=torch.float32).item() == abs(least) and xt.vector_norm(x, -math.inf, dtype=torch.float32).item() == 1
    x = torch.tensor([1 + 2.0 ** -11 + 2.0 ** -30], dtype=torch.float64)
    assert xt.vector_norm(x, math.inf, dtype=torch.float16).item() == 1 + 2.0 ** -10


def test_default_epsilon_and_gradients_of_rms_norm_beyond_float32() -> None:
    x = torch.tensor([[2.0 ** -9, -2.0 ** -9]])
    for element in (torch.float16, torch.bfloat16, torch.float32):
        assert torch.equal(xt.rms_norm(x.to(element), 2), xt.rms_norm(x.to(element), 2, eps=2.0 ** -23))
    for scale in (2e19, 1e-30):  # the sum of squares is beyond float32
        rows = (torch.tensor([1.0, 0.5, 1.5, 0.5]) * scale).requires_grad_()
        (found,) = torch.autograd.grad(xt.rms_norm(rows, 4, eps=0.0), rows, torch.tensor([1.0, 0, 0, 0]))
        doubles = rows.detach().double().requires_grad_()
        (wanted,) = torch.autograd.grad(xt.rms_norm(doubles, 4, eps=0.0), doubles, torch.tensor([1.0, 0, 0, 0], dtype=torch.float64))
        torch.testing.assert_close(found.double() * scale, wanted * scale, rtol=1e-5, atol=1e-6)


def test_empty_tensors_and_scalars() -> None:
    for f in (xt.sum, xt.vector_norm, xt.mean, xt.var, xt.std):
        theirs = {xt.vector_norm: torch.linalg.vector_norm}.get(f, getattr(torch, f.__name__, None))
        for shape, dim in (((0,), None), ((0, 3), 0), ((0, 3), 1), ((3, 0), 1), ((3, 0), None), ((2, 0, 3), (0, 1))):
            x = torch.empty(shape)
            found, wanted = f(x, dim=dim), theirs(x, dim=dim)
            assert found.shape == wanted.shape and pattern(found) == pattern(wanted), (f, shape, dim)
        assert pattern(f(torch.tensor(3.0))) == pattern(theirs(torch.tensor(3.0)))
        assert f(torch.tensor(3.0), dim=-1, keepdim=True).shape == ()
    assert xt.amax(torch.empty(0, 3), 1).shape == (0,) and xt.amax(torch.tensor(2.0)).item() == 2
    assert xt.vecdot(torch.empty(2, 0), torch.empty(2, 0)).tolist() == [0, 0] and xt.dot(torch.empty(0), torch.empty(0)) == 0
    assert xt.mv(torch.empty(2, 0), torch.empty(0)).tolist() == [0, 0] and xt.mv(torch.empty(0, 2), torch.ones(2)).shape == (0,)
    assert xt.linear(torch.empty(0, 3), torch.empty(2, 3), torch.empty(2)).shape == (0, 2)
    empty = torch.empty(0, dtype=torch.int64)
    assert torch.equal(xt.index_add(torch.ones(2, 3), 0, empty, torch.empty(0, 3)), torch.ones(2, 3))
    assert xt.index_add(torch.ones(2, 0), 0, torch.tensor([1]), torch.empty(1, 0)).shape == (2, 0)
    assert xt.embedding(empty, torch.ones(2, 3)).shape == (0, 3)
    assert xt.segment_reduce(torch.empty(0, 2), "sum", lengths=torch.tensor([0, 0])).tolist() == [[0, 0], [0, 0]]
    assert xt.get_total_norm([]).item() == 0 and xt.get_total_norm([torch.empty(0)]).item() == 0
    weight = torch.ones(2, 3, requires_grad=True)
    xt.embedding(empty, weight).sum().backward()
    assert torch.equal(weight.grad, torch.zeros(2, 3))
    for norm in (xt.rms_norm, xt.layer_norm):
        weight = torch.ones(3, requires_grad=True)
        norm(torch.empty(0, 3), 3, weight).sum().backward()
        assert torch.equal(weight.grad, torch.zeros(3))


@pytest.mark.parametrize("element", FLOATS)
def test_products(element: str) -> None:
    a, b = samples(element, 3, 40), samples(element, 2, 1, 40)
    for dtype in (a.dtype, torch.float64):
        found = xt.vecdot(a, b, dtype=dtype)
        wanted = [exact_dot(a[j].double().numpy(), b[i, 0].double().numpy(), name_of(dtype)) for i in range(2) for j in range(3)]
        assert found.dtype is dtype and found.flatten().double().tolist() == wanted
    assert torch.equal(xt.mv(a, b[0, 0]).double(), xt.vecdot(a, b)[0].double())
    assert torch.equal(xt.linear(b[:, 0], a).double(), xt.vecdot(a, b).double())
    assert torch.equal(xt.dot(a[0], b[0, 0]).double(), xt.vecdot(a, b)[0, 0].double())
    integers = torch.randint(-99, 99, (3, 7), dtype=torch.int16)
    assert torch.equal(xt.vecdot(integers, integers), (integers.long() ** 2).sum(1))


@pytest.mark.parametrize("element", ["float64", "float32", "float16", "bfloat16", "int64"])
def test_index_add_is_one_sum(element: str) -> None:
    x, y, index = samples(element, 5, 3), samples(element, 64, 3), torch.randint(0, 5, (64,))
    found, order = xt.index_add(x, 0, index, y), torch.randperm(64)
    wanted = [[exact_reduction("sum", [*numbers(x[i, j]), *numbers(y[index == i, j])], element) for j in range(3)] for i in range(5)]
    assert found.tolist() == wanted
    assert torch.equal(found, xt.index_add(x, 0, index[order], y[order]))
    assert torch.equal(found, xt.index_add(x.t(), 1, index, y.t()).t())
    assert torch.equal(found, xt.scatter_add(x, 0, index[:, None].expand(64, 3), y))
    if element != "int64":
        doubled = xt.index_add(torch.zeros_like(x), 0, index, y, alpha=2)
        assert torch.equal(doubled, 2 * xt.index_add(torch.zeros_like(x), 0, index, y))


@pytest.mark.parametrize("element", ["float64", "float32", "float16", "bfloat16"])
def test_gradients_that_are_sums(element: str) -> None:
    """Of an embedding, a weight, a bias: the oracle's sum over all tokens, whatever their order."""
    x, g = samples(element, 40, 3), samples(element, 40, 2)
    weight, bias = samples(element, 2, 3).requires_grad_(), samples(element, 2).requires_grad_()
    xt.linear(x, weight, bias).backward(g)
    for i, j in product(range(2), range(3)):
        assert weight.grad[i, j].item() == exact_dot(g[:, i].double().numpy(), x[:, j].double().numpy(), element)
    assert bias.grad.tolist() == [exact_reduction("sum", numbers(g[:, i]), element) for i in range(2)]
    first = weight.grad.clone(), bias.grad.clone()
    weight.grad = bias.grad = None
    order = torch.randperm(40)
    xt.linear(x[order], weight, bias).backward(g[order])
    assert torch.equal(weight.grad, first[0]) and torch.equal(bias.grad, first[1])

    table, ids = samples(element, 4, 2).requires_grad_(), torch.randint(0, 4, (40,))
    xt.embedding(ids, table, padding_idx=3).backward(g)
    wanted = [[0.0 if k == 3 else exact_reduction("sum", numbers(g[ids == k, j]), element) for j in range(2)] for k in range(4)]
    assert table.grad.tolist() == wanted


def test_a_loss_is_the_exact_mean() -> None:
    logs, targets = -torch.rand(100, 4).exp(), torch.randint(0, 4, (100,))
    targets[::7] = -100
    terms = [-row[t].item() for row, t in zip(logs, targets.tolist()) if t != -100]
    assert xt.nll_loss(logs, targets).item() == exact_reduction("mean", terms, "float32")
    x, y = torch.randn(2, 100)
    assert xt.mse_loss(x, y).item() == exact_reduction("mean", ((x - y) * (x - y)).tolist(), "float32")
    assert xt.nll_loss(logs, torch.full((100,), -100)).isnan()


@pytest.mark.parametrize("element", ["float64", "float32", "float16", "bfloat16"])
def test_norm_of_gradients(element: str) -> None:
    tensors = [samples(element, *shape) for shape in ((3, 4), (7,), (2, 2, 2), (0,))] + [torch.randn(5)]
    found = xt.get_total_norm(tensors)
    values = [v for x in tensors for v in numbers(x)]
    assert found.item() == exact_reduction("norm", values, name_of(found.dtype))
    assert torch.equal(found, xt.get_total_norm(tensors[::-1]))
    assert xt.get_total_norm(tensors, 1).item() == exact_reduction("asum", values, name_of(found.dtype))
    assert xt.get_total_norm(tensors, math.inf).item() == max(map(abs, values))
    parameters = [torch.nn.Parameter(torch.zeros_like(x)) for x in tensors] + [torch.nn.Parameter(torch.zeros(3))]
    for p, x in zip(parameters, tensors):
        p.grad = x.clone()
    assert torch.equal(xt.clip_grad_norm_(parameters, 1e-3), found)
    scale = (1e-3 / (found + 1e-6)).clamp(max=1)
    assert all(torch.equal(p.grad, x * scale) for p, x in zip(parameters, tensors))


def test_splits_orders_and_threads() -> None:
    """One process's bits for every split of a batch, order of its elements and number of threads."""
    x = torch.randn(64, 3000) * 10.0 ** torch.randint(-6, 6, (64, 3000))
    whole = xt.sum(x, 1), xt.mean(x), xt.var(x, 0), xt.vector_norm(x)
    for parts in (2, 7, 64):
        assert torch.equal(torch.cat([xt.sum(each, 1) for each in x.tensor_split(parts)]), whole[0])
    order = torch.randperm(3000)
    assert torch.equal(xt.sum(x[:, order], 1), whole[0]) and torch.equal(xt.mean(x[:, order]), whole[1])
    assert torch.equal(xt.var(x[torch.randperm(64)], 0), whole[2]) and torch.equal(xt.vector_norm(x.t()), whole[3])
    assert not torch.equal(torch.sum(x[:, order], 1), torch.sum(x, 1))  # PyTorch's own depends on the order


def test_words_of_fractions() -> None:
    """The oracle itself: a tie, and a sum that no float holds."""
    assert exact_reduction("sum", [1.0, 2.0**-24], "float32") == 1.0 == xt.sum(torch.tensor([1.0, 2.0**-24])).item()
    assert Fraction(xt.sum(torch.tensor([1.0, 2.0**-24]), dtype=torch.float64).item()) == 1 + Fraction(1, 2**24)


def gradient(function: Any, x: Tensor) -> Tensor:
    x = x.clone().requires_grad_()
    function(x).backward()
    assert x.grad is not None
    return x.grad


@pytest.mark.parametrize("name, least", [("float16", 2.0**-24), ("bfloat16", 2.0**-133), ("float32", 2.0**-149), ("float64", 5e-324)])
def test_gradients_of_small_and_large_norms(name: str, least: float) -> None:
    """No intermediate result over- or underflows where the gradient, of the size of 1, does not."""
    element = getattr(torch, name)
    largest = torch.finfo(element).max
    assert gradient(xt.vector_norm, torch.tensor([least * 300, least * 400], dtype=element)).tolist() == \
        torch.tensor([0.6, 0.8], dtype=element).tolist()
    assert gradient(xt.vector_norm, torch.tensor([0.0, largest], dtype=element)).tolist() == [0, 1]
    assert gradient(xt.vector_norm, torch.zeros(2, dtype=element)).tolist() == [0, 0]
    for size in (least * 4, largest / 4):
        assert gradient(lambda x: xt.std(x, correction=0), torch.tensor([size, -size], dtype=element)).tolist() == [0.5, -0.5]


def test_index_add_of_integers_has_every_bit_of_alpha() -> None:
    x = torch.zeros(2, dtype=torch.int64)
    assert xt.index_add(x, 0, torch.tensor([1, 1, 0]), torch.tensor([1, 1, 3]), alpha=2**53 + 1).tolist() == [3 * (2**53 + 1), 2**54 + 2]


def test_scalars_count_as_vectors_of_one_element() -> None:
    one, place = torch.tensor(2.0), torch.tensor(1)
    assert xt.scatter_add(torch.ones(2), 0, place, one).tolist() == [1, 3]
    assert xt.scatter_add(one, 0, torch.tensor([0]), torch.ones(2)).item() == 3
    assert xt.index_add(one, 0, torch.tensor(0), one, alpha=2).item() == 6


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("weight", [None, torch.ones(0)])
def test_no_classes_of_ignored_tokens(reduction: str, weight: Any) -> None:
    x, target = torch.ones(2, 0, requires_grad=True), torch.tensor([-100, -100])
    loss = xt.nll_loss(x, target, weight, reduction=reduction)
    assert pattern(loss.detach()) == pattern(torch.nn.functional.nll_loss(x, target, weight, reduction=reduction).detach())
    loss.sum().backward()
    assert x.grad is not None and x.grad.shape == (2, 0)
