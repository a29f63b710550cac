"""Arguments of rms_norm and layer_norm in GPU memory: types of parameters, shapes, `out`, and what is refused. Skipped without a GPU.

The host's results are tested against fractions in test_norms.py.
"""

from __future__ import annotations

from typing import Any

import exactdot as xd
import numpy as np
import pytest

from element_types import dtype_of
from test_gpu_reductions import converter

pytestmark = pytest.mark.skipif(not xd.info()["cuda"]["devices"], reason="no GPU")
TYPES = ["float16", "bfloat16", "float32", "float64"]


def bits(x: Any, dtype: str) -> list[int]:
    """The words of an array of any library."""
    size = dtype_of(dtype).itemsize
    if hasattr(x, "cpu"):
        import torch

        return x.view({2: torch.int16, 4: torch.int32, 8: torch.int64}[size]).cpu().ravel().tolist()
    return np.asarray(x.get() if hasattr(x, "get") else x).view(f"i{size}").ravel().tolist()


def arrays(dtype: str, shape: tuple[int, ...], of_parameters: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(len(shape))
    x = generator.standard_normal(shape) * 2.0 ** generator.integers(-9, 9, (*shape[:-1], 1))
    weight, bias = generator.standard_normal((2, shape[-1]))
    of = dtype_of(dtype)
    return x.astype(of), weight.astype(dtype_of(of_parameters)), bias.astype(dtype_of(of_parameters))


@pytest.mark.parametrize("framework", ["torch", "cupy"])
@pytest.mark.parametrize("dtype", TYPES)
def test_bits_are_those_of_the_host(framework: str, dtype: str) -> None:
    for of_parameters in {dtype, "float32"}:
        to, to_parameters = converter(framework, dtype), converter(framework, of_parameters)
        for shape in ((7,), (3, 31), (2, 3, 1024), (5, 4097), (0, 4), (4, 0)):
            x, weight, bias = arrays(dtype, shape, of_parameters)
            w, b = to_parameters(weight), to_parameters(bias)
            assert bits(xd.rms_norm(to(x)), dtype) == bits(xd.rms_norm(x), dtype)
            assert bits(xd.rms_norm(to(x), w, epsilon=0), dtype) == bits(xd.rms_norm(x, weight, epsilon=0), dtype)
            found = xd.layer_norm(to(x), w, b)
            assert tuple(found.shape) == shape and type(found) is type(to(x))
            assert bits(found, dtype) == bits(xd.layer_norm(x, weight, bias), dtype)


def test_out_is_written_and_placement_is_checked() -> None:
    to = converter("torch", "float32")
    x, weight, bias = arrays("float32", (4, 33), "float32")
    out = to(np.zeros((4, 33), "f4"))
    assert xd.layer_norm(to(x), to(weight), to(bias), out=out) is out
    assert bits(out, "float32") == bits(xd.layer_norm(x, weight, bias), "float32")
    with pytest.raises(ValueError, match="weight lies in host memory, x in GPU memory"):
        xd.rms_norm(to(x), weight)
    with pytest.raises(ValueError, match="bias lies in GPU memory, x in host memory"):
        xd.layer_norm(x, weight, to(bias))
    with pytest.raises(ValueError, match="rows of x have gaps"):
        xd.rms_norm(to(x)[:, ::2])
    with pytest.raises(ValueError, match="weight has gaps"):
        xd.rms_norm(to(x)[:, :16].contiguous(), to(weight)[:32:2])
    with pytest.raises(ValueError, match="results lie within x"):
        xd.rms_norm(given := to(x), out=given)
