"""Groups by an integer key: each result has the bits of the call on the elements of its group."""

from __future__ import annotations

from typing import Any

import exactdot as xd
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from element_types import FLOATS, INTEGERS, MEANS, OF_ML_DTYPES, SUMS, samples, vectors
from test_axes import result_dtype

ALL = [*SUMS, *MEANS, "min", "max"]
KEY_TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


def one_by_one(name: str, arrays: list[np.ndarray], keys: np.ndarray, groups: int, **options: Any) -> np.ndarray:
    """The results of vector calls on the elements of each group, in an array."""
    call = getattr(xd, name)
    dtype = result_dtype("sum" if name == "dot" else name, arrays[0].dtype.name)
    return np.array([call(*(x[keys == i] for x in arrays), **options) for i in range(groups)], dtype)


def same_bits(found: np.ndarray, expected: np.ndarray) -> bool:
    return (found.dtype == expected.dtype and found.shape == expected.shape
            and np.ascontiguousarray(found).tobytes() == np.ascontiguousarray(expected).tobytes())


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_every_reduction_and_type(name: str, dtype: str) -> None:
    x = samples(dtype, 60)
    group_call = getattr(xd, f"group_{name}")
    for array in (x, x[::-2], x.astype(x.dtype.newbyteorder()) if dtype not in OF_ML_DTYPES else x):
        shuffled = np.random.default_rng(6).permutation(np.arange(len(array)) % 7)
        for keys in (shuffled, np.sort(shuffled)):
            for key_type in KEY_TYPES:
                given = np.repeat(keys.astype(key_type), 2)[::2]
                expected = one_by_one(name, [array.astype(x.dtype)], given, 7)
                for groups in ((), (7,), (None,)):
                    assert same_bits(group_call(array, given, *groups), expected)
    if name in SUMS:
        assert group_call(x, np.zeros(60, int), 2)[1] == 0


@given(st.data())
def test_any_elements_and_keys(data: st.DataObject) -> None:
    x = data.draw(vectors(["float32", "float64"]))
    groups = data.draw(st.integers(1, 5))
    keys = np.array(data.draw(st.lists(st.integers(-1, groups), min_size=len(x), max_size=len(x))), "i8")
    name = data.draw(st.sampled_from([*SUMS, *MEANS]))
    threads = data.draw(st.integers(0, 3))
    found = getattr(xd, f"group_{name}")(x, keys, groups, skip_out_of_range=True, threads=threads)
    assert same_bits(found, one_by_one(name, [x], keys, groups))
    assert same_bits(xd.group_dot(x, x[::-1], keys, groups, skip_out_of_range=True),
                     one_by_one("dot", [x, x[::-1]], keys, groups))


@pytest.mark.parametrize("groups", [1, 16, 3000])
def test_many_elements(groups: int) -> None:
    rng = np.random.default_rng(groups)
    keys = rng.integers(0, groups, 100_000)
    x = (rng.standard_normal(keys.size) * 10.0 ** rng.integers(-18, 18, keys.size)).astype("f4")
    for array in (x, x.astype("f8")):
        for name in ("sum", "norm", "var", "max"):
            found = getattr(xd, f"group_{name}")(array, keys, groups)
            some = rng.integers(0, groups, 20)
            for i in some:
                assert bytes(found[i]) == bytes(array.dtype.type(getattr(xd, name)(array[keys == i])))


def test_integers_are_those_of_numpy() -> None:
    rng = np.random.default_rng(8)
    keys = rng.integers(0, 100, 50_000)
    x = rng.integers(-(2**40), 2**40, keys.size)
    expected = np.zeros(100, int)
    np.add.at(expected, keys, x)
    assert same_bits(xd.group_sum(x, keys), expected)
    assert same_bits(xd.group_count(keys), np.bincount(keys))
    assert same_bits(xd.group_count(keys, 200), np.bincount(keys, minlength=200))
    whole = rng.integers(-1000, 1000, keys.size).astype("f8")
    assert same_bits(xd.group_sum(whole, keys), np.bincount(keys, weights=whole) + 0.0)


