"""The short ways of plain tensors, in compiled code: which calls take them, with the bits of the others, and what they leave."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest
pytest.importorskip("torch")  # before what imports it
import exactdot as xd
import exactdot.torch as xt
import torch
from torch import Tensor

from test_bits import FLOATS, INTEGERS, REDUCTIONS, pattern, samples


def test_short_way_leaves_what_is_unusual() -> None:
    z = torch.complex(torch.ones(3), torch.ones(3)).conj().imag
    assert z.is_neg() and xt.sum(z).item() == -3
    for x, dim in ((torch.ones(1), 2**70), (torch.ones(3), 2**63), (torch.ones(2, 2), 2**70)):
        with pytest.raises(IndexError, match="sum: dim"):
            xt.sum(x, dim)
    for call, name in ((xt.amax, "amax"), (lambda x: xt.vector_norm(x, math.inf), "vector_norm")):
        with pytest.raises(ValueError, match=f"^{name}: the vector is empty"):
            call(torch.ones(0))
    with torch._subclasses.FakeTensorMode(), pytest.raises(TypeError, match="new array of results"):
        xd.sum(x, axis=1)


@pytest.mark.parametrize("element", FLOATS + INTEGERS)
def test_short_way_to_a_type_and_into_a_tensor(element: str) -> None:
    """Beside the dispatcher's, which a subclass of tensors takes; also into tensors with gaps, and into one that is an input."""
    class Watched(Tensor):
        pass

    x, y = samples(element, 6, 8), samples(element, 6, 8)
    types = [torch.float64, torch.float16, torch.float8_e5m2] + ([] if element in FLOATS else [torch.int64, torch.uint64])
    calls = [(f"{name} {dim} {keepdim}", lambda f=f, dim=dim, keepdim=keepdim, **o: f(o.pop("x", x), dim, keepdim, **o))
             for name, f in REDUCTIONS.items() for dim, keepdim in ((None, False), (0, False), (-1, True), (1, False))]
    calls += [("vecdot", lambda **o: xt.vecdot(o.pop("x", x), y, **o)), ("vecdot 0", lambda **o: xt.vecdot(o.pop("x", x), y, dim=0, **o)),
              ("dot", lambda **o: xt.dot(o.pop("x", x)[0], y[0], **o)), ("mv", lambda **o: xt.mv(o.pop("x", x), y[1], **o))]
    for name, call in calls:
        for dtype in [None] if name[:3] in ("max", "min") else types:
            more = {} if dtype is None else {"dtype": dtype}
            integers = dtype in (torch.int64, torch.uint64)
            if integers and (element == "uint64") != (dtype is torch.uint64) or (integers and not name.startswith(("sum", "vecdot", "dot", "mv"))):
                continue
            wanted = call(x=x.as_subclass(Watched), **more).as_subclass(Tensor)
            found = call(**more)
            assert found.dtype is wanted.dtype and found.shape == wanted.shape and pattern(found) == pattern(wanted), (name, dtype)
            out = torch.zeros(2, *found.shape, dtype=found.dtype).movedim(0, -1)[..., 0]
            assert call(out=out, **more) is out and pattern(out) == pattern(wanted), (name, dtype)
    if element in FLOATS:
        for wanted, call in ((xt.sum(x, 0), lambda of: xt.sum(of, 0, out=of[2])), (xt.mv(x.t(), x[:, 0]), lambda of: xt.mv(of.t(), of[:, 0], out=of[2])),
                             (xt.vecdot(x, y, dim=0), lambda of: xt.vecdot(of, y, dim=0, out=of[2]))):
            changed = x.clone()
            call(changed)
            assert pattern(changed[2]) == pattern(wanted) and pattern(changed[:2]) == pattern(x[:2]) and pattern(changed[3:]) == pattern(x[3:])


