// Atomic reduction of a float or double by any operator.
//
// Only addition has an instruction. Other operators read the word, combine, and store by atomicCAS, which succeeds
// only if the word is unchanged; otherwise the thread retries. The comparison is bitwise, so that NaN equals itself
// and -0 differs from 0.
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

/// Sets *out = combine(*out, x) atomically.
template <class Op, class T>
__device__ void combine_atomically(T* out, T x) {
  if constexpr (std::is_same_v<Op, sum>) {
    atomicAdd(out, x);
  } else {
    using word = decltype(bits_of(x));
    auto* const address = reinterpret_cast<word*>(out);
    word current = atomicAdd(address, word{0});
    word expected;
    do {
      expected = current;
      current = atomicCAS(address, expected, bits_of(Op::combine(value_of(expected), x)));
    } while (current != expected);
  }
}

}  // namespace
}  // namespace exactdot::lab
