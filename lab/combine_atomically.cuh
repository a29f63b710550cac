// Any operation on a float or double as one step of the memory system.
//
// Only sums have an instruction for it. The others read the word, combine, and store by atomicCAS, which stores
// only where the word is still what was read; else somebody came between, and they try again. Words, not numbers,
// are compared: a NaN is equal to itself there, and -0 is not 0.
#pragma once

#include <lab/rung.hpp>
#include <type_traits>

namespace exactdot::lab {
namespace {

__device__ __forceinline__ unsigned bits_of(float x) { return __float_as_uint(x); }
__device__ __forceinline__ unsigned long long bits_of(double x) {
  return static_cast<unsigned long long>(__double_as_longlong(x));
}
__device__ __forceinline__ float value_of(unsigned bits) { return __uint_as_float(bits); }
__device__ __forceinline__ double value_of(unsigned long long bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}

/// *out = combine(*out, x) as one step.
template <class Op, class T>
__device__ void combine_atomically(T* out, T x) {
  if constexpr (std::is_same_v<Op, sum>) {
    atomicAdd(out, x);
  } else {
    using word = decltype(bits_of(x));
    auto* const address = reinterpret_cast<word*>(out);
    word seen = atomicAdd(address, word{0});
    word expected;
    do {
      expected = seen;
      seen = atomicCAS(address, expected, bits_of(Op::combine(value_of(expected), x)));
    } while (seen != expected);
  }
}

}  // namespace
}  // namespace exactdot::lab
