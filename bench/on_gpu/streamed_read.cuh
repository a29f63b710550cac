// Kernel that only reads two arrays, by bulk copies into shared memory: a lower bound like
// lab/on_gpu/read_ceiling.cuh, read as the exact kernel's streamed variant reads.
#pragma once

#include <cuda/streamed_load.cuh>
#include <exactdot/core/term.hpp>
#include <exactdot/simt/on_gpu.hpp>

namespace bench {
namespace {

namespace engine = exactdot::cuda_engine;
using float_arrays = engine::operands<float, engine::input_layout::contiguous>;

/// Combines all words by bitwise or, and stores the result if it equals `never`, so that the compiler cannot remove
/// the loads.
template <int in_flight, int stages>
__global__ void __launch_bounds__(1024) streamed_read_kernel(float_arrays in, unsigned never, unsigned* out) {
  if constexpr (engine::compiles_variants) {
    unsigned combined = 0;
    engine::for_each_streamed<exactdot::core::product, in_flight, stages>(in, [&](const auto& x, const auto& y) {
      for (const float each : x) combined |= __float_as_uint(each);
      for (const float each : y) combined |= __float_as_uint(each);
    });
    if (combined == never) *out = combined;
  }
}

/// Enqueues one read of both arrays, of `bytes` bytes each.
template <int in_flight, int stages>
void read_streamed(exactdot::on_gpu::stream& stream, unsigned blocks, unsigned threads, const void* a,
                   const void* b, std::size_t bytes, unsigned* out) {
  exactdot::on_gpu::launch(
      streamed_read_kernel<in_flight, stages>, blocks, threads,
      engine::ring_bytes<float, 2, in_flight, stages>(static_cast<int>(threads)), stream,
      float_arrays(static_cast<const float*>(a), static_cast<const float*>(b), bytes / sizeof(float)), 1U, out);
}

}  // namespace
}  // namespace bench
