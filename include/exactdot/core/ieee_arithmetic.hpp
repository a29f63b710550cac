// SPDX-License-Identifier: Apache-2.0
// Refuses compiler options under which arithmetic is not that of IEEE 754, for code whose bits rely on it.
//
// The build undoes such options for the library itself (cmake/project_options.cmake). Programs may use them: headers
// that only call the library do not include this one. nvcc's host options do not reach device code, and its own fast
// mode reorders nothing.
#pragma once

#include <cfloat>

#if !defined(__NVCC__) || defined(__SIMTCC__)
#if defined(__FAST_MATH__)
#error "exactdot: -ffast-math (or -Ofast) changes the results of this header; add -fno-fast-math for this file"
#elif defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "exactdot: -funsafe-math-optimizations, -fassociative-math or -freciprocal-math changes the results of this header"
#elif defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "exactdot: -ffinite-math-only changes the results of this header; add -fno-finite-math-only for this file"
#elif defined(__NO_SIGNED_ZEROS__)
#error "exactdot: -fno-signed-zeros changes the results of this header; add -fsigned-zeros for this file"
#elif FLT_EVAL_METHOD != 0
#error "exactdot: -mfpmath=387 (or -m32 without -msse2 -mfpmath=sse) changes the results of this header"
#endif
#endif
