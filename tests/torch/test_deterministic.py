"""deterministic(): every operator that it replaces has the bits of the functions of this module and about PyTorch's values; what is
not replaced is computed as before, and named."""

from __future__ import annotations

import math
import threading
from typing import Any, Callable

import pytest
pytest.importorskip("torch")  # before what imports it
import exactdot.torch as xt
import torch
import torch.nn.functional as F
from exactdot.torch._replaced import REPLACED

aten = torch.ops.aten
X = torch.randn(4, 5, generator=torch.Generator().manual_seed(2)) * 10
Y = torch.randn(6, 5, generator=torch.Generator().manual_seed(3))
ROWS = torch.tensor([3, 0, 3, 3, 1, 0])
IDS = torch.tensor([[1, 1, 0], [3, 1, 2]])
G = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(4))
TARGETS = torch.tensor([0, 2, -100, 1])
SPREAD = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(5))
WEIGHT = torch.linspace(0.5, 2, 5)
MEAN, SCALE = X.mean(1, True), 1 / torch.sqrt(X.var(1, correction=0, keepdim=True) + 1e-5)
FUSED = {getattr(aten, name).default for name in ("_fused_rms_norm", "_fused_rms_norm_backward") if hasattr(aten, name)}


def expected_put(index: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    return xt.index_add(X, 0, index % 4, values)


def expected_gradients(g: torch.Tensor, normal: torch.Tensor, scale: torch.Tensor, centred: bool) -> tuple[torch.Tensor, ...]:
    h = g * WEIGHT
    rest = h - normal * (xt.vecdot(h, normal) / 5)[:, None]
    rest = rest - (xt.sum(h, 1) / 5)[:, None] if centred else rest
    return rest * scale, xt.vecdot(g, normal, dim=0), *([xt.sum(g, 0)] if centred else [])


ROW_COPIES = ROWS[:, None].expand(6, 5)
TABLE: list[tuple[Any, Callable[[], Any], Callable[[], Any]]] = [
    (aten.sum.default, lambda: X.sum(), lambda: xt.sum(X)),
    (aten.sum.dim_IntList, lambda: X.sum((0, -1), True), lambda: xt.sum(X, (0, 1), True)),
    (aten.sum.dim_IntList, lambda: X.bfloat16().sum(1, dtype=torch.float32), lambda: xt.sum(X.bfloat16(), 1, dtype=torch.float32)),
    (aten.mean.default, lambda: X.mean(), lambda: xt.mean(X)),
    (aten.mean.dim, lambda: X.half().mean(-1), lambda: xt.mean(X.half(), 1)),
    (aten.var.correction, lambda: X.var(), lambda: xt.var(X)),
    (aten.var.correction, lambda: X.var(1, correction=0), lambda: xt.var(X, 1, correction=0)),
    (aten.std.correction, lambda: X.std(0, keepdim=True), lambda: xt.std(X, 0, keepdim=True)),
    (aten.var_mean.correction, lambda: torch.var_mean(X, 1), lambda: (xt.var(X, 1), xt.mean(X, 1))),
    (aten.std_mean.correction, lambda: torch.std_mean(X, 1), lambda: (xt.std(X, 1), xt.mean(X, 1))),
    (aten.linalg_vector_norm.default, lambda: torch.linalg.vector_norm(X), lambda: xt.vector_norm(X)),
    (aten.linalg_vector_norm.default, lambda: X.norm(1, dim=0), lambda: xt.vector_norm(X, 1, 0)),
    (aten.norm.Scalar, lambda: aten.norm.Scalar(X, 2), lambda: xt.vector_norm(X)),
    (aten.norm.ScalarOpt_dim, lambda: aten.norm.ScalarOpt_dim(X, 2, [1], True), lambda: xt.vector_norm(X, 2, 1, True)),
    (aten._foreach_norm.Scalar, lambda: tuple(torch._foreach_norm([X, Y])), lambda: (xt.vector_norm(X), xt.vector_norm(Y))),
    (aten.dot.default, lambda: X[0] @ X[1], lambda: xt.dot(X[0], X[1])),
    (aten.mv.default, lambda: X @ Y[0], lambda: xt.mv(X, Y[0])),
    (aten.index_add.default, lambda: X.index_add(0, ROWS, Y, alpha=0.5), lambda: xt.index_add(X, 0, ROWS, Y, alpha=0.5)),
    (aten.index_add_.default, lambda: X.clone().index_add_(0, ROWS, Y), lambda: xt.index_add(X, 0, ROWS, Y)),
    (aten.index_add_.default, lambda: X.t().clone().t().index_add_(-1, ROWS[:5], X), lambda: xt.index_add(X, 1, ROWS[:5], X)),
    (aten.scatter_add.default, lambda: X.scatter_add(0, ROW_COPIES, Y), lambda: xt.index_add(X, 0, ROWS, Y)),
    (aten.scatter_add_.default, lambda: X.clone().scatter_add_(0, ROW_COPIES, Y), lambda: xt.index_add(X, 0, ROWS, Y)),
    (aten.scatter_add_.default, lambda: X.t().contiguous().t().scatter_add_(0, ROW_COPIES, Y), lambda: xt.index_add(X, 0, ROWS, Y)),
    (aten.index_put.default, lambda: X.index_put((ROWS - 4,), Y, accumulate=True), lambda: xt.index_add(X, 0, ROWS, Y)),
    (aten.index_put_.default, lambda: X.clone().index_put_((ROWS, ROWS), Y[:, 0], accumulate=True),
     lambda: xt.index_add(X.flatten(), 0, ROWS * 6, Y[:, 0].contiguous()).reshape(4, 5)),
    (aten.index_put_.default, lambda: X.t().contiguous().t().index_put_((ROWS,), Y, accumulate=True), lambda: xt.index_add(X, 0, ROWS, Y)),
    (aten._index_put_impl_.default, lambda: aten._index_put_impl_(SPREAD.clone(), [None, IDS % 3], torch.ones(()), True),
     lambda: xt.index_add(SPREAD, 1, IDS.flatten() % 3, torch.ones(2, 6, 4))),
    (aten.embedding_dense_backward.default, lambda: aten.embedding_dense_backward(G, IDS, 4, 3, False),
     lambda: xt.index_add(torch.zeros(4, 5), 0, IDS.flatten()[IDS.flatten() != 3], G.reshape(6, 5)[IDS.flatten() != 3])),
    (aten.native_layer_norm.default, lambda: aten.native_layer_norm(X, [5], WEIGHT, -WEIGHT, 1e-5),
     lambda: (xt.layer_norm(X, 5, WEIGHT, -WEIGHT), xt.mean(X, 1, True),
              (1 / torch.sqrt(xt.var(X, 1, correction=0, keepdim=True, dtype=torch.float64) + 1e-5)).float())),
    (aten.native_layer_norm_backward.default,
     lambda: aten.native_layer_norm_backward(X.flip(0), X, [5], MEAN, SCALE, WEIGHT, WEIGHT, [True, True, True]),
     lambda: expected_gradients(X.flip(0), (X - MEAN) * SCALE, SCALE, True)),
    (aten.mse_loss.default, lambda: F.mse_loss(X, X.flip(0)), lambda: xt.mse_loss(X, X.flip(0))),
    (aten.mse_loss.default, lambda: F.mse_loss(X, X.flip(0), reduction="sum"), lambda: xt.mse_loss(X, X.flip(0), reduction="sum")),
    (aten.nll_loss_forward.default, lambda: F.nll_loss(X, TARGETS), lambda: xt.nll_loss(X, TARGETS)),
    (aten.nll_loss_forward.default, lambda: F.nll_loss(X, TARGETS, reduction="sum"), lambda: xt.nll_loss(X, TARGETS, reduction="sum")),
]
AS_BEFORE: list[tuple[Any, Callable[[], Any]]] = [
    (aten.mm.default, lambda: X.t() @ X),
    (aten._softmax.default, lambda: X.softmax(1)),
    (aten.linalg_vector_norm.default, lambda: torch.linalg.vector_norm(X, 3)),
    (aten._foreach_norm.Scalar, lambda: tuple(torch._foreach_norm([X, Y.double()]))),
    (aten.nll_loss_forward.default, lambda: F.nll_loss(X, TARGETS, weight=torch.ones(5))),
    (aten.embedding_dense_backward.default, lambda: aten.embedding_dense_backward(G, IDS, 4, -1, True)),
    (aten.index_put.default, lambda: X.index_put((X > 0,), torch.ones(()), accumulate=True)),
    (aten.index_put.default, lambda: aten.index_put(SPREAD, [ROWS % 2, None, ROWS % 4], torch.ones(6, 3), True)),
    (aten.cumsum.default, lambda: X.cumsum(0)),
    (aten.sum.default, lambda: torch.ones(3, dtype=torch.complex64).sum()),
    (aten.sum.dim_IntList, lambda: IDS.sum(1, dtype=torch.float32)),
    (aten.sum.IntList_out, lambda: torch.sum(IDS, 1, out=torch.empty(2))),
    (aten.mean.default, lambda: (X > 0).mean(dtype=torch.float32)),
    (aten.scatter.reduce, lambda: X.scatter(0, ROW_COPIES, Y, reduce="add")),
    (aten.scatter.value_reduce, lambda: X.scatter(0, ROW_COPIES, 2.0, reduce="add")),
    (aten.scatter_.reduce, lambda: X.clone().scatter_(0, ROW_COPIES, Y, reduce="add")),
    (aten.scatter_.value_reduce, lambda: X.clone().scatter_(0, ROW_COPIES, 2.0, reduce="add")),
    (aten.unfold_backward.default, lambda: aten.unfold_backward(SPREAD, [2, 6], 1, 4, 1)),
]
NAMELESS: list[Callable[[], Any]] = [
    lambda: X + 1, lambda: X.t(), lambda: ROWS.sum(), lambda: X.max(), lambda: X[ROWS], lambda: torch.cat([X, X]), lambda: X.exp(),
    lambda: X.scatter(0, ROW_COPIES, Y), lambda: torch.promote_types(X.dtype, torch.half), lambda: IDS.sum(dtype=torch.int32),
    lambda: torch.logspace(0, 1, 3, dtype=torch.float32), lambda: X.index_put((ROWS,), Y), lambda: torch.rand(3),
    lambda: X.clone().fill_(2), lambda: torch.where(X > 0, X, 0)]


def results(value: Any) -> tuple[torch.Tensor, ...]:
    return value if isinstance(value, tuple) else (value,)


def test_the_table_has_every_replacement() -> None:
    assert {row[0] for row in TABLE} | FUSED == set(REPLACED)


@pytest.mark.parametrize("element", [torch.float16, torch.bfloat16])
def test_the_gradient_of_layer_norm_may_follow_outside(element: torch.dtype) -> None:
    x = X.to(element).requires_grad_()
    for weight in (WEIGHT.to(element), WEIGHT):
        with xt.deterministic():
            y = F.layer_norm(x, (5,), weight)
        (found,) = torch.autograd.grad(y.sum(), x)
        assert found.dtype is element


@pytest.mark.skipif(not FUSED, reason="this PyTorch has no fused rms_norm")
def test_fused_rms_norm() -> None:
    """On a CPU PyTorch takes it apart before a mode sees it, so its replacements are called."""
    result, scale = REPLACED[aten._fused_rms_norm.default](X, [5], WEIGHT, 1e-5)
    square = xt.vecdot(X, X, dtype=torch.float64)[:, None] / 5
    assert torch.equal(result, xt.rms_norm(X, 5, WEIGHT, 1e-5)) and torch.equal(scale, (1 / torch.sqrt(square + 1e-5)).float())
    found = REPLACED[aten._fused_rms_norm_backward.default](X.flip(0), X, [5], scale, WEIGHT, [True, True])
    assert all(map(torch.equal, found, expected_gradients(X.flip(0), X * scale, scale, False)))


@pytest.mark.parametrize("overload, call, exact", TABLE, ids=[str(row[0]) for row in TABLE])
def test_replaced(overload: Any, call: Callable[[], Any], exact: Callable[[], Any]) -> None:
    plain = results(call())
    with xt.deterministic() as run:
        found = results(call())
    assert run.report().exact == {str(overload): 1} and not run.report().other
    for x, y, z in zip(found, results(exact()), plain, strict=True):
        assert torch.equal(x, y) and x.dtype is z.dtype and x.shape == z.shape
        torch.testing.assert_close(x, z)


@pytest.mark.parametrize("overload, call", AS_BEFORE, ids=[str(row[0]) for row in AS_BEFORE])
def test_as_before(overload: Any, call: Callable[[], Any]) -> None:
    plain = results(call())
    with xt.deterministic() as run:
        found = results(call())
    assert run.report().other == {str(overload): 1}
    assert all(torch.equal(x, y) for x, y in zip(found, plain, strict=True))


@pytest.mark.parametrize("call", NAMELESS)
def test_what_adds_nothing_is_not_named(call: Callable[[], Any]) -> None:
    with xt.deterministic() as run:
        call()
    assert not run.report().exact and not run.report().other


META = torch.ones(3, device="meta")
REFUSED: dict[str, Callable[[], Any]] = {
    "sum, dim 5": lambda: X.sum(5), "sum, a dim twice": lambda: X.sum((0, 0)), "sum, 0 and -2": lambda: X.sum((0, -2)),
    "mean, dim -7": lambda: X.mean(-7), "var, dim 2": lambda: X.var(2), "std, dim 9": lambda: X.std(9), "number": lambda: X[0, 0].sum(3),
    "var_mean, dim 2": lambda: torch.var_mean(X, 2), "sum, float8": lambda: X.to(torch.float8_e5m2).sum(),
    "norm, dim 2": lambda: torch.linalg.vector_norm(X, dim=2),
    "norm, narrower": lambda: torch.linalg.vector_norm(X.double(), dtype=torch.float32),
    "dot, lengths": lambda: torch.dot(torch.ones(3), torch.ones(4)), "dot, matrices": lambda: torch.dot(X, X),
    "dot, devices": lambda: torch.dot(torch.ones(3), META), "mv, devices": lambda: torch.mv(torch.ones(2, 3), META),
    "mv, lengths": lambda: torch.mv(X, Y[0, :3]), "mv, vectors": lambda: torch.mv(X[0], X[0]),
    "scatter_add, other dim": lambda: torch.zeros(3, 2).scatter_add(0, torch.zeros(1, 3, dtype=torch.int64), torch.ones(1, 3)),
    "scatter_add, source": lambda: torch.zeros(3, 2).scatter_add(0, torch.zeros(2, 2, dtype=torch.int64), torch.ones(1, 2)),
    "scatter_add, dim 4": lambda: X.scatter_add(4, ROW_COPIES, Y), "scatter_add_, itself": lambda: X.scatter_add_(0, ROW_COPIES[:4], X),
    "index_add, dim 3": lambda: X.index_add(3, ROWS, Y), "index_add, index": lambda: X.index_add(0, ROWS.reshape(2, 3), Y),
    "index_add, source": lambda: X.index_add(0, ROWS, Y[:, :4]), "index_add, rows": lambda: X.index_add(0, ROWS, Y[:4]),
    "index_add_, itself": lambda: X.index_add_(0, ROWS[:4], X), "index_add_, expanded": lambda: X[:1].expand(4, 5).index_add_(0, ROWS, Y),
    "index_add, 9": lambda: X.index_add(0, torch.tensor([0, 9]), Y[:2]), "index_add, -1": lambda: X.index_add(0, ROWS - 1, Y),
    "scatter_add, 9": lambda: X.scatter_add(0, ROW_COPIES + 9, Y), "index_put, 9": lambda: X.index_put((ROWS + 9,), Y, accumulate=True),
    "index_put, values": lambda: X.index_put((ROWS,), Y[:4], accumulate=True),
    "index_put, indices": lambda: X.index_put((ROWS, ROWS[:4]), Y[:, 0], accumulate=True),
    "index_put, too many": lambda: X.index_put((ROWS, ROWS, ROWS), Y[:, 0], accumulate=True),
    "layer_norm, shape": lambda: F.layer_norm(X, (2,)), "layer_norm, no dims": lambda: F.layer_norm(X, ()),
    "layer_norm, weight": lambda: aten.native_layer_norm(X, [5], WEIGHT[:4], None, 1e-5),
    "layer_norm, device": lambda: aten.native_layer_norm(X[:, :3], [3], META, None, 1e-5),
    "layer_norm, types": lambda: F.layer_norm(X.double(), (5,), WEIGHT),
    "mse_loss, shapes": lambda: aten.mse_loss(X, Y), "nll_loss, targets": lambda: F.nll_loss(X, TARGETS[:3]),
    "nll_loss, class": lambda: F.nll_loss(X, torch.tensor([0, 5, 1, 1])), "nll_loss, type": lambda: F.nll_loss(X, TARGETS.int()),
    "nll_loss, device": lambda: F.nll_loss(X, TARGETS.to("meta")),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_bad_input_raises_as_without(call: Callable[[], Any]) -> None:
    try:
        call()
    except Exception as error:  # noqa: BLE001  of any type: the mode is to raise the same
        kind = type(error)
    else:
        pytest.skip("this PyTorch takes it")
    with xt.deterministic() as run, pytest.raises(kind) as found:
        call()
    assert found.type is kind and not run.report().exact and not run.report().other


def test_what_the_replacements_do_not_take() -> None:
    sparse = torch.eye(3).to_sparse()
    with xt.deterministic() as run:
        assert sparse.sum() == 3 and torch.equal(X[0, 0].sum((0,)), X[0, 0]) and X.sum(()).ndim == 0
        assert torch.equal(F.nll_loss(X, TARGETS.clamp(min=0).byte()), F.nll_loss(X, TARGETS.clamp(min=0)))
        table = X.clone()
        assert torch.equal(table[:2].index_add_(0, ROWS[-2:], table[2:]), xt.index_add(X[:2], 0, ROWS[-2:], X[2:]))
    assert run.report().exact["aten.nll_loss_forward.default"] == 2 and run.report().exact["aten.index_add_.default"] == 1
    assert run.report().other == {"aten.sum.default": 1}, run.report()


def model_gradients(x: torch.Tensor, ids: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    """Of a model whose sums are all replaced: an embedding, a scale for each feature, a loss."""
    generator = torch.Generator().manual_seed(1)
    table, scale = torch.randn(5, 8, generator=generator).requires_grad_(), torch.randn(8, generator=generator).requires_grad_()
    h = F.embedding(ids, table) * scale + x
    h = (h - h.mean(1, keepdim=True)) / h.std(1, keepdim=True)
    loss = F.mse_loss(h, y) + h[ids].square().mean()
    return [loss.detach(), *torch.autograd.grad(loss, [table, scale])]


def test_gradients_do_not_depend_on_the_order() -> None:
    x, ids, y, order = torch.randn(3000, 8), torch.randint(0, 5, (3000,)), torch.randn(3000, 8), torch.randperm(3000)
    with xt.deterministic() as run:
        first, second = model_gradients(x, ids, y), model_gradients(x, ids, y)
        assert torch.equal(F.mse_loss(x, y), F.mse_loss(x[order], y[order]))
    assert all(map(torch.equal, first, second)) and not run.report().other, run.report()
    assert {"aten.embedding_dense_backward.default", "aten.index_put.default"} <= set(run.report().exact)
    g, tables = torch.randn(3000, 8), []
    for places in (torch.arange(3000), order):
        table = torch.zeros(5, 8, requires_grad=True)
        with xt.deterministic():
            F.embedding(ids[places], table).backward(g[places])
        tables.append(table.grad)
    assert torch.equal(*tables)


def test_nested_errors_and_the_end() -> None:
    inexact = torch.tensor([1e30, 1.0, -1e30])
    with xt.deterministic() as outer:
        with xt.deterministic() as inner:
            assert inexact.sum() == 1
        assert inexact.sum() == 1
        with pytest.raises(IndexError):
            torch.zeros(2).index_add_(0, torch.tensor([2]), torch.ones(1))
    assert inner.report().exact == {"aten.sum.default": 1} and outer.report().exact["aten.sum.default"] == 1
    assert inexact.sum() == 0 and xt.report() == inner.report()


def test_permanent() -> None:
    inexact = torch.tensor([1e30, 1.0, -1e30])
    found = []
    xt.use_deterministic()
    try:
        xt.use_deterministic()
        assert inexact.sum() == 1
        leaf = inexact.clone().requires_grad_()
        (leaf.expand(2, 3) * 1).sum().backward()
        assert xt.report().exact["aten.sum.dim_IntList"] == 1  # in the backward
        thread = threading.Thread(target=lambda: found.append(inexact.sum().item()))
        thread.start()
        thread.join()
        with xt.deterministic(), pytest.raises(RuntimeError, match="another mode is on"):
            xt.use_deterministic(False)
        with xt.deterministic():
            xt.use_deterministic()
    finally:
        xt.use_deterministic(False)
    xt.use_deterministic(False)
    assert inexact.sum() == 0 and found == [0.0]  # a mode is of the thread that turns it on


def test_permanent_of_each_thread() -> None:
    inexact, found = torch.tensor([1e30, 1.0, -1e30]), []

    def work() -> None:
        for enable in (True, True, False, False, True):
            xt.use_deterministic(enable)
            found.append(inexact.sum().item())

    for _ in range(2):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        xt.use_deterministic(False)  # which is off in this thread
    assert found == [1.0, 1.0, 0.0, 0.0, 1.0] * 2 and inexact.sum() == 0
    with xt.deterministic():
        with pytest.raises(RuntimeError, match="another mode is on"):
            xt.use_deterministic()
        assert inexact.sum() == 1
    assert inexact.sum() == 0


INFERRED: list[Callable[[], Any]] = [
    lambda: X @ Y[0], lambda: X[0] @ Y[0], lambda: torch.linalg.norm(X), lambda: F.layer_norm(X, (5,), WEIGHT), lambda: X.sum_to_size(1, 5),
    lambda: F.nll_loss(X, TARGETS), lambda: F.cross_entropy(X, TARGETS), lambda: F.rms_norm(X, (5,), WEIGHT), lambda: X.std(),
    lambda: F.linear(X, Y, Y[:, 0]), lambda: F.mse_loss(X, X.flip(0)), lambda: F.embedding(ROWS, X).mean(0)]


@pytest.mark.parametrize("call", INFERRED)
def test_inference_mode_has_the_bits_of_no_grad(call: Callable[[], Any]) -> None:
    with torch.no_grad(), xt.deterministic() as plain:
        expected = call()
    with torch.inference_mode(), xt.deterministic() as run:
        found = call()
        assert xt.report() == run.report()
    assert torch.equal(found, expected) and run.report() == plain.report() and found.is_inference()
    with xt.deterministic() as run, torch.inference_mode():
        assert torch.equal(call(), expected)
    assert run.report() == plain.report()


def test_other_functions_in_a_mode() -> None:
    """vmap, functions of this module and those of torch.compile, which run uncompiled."""
    x = torch.randn(3, 100) * 10.0 ** torch.randint(-9, 9, (3, 100))
    with xt.deterministic():
        assert torch.equal(torch.func.vmap(lambda row: row.sum())(x), xt.sum(x, 1))
        assert torch.equal(torch.func.grad(lambda y: y.mean())(x), torch.full((3, 100), 1 / 300))
        assert xt.sum(torch.tensor([1e30, 1.0, -1e30])) == 1
        leaf = x.clone().requires_grad_()
        xt.vector_norm(leaf).backward()
    inexact = torch.tensor([1e30, 1.0, -1e30])
    torch.compiler.reset()
    compiled = torch.compile(lambda y: y.sum(), backend="aot_eager")
    for _ in range(2):
        with xt.deterministic() as run:
            assert compiled(inexact) == 1
        assert run.report().exact == {"aten.sum.default": 1} and compiled(inexact) == 0
    with xt.deterministic():
        xt.vector_norm(leaf)
    assert torch.equal(leaf.grad, x / xt.vector_norm(x))
    assert "exactdot.norm.default" in xt.report().exact
    assert math.isfinite(xt.vector_norm(x))
