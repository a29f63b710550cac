"""The arrays and options that dot and Accumulator.add accept, and the messages for all others."""

from __future__ import annotations

import array
import ctypes
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import exactdot as xd
import numpy as np
import pytest

from dlpack_capsules import CapsuleArray, on_gpu

X = np.array([1.0, 2.0, 3.0])
Y = np.array([4.0, 5.0, 6.0])


class Exporter:
    """A vector that supports DLPack only, version 0 or 1."""

    def __init__(self, data: np.ndarray, versioned: bool = True, kind: int = 1, index: int = 0) -> None:
        self.data, self.versioned, self.kind, self.index = data, versioned, kind, index
        self.asked: list[dict[str, Any]] = []

    def __dlpack_device__(self) -> Any:
        return self.__dict__.get("device", (self.kind, self.index))

    def __dlpack__(self, **arguments: Any) -> object:
        self.asked.append(arguments)
        return self.data.__dlpack__(**({"max_version": (1, 0)} if self.versioned else {}))


class Subclass(np.ndarray):
    pass


def mapped(tmp_path: Path) -> np.ndarray:
    np.save(tmp_path / "x.npy", X)
    return np.load(tmp_path / "x.npy", mmap_mode="r")


@pytest.mark.parametrize("versioned", [True, False])
def test_dlpack(versioned: bool) -> None:
    assert xd.dot(Exporter(X, versioned), Exporter(Y, versioned)) == 32.0
    assert xd.dot(Exporter(X[::-1], versioned), Exporter(np.repeat(Y, 2)[::-2], versioned)) == 32.0
    assert xd.dot(Exporter(X, versioned), Y) == 32.0


def test_buffers(tmp_path: Path) -> None:
    for x in (X, memoryview(X), array.array("d", X), X.view(Subclass), mapped(tmp_path), (ctypes.c_double * 3)(*X),
              np.broadcast_to(X, (2, 3))[1], X.astype(">f8")):
        assert xd.dot(x, Y) == 32.0, type(x)
        assert xd.dot(Y, x) == 32.0, type(x)
    read_only = X.copy()
    read_only.flags.writeable = False
    assert xd.dot(read_only, Y) == 32.0
    assert xd.dot(np.broadcast_to(2.0, 3), Y) == 30.0


def test_float32_is_rounded_once() -> None:
    a, b = np.array([1, 2.0**-24], "f"), np.array([1, 1], "f")
    assert xd.dot(a, b) == 1.0
    assert xd.dot(a, b, dtype="float64") == xd.dot(a, b, dtype=np.float64) == 1 + 2.0**-24
    assert xd.dot(X, Y, dtype=np.dtype("float32")) == 32.0


def test_out() -> None:
    for out in (np.zeros(()), np.zeros(1, "f"), np.zeros(1, ">f8")):
        assert xd.dot(X, Y, out=out) is out
        assert out.ravel()[0] == 32.0
    fixed = np.zeros(1)
    fixed.flags.writeable = False
    for out, why in ((np.zeros(2), "2 elements"), (fixed, "is read-only"),
                     (np.zeros(1, int), "use a floating-point type")):
        with pytest.raises((TypeError, ValueError), match=why):
            xd.dot(X, Y, out=out)
    with pytest.raises(ValueError, match="out: has 2 dimensions; use a 1-D array"):
        xd.dot(X, Y, out=np.zeros((1, 1)))
    with pytest.raises(ValueError, match="does not have the dtype that was passed"):
        xd.dot(X, Y, out=np.zeros(1), dtype="float32")


REFUSED = [
    (X, Y[:2], ValueError, "differ in length: 3 and 2"),
    (X, Y.astype(int), TypeError, "a holds float64, b int64; convert one"),
    (X, np.ones((3, 3)), ValueError, "b: has 2 dimensions.*shape \\(3, 3\\)"),
    (np.float64(1.0), np.float64(2.0), ValueError, "has no dimension"),
    (np.array(X, object), Y, TypeError, "a: elements are of dtype object, not .*float64, shape"),
    (X, np.ma.masked_array(Y, [0, 1, 0]), TypeError, "b: is a masked array"),
    (X.astype("clongdouble"), Y.astype("clongdouble"), TypeError, "a: elements are of dtype (clongdouble|complex256)"),
    (X.astype("longdouble"), Y, TypeError, "a: elements are of dtype (longdouble|float128)"),
    (np.array(["2026"], "M8[Y]"), Y, TypeError, "a: elements are of dtype datetime64"),
    (np.array(["a"]), Y, TypeError, "a: elements are of dtype str"),
    ([1.0, "a"], [1.0], TypeError, "a: element 1 is str 'a', no number .a is list, length 2; b is list, length 1"),
    ([[1.0], [1.0, 2.0]], Y, ValueError, r"a: is inhomogeneous: element 1 has shape \(2,\), the first \(1,\)"),
    ([[1.0]], Y, ValueError, "a: has 2 dimensions"),
    (1.0, 2.0, ValueError, "a: has no dimension"),
    (b"123", Y, TypeError, "a holds uint8, b float64.*a is bytes"),
    (memoryview(b"123").cast("c"), Y, TypeError, "a: elements are of format 'c'"),
    (None, Y, TypeError, "a: is not a vector.*a is NoneType"),
    ("abc", Y, TypeError, "a is str, length 3;"),
    (Exporter(X, kind=10), Y, TypeError, "device type 10"),
]