def test_several_columns() -> None:
    rng = np.random.default_rng(9)
    x, y = rng.standard_normal((2, 200, 3, 4))
    keys = rng.integers(0, 9, 200)
    for array in (x, x[:, ::-1, ::2], np.asfortranarray(x), x[:, :1, 0], x[:, :, :0]):
        for name in ("sum", "norm", "var", "max"):
            found = getattr(xd, f"group_{name}")(array, keys)
            expected = np.array([[[getattr(xd, name)(array.reshape(200, -1)[keys == i, k])] for k in
                                  range(array[0].size)] for i in range(9)]).reshape(9, *array.shape[1:])
            assert same_bits(found, expected)
    out = np.zeros((4, 9, 3), ">f4").transpose(1, 2, 0)
    assert xd.group_mean(x, keys, out=out) is out
    assert np.array_equal(out, xd.group_mean(x, keys, dtype="f4"))
    products = xd.group_dot(x, y[:, 0], keys)  # broadcast, as in vecdot
    assert products.shape == (9, 3, 4)
    for i in range(9):
        assert products[i, 2, 1] == xd.dot(x[keys == i, 2, 1], y[keys == i, 0, 1])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint64"])
@pytest.mark.parametrize("columns", [1, 2, 7, 10, 17])
def test_columns_in_every_layout(dtype: str, columns: int) -> None:
    """Few groups and many, long and short: each is another way through the engine."""
    random = np.random.default_rng(columns)
    for rows, groups in ((200, 3), (3000, 40), (1500, 600), (9000, 30), (600, 590)):
        if np.dtype(dtype).kind == "f":
            x = random.uniform(-1, 1, (rows, columns)).astype(dtype)
        else:
            limits = np.iinfo(dtype)
            x = random.integers(limits.min // 100, limits.max // 100, (rows, columns), dtype)
        shuffled = random.integers(0, groups, rows)
        for keys in (shuffled, np.sort(shuffled)):
            for name in ("sum", "asum", "mean", "var"):
                def call_on(column: int) -> np.ndarray:
                    return one_by_one(name, [x[:, column]], keys, groups)

                try:
                    expected = np.stack([call_on(column) for column in range(columns)], axis=1)
                except OverflowError:
                    continue
                for given in (x, np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2], x.astype(x.dtype.newbyteorder())):
                    for threads in (1, 3):
                        found = getattr(xd, f"group_{name}")(given, keys, groups, threads=threads)
                        assert same_bits(found, expected)


def test_overflow_of_columns() -> None:
    """A sum of one column that its type does not hold, in either layout: nothing is stored."""
    x = np.ones((2000, 10), "i8")
    x[[100, 101], 7] = np.iinfo("i8").max
    for groups in (20, 1000):
        keys = np.arange(2000) // (2000 // groups)
        for given in (x, np.asfortranarray(x)):
            for order in (keys, keys[::-1].copy()):
                out = np.full((groups, 10), 5)
                with pytest.raises(OverflowError, match="does not fit into int64") as of_out:
                    xd.group_sum(given, order, groups, out=out)
                assert (out == 5).all()
                with pytest.raises(OverflowError) as of_new:  # which is computed in one pass
                    xd.group_sum(given, order, groups)
                assert str(of_new.value).partition("; ")[0] == str(of_out.value).partition("; ")[0]
                assert xd.group_sum(given, order, groups, dtype="float64").max() >= 2.0**64


def test_variances_of_one_element() -> None:
    x = np.array([1e308, -0.0, np.inf, np.nan, 5e-324])
    found = xd.group_var(x, np.arange(5))
    assert np.array_equal(found, [0, 0, np.nan, np.nan, 0], equal_nan=True) and not np.signbit(found[:2]).any()
    assert np.isnan(xd.group_var(x, np.arange(5), ddof=1)).all()
    assert np.array_equal(xd.group_std(np.stack([x, x], 1), np.arange(5)), np.stack([found, found], 1), equal_nan=True)


def test_lists_nothing_and_other_libraries() -> None:
    assert xd.group_sum([1, 2, 4], [1, 0, 1]).tolist() == [2, 5]
    assert xd.group_sum(x=[1.5], keys=[0], groups=2).tolist() == [1.5, 0]
    assert xd.group_sum([], []).shape == (0,) and xd.group_sum([], [], 2).tolist() == [0, 0]
    assert np.isnan(xd.group_mean([], [], 1)).all() and xd.group_count([]).shape == (0,)
    assert xd.group_min([], [], 0).shape == (0,)
    assert xd.group_sum([1.0], [-1], skip_out_of_range=True).shape == (0,)
    assert xd.group_count([0, 5, -1, 1], 2, skip_out_of_range=True).tolist() == [1, 1]
    torch = pytest.importorskip("torch")
    found = xd.group_sum(torch.ones(3), torch.tensor([1, 1, 0]))
    assert isinstance(found, torch.Tensor) and found.tolist() == [1, 2]


