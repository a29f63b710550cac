// lost_half: a tree in shared memory that stops at 64 sums, and a warp that adds only 32 of them.
//
// The loop runs while half > 32. Its last step leaves 64 sums, and the shuffles add the first 32: the step from 64
// to 32 is missing. No race, no crash: only a known result shows the fault, and a note of simtcc.
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

constexpr int blocks = 64, threads = 256;

template <bool complete>
__global__ void add_ones(const float* x, float* total) {
  __shared__ float partial[threads];
  partial[threadIdx.x] = x[blockIdx.x * threads + threadIdx.x];
  __syncthreads();
  for (unsigned half = threads / 2; half > 32; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x >= 32) return;
  float value = partial[threadIdx.x];                // the other 32 sums are lost
  if (complete) value += partial[threadIdx.x + 32];  // the missing step
  for (unsigned distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
  if (threadIdx.x == 0) atomicAdd(total, value);
}

template <bool complete>
float sum_of_ones(gpu::stream& stream, const gpu::buffer<float>& x) {
  gpu::buffer<float> total(stream, 1);
  total.fill_zero();
  gpu::launch(add_ones<complete>, blocks, threads, 0, stream, x.data(), total.data());
  return only_value(total);
}

hazard_outcome run_lost_half(const hazard_request& request) {
  seeded_stream stream(request.seed);
  constexpr int right = blocks * threads;
  gpu::buffer<float> x(stream, right);
  fill_ones(x);
  const float wrong = sum_of_ones<false>(stream, x), complete = sum_of_ones<true>(stream, x);
  hazard_outcome outcome;
  outcome.detected = take_findings(stream);
  outcome.expected =
      format_text("%d for %d ones, and no finding; %d with the missing step", right / 2, right, right);
  outcome.observed = format_text("%g; %g with the missing step", wrong, complete);
  outcome.as_expected = wrong == right / 2 && complete == right && outcome.detected.empty();
  outcome.figures = {{"sum", static_cast<double>(wrong)}, {"with_the_step", static_cast<double>(complete)}};
  return outcome;
}

const register_hazard registration{
    {.number = 13,
     .name = "lost_half",
     .file = "lost_half.cu",
     .effect =
         "64 blocks of 256 threads add 16384 ones: a tree for (half = 128; half > 32; half /= 2), then shuffles "
         "of one warp.",
     .cause =
         "The last step of the loop leaves 64 sums, and a warp has 32 lanes: the shuffles add the first 32 sums. "
         "The step from 64 to 32 is missing, so exactly half of a sum of ones is lost. Every access is valid and "
         "ordered, so no tool names a fault; simtcc has a note, unread_shared.",
     .fix = "Let the loop run while half >= 32, or let the warp load two sums per lane: rung shared_then_shuffle. "
            "Test "
            "every reduction on data with a known result."},
    run_lost_half};

}  // namespace
}  // namespace exactdot::lab
