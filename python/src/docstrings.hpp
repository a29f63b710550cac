// The docstrings of info and use_instruction_set, in numpydoc format, with their signatures.
//
// scripts/python_stubs copies them into exactdot/_engine.pyi for editors and type checkers. tests/python runs every
// example.
#pragma once

namespace exactdot::python::docstrings {

inline constexpr const char* info = R"(info()
--

Describes this build and this machine.

Returns
-------
dict with the keys
    version : str
    instruction_set : str
        The one in use, such as "avx512".
    instruction_sets : list of str
        Those that this build contains and this machine supports, best first.
    threads : int
        The maximum number of CPU threads with threads=0.
    cuda : dict with the keys
        built : bool, whether the build has the CUDA engine
        toolkit : str, the version of the CUDA toolkit of the build, or ""
        devices : list of str, the names of the GPUs
        note : str, the reason for having no devices, or ""

Examples
--------
>>> import exactdot as xd
>>> xd.info()["instruction_set"] in xd.info()["instruction_sets"]
True
)";

inline constexpr const char* use_instruction_set =
    R"(use_instruction_set(name)
--

Selects the instruction set of all later calls, in every thread.

For tests and measurements: no result depends on it.

Parameters
----------
name : str
    One of info()["instruction_sets"], or "" for the best.

Raises
------
ValueError
    The name is none of these.

Examples
--------
>>> import exactdot as xd
>>> xd.use_instruction_set("")
)";

}  // namespace exactdot::python::docstrings
