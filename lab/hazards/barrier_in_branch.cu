// barrier_in_branch: the tree of a block with its __syncthreads() inside of if (thread < half).
//
// A barrier waits for all threads of the block. Those that skip the branch never come to this one: undefined, from
// a right sum to a kernel that never ends. The simulator names the barrier and goes on; on a GPU it is not run.
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
  constexpr const char* expected = "the barrier is named that some threads never reach";
  if (!on_simt)
    return not_run_on_a_gpu(expected, "it may wait for ever, and nothing in the kernel can bound a barrier");
  seeded_stream stream(request.seed);
  device::buffer<float> sum(stream, 1);
  device::launch(add_with_barrier_in_branch, 1, threads, 0, stream, sum.data());
  const float value = only_value(sum);
  hazard_outcome seen;
  seen.expected = expected;
  seen.detected = take_findings(stream);
  seen.as_expected = has(seen.detected, "barrier_divergence");
  seen.observed =
      text_of("%s; the sum is %g, right is %d", seen.as_expected ? "named" : "not named", value, threads);
  seen.figures = {{"sum", static_cast<double>(value)}};
  return seen;
}

const enlist_hazard here{
    {.number = 9,
     .name = "barrier_in_branch",
     .file = "barrier_in_branch.cu",
     .does = "A tree in shared memory whose __syncthreads() stands inside of if (thread < half).",
     .why = "Only threads below half come to the barrier, the others end or wait elsewhere. CUDA leaves open what "
            "happens: some GPUs hang, some count threads that have ended as arrived and give a right sum.",
     .cure =
         "The barrier goes after the if, where every thread passes: missing_barrier with its barriers, exactdot "
         "lab, shared_atomic."},
    run_branch};

}  // namespace
}  // namespace exactdot::lab
