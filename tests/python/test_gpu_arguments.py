"""The arguments of reductions over axes, segments and groups of arrays in GPU memory, checked before a GPU is needed.

The arrays are host memory that claims to be a GPU's: a call whose arguments are right needs a GPU, and there is none.
"""

from __future__ import annotations

from typing import Any, Callable

import exactdot as xd
import numpy as np
import pytest

from dlpack_capsules import on_gpu
from test_inputs import OnGpu

HAS_GPU = bool(xd.info()["cuda"]["devices"])
X, Y = on_gpu(np.ones((2, 3))), on_gpu(np.ones(3))
OUT, KEYS = on_gpu(np.zeros(3)), on_gpu(np.array([0, 1]))
ON_HOST, ELSEWHERE = np.ones((2, 3)), on_gpu(np.ones((2, 3)), 1)


class There(OnGpu):
    """Memory that the GPU of the call would have to look for."""


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: xd.sum(X, axis=2), IndexError, "sum: axis is 2, the array has 2 dimensions"),
    (lambda: xd.sum(Y, axis=1), IndexError, "sum: axis is 1, the array has 1 dimension"),
    (lambda: xd.sum(X, axis=(0, -2)), ValueError, "sum: axis 0 is named twice"),
    (lambda: xd.argmax(X, axis=(0, 1)), TypeError, "argmax: axis is a tuple"),
    (lambda: xd.sum(X, axis=0, dtype="c8"), ValueError, "sum: dtype is complex64"),
    (lambda: xd.sum(X, axis=0, negative_zero=True), ValueError, "sum: negative_zero is for all of one vector"),
    (lambda: xd.sum(X, axis=0, device="cpu"), ValueError, "sum: device is cpu, but x is in the memory of GPU 0"),
    (lambda: xd.sum(X, axis=0, out=np.zeros(3)), ValueError, "sum: out: is on another device than x"),
    (lambda: xd.sum(ON_HOST, axis=0, out=OUT), ValueError, "sum: out: is on another device than x"),
    (lambda: xd.sum(X, axis=1, out=OUT), ValueError, r"sum: out has shape \(3,\), the results have \(2,\)"),
    (lambda: xd.sum(X, axis=0, keepdims=True, out=OUT), ValueError, r"the results have \(1, 3\)"),
    (lambda: xd.sum(X, out=X), ValueError, r"sum: out has shape \(2, 3\), the results have \(\)"),
    (lambda: xd.sum(Y, out=on_gpu(np.zeros((1, 1)))), ValueError, "sum: out has 2 dimensions; use a 1-D array"),
    (lambda: xd.sum(X, axis=0, out=on_gpu(np.zeros(3), 1)), ValueError, "sum: out is on GPU 1, x on GPU 0"),
    (lambda: xd.sum(X, axis=0, dtype="f4", out=OUT), ValueError, "sum: out does not have the dtype"),
    (lambda: xd.sum(X, axis=0), ValueError, "sum: several results of float64 in GPU memory are new arrays of PyTorch, "
                                            "CuPy or JAX; pass out"),
    (lambda: xd.dot(X, X), ValueError, "dot: a: has 2 dimensions; use a 1-D array"),
    (lambda: xd.vecdot(X, on_gpu(np.ones(2))), ValueError, "vecdot: the vectors differ in length: 3 and 2"),
    (lambda: xd.vecdot(X, ELSEWHERE), ValueError, "vecdot: a is on GPU 0, b on GPU 1; copy one of them"),
    (lambda: xd.vecdot(X, np.ones(3)), ValueError, "vecdot: a is in GPU memory, b in host memory"),
    (lambda: xd.vecdot(X, on_gpu(np.ones(3, int))), TypeError, "integers and floating-point numbers do not mix"),
    (lambda: xd.matvec(Y, Y), ValueError, "matvec: a has 1 dimensions; use a matrix"),
    (lambda: xd.matvec(X, on_gpu(np.ones((3, 3))), out=OUT), ValueError, "the results have"),
    (lambda: xd.segment_sum(X, KEYS), ValueError, "segment_sum: x: has 2 dimensions"),
    (lambda: xd.segment_sum(Y, [0, 3], out=OUT), ValueError, "offsets: lie in host memory, the vector in GPU memory"),
    (lambda: xd.segment_sum(np.ones(3), KEYS), ValueError, "offsets: lie in GPU memory, the vector in host memory"),
    (lambda: xd.segment_sum(Y, on_gpu(np.ones(2)), out=OUT), TypeError, "offsets: holds float64; use integers"),
    (lambda: xd.segment_sum(Y, on_gpu(np.array([0, 3]), 1)), ValueError, "offsets: lie on GPU 1, the vector on GPU 0"),
    (lambda: xd.group_sum(X, [0, 1], 2), ValueError, "group_sum: keys: lie in host memory, the vector in GPU memory"),
    (lambda: xd.group_sum(ON_HOST, KEYS, 2), ValueError, "keys: lie in GPU memory, the vector in host memory"),
    (lambda: xd.group_sum(X, KEYS), ValueError, "group_sum: groups is missing; the greatest key is in GPU memory"),
    (lambda: xd.group_count(KEYS), ValueError, "group_count: groups is missing"),
    (lambda: xd.group_sum(X, KEYS, -1), ValueError, "group_sum: groups is -1; use 0 or more"),
    (lambda: xd.group_count(Y, 2), TypeError, "group_count: keys: holds float64; use integers"),
    (lambda: xd.norm([X, ON_HOST]), ValueError, r"norm: x\[1\] is in host memory, x\[0\] in GPU memory"),
    (lambda: xd.norm([ON_HOST, X]), ValueError, r"norm: x\[1\] is in GPU memory, x\[0\] in host memory"),
    (lambda: xd.norm([X, Y, ELSEWHERE]), ValueError, r"norm: x\[2\] is on GPU 1, x\[0\] on GPU 0"),
    (lambda: xd.norm([X, on_gpu(np.ones(2, "f4"))]), TypeError, r"norm: x\[1\] holds float32, x\[0\] float64"),
    (lambda: xd.norm([X], out=np.zeros(())), ValueError, r"norm: out: is on another device"),
    (lambda: xd.check(None), TypeError, "check: x: is not a vector"),
    (lambda: xd.check(ON_HOST, stream=1), ValueError, "check: stream is for vectors in GPU memory"),
    (lambda: xd.sum(There(shape=(2, 2), strides=(8,)), axis=0), TypeError, "no valid strides"),
    (lambda: xd.sum(There(shape=(2, "2")), axis=0), TypeError, "no valid shape"),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_wrong_arguments(case: int) -> None:
    call, kind, why = WRONG[case]
    with pytest.raises(kind, match=why):
        call()


