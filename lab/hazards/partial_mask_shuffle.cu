// partial_mask_shuffle: __shfl_down_sync(0xffffffff, …) in a branch that half of the warp enters.
//
// The mask promises that every lane of it that has not exited comes to this very call; 16 wait at a barrier
// instead. Undefined: a hang, or values of lanes that were not there. Had they exited, the same mask would be right
// (CUDA C++ Programming Guide, warp shuffle functions: all non-exited threads named in mask). The simulator names
// the shuffle and where a missing lane is; a GPU is left to a watchdog.
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

template <bool all_lanes>
__global__ void add_eight_above(float* out) {
  float x = static_cast<float>(threadIdx.x);
  if (threadIdx.x < 16) {
    x += __shfl_down_sync(all_lanes ? 0xffffffffU : 0x0000ffffU, x, 8, 16);  // missing lanes
  }
  __syncthreads();  // where the other half is meanwhile: alive, and elsewhere
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
  hazard_outcome seen;
  const float wrong = lane_0<true>(stream);
  seen.detected = take_findings(stream);
  const float right = lane_0<false>(stream);
  const std::vector<named_fault> with_right_mask = take_findings(stream);
  const bool named = has(seen.detected, "missing_lanes");
  seen.expected = on_simt ? "the shuffle is named that half of its lanes never reach; with the right mask, 8"
                          : "undefined with the wrong mask, or a kernel that never ends; with the right one, 8";
  seen.as_expected = (named || !on_simt) && with_right_mask.empty() && right == 8;
  const char* const came = !on_simt ? "it ended" : named ? "named" : "not named";
  seen.observed = text_of("%s; lane 0 gets %g with the wrong mask, %g with the mask of the lanes that come", came,
                          wrong, right);
  seen.detected.insert(seen.detected.end(), with_right_mask.begin(), with_right_mask.end());
  seen.figures = {{"lane_0_with_wrong_mask", static_cast<double>(wrong)},
                  {"lane_0_with_right_mask", static_cast<double>(right)}};
  return seen;
}

const enlist_hazard here{
    {.number = 10,
     .name = "partial_mask_shuffle",
     .file = "partial_mask_shuffle.cu",
     .may_hang = true,
     .does = "16 of 32 lanes enter a branch and call __shfl_down_sync with the mask 0xffffffff; the others wait at "
             "the barrier behind it.",
     .why = "The mask says who comes, not who is wanted: all its lanes but those that have exited. The call may "
            "wait for 16 lanes that wait elsewhere, or take values of lanes that were not there.",
     .cure = "Shuffle outside of the branch, with all lanes (shuffle_block), or with the mask of the lanes that do "
             "come, 0x0000ffff here. Not __activemask(): it says who happens to be there."},
    run_shuffle};

}  // namespace
}  // namespace exactdot::lab
