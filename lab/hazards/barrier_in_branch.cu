// barrier_in_branch: a block's tree with its __syncthreads() inside if (thread < half).
//
// A barrier waits for all threads of the block, and threads that skip the branch never reach this one. The
// behaviour is undefined, from a correct sum to a kernel that never ends. The simulator reports the barrier and
// continues; on a GPU a watchdog limits the time.
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

constexpr int threads = 64;

__global__ void add_with_barrier_in_branch(float* sum) {
  __shared__ float partial[threads];
  partial[threadIdx.x] = 1;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) {
      partial[threadIdx.x] += partial[threadIdx.x + half];
      __syncthreads();  // divergence
    }
  }
  if (threadIdx.x == 0) *sum = partial[0];
}

hazard_outcome run_branch(const hazard_request& request) {
  seeded_stream stream(request.seed);
  gpu::buffer<float> sum(stream, 1);
  gpu::launch(add_with_barrier_in_branch, 1, threads, 0, stream, sum.data());
  const float value = only_value(sum);
  hazard_outcome outcome;
  outcome.detected = take_findings(stream);
  const bool named = has(outcome.detected, "barrier_divergence");
  outcome.expected = on_simt ? "the simulator reports the barrier that some threads never reach"
                             : "undefined: a correct sum, a wrong one, or a kernel that never ends";
  outcome.as_expected = named || !on_simt;
  const char* const ending = !on_simt ? "it ended" : named ? "the barrier is reported" : "no barrier is reported";
  outcome.observed = format_text("%s; the sum is %g, right is %d", ending, value, threads);
  outcome.figures = {{"sum", static_cast<double>(value)}};
  return outcome;
}

const register_hazard registration{
    {.number = 9,
     .name = "barrier_in_branch",
     .file = "barrier_in_branch.cu",
     .separate_process = true,
     .effect = "Runs a tree in shared memory whose __syncthreads() is inside if (thread < half).",
     .cause =
         "Only threads below half reach the barrier; the others end or wait elsewhere. CUDA leaves the behaviour "
         "undefined: some GPUs hang; others count exited threads as arrived and return the correct sum.",
     .fix =
         "Place the barrier after the if, where every thread passes: missing_barrier with its barriers, exactdot "
         "lab, rung shared_atomic."},
    run_branch};

}  // namespace
}  // namespace exactdot::lab