@pytest.mark.skipif(HAS_GPU, reason="a GPU would read the memory")
def test_right_arguments_need_a_gpu() -> None:
    two = on_gpu(np.zeros(2))
    for call in (lambda: xd.sum(X), lambda: xd.sum(X, axis=0, out=OUT), lambda: xd.max(X, axis=-1, out=two),
                 lambda: xd.mean(X, axis=(0, 1), keepdims=True, out=on_gpu(np.zeros((1, 1)))),
                 lambda: xd.vecdot(X, Y, out=two), lambda: xd.matvec(X, Y, out=two, stream=5),
                 lambda: xd.segment_var(Y, KEYS, out=on_gpu(np.zeros(1))),
                 lambda: xd.group_std(X, KEYS, 4, out=on_gpu(np.zeros((4, 3)))),
                 lambda: xd.group_dot(X, X, KEYS, 4, out=on_gpu(np.zeros((4, 3))), skip_out_of_range=True),
                 lambda: xd.group_count(KEYS, 4, out=on_gpu(np.zeros(4, int))), lambda: xd.norm([X, Y]),
                 lambda: xd.check(X), lambda: xd.norm((Y, X), out=on_gpu(np.zeros(()))), lambda: xd.linalg.vector_norm(X, axis=1, out=two)):
        with pytest.raises(RuntimeError, match="GPU|CUDA"):
            call()