@pytest.mark.parametrize("a, b, kind, why", REFUSED)
def test_refusals(a: Any, b: Any, kind: type[Exception], why: str) -> None:
    with pytest.raises(kind, match=why) as caught:
        xd.dot(a, b)
    assert "a is" in str(caught.value) and "b is" in str(caught.value)


@pytest.mark.parametrize("wrong", [{"mode": "quick"}, {"dtype": "int8"}, {"dtype": "complex128"}, {"dtype": bool},
                                   {"threads": -1}, {"device": "tpu"},
                                   {"device": "cuda:x"}, {"mode": None}, {"mode": "\ud800"}, {"device": "\ud800"},
                                   {"mode": "exact\0x"}, {"device": "cpu\0"}, {"dtype": "\ud800"},
                                   {"dtype": "float32\0x"}, {"dtype": None.__class__}])
def test_unknown_options(wrong: dict[str, Any]) -> None:
    for x in (X, X[::-1]):
        with pytest.raises(ValueError):
            xd.dot(x, Y, **wrong)


def test_gpu_calls_without_a_gpu() -> None:
    if xd.info()["cuda"]["devices"]:
        pytest.skip("this machine has a GPU")
    with pytest.raises(RuntimeError, match="no CUDA|for CPUs only|GPU|device") as caught:
        xd.dot(X, Y, device="cuda")
    assert "link" not in str(caught.value) or xd.info()["cuda"]["built"]
    with pytest.raises(ValueError, match="a is in GPU memory, b in host memory"):
        xd.dot(on_gpu(X), Y)
    if not xd.info()["cuda"]["built"]:
        assert "CPUs only" in xd.info()["cuda"]["note"]


def test_two_gpus() -> None:
    """Needs no GPU: the check comes before any element is read."""
    a, b = on_gpu(X), on_gpu(Y, 1)
    with pytest.raises(ValueError, match="a is on GPU 0, b on GPU 1") as caught:
        xd.dot(a, b, stream=5)
    assert "a is" in str(caught.value) and "b is" in str(caught.value)
    assert [array.asked[0]["stream"] for array in (a, b)] == [5, 5]
    with pytest.raises(ValueError, match="a is on GPU 0, b on GPU 1"):
        xd.dot(a, b)
    assert a.asked[1]["stream"] == 1  # the legacy default stream, as DLPack numbers it
    if not xd.info()["cuda"]["built"]:
        with pytest.raises(RuntimeError, match="in GPU memory, but this build of exactdot is for CPUs only"):
            xd.dot(a, a)


def test_nothing_leaks() -> None:
    import gc
    import sys

    x = X.copy()
    exporters = [Exporter(x), Exporter(x, versioned=False)]
    for exporter in exporters:
        xd.dot(exporter, Y)
    gc.collect()
    before = sys.getrefcount(x)
    for _ in range(100):
        xd.dot(x, Y)
        for exporter in exporters:
            xd.dot(exporter, exporter)
        with pytest.raises(ValueError):
            xd.dot(x, Y[:1])
    assert sys.getrefcount(x) == before


def test_read_only_producers_of_dlpack_are_read() -> None:
    given = np.arange(4.0)
    given.flags.writeable = False
    assert xd.dot(Exporter(given), Exporter(given)) == 14.0


@pytest.mark.parametrize("device", [(), (1,), "xx", [1, 0], None, (1, "x"), (1, 2**40), (1.5, 0)])
def test_an_invalid_dlpack_device_is_refused(device: Any) -> None:
    given = Exporter(X)
    given.__dict__["device"] = device
    with pytest.raises(TypeError, match="a: __dlpack_device__ does not return a pair of integers"):
        xd.dot(given, Y)


