// Histogram of letters: each block counts in shared memory, then adds its counts to global memory by atomics.
//
// Two versions: one with a data race in shared memory, one corrected by atomicAdd. The kernel is plain CUDA C++.
// Streams, memory and launches are exactdot::gpu, the same on a GPU and on the simulator.
#include <exactdot/simt/cuda.hpp>

#include "histogram.hpp"

namespace {

namespace gpu = exactdot::gpu;
constexpr unsigned letters = 26, threads = 128;

template <bool corrected>
__global__ void histogram(const char* text, unsigned n, unsigned* counts) {
  __shared__ unsigned block_counts[letters];
  if (threadIdx.x < letters) block_counts[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int letter = text[i] - 'a';
    if (letter < 0 || letter >= static_cast<int>(letters)) continue;
    if constexpr (corrected) {
      atomicAdd(&block_counts[letter], 1U);
    } else {
      block_counts[letter] += 1;  // load, add, store: threads with the same letter lose counts
    }
  }
  __syncthreads();
  if (threadIdx.x < letters) atomicAdd(&counts[threadIdx.x], block_counts[threadIdx.x]);
}

}  // namespace

outcome count_letters(const std::string& text, bool corrected) {
  gpu::stream stream;
  gpu::buffer<char> input(stream, text.size());
  gpu::buffer<unsigned> counts(stream, letters);
  input.copy_from(text.data(), text.size());
  counts.fill_zero();
  gpu::launch(corrected ? histogram<true> : histogram<false>, 4, threads, 0, stream, input.data(),
              static_cast<unsigned>(text.size()), counts.data());
  outcome result{std::vector<unsigned>(letters), {}};
  counts.copy_to(result.counts.data(), letters);
  result.findings = gpu::findings(stream);
  return result;
}
