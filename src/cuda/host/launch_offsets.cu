// Launches the checks of offsets.
#include <cuda/host/launch.hpp>
#include <cuda/host/launch_kernel.hpp>
#include <cuda/shape/offsets.cuh>

namespace exactdot::inline v0_3::cuda {

void check_offsets(const workspace::storage& storage, const cuda_engine::offset_array& offsets, std::size_t count,
                   std::uint64_t length, bool finds_empty) {
  constexpr int threads = 256;
  cuda_engine::wide_unsigned *const bad = storage.bad_segment, *const empty = storage.empty_segment;
  launch_kernel(storage, "launching the check of offsets", {blocks_for(storage, count, threads, 8), threads},
                cuda_engine::check_offsets_kernel, offsets, count, length, finds_empty ? nullptr : bad,
                finds_empty ? empty : nullptr);
}

}  // namespace exactdot::inline v0_3::cuda
