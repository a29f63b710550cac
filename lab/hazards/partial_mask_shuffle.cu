// partial_mask_shuffle: __shfl_down_sync(0xffffffff, …) in a branch that half of the warp enters.
//
// The mask promises that all 32 lanes come; 16 never do. Undefined: a hang, or values of lanes that were not there.
// The simulator names the shuffle and a lane that is missing; on a GPU it is not run.
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

template <bool all_lanes>
__global__ void add_eight_above(float* out) {
  float x = static_cast<float>(threadIdx.x);
  if (threadIdx.x < 16) {
    x += __shfl_down_sync(all_lanes ? 0xffffffffU : 0x0000ffffU, x, 8, 16);  // missing lanes
  }
  out[threadIdx.x] = x;
}

hazard_outcome run_shuffle(const hazard_request& request) {
  constexpr const char* expected =
      "the shuffle is named that half of its lanes never reach; with the right mask, 8";
  if (!on_simt)
    return not_run_on_a_gpu(expected, "it may wait for ever, and nothing in the kernel can bound a shuffle");
  seeded_stream stream(request.seed);
  device::buffer<float> out(stream, 32);
  hazard_outcome seen;
  device::launch(add_eight_above<true>, 1, 32, 0, stream, out.data());
  seen.detected = take_findings(stream);
  device::launch(add_eight_above<false>, 1, 32, 0, stream, out.data());
  const std::vector<named_fault> with_right_mask = take_findings(stream);
  float values[32];
  out.copy_to(values, 32);
  seen.expected = expected;
  seen.as_expected = has(seen.detected, "missing_lanes") && with_right_mask.empty() && values[0] == 8;
  seen.observed = text_of("%s; with the mask of those that come, lane 0 gets %g",
                          has(seen.detected, "missing_lanes") ? "named" : "not named", values[0]);
  seen.detected.insert(seen.detected.end(), with_right_mask.begin(), with_right_mask.end());
  seen.figures = {{"lane_0_with_right_mask", static_cast<double>(values[0])}};
  return seen;
}

const enlist_hazard here{
    {.number = 10,
     .name = "partial_mask_shuffle",
     .file = "partial_mask_shuffle.cu",
     .does = "16 of 32 lanes enter a branch and call __shfl_down_sync with the mask 0xffffffff.",
     .why = "The mask says who comes, not who is wanted. The call waits for 16 lanes that are elsewhere: before "
            "Volta it went through, later it may hang or give values of lanes that were not there.",
     .cure = "Shuffle outside of the branch, with all lanes (shuffle_block), or with the mask of the lanes that do "
             "come, 0x0000ffff here. Not __activemask(): it says who happens to be there."},
    run_shuffle};

}  // namespace
}  // namespace exactdot::lab
