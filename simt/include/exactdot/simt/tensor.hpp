// The product of two tiles of doubles by the lanes of a warp, for both compilers: an instruction of FP64 tensor
// cores (PTX ISA, "mma.sync.aligned.m8n8k4.row.col.f64", compute capability 8.0), which make twice the fused
// multiply-adds of the other units; on the simulator two warp collectives.
//
// C (8 by 8) += A (8 by 4)·B (4 by 8). Lane l has A(l/4, l%4), B(l%4, l/4), and C(l/4, 2·(l%4)) with its neighbour
// to the right. PTX leaves open in which order an element of C and its four products are added: callers count a
// rounding for each. The simulator adds them by the columns of A.
#pragma once

#include <exactdot/simt/cuda.hpp>

#if defined(__CUDACC__) && !defined(__SIMTCC__)

namespace exactdot::on_gpu {

/// By all lanes of a warp.
__device__ __forceinline__ void add_tile_product(double (&c)[2], double a, double b) {
#ifdef __CUDA_ARCH__
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a), "d"(b));
#else
  static_cast<void>(c), static_cast<void>(a), static_cast<void>(b);
#endif
}

}  // namespace exactdot::on_gpu

#else

namespace exactdot::simt {

/// By all lanes of a warp.
EXACTDOT_SIMT_CALL inline void add_tile_product(double (&c)[2], double a, double b) {
  std::uint64_t of_a[32], of_b[32];
  const auto collect = [](double x, std::uint64_t* to, const void* caller) __attribute__((always_inline)) {
    detail::warp_collective(detail::collective_kind::shuffle, 0xffffffffU, detail::bits_as<std::uint64_t>(x), to,
                            caller);
  };
  collect(a, of_a, __builtin_return_address(0));
  collect(b, of_b, __builtin_return_address(0));
  const unsigned lane = detail::lane(), row = lane / 4 * 4, column = lane % 4 * 2;
  for (unsigned k = 0; k < 4; ++k) {
    for (unsigned j = 0; j < 2; ++j) {
      c[j] = std::fma(detail::bits_as<double>(of_a[row + k]), detail::bits_as<double>(of_b[(column + j) * 4 + k]),
                      c[j]);
    }
  }
}

}  // namespace exactdot::simt

#endif
