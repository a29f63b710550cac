"""The binary interface that python/src/xla_ffi.hpp declares is that of the installed jaxlib: offsets, constants, versions."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
pytest.importorskip("jax")  # before what imports it
import exactdot.jax
import jax
import jax.numpy as jnp
import numpy as np
from exactdot.jax._primitives import target_of

ROOT = Path(__file__).parents[2]
# a structure of the header beside ours: its members, in order
STRUCTURES = {
    "Extension_Base extension": "struct_size:size type:kind next:next",
    "Api_Version interface_version": "struct_size:size extension_start:extensions major_version:major minor_version:minor",
    "Metadata metadata": "struct_size:size api_version:version traits:traits",
    "Metadata_Extension metadata_extension": "extension_base:base metadata:of_handler",
    "Buffer buffer": "struct_size:size extension_start:extensions dtype:type data:data rank:rank dims:lengths",
    "Args buffers": "struct_size:size extension_start:extensions size:count types:kinds args:items",
    "Rets buffers": "struct_size:size extension_start:extensions size:count types:kinds rets:items",
    "Scalar scalar": "dtype:type value:value",
    "Attrs attributes": "struct_size:size extension_start:extensions size:count types:kinds names:names attrs:values",
    "Error_Create_Args error_description": "struct_size:size extension_start:extensions message:message errc:code",
    "Api functions": "struct_size:size extension_start:extensions api_version:version internal_api:internals XLA_FFI_Error_Create:make_error",
    "CallFrame call_frame": "struct_size:size extension_start:extensions api:xla ctx:context stage:stage args:arguments rets:results attrs:given",
}
CONSTANTS = {f"DataType_{name.upper()}": name for name in
             "pred s8 s16 s32 s64 u8 u16 u32 u64 f16 f32 f64 bf16 f8e5m2 f8e4m3fn".split()} | {
    "Extension_Metadata": "metadata_kind",
    "AttrType_SCALAR": "scalar_kind", "ArgType_BUFFER": "buffer_argument", "RetType_BUFFER": "buffer_result",
    "Error_Code_INVALID_ARGUMENT": "invalid_argument",
    "Error_Code_RESOURCE_EXHAUSTED": "resource_exhausted", "Error_Code_OUT_OF_RANGE": "out_of_range", "Error_Code_INTERNAL": "internal"}
WHOLE = ("Extension_Base", "Api_Version", "Buffer", "Scalar", "Attrs", "Args", "Rets", "Error_Create_Args")  # no member is left out


def header() -> Path:
    return Path(jax.ffi.include_dir()) / "xla/ffi/api/c_api.h"


def test_versions() -> None:
    major, minor = (int(re.search(rf"#define XLA_FFI_API_{name} (\d+)", header().read_text()).group(1)) for name in ("MAJOR", "MINOR"))
    ours = (ROOT / "python/src/xla_ffi.hpp").read_text()
    least, most = (int(re.search(rf"{name}_minor_version = (\d+)", ours).group(1)) for name in ("min", "max"))
    assert major == 0 and least <= minor
    if minor > most:
        pytest.fail(f"XLA's FFI has version 0.{minor}; compare, and raise max_minor_version of python/src/xla_ffi.hpp")


def test_layout(tmp_path: Path) -> None:
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if not compiler:
        pytest.skip("no C++ compiler")
    is_renamed = "XLA_FFI_InternalExtension" in header().read_text()  # from 0.5 on
    checks = []
    for names, members in STRUCTURES.items():
        theirs, ours = (f"XLA_FFI_{names.split()[0]}", names.split()[1])
        if is_renamed:
            theirs = theirs.replace("Extension_Base", "InternalExtension")
        for pair in members.split():
            member, name = pair.split(":")
            checks.append(f"offsetof({theirs}, {member}) == offsetof(xla::{ours}, {name})")
            checks.append(f"sizeof({theirs}::{member}) >= sizeof(xla::{ours}::{name})")
        if names.split()[0] in WHOLE:
            checks.append(f"sizeof({theirs}) == sizeof(xla::{ours})")
    checks += [f"int(XLA_FFI_{theirs}) == int(xla::{ours})" for theirs, ours in CONSTANTS.items()]
    program = ('#include <xla/ffi/api/c_api.h>\n#include <python/src/xla_ffi.hpp>\nnamespace xla = exactdot::python::xla;\n'
               + "\n".join(f'static_assert({each}, "differs");' for each in checks))
    (tmp_path / "layout.cpp").write_text(program)
    done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-Wno-invalid-offsetof", f"-I{jax.ffi.include_dir()}", f"-I{ROOT}",
                           tmp_path / "layout.cpp"], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr


X, KEYS, NUMBER = jnp.ones((2, 3), jnp.float32), jnp.zeros(3, jnp.int32), {"number": np.int64(0)}
CALLS = [  # of programs that exactdot.jax did not lower: target, result, arguments, attributes, words of the error
    ("sum", (2, 1), [X], {}, "number"),
    ("sum", (2, 1), [X], {"number": "0"}, "number"),
    ("sum", (2, 1), [X], {"number": np.float64(0)}, "number"),
    ("sum", (2, 1), [X], {"number": np.array([0, 1])}, "number"),
    ("sum", (2, 1), [X], NUMBER | {"other": np.int64(0)}, "number"),
    ("sum", (2, 1, 1), [X], NUMBER, "dimensions"),
    ("sum", (3, 1), [X], NUMBER, "lengths"),
    ("sum", (2, 1), [X, X, X], NUMBER, "arguments"),
    ("sum", (2, 1), [], NUMBER, "arguments"),
    ("vecdot", (2, 1), [X], NUMBER, "arguments"),
    ("vecdot", (2, 1), [X, X[:, :2]], NUMBER, "lengths"),
    ("vecdot", (2, 1), [X, X[0]], NUMBER, "dimensions"),
    ("product", (2, 3), [X, X[:, :2]], NUMBER, "lengths"),
    ("product", (2, 1), [X, X], NUMBER, "lengths"),
    ("product", (2, 3, 1), [X, X], NUMBER, "dimensions"),
    ("product", (2, 3), [], NUMBER, "arguments"),
    ("segment_sum", (2, 2), [X, KEYS], {"number": np.int64(-1)}, "axis"),
    ("segment_sum", (2, 2), [X, KEYS], {"number": np.int64(2)}, "axis"),
    ("segment_sum", (2, 2), [X, KEYS[:2]], {"number": np.int64(1)}, "lengths"),
    ("segment_sum", (3, 2), [X, KEYS], {"number": np.int64(1)}, "lengths"),
    ("segment_sum", (2,), [X, KEYS], {"number": np.int64(1)}, "dimensions"),
    ("segment_sum", (2, 2), [X, KEYS[0]], {"number": np.int64(1)}, "dimensions"),
    ("segment_sum", (2, 2), [X], NUMBER, "arguments"),
]


@pytest.mark.parametrize("name, shape, arguments, attributes, word", CALLS, ids=lambda each: each if isinstance(each, str) else None)
def test_calls_that_others_wrote(name: str, shape: tuple[int, ...], arguments: list[Any], attributes: dict[str, Any], word: str) -> None:
    call = jax.ffi.ffi_call(target_of(name), jax.ShapeDtypeStruct(shape, jnp.float32))
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match=word):
        jax.jit(lambda *x: call(*x, **attributes))(*arguments).block_until_ready()


@pytest.mark.parametrize("a, result", [("int32", "int32"), ("float32", "int32")])
def test_element_types_that_others_wrote(a: str, result: str) -> None:
    call = jax.ffi.ffi_call(target_of("product"), jax.ShapeDtypeStruct((2, 3), result))
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match="int32"):
        jax.jit(lambda x: call(x, x, **NUMBER))(X.astype(a)).block_until_ready()
