// Reading two arrays and doing as little as possible with them: what no dot product can be faster than.
#pragma once

#include <exactdot/simt/on_gpu.hpp>

namespace exactdot::lab {
namespace {

/// `at_once` 16-byte loads from each vector on their way at a time. The words are only joined by or; they are
/// stored where that gives `never`, so that the loads cannot be left out.
template <int at_once>
__global__ void __launch_bounds__(1024)
    read_both_kernel(const uint4* a, const uint4* b, std::size_t packs, unsigned never, unsigned* out) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  unsigned seen = 0;
  const auto look = [&](const uint4& x) { seen |= x.x | x.y | x.z | x.w; };
  for (; i + (at_once - 1) * stride < packs; i += at_once * stride) {
    uint4 x[at_once], y[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) x[k] = a[i + k * stride], y[k] = b[i + k * stride];
#pragma unroll
    for (int k = 0; k < at_once; ++k) look(x[k]), look(y[k]);
  }
  for (; i < packs; i += stride) look(a[i]), look(b[i]);
  if (seen == never) *out = seen;
}

template <int at_once = 4>
void read_both(on_gpu::stream& on, dim3 grid, dim3 block, const void* a, const void* b, std::size_t bytes,
               unsigned* out) {
  on_gpu::launch(read_both_kernel<at_once>, grid, block, 0, on, static_cast<const uint4*>(a),
                 static_cast<const uint4*>(b), bytes / 16, 1U, out);
}

}  // namespace
}  // namespace exactdot::lab
