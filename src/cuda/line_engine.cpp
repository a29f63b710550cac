// The choice of kernels for lines; see line_engine.hpp.
//
// Lines of up to 64 KiB, and longer ones that keep all multiprocessors busy: one by some lanes or a block each
// (batch_kernel.cuh). Other long ones: shared equally among all blocks (split_line_kernel.cuh). Columns:
// split_column_kernel.cuh. A single line, and those of 256 MiB or more: vector by vector.
#include <algorithm>
#include <cuda/batch_axes.hpp>
#include <cuda/destination.hpp>
#include <cuda/input_choice.hpp>
#include <cuda/line_engine.hpp>
#include <cuda/line_tuning.hpp>
#include <cuda/operands_of.hpp>
#include <cuda/segment_tuning.hpp>
#include <plan/batch_checks.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

using storage_type = cuda::workspace::storage;

std::size_t bytes_of_line(const engine::plan& each) {
  return each.n * size_of(each.a.type) * static_cast<std::size_t>(each.info().inputs);
}

line_request request_of(const engine::plan& each) {
  line_request asked;
  asked.ddof = each.ddof;
  if (!each.result.is_integer()) asked.of_bad = core::nan_word(each.result.format());
  engine::plan of_none = each;
  of_none.n = 0;
  asked.of_none = engine::result_of_nothing(of_none);
  return asked;
}

bool is_native(const engine::plan& each) {
  return each.a.type == each.carrier && each.b.type == each.carrier && !each.a.swapped && !each.b.swapped;
}

template <class T>
bool is_contiguous(const line_operands<T>& in, bool two) {
  return in.first.n <= 1 || (in.first.stride_a == 1 && (!two || in.first.stride_b == 1));
}
template <class T>
bool are_columns(const line_operands<T>& in, bool two) {
  return in.next_a == 1 && (!two || in.next_b == 1 || in.next_b == 0);
}

/// The same lines, converted one by one.
template <class T>
line_operands<T, input_layout::any> to_any_lines(const engine::plan& each, const line_operands<T>& in) {
  line_operands<T, input_layout::any> made;
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(T));
  made.first.a = to_any_operand(each.a), made.first.b = to_any_operand(each.b);
  made.first.a.data = reinterpret_cast<const char*>(in.first.a);
  made.first.b.data = reinterpret_cast<const char*>(in.first.b);
  made.first.a.stride = in.first.stride_a * size, made.first.b.stride = in.first.stride_b * size;
  made.first.n = in.first.n, made.count = in.count, made.next_a = in.next_a * size, made.next_b = in.next_b * size;
  return made;
}

template <class T, input_layout layout>
line_source<T, layout> source_of(const engine::plan& each, const lines_of<T, layout>& in) {
  line_source<T, layout> source;
  source.lines = in, source.length = each.n;
  return source;
}

/// Whether elements are of one type that kernels convert by packs (with_converted_type), in native byte order.
/// Floats are carriers too, whose sums are compensated: for results that plain sums may leave open.
bool can_convert(const engine::plan& each) {
  const bool is_narrow =
      each.a.type != each.carrier || (each.carrier == element_type::float32 && each.result.precision() <= 24);
  const bool is_alike = each.info().inputs == 1 || (each.b.type == each.a.type && !each.b.swapped);
  const bool holds_terms =
      core::parts_of(each.a.type) == 1 || (each.term_info().factors == 1 && !each.info().needs_squares());
  return core::carrier_of(each.a.type) == each.carrier && is_narrow && holds_terms && is_alike && !each.a.swapped;
}
/// Whether lines are read in layout `converted`: contiguous ones.
bool can_convert_lines(const engine::plan& each) {
  return can_convert(each) && is_packed(to_any_operand(each.a)) &&
         (each.info().inputs == 1 || is_packed(to_any_operand(each.b)));
}
/// The same of columns: neighbours side by side, or of b one for all.
template <class T>
bool can_convert_columns(const engine::plan& each, const line_operands<T, input_layout::any>& in) {
  const auto size = static_cast<std::ptrdiff_t>(size_of(each.a.type));
  return can_convert(each) && in.next_a == size && (each.info().inputs == 1 || in.next_b == size || in.next_b == 0);
}

/// Few long lines that no kernel reads by neighbouring threads.
bool shares_any_lines(const storage_type& storage, const engine::plan& each, std::size_t count) {
  return splits_lines(bytes_of_line(each)) && count < 4 * static_cast<std::size_t>(storage.multiprocessors);
}

