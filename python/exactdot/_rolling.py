"""Prefix sums, and sums, means and variances of moving windows, each rounded once (python/src/rolling.cpp)."""

from __future__ import annotations

import operator
from typing import Any

from exactdot import _engine
from exactdot._numbers import nulls_as_nans
from exactdot._states import _flag

_engine_call: Any = _engine  # functions without public names


def cumsum(x: Any, axis: int | None = None, *, dtype: Any = None, out: Any = None) -> Any:
    """Computes the sum of the elements up to each one exactly, and rounds each once.

    numpy.cumsum rounds each step, so its errors add up. Element i has the bits of `sum` of the first i + 1 elements.

    Parameters
    ----------
    x : array of any type and shape that `sum` takes, in host memory
        Do not write to it during the call.
    axis : int, optional
        The axis along which the sums go on; default: the elements of the array in the order of reading (C).
    dtype, out
        As of `sum`; `out` has the shape of the result, and shares no memory with x.

    Returns
    -------
    array of the shape of x, or of one dimension without an axis; or out if it was passed
        Of the element type; of integers int64, or uint64 if they are unsigned.

    Raises
    ------
    TypeError, ValueError
        As of `sum`.
    OverflowError
        An integer result exceeds its type.

    Notes
    -----
    Cost: some 20 ns an element, 4 of integers; it is read twice where a bound leaves a sum open. Memory: 8 bytes an
    element.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.cumsum([1e100, 1.0, -1e100, 2.0])
    array([1.e+100, 1.e+100, 1.e+000, 3.e+000])
    """
    return _engine_call._rolling("cumsum", "sum", x, 0, 0, 0, axis, False, dtype, out)


def _windows(caller: str, what: str, x: Any, window: Any, min_periods: Any, axis: Any, skip_nan: Any, dtype: Any, out: Any,
             ddof: Any = 0) -> Any:
    size = _count(window, "window", caller)
    if size == 0:
        raise ValueError(f"{caller}: window is 0; use 1 or more")
    least = size if min_periods is None else _count(min_periods, "min_periods", caller)
    if least > size:
        raise ValueError(f"{caller}: min_periods is {least}, more than the window of {size}")
    skip_nan = _flag(skip_nan, "skip_nan", caller)
    if skip_nan:
        try:
            x = nulls_as_nans(x)
        except (TypeError, ValueError) as refused:
            raise type(refused)(f"{caller}: x: {refused}") from None
    free = _engine_call._read_ddof(ddof, None, caller) if what in ("variance", "stddev") else 0
    if free != int(free):
        raise ValueError(f"{caller}: ddof is a fraction; use an integer")
    return _engine_call._rolling(caller, what, x, size, least, int(free), axis, skip_nan, dtype, out)


def _count(given: Any, name: str, caller: str) -> int:
    try:
        number = operator.index(given)
    except TypeError:
        raise TypeError(f"{caller}: {name} is {given}; use an integer") from None
    if isinstance(given, bool):
        raise TypeError(f"{caller}: {name} is {given}; use an integer")
    if number < 0:
        raise ValueError(f"{caller}: {name} is {given}; use {1 if name == 'window' else 0} or more")
    return min(number, 2**62)


def rolling_sum(x: Any, window: int, *, min_periods: int | None = None, axis: int = -1, skip_nan: bool = False,
                dtype: Any = None, out: Any = None) -> Any:
    """Computes the sum of every window of `window` elements, each rounded once.

    Element i is that of elements i - window + 1 to i, with the bits of `sum` on these alone: nothing is left of elements that
    have gone, as in sums that are updated in floating point.

    Parameters
    ----------
    x : array of any type and shape that `sum` takes, in host memory
        Do not write to it during the call.
    window : int
        The number of elements of a window; more than x has: prefixes.
    min_periods : int, optional
        Windows of fewer elements, those at the beginning and with skip_nan, are NaN. Default: window.
    axis : int
        The axis along which windows move; default: the last.
    skip_nan : bool
        With True NaNs, and nulls of columns, are not there; otherwise the result of a window with a NaN is NaN.
    dtype, out
        As of `mean`: a floating-point type; `out` has the shape of x, and shares no memory with it.

    Returns
    -------
    array of the shape of x, or out if it was passed
        Of the element type; of integers float64.

    Raises
    ------
    TypeError, ValueError
        As of `mean`; a window below 1, min_periods beyond it.

    Notes
    -----
    Cost: some 20 ns an element, 5 of integers, whatever the window: the exact state of a window is the difference of two prefixes, to which
    each element is added once at most.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.rolling_sum([1.0, 2.0, 3.0, 5.0], 2).tolist()
    [nan, 3.0, 5.0, 8.0]
    """
    return _windows("rolling_sum", "sum", x, window, min_periods, axis, skip_nan, dtype, out)


