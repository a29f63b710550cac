// A histogram of forces: particles scatter their forces to bins, and the bins have the same bits for every order of
// the particles and every launch shape. nvcc and simtcc compile this file unchanged; it checks itself.
//
// Every block has an exact sum for each bin in shared memory, which it publishes; a second kernel rounds the bins.
//   nvcc -std=c++20 -I PREFIX/include force_histogram.cu        simtcc -std=c++20 force_histogram.cu
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exactdot/block.cuh>
#include <random>
#include <set>
#include <vector>

using exactdot::cuda::block_sum;

constexpr int bins = 8, words_of_bin = block_sum<float>::word_count;

struct particle {
  int bin;
  float force;
};
using histogram = std::vector<float>;

__global__ void add_forces(const particle* particles, int n, std::int64_t* words) {
  __shared__ block_sum<float> sum[bins];
  for (int bin = 0; bin < bins; ++bin) sum[bin].clear();
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum[particles[i].bin].add(particles[i].force);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) sum[bin].publish(words + bin * words_of_bin);
}

__global__ void round_bins(const std::int64_t* words, float* result) {
  __shared__ block_sum<float> scratch;
  result[blockIdx.x] = exactdot::cuda::round_words<float>(words + blockIdx.x * words_of_bin, scratch);
}

/// For comparison: each addition rounds, so the order changes bits.
__global__ void add_forces_rounded(const particle* particles, int n, float* result) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&result[particles[i].bin], particles[i].force);
  }
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "force_histogram: %s\n", cudaGetErrorString(status));
  std::exit(EXIT_FAILURE);
}

histogram bins_of(const std::vector<particle>& particles, int blocks, int threads, bool exact) {
  const int n = static_cast<int>(particles.size());
  const std::size_t words_bytes = bins * words_of_bin * sizeof(std::int64_t);
  particle* input;
  std::int64_t* words;
  float* result;
  check(cudaMalloc(&input, n * sizeof(particle)));
  check(cudaMalloc(&words, words_bytes));
  check(cudaMalloc(&result, bins * sizeof(float)));
  check(cudaMemcpy(input, particles.data(), n * sizeof(particle), cudaMemcpyHostToDevice));
  check(cudaMemset(words, 0, words_bytes));
  check(cudaMemset(result, 0, bins * sizeof(float)));
  if (exact) {
    add_forces<<<blocks, threads>>>(input, n, words);
    round_bins<<<bins, 1>>>(words, result);
  } else {
    add_forces_rounded<<<blocks, threads>>>(input, n, result);
  }
  check(cudaGetLastError());
  histogram host(bins);
  check(cudaMemcpy(host.data(), result, bins * sizeof(float), cudaMemcpyDeviceToHost));
  check(cudaFree(input));
  check(cudaFree(words));
  check(cudaFree(result));
  return host;
}

int main() {
  // In each bin forces of up to 10^9 that cancel in pairs, and 60 forces of 1/4: the exact sum is 15.
  std::mt19937 random(1);
  std::vector<particle> particles;
  for (int i = 0; i < 60 * bins; ++i) {
    const float force = static_cast<float>(random() % 1000000007);
    particles.insert(particles.end(), {{i % bins, force}, {i % bins, -force}, {i % bins, 0.25F}});
  }
  std::set<histogram> rounded, exact;
  const int shapes[][2] = {{1, 32}, {2, 64}, {3, 100}, {5, 128}};
  for (const auto& [blocks, threads] : shapes) {
    std::shuffle(particles.begin(), particles.end(), random);
    rounded.insert(bins_of(particles, blocks, threads, false));
    exact.insert(bins_of(particles, blocks, threads, true));
  }
  std::printf("rounded additions: %zu histograms of 4 runs\n", rounded.size());
  std::printf("exact sums: %zu histogram of 4 runs, first bin %g\n", exact.size(), exact.begin()->front());
  return exact == std::set<histogram>{histogram(bins, 15.0F)} ? EXIT_SUCCESS : EXIT_FAILURE;
}
