// The product of two tiles of doubles by the lanes of a warp: an instruction of FP64 tensor cores (PTX ISA,
// "mma.sync.aligned.m8n8k4", compute capability 8.0), which make twice the fused multiply-adds of the other units.
//
// C (8 by 8) += A (8 by 4)·B (4 by 8). Lane l has A(l/4, l%4), B(l%4, l/4), and C(l/4, 2·(l%4)) with its neighbour
// to the right. Each element of C is a sum of five numbers in double, in an order that is not specified: its user
// counts four roundings, of at most 2u each (core/right_sides.hpp). On the simulator the same by shuffles.
#pragma once

#include <cuda/core/kernel.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// By all lanes of a warp.
__device__ __forceinline__ void add_tile_product(double (&c)[2], double a, double b) {
#ifdef __CUDA_ARCH__
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a), "d"(b));
#else
  const int lane = static_cast<int>(threadIdx.x % 32);
  for (int k = 0; k < 4; ++k) {
    const double x = __shfl_sync(all_lanes, a, lane / 4 * 4 + k);
    for (int j = 0; j < 2; ++j) {
      c[j] = __fma_rn(x, __shfl_sync(all_lanes, b, (lane % 4 * 2 + j) * 4 + k), c[j]);
    }
  }
#endif
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
