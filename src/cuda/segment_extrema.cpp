// How the kernels of segment_works.cuh are given the segments of a batch; see segment_extrema.hpp.
#include <cuda/launch.hpp>
#include <cuda/segment_extrema.hpp>
#include <string>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

using storage_type = cuda::workspace::storage;

segment_spans spans_of(const engine::batch& of) {
  const any_offsets& x = of.offsets;
  return {{static_cast<const char*>(x.data), x.stride, size_of(x.type) == sizeof(std::uint64_t), is_signed(x.type)},
          of.each.n,
          of.count};
}

}  // namespace

void enqueue_segment_extrema(const storage_type& storage, const engine::batch& of) {
  const engine::plan& each = of.each;
  element_lines vector;
  vector.first = static_cast<const char*>(each.a.data), vector.stride = each.a.stride;
  vector.n = each.n, vector.count = 1, vector.swapped = each.a.swapped;
  const bool greatest = selects_greatest(each.what);
  const rank_rule rule = rank_rule_of(each.a.type, greatest);
  const std::uint64_t of_none = is_integer(each.a.type) ? 0 : rule.of_nan;
  const extremum_results out{of.out, of.out_stride, gives_index(each.what)};
  switch (size_of(each.a.type)) {
    case 1:
      return cuda::launch_extremum_segments<1>(storage, vector, spans_of(of), rule, of_none, out);
    case 2:
      return cuda::launch_extremum_segments<2>(storage, vector, spans_of(of), rule, of_none, out);
    case 4:
      return cuda::launch_extremum_segments<4>(storage, vector, spans_of(of), rule, of_none, out);
    default:
      return cuda::launch_extremum_segments<8>(storage, vector, spans_of(of), rule, of_none, out);
  }
}

void require_no_empty_segment(const storage_type& storage, const engine::batch& of) {
  cuda::check_no_segment_is_empty(storage, spans_of(of));
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
