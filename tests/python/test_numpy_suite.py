"""NumPy's own tests of vecdot, matvec, sum, mean, var, std and vector_norm, run with exactdot's functions instead.

NumPy's wheels contain its tests. The functions that they call are replaced in the namespaces of their modules. A call
with objects or long doubles, or with complex numbers for a variance or in a list, goes to NumPy, one result becomes a NumPy
scalar, one that is not finite warns: differences that docs/python.md names. A test that fails for another difference is listed with it, and must fail.
"""

from __future__ import annotations

import contextlib
import inspect
import warnings
from types import SimpleNamespace
from typing import Any, Callable

import exactdot as xd
import numpy as np
import pytest

MULTIARRAY, UFUNC, NUMERIC, LINALG = ("numpy._core.tests.test_multiarray", "numpy._core.tests.test_ufunc",
                                      "numpy._core.tests.test_numeric", "numpy.linalg.tests.test_linalg")
# differences, and what the error of a test says that fails for one
INITIAL, AXES = ((name, f"unknown argument '{name}'") for name in ("initial", "axes"))
MIXED = "integers with floating-point numbers", "integers and floating-point numbers do not mix"
SUBCLASS = "results are plain arrays, not of a subclass", "MySubclass"
LARGE_OUT = "out of a larger shape than the results", "out has shape"
LONG_DOUBLE = "dtype of a complex type or of long double", "dtype is float128"
# the module, the class, the test, and the difference for which it fails
TESTS = [
    (UFUNC, "TestUfunc", "test_sum", None),
    (UFUNC, "TestUfunc", "test_sum_initial", INITIAL),
    (UFUNC, "TestUfunc", "test_sum_where", INITIAL),
    (UFUNC, "TestUfunc", "test_vecdot", None),
    (UFUNC, "TestUfunc", "test_matvec", AXES),
    (UFUNC, "TestUfunc", "test_vecdot_subclass", SUBCLASS),
    (UFUNC, "TestUfunc", "test_broadcast", MIXED),
    (UFUNC, "TestUfunc", "test_out_broadcasts", LARGE_OUT),
    (UFUNC, "TestUfunc", "test_type_cast", MIXED),
    (UFUNC, "TestUfunc", "test_endian", None),
    (UFUNC, "TestUfunc", "test_incontiguous_array", None),
    (UFUNC, "TestUfunc", "test_output_argument", None),
    (UFUNC, "TestUfunc", "test_axes_argument", AXES),
    (UFUNC, "TestUfunc", "test_axis_argument", None),
    (UFUNC, "TestUfunc", "test_keepdims_argument", AXES),
    (MULTIARRAY, "TestStats", "test_python_type", None),
    (MULTIARRAY, "TestStats", "test_keepdims", None),
    (MULTIARRAY, "TestStats", "test_out", None),
    (MULTIARRAY, "TestStats", "test_dtype_from_input", None),
    (MULTIARRAY, "TestStats", "test_dtype_from_dtype", LONG_DOUBLE),
    (MULTIARRAY, "TestStats", "test_ddof", None),
    (MULTIARRAY, "TestStats", "test_ddof_too_big", None),
    (MULTIARRAY, "TestStats", "test_empty", None),
    (MULTIARRAY, "TestStats", "test_mean_values", None),
    (MULTIARRAY, "TestStats", "test_mean_float16", None),
    (MULTIARRAY, "TestStats", "test_mean_where", None),
    (MULTIARRAY, "TestStats", "test_var_values", None),
    (MULTIARRAY, "TestStats", "test_var_where", None),
    (MULTIARRAY, "TestStats", "test_std_values", None),
    (MULTIARRAY, "TestStats", "test_std_where", None),
    (NUMERIC, "TestNonarrayArgs", "test_mean", None),
    (NUMERIC, "TestNonarrayArgs", "test_std", None),
    (NUMERIC, "TestNonarrayArgs", "test_var", None),
    (NUMERIC, "TestNonarrayArgs", "test_sum", None),
    (LINALG, "", "test_vector_norm", None),
    (LINALG, "", "test_vector_norm_empty", None),
]


def is_refused(name: str, x: Any) -> bool:
    dtype = np.asarray(x).dtype
    takes_complex = name.removeprefix("nan") in ("sum", "mean", "vecdot", "matvec", "vector_norm") and hasattr(x, "dtype")
    return dtype.kind == "O" or dtype in (np.longdouble, np.clongdouble) or (dtype.kind == "c" and not takes_complex)


