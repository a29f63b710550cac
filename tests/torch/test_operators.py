"""Every operator passes torch.library.opcheck; every public function has right gradients, also twice, and the same bits by vmap,
torch.func and torch.compile as by plain calls."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
pytest.importorskip("torch")  # before what imports it
import exactdot.torch as xt
import torch
from torch.autograd import gradcheck, gradgradcheck
from torch.func import grad, vmap

from cases import CASES, Case, make_of, operators

by_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
WITHOUT_GRADIENT = {"Report", "check", "clip_grad_norm_", "clip_grads_with_norm_", "deterministic", "get_total_norm", "report",
                    "use_deterministic"}
NAMES = sorted(operators(make_of(torch.float32)))


def test_the_table_has_every_operator() -> None:
    registered = {name.split("::")[1] for name in torch._C._dispatch_get_all_op_names() if name.startswith("exactdot::")}
    assert registered == set(NAMES)


def test_the_table_has_every_function_with_a_gradient() -> None:
    used = set(re.findall(r"xt\.(\w+)", (Path(__file__).parent / "cases.py").read_text()))
    assert set(xt.__all__) - used == WITHOUT_GRADIENT


@pytest.mark.parametrize("name", NAMES)
def test_opcheck(name: str) -> None:
    has_gradient = name != "list_norm"
    arguments = operators(make_of(torch.float32, requires_grad=has_gradient))[name]
    torch.library.opcheck(getattr(torch.ops.exactdot, name).default, arguments)


def test_add_has_one_dtype_everywhere() -> None:
    """An operand of no dimension does not widen the other, as in PyTorch; fakes, compilers and vmap agree."""
    double, half = torch.tensor(1.1, dtype=torch.float64), torch.tensor(1.1, dtype=torch.float16)
    for a, b in ((torch.ones(3), double), (double, torch.ones(3).half()), (torch.ones(1), half), (half, double)):
        expected = a + b
        assert same([xt.add(a, b)], [expected]) and xt.add(a.to("meta"), b.to("meta")).dtype is expected.dtype
        assert same([torch.compile(xt.add, fullgraph=True, backend="aot_eager")(a, b)], [expected])
        for dims, pair in (((0, 0), (a.expand(2, *a.shape), b.expand(2, *b.shape))), ((0, None), (a.expand(2, *a.shape), b))):
            assert same([vmap(xt.add, in_dims=dims)(*pair)[1]], [expected])
        torch.library.opcheck(torch.ops.exactdot.add.default, (a.clone().requires_grad_(), b.clone().requires_grad_()))


SHAPES = [((4, 3), (2, 1, 1), -1), ((1, 3), (4, 1), -1), ((4, 1), (1, 3), 0), ((3, 1, 2), (5, 1), -2), ((0, 3), (1, 1), -1)]


@pytest.mark.parametrize("a_shape, b_shape, dim", SHAPES)
def test_gradients_of_broadcast_products(a_shape: tuple[int, ...], b_shape: tuple[int, ...], dim: int) -> None:
    make = make_of(torch.float64, requires_grad=True)
    inputs = make(*a_shape), make(*b_shape)
    assert gradcheck(lambda a, b: xt.vecdot(a, b, dim=dim), inputs)
    assert gradgradcheck(lambda a, b: xt.vecdot(a, b, dim=dim), inputs)


def test_layers_of_no_features() -> None:
    x, weight, bias = torch.zeros(2, 0, requires_grad=True), torch.zeros(3, 0, requires_grad=True), torch.ones(3, requires_grad=True)
    result = xt.linear(x, weight, bias)
    result.sum().backward()
    assert result.tolist() == [[1] * 3] * 2 and bias.grad.tolist() == [2] * 3 and weight.grad.shape == (3, 0) and x.grad.shape == (2, 0)
    assert xt.linear(x.detach(), weight.detach()).tolist() == [[0] * 3] * 2


@by_case
def test_gradients(case: Case) -> None:
    inputs = case.inputs(make_of(torch.float64, requires_grad=True))
    assert gradcheck(case.function, inputs)
    assert gradgradcheck(case.function, inputs)


def loss_of(case: Case):
    """A function of the inputs whose gradients are no constants."""
    def loss(*inputs: torch.Tensor) -> torch.Tensor:
        result = case.function(*inputs)
        weights = torch.arange(1, 1 + result.numel(), dtype=result.dtype, device=result.device).reshape(result.shape)
        return (result * weights).square().sum()
    return loss


def backward_of(case: Case, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    leaves = [x.detach().requires_grad_() for x in inputs]
    return list(torch.autograd.grad(loss_of(case)(*leaves), leaves))


def same(found: list[torch.Tensor], expected: list[torch.Tensor]) -> bool:
    return all(torch.equal(x, y) and x.dtype is y.dtype for x, y in zip(found, expected, strict=True))


@by_case
def test_vmap(case: Case) -> None:
    inputs = case.inputs(make_of(torch.float32, batch=3))
    every = tuple(range(len(inputs)))
    gradient = grad(loss_of(case), argnums=every)
    results, gradients = vmap(case.function)(*inputs), vmap(gradient)(*inputs)
    for i in range(3):
        one = [x[i] for x in inputs]
        assert torch.equal(results[i], case.function(*one))
        assert same([g[i] for g in gradients], list(gradient(*one)))
        assert same(list(gradient(*one)), backward_of(case, one))
    for k in every:  # one input alone has a batch, along its last dimension
        dims = tuple(-1 if i == k else None for i in every)
        mixed = [x.movedim(0, -1) if i == k else x[0] for i, x in enumerate(inputs)]
        found = vmap(case.function, in_dims=dims)(*mixed)
        gradients = vmap(gradient, in_dims=dims)(*mixed)
        for i in range(3):
            one = [x[i] if j == k else x[0] for j, x in enumerate(inputs)]
            assert torch.equal(found[i], case.function(*one))
            assert same([g[i] for g in gradients], list(gradient(*one)))


@by_case
@pytest.mark.parametrize("dynamic", [False, True])
def test_compile(case: Case, dynamic: bool) -> None:
    inputs = case.inputs(make_of(torch.float32))
    torch.compiler.reset()
    compiled = torch.compile(case.function, fullgraph=True, backend="aot_eager", dynamic=dynamic)
    assert torch.equal(compiled(*inputs), case.function(*inputs))
    of_compiled = Case(case.name, compiled, case.inputs)
    assert same(backward_of(of_compiled, inputs), backward_of(case, inputs))


def test_a_gradient_of_a_batch_is_one_exact_sum() -> None:
    """torch.func.grad outside of vmap: the batch is one more dim of the sum."""
    weight, bias, x = torch.randn(4, 5), torch.randn(4), torch.randn(8, 5)

    def loss(weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return xt.sum(vmap(lambda row: xt.sum(xt.linear(row, weight, bias).relu()))(x))

    found = grad(loss, argnums=(0, 1))(weight, bias)
    expected = grad(lambda weight, bias: xt.sum(xt.linear(x, weight, bias).relu()), argnums=(0, 1))(weight, bias)
    assert same(list(found), list(expected))


def test_inductor() -> None:
    def step(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return xt.mean(xt.linear(x, w, b).relu()) + xt.vector_norm(x)

    torch.compiler.reset()
    inputs = [torch.randn(3, 5), torch.randn(4, 5), torch.randn(4)]
    case = Case("step", step, lambda make: inputs)
    compiled = Case("step", torch.compile(step, fullgraph=True), lambda make: inputs)
    assert same(backward_of(compiled, inputs), backward_of(case, inputs))


def test_export() -> None:
    class Module(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return xt.std(xt.sum(x, 1))

    x = torch.randn(3, 4)
    program = torch.export.export(Module(), (x,))
    assert "exactdot.sum" in str(program.graph) and torch.equal(program.module()(x), Module()(x))


def test_forward_mode_is_refused() -> None:
    x = torch.randn(3)
    with pytest.raises(RuntimeError, match="jvp|forward"):
        torch.func.jvp(xt.sum, (x,), (x,))
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, x)
        with pytest.raises((RuntimeError, NotImplementedError), match="jvp|forward"):
            xt.sum(dual)
