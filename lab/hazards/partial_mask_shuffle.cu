// partial_mask_shuffle: __shfl_down_sync(0xffffffff, …) in a branch that half of the warp enters.
//
// Every lane in the mask that has not exited must make this call; here 16 lanes wait at a barrier instead. The
// behaviour is undefined: a hang, or values of absent lanes. Had they exited, the mask would be correct (CUDA C++
// Programming Guide, warp shuffle functions: all non-exited threads named in mask). The simulator reports the
// shuffle and the location of a missing lane; on a GPU a watchdog limits the time.
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

template <bool all_lanes>
__global__ void add_eight_above(float* out) {
  float x = static_cast<float>(threadIdx.x);
  if (threadIdx.x < 16) {
    x += __shfl_down_sync(all_lanes ? 0xffffffffU : 0x0000ffffU, x, 8, 16);  // missing lanes
  }
  __syncthreads();  // the other half waits here and has not exited
  out[threadIdx.x] = x;
}

template <bool all_lanes>
float lane_0(gpu::stream& stream) {
  gpu::buffer<float> out(stream, 32);
  gpu::launch(add_eight_above<all_lanes>, 1, 32, 0, stream, out.data());
  float values[32];
  out.copy_to(values, 32);
  return values[0];
}

hazard_outcome run_shuffle(const hazard_request& request) {
  seeded_stream stream(request.seed);
  hazard_outcome outcome;
  const float wrong = lane_0<true>(stream);
  outcome.detected = take_findings(stream);
  const float right = lane_0<false>(stream);
  const std::vector<reported_fault> with_right_mask = take_findings(stream);
  const bool named = has(outcome.detected, "missing_lanes");
  outcome.expected =
      on_simt ? "the simulator reports the shuffle that half of its lanes never reach; with the right mask, 8"
              : "with the wrong mask undefined, or a kernel that never ends; with the right mask, 8";
  outcome.as_expected = (named || !on_simt) && with_right_mask.empty() && right == 8;
  const char* const ending = !on_simt ? "it ended" : named ? "the shuffle is reported" : "no shuffle is reported";
  outcome.observed = format_text("%s; lane 0 gets %g with the wrong mask, %g with the mask of the lanes that come",
                                 ending, wrong, right);
  outcome.detected.insert(outcome.detected.end(), with_right_mask.begin(), with_right_mask.end());
  outcome.figures = {{"lane_0_with_wrong_mask", static_cast<double>(wrong)},
                     {"lane_0_with_right_mask", static_cast<double>(right)}};
  return outcome;
}

const register_hazard registration{
    {.number = 10,
     .name = "partial_mask_shuffle",
     .file = "partial_mask_shuffle.cu",
     .separate_process = true,
     .effect =
         "16 of 32 lanes enter a branch and call __shfl_down_sync with the mask 0xffffffff; the others wait at "
         "the barrier after it.",
     .cause =
         "The mask states which lanes make the call: every lane in it that has not exited must do so. The call may "
         "wait for 16 lanes that wait elsewhere, or return values of lanes that did not take part.",
     .fix = "Shuffle outside the branch with all lanes (rung shuffle_block), or with the mask of the lanes that "
            "make the "
            "call, here 0x0000ffff. Do not use __activemask(): it returns the lanes that happen to be active."},
    run_shuffle};

}  // namespace
}  // namespace exactdot::lab