/// Variances of 64-bit integers, of lines in elements.
template <class T>
void enqueue_integer_moments(const storage_type& storage, const engine::plan& each,
                             line_source<T, input_layout::any> in, const line_results& out) {
  if constexpr (std::is_same_v<T, double>) {
    in.lines.first.log2_parts_a = in.lines.first.log2_parts_b = 0;
    in.lines.first.n = each.n;
    cuda::launch_integer_moments(storage, in, out, request_of(each));
  }
}

template <class T, input_layout layout>
void enqueue_segments_of(const storage_type& storage, const engine::plan& each, const line_source<T, layout>& in,
                         const line_results& out) {
  const std::size_t bytes = size_of(each.a.type);
  const line_request asked = request_of(each);
  if constexpr (layout == input_layout::any) {
    if (each.info().needs_squares() && each.has_parts()) return enqueue_integer_moments(storage, each, in, out);
  }
  if (each.info().needs_squares()) return cuda::launch_line_moments<T, layout>(storage, in, bytes, out, asked);
  cuda::launch_segments<T, layout>(storage, each.term, in, bytes, out, asked);
}

}  // namespace

template <class T>
void enqueue_any_lines(const storage_type&, const engine::plan&, const line_operands<T, input_layout::any>&,
                       const line_results&);

template <class T>
void enqueue_lines(const storage_type& storage, const engine::plan& each, const line_operands<T>& in,
                   const line_results& out) {
  constexpr auto contiguous = input_layout::contiguous, any = input_layout::any;
  const bool two = each.info().inputs == 2, is_moments = each.info().needs_squares();
  const bool by_rows = is_contiguous(in, two), by_columns = !by_rows && are_columns(in, two);
  if (by_rows && in.first.n > 1 && can_convert_lines(each)) {
    return enqueue_any_lines<T>(storage, each, to_any_lines(each, in), out);
  }
  if (is_moments) {
    const std::size_t bytes = sizeof(T);
    const line_request asked = request_of(each);
    if (by_columns) return cuda::launch_column_moments<T, input_layout::strided>(storage, in, out, asked);
    if (by_rows) {
      return cuda::launch_line_moments<T, contiguous>(storage, source_of<T, contiguous>(each, in), bytes, out,
                                                      asked);
    }
    const auto source = source_of<T, any>(each, to_any_lines(each, in));
    return cuda::launch_line_moments<T, any>(storage, source, bytes, out, asked);
  }
  // a repeated vector stays in the cache
  const std::size_t bytes = bytes_of_line(each) / (two && in.next_b == 0 ? 2 : 1);
  const bool spills = !two && sizeof(T) == sizeof(float);
  if (by_columns) {
    const bool are_short = are_short_columns(in.count, in.first.n, storage.multiprocessors);
    return are_short ? cuda::launch_short_columns<T>(storage, each.term, in, out)
                     : cuda::launch_columns<T, input_layout::strided>(storage, each.term, in, out);
  }
  if (by_rows) {
    if (!splits_rows(in.count, bytes, storage.multiprocessors, spills)) {
      return cuda::launch_lines<T, contiguous>(storage, each.term, in, out);
    }
    return cuda::launch_split_lines<T, contiguous>(storage, each.term, source_of<T, contiguous>(each, in), out);
  }
  if (!shares_any_lines(storage, each, in.count)) {
    return cuda::launch_lines<T, input_layout::strided>(storage, each.term, in, out);
  }
  const auto source = source_of<T, any>(each, to_any_lines(each, in));
  cuda::launch_split_lines<T, any>(storage, each.term, source, out);
}

template <class T>
void enqueue_any_lines(const storage_type& storage, const engine::plan& each,
                       const line_operands<T, input_layout::any>& in, const line_results& out) {
  const bool is_moments = each.info().needs_squares();
  if (is_moments && each.has_parts()) {
    return enqueue_integer_moments(storage, each, source_of<T, input_layout::any>(each, in), out);
  }
  const auto enqueue = [&]<input_layout layout>(std::integral_constant<input_layout, layout>, bool is_split) {
    const auto source = source_of<T, layout>(each, in);
    const std::size_t size = size_of(each.a.type);
    if (is_moments) return cuda::launch_line_moments<T, layout>(storage, source, size, out, request_of(each));
    if (is_split) return cuda::launch_split_lines<T, layout>(storage, each.term, source, out);
    cuda::launch_any_lines<T, layout>(storage, each.term, in, each.n * size, out);
  };
  if (in.axes.count == 0 && can_convert_lines(each)) {
    const bool repeats = each.info().inputs == 2 && in.next_b == 0;  // a vector that stays in the cache
    const std::size_t bytes = bytes_of_line(each) / (repeats ? 2 : 1);
    const bool is_split = splits_rows(in.count, bytes, storage.multiprocessors, false);
    return enqueue(std::integral_constant<input_layout, input_layout::converted>{}, is_split);
  }
  if (in.axes.count == 0 && can_convert_columns(each, in)) {
    constexpr auto converted = input_layout::converted;
    if (is_moments) return cuda::launch_column_moments<T, converted>(storage, in, out, request_of(each));
    return cuda::launch_columns<T, converted>(storage, each.term, in, out);
  }
  enqueue(std::integral_constant<input_layout, input_layout::any>{}, shares_any_lines(storage, each, in.count));
}

