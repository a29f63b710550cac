// Sums that carry what rounding took from them: the pair, and the launches that kahan and neumaier share.
//
// A term is a product split by a fused multiply-add into its rounded value and its error, both exact as long as
// nothing underflows. Which way a pair takes a term up, and how two pairs merge, is the rung's own.
#pragma once

#include <lab/block_combine.cuh>

namespace exactdot::lab {
namespace {

template <class T>
struct compensated {
  T sum, correction;  ///< the value is sum + correction
};

template <class T>
__device__ compensated<T> shuffle_down(compensated<T> mine, unsigned distance) {
  return {__shfl_down_sync(0xffffffffu, mine.sum, distance),
          __shfl_down_sync(0xffffffffu, mine.correction, distance)};
}

__device__ __forceinline__ float error_of_product(float x, float y, float p) { return __fmaf_rn(x, y, -p); }
__device__ __forceinline__ double error_of_product(double x, double y, double p) { return __fma_rn(x, y, -p); }

template <class Method, class T>
__global__ void add_compensated(const T* a, const T* b, std::size_t n, compensated<T>* partials) {
  compensated<T> mine{0, 0};
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid()) {
    const T p = a[i] * b[i];
    mine = Method::add(Method::add(mine, p), error_of_product(a[i], b[i], p));
  }
  mine = combine_block<Method>(mine);
  if (threadIdx.x == 0) partials[blockIdx.x] = mine;
}

/// Both launches, for a rung that derives from it with its Method.
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
