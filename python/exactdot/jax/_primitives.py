"""The primitives of JAX: how each is lowered, batched and differentiated.

Why primitives, and not jax.custom_vjp of jax.ffi.ffi_call: custom_vjp refuses forward mode (jvp, jacfwd, hessian), and
ffi_call moves the batch of a vmap to the front, which copies arrays. Here a batch is a dimension more wherever it lies,
since results keep the reduced dimensions with length 1. A rule gives the tangent, by exact sums; its transpose is the
gradient. Whatever rounds is computed by a handler of the extension: XLA's quotients and products have other bits within jit
than without (python/src/xla_elements.hpp). Measured in docs/experiments.md.
Source of the formulas: derivatives.yaml of PyTorch.
"""

from __future__ import annotations

import functools
import math
from typing import Any, Callable, Sequence

import jax
import jax.export  # a module of its own
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from exactdot import _engine

Rule = Callable[..., Any]
FLOAT32, FLOAT64 = np.dtype("float32"), np.dtype("float64")
_handlers: dict[str, Any] = _engine._xla_handlers()  # type: ignore[attr-defined]


def new_primitive(name: str, shape_of: Rule, batch: Rule, jvp: Rule, transpose: Rule | None,
                  body: Rule | None = None) -> Primitive:
    """A primitive of one result. shape_of(*shapes, **options): the result's shape; its type is the option dtype, or that
    of the first operand. `body`: a function of JAX that computes it; without one, the handler of that name does."""
    primitive = Primitive(f"exactdot_{name}")

    def abstract(x: Any, *others: Any, **options: Any) -> Any:
        shape = shape_of(x.shape, *(each.shape for each in others), **options)
        sharding = replicated(getattr(x, "sharding", None), len(shape))
        return x.update(shape=tuple(shape), dtype=options.get("dtype", x.dtype), weak_type=False, **sharding)

    @functools.lru_cache(maxsize=1024)
    def compiled(options: tuple[tuple[str, Any], ...]) -> Rule:
        return jax.jit(functools.partial(primitive.bind, **dict(options)))

    def compute(*operands: Any, **options: Any) -> Any:
        function = compiled(tuple(options.items()))
        if not jax.config.jax_disable_jit:
            return function(*operands)
        with jax.disable_jit(False):  # jit of the primitive alone: it computes nothing else
            return function(*operands)

    primitive.def_abstract_eval(abstract)
    primitive.def_impl(compute)
    batching.primitive_batchers[primitive] = functools.partial(batch, primitive)
    ad.primitive_jvps[primitive] = functools.partial(jvp, primitive)
    if transpose is not None:
        ad.primitive_transposes[primitive] = transpose
    if body is not None:
        mlir.register_lowering(primitive, mlir.lower_fun(body, multiple_results=False))
        return primitive
    lower = lowering_of(name)
    mlir.register_lowering(primitive, functools.partial(refuse_platform, name))
    mlir.register_lowering(primitive, lower, platform="cpu")
    return primitive


def replicated(sharding: Any, dimensions: int) -> dict[str, Any]:
    """The sharding of a result as an argument of its aval's update: each device has all of it, since the operands are
    gathered. Versions of JAX without shardings in types have none."""
    if not isinstance(sharding, jax.sharding.NamedSharding):
        return {}
    whole = jax.sharding.PartitionSpec(*[None] * dimensions)
    return {"sharding": jax.sharding.NamedSharding(sharding.mesh, whole)}


def gathered(x: Any) -> Any:
    """x as a whole on each device, where its type says how it is sharded; its gradient is sharded as x is."""
    sharding, reshard = getattr(x.aval, "sharding", None), getattr(jax.sharding, "reshard", None)
    if not isinstance(sharding, jax.sharding.NamedSharding) or reshard is None or not any(sharding.spec):
        return x
    return reshard(x, replicated(sharding, x.ndim)["sharding"])


def target_of(name: str) -> str:
    """What XLA calls a handler. With a version, since exported programs name it: another one where a call means another
    thing."""
    return f"exactdot_{name}_v1"


def lowering_of(name: str) -> Rule:
    """The call of a handler. Raises ImportError if XLA does not take it."""
    target = target_of(name)
    try:
        jax.ffi.register_ffi_target(target, _handlers[name], platform="cpu")
    except Exception as refused:
        raise ImportError(f"exactdot.jax: JAX {jax.__version__} refuses the handlers of this exactdot, of versions 0.1 "
                          "to 0.5 of XLA's FFI; install another version of one of them") from refused
    call = jax.ffi.ffi_lowering(target)
    return lambda ctx, *operands, number=0, **_: call(ctx, *operands, number=np.int64(number))


