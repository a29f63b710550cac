// The one place where the core meets its compilers: host C++ and CUDA.
//
// Functions in exactdot/core are constexpr, allocate nothing, throw nothing and call no library. So the CUDA
// compiler accepts them unchanged, and constant expressions can call them.
#pragma once

#include <exactdot/requirements.hpp>

#include <cstdint>

#ifdef __CUDACC__
#define EXACTDOT_CORE __host__ __device__ constexpr
#else
#define EXACTDOT_CORE constexpr
#endif

namespace exactdot::inline v0_3::core {

__extension__ using uint128 = unsigned __int128;

template <class To, class From>
EXACTDOT_CORE To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

/// Zero bits above the highest one bit, and below the lowest. x != 0.
EXACTDOT_CORE int leading_zeros(std::uint64_t x) {
#if defined(__CUDA_ARCH__) && !defined(__SIMTCC__)
  return __clzll(static_cast<long long>(x));
#else
  return __builtin_clzll(x);
#endif
}
EXACTDOT_CORE int trailing_zeros(std::uint64_t x) {
#if defined(__CUDA_ARCH__) && !defined(__SIMTCC__)
  return __ffsll(static_cast<long long>(x)) - 1;
#else
  return __builtin_ctzll(x);
#endif
}

}  // namespace exactdot::inline v0_3::core
