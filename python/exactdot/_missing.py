"""NumPy's names of reductions without NaNs: each is the function with skip_nan=True."""

from __future__ import annotations

from typing import Any

from exactdot import _engine
from exactdot._callers import called_as


def nansum(x: Any, axis: Any = None, **options: Any) -> Any:
    """Computes the sum of the elements that are not NaN: `sum` with skip_nan=True.

    Parameters
    ----------
    x, axis, **options
        As of `sum`.

    Returns
    -------
    as of `sum`
        0 without an element.

    Raises
    ------
    TypeError, ValueError
        As of `sum`.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.nansum([3.0, float("nan"), 1.0])
    4.0
    """
    return called_as("nansum", lambda: _engine.sum(x, axis, skip_nan=True, **options))


def nanmean(x: Any, axis: Any = None, **options: Any) -> Any:
    """Computes the mean of the elements that are not NaN: `mean` with skip_nan=True.

    Parameters
    ----------
    x, axis, **options
        As of `mean`.

    Returns
    -------
    as of `mean`
        NaN without an element.

    Raises
    ------
    TypeError, ValueError
        As of `mean`.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.nanmean([3.0, float("nan"), 1.0])
    2.0
    """
    return called_as("nanmean", lambda: _engine.mean(x, axis, skip_nan=True, **options))


def nanvar(x: Any, axis: Any = None, **options: Any) -> Any:
    """Computes the variance of the elements that are not NaN: `var` with skip_nan=True.

    Parameters
    ----------
    x, axis, **options
        As of `var`.

    Returns
    -------
    as of `var`
        NaN of ddof elements or fewer.

    Raises
    ------
    TypeError, ValueError
        As of `var`.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.nanvar([3.0, float("nan"), 1.0])
    1.0
    """
    return called_as("nanvar", lambda: _engine.var(x, axis, skip_nan=True, **options))


def nanstd(x: Any, axis: Any = None, **options: Any) -> Any:
    """Computes the standard deviation of the elements that are not NaN: `std` with skip_nan=True.

    Parameters
    ----------
    x, axis, **options
        As of `std`.

    Returns
    -------
    as of `std`
        NaN of ddof elements or fewer.

    Raises
    ------
    TypeError, ValueError
        As of `std`.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.nanstd([3.0, float("nan"), 1.0])
    1.0
    """
    return called_as("nanstd", lambda: _engine.std(x, axis, skip_nan=True, **options))


def nanmin(x: Any, axis: Any = None, **options: Any) -> Any:
    """Computes the least element of the elements that are not NaN: `min` with skip_nan=True.

    Parameters
    ----------
    x, axis, **options
        As of `min`.

    Returns
    -------
    as of `min`
        ValueError without an element, unless `initial` is passed.

    Raises
    ------
    TypeError, ValueError
        As of `min`.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.nanmin([3.0, float("nan"), 1.0])
    1.0
    """
    return called_as("nanmin", lambda: _engine.min(x, axis, skip_nan=True, **options))


def nanmax(x: Any, axis: Any = None, **options: Any) -> Any:
    """Computes the greatest element of the elements that are not NaN: `max` with skip_nan=True.

    Parameters
    ----------
    x, axis, **options
        As of `max`.

    Returns
    -------
    as of `max`
        ValueError without an element, unless `initial` is passed.

    Raises
    ------
    TypeError, ValueError
        As of `max`.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.nanmax([3.0, float("nan"), 1.0])
    3.0
    """
    return called_as("nanmax", lambda: _engine.max(x, axis, skip_nan=True, **options))


def nanargmin(x: Any, axis: Any = None, **options: Any) -> Any:
    """Computes the index of the least element of the elements that are not NaN: `argmin` with skip_nan=True.

    Parameters
    ----------
    x, axis, **options
        As of `argmin`.

    Returns
    -------
    as of `argmin`
        ValueError without an element.

    Raises
    ------
    TypeError, ValueError
        As of `argmin`.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.nanargmin([3.0, float("nan"), 1.0])
    2
    """
    return called_as("nanargmin", lambda: _engine.argmin(x, axis, skip_nan=True, **options))


def nanargmax(x: Any, axis: Any = None, **options: Any) -> Any:
    """Computes the index of the greatest element of the elements that are not NaN: `argmax` with skip_nan=True.

    Parameters
    ----------
    x, axis, **options
        As of `argmax`.

    Returns
    -------
    as of `argmax`
        ValueError without an element.

    Raises
    ------
    TypeError, ValueError
        As of `argmax`.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.nanargmax([3.0, float("nan"), 1.0])
    0
    """
    return called_as("nanargmax", lambda: _engine.argmax(x, axis, skip_nan=True, **options))