def refuse_platform(name: str, ctx: Any, *_: Any, **__: Any) -> Any:
    raise NotImplementedError(f"exactdot.jax: {name} is computed on CPUs; functions of exactdot itself take JAX's "
                              "arrays in GPU memory, outside of jit, and jax.device_put(x, jax.devices('cpu')[0]) copies x to the "
                              "host")


# ---- Shapes and batches ----

def common_shape(a: Sequence[int], b: Sequence[int]) -> list[int]:
    return [m if n == 1 else n for n, m in zip(a, b)]


def stretched_axes(shape: Sequence[int], to: Sequence[int]) -> tuple[int, ...]:
    """The axes of length 1 along which an array is repeated to have the other shape."""
    return tuple(i for i, (n, m) in enumerate(zip(shape, to)) if n != m)


def reduced_shape(*shapes: Sequence[int], axes: tuple[int, ...], **_: Any) -> list[int]:
    return [1 if i in axes else n for i, n in enumerate(functools.reduce(common_shape, shapes))]


def aligned(operands: Any, dims: Any) -> tuple[list[Any], int]:
    """The operands with the dimension of the batch at one place; those that have none get one of length 1."""
    at = next(d for d in dims if d is not None)
    return [jnp.expand_dims(x, at) if d is None else jnp.moveaxis(x, d, at) for x, d in zip(operands, dims)], at


def batch_elements(primitive: Primitive, operands: Any, dims: Any, **options: Any) -> Any:
    operands, at = aligned(operands, dims)
    return primitive.bind(*operands, **options), at


def batch_axes(primitive: Primitive, operands: Any, dims: Any, *, axes: tuple[int, ...], **options: Any) -> Any:
    operands, at = aligned(operands, dims)
    return primitive.bind(*operands, axes=tuple(axis + (axis >= at) for axis in axes), **options), at


def linear_jvp(primitive: Primitive, primals: Any, tangents: Any, **options: Any) -> Any:
    """Of what is linear in the first operand; the other ones are integers."""
    return primitive.bind(*primals, **options), primitive.bind(tangents[0], *primals[1:], **options)


def transposed(rule: Rule) -> Rule:
    """rule(ct, x, *others): the cotangent of x, the first operand; the other ones have none."""
    def transpose(ct: Any, x: Any, *others: Any, **options: Any) -> Any:
        return [ct if type(ct) is ad.Zero else rule(ct, x, *others, **options), *(None for _ in others)]

    return transpose


# ---- Element by element ----

def wide_of(*dtypes: Any) -> Any:
    """The type of what derivatives compute in between."""
    return FLOAT64 if FLOAT64 in dtypes else FLOAT32


def sum_to(x: Any, aval: Any) -> Any:
    """x, summed along the dimensions of length 1 of `aval`, in its type."""
    axes = stretched_axes(aval.shape, x.shape)
    return SUM.bind(x, axes=axes, dtype=aval.dtype, number=0) if axes else converted(x, aval.dtype)


def spread_to(x: Any, aval: Any) -> Any:
    """x, repeated along its dimensions of length 1, in the type of `aval`."""
    x = converted(x, aval.dtype)
    return SPREAD.bind(x, shape=tuple(aval.shape)) if x.shape != aval.shape else x


def converted(x: Any, dtype: Any) -> Any:
    return x if x.dtype == dtype else quotient(x, 1, dtype)


def quotient(a: Any, b: Any, dtype: Any) -> Any:
    """a/b, for a number b, a symbolic one, or an array, where 0 divides to 0."""
    if isinstance(b, int):
        return QUOTIENT.bind(a, dtype=dtype, number=b)
    if jax.export.is_symbolic_dim(b):  # an integer array, which the handler reads as doubles: float32 may not hold it
        b = jnp.asarray(b).reshape((1,) * a.ndim)
    return QUOTIENT.bind(a, b, dtype=dtype, number=0)


def contraction(a: Any, b: Any, axes: tuple[int, ...], dtype: Any) -> Any:
    """Σ a·b over axes; without axes the products."""
    return VECDOT.bind(a, b, axes=axes, dtype=dtype) if axes else PRODUCT.bind(a, b, dtype=dtype)


def jvp_of_product(primitive: Primitive, primals: Any, tangents: Any, *, axes: tuple[int, ...] = (), dtype: Any) -> Any:
    (a, b), (of_a, of_b) = primals, tangents
    terms = [contraction(x, y, axes, dtype) for x, y in ((of_a, b), (a, of_b)) if ad.Zero not in (type(x), type(y))]
    return contraction(a, b, axes, dtype), functools.reduce(jnp.add, terms)