def rolling_mean(x: Any, window: int, *, min_periods: int | None = None, axis: int = -1, skip_nan: bool = False,
                dtype: Any = None, out: Any = None) -> Any:
    """Computes the mean of every window of `window` elements, each the exact quotient rounded once.

    Element i is that of elements i - window + 1 to i, with the bits of `mean` on these alone: nothing is left of elements that
    have gone, as in sums that are updated in floating point.

    Parameters
    ----------
    x, window, min_periods, axis, skip_nan, dtype, out
        As of `rolling_sum`.

    Returns
    -------
    as of `rolling_sum`

    Raises
    ------
    TypeError, ValueError
        As of `rolling_sum`.

    Notes
    -----
    Cost: as of `rolling_sum`.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.rolling_mean([1.0, 2.0, 3.0, 5.0], 2).tolist()
    [nan, 1.5, 2.5, 4.0]
    """
    return _windows("rolling_mean", "mean", x, window, min_periods, axis, skip_nan, dtype, out)


def rolling_var(x: Any, window: int, *, min_periods: int | None = None, axis: int = -1, skip_nan: bool = False, ddof: int = 0,
                dtype: Any = None, out: Any = None) -> Any:
    """Computes the variance of every window of `window` elements, each the exact quotient rounded once.

    Element i is that of elements i - window + 1 to i, with the bits of `var` on these alone: nothing is left of elements that
    have gone, as in sums that are updated in floating point.

    Parameters
    ----------
    x, window, min_periods, axis, skip_nan, dtype, out
        As of `rolling_sum`.
    ddof : int
        0 (default) for the variance of a population, as of `var`; pandas has 1.

    Returns
    -------
    as of `rolling_sum`

    Raises
    ------
    TypeError, ValueError
        As of `rolling_sum`; integers of more than 53 bits.

    Notes
    -----
    Cost: some 70 to 90 ns an element, else as of `rolling_sum`.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.rolling_var([1.0, 2.0, 3.0, 5.0], 2).tolist()
    [nan, 0.25, 0.25, 1.0]
    """
    return _windows("rolling_var", "variance", x, window, min_periods, axis, skip_nan, dtype, out, ddof)


def rolling_std(x: Any, window: int, *, min_periods: int | None = None, axis: int = -1, skip_nan: bool = False, ddof: int = 0,
                dtype: Any = None, out: Any = None) -> Any:
    """Computes the standard deviation of every window of `window` elements, each rounded once.

    Element i is that of elements i - window + 1 to i, with the bits of `std` on these alone: nothing is left of elements that
    have gone, as in sums that are updated in floating point.

    Parameters
    ----------
    x, window, min_periods, axis, skip_nan, dtype, out
        As of `rolling_sum`.
    ddof : int
        0 (default) for the variance of a population, as of `var`; pandas has 1.

    Returns
    -------
    as of `rolling_sum`

    Raises
    ------
    TypeError, ValueError
        As of `rolling_sum`; integers of more than 53 bits.

    Notes
    -----
    Cost: some 70 to 90 ns an element, else as of `rolling_sum`.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.rolling_std([1.0, 2.0, 3.0, 5.0], 2).tolist()
    [nan, 0.5, 0.5, 1.0]
    """
    return _windows("rolling_std", "stddev", x, window, min_periods, axis, skip_nan, dtype, out, ddof)
