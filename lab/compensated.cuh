// Compensated sums: the pair of sum and correction, and the kernels shared by rungs kahan and neumaier.
//
// A fused multiply-add splits each product into its rounded value and its error, without error if nothing
// underflows; both are terms of the sum. The rung's Method defines how a pair adds a term and how two pairs merge.
#pragma once

#include <lab/block_combine.cuh>

namespace exactdot::lab {
namespace {

template <class T>
struct compensated {
  T sum, correction;  ///< the value is sum + correction
};

template <class T>
__device__ compensated<T> shuffle_down(compensated<T> value, unsigned distance) {
  return {__shfl_down_sync(0xffffffffu, value.sum, distance),
          __shfl_down_sync(0xffffffffu, value.correction, distance)};
}

__device__ __forceinline__ float error_of_product(float x, float y, float p) { return __fmaf_rn(x, y, -p); }
__device__ __forceinline__ double error_of_product(double x, double y, double p) { return __fma_rn(x, y, -p); }

template <class Method, class T>
__global__ void add_compensated(const T* a, const T* b, std::size_t n, compensated<T>* partials) {
  compensated<T> value{0, 0};
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid()) {
    const T p = a[i] * b[i];
    value = Method::add(Method::add(value, p), error_of_product(a[i], b[i], p));
  }
  value = combine_block<Method>(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}

/// The two launches of a compensated rung, which derives from this struct.
template <class T, class Method>
struct compensated_dot {
  const input<T>& in;
  gpu::buffer<compensated<T>> partials{in.stream, in.grid};
  gpu::buffer<compensated<T>> out{in.stream, 1};

  void launch() {
    gpu::launch(add_compensated<Method, T>, in.grid, in.block, 0, in.stream, in.a, in.b, in.n, partials.data());
    gpu::launch(combine_partials<Method, compensated<T>>, 1, in.block, 0, in.stream, partials.data(), in.grid,
                out.data());
  }
  T result() {
    const compensated<T> total = only_value(out);
    return total.sum + total.correction;
  }
};

}  // namespace
}  // namespace exactdot::lab