def transpose_product(ct: Any, a: Any, b: Any, *, axes: tuple[int, ...] = (), dtype: Any) -> Any:
    """Of a·b: Σ ct·b over the dimensions along which a was repeated."""
    def of(x: Any, other: Any) -> Any:
        if type(ct) is ad.Zero or not ad.is_undefined_primal(x):
            return ct if ad.is_undefined_primal(x) else None
        return contraction(ct, other, stretched_axes(x.aval.shape, common_shape(ct.shape, other.shape)), x.aval.dtype)

    return [of(a, b), of(b, a)]


def jvp_of_quotient(primitive: Primitive, primals: Any, tangents: Any, *, dtype: Any, number: int) -> Any:
    """ȧ/b − (a/b)·ḃ/b."""
    if len(primals) == 1:
        return linear_jvp(primitive, primals, tangents, dtype=dtype, number=number)
    (a, b), (of_a, of_b) = primals, tangents
    result, terms = quotient(a, b, dtype), []
    if type(of_a) is not ad.Zero:
        terms.append(quotient(of_a, b, dtype))
    if type(of_b) is not ad.Zero:
        terms.append(-quotient(contraction(result, of_b, (), wide_of(a.dtype, b.dtype)), b, dtype))
    return result, functools.reduce(jnp.add, terms)


def jvp_of_difference(primitive: Primitive, primals: Any, tangents: Any, *, dtype: Any) -> Any:
    of_a, of_b = (jnp.zeros(x.shape, x.dtype) if type(t) is ad.Zero else t for x, t in zip(primals, tangents))
    return primitive.bind(*primals, dtype=dtype), primitive.bind(of_a, of_b, dtype=dtype)


def transpose_difference(ct: Any, a: Any, b: Any, *, dtype: Any) -> Any:
    if type(ct) is ad.Zero:
        return [ct, ct]
    return [sum_to(ct, a.aval) if ad.is_undefined_primal(a) else None,
            -sum_to(ct, b.aval) if ad.is_undefined_primal(b) else None]


def elements_shape(*shapes: Sequence[int], **_: Any) -> list[int]:
    return list(functools.reduce(common_shape, shapes))


def batch_spread(primitive: Primitive, operands: Any, dims: Any, *, shape: tuple[int, ...]) -> Any:
    (x,), (at,) = operands, dims
    return primitive.bind(x, shape=shape[:at] + (x.shape[at],) + shape[at:]), at


PRODUCT = new_primitive("product", elements_shape, batch_elements, jvp_of_product, transpose_product)
DIFFERENCE = new_primitive("difference", elements_shape, batch_elements, jvp_of_difference, transpose_difference)
QUOTIENT = new_primitive("quotient", elements_shape, batch_elements, jvp_of_quotient, transposed(
    lambda ct, a, *b, dtype, number: quotient(ct, b[0] if b else number, a.aval.dtype)))
SPREAD = new_primitive("spread", lambda x, shape: shape, batch_spread, linear_jvp, transposed(
    lambda ct, x, shape: sum_to(ct, x.aval)), body=lambda x, shape: jnp.broadcast_to(x, shape))


# ---- Reductions ----

def count_of(x: Any, axes: tuple[int, ...]) -> Any:
    """An integer; of symbolic shapes a symbolic one."""
    return math.prod(x.shape[axis] for axis in axes)


def deviations(x: Any, axes: tuple[int, ...], dtype: Any) -> Any:
    """x − m with the exact mean m, rounded to `dtype` as the difference is."""
    return DIFFERENCE.bind(x, MEAN.bind(x, axes=axes, dtype=dtype, number=0), dtype=dtype)


def slope_of_var(x: Any, t: Any, axes: tuple[int, ...], wide: Any, ddof: int, factor: int) -> Any:
    """factor·Σ (x − m)·ẋ/(n − ddof), NaN where the variance is."""
    slope, divisor = factor * contraction(deviations(x, axes, wide), t, axes, wide), count_of(x, axes) - ddof
    if jax.export.is_symbolic_dim(divisor):
        defined = jnp.where(jnp.asarray(divisor) > 0, 1.0, math.nan).astype(wide).reshape((1,) * x.ndim)
        return quotient(contraction(slope, defined, (), wide), divisor, wide)
    return quotient(slope, divisor, wide) if divisor > 0 else slope * math.nan


def tangent_of_var(x: Any, t: Any, result: Any, axes: tuple[int, ...], wide: Any, ddof: int) -> Any:
    return converted(slope_of_var(x, t, axes, wide, ddof, 2), result.dtype)


def tangent_of_std(x: Any, t: Any, result: Any, axes: tuple[int, ...], wide: Any, ddof: int) -> Any:
    return quotient(slope_of_var(x, t, axes, wide, ddof, 1), result, result.dtype)


