// misaligned_pack: 16-byte loads from a pointer that is one float off.
//
// A load of 16 bytes requires an address divisible by 16. cudaMalloc returns such addresses, so the fault appears
// only for a part of a vector. A GPU ends the kernel with error 716 and its context is lost: there the hazard runs
// in a process of its own. This file is compiled with the simulator's check of alignment.
#include <lab/block_combine.cuh>
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

constexpr int threads = 32, n = 4 * threads;

__global__ void add_packs(const float* x, float* total) {
  const float4* const packs = reinterpret_cast<const float4*>(x);
  const float4 pack = packs[threadIdx.x];  // misaligned
  const float value = fold_warp<sum>(pack.x + pack.y + pack.z + pack.w);
  if (threadIdx.x == 0) *total = value;
}

hazard_outcome run_misaligned(const hazard_request& request) {
  seeded_stream stream(request.seed);
  gpu::buffer<float> x(stream, n + 1), total(stream, 1);
  fill_ones(x);
  gpu::launch(add_packs, 1, threads, 0, stream, x.data(), total.data());
  const float aligned = only_value(total);
  hazard_outcome outcome;
  const std::vector<reported_fault> aligned_faults = take_findings(stream);
  const std::string message = error_of([&] {
    gpu::launch(add_packs, 1, threads, 0, stream, x.data() + 1, total.data());
    gpu::synchronise(stream);
  });
  outcome.detected = take_findings(stream);
  const bool named = has(outcome.detected, "misaligned");
  outcome.expected = on_simt ? "128 from x; from x + 1 the simulator reports the load and ends the launch"
                             : "128 from x; from x + 1 error 716, misaligned address";
  outcome.observed = format_text("%g from x; from x + 1 %s", aligned,
                                 on_simt ? (named ? "the launch ends with a finding" : "nothing is reported")
                                         : (message.empty() ? "no error" : message.c_str()));
  outcome.as_expected =
      aligned == n && aligned_faults.empty() && (on_simt ? named : message.find("misaligned") != std::string::npos);
  add_findings(outcome, aligned_faults);
  outcome.figures = {{"aligned", static_cast<double>(aligned)}};
  return outcome;
}

const register_hazard registration{
    {.number = 16,
     .name = "misaligned_pack",
     .file = "misaligned_pack.cu",
     .separate_process = true,
     .effect =
         "32 threads each load a float4 from x, which is aligned to 16 bytes, and then from x + 1, which is not.",
     .cause =
         "The hardware loads 16 bytes only from an address divisible by 16. The cast to float4* promises that, but "
         "a pointer into the middle of a vector does not keep the promise. After the error every further call "
         "of the process fails.",
     .fix = "Add the elements before the first aligned address one by one, then load packs: rung vectorized, "
            "lab/wide_loads.cuh."},
    run_misaligned};

}  // namespace
}  // namespace exactdot::lab
