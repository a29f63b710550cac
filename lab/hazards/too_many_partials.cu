// too_many_partials: a second launch that reads fewer partial sums than the first one stored.
//
// One block of 256 threads with one load each reads 256 of 512 sums. One block of 64 threads reads 64 sums, but
// only its first warp adds. What is not read is lost without a trace, and both kernels are right for small n.
#include <lab/block_combine.cuh>
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

constexpr int n = 16384;

__global__ void add_blocks(const float* x, float* partials) {
  const float value = combine_block<sum>(x[thread_in_grid()]);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}

/// One load per thread: right for at most as many sums as threads.
__global__ void add_one_per_thread(const float* partials, unsigned count, float* total) {
  const float value = combine_block<sum>(threadIdx.x < count ? partials[threadIdx.x] : 0.0F);
  if (threadIdx.x == 0) *total = value;
}

/// The sums of all warps but the first are discarded.
__global__ void add_first_warp(const float* partials, unsigned count, float* total) {
  const float value = fold_warp<sum>(threadIdx.x < count ? partials[threadIdx.x] : 0.0F);
  if (threadIdx.x == 0) *total = value;
}

using second_phase = void (*)(const float*, unsigned, float*);

float sum_of_ones(gpu::stream& stream, const gpu::buffer<float>& x, unsigned blocks, second_phase second,
                  unsigned second_threads) {
  gpu::buffer<float> partials(stream, blocks), total(stream, 1);
  gpu::launch(add_blocks, blocks, static_cast<unsigned>(n) / blocks, 0, stream, x.data(), partials.data());
  gpu::launch(second, 1, second_threads, 0, stream, partials.data(), blocks, total.data());
  return only_value(total);
}

hazard_outcome run_partials(const hazard_request& request) {
  seeded_stream stream(request.seed);
  gpu::buffer<float> x(stream, n);
  fill_ones(x);
  const float one_load = sum_of_ones(stream, x, 512, add_one_per_thread, 256);
  const float one_warp = sum_of_ones(stream, x, 64, add_first_warp, 64);
  const float right = sum_of_ones(stream, x, 512, combine_partials<sum, float>, 256);
  hazard_outcome outcome;
  outcome.detected = take_findings(stream);
  outcome.expected = "8192 for 16384 ones in both ways, and no finding; 16384 if each thread reads in a loop";
  outcome.observed =
      format_text("%g from 512 blocks, 256 loads; %g from 64 blocks, one warp of two; %g with a loop", one_load,
                  one_warp, right);
  outcome.as_expected = one_load == n / 2 && one_warp == n / 2 && right == n && outcome.detected.empty();
  outcome.figures = {{"one_load_per_thread", static_cast<double>(one_load)},
                     {"one_warp_of_two", static_cast<double>(one_warp)},
                     {"with_a_loop", static_cast<double>(right)}};
  return outcome;
}

const register_hazard registration{
    {.number = 14,
     .name = "too_many_partials",
     .file = "too_many_partials.cu",
     .effect =
         "Adds 16384 ones in two launches. The second has one block: of 256 threads with one load each for 512 "
         "partial sums; of 64 threads, of which one warp adds, for 64.",
     .cause = "The number of partial sums is that of the blocks of the first launch and grows with n. The second "
              "launch adds a fixed number of them; the rest is never read: no fault to any tool, but a note of "
              "simtcc, unread_global. Small tests pass.",
     .fix = "Let each thread of the second launch read in a loop with the stride of the block, then combine all "
            "warps: "
            "rung two_phase, lab/block_combine.cuh."},
    run_partials};

}  // namespace
}  // namespace exactdot::lab
