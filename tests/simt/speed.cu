// Speed of the simulator: processor time and steps of kernels, with and without each of its features, as JSON.
//
// usage: simt_speed [REPETITIONS [FEATURES]]
// FEATURES: a name of the list `variants`; all without it. The fastest repetition (default 5) counts. Processor
// time, since other programs may run. scripts/simt_speed writes the table in docs/simt.md.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exactdot/simt/cuda.hpp>
#include <exactdot/simt/recording.hpp>
#include <optional>
#include <string>
#include <vector>

namespace {
namespace gpu = exactdot::gpu;
using exactdot::simt::execution;
using exactdot::simt::settings;

constexpr unsigned threads = 256;

/// Phase one: each block writes the sum of its share; phase two, with one block: the sum of these.
__global__ void partial_sums(const float* x, unsigned n, float* partials) {
  __shared__ float sums[threads];
  float sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned distance = threads / 2; distance > 0; distance /= 2) {
    if (threadIdx.x < distance) sums[threadIdx.x] += sums[threadIdx.x + distance];
    __syncthreads();
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
__global__ void scale(float* x, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * x[i];
}
/// All blocks add to 64 words.
__global__ void histogram(const float* x, unsigned n, float* bins) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[i % 64], x[i]);
}
/// Each thread reads the same 256 words.
__global__ void products(const float* x, unsigned n, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (unsigned j = 0; j < 256; ++j) sum += x[j];
  if (i < n) out[i] = sum;
}
/// The square of a matrix of side n, in tiles of shared memory.
constexpr unsigned tile = 16;
__global__ void tiled_product(const float* a, unsigned n, float* product) {
  __shared__ float left[tile][tile], right[tile][tile];
  const unsigned row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (unsigned i = 0; i < n / tile; ++i) {
    left[threadIdx.y][threadIdx.x] = a[row * n + i * tile + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = a[(i * tile + threadIdx.y) * n + column];
    __syncthreads();
    for (unsigned k = 0; k < tile; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  product[row * n + column] = sum;
}
/// The sums of the first elements of each block (Hillis and Steele, 1986), with two buffers.
__global__ void scan_blocks(const float* x, float* out) {
  __shared__ float sums[2][threads];
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  unsigned from = 0;
  sums[0][threadIdx.x] = x[i];
  __syncthreads();
  for (unsigned distance = 1; distance < threads; distance *= 2) {
    const float other = threadIdx.x >= distance ? sums[from][threadIdx.x - distance] : 0;
    sums[1 - from][threadIdx.x] = sums[from][threadIdx.x] + other;
    from = 1 - from;
    __syncthreads();
  }
  out[i] = sums[from][threadIdx.x];
}

struct data {
  unsigned n;
  float *x, *partials;
};

void two_phases(gpu::stream& stream, const data& all) {
  gpu::launch(partial_sums, 256, threads, 0, stream, all.x, all.n, all.partials);
  gpu::launch(partial_sums, 1, threads, 0, stream, all.partials, 256U, all.partials + 256);
}
void scale_all(gpu::stream& stream, const data& all) {
  gpu::launch(scale, all.n / threads, threads, 0, stream, all.x, all.n);
}
void count_all(gpu::stream& stream, const data& all) {
  gpu::launch(histogram, 64, threads, 0, stream, all.x, all.n, all.partials);
}
void multiply(gpu::stream& stream, const data& all) {
  gpu::launch(products, all.n / 256 / threads, threads, 0, stream, all.x, all.n / 256, all.partials);
}
void multiply_tiles(gpu::stream& stream, const data& all) {
  constexpr unsigned side = 128;
  gpu::launch(tiled_product, dim3(side / tile, side / tile), dim3(tile, tile), 0, stream, all.x, side,
              all.x + side * side);
}
void scan_all(gpu::stream& stream, const data& all) {
  gpu::launch(scan_blocks, all.n / 2 / threads, threads, 0, stream, all.x, all.x + all.n / 2);
}

constexpr struct {
  const char* name;
  unsigned n;
  void (*run)(gpu::stream&, const data&);
} kernels[] = {{"sum of 2^20 floats in two phases", 1U << 20, two_phases},
               {"2^18 floats scaled in place", 1U << 18, scale_all},
               {"2^18 atomic additions to 64 words", 1U << 18, count_all},
               {"2^20 reads of the same 256 words", 1U << 20, multiply},
               {"128 x 128 matrices multiplied in tiles", 1U << 15, multiply_tiles},
               {"scan of 2^16 floats in blocks of 256", 1U << 17, scan_all}};

const struct variant {
  const char* name;
  settings chosen;
  bool recorded = false;
} variants[] = {{"default", {}},
                {"no detection", {.detect = false}},
                {"costs", {.profile = true}},
                {"recorded", {}, true},
                {"lock step", {.model = execution::lock_step}},
                {"lock step, no detection", {.model = execution::lock_step, .detect = false}},
                {"lock step, costs", {.model = execution::lock_step, .profile = true}}};

struct measurement {
  double seconds;
  unsigned long long steps;
};

measurement measure(void (*run)(gpu::stream&, const data&), unsigned n, const variant& chosen) {
  gpu::stream stream(chosen.chosen);
  gpu::buffer<float> x(stream, n), partials(stream, 4096);
  x.copy_from(std::vector<float>(n, 1.0F).data(), n);
  partials.fill_zero();
  std::optional<exactdot::simt::recorder> recorder;
  if (chosen.recorded) recorder.emplace();
  const std::clock_t begin = std::clock();
  run(stream, {n, x.data(), partials.data()});
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (!stream.faults().empty()) {
    std::fprintf(stderr, "simt_speed: %s\n", stream.faults()[0].text().c_str());
    std::exit(1);
  }
  return {seconds, stream.counted().steps};
}

}  // namespace

int main(int count, char** arguments) {
  const int repetitions = count > 1 ? std::atoi(arguments[1]) : 5;
  if (repetitions < 1 || count > 3) {
    std::fprintf(stderr, "usage: simt_speed [REPETITIONS [FEATURES]]\n");
    return 2;
  }
  const char* separator = "[";
  for (const auto& kernel : kernels) {
    for (const variant& chosen : variants) {
      if (count == 3 && chosen.name != std::string(arguments[2])) continue;
      measurement best = measure(kernel.run, kernel.n, chosen);
      for (int i = 1; i < repetitions; ++i) {
        const measurement next = measure(kernel.run, kernel.n, chosen);
        if (next.seconds < best.seconds) best = next;
      }
      std::printf("%s\n  {\"kernel\": \"%s\", \"features\": \"%s\", \"seconds\": %.4f, \"steps\": %llu}", separator,
                  kernel.name, chosen.name, best.seconds, best.steps);
      std::fflush(stdout);
      separator = ",";
    }
  }
  std::printf("\n]\n");
}
