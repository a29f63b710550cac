// The kernels of variances of 64-bit integers of many vectors: rows, columns and segments, all of one layout.
#include <cuda/host/launch_configured_lines.cuh>
#include <cuda/work/integer_moments.cuh>

namespace exactdot::inline v0_3::cuda {

void launch_integer_moments(const workspace::storage& storage, shape by,
                            const line_source<double, input_layout::any>& in, const line_results& out,
                            const line_request& asked) {
  using work = moments_of_integers;
  if (by == shape::split_lines) return launch_split_rows<work, input_layout::any>(storage, in, out, asked);
  launch_segments_of<work, input_layout::any>(storage, in, sizeof(std::uint64_t), out, asked);
}

}  // namespace exactdot::inline v0_3::cuda