def as_numpy_has_it(name: str, original: Callable[..., Any], calls: list[str]) -> Callable[..., Any]:
    """exactdot's function with NumPy's positional arguments, and with a NumPy scalar for one result."""
    call = getattr(xd.linalg if name == "vector_norm" else xd, name)
    inputs = 2 if name in ("vecdot", "matvec") else 1
    positional = ("out",) if inputs == 2 else ("axis", "dtype", "out")

    def replaced(*arguments: Any, **keywords: Any) -> Any:
        if any(is_refused(name, x) for x in arguments[:inputs]):
            return original(*arguments, **keywords)
        keywords |= dict(zip(positional, arguments[inputs:]))
        calls.append(name)
        found = call(*arguments[:inputs], **keywords)
        if not np.isfinite(found).all():
            warnings.warn("NaN or infinity", RuntimeWarning, stacklevel=2)
        if isinstance(found, np.ndarray):
            return found
        default = call(*arguments[:inputs], **{**keywords, "keepdims": True}).dtype if inputs == 1 else np.float64
        return np.dtype(keywords.get("dtype") or default).type(found)

    return replaced


class Arrays:
    """NumPy with some functions replaced."""

    def __init__(self, **replaced: Any) -> None:
        self.__dict__.update(replaced)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


@pytest.mark.parametrize("module, kind, name, difference", TESTS, ids=[f"{kind}.{name}" for _, kind, name, _ in TESTS])
@pytest.mark.filterwarnings("ignore")
def test_of_numpy(module: str, kind: str, name: str, difference: tuple[str, str] | None,
                  monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(np, "matvec"):
        pytest.skip("NumPy before 2.2")
    tests: Any = pytest.importorskip(module)
    holder = getattr(tests, kind, None) if kind else tests
    if not hasattr(holder, name):
        pytest.skip("not in this version of NumPy")
    calls: list[str] = []
    functions = {each: as_numpy_has_it(each, getattr(np, each), calls)
                 for each in ("vecdot", "matvec", "sum", "mean", "var", "std")}
    norm = as_numpy_has_it("vector_norm", np.linalg.vector_norm, calls)
    linalg = SimpleNamespace(**{**vars(np.linalg), "vector_norm": norm})
    monkeypatch.setattr(tests, "np", Arrays(**functions, linalg=linalg))
    if kind == "TestStats":  # calls methods of arrays through these
        for each in ("mean", "var", "std"):
            monkeypatch.setattr(tests, f"_{each}", functions[each])
        monkeypatch.setattr(holder, "funcs", [functions[each] for each in ("mean", "var", "std")])
    run = getattr(holder() if kind else tests, name)
    fails = contextlib.nullcontext() if difference is None else pytest.raises(Exception, match=difference[1])
    with np.errstate(all="warn"), fails:
        run()
    assert calls


NAN = "numpy.lib.tests.test_nanfunctions"
OF_NANS = {"TestNanFunctions_MinMax": ("nanmin", "nanmax"), "TestNanFunctions_ArgminArgmax": ("nanargmin", "nanargmax"),
           "TestNanFunctions_SumProd": ("nansum",), "TestNanFunctions_MeanVarStd": ("nanmean", "nanvar", "nanstd")}
MASKED = "masked arrays are refused", "is a masked array"
PLAIN, NOTHING = ("results are plain arrays, not of a subclass", ""), ("another sentence for nothing", "no element is left of a result")
NAN_DIFFERENCES = {"test_masked": MASKED, "test_subclass": PLAIN, "test_dtype_from_dtype": LONG_DOUBLE, "test_dtype_from_char": LONG_DOUBLE,
                   "TestNanFunctions_ArgminArgmax.test_empty": NOTHING,
                   "TestNanFunctions_SumProd.test_where": INITIAL, "TestNanFunctions_SumProd.test_initial": INITIAL}
NAN_TESTS = [(kind, name, NAN_DIFFERENCES.get(f"{kind}.{name}", NAN_DIFFERENCES.get(name))) for kind in OF_NANS for name in
             ("test_mutation", "test_keepdims", "test_out", "test_dtype_from_dtype", "test_dtype_from_char", "test_dtype_from_input",
              "test_result_values", "test_scalar", "test_where", "test_initial", "test_masked", "test_subclass", "test_ddof", "test_empty")]


@pytest.mark.parametrize("kind, name, difference", NAN_TESTS, ids=[f"{kind}.{name}" for kind, name, _ in NAN_TESTS])
@pytest.mark.filterwarnings("ignore")
def test_nan_functions_of_numpy(kind: str, name: str, difference: tuple[str, str] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    tests: Any = pytest.importorskip(NAN)
    holder = getattr(tests, kind)
    if not hasattr(holder, name):
        pytest.skip("not a test of these")
    calls: list[str] = []
    functions = {each: as_numpy_has_it(each, getattr(np, each), calls) for each in OF_NANS[kind]}
    monkeypatch.setattr(tests, "np", Arrays(**functions))
    kept = len(OF_NANS[kind])
    monkeypatch.setattr(holder, "nanfuncs", list(functions.values()))
    if hasattr(holder, "stdfuncs"):
        monkeypatch.setattr(holder, "stdfuncs", holder.stdfuncs[:kept])
    fails = contextlib.nullcontext() if difference is None else pytest.raises(Exception, match=difference[1])
    run = getattr(holder(), name)
    with np.errstate(all="warn"), fails:
        for dtype in "fd" if "dtype" in inspect.signature(run).parameters else ("",):
            run(*dtype)
    assert calls
