// How often the bounds of the GPU's first level leave the rounding of a dot product open, on uniform data in [-1,
// 1).
//
// For each type and length: vectors tried, those whose rounding stayed open (the second level decided), and the
// mean of 2·bound/ulp, which is about the probability of it, from the messages of the blocks (none where one block
// suffices). Output: one JSON object a line. Usage: failure_rates [VECTORS [LONGEST]], defaults 100000 up to 2^20
// and a hundredth of them beyond, up to 2^26.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda/core/tuning.hpp>
#include <cuda/host/workspace.hpp>
#include <cuda/sum/bounded_sum.cuh>
#include <exactdot/cuda.hpp>
#include <vector>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

using cuda::check;

/// Element i of a stream of numbers: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
template <class T>
__global__ void fill_uniform(T* x, std::size_t n, std::uint64_t seed) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    std::uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    x[i] = static_cast<T>(static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-52 - 1);
  }
}

/// The configuration with which the engine computes a dot of n elements, result type T.
template <class T>
sum_shape shape_of(std::size_t n, const cuda::workspace::storage& storage, launch_config& config) {
  const auto& rows = exact_rows<T, core::product, false>();
  config = rows[row_for(rows, n * sizeof(T))].config;
  const unsigned blocks =
      config.cluster_blocks > 0
          ? static_cast<unsigned>(config.cluster_blocks)
          : block_count(config, storage.multiprocessors, n, config.loads_of_block() * pack<T>::count, max_blocks);
  return {n, blocks, static_cast<unsigned>(config.threads), config.in_flight,
          bounded_thread_sum<T, core::product, compensated>::accumulators};
}

const char* name_of(summation sums) {
  if (sums == plain) return "plain";
  return sums == grouped ? "grouped" : "compensated";
}

/// 2·bound/ulp of the last launch, from its messages. The joins of messages add less than their number times |sum|.
template <class T>
double width_in_ulps(const exchange& exchange, const sum_shape& shape, summation sums, T result) {
  double error = 0;
  for (unsigned block = 0; block < shape.blocks; ++block) {
    std::uint64_t bits = std::uint64_t{exchange.sums.part[0].of_block[block].error_word} << 32;
    error += core::bit_cast<double>(bits) + std::fabs(exchange.sums.part[0].of_block[block].value);
  }
  const error_bound bound = bound_of(shape, sums, sizeof(T) == sizeof(double));
  const double ulp = std::fabs(static_cast<double>(std::nextafter(result, static_cast<T>(HUGE_VAL))) -
                               static_cast<double>(result));
  return 2 * (1.0625 * (bound.factor * error + bound.floor) + (sizeof(T) == 4 ? 0x1p-51 * std::fabs(result) : 0)) /
         ulp;
}

template <class T>
void measure(std::size_t n, int vectors, cuda::workspace& workspace) {
  auto& storage = workspace.library_storage();
  T *a = nullptr, *b = nullptr, *out = nullptr;
  check(cudaMalloc(&a, n * sizeof(T)), "allocating a vector");
  check(cudaMalloc(&b, n * sizeof(T)), "allocating a vector");
  check(cudaMalloc(&out, sizeof(T)), "allocating a result");
  static exchange last;
  const auto fetch = [&] {
    check(cudaMemcpy(&last, &storage.state->exchange, sizeof last, cudaMemcpyDeviceToHost), "fetching messages");
  };
  fetch();
  const unsigned before = last.undecided;
  launch_config config{};
  const sum_shape shape = shape_of<T>(n, storage, config);
  double width = 0;
  const bool sends_messages = shape.blocks > 1 && config.cluster_blocks == 0;
  const int fetched = sends_messages ? std::min(vectors, 1000) : 0;
  const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>(n / 256, 1, 1056));
  for (int i = 0; i < vectors; ++i) {
    fill_uniform<<<blocks, 256>>>(a, n, std::uint64_t{0x632be59bd9b4e019} * (2 * i + 1));
    fill_uniform<<<blocks, 256>>>(b, n, std::uint64_t{0xd1342543de82ef95} * (2 * i + 2));
    cuda::dot<T, T>(workspace, a, b, n, out);
    if (i >= fetched) continue;
    T result{};
    check(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost), "fetching a result");
    fetch();
    width += width_in_ulps(last, shape, config.sums, result);
  }
  fetch();
  std::printf(
      "{\"type\": \"%s\", \"n\": %zu, \"vectors\": %d, \"undecided\": %u, \"sums\": \"%s\", \"blocks\": %u, "
      "\"mean_width_ulps\": ",
      sizeof(T) == 4 ? "float32" : "float64", n, vectors, last.undecided - before, name_of(config.sums),
      shape.blocks);
  fetched != 0 ? std::printf("%.3g}\n", width / fetched) : std::printf("null}\n");
  std::fflush(stdout);
  check(cudaFree(a), "freeing"), check(cudaFree(b), "freeing"), check(cudaFree(out), "freeing");
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

int main(int argc, char** argv) {
  using namespace exactdot::cuda_engine;
  using exactdot::cuda::check;
  try {
    const int vectors = argc > 1 ? std::atoi(argv[1]) : 100000, longest = argc > 2 ? std::atoi(argv[2]) : 26;
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, 0), "looking for a GPU");
    std::printf("{\"gpu\": \"%s\"}\n", properties.name);
    exactdot::cuda::workspace workspace;
    for (int log2_n = 10; log2_n <= longest; ++log2_n) {
      const int tried = log2_n <= 20 ? vectors : std::max(vectors / 100, 1);
      measure<float>(std::size_t{1} << log2_n, tried, workspace);
      measure<double>(std::size_t{1} << log2_n, tried, workspace);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "failure_rates: %s\n", error.what());
    return 1;
  }
}
