// barrier_in_branch: the tree of a block with its __syncthreads() inside of if (thread < half).
//
// A barrier waits for all threads of the block. Those that skip the branch never come to this one: undefined, from
// a right sum to a kernel that never ends. The simulator names the barrier and goes on; a GPU is left to a
// watchdog.
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
  hazard_outcome seen;
  seen.detected = take_findings(stream);
  const bool named = has(seen.detected, "barrier_divergence");
  seen.expected = on_simt ? "the barrier is named that some threads never reach"
                          : "undefined: a right sum, a wrong one, or a kernel that never ends";
  seen.as_expected = named || !on_simt;
  const char* const came = !on_simt ? "it ended" : named ? "named" : "not named";
  seen.observed = text_of("%s; the sum is %g, right is %d", came, value, threads);
  seen.figures = {{"sum", static_cast<double>(value)}};
  return seen;
}

const enlist_hazard here{
    {.number = 9,
     .name = "barrier_in_branch",
     .file = "barrier_in_branch.cu",
     .may_hang = true,
     .does = "A tree in shared memory whose __syncthreads() stands inside of if (thread < half).",
     .why = "Only threads below half come to the barrier, the others end or wait elsewhere. CUDA leaves open what "
            "happens: some GPUs hang, some count threads that have ended as arrived and give a right sum.",
     .cure =
         "The barrier goes after the if, where every thread passes: missing_barrier with its barriers, exactdot "
         "lab, shared_atomic."},
    run_branch};

}  // namespace
}  // namespace exactdot::lab
