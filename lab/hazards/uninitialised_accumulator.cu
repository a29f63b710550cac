// uninitialised_accumulator: a sum by atomics into memory that was never set to zero.
//
// The result is the sum plus the old content of the memory. New memory is often zero, so the fault stays hidden
// until the memory is reused: here in a second launch, which adds to the first result. The simulator fills new
// memory with a pattern and reports the read.
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

__global__ void add_fours(float* sum) {
  atomicAdd(sum, 4.0F);  // uninitialised
}

hazard_outcome run_uninitialised(const hazard_request& request) {
  const int blocks = request.small ? 2 : 4, threads = request.small ? 4 : 256;
  seeded_stream stream(request.seed);
  const auto right = static_cast<float>(4 * blocks * threads);
  gpu::buffer<float> sum(stream, 1);
  const float before = only_value(sum);
  gpu::launch(add_fours, blocks, threads, 0, stream, sum.data());
  const float without = only_value(sum);
  gpu::launch(add_fours, blocks, threads, 0, stream, sum.data());
  const float again = only_value(sum);
  hazard_outcome outcome;
  outcome.detected = take_findings(stream);
  sum.fill_zero();
  gpu::launch(add_fours, blocks, threads, 0, stream, sum.data());
  const float zeroed = only_value(sum);
  const std::vector<reported_fault> zeroed_faults = take_findings(stream);
  outcome.expected = "4096 after zeroing; without, the old content plus 4096, and 4096 more after a second launch";
  outcome.observed =
      format_text("%.9g after zeroing; %.9g without, where %.9g lay before; %.9g after a second launch", zeroed,
                  without, before, again);
  outcome.as_expected = zeroed == right && zeroed_faults.empty() && without == before + right &&
                        again == without + right &&
                        (!on_simt || (without != right && has(outcome.detected, "uninitialised_global")));
  outcome.detected.insert(outcome.detected.end(), zeroed_faults.begin(), zeroed_faults.end());
  outcome.figures = {{"zeroed", static_cast<double>(zeroed)},
                     {"not_zeroed", static_cast<double>(without)},
                     {"again", static_cast<double>(again)}};
  return outcome;
}

const register_hazard registration{
    {.number = 11,
     .name = "uninitialised_accumulator",
     .file = "uninitialised_accumulator.cu",
     .effect = "1024 threads each add 4 by atomicAdd to a float that was allocated but not set.",
     .cause = "atomicAdd adds to the old content: cudaMalloc does not initialise memory, and a second run of the "
              "kernel adds "
              "to the result of the first. New memory often holds zeros, which hide the fault.",
     .fix = "Set the accumulator before every launch, as all rungs of exactdot lab do. Or store partial sums, "
            "which need "
            "no start value: rung two_phase."},
    run_uninitialised};

}  // namespace
}  // namespace exactdot::lab
