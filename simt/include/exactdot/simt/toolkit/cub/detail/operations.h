// What CUB's operations combine with, and its helpers for errors, for programs that simtcc compiles.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace cub {

struct Sum {
  template <class A, class B>
  __host__ __device__ auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};
struct Max {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return b > a ? b : a;
  }
};
struct Min {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};

template <class Key, class Value>
struct KeyValuePair {
  Key key;
  Value value;
};

namespace detail {
inline cudaError_t debug(cudaError_t error, const char* file, int line) {
  if (error != cudaSuccess)
    std::fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", static_cast<int>(error), file, line, cudaGetErrorString(error));
  return error;
}
}  // namespace detail

}  // namespace cub

#define CubDebug(error) ::cub::detail::debug((error), __FILE__, __LINE__)
#define CubDebugExit(error) \
  if (CubDebug(error) != cudaSuccess) std::exit(1)
