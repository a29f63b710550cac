// The docstrings of info, use_instruction_set and check, in numpydoc format, with their signatures.
//
// The build copies them into the type stubs, _engine.pyi, for editors and type checkers. tests/python runs every
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
        With the commit, such as "0.3.0.dev0+g1234567".
    instruction_set : str
        The one in use, such as "avx512".
    instruction_sets : list of str
        Those that this build contains and this machine supports, best first.
    threads : int
        The maximum number of CPU threads with threads=0.
    environment : dict with the keys
        rounding : str, the rounding mode of this thread, such as "to_nearest"
        flush_to_zero : bool, whether subnormal results of this thread become zero
        denormals_are_zero : bool, whether its subnormal operands count as zero
        traps : bool, whether floating-point exceptions stop it
    cuda : dict with the keys
        built : bool, whether the build has the CUDA engine
        toolkit : str, the version of the CUDA toolkit of the build, or ""
        devices : list of str, the names of the GPUs
        note : str, the reason for having no devices, or ""

Notes
-----
Calls compute in the default floating-point environment, whatever that of the thread is, and leave the thread's as it was.
A module that was linked with -ffast-math sets flush_to_zero when it is imported.

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

inline constexpr const char* check = R"(check(x, *, stream=None)
--

Waits for a stream and raises the error of earlier calls on it that could not: they returned before the GPU had seen the
data.

Such calls have several results, or out, in GPU memory. What their data made wrong is NaN or 0 there, and noted: an
integer that does not fit, a key or an offset out of range, an empty group under min or max. The note is cleared. Calls
whose result is an integer in host memory raise it, too.

Parameters
----------
x : array
    An array in GPU memory, which names the GPU and, as in other calls, the stream. In host memory nothing is left to
    check.
stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
    The CUDA stream. Default: as for reductions of x.

Raises
------
OverflowError
    An integer result did not fit into its type.
ValueError
    A key or an offset was out of range, or a group was empty; x is no array.
RuntimeError
    There is no GPU, or CUDA reports an error.

Examples
--------
>>> import exactdot as xd
>>> xd.check([1, 2, 3])
)";

}  // namespace exactdot::python::docstrings
