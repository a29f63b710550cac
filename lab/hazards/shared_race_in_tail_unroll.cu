// shared_race_in_tail_unroll: the last warp of a tree in shared memory, unrolled without __syncwarp().
//
// Before Volta the lanes of a warp took every step together, so the last six levels needed no barrier, only
// volatile to make the compiler store and load each time. Since Volta each lane has its own program counter, and
// the levels race. The simulator runs both models.
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

constexpr int blocks = 16, threads = 128;

template <bool with_syncwarp>
__device__ void add_level(volatile float* partial, unsigned distance) {
  if (with_syncwarp) __syncwarp();
  const float other = partial[threadIdx.x + distance];  // race
  if (with_syncwarp) __syncwarp();
  partial[threadIdx.x] = partial[threadIdx.x] + other;  // race
}

template <bool with_syncwarp>
__global__ void add_block(const float* x, float* sums) {
  __shared__ float partial[threads];
  partial[threadIdx.x] = x[blockIdx.x * threads + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 64) partial[threadIdx.x] += partial[threadIdx.x + 64];
  __syncthreads();
  if (threadIdx.x >= 32) return;
  add_level<with_syncwarp>(partial, 32);
  add_level<with_syncwarp>(partial, 16);
  add_level<with_syncwarp>(partial, 8);
  add_level<with_syncwarp>(partial, 4);
  add_level<with_syncwarp>(partial, 2);
  add_level<with_syncwarp>(partial, 1);
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

/// Returns how many of the blocks' sums are wrong.
template <bool with_syncwarp>
int wrong_sums(gpu::stream& stream, const gpu::buffer<float>& x) {
  gpu::buffer<float> sums(stream, blocks);
  gpu::launch(add_block<with_syncwarp>, blocks, threads, 0, stream, x.data(), sums.data());
  float values[blocks];
  sums.copy_to(values, blocks);
  int wrong = 0;
  for (const float value : values) wrong += value == threads ? 0 : 1;
  return wrong;
}

/// Runs the kernel without __syncwarp in lock step; on a GPU, which has no such model, returns 0.
template <class Stream>
int wrong_in_lock_step(Stream& stream, const gpu::buffer<float>& x) {
  if constexpr (simulated<Stream>) {
    using model = std::remove_reference_t<decltype(stream.settings().model)>;
    stream.settings().model = model::lock_step;
    const int wrong = wrong_sums<false>(stream, x);
    stream.settings().model = model::independent;
    return wrong;
  }
  return 0;
}

hazard_outcome run_tail(const hazard_request& request) {
  seeded_stream stream(request.seed);
  gpu::buffer<float> x(stream, blocks * threads);
  fill_ones(x);
  const int in_lock_step = wrong_in_lock_step<gpu::stream>(stream, x);
  std::vector<reported_fault> other_faults = take_findings(stream);
  const int cured = wrong_sums<true>(stream, x);
  const std::vector<reported_fault> cured_faults = take_findings(stream);
  other_faults.insert(other_faults.end(), cured_faults.begin(), cured_faults.end());
  const int independent = wrong_sums<false>(stream, x);
  hazard_outcome outcome;
  outcome.detected = take_findings(stream);
  outcome.expected =
      on_simt ? "right in lock step; with independent threads wrong sums and a reported race; right with "
                "__syncwarp"
              : "right with __syncwarp; without, undefined, often right";
  outcome.observed = format_text("%d of %d sums are wrong with independent threads, %d with __syncwarp",
                                 independent, blocks, cured);
  if (on_simt) outcome.observed += format_text(", %d in lock step", in_lock_step);
  outcome.as_expected = in_lock_step == 0 && cured == 0 && other_faults.empty() &&
                        (!on_simt || (independent > 0 && has(outcome.detected, "data_race")));
  add_findings(outcome, other_faults);
  outcome.figures = {{"wrong_with_independent_threads", static_cast<double>(independent)},
                     {"wrong_with_syncwarp", static_cast<double>(cured)}};
  if (on_simt) outcome.figures.push_back({"wrong_in_lock_step", static_cast<double>(in_lock_step)});
  return outcome;
}

const register_hazard registration{
    {.number = 20,
     .name = "shared_race_in_tail_unroll",
     .file = "shared_race_in_tail_unroll.cu",
     .effect =
         "16 blocks of 128 threads add 128 ones each; the last warp adds its six levels through volatile shared "
         "memory, without __syncwarp().",
     .cause =
         "Since Volta the lanes of a warp need not take a step together: a lane may read a sum before its "
         "neighbour "
         "has stored it, or after the neighbour has gone a level further. volatile makes the compiler load and "
         "store, but orders no threads; without it the result is wrong in lock step too.",
     .fix = "Call __syncwarp() between the loads and the stores of each level, or add by shuffles, which "
            "synchronise the "
            "lanes: rung shared_then_shuffle."},
    run_tail};

}  // namespace
}  // namespace exactdot::lab