def test_dtype_and_out() -> None:
    x, keys = np.arange(12, dtype="f4") / 3, np.arange(12) * 5 % 4
    assert xd.group_sum(x, keys, dtype="f8").dtype == np.float64
    for out in (np.zeros(4), np.zeros((4, 2))[:, 1], np.zeros(4, ">f8"), np.zeros(4, "f2")[::-1]):
        assert xd.group_sum(x, keys, out=out) is out
        assert np.array_equal(out, xd.group_sum(x, keys, dtype=out.dtype.newbyteorder("=").name))
    for type_name in ("i8", "u8", ">i8"):
        counts = np.zeros(4, type_name)
        assert xd.group_count(keys, out=counts) is counts and counts.tolist() == [3, 3, 3, 3]
    for wrong, why in ((x[:4], "results lie within x"), (np.zeros(3), r"out has shape \(3,\), the results have \(4,\)"),
                       (np.lib.stride_tricks.as_strided(np.zeros(1), (4,), (0,)), "overwrite each other")):
        before = wrong.copy()
        with pytest.raises(ValueError, match=f"^group_sum: .*{why}"):
            xd.group_sum(x, keys, out=wrong)
        assert np.array_equal(wrong, before)
    own = keys.copy()
    with pytest.raises(ValueError, match="^group_sum: results lie within the keys"):
        xd.group_sum(np.arange(12), own, out=own[:4])
    assert np.array_equal(own, keys)
    with pytest.raises(ValueError, match="^group_count: .*use int64 or uint64"):
        xd.group_count(keys, out=np.zeros(4))


def exact_row(values: np.ndarray, weights: np.ndarray | None, old: np.ndarray | None, dtype: str) -> np.ndarray:
    """One group's sums by the vector calls, with the old values as one more row, of weight 1."""
    if old is not None:
        values = np.concatenate([values.astype("f8"), old[None].astype("f8")])
        weights = None if weights is None else np.append(weights.astype("f8"), 1.0)
    columns = [values[:, i] for i in range(values.shape[1])]
    if weights is None:
        return np.array([xd.sum(column, dtype=dtype) for column in columns], dtype)
    return np.array([xd.dot(column, weights, dtype=dtype) for column in columns], dtype)


@pytest.mark.parametrize("columns", [1, 3, 16, 37])
@pytest.mark.parametrize("dtype", [*FLOATS, "int16"])
def test_weights_and_add_to(dtype: str, columns: int) -> None:
    rng = np.random.default_rng(columns)
    n, groups = 200, 9
    x = samples(dtype, n * columns).reshape(n, columns)
    weights = rng.integers(-9, 9, n).astype("i4" if dtype in INTEGERS else "f4")
    keys = rng.integers(0, groups - 1, n)
    result = "f8" if dtype in ("float64", "int16") else "f4"
    for order in (np.arange(n), np.argsort(keys, kind="stable"), rng.permutation(n)):
        for given in (weights[order], weights[order, None], np.repeat(weights[order, None], columns, 1)):
            old = (rng.standard_normal((groups, columns)) * 10.0 ** rng.integers(-9, 9, (groups, columns))).astype(result)
            to, swapped = old.copy(), old.copy()
            assert xd.group_dot(x[order], given, keys[order], add_to=to) is to
            assert xd.group_dot(given, x[order], keys[order], groups, add_to=swapped) is swapped
            assert same_bits(to, swapped)
            fresh = xd.group_dot(x, weights, keys, groups, dtype=result)
            for i in range(groups - 1):
                assert same_bits(to[i], exact_row(x[keys == i], weights[keys == i], old[i], result))
                assert same_bits(fresh[i], exact_row(x[keys == i], weights[keys == i], None, result))
            assert same_bits(to[-1], old[-1])  # no element


def test_add_to() -> None:
    table = np.array([[1.0, 2.0], [3.0, 4.0], [-0.0, np.nan]], "f4")
    rows, keys = np.array([[1.0, 1e30], [2.0**-30, -1e30], [1.0, 1.0]], "f4"), np.array([0, 0, 1])
    assert xd.group_sum(rows, keys, add_to=table) is table
    assert same_bits(table, np.array([[2.0, 2.0], [4.0, 5.0], [-0.0, np.nan]], "f4"))
    counts = np.array([2**62, -5])
    assert xd.group_sum([1, 2, 3], [0, 0, 0], add_to=counts).tolist() == [2**62 + 6, -5]
    assert xd.group_asum(np.array([-1.0]), [1], add_to=np.ones(3)).tolist() == [1.0, 2.0, 1.0]
    assert xd.group_sum_of_squares(np.array([3.0]), [0], add_to=np.ones(1, ">f8")).tolist() == [10.0]
    assert xd.group_sum([1.0, 2.0], [1, -1], skip_out_of_range=True, add_to=np.ones(2)).tolist() == [1.0, 2.0]
    nothing = np.array([-0.0, 1.0])
    assert same_bits(xd.group_sum(np.ones(0), np.zeros(0, int), add_to=nothing), np.array([-0.0, 1.0]))
    assert xd.group_sum(np.ones((3, 0)), [0, 1, 0], add_to=np.ones((2, 0))).shape == (2, 0)
    assert xd.group_sum(np.ones((0, 2)), np.zeros(0, int), add_to=np.ones((0, 2))).shape == (0, 2)
    assert np.isnan(xd.group_sum([np.nan, 1.0], [0, 1], add_to=np.array([1.0, np.inf]))).tolist() == [True, False]


