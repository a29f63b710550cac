// Letters counted by blocks, in shared memory first: once with a race, and once mended. Plain CUDA C++; what CUDA
// leaves to the host (streams, memory, launches) is exactdot::gpu, on a GPU and on the simulator alike.
#include <exactdot/simt/cuda.hpp>

#include "histogram.hpp"

namespace {

namespace gpu = exactdot::gpu;
constexpr unsigned letters = 26, threads = 128;

template <bool mended>
__global__ void histogram(const char* text, unsigned n, unsigned* counts) {
  __shared__ unsigned own[letters];
  if (threadIdx.x < letters) own[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int letter = text[i] - 'a';
    if (letter < 0 || letter >= static_cast<int>(letters)) continue;
    if constexpr (mended) {
      atomicAdd(&own[letter], 1U);
    } else {
      own[letter] += 1;  // a load, an add and a store: threads with the same letter lose counts
    }
  }
  __syncthreads();
  if (threadIdx.x < letters) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

}  // namespace

outcome count_letters(const std::string& text, bool mended) {
  gpu::stream stream;
  gpu::buffer<char> input(stream, text.size());
  gpu::buffer<unsigned> counts(stream, letters);
  input.copy_from(text.data(), text.size());
  counts.fill_zero();
  gpu::launch(mended ? histogram<true> : histogram<false>, 4, threads, 0, stream, input.data(),
              static_cast<unsigned>(text.size()), counts.data());
  outcome result{std::vector<unsigned>(letters), {}};
  counts.copy_to(result.counts.data(), letters);
  result.findings = gpu::findings(stream);
  return result;
}