def tangent_of_norm(x: Any, t: Any, result: Any, axes: tuple[int, ...], wide: Any, ddof: int) -> Any:
    return quotient(contraction(x, t, axes, wide), result, result.dtype)


def tangent_of_asum(x: Any, t: Any, result: Any, axes: tuple[int, ...], wide: Any, ddof: int) -> Any:
    return contraction(jnp.sign(x), t, axes, result.dtype)


def tangent_of_squares(x: Any, t: Any, result: Any, axes: tuple[int, ...], wide: Any, ddof: int) -> Any:
    return 2 * contraction(x, t, axes, result.dtype)


def new_reduction(name: str, tangent: Rule) -> Primitive:
    def jvp(primitive: Primitive, primals: Any, tangents: Any, *, axes: tuple[int, ...], dtype: Any,
            number: int) -> Any:
        (x,), (t,) = primals, tangents
        result = primitive.bind(x, axes=axes, dtype=dtype, number=number)
        return result, tangent(x, t, result, axes, wide_of(x.dtype, dtype), number)

    return new_primitive(name, reduced_shape, batch_axes, jvp, None)


VECDOT = new_primitive("vecdot", reduced_shape, batch_axes, jvp_of_product, transpose_product)
SUM = new_primitive("sum", reduced_shape, batch_axes, linear_jvp, transposed(
    lambda ct, x, axes, dtype, number: spread_to(ct, x.aval)))
MEAN = new_primitive("mean", reduced_shape, batch_axes, linear_jvp, transposed(
    lambda ct, x, axes, dtype, number: spread_to(quotient(ct, count_of(x.aval, axes), x.aval.dtype), x.aval)))
REDUCTIONS = {"sum": SUM, "mean": MEAN} | {name: new_reduction(name, tangent) for name, tangent in {
    "var": tangent_of_var, "std": tangent_of_std, "norm": tangent_of_norm, "asum": tangent_of_asum,
    "sum_of_squares": tangent_of_squares}.items()}


# ---- Rows by a key: sums into groups, and the groups' rows at the places of their keys; transposes of each other ----

def batch_rows(primitive: Primitive, operands: Any, dims: Any, *, number: int, **options: Any) -> Any:
    """number: the axis of rows. A batch of keys goes in front of the other dimensions; one of rows alone stays behind."""
    (x, keys), (at, of_keys) = operands, dims
    if of_keys is not None:
        x = jnp.expand_dims(x, 0) if at is None else jnp.moveaxis(x, at, 0)
        return primitive.bind(x, jnp.moveaxis(keys, of_keys, 0), number=number + 1, **options), 0
    if at < keys.ndim - 1:
        x, at = jnp.moveaxis(x, at, keys.ndim - 1), keys.ndim - 1
    return primitive.bind(x, keys, number=number + (number >= at), **options), at


def rows_shape(x: Sequence[int], keys: Sequence[int], count: int, number: int) -> list[int]:
    batch = len(keys) - 1
    shape = common_shape(x[:batch], keys) + list(x[batch:])
    shape[number] = count
    return shape


def taken_rows(x: Any, keys: Any, *, number: int) -> Any:
    """The rows at the keys, along axis `number`; of a key out of range zeros."""
    batch = keys.ndim - 1
    x = jnp.moveaxis(x, number, batch)
    x = jnp.broadcast_to(x, keys.shape[:-1] + x.shape[batch:])
    groups = x.shape[batch]
    places = keys.astype(jnp.int64 if keys.dtype.itemsize == 8 else jnp.int32)  # what does not fit becomes negative
    places = jnp.where((places >= 0) & (places < groups), places, groups)

    def rows(x: Any, places: Any) -> Any:
        return x.at[places].get(mode="fill", fill_value=0) if groups else jnp.zeros(places.shape + x.shape[1:], x.dtype)

    for _ in range(batch):
        rows = jax.vmap(rows)
    return jnp.moveaxis(rows(x, places), batch, number)


def transpose_take(ct: Any, x: Any, keys: Any, *, number: int) -> Any:
    groups, dtype = x.aval.shape[number], x.aval.dtype
    return sum_to(SEGMENT_SUM.bind(ct, keys, number=number, groups=groups, dtype=dtype), x.aval)


TAKE = new_primitive("take", lambda x, keys, number: rows_shape(x, keys, keys[-1], number), batch_rows, linear_jvp,
                     transposed(transpose_take), body=taken_rows)
SEGMENT_SUM = new_primitive(
    "segment_sum", lambda x, keys, number, groups, dtype: rows_shape(x, keys, groups, number), batch_rows, linear_jvp,
    transposed(lambda ct, x, keys, number, groups, dtype: sum_to(TAKE.bind(ct, keys, number=number), x.aval)))