def test_add_to_errors() -> None:
    x, keys, to = np.ones((4, 2), "f4"), np.array([0, 1, 2, 1]), np.full((3, 2), 7, "f4")
    read_only = to.copy()
    read_only.flags.writeable = False
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: xd.group_sum(x, keys, add_to=to, out=to), TypeError, "out and add_to; add_to alone"),
        (lambda: xd.group_mean(x, keys, add_to=to), TypeError, "unknown argument 'add_to'; only sums and dots"),
        (lambda: xd.group_sum(x, keys, add_to=[1.0, 2.0]), TypeError, "add_to: is not a vector in memory"),
        (lambda: xd.group_sum(x, keys, add_to=read_only), ValueError, "add_to is read-only"),
        (lambda: xd.group_sum(x, keys, add_to=np.float32(1)), ValueError, "add_to has no dimension|add_to: .*"),
        (lambda: xd.group_sum(x, keys, add_to=np.ones((3, 3))), ValueError, r"add_to has shape \(3, 3\), the results have \(3, 2\)"),
        (lambda: xd.group_sum(x, keys, 4, add_to=to), ValueError, r"add_to has shape \(3, 2\), the results have \(4, 2\)"),
        (lambda: xd.group_sum(x, keys, add_to=to[:2]), ValueError, "key 2 is 2, and there are 2 groups"),
        (lambda: xd.group_sum(x, keys, dtype="f8", add_to=to), ValueError, "add_to does not have the dtype"),
        (lambda: xd.group_sum(to, [0, 1, 2], add_to=to), ValueError, "results lie within x"),
        (lambda: xd.group_sum(x, [0.0, 1.0, 2.0, 1.0], add_to=to), TypeError, "keys: holds float64"),
        (lambda: xd.group_dot(x, x[:3, 0], keys, add_to=to), ValueError, "the vectors differ in length: 4 and 3"),
        (lambda: xd.group_dot(x, x[:, :1].T, keys, add_to=to), ValueError, "the vectors differ in length: 4 and 1"),
        (lambda: xd.group_dot(x, np.ones((4, 3)), keys, add_to=to), ValueError, "cannot be broadcast"),
        (lambda: xd.group_sum([2**70], [0], add_to=to), TypeError, "add_to is for elements of float and integer types"),
        (lambda: xd.group_sum([2**62], [0], add_to=np.array([2**62])), OverflowError, "result 0 does not fit into int64; use add_to of float64"),
    ]
    for call, kind, why in cases:
        with pytest.raises(kind, match=why):
            call()
    assert (to == 7).all()


def test_codes_of_categories_are_keys() -> None:
    pandas = pytest.importorskip("pandas")
    x = [1.0, 2.0, 3.0]
    assert xd.group_sum(x, pandas.Categorical(["a", "b", "a"]).codes).tolist() == [4.0, 2.0]
    missing = pandas.Categorical(["a", None, "b"]).codes
    with pytest.raises(ValueError, match="^group_sum: key 1 is -1, and there are 2 groups; .*skip_out_of_range=True$"):
        xd.group_sum(x, missing)
    assert xd.group_sum(x, missing, skip_out_of_range=True).tolist() == [1.0, 3.0]
    polars = pytest.importorskip("polars")
    assert xd.group_max(x, polars.Series(["b", "a", "b"], dtype=polars.Enum(["a", "b"])).to_physical()).tolist() == [2, 3]
    for booleans in ([True, False, True], np.array([True, False, True])):
        assert xd.group_sum(x, booleans).tolist() == [2.0, 4.0]
        assert xd.group_count(booleans).tolist() == [1, 2]


