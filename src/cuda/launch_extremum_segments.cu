// The kernels of extreme elements of segments for elements of EXACTDOT_ELEMENT_BYTES bytes. One object per size.
#include <cuda/configured_segment_works.cuh>
#include <cuda/launch.hpp>

namespace exactdot::inline v0_3::cuda {
namespace {

template <int bytes, bool with_index, input_layout layout>
void launch_extrema_of(const workspace::storage& storage, const element_lines& vector, const segment_spans& in,
                       const rank_rule& rule, std::uint64_t of_none, const extremum_results& out) {
  const extremum_of_segments<bytes, with_index, layout> work{vector.first, vector.stride, vector.swapped,
                                                             rule,         out,           of_none};
  launch_work(storage, work, in, bytes, true);
}

}  // namespace

template <int bytes>
void launch_extremum_segments(const workspace::storage& storage, const element_lines& vector,
                              const segment_spans& in, const rank_rule& rule, std::uint64_t of_none,
                              const extremum_results& out) {
  constexpr auto contiguous = input_layout::contiguous, any = input_layout::any;
  const bool is_packed = vector.stride == bytes && !vector.swapped;
  const auto launch =
      out.gives_index
          ? (is_packed ? &launch_extrema_of<bytes, true, contiguous> : &launch_extrema_of<bytes, true, any>)
          : (is_packed ? &launch_extrema_of<bytes, false, contiguous> : &launch_extrema_of<bytes, false, any>);
  launch(storage, vector, in, rule, of_none, out);
}

template void launch_extremum_segments<EXACTDOT_ELEMENT_BYTES>(const workspace::storage&, const element_lines&,
                                                               const segment_spans&, const rank_rule&,
                                                               std::uint64_t, const extremum_results&);

}  // namespace exactdot::inline v0_3::cuda
