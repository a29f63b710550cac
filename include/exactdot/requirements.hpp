// SPDX-License-Identifier: Apache-2.0
// What a compiler must offer. Every public header includes this file first.
//
// An older standard gets one sentence instead of thousands of errors: the include below, of a file that nobody has,
// ends the compilation with compilers that go on after #error. Visual C++ tells its standard by _MSVC_LANG.
#pragma once

#if defined(_MSVC_LANG)
#define EXACTDOT_STANDARD _MSVC_LANG
#else
#define EXACTDOT_STANDARD __cplusplus
#endif

#if EXACTDOT_STANDARD < 202002L
#error "exactdot needs C++20: compile with -std=c++20 (nvcc: -std=c++20, Visual C++: /std:c++20)"
#include <exactdot/this_compilation_ends_here>
#endif

#undef EXACTDOT_STANDARD
