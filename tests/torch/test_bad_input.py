"""What is refused: the error's type, and a sentence that names the function and the argument. And rules that depend on the context:
autocast, out, gradients of what has none."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import pytest
pytest.importorskip("torch")  # before what imports it
import exactdot.torch as xt
import torch

X = torch.ones(2, 3)
I = torch.tensor([0, 1])
WRONG: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    ("no tensor", lambda: xt.sum([1.0]), TypeError, "sum: x is a list"),
    ("complex", lambda: xt.sum(torch.ones(2, dtype=torch.complex64)), TypeError, "sum: x is of torch.complex64"),
    ("dim", lambda: xt.sum(X, 2), IndexError, "sum: dim 2 of a tensor of 2 dimensions; expected -2 to 1"),
    ("dim of a scalar", lambda: xt.mean(torch.tensor(1.0), 1), IndexError, "mean: dim 1"),
    ("dim twice", lambda: xt.var(X, (1, -1)), ValueError, "var: dim is (1, -1), which names a dimension twice"),
    ("dim of floats", lambda: xt.sum(X, 1.0), TypeError, "sum: dim is 1.0"),
    ("dim of text", lambda: xt.sum(X, ""), TypeError, "sum: dim is ''; use an integer"),
    ("dim of booleans", lambda: xt.amax(X, (True,)), TypeError, "amax: dim is (True,)"),
    ("keepdim", lambda: xt.sum(X, 1, 2), TypeError, "sum: keepdim is 2"),
    ("dtype", lambda: xt.sum(X, dtype=torch.int64), TypeError, "sum: dtype is torch.int64; use a floating-point type"),
    ("narrow dtype", lambda: xt.sum(I, dtype=torch.int32), TypeError, "sum: dtype is torch.int32"),
    ("mean of integers", lambda: xt.mean(I), TypeError, "mean: x is of torch.int64; pass dtype"),
    ("norm of integers", lambda: xt.vector_norm(I), TypeError, "vector_norm: x is of torch.int64; pass dtype"),
    ("order", lambda: xt.vector_norm(X, 3), ValueError, "vector_norm: ord is 3"),
    ("correction", lambda: xt.var(X, correction="1"), TypeError, "var: correction is '1'"),
    ("correction NaN", lambda: xt.std(X, correction=math.nan), TypeError, "std: correction is nan"),
    ("extrema of nothing", lambda: xt.amax(torch.empty(0)), ValueError, "empty"),
    ("overflow", lambda: xt.sum(torch.full((2,), 2**62)), OverflowError, "int64"),
    ("out dtype", lambda: xt.sum(X, out=torch.empty((), dtype=torch.float64)), TypeError, "sum: out is torch.float64, the result torch.float32"),
    ("out shape", lambda: xt.sum(X, 0, out=torch.empty(2)), ValueError, "sum: out has shape (2,)"),
    ("out no tensor", lambda: xt.sum(X, out=[0.0]), TypeError, "sum: out is list"),
    ("dot shapes", lambda: xt.dot(X, X), ValueError, "dot: shapes are (2, 3) and (2, 3)"),
    ("dot types", lambda: xt.dot(X[0], I[:1].expand(3)), TypeError, "dot: a is of torch.float32, b of torch.int64"),
    ("vecdot shapes", lambda: xt.vecdot(X, torch.ones(2)), ValueError, "vecdot: shapes (2, 3) and (2,) do not broadcast"),
    ("add shapes", lambda: xt.add(X, torch.ones(2)), ValueError, "add: shapes (2, 3) and (2,) do not broadcast"),
    ("vecdot dim", lambda: xt.vecdot(X, X, dim=2), IndexError, "vecdot: dim 2"),
    ("vecdot dim of one", lambda: xt.vecdot(X, torch.ones(3), dim=0), IndexError, "vecdot: dim 0"),
    ("vecdot of scalars", lambda: xt.vecdot(torch.tensor(1.0), torch.tensor(1.0)), IndexError, "vecdot: dim -1"),
    ("mv shapes", lambda: xt.mv(X, torch.ones(2)), ValueError, "mv: shapes are (2, 3) and (2,)"),
    ("linear shapes", lambda: xt.linear(X, torch.ones(3, 2)), ValueError, "linear: shapes are"),
    ("linear bias", lambda: xt.linear(X, X, torch.ones(3)), ValueError, "linear: bias has shape (3,); use (2,)"),
    ("linear bias of floats", lambda: xt.linear(I, I[None], torch.ones(1)),
     TypeError, "linear: bias is of torch.float32, weight of torch.int64"),
    ("linear bias of integers", lambda: xt.linear(X, X, I), TypeError, "linear: bias is of torch.int64, weight of torch.float32"),
    ("add integers", lambda: xt.add(I, I), TypeError, "add: a is of torch.int64"),
    ("rms_norm of integers", lambda: xt.rms_norm(I, 2), TypeError, "rms_norm: x is of torch.int64; use float16"),
    ("rms_norm shape", lambda: xt.rms_norm(X, 2), ValueError, "rms_norm: normalized_shape is (2,); expected the last lengths of x"),
    ("rms_norm shape type", lambda: xt.rms_norm(X, "2"), TypeError, "rms_norm: normalized_shape is '2'"),
    ("layer_norm weight", lambda: xt.layer_norm(X, X.shape[1], torch.ones(5)), ValueError, "layer_norm: weight has shape (5,)"),
    ("layer_norm bias", lambda: xt.layer_norm(X, X.shape[1], None, torch.ones(X.shape[1]).double()), TypeError,
     "layer_norm: bias is of torch.float64, x of torch.float32"),
    ("layer_norm eps", lambda: xt.layer_norm(X, X.shape[1], eps=-1.0), ValueError, "layer_norm: epsilon is -1"),
    ("layer_norm eps type", lambda: xt.layer_norm(X, X.shape[1], eps=True), TypeError, "layer_norm: eps is True"),
    ("index type", lambda: xt.index_add(X, 0, I.float(), X), TypeError, "index_add: index is of torch.float32"),
    ("index out of range", lambda: xt.index_add(X, 0, I + 1, X), ValueError, "index 2 is out of range for dimension of size 2"),
    ("negative index", lambda: xt.index_add(X, 0, I - 1, X, alpha=2), ValueError, "index -1 is out of range for dimension of size 2"),
    ("index_add shapes", lambda: xt.index_add(X, 1, I, X), ValueError, "index_add: source has shape (2, 3), index (2,); expected (2, 2)"),
    ("index_add types", lambda: xt.index_add(X, 0, I, X.double()), TypeError, "index_add: source is of torch.float64, x of torch.float32"),
    ("index_add int32", lambda: xt.index_add(I.int(), 0, I, I.int()), TypeError, "index_add: x is of torch.int32"),
    ("scatter out of range", lambda: xt.scatter_add(X, 0, torch.full((1, 3), 2), X), ValueError,
     "index 2 is out of range for dimension of size 2"),
    ("scatter dims", lambda: xt.scatter_add(X, 0, I, X), ValueError, "scatter_add: x, index and source have 2, 1 and 2 dimensions"),
    ("scatter shapes", lambda: xt.scatter_add(X, 0, torch.zeros(3, 3, dtype=torch.int64), X), ValueError, "scatter_add: index has shape"),
    ("scatter type", lambda: xt.scatter_add(X, 0, I.int(), X), TypeError, "scatter_add: index is of torch.int32; use int64"),
    ("segments", lambda: xt.segment_reduce(X, "sum", lengths=torch.tensor([1, 2])), ValueError, "segment_reduce: lengths do not divide"),
    ("offsets", lambda: xt.segment_reduce(X, "sum", offsets=torch.tensor([0, 2, 1])), ValueError, "segment_reduce: offsets do not divide"),
    ("first offset", lambda: xt.segment_reduce(X, "sum", offsets=torch.tensor([1, 2])), ValueError, "segment_reduce: offsets do not divide"),
    ("segment reduction", lambda: xt.segment_reduce(X, "prod", lengths=I), ValueError, "segment_reduce: reduce is 'prod'"),
    ("segments twice", lambda: xt.segment_reduce(X, "sum", lengths=I, offsets=I), TypeError, "segment_reduce: pass lengths or offsets"),
    ("embedding ids", lambda: xt.embedding(torch.tensor([2]), X), IndexError, "out of range"),
    ("embedding type", lambda: xt.embedding(X, X), TypeError, "embedding: input is of torch.float32"),
    ("padding", lambda: xt.embedding(I, X, 2), ValueError, "embedding: padding_idx is 2, of 2 rows"),
    ("bag mode", lambda: xt.embedding_bag(I[None], X, mode="max"), ValueError, "embedding_bag: mode is 'max'"),
    ("bag offsets", lambda: xt.embedding_bag(I, X), ValueError, "embedding_bag: pass a matrix of bags, or a vector and offsets"),
    ("bag weights", lambda: xt.embedding_bag(I[None], X, per_sample_weights=X[0, :2][None]), ValueError, "embedding_bag: per_sample_weights"),
    ("bag weights list", lambda: xt.embedding_bag(I[None], X, mode="sum", per_sample_weights=[1.0]), TypeError,
     "embedding_bag: per_sample_weights is a list"),
    ("bag weights device", lambda: xt.embedding_bag(I[None], X, mode="sum", per_sample_weights=torch.ones(1, 2, device="meta")), ValueError,
     "embedding_bag: tensors on two devices"),
    ("bag weights shape", lambda: xt.embedding_bag(I[None], X, mode="sum", per_sample_weights=torch.ones(2)),
     ValueError, "of the shape of input"),
    ("bag weights type", lambda: xt.embedding_bag(I[None], X, mode="sum", per_sample_weights=I[None]),
     TypeError, "use floating-point numbers"),
    ("bag table of 1", lambda: xt.embedding_bag(I[None], X[0]), ValueError, "embedding_bag: weight has 1 dimensions; use a matrix"),
    ("bag table of 3", lambda: xt.embedding_bag(I[None], X[None]), ValueError, "embedding_bag: weight has 3 dimensions; use a matrix"),
    ("bag offsets of 2", lambda: xt.embedding_bag(I, X, I[None]), ValueError, "embedding_bag: offsets have 2 dimensions; use a vector"),
    ("padding type", lambda: xt.embedding(I, X, 1.5), TypeError, "embedding: padding_idx is 1.5; use an integer"),
    ("loss weight", lambda: xt.nll_loss(X, I, torch.ones(5)), ValueError, "nll_loss: weight has shape (5,); use (3,)"),
    ("loss weight of 2", lambda: xt.nll_loss(X, I, torch.ones(3, 1)), ValueError, "nll_loss: weight has shape (3, 1); use (3,)"),
    ("loss weight of 0", lambda: xt.nll_loss(X, I, torch.tensor(1.0)), ValueError, "nll_loss: weight has shape (); use (3,)"),
    ("ignored index", lambda: xt.nll_loss(X, I, ignore_index=1.5), TypeError, "nll_loss: ignore_index is 1.5; use an integer"),
    ("target of no classes", lambda: xt.nll_loss(X[:, :0], I), IndexError, "nll_loss: a target is out of bounds: there are no classes"),
    ("scatter of scalars", lambda: xt.scatter_add(X, 0, I[0], X[0, 0]),
     ValueError, "scatter_add: x, index and source have 2, 0 and 0 dimensions"),
    ("scatter to a scalar", lambda: xt.scatter_add(X[0, 0], 0, I[None], X), ValueError, "scatter_add: x, index and source have 0, 2 and 2"),
    ("scatter dim", lambda: xt.scatter_add(X, 0.7, I[None], X), TypeError, "scatter_add: dim is 0.7; use an integer"),
    ("index_add dim", lambda: xt.index_add(X, 0.7, I, X), TypeError, "index_add: dim is 0.7; use an integer"),
    ("alpha text", lambda: xt.index_add(X, 0, I, X, alpha="2"),
     TypeError, "index_add: alpha is '2', source of torch.float32; use a number"),
    ("alpha float", lambda: xt.index_add(I, 0, I, I, alpha=2.0),
     TypeError, "index_add: alpha is 2.0, source of torch.int64; use an integer"),
    ("alpha of 16 bits", lambda: xt.index_add(X.half(), 0, I, X.half(), alpha=1e6),
     ValueError, "index_add: alpha is 1000000.0, which is out of range"),
    ("alpha of 64 bits", lambda: xt.index_add(I, 0, I, I, alpha=2**63), ValueError, "which is out of range of torch.int64"),
    ("norm type", lambda: xt.get_total_norm([X], 3), ValueError, "get_total_norm: norm_type is 3.0"),
    ("norm of integers", lambda: xt.get_total_norm([X, I]), TypeError, "get_total_norm: tensor 1 is of torch.int64"),
    ("norm of a vector", lambda: xt.clip_grads_with_norm_(X, 1.0, torch.ones(2)),
     ValueError, "clip_grads_with_norm_: total_norm has shape (2,)"),
    ("norm not finite", lambda: xt.get_total_norm([X * math.inf], error_if_nonfinite=True), RuntimeError, "get_total_norm: the norm of order 2.0"),
    ("loss shapes", lambda: xt.mse_loss(X, X[0]), ValueError, "mse_loss: shapes are (2, 3) and (3,)"),
    ("loss reduction", lambda: xt.mse_loss(X, X, reduction="avg"), ValueError, "mse_loss: reduction is 'avg'"),
    ("targets", lambda: xt.nll_loss(X, I.float()), TypeError, "nll_loss: input is of torch.float32, target of torch.float32"),
    ("target shapes", lambda: xt.nll_loss(X, I[:1]), ValueError, "nll_loss: shapes are (2, 3) and (1,)"),
    ("target out of range", lambda: xt.nll_loss(X, I + 5), (IndexError, RuntimeError), "out of bounds"),
]


@pytest.mark.parametrize("call, error, sentence", [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_refusals(call: Callable[[], Any], error: type[Exception], sentence: str) -> None:
    with pytest.raises(error) as refused:
        call()
    assert sentence in str(refused.value)


def test_two_devices() -> None:
    with pytest.raises(ValueError, match="dot: tensors on two devices: a on cpu, b on meta"):
        xt.dot(torch.ones(2), torch.ones(2, device="meta"))


def test_out_is_written_and_returned() -> None:
    out = torch.zeros(3)
    assert xt.sum(X, 0, out=out) is out and out.tolist() == [2, 2, 2]
    with pytest.raises(RuntimeError, match="requires grad|require grad"):
        xt.sum(X, 0, out=torch.zeros(3, requires_grad=True))


def test_integers_have_no_gradients() -> None:
    with pytest.raises(RuntimeError, match="floating point"):
        torch.ones(3, dtype=torch.int64, requires_grad=True)
    assert not xt.sum(I).requires_grad and not xt.sum(X.requires_grad_(False)).requires_grad
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        assert not xt.sum(x).requires_grad
    with torch.inference_mode():
        assert xt.sum(x).item() == 3 and not xt.sum(x).requires_grad
    assert xt.sum(x).requires_grad and xt.sum(torch.nn.Parameter(x)).requires_grad


def test_saved_tensors_that_change_are_noticed() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    norm = xt.vector_norm(y)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        norm.backward()
    for write in (lambda out: xt.sum(torch.ones(2, 3), 0, out=out), lambda out: xt.vecdot(torch.ones(2, 3), torch.ones(2, 3), dim=0, out=out),
                  lambda out: xt.mv(torch.ones(3, 2), torch.ones(2), out=out), lambda out: xt.amax(torch.ones(2, 3), 0, out=out)):
        out = torch.ones(3)
        product = x * out
        write(out)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            product.sum().backward()
    with torch.inference_mode():
        out = torch.ones(())
        assert xt.sum(torch.ones(3), out=out) is out
    with pytest.raises(RuntimeError, match="[Ii]nference"):
        xt.sum(torch.ones(3), out=out)
    with pytest.raises(TypeError, match="vecdot: dim is None"):
        xt.vecdot(torch.ones(3), torch.ones(3), dim=None)  # type: ignore[arg-type]


@pytest.mark.parametrize("element", [torch.bfloat16, torch.float16])
def test_autocast(element: torch.dtype) -> None:
    """Sums, norms and losses of 16-bit floats are rounded once to float32; products have autocast's type."""
    x = torch.randn(5, 300).to(element)
    w = torch.randn(4, 300)
    with torch.autocast("cpu", dtype=element):
        for f in (xt.sum, xt.mean, xt.var, xt.std, xt.vector_norm):
            assert torch.equal(f(x), f(x, dtype=torch.float32)) and f(x).dtype is torch.float32
            assert f(x, dtype=element).dtype is element and f(w).dtype is torch.float32
        assert xt.mv(w, w[0]).dtype is element and xt.linear(x, w).dtype is element
        assert xt.mse_loss(x, x).dtype is torch.float32 and xt.nll_loss(x, torch.zeros(5, dtype=torch.int64)).dtype is torch.float32
        assert xt.amax(x).dtype is element and xt.sum(x.double()).dtype is torch.float64
    assert xt.sum(x).dtype is element and xt.mv(w, w[0]).dtype is torch.float32


def test_subclasses_and_parameters_go_through_the_dispatcher() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode
    with FakeTensorMode() as mode:
        fake = mode.from_tensor(torch.ones(4, 5))
        assert xt.sum(fake, 1).shape == (4,) and type(xt.sum(fake, 1)) is type(fake)
        assert type(xt.get_total_norm([fake, fake])) is type(fake)
    assert xt.sum(torch.ones(4, 5, device="meta"), 1).device.type == "meta"
    assert xt.get_total_norm([torch.ones(4, device="meta")]).device.type == "meta"
    with torch.device("meta"):
        assert xt.sum(torch.ones(3)).shape == ()


def test_importing_exactdot_imports_no_pytorch() -> None:
    code = "import sys, exactdot; assert 'torch' not in sys.modules; import exactdot.torch; assert 'torch' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_old_pytorch_is_named(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("__version__ = '2.3.1+cpu'\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import exactdot.torch"
    done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "exactdot.torch needs PyTorch 2.6 or later, and this is 2.3.1+cpu" in done.stderr
