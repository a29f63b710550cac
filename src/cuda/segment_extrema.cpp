// How the kernels of segments are given those of a batch whose extreme elements are asked; see segment_extrema.hpp.
#include <cuda/launch.hpp>
#include <cuda/line_engine.hpp>
#include <cuda/segment_extrema.hpp>
#include <string>

namespace exactdot::inline v0_3::cuda_engine {
void enqueue_segment_extrema(const cuda::workspace::storage& storage, const engine::batch& of) {
  const engine::plan& each = of.each;
  element_source in;
  in.lines = {static_cast<const char*>(each.a.data), each.a.stride, of.count, each.a.swapped};
  in.offsets = offsets_of(of.offsets), in.length = each.n;
  const rank_rule rule = rank_rule_of(each.a.type, selects_greatest(each.what));
  const extremum_request asked{rule, is_integer(each.a.type) ? 0 : rule.of_nan, storage.empty_segment};
  const extremum_results out{of.out, of.out_stride, gives_index(each.what)};
  switch (size_of(each.a.type)) {
    case 1:
      return cuda::launch_extremum_segments<1>(storage, in, asked, out);
    case 2:
      return cuda::launch_extremum_segments<2>(storage, in, asked, out);
    case 4:
      return cuda::launch_extremum_segments<4>(storage, in, asked, out);
    default:
      return cuda::launch_extremum_segments<8>(storage, in, asked, out);
  }
}

void require_no_empty_segment(const cuda::workspace::storage& storage, const engine::batch& of) {
  cuda::check_offsets(storage, offsets_of(of.offsets), of.count, of.each.n, true);
  wide_unsigned status = 0;
  cuda::check(
      cudaMemcpyAsync(&status, storage.empty_segment, sizeof status, cudaMemcpyDeviceToHost, storage.stream),
      "fetching the search for empty segments");
  cuda::check(cudaStreamSynchronize(storage.stream), "waiting for the search for empty segments");
  if (status == 0) return;
  cuda::check(cudaMemsetAsync(storage.empty_segment, 0, sizeof status, storage.stream), "clearing the status");
  engine::throw_error(errc::empty_input, of.each.caller,
                      "segment " + std::to_string(~status) + " is empty, so it has no least or greatest element");
}

}  // namespace exactdot::inline v0_3::cuda_engine