@pytest.mark.skipif(not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"), reason="PyTorch before 2.10")
def test_plain_tensors_are_described_by_pytorchs_functions() -> None:
    """By none of the attributes that are read otherwise."""
    code = """
import torch, exactdot.torch as xt
x = torch.ones(3, 4)
for name in ("data_ptr", "shape", "stride"):
    setattr(torch.Tensor, name, property(lambda self: 1 / 0))
assert xt._reduction_operators.reduce_plain_tensors("sum", x, None, None, False, None, None, None).item() == 12
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_takes_the_short_way() -> None:
    from exactdot import _engine
    short, normalised, x, y = _engine._reduce_plain_tensors, _engine._normalise_plain_tensors, torch.ones(3, 4), torch.ones(4)
    nothing = (False, None, None, None)
    for name, a, b, dim in (("sum", x, None, None), ("max", x, None, 1), ("var", x, None, [0, 1]), ("norm", x, None, (-1,)), ("dot", y, y, None),
                            ("vecdot", x, y, -1), ("matvec", x, y, None)):
        assert isinstance(short(name, a, b, dim, *nothing), Tensor), name
    assert isinstance(normalised("layer_norm", x, (4,), y, y, 1e-5), Tensor) and isinstance(normalised("rms_norm", x.half(), 4, y, None, 1e-5), Tensor)
    with torch.no_grad():
        assert isinstance(short("sum", x.clone().requires_grad_(), None, None, *nothing), Tensor)
    negative = torch.ones(3, dtype=torch.complex64).conj().imag
    for name, a, b, dim in (("sum", negative, None, None), ("sum", x.clone().requires_grad_(), None, None), ("sum", x, None, 2), ("sum", x, None, (0, 0)),
                            ("sum", x, None, True), ("sum", torch.ones([1] * 17), None, None), ("sum", torch.ones(()), None, None), ("vecdot", x, y, None),
                            ("vecdot", x, y.double(), -1), ("sum", x.to_sparse(), None, None), ("mean", x.int(), None, None),
                            ("sum", torch.ones(4, dtype=torch.uint8).view(torch.uint4), None, None), ("sum", torch._efficientzerotensor((3,)), None, None)):
        assert short(name, a, b, dim, *nothing) is None, (name, dim)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert short("sum", x, None, None, *nothing) is None
    assert xt.sum(torch._efficientzerotensor((3,))).item() == 0
    assert normalised("layer_norm", x.t(), 3, None, None, 1e-5) is None and normalised("rms_norm", x, (3, 4), None, None, 1e-5) is None


def test_fractions_of_parameters_and_without_ml_dtypes() -> None:
    p = torch.nn.Parameter(torch.tensor([1.0, 2.0, 4.0]))
    assert xt.var(p, correction=0.5).grad_fn is not None
    with torch.no_grad():
        assert xt.var(p, correction=0.5).item() == xt.var(p.detach(), correction=0.5).item() and xt.std(p, correction=0.5).item() > 0
    code = """
import sys
sys.modules["ml_dtypes"] = None
import torch, exactdot.torch as xt
class Watched(torch.Tensor):
    pass
x = torch.tensor([1.0, 2.0, 4.0])
for dtype in (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2, torch.float16):
    for each in (x, x.as_subclass(Watched), x.to(dtype)):
        assert xt.var(each, correction=0.5, dtype=dtype).double().item() == torch.tensor(28 / 15).to(dtype).double().item()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_graphs_of_an_expanded_index_are_of_any_index() -> None:
    from torch.fx.experimental.proxy_tensor import make_fx
    x, source, whole = torch.zeros(2, 3), torch.ones(4, 3), torch.tensor([[0, 1, 0], [1, 0, 1], [0, 1, 0], [1, 1, 1]])
    expanded = torch.tensor([0, 1, 1, 0]).unsqueeze(1).expand(4, 3)

    def call(x: Tensor, index: Tensor, source: Tensor) -> Tensor:
        return xt.scatter_add(x, 0, index, source)

    assert torch.equal(call(x, expanded, source), torch.scatter_add(x, 0, expanded, source))
    for graph in (make_fx(call)(x, expanded, source), torch.jit.trace(call, (x, expanded, source), check_trace=False)):
        assert torch.equal(graph(x, whole, source), torch.scatter_add(x, 0, whole, source))
    ones, sevens = torch.ones(2, 3), torch.full((2, 3), 7.0)
    for f in (lambda x: xt.sum(x, 1), lambda x: xt.vecdot(x, x), lambda x: xt.layer_norm(x, 3), lambda x: xt.scatter_add(x, 0, expanded[:2] * 0, x)):
        for before in (False, True):
            assert torch.equal(make_fx(f, pre_dispatch=before)(ones)(sevens), f(sevens)), before


def pass_by_attributes(selection: str, *files: str) -> None:
    """These tests pass where PyTorch has no exchange API of DLPack, as in 2.6 to 2.9."""
    code = """
import sys, torch
if hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
    del torch.Tensor.__dlpack_c_exchange_api__
import pytest
sys.exit(pytest.main(["-q", "-x", "-p", "no:cacheprovider", "-k", *sys.argv[1:]]))
"""
    done = subprocess.run([sys.executable, "-c", code, selection, *files], stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stdout


def test_before_pytorch_offered_its_c_functions() -> None:
    pass_by_attributes("(test_reductions or layouts or products or index_add or short_way) and not before", __file__, str(Path(__file__).with_name("test_bits.py")))
