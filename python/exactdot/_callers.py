"""Functions of the engine under the names of others: their errors name what was called."""

from __future__ import annotations

from typing import Any, Callable

from exactdot import _engine


def called_as(caller: str, call: Callable[[], Any], without: str = "") -> Any:
    """What call() returns; or its error, which begins with the name of a function of the engine, with that of the caller.

    without: the end of a sentence that is not for the caller, such as the advice of an argument that it lacks.
    """
    try:
        return call()
    except (TypeError, ValueError, OverflowError, IndexError, RuntimeError, ImportError) as failure:
        name, colon, sentence = str(failure).partition(": ")
        if not colon or not hasattr(_engine, name) or len(failure.args) != 1:
            raise
        raise type(failure)(f"{caller}: {sentence.removesuffix(without)}") from None
