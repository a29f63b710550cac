"""What the JSON holds: read and checked as a whole before anything is drawn, and what a picture is of, picked out.

A file that is cut short, of another program or edited by hand is refused by one line that names the place, and not by
whatever line of the drawing code happens to meet it. On a logarithmic axis a NaN would vanish without a word, and
matplotlib finds no ticks for 1e300: numbers have to be finite and of sizes that are measured. Needs no matplotlib, so
all of this is tested without it.
"""

from __future__ import annotations

import json
import math
import os
import re
from typing import Any, Callable, NoReturn

__all__ = ["check", "choose", "kind_of", "last_cache", "read", "reference", "series"]

Row = dict[str, Any]
Kind = tuple[str, Callable[[Any], bool]]


def is_positive(value: Any) -> bool:
    return type(value) in (int, float) and 1e-99 <= value <= 1e99


TEXT: Kind = ("a text", lambda value: isinstance(value, str))
TRUTH: Kind = ("true or false", lambda value: isinstance(value, bool))
LENGTH: Kind = ("a whole number from 1 to 2^64", lambda value: type(value) is int and 1 <= value <= 2**64)
POSITIVE: Kind = ("a number from 1e-99 to 1e99", is_positive)
NOT_NEGATIVE: Kind = ("0 or a number from 1e-99 to 1e99",
                      lambda value: is_positive(value) or type(value) in (int, float) and value == 0)

# what the pictures look at; with a question mark: may be absent or null
LADDER = {"device": TEXT, "dtype": TEXT, "n": LENGTH, "data?": TEXT}
RUNG = {"name": TEXT, "wrong_on_purpose": TRUTH, "correct?": TRUTH, "deterministic": TRUTH,
        "distinct_over_grids?": LENGTH, "microseconds?": POSITIVE, "steps?": POSITIVE,
        "percent_of_ceiling?": NOT_NEGATIVE}
ROW = {"peer": TEXT, "type": TEXT, "data": TEXT, "n": LENGTH, "us?": POSITIVE, "ns?": POSITIVE, "gb_per_s?": POSITIVE,
       "how?": TEXT, "l2?": TEXT, "threads?": LENGTH}
MACHINE = {"gpu?": TEXT, "cpu?": TEXT, "caches?": TEXT}


