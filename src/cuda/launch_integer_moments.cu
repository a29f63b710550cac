// The kernels of variances of 64-bit integers of many vectors: rows, columns and segments, all of one layout.
#include <cuda/configured_split.cuh>
#include <cuda/integer_moments.cuh>

namespace exactdot::inline v0_3::cuda {

void launch_integer_moments(const workspace::storage& storage, const line_source<double, input_layout::any>& in,
                            const line_results& out, const line_request& asked) {
  constexpr std::size_t bytes = sizeof(std::uint64_t);
  const bool is_segments = in.offsets.data != nullptr;
  if (!is_segments && splits_moments(in.lines.count, in.length * bytes, storage.multiprocessors)) {
    return launch_split_rows<moments_of_integers, input_layout::any>(storage, in, out, asked);
  }
  launch_segments_of<moments_of_integers, input_layout::any>(storage, in, bytes, out, asked);
}

}  // namespace exactdot::inline v0_3::cuda
