// Launches of the kernels of lines by a route (router.hpp), and the checks of segments' offsets.
#include <cuda/core/right_sides.hpp>
#include <cuda/host/engines.hpp>
#include <cuda/host/operands.hpp>
#include <plan/batch_checks.hpp>
#include <string>

namespace exactdot::inline v0_3::cuda_engine {

line_request request_of(const engine::plan& each) {
  line_request asked;
  asked.ddof = each.ddof;
  if (!each.result.is_integer()) asked.of_bad = core::nan_word(each.result.format());
  engine::plan of_none = each;
  of_none.n = 0;
  asked.of_none = engine::result_of_nothing(of_none);
  return asked;
}

namespace {

using storage_type = cuda::workspace::storage;

[[noreturn]] void refuse_route() {
  throw error(errc::device_failure,
              "cuda: no kernel takes these vectors, which is a fault of exactdot: please report it");
}

bool are_columns(shape by) { return by == shape::columns || by == shape::short_columns; }

template <class T, input_layout layout>
void enqueue_sums(const storage_type& storage, std::size_t term, shape by, const line_source<T, layout>& in,
                  const line_results& out, const line_request& asked) {
  constexpr bool is_strided = layout == input_layout::strided;
  if (by == shape::lines) return cuda::launch_lines<T, layout>(storage, term, in, out);
  if constexpr (is_strided || layout == input_layout::converted) {
    if (are_columns(by)) return cuda::launch_columns<T, layout>(storage, by, term, in.lines, out);
  }
  if constexpr (!is_strided) {
    if (by == shape::split_lines) return cuda::launch_split_lines<T, layout>(storage, term, in, out);
    if (by == shape::segments) return cuda::launch_segments<T, layout>(storage, term, in, out, asked);
  }
  refuse_route();
}

template <class T, input_layout layout>
void enqueue_moments(const storage_type& storage, bool have_parts, shape by, const line_source<T, layout>& in,
                     const line_results& out, const line_request& asked) {
  constexpr bool is_strided = layout == input_layout::strided;
  if constexpr (std::is_same_v<T, double> && layout == input_layout::any) {
    if (have_parts) {  // their kernels take an element as one addend
      line_source<T, layout> elements = in;
      elements.lines.first.log2_parts_a = elements.lines.first.log2_parts_b = 0;
      elements.lines.first.n = in.length;
      return cuda::launch_integer_moments(storage, by, elements, out, asked);
    }
  }
  if constexpr (is_strided || layout == input_layout::converted) {
    if (are_columns(by)) return cuda::launch_column_moments<T, layout>(storage, by, in.lines, out, asked);
  }
  if constexpr (is_strided) {
    refuse_route();
  } else {
    cuda::launch_line_moments<T, layout>(storage, by, in, out, asked);
  }
}

/// Results of lines, those of a batch along an axis from `first` on, or of all segments.
void enqueue_line_results(const storage_type& storage, const engine::batch& of, const route& chosen,
                          const engine::line& first, const engine::shared_axis& lines, const line_results& out) {
  const engine::plan& each = of.each;
  line_request asked;
  if (each.info().needs_squares() || of.offsets.data != nullptr) asked = request_of(each);
  with_carrier(each.carrier, [&]<class T>(T) {
    with_layout(chosen.layout, [&]<input_layout layout>(std::integral_constant<input_layout, layout>) {
      const auto in = source_of<T, layout>(of, first, lines, each.term_info());
      if (each.info().needs_squares()) {
        return enqueue_moments(storage, each.has_parts(), chosen.by, in, out, asked);
      }
      enqueue_sums(storage, each.term, chosen.by, in, out, asked);
    });
  });
}

}  // namespace

void enqueue_lines(const storage_type& storage, const engine::batch& of, const route& chosen,
                   const engine::line& first, const engine::shared_axis& lines) {
  line_results out;
  out.first = first.out, out.next = lines.out;
  out.to.rule = of.each.result, out.to.count = of.each.n, out.to.status = storage.status;
  enqueue_line_results(storage, of, chosen, first, lines, out);
}

void enqueue_right_sides(const storage_type& storage, const engine::batch& of, const engine::line& first,
                         const engine::shared_axis& lines, const right_sides_axis& right) {
  const engine::plan& each = of.each;
  const engine::shared_axis& others = of.results[right.position];
  rows_and_vectors in;
  in.rows = static_cast<const char*>(right.a_is_rows ? first.a : first.b);
  in.vectors = static_cast<const char*>(right.a_is_rows ? first.b : first.a);
  in.next_row = right.a_is_rows ? lines.a : lines.b, in.next_vector = right.a_is_rows ? others.b : others.a;
  in.stride = right.a_is_rows ? each.b.stride : each.a.stride;
  in.row_count = lines.n, in.vector_count = others.n, in.n = each.n, in.type = each.a.type;
  product_results out;
  out.first = first.out, out.next = lines.out, out.next_vector = others.out;
  out.to.rule = each.result, out.to.count = each.n, out.to.status = storage.status;
  cuda::launch_right_sides(storage, in, out);
}

bool enqueue_moments_as_line(const storage_type& storage, const engine::plan& plan, const destination& to) {
  if (plan.a.type == plan.carrier) return false;
  const vectors_of_call call = describe(plan, storage.multiprocessors);
  if (!is_moments_of_line(call)) return false;
  engine::batch of;
  of.each = plan, of.count = 1;
  line_results out;
  out.first = static_cast<char*>(to.value), out.to = to;
  enqueue_line_results(storage, of, route_of_lines(call), {plan.a.data, plan.b.data, plan.n, out.first}, one_line,
                       out);
  return true;
}

void require_valid_offsets(const storage_type& storage, const engine::batch& of) {
  const offset_array offsets = offsets_of(of.offsets);
  cuda::check_offsets(storage, offsets, of.count, of.each.n, false);
  wide_unsigned status = 0;
  const auto fetch = [&](void* to, const void* from, std::size_t bytes) {
    cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, storage.stream), "fetching offsets");
    cuda::check(cudaStreamSynchronize(storage.stream), "waiting for the check of the offsets");
  };
  fetch(&status, storage.bad_segment, sizeof status);
  if (status == 0) return;
  cuda::check(cudaMemsetAsync(storage.bad_segment, 0, sizeof status, storage.stream), "clearing the status");
  const auto segment = static_cast<std::size_t>(~status);
  std::uint64_t around[2] = {};  // its offsets
  for (std::size_t i = 0; i < 2; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(segment + i) * offsets.stride;
    std::uint64_t word = 0;
    fetch(&word, offsets.data + at, size_of(of.offsets.type));
    offset_array one = offsets;
    one.data = reinterpret_cast<const char*>(&word);
    around[i] = one.at(0);
  }
  const bool is_second = around[0] <= of.each.n;
  engine::refuse_offset(of.each.caller, of.offsets.type, segment + (is_second ? 1 : 0), around[is_second ? 1 : 0],
                        is_second ? around[0] : 0, of.each.n);
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