@pytest.mark.parametrize("versioned", [True, False])
def test_valid_capsules(versioned: bool) -> None:
    for x in (CapsuleArray(X, versioned=versioned),
              CapsuleArray(np.append(0.0, X)[::1], byte_offset=8, length=3, versioned=versioned),
              CapsuleArray(X, strides=None, versioned=versioned),
              CapsuleArray(np.repeat(X, 2)[::2], versioned=versioned)):
        assert xd.dot(x, Y) == xd.dot(Y, x) == 32.0
        assert x.deleted == 2
    nothing = CapsuleArray(X, length=0, data=None, versioned=versioned)
    assert xd.dot(nothing, np.array([])) == 0.0


@pytest.mark.parametrize("fields, why", [
    ({"major": 2}, "version after 1"),
    ({"lanes": 2}, "64 bits and 2 lanes"),
    ({"bits": 24}, "24 bits"),
    ({"bits": 128}, "128 bits"),
    ({"code": 3}, "code 3"),
    ({"code": 5}, "code 5"),
    ({"code": 6}, "code 6 with 64 bits"),
    ({"device": 2}, "device type 2, its __dlpack_device__ is a CPU"),
    ({"dimensions": 2}, "2 dimensions"),
    ({"dimensions": -1}, "-1 dimensions; use 0 to 64"),
    ({"length": -3}, "negative length"),
    ({"data": None}, "null pointer as data"),
    ({"shape": None}, "null pointer as shape"),
    ({"device": 10}, "device type 10, its __dlpack_device__ is a CPU"),
    ({"device": 0}, "device type 0"),
])
def test_invalid_capsules_are_refused(fields: dict[str, Any], why: str) -> None:
    for versioned in {True, "major" in fields}:
        array = CapsuleArray(X, versioned=versioned, **fields)
        with pytest.raises((TypeError, ValueError), match=f"b: .*{why}"):
            xd.dot(X, array)
        assert array.deleted == (0 if "major" in fields else 1)  # an accepted capsule is deleted


def test_objects_that_are_no_unused_capsule_are_refused() -> None:
    used = np.ones(3).__dlpack__()
    once = {"__dlpack__": lambda self, **arguments: used, "__dlpack_device__": lambda self: (1, 0)}
    np.from_dlpack(type("Once", (), once)())
    for capsule in (None, used, 3):
        given = Exporter(X)
        given.__dlpack__ = lambda **arguments: capsule  # type: ignore[method-assign]
        with pytest.raises(TypeError, match="b: __dlpack__ does not return an unused capsule"):
            xd.dot(X, given)


class Raises:
    def __init__(self, what: BaseException, name: str) -> None:
        self.what, self.name = what, name

    def __getattribute__(self, name: str) -> Any:
        if name == object.__getattribute__(self, "name"):
            raise object.__getattribute__(self, "what")
        return object.__getattribute__(self, name)


@pytest.mark.parametrize("name", ["__dlpack_device__", "__cuda_array_interface__", "__class__"])
def test_exceptions_of_an_array_pass_through(name: str) -> None:
    import numpy.ma

    assert numpy.ma
    for what in (KeyboardInterrupt(), MemoryError(), OSError("lost")):
        with pytest.raises(type(what)):
            xd.dot(Raises(what, name), X)


def test_a_read_only_dlpack_array_cannot_be_out() -> None:
    assert xd.dot(X, Y, out=CapsuleArray(np.zeros(1))).data == 32.0
    with pytest.raises(ValueError, match="out is read-only"):
        xd.dot(X, Y, out=CapsuleArray(np.zeros(1), flags=1))


def test_a_plain_sum_checks_its_options() -> None:
    total = xd.Accumulator()
    for wrong in ({"device": "bogus"}, {"threads": -5}, {"device": "cuda:99"}):
        with pytest.raises((ValueError, RuntimeError)):  # no GPU: RuntimeError
            total.add(np.ones(3), **wrong)
    total.add(np.ones(3), threads=1, device="cpu")
    assert float(total) == 3.0


def test_both_byte_orders_of_the_cuda_array_interface() -> None:
    """The element type is accepted: the error is another, found later."""
    with pytest.raises(ValueError, match="a is in GPU memory, b in host memory"):
        xd.dot(OnGpu(typestr=">f8"), Y)


class OnGpu:
    """An object with this __cuda_array_interface__; no memory is behind it."""

    def __init__(self, **fields: object) -> None:
        self.interface: object = {"typestr": "<f8", "shape": (3,), "data": (4096, False), "version": 3, **fields}

    @property
    def __cuda_array_interface__(self) -> object:
        return self.interface


