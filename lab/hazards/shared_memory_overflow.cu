// shared_memory_overflow: a block with more threads than its shared array has places.
//
// The array has the size for which the kernel was written, the launch another one. Writes beyond the array hit
// other shared variables of the block, or end the kernel. The simulator reports the access; on a GPU the context
// may be lost, so that the hazard runs in a process of its own.
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

constexpr unsigned places = 128;

__global__ void add_block(const float* x, float* total) {
  __shared__ float partial[places];
  partial[threadIdx.x] = x[threadIdx.x];  // overflow
  __syncthreads();
  for (unsigned half = places / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *total = partial[0];
}

hazard_outcome run_overflow(const hazard_request& request) {
  seeded_stream stream(request.seed);
  gpu::buffer<float> x(stream, 2 * places), total(stream, 1);
  fill_ones(x);
  total.fill_zero();
  gpu::launch(add_block, 1, places, 0, stream, x.data(), total.data());
  const float fitting = only_value(total);
  const std::vector<reported_fault> fitting_faults = take_findings(stream);
  float overflowing = 0;
  const std::string message = error_of([&] {
    gpu::launch(add_block, 1, 2 * places, 0, stream, x.data(), total.data());
    overflowing = only_value(total);
  });
  hazard_outcome outcome;
  outcome.detected = take_findings(stream);
  const bool named = has(outcome.detected, "out_of_bounds");
  outcome.expected = on_simt ? "128 with 128 threads; with 256 the simulator reports the access beyond the array"
                             : "128 with 128 threads; with 256 undefined: half of the sum, or an illegal address";
  outcome.observed = format_text("%g with %u threads; with %u ", fitting, places, 2 * places);
  if (on_simt) outcome.observed += named ? "the access is reported, and the sum is " : "nothing is reported, and the sum is ";
  outcome.observed += message.empty() ? format_text("%g", overflowing) : message;
  outcome.as_expected = fitting == places && fitting_faults.empty() && (!on_simt || named);
  add_findings(outcome, fitting_faults);
  outcome.figures = {{"fitting", static_cast<double>(fitting)}, {"overflowing", static_cast<double>(overflowing)}};
  return outcome;
}

const register_hazard registration{
    {.number = 24,
     .name = "shared_memory_overflow",
     .file = "shared_memory_overflow.cu",
     .separate_process = true,
     .effect = "A kernel with __shared__ float partial[128] is launched with 128 threads, then with 256.",
     .cause =
         "The size of a static shared array is fixed at compile time, that of a block at the launch, and nothing "
         "compares them. Threads 128 to 255 write beyond the array, and the tree adds only its 128 places.",
     .fix = "Take the size of the array and of the block from one constant, as a template parameter with "
            "static_assert, "
            "or pass blockDim.x * sizeof(float) bytes of dynamic shared memory: rung shared_atomic."},
    run_overflow};

}  // namespace
}  // namespace exactdot::lab
