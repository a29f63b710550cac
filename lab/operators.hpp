// Reduction operators with their identities: sum, minimum, maximum, largest magnitude, product.
//
// Kernels take the operator as template parameter, at no run-time cost. The namespace is unnamed because each rung
// is compiled for two backends that are linked into one program.
#pragma once

#include <exactdot/simt/cuda.hpp>
#include <limits>

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

}  // namespace
}  // namespace exactdot::lab
