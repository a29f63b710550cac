"""What is refused: the error's type, and a sentence that names the function and the argument. And versions of JAX that are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
pytest.importorskip("jax")  # before what imports it
import exactdot.jax as xj
import jax
import jax.numpy as jnp

X = jnp.ones((2, 3))
I = jnp.array([0, 1])
WRONG: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    ("no array", lambda: xj.sum([1.0]), TypeError, "sum: x is a list; use an array"),
    ("text", lambda: xj.mean("1"), TypeError, "mean: x is a str"),
    ("complex", lambda: xj.sum(X + 1j), TypeError, "sum: x is of complex64, which has no exact sums; reduce its real and imaginary parts"),
    ("int4", lambda: xj.sum(X.astype(jnp.int4)), TypeError, "sum: x is of int4, which has no exact sums; use floats or integers"),
    ("axis", lambda: xj.sum(X, 2), ValueError, "sum: axis 2 of an array of 2 dimensions; expected -2 to 1"),
    ("axis of a scalar", lambda: xj.mean(1.0, 0), ValueError, "mean: axis 0 of an array of 0 dimensions; expected None or ()"),
    ("axis twice", lambda: xj.var(X, (1, -1)), ValueError, "var: axis is (1, -1), which names an axis twice"),
    ("axis of floats", lambda: xj.sum(X, 1.0), TypeError, "sum: axis is 1.0; use an integer, a tuple of integers, or None"),
    ("axis of text", lambda: xj.sum(X, "0"), TypeError, "sum: axis is '0'"),
    ("axis of booleans", lambda: xj.norm(X, axis=True), TypeError, "norm: axis is True"),
    ("axis of arrays", lambda: xj.norm(X, axis=jnp.ones(2)), TypeError, "norm: axis, keepdims, dtype or ddof is an array"),
    ("keepdims", lambda: xj.sum(X, keepdims=1), TypeError, "sum: keepdims is 1; use True or False"),
    ("dtype", lambda: xj.sum(X, dtype=jnp.int32), TypeError, "sum: dtype is int32; use a floating-point type"),
    ("dtype of a mean", lambda: xj.mean(I, dtype="int32"), TypeError, "mean: dtype is int32; use a floating-point type"),
    ("dtype of sums", lambda: xj.sum(I, dtype=bool), TypeError, "sum: dtype is bool; use a floating-point type, or an integer type"),
    ("no dtype", lambda: xj.sum(X, dtype="spam"), TypeError, "sum: dtype is 'spam'; use a dtype"),
    ("float64", lambda: xj.sum(X, dtype="float64"), TypeError,
     "sum: dtype is float64; JAX has it only after jax.config.update('jax_enable_x64', True)"),
    ("ddof", lambda: xj.var(X, ddof=-1), ValueError, "var: ddof is -1; use an integer, 0 or more"),
    ("ddof with a fraction", lambda: xj.std(X, ddof=1.5), TypeError, "std: ddof is 1.5"),
    ("ddof of booleans", lambda: xj.std(X, ddof=True), TypeError, "std: ddof is True"),
    ("dot shapes", lambda: xj.dot(X, X), ValueError, "dot: a has 2 dimensions, b 2; use vectors, or vecdot"),
    ("dot lengths", lambda: xj.dot(X[0], X[0, :2]), ValueError, "dot: the vectors differ in length: 3 and 2"),
    ("dot types", lambda: xj.dot(X[0], I), TypeError, "dot: a holds float32, b int32; convert one"),
    ("vecdot lengths", lambda: xj.vecdot(X, X[0, :1]), ValueError, "vecdot: the vectors differ in length: 3 and 1"),
    ("vecdot shapes", lambda: xj.vecdot(X, jnp.ones((3, 3))), ValueError, "vecdot: shapes (2, 3) and (3, 3) do not broadcast"),
    ("vecdot axis", lambda: xj.vecdot(X, X[0], axis=0), ValueError, "vecdot: the vectors differ in length: 2 and 3"),
    ("vecdot axis out of range", lambda: xj.vecdot(X, X, axis=2), ValueError, "vecdot: axis 2 of an array of 2 dimensions"),
    ("vecdot axes", lambda: xj.vecdot(X, X, axis=(0, 1)), TypeError, "vecdot: axis is (0, 1)"),
    ("vecdot of scalars", lambda: xj.vecdot(1.0, X), ValueError, "vecdot: a has 0 dimensions, b 2"),
    ("ids of floats", lambda: xj.segment_sum(X, X[0, :2], 2), TypeError, "segment_sum: segment_ids is of float32; use integers"),
    ("number of ids", lambda: xj.segment_sum(X, jnp.zeros(3, int), 2), ValueError, "segment_sum: data has shape (2, 3), segment_ids (3,)"),
    ("shape of ids", lambda: xj.segment_sum(X, jnp.zeros((2, 3), int), 2), ValueError, "segment_sum: data has shape (2, 3), segment_ids (2, 3)"),
    ("data of scalars", lambda: xj.segment_sum(1.0, 0, 2), ValueError, "segment_sum: data has shape ()"),
    ("num_segments", lambda: xj.segment_sum(X, I, -1), ValueError, "segment_sum: num_segments is -1; use an integer, 0 or more"),
    ("num_segments of floats", lambda: xj.segment_sum(X, I, 2.0), TypeError, "segment_sum: num_segments is 2.0"),
    ("num_segments traced", lambda: jax.jit(lambda i: xj.segment_sum(X, i))(I), TypeError, "segment_sum: num_segments is missing; pass it"),
    ("take ids", lambda: xj.take(X, X), TypeError, "take: ids is of float32; use integers"),
    ("take of scalars", lambda: xj.take(1.0, 0), ValueError, "take: x has no dimension; rows lie along the first"),
]


@pytest.mark.parametrize("call, kind, sentence", [pytest.param(*rest, id=name) for name, *rest in WRONG])
def test_refusals(call: Callable[[], Any], kind: type[Exception], sentence: str) -> None:
    for f in (call, jax.jit(call)):
        with pytest.raises(kind) as caught:
            f()
        assert type(caught.value) is kind and str(caught.value).startswith(sentence)


def test_refusals_do_not_depend_on_earlier_calls() -> None:
    """Checked arguments are remembered; 1 and True are not the same."""
    xj.sum(X, keepdims=True), xj.sum(X, 1), xj.var(X, ddof=1)
    for call in (lambda: xj.sum(X, keepdims=1), lambda: xj.sum(X, True), lambda: xj.var(X, ddof=True), lambda: xj.var(X, ddof=1.0)):
        with pytest.raises(TypeError):
            call()
    assert xj.sum(X, np.int64(1), keepdims=np.bool_(True)).shape == (2, 1)


def run(code: str, *path: Path) -> str:
    folders = [*map(str, path), *sys.path]
    code = f"import sys; sys.path[:] = {folders!r}\n{code}"
    return subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True, timeout=240).stdout.strip()


def test_jax_is_imported_by_its_module_alone() -> None:
    assert run("import exactdot; print('jax' in sys.modules, 'jaxlib' in sys.modules)") == "False False"


def test_jax_that_is_missing_or_too_old(tmp_path: Path) -> None:
    found = "try:\n    import exactdot.jax\nexcept ImportError as e:\n    print(type(e).__name__, e.name, e)"
    remedy = "exactdot.jax needs JAX 0.5 or later: pip install -U jax; "
    assert run("sys.modules['jax'] = None\n" + found) == f"ModuleNotFoundError jax {remedy}it is not installed"
    (tmp_path / "jax.py").write_text("__version__, __version_info__ = '0.4.30', (0, 4, 30)")
    assert run(found, tmp_path) == f"ImportError None {remedy}this is 0.4.30, whose arrays functions of exactdot itself take"
    refusing = "import jax\ndef refuse(*_, **__): raise RuntimeError('version')\njax.ffi.register_ffi_target = refuse\n"
    assert "refuses the handlers of this exactdot, of versions 0.1 to 0.5 of XLA's FFI" in run(refusing + found)