def test_groups_are_derived_of_keys_that_are_not_far_apart() -> None:
    x = np.ones(1000)
    far = 10**8 + np.arange(1000)
    for call in (lambda: xd.group_sum(x, far), lambda: xd.group_count(far)):
        with pytest.raises(ValueError, match="the greatest key is 100000999, and 1000 keys make at most 1064576 groups"):
            call()
    assert len(xd.group_sum(x, far - 10**8 + 10**6)) == 10**6 + 1000
    for keys in (far[::-1] // 50, far // 50):
        sums, counts = xd.group_sum(x, keys, 2 * 10**6 + 20), xd.group_count(keys, 2 * 10**6 + 20)
        assert sums[:2 * 10**6].max() == 0 and (sums[2 * 10**6:] == 50).all() and (sums == counts).all()


def test_errors() -> None:
    x, out = np.ones(4), np.full(3, 7.0)
    cases: list[tuple[Any, Any, type[Exception], str]] = [
        ([0, 1, 3, 9], 3, ValueError, "key 2 is 3, and there are 3 groups"),
        ([0, -1, 3, 2], 3, ValueError, "key 1 is -1"),
        ([0, -1, 2, 2], None, ValueError, "key 1 is -1"),
        (np.array([0, 1, 2, 2**64 - 1], "u8"), 3, ValueError, "key 3 is 18446744073709551615"),
        (np.array([0, 1, 2, 2**64 - 1], "u8"), None, ValueError, "the greatest key is 18446744073709551615, and 4 keys"),
        ([0, 2**62, 1, 1], None, ValueError, r"the greatest key is 4611686018427387904, and 4 keys make at most 1048640 groups; .*np\.unique\(keys, return_inverse=True\), or pass groups$"),
        ([0, 1, 2], 3, ValueError, "the numbers of elements and of keys differ .4 and 3."),
        ([0.0, 1.0, 2.0, 1.0], 3, TypeError, "keys: holds float64; use integers"),
        (np.array([0, -1, 1, 2], "i1"), 3, ValueError, "key 1 is -1"),
        (np.zeros((2, 2), int), 3, ValueError, "keys: has 2 dimensions"),
        (0, 3, ValueError, "keys: has no dimension"),
        (None, 3, TypeError, "keys: is not a vector"),
        ([0, 1, 2, 2], -1, ValueError, "groups is -1; use 0 or more"),
        ([0, 1, 2, 2], 3.0, TypeError, "groups is 3.0; use an integer"),
        ([0, 1, 1, 0], None, ValueError, r"out has shape \(3,\), the results have \(2,\)"),
    ]
    for keys, groups, kind, why in cases:
        with pytest.raises(kind, match=f"^group_sum: .*{why}"):
            xd.group_sum(x, keys, groups, out=out)
    assert (out == 7).all()
    with pytest.raises(ValueError, match="^group_count: key 1 is 2, and there are 2 groups; .*skip_out_of_range=True$"):
        xd.group_count([0, 2], 2)
    with pytest.raises(TypeError, match=r"^group_sum: keys: .*np\.unique\(keys, return_inverse=True\)"):
        xd.group_sum([1.0, 2.0], np.array(["a", "b"]))
    with pytest.raises(TypeError, match="^group_count: keys: holds float64"):
        xd.group_count([0.0, 2.0])
    with pytest.raises(ValueError, match="^group_max: group 1 is empty"):
        xd.group_max([1.0, 2.0], [0, 2])
    with pytest.raises(OverflowError, match="^group_sum: result 1 does not fit into int64"):
        xd.group_sum([1, 2**62, 2**62], [0, 1, 1])
    with pytest.raises(ValueError, match="^group_dot: the vectors differ in length: 2 and 3"):
        xd.group_dot(np.ones(2), np.ones(3), [0, 0])
    with pytest.raises(ValueError, match="^group_dot: .*cannot be broadcast"):
        xd.group_dot(np.ones((2, 3)), np.ones((2, 2)), [0, 0])
    with pytest.raises(TypeError, match="^group_dot: .*integers and floating-point numbers do not mix"):
        xd.group_dot(np.ones(2), np.ones(2, int), [0, 0])
    with pytest.raises(ValueError, match="^group_sum: an input has no dimension"):
        xd.group_sum(1.0, [0])
    with pytest.raises(ValueError, match="^group_var: ddof is -1"):
        xd.group_var(x, [0, 0, 0, 0], ddof=-1)
    with pytest.raises(TypeError, match="^group_sum: unknown argument 'mode'; groups have no order, .*always exact$"):
        xd.group_sum(x, [0, 0, 0, 0], mode="fast")
    with pytest.raises(TypeError, match="^group_sum: argument 'keys' is missing"):
        xd.group_sum(x)
