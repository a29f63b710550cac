// The one place where the core meets its compilers: host C++ and CUDA.
//
// Everything in src/core is constexpr, allocates nothing, throws nothing and calls no library, so that the
// CUDA compiler takes it unchanged and a constant expression can run it.
#pragma once

#include <bit>
#include <cstdint>

#ifdef __CUDACC__
#define EXACTDOT_CORE __host__ __device__ constexpr
#else
#define EXACTDOT_CORE constexpr
#endif

namespace exactdot::core {

__extension__ using uint128 = unsigned __int128;

}  // namespace exactdot::core