template void enqueue_lines(const storage_type&, const engine::plan&, const line_operands<float>&,
                            const line_results&);
template void enqueue_lines(const storage_type&, const engine::plan&, const line_operands<double>&,
                            const line_results&);
template void enqueue_any_lines(const storage_type&, const engine::plan&,
                                const line_operands<float, input_layout::any>&, const line_results&);
template void enqueue_any_lines(const storage_type&, const engine::plan&,
                                const line_operands<double, input_layout::any>&, const line_results&);

bool enqueue_moments_as_line(const storage_type& storage, const engine::plan& plan, const destination& to) {
  constexpr std::size_t least_bytes = std::size_t{1} << 18;  // of shorter ones the second launch is what takes time
  const bool is_narrow =
      plan.a.type != plan.carrier && can_convert_lines(plan) && bytes_of_line(plan) >= least_bytes;
  if (plan.n == 0 || !(plan.has_parts() || is_narrow)) return false;
  line_results out;
  out.first = static_cast<char*>(to.value), out.to = to;
  with_carrier(plan.carrier, [&]<class T>(T) {
    line_operands<T, input_layout::any> in;
    in.first = any_operands_of<T>(plan, plan.term_info()), in.count = 1;
    enqueue_any_lines<T>(storage, plan, in, out);
  });
  return true;
}

offset_array offsets_of(const any_offsets& x) {
  return {static_cast<const char*>(x.data), x.stride, size_of(x.type) == sizeof(std::uint64_t), is_signed(x.type)};
}

void enqueue_segments(const storage_type& storage, const engine::batch& of) {
  const engine::plan& each = of.each;
  line_results out;
  out.first = of.out, out.next = of.out_stride;
  out.to.rule = each.result, out.to.status = storage.status;
  with_carrier(each.carrier, [&]<class T>(T) {
    const auto fill = [&](auto& source) {
      source.lines.count = of.count, source.length = each.n;
      source.offsets = offsets_of(of.offsets);
    };
    const auto size = static_cast<std::ptrdiff_t>(sizeof(T));
    const bool is_packed = each.a.stride == size && each.b.stride == size;
    if (is_native(each) && is_packed && !can_convert_lines(each)) {
      line_source<T, input_layout::contiguous> in;
      in.lines.first.a = static_cast<const T*>(each.a.data), in.lines.first.b = static_cast<const T*>(each.b.data);
      fill(in);
      return enqueue_segments_of(storage, each, in, out);
    }
    const auto enqueue = [&]<input_layout layout>(line_source<T, layout> in) {
      in.lines.first = any_operands_of<T>(each, each.term_info());
      fill(in);
      enqueue_segments_of(storage, each, in, out);
    };
    if (can_convert_lines(each)) return enqueue(line_source<T, input_layout::converted>());
    enqueue(line_source<T, input_layout::any>());
  });
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

namespace {
/// Whether neighbouring results are made of neighbouring elements.
bool has_columns(const engine::batch& of) {
  const auto size = static_cast<std::ptrdiff_t>(size_of(of.each.a.type));
  const bool two = of.each.info().inputs == 2;
  return (is_native(of.each) || can_convert(of.each)) &&
         std::ranges::any_of(of.results, [&](const engine::shared_axis& x) {
           return x.a == size && (!two || x.b == size || x.b == 0);
         });
}
}  // namespace

bool is_vector_by_vector(const engine::batch& of, int multiprocessors) {
  constexpr std::size_t bytes_of_vector = std::size_t{1} << 28;
  const engine::plan& each = of.each;
  const std::size_t bytes = bytes_of_line(each);
  if (each.info().needs_squares() && each.has_parts()) return false;  // vectors read these integers several times
  if (each.contiguous || (!has_element_axes(of) && can_convert_lines(each))) {
    return bytes >= bytes_of_vector || (of.count == 1 && splits_lines(bytes));
  }
  return !has_columns(of) && is_vector_by_vector(of.count, bytes, multiprocessors);
}

}  // namespace exactdot::inline v0_3::cuda_engine
