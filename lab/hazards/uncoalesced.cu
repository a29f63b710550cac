// uncoalesced: each thread adds its own contiguous chunk, beside the loop with the stride of the grid.
//
// A warp loads 32 elements at a time. In chunks they lie in 32 sectors of 32 bytes; with the stride of the grid
// they are neighbours, in 4 sectors. Both sums are right. The simulator counts the sectors. A GPU measures the
// times of two loops that differ in their addresses only, with threads enough to keep the memory busy; with few
// loads in flight both would wait for latency, and chunks for less of it, because a cache has their next element.
#include <cmath>
#include <lab/block_combine.cuh>
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

constexpr unsigned threads = on_simt ? 64 : 256;
constexpr unsigned blocks = on_simt ? 8 : 2048;
constexpr std::size_t per_thread = 32;
constexpr std::size_t n = per_thread * blocks * threads;

__device__ void add_to_total(float value, float* total) {
  value = fold_warp<sum>(value);
  if (threadIdx.x % 32 == 0) atomicAdd(total, value);
}

__global__ void add_chunks(const float* x, float* total) {
  float value = 0;
  for (std::size_t i = 0; i < per_thread; ++i) value += x[thread_in_grid() * per_thread + i];
  add_to_total(value, total);
}

__global__ void add_strided(const float* x, float* total) {
  float value = 0;
  for (std::size_t i = 0; i < per_thread; ++i) value += x[i * threads_in_grid() + thread_in_grid()];
  add_to_total(value, total);
}

struct coalescing {
  float sum;
  double sectors, microseconds;  ///< per request; NaN if not measured
};

/// Returns the sectors per request of a warp, over its reads; NaN on a GPU.
double sectors_per_read(gpu::stream& stream, const auto& enqueue) {
  const access_costs costs = costs_of(stream, "global", "read", enqueue);
  return costs.sectors / costs.requests;
}

using kernel = void (*)(const float*, float*);

coalescing run_kernel(gpu::stream& stream, kernel chosen, const gpu::buffer<float>& x) {
  gpu::buffer<float> total(stream, 1);
  const auto enqueue = [&] { gpu::launch(chosen, blocks, threads, 0, stream, x.data(), total.data()); };
  total.fill_zero();
  enqueue();
  const float value = only_value(total);
  return {value, sectors_per_read(stream, enqueue), microseconds(stream, enqueue)};
}

hazard_outcome run_uncoalesced(const hazard_request& request) {
  seeded_stream stream(request.seed);
  gpu::buffer<float> x(stream, n);
  fill_ones(x);
  const coalescing chunks = run_kernel(stream, add_chunks, x), strided = run_kernel(stream, add_strided, x);
  hazard_outcome outcome;
  outcome.detected = take_findings(stream);
  const bool right = chunks.sum == n && strided.sum == n && outcome.detected.empty();
  if (on_simt) {
    outcome.expected = "right sums; 32 sectors per request of a warp in chunks, 4 with the stride of the grid";
    outcome.observed =
        format_text("%.3g sectors per request in chunks, %.3g with the stride of the grid; both sums %s",
                    chunks.sectors, strided.sectors, right ? "right" : "wrong");
    outcome.as_expected = right && chunks.sectors == 32 && strided.sectors == 4;
    outcome.figures = {{"sectors_in_chunks", chunks.sectors}, {"sectors_with_stride", strided.sectors}};
  } else {
    outcome.expected = "right sums; what chunks cost in time depends on the GPU";
    outcome.observed = format_text(
        "%.3g µs in chunks, %.3g µs with the stride of the grid: %.3g times; both sums %s", chunks.microseconds,
        strided.microseconds, chunks.microseconds / strided.microseconds, right ? "right" : "wrong");
    outcome.as_expected = right;
    outcome.figures = {{"chunk_microseconds", chunks.microseconds}, {"stride_microseconds", strided.microseconds}};
  }
  return outcome;
}

const register_hazard registration{
    {.number = 21,
     .name = "uncoalesced",
     .file = "uncoalesced.cu",
     .effect =
         "Thread t adds elements t * c to t * c + c - 1, its own chunk, beside the loop with the stride of the "
         "grid.",
     .cause =
         "The memory system moves sectors of 32 bytes. In chunks the 32 lanes of a warp read from 32 sectors, and "
         "use 4 bytes of each; the other 28 are wasted unless they stay in a cache until the next iteration. The "
         "waste costs time where memory is the limit; with few loads in flight both loops wait for latency. On a "
         "CPU, where each thread's cache holds its own chunk, chunks are the right choice.",
     .fix = "Let neighbouring threads read neighbouring elements: for (i = thread; i < n; i += threads), rung "
            "partial_per_thread and all after it."},
    run_uncoalesced};

}  // namespace
}  // namespace exactdot::lab
