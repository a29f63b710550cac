"""Pickles of states: bytes with a check sum. A flipped bit ends in an exception, or in the same sum, and never in a signal."""

from __future__ import annotations

import copyreg
import io
import pickle
import subprocess
import sys
from typing import Any

import exactdot as xd
import numpy as np
import pytest

CLASSES = [xd.Accumulator, xd.Moments]

# In a child process: every single-bit change of every pickle. Prints what went wrong, then "done".
FLIPS = """
import faulthandler, gc, pickle, resource, sys, warnings
import numpy as np, exactdot as xd
faulthandler.enable()
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
warnings.simplefilter("ignore")
sys.unraisablehook = lambda _: None
cls, dtype, protocol = getattr(xd, sys.argv[1]), sys.argv[2], int(sys.argv[3])
made = cls(dtype)
made.add(np.array([1, 2, 100], "int8"))
words, whole = made.words, pickle.dumps(made, protocol)
assert b"numpy" not in whole and np.array_equal(pickle.loads(whole).words, words)
for at in range(8 * len(whole)):
    data = bytearray(whole)
    data[at // 8] ^= 1 << at % 8
    try:
        loaded = pickle.loads(bytes(data))
        if type(loaded) is cls and not (np.array_equal(loaded.words, words) and loaded.dtype == dtype):
            print("bit", at, "changes", loaded)
    except Exception as raised:
        if isinstance(raised, SystemError) or "std::" in str(raised):
            print("bit", at, repr(raised))
print("done", len(whole))
"""


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("dtype", ["int8", "float32", "float64"])
@pytest.mark.parametrize("cls", CLASSES)
def test_every_flipped_bit(cls: Any, dtype: str, protocol: int) -> None:
    if dtype == "float64" and protocol not in (0, 4):
        pytest.skip("as the others, in seconds")
    done = subprocess.run([sys.executable, "-c", FLIPS, cls.__name__, dtype, str(protocol)], capture_output=True, text=True,
                          timeout=240)
    assert done.returncode == 0 and done.stdout.startswith("done"), done.stdout[-2000:] + done.stderr[-2000:]


@pytest.mark.parametrize("cls", CLASSES)
def test_states_are_bytes_of_one_form(cls: Any) -> None:
    made = cls("int16")
    made.add(np.array([-1, 300], "int16"))
    name, data = made.__getstate__()
    assert name == "int16" and type(data) is bytes and len(data) == 8 * len(made.words) + 4
    assert data[:-4] == made.words.astype("<i8").tobytes()
    again = cls.__new__(cls)
    again.__setstate__((name, data))
    assert again == made
    for damaged in (data[:-1], data + b"a", b"", data[:8] + data[16:], bytes(len(data)), data[::-1]):
        with pytest.raises(ValueError, match="^.*__setstate__: the state is not one of __getstate__: it"):
            cls.__new__(cls).__setstate__((name, damaged))
    for other in ("uint16", "int32", "int8"):  # whose states have as many words
        with pytest.raises(ValueError, match="its check sum is wrong: the bytes are damaged"):
            cls.__new__(cls).__setstate__((other, data))


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "float64"])
def test_pickles_of_earlier_versions_are_read(cls: Any, dtype: str) -> None:
    made = cls(dtype)
    made.add(np.array([1, 2, 100], "int8"))

    class Earlier(pickle.Pickler):
        def reducer_override(self, given: Any) -> Any:
            new = getattr(copyreg, "__newobj__")  # noqa: B009
            return (new, (cls,), (dtype, made.words)) if given is made else NotImplemented

    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        file = io.BytesIO()
        Earlier(file, protocol).dump(made)
        assert b"numpy" in file.getvalue()
        loaded = pickle.loads(file.getvalue())
        assert type(loaded) is cls and loaded == made and loaded.dtype == dtype