def kind_of(results: dict[str, Any]) -> str:
    """What the results are of.

    Parameters
    ----------
    results : the object that the JSON holds

    Returns
    -------
    "ladder", "speed" or "accuracy"

    Raises
    ------
    ValueError
        They are none of these.

    Examples
    --------
    >>> kind_of({"peers": [], "rows": [{"n": 16}]})
    'speed'
    """
    if isinstance(results, dict):
        if "ladders" in results or "rungs" in results:
            return "ladder"
        if "accuracy" in results:
            return "accuracy"
        if "peers" in results and "rows" in results:
            return "speed"
    raise ValueError("none of what can be drawn: a ladder (exactdot lab --json), times (exactdot bench --json), "
                     "errors (bench/python/accuracy.py)")


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The results in a file. ValueError: it holds no JSON; OSError: it cannot be read."""
    def refuse(word: str) -> NoReturn:
        raise ValueError(f"holds {word}, which JSON does not know")

    with open(path, "rb") as file:
        content = file.read()
    if not content.strip():
        raise ValueError("empty")
    try:
        results: dict[str, Any] = json.loads(content, parse_constant=refuse)
    except json.JSONDecodeError as reason:
        raise ValueError(f"not JSON, or cut short: {reason}") from reason
    except (UnicodeDecodeError, RecursionError) as reason:
        raise ValueError(f"not JSON of ours: {reason}") from reason
    return results


def check_fields(where: str, holder: Any, fields: dict[str, Kind]) -> None:
    if not isinstance(holder, dict):
        raise ValueError(f"{where} is not an object")
    for name, (wanted, fits) in fields.items():
        value = holder.get(name.rstrip("?"))
        if not fits(value) and not (value is None and name.endswith("?")):
            raise ValueError(f"{where}: {name.rstrip('?')} is {json.dumps(value)[:40]}, not {wanted}")


def listed(where: str, holder: dict[str, Any], name: str) -> list[Any]:
    if not isinstance(holder.get(name), list) or not holder[name]:
        raise ValueError(f"{where}{name} is not a list of at least one")
    return list(holder[name])


def check(results: dict[str, Any]) -> str:
    """The kind, if all that its picture looks at is there and makes sense; else a ValueError that says where not."""
    kind = kind_of(results)
    if kind == "ladder":
        for i, ladder in enumerate(listed("", results, "ladders") if "ladders" in results else [results]):
            check_fields(f"ladders[{i}]", ladder, LADDER)
            for j, rung in enumerate(listed(f"ladders[{i}]: ", ladder, "rungs")):
                check_fields(f"ladders[{i}]: rungs[{j}]", rung, RUNG)
    elif kind == "accuracy":
        check_fields("the results", results, {"n": LENGTH})
        for i, point in enumerate(listed("", results, "accuracy")):
            check_fields(f"accuracy[{i}]", point, {"condition": POSITIVE})
            errors = point.get("errors")
            check_fields(f"accuracy[{i}]: errors", errors, {})
            check_fields(f"accuracy[{i}]: errors", errors, dict.fromkeys(errors, NOT_NEGATIVE))
    else:
        check_fields("machine", results.get("machine"), MACHINE)
        for i, row in enumerate(listed("", results, "rows")):
            check_fields(f"rows[{i}]", row, ROW)
            if row.get("us") is None and row.get("ns") is None:
                raise ValueError(f"rows[{i}]: neither us nor ns")
    return kind


def choose(results: dict[str, Any], dtype: str, n: int | None) -> dict[str, Any]:
    """The longest ladder of the type, or that of length n; of uniform data where there is one."""
    ladders = results.get("ladders", [results])
    fitting = [one for one in ladders if one["dtype"] == dtype and n in (None, one["n"])]
    fitting = [one for one in fitting if one.get("data") == "uniform"] or fitting
    if not fitting:
        raise ValueError(f"no ladder of {dtype}" + ("" if n is None else f" with n = {n}"))
    return max(fitting, key=lambda one: int(one["n"]))


def series(rows: list[Row], peer: str, dtype: str) -> list[tuple[int, float]]:
    """(n, microseconds) of one peer: uniform data; on a GPU in a graph with warm caches, on a CPU on one thread."""
    found = []
    for row in rows:
        if row["peer"] != peer or row["type"] != dtype or row["data"] != "uniform":
            continue
        if (row.get("how") or "graph", row.get("l2") or "warm", row.get("threads") or 1) == ("graph", "warm", 1):
            found.append((row["n"], row["us"] if row.get("us") else row["ns"] / 1000))
    return sorted(found)


def reference(rows: list[Row], dtype: str) -> tuple[str, dict[int, float]]:
    """By whose times those of the others are divided, and n: microseconds, as in the tables of scripts/performance:
    cuBLAS on a GPU; on a CPU OpenBLAS, at each n the fastest of its rows, of which there can be several."""
    cublas = dict(series(rows, "cublas", dtype))
    if cublas:
        return "cublas", cublas
    fastest: dict[int, float] = {}
    for peer in {row["peer"] for row in rows if row["peer"].startswith("openblas")}:
        for n, time in series(rows, peer, dtype):
            fastest[n] = min(time, fastest.get(n, math.inf))
    return "openblas", fastest


def last_cache(machine: dict[str, Any]) -> float:
    """Bytes of the last cache of "L1 48 KiB, L2 2 MiB, L3 260 MiB"; infinite if the machine says nothing."""
    sizes = re.findall(r"([0-9.]+) ([KMG])iB", machine.get("caches") or "")
    return max((float(size) * 1024.0 ** (1 + "KMG".index(unit)) for size, unit in sizes), default=math.inf)
