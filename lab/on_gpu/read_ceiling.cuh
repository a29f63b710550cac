// Kernel that only reads two arrays: a lower bound on the time of any dot product.
#pragma once

#include <exactdot/simt/on_gpu.hpp>

namespace exactdot::lab {
namespace {

/// Keeps `in_flight` 16-byte loads of each vector in flight. The kernel only combines the words by bitwise or. It
/// stores the result if it equals `never`, so that the compiler cannot remove the loads.
template <int in_flight>
__global__ void __launch_bounds__(1024)
    read_both_kernel(const uint4* a, const uint4* b, std::size_t packs, unsigned never, unsigned* out) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  unsigned combined = 0;
  const auto combine = [&](const uint4& x) { combined |= x.x | x.y | x.z | x.w; };
  for (; i + (in_flight - 1) * stride < packs; i += in_flight * stride) {
    uint4 x[in_flight], y[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) x[k] = a[i + k * stride], y[k] = b[i + k * stride];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) combine(x[k]), combine(y[k]);
  }
  for (; i < packs; i += stride) combine(a[i]), combine(b[i]);
  if (combined == never) *out = combined;
}

/// Enqueues one read of both arrays, of `bytes` bytes each.
template <int in_flight = 4>
void read_both(on_gpu::stream& stream, dim3 grid, dim3 block, const void* a, const void* b, std::size_t bytes,
               unsigned* out) {
  on_gpu::launch(read_both_kernel<in_flight>, grid, block, 0, stream, static_cast<const uint4*>(a),
                 static_cast<const uint4*>(b), bytes / 16, 1U, out);
}

}  // namespace
}  // namespace exactdot::lab