WRONG = [
    ({"shape": [3]}, "no valid shape"),
    ({"shape": ("3",)}, "no valid shape"),
    ({"shape": (-3,)}, "negative length"),
    ({"shape": (2, 2)}, "2 dimensions"),
    ({"shape": (2**70,)}, "no valid shape"),
    ({"data": ()}, "no valid data"),
    ({"data": 4096}, "no valid data"),
    ({"data": (-1, False)}, "no valid data"),
    ({"data": (0, False)}, "null pointer as data"),
    ({"strides": ()}, "no valid strides"),
    ({"strides": [8]}, "no valid strides"),
    ({"stream": "first"}, "no valid stream"),
    ({"stream": -1}, "no valid stream"),
    ({"data": (4096, np.ones(2))}, "no valid data"),
    ({"typestr": None}, "no valid typestr"),
    ({"typestr": ">c8"}, "elements are '>c8'"),
    ({"typestr": "<V2"}, "elements are '<V2'"),
    ({"typestr": "|i8"}, "elements are '|i8'"),
    ({"typestr": "<b2"}, "elements are '<b2'"),
    ({"typestr": "<f16"}, "elements are '<f16'"),
    ({"typestr": "f8"}, "elements are 'f8'"),
    ({"typestr": ""}, "elements are ''"),
    ({"mask": (1, 2)}, "masked array"),
]


@pytest.mark.parametrize("fields, why", WRONG)
def test_an_invalid_cuda_array_interface_is_refused(fields: dict[str, object], why: str) -> None:
    for call in (xd.dot, xd.Accumulator().add):
        with pytest.raises((TypeError, ValueError), match=f"b: .*{why}"):
            call(X, OnGpu(**fields))


def test_a_cuda_array_interface_that_is_no_dict_is_refused() -> None:
    wrong = OnGpu()
    wrong.interface = [1, 2]
    with pytest.raises(TypeError, match="a: __cuda_array_interface__ is not a dict"):
        xd.dot(wrong, Y)


def test_a_stream_needs_vectors_in_gpu_memory() -> None:
    for stream in (5, "first"):
        with pytest.raises(ValueError, match="dot: stream is for vectors in GPU memory"):
            xd.dot(X, Y, stream=stream)
        for vectors in ((X, Y), (X,)):
            with pytest.raises(ValueError, match="Accumulator.add: stream is for"):
                xd.Accumulator().add(*vectors, stream=stream)


def test_messages_name_the_call() -> None:
    with pytest.raises(ValueError, match="^Accumulator.add: device is tpu"):
        xd.Accumulator().add(X, Y, device="tpu")
    with pytest.raises(ValueError, match="^dot: device is tpu"):
        xd.dot(X, Y, device="tpu")
    other = on_gpu(X, 1)
    for device in ("cpu", "cuda", "cuda:0") if xd.info()["cuda"]["built"] else ("cpu",):
        with pytest.raises(ValueError, match="Accumulator.add: device is (cpu|cuda:0), but a is in .* GPU 1 "):
            xd.Accumulator().add(other, other, device=device)


FLUSHING = """
import ctypes, exactdot as xd, numpy as np, sys
a, b = np.array([2.0 ** -100], "f"), np.array([2.0 ** -40], "f")
out = np.zeros(1, "f")
acc = xd.Accumulator("float32")
class Environment(ctypes.Structure):
    _fields_ = [("x87", ctypes.c_uint32 * 7), ("mxcsr", ctypes.c_uint32)]
libm = ctypes.CDLL("libm.so.6")
environment = Environment()
libm.fegetenv(ctypes.byref(environment))
environment.mxcsr |= int(sys.argv[1], 0)
libm.fesetenv(ctypes.byref(environment))
values = xd.dot(a, b), xd.dot(-a, b), xd.dot(a, b, out=out), acc.add(a, b), acc.round(), xd.dot(a, b, dtype="float64")
environment.mxcsr = 0x1f80
libm.fesetenv(ctypes.byref(environment))
print(values[0].hex(), values[1].hex(), out.view("u4")[0], values[4].hex(), values[5].hex())
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="sets MXCSR")
@pytest.mark.parametrize("control", [0, 0x8000, 0x40, 0x8040, 0x4000], ids=["default", "FTZ", "DAZ", "both", "upward"])
def test_subnormal_results_survive_flushing(control: int) -> None:
    ended = subprocess.run([sys.executable, "-c", FLUSHING, hex(control)], capture_output=True, text=True, check=True)
    tiny = (2.0**-140).hex()
    assert ended.stdout.split() == [tiny, "-" + tiny, "512", tiny, tiny]


def test_the_extension_exports_nothing_but_its_entry() -> None:
    """Its copy of the C++ library would replace that of extensions that are loaded later, such as jaxlib."""
    if shutil.which("nm") is None:
        pytest.skip("no nm")
    command = ["nm", "-D", "--defined-only", xd._engine.__file__]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert [line.split()[-1] for line in listed.stdout.splitlines()] == ["PyInit__engine"]
