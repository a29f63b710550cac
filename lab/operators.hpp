// The operators of a reduction, each with its identity: a tree that adds also finds the largest.
//
// A template parameter of the kernels: what `combine` is costs nothing at run time. In an unnamed namespace, for
// each rung is compiled for two worlds that meet in one program.
#pragma once

#include <exactdot/simt/cuda.hpp>
#include <limits>
#include <type_traits>

namespace exactdot::lab {
namespace {

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

struct sum {
  template <class T>
  static constexpr T identity = 0;
  template <class T>
  static __host__ __device__ T term(T a, T b) {
    return a * b;
  }
  template <class T>
  static __host__ __device__ T combine(T x, T y) {
    return x + y;
  }
};

struct smallest {
  template <class T>
  static constexpr T identity = infinity<T>;
  template <class T>
  static __host__ __device__ T term(T a, T b) {
    return a * b;
  }
  template <class T>
  static __host__ __device__ T combine(T x, T y) {
    return y < x ? y : x;
  }
};

struct largest {
  template <class T>
  static constexpr T identity = -infinity<T>;
  template <class T>
  static __host__ __device__ T term(T a, T b) {
    return a * b;
  }
  template <class T>
  static __host__ __device__ T combine(T x, T y) {
    return x < y ? y : x;
  }
};

struct largest_magnitude {
  template <class T>
  static constexpr T identity = 0;
  template <class T>
  static __host__ __device__ T term(T a, T b) {
    return a * b < 0 ? -(a * b) : a * b;
  }
  template <class T>
  static __host__ __device__ T combine(T x, T y) {
    return x < y ? y : x;
  }
};

struct product {
  template <class T>
  static constexpr T identity = 1;
  template <class T>
  static __host__ __device__ T term(T a, T b) {
    return a * b;
  }
  template <class T>
  static __host__ __device__ T combine(T x, T y) {
    return x * y;
  }
};

__device__ __forceinline__ unsigned bits_of(float x) { return __float_as_uint(x); }
__device__ __forceinline__ unsigned long long bits_of(double x) {
  return static_cast<unsigned long long>(__double_as_longlong(x));
}
__device__ __forceinline__ float value_of(unsigned bits) { return __uint_as_float(bits); }
__device__ __forceinline__ double value_of(unsigned long long bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}

/// *out = combine(*out, x) as one step. Only sums have an instruction for it; the others try with atomicCAS until
/// nobody came between.
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
