// Launches of the kernels of segment_work_kernel.cuh, for launch_extremum_segments.cu.
#pragma once

#include <cuda/configured_lines.cuh>
#include <cuda/segment_work_kernel.cuh>
#include <cuda/segment_works.cuh>

namespace exactdot::inline v0_3::cuda {
namespace {

using namespace cuda_engine;

/// `bytes`: of an element. `notes_empty`: whether an empty segment is an error.
template <class Work>
void launch_work(const workspace::storage& storage, const Work& work, const segment_spans& in, std::size_t bytes,
                 bool notes_empty) {
  constexpr int threads = 128, resident = 4, long_threads = 512, long_resident = 1;
  constexpr std::size_t warps = threads / 32;
  constexpr std::uint64_t shared_bytes = 512 * kibi;  // of a segment that all blocks share, at least
  static_assert(max_sharing_blocks <= long_threads, "combine_parts");
  const split_plan plan = plan_of_segments(in.count, in.length, bytes,
                                           static_cast<std::size_t>(storage.multiprocessors * resident) * warps);
  launch_kernel(storage, "launching the kernel of segments",
                {blocks_for(storage, in.count, warps * plan.of_warp, 4 * resident), threads},
                segment_work_kernel<Work, threads, resident>, work, in, plan, shared_bytes / bytes, storage.lines,
                segment_notes{storage.bad_segment, notes_empty ? storage.empty_segment : nullptr});
  if (in.length <= plan.long_from) return;
  launch_kernel(
      storage, "launching the kernel of long segments",
      {std::min(static_cast<unsigned>(storage.multiprocessors * long_resident), max_sharing_blocks), long_threads},
      long_segment_work_kernel<Work, long_threads, long_resident>, work, in, storage.lines);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda
