// Launches the check of offsets.
#include <cuda/launch.hpp>
#include <cuda/launch_kernel.hpp>
#include <cuda/offsets_kernel.cuh>

namespace exactdot::inline v0_3::cuda {

void check_offsets(const workspace::storage& storage, const cuda_engine::offset_array& offsets, std::size_t count,
                   std::uint64_t length) {
  constexpr int threads = 256;
  const std::size_t most = static_cast<std::size_t>(storage.multiprocessors) * 8;
  const auto blocks = static_cast<unsigned>(std::min((count + threads - 1) / threads, most));
  launch_kernel(storage, "launching the check of offsets", {blocks, threads}, cuda_engine::check_offsets_kernel,
                offsets, count, length, storage.bad_segment);
}

void check_no_segment_is_empty(const workspace::storage& storage, const cuda_engine::segment_spans& in) {
  constexpr int threads = 256;
  const std::size_t most = static_cast<std::size_t>(storage.multiprocessors) * 8;
  const auto blocks = static_cast<unsigned>(std::min((in.count + threads - 1) / threads, most));
  launch_kernel(storage, "launching the search for empty segments", {blocks, threads},
                cuda_engine::check_no_segment_is_empty, in, storage.empty_segment);
}

}  // namespace exactdot::inline v0_3::cuda
