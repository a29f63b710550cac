// uninitialised_accumulator: a sum by atomics into memory that nobody set to zero.
//
// The result is what lay there, plus the sum. Fresh memory is often zero, so the fault shows on the second day:
// here in a second launch, which adds to what the first one left. The simulator fills new memory with a pattern and
// names the read.
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

constexpr int blocks = 4, threads = 256;

__global__ void add_fours(float* sum) {
  atomicAdd(sum, 4.0F);  // uninitialised
}

hazard_outcome run_uninitialised(const hazard_request& request) {
  seeded_stream stream(request.seed);
  constexpr int right = 4 * blocks * threads;
  gpu::buffer<float> sum(stream, 1);
  const float before = only_value(sum);
  gpu::launch(add_fours, blocks, threads, 0, stream, sum.data());
  const float without = only_value(sum);
  gpu::launch(add_fours, blocks, threads, 0, stream, sum.data());
  const float again = only_value(sum);
  hazard_outcome seen;
  seen.detected = take_findings(stream);
  sum.fill_zero();
  gpu::launch(add_fours, blocks, threads, 0, stream, sum.data());
  const float zeroed = only_value(sum);
  const std::vector<named_fault> when_zeroed = take_findings(stream);
  seen.expected = "4096 after zeroing; without, what lay there plus 4096, and 4096 more from a second launch";
  seen.observed = text_of("%.9g after zeroing; %.9g without, where %.9g lay before; %.9g after a second launch",
                          zeroed, without, before, again);
  seen.as_expected = zeroed == right && when_zeroed.empty() && without == before + right &&
                     again == without + right &&
                     (!on_simt || (without != right && has(seen.detected, "uninitialised_global")));
  seen.detected.insert(seen.detected.end(), when_zeroed.begin(), when_zeroed.end());
  seen.figures = {{"zeroed", static_cast<double>(zeroed)},
                  {"not_zeroed", static_cast<double>(without)},
                  {"again", static_cast<double>(again)}};
  return seen;
}

const enlist_hazard here{
    {.number = 11,
     .name = "uninitialised_accumulator",
     .file = "uninitialised_accumulator.cu",
     .does = "1024 threads add 4 each by atomicAdd to a float that was allocated and not set.",
     .why =
         "atomicAdd adds to what lies there: cudaMalloc promises nothing, and a kernel run twice adds to its own "
         "first result. Zeros, which fresh memory often holds, hide it.",
     .cure =
         "Set the accumulator before every launch, as all rungs of exactdot lab do; or write partial sums, which "
         "needs no start value: two_phase."},
    run_uninitialised};

}  // namespace
}  // namespace exactdot::lab
