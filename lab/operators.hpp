// The operators of a reduction, each with its identity: a tree that adds also finds the largest.
//
// A template parameter of the kernels: what `combine` is costs nothing at run time. In an unnamed namespace, for
// each rung is compiled for two worlds that meet in one program.
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
