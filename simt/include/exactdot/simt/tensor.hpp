// The product of two tiles of doubles by the lanes of a warp, for both compilers: an instruction of FP64 tensor
// cores, which make more fused multiply-adds than the other units; on the simulator three warp collectives.
//
// C (16 by 8) += A (16 by 4)·B (4 by 8). Lane l has A(l/4, l%4), A(l/4 + 8, l%4) and B(l%4, l/4); and C(l/4,
// 2·(l%4)) and C(l/4 + 8, 2·(l%4)), each with its neighbour to the right. PTX leaves open in which order an element
// of C and its four products are added: callers count a rounding for each. The simulator adds them by the columns
// of A. (PTX ISA, "mma.sync.aligned.m16n8k4.row.col.f64", compute capability 9.0, which reaches the full speed of
// an H100; or two of m8n8k4, 8.0.)
#pragma once

#include <exactdot/simt/cuda.hpp>

#if defined(__CUDACC__) && !defined(__SIMTCC__)

namespace exactdot::on_gpu {

/// By all lanes of a warp. `upper`, `lower`: C; `a`, `a_lower`: A; each of rows l/4, and of those 8 further down.
__device__ __forceinline__ void add_tile_product(double (&upper)[2], double (&lower)[2], double a, double a_lower,
                                                 double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+d"(upper[0]), "+d"(upper[1]), "+d"(lower[0]), "+d"(lower[1])
      : "d"(a), "d"(a_lower), "d"(b));
#elif defined(__CUDA_ARCH__)
  const auto add = [b](double(&c)[2], double x) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(c[0]), "+d"(c[1])
        : "d"(x), "d"(b));
  };
  add(upper, a), add(lower, a_lower);
#else
  static_cast<void>(upper), static_cast<void>(lower), static_cast<void>(a + a_lower + b);
#endif
}

}  // namespace exactdot::on_gpu

#else

namespace exactdot::simt {

/// By all lanes of a warp. `upper`, `lower`: C; `a`, `a_lower`: A; each of rows l/4, and of those 8 further down.
EXACTDOT_SIMT_CALL inline void add_tile_product(double (&upper)[2], double (&lower)[2], double a, double a_lower,
                                                double b) {
  std::uint64_t of_a[2][32], of_b[32];
  const auto collect = [](double x, std::uint64_t* to, const void* caller) __attribute__((always_inline)) {
    detail::warp_collective(detail::collective_kind::shuffle, 0xffffffffU, detail::bits_as<std::uint64_t>(x), to,
                            caller);
  };
  collect(a, of_a[0], __builtin_return_address(0));
  collect(a_lower, of_a[1], __builtin_return_address(0));
  collect(b, of_b, __builtin_return_address(0));
  const unsigned lane = detail::lane(), row = lane / 4 * 4, column = lane % 4 * 2;
  for (unsigned k = 0; k < 4; ++k) {
    for (unsigned j = 0; j < 2; ++j) {
      const auto y = detail::bits_as<double>(of_b[(column + j) * 4 + k]);
      upper[j] = std::fma(detail::bits_as<double>(of_a[0][row + k]), y, upper[j]);
      lower[j] = std::fma(detail::bits_as<double>(of_a[1][row + k]), y, lower[j]);
    }
  }
}

}  // namespace exactdot::simt

#endif
