// Implementation of router.hpp. Thresholds are measured where they say so; the others are reasoned from bytes in
// flight and from the share of the memory's speed that one multiprocessor has.
#include <cuda/core/line_tuning.hpp>
#include <cuda/core/right_sides.hpp>
#include <cuda/group/rows.hpp>
#include <cuda/host/operands.hpp>
#include <cuda/host/router.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Of all inputs.
std::size_t bytes_of_vector(const vectors_of_call& call) {
  return call.n * call.bytes * static_cast<std::size_t>(call.inputs);
}

/// Few long lines whose elements are read one by one: whole ones would leave most multiprocessors idle.
bool are_few_and_long(const vectors_of_call& call, std::size_t bytes) {
  return splits_lines(bytes) && call.of_launch < 4 * static_cast<std::size_t>(call.multiprocessors);
}

/// Columns of extreme elements that several blocks share.
bool splits_extremum_columns(const vectors_of_call& call) {
  const panel_config config =
      panel_for(columns_of_extrema<8, input_layout::any>(), call.of_launch, call.n, call.multiprocessors, false);
  return parts_of_columns(config, call.of_launch, call.n, call.multiprocessors, max_split_blocks) > 1;
}

/// Whether readings of the rows for up to 16 vectors take less time than a launch for each vector, in which all
/// multiprocessors share the rows. A block reads whole rows, so that few blocks take the time of a row: less than the
/// launches for rows of up to 4 KiB for each vector but one. For 2 vectors of rows below 256 bytes readings took 1.3 to
/// 2 times as long (8 to 4096 rows of 16 to 32768 elements, H200, 2026-11-29).
bool takes_right_sides(const vectors_of_call& call) {
  const std::size_t bytes = call.n * call.bytes;
  if (call.right_sides <= 1) return false;
  if (call.right_sides == 2 && bytes < 256) return false;
  const bool fills_gpu = call.of_launch * call.right_sides >= 32 * static_cast<std::size_t>(call.multiprocessors);
  return fills_gpu || bytes <= 4096 * (std::min(call.right_sides, max_right_sides) - 1);
}

bool takes_vectors(const vectors_of_call& call) {
  constexpr std::size_t bytes_of_vectors = std::size_t{1} << 28;
  if (call.lie == arrangement::axes) return false;
  switch (call.computes) {
    case line_work::state:
    case line_work::integer_moments:  // the kernel of vectors reads these integers several times
      return false;
    case line_work::extremum:
      return is_vector_by_vector(call.vectors, call.n * call.bytes, call.multiprocessors) &&
             !(call.lie == arrangement::columns && splits_extremum_columns(call));
    default:
      break;
  }
  const std::size_t bytes = bytes_of_vector(call);
  if (call.lie == arrangement::rows && (call.are_carriers || call.convert_by_packs)) {
    return bytes >= bytes_of_vectors || (call.vectors == 1 && splits_lines(bytes));
  }
  return !call.have_columns && is_vector_by_vector(call.vectors, bytes, call.multiprocessors);
}

/// Of rows that are read by neighbouring lanes.
input_layout layout_of_rows(const vectors_of_call& call) {
  // a vector of one element is a row of carriers whatever its stride
  if (call.convert_by_packs && !(call.are_carriers && call.n <= 1)) return input_layout::converted;
  return call.are_carriers ? input_layout::contiguous : input_layout::any;
}

/// Columns of carriers, or of elements that are converted by packs; of floats the latter if their results allow it,
/// but for sums of long columns: 2^22 x 8 took 1.17 times as long (H100, 2026-11-27).
route route_of_columns(const vectors_of_call& call) {
  const bool are_short = are_short_columns(call.of_launch, call.n, call.convert_by_packs, call.multiprocessors);
  const bool gain = are_short || !call.are_carriers || call.computes == line_work::moments;
  return {are_short ? shape::short_columns : shape::columns,
          call.convert_by_packs && gain ? input_layout::converted : input_layout::strided};
}

route route_of_sums(const vectors_of_call& call) {
  const std::size_t bytes = bytes_of_vector(call);
  const bool reads_packs = call.are_carriers || call.convert_by_packs;
  if (call.lie == arrangement::rows && reads_packs) {
    const input_layout layout = layout_of_rows(call);
    const bool spills = layout == input_layout::contiguous && call.inputs == 1 && call.bytes == sizeof(float);
    const bool is_split = splits_rows(call.of_launch, bytes / (call.repeats_b ? 2 : 1), call.multiprocessors,
                                      spills, layout == input_layout::converted ? row_reading::packs : row_reading::words);
    return {is_split ? shape::split_lines : shape::lines, layout};
  }
  if (call.lie == arrangement::columns && reads_packs) return route_of_columns(call);
  if (are_few_and_long(call, bytes)) return {shape::split_lines, input_layout::any};
  const bool are_strided = call.are_carriers && call.lie != arrangement::axes;
  return {shape::lines, are_strided ? input_layout::strided : input_layout::any};
}

route route_of_moments(const vectors_of_call& call) {
  if (call.lie == arrangement::columns && call.computes == line_work::moments &&
      (call.are_carriers || call.convert_by_packs)) {
    return route_of_columns(call);
  }
  const bool are_rows = call.lie == arrangement::rows && call.computes == line_work::moments;
  const input_layout layout = are_rows ? layout_of_rows(call) : input_layout::any;
  if (splits_moments(call.of_launch, call.n * call.bytes, call.multiprocessors))
    return {shape::split_lines, layout};
  return {layout == input_layout::converted ? shape::lines : shape::segments, layout};
}

route route_of_extrema(const vectors_of_call& call) {
  if (call.lie == arrangement::rows) {
    const row_reading how = call.bytes < 4 ? row_reading::narrow_elements : row_reading::words;
    const bool is_split = splits_rows(call.of_launch, call.n * call.bytes, call.multiprocessors, false, how);
    return {is_split ? shape::split_lines : shape::lines, input_layout::contiguous};
  }
  constexpr auto any = input_layout::any;
  if (call.lie == arrangement::columns) {
    return {are_short_columns(call.of_launch, call.n, true, call.multiprocessors) ? shape::short_columns
                                                                                  : shape::columns,
            any};
  }
  return {call.lie == arrangement::axes && splits_extremum_columns(call) ? shape::columns : shape::lines, any};
}

route route_of_states(const vectors_of_call& call) {
  /// A warp has a line up to this length, otherwise a block: reasoned from the conversion of each warp's
  /// expansions, which takes as long as a warp's lanes read some hundred elements each.
  constexpr std::size_t longest_of_warp = 4096;
  const bool are_strided = call.are_carriers && call.lie != arrangement::axes;
  const input_layout layout = are_strided ? input_layout::strided : input_layout::any;
  if (call.are_segments) return {shape::segments, layout};
  if (are_few_and_long(call, call.n * call.carrier_bytes * static_cast<std::size_t>(call.inputs))) {
    return {shape::split_lines, layout};
  }
  return {call.n << call.log2_parts <= longest_of_warp ? shape::segments : shape::lines, layout};
}

/// Of sums, moments and extreme elements.
route route_of_segments(const vectors_of_call& call) {
  const bool are_packed = call.lie == arrangement::rows && call.computes != line_work::integer_moments;
  if (are_packed && call.convert_by_packs) return {shape::segments, input_layout::converted};
  return {shape::segments, are_packed && call.are_carriers ? input_layout::contiguous : input_layout::any};
}

/// Whether elements are of one type that kernels convert by packs (with_converted_type), in native byte order.
/// Floats are carriers too, whose sums are compensated: for results that plain sums may leave open.
bool convert_by_packs(const engine::plan& each) {
  if (each.info().is_extremum) return false;
  const bool is_narrow =
      each.a.type != each.carrier || (each.carrier == element_type::float32 && each.result.precision() <= 24);
  const bool is_alike = each.info().inputs == 1 || (each.b.type == each.a.type && !each.b.swapped);
  const bool is_float8 = !is_integer(each.a.type) && size_of(each.a.type) == 1;
  if (is_float8 && each.info().needs_squares()) return false;
  const bool holds_terms =
      core::parts_of(each.a.type) == 1 || (each.term_info().factors == 1 && !each.info().needs_squares());
  return core::carrier_of(each.a.type) == each.carrier && is_narrow && holds_terms && is_alike && !each.a.swapped;
}

/// Whether kernels of columns do so with floats of 16 bits beside those of 32.
bool convert_mixed_columns(const engine::plan& each) {
  const auto is_half = [](element_type type) {
    return type == element_type::float16 || type == element_type::bfloat16;
  };
  return each.info().inputs == 2 && !each.info().is_extremum && !each.info().needs_squares() &&
         each.carrier == element_type::float32 && each.result.precision() <= 24 && is_half(each.a.type) &&
         each.b.type == element_type::float32 && !each.a.swapped && !each.b.swapped;
}

std::ptrdiff_t bytes_of(const engine::operand& x) { return static_cast<std::ptrdiff_t>(size_of(x.type)); }

bool are_columns(const engine::plan& each, const engine::shared_axis& lines) {
  const bool two = each.info().inputs == 2;
  return lines.a == bytes_of(each.a) && (!two || lines.b == bytes_of(each.b) || lines.b == 0);
}

arrangement arrangement_of(const engine::plan& each, const engine::shared_axis& lines, bool is_one_row) {
  const bool two = each.info().inputs == 2;
  const bool follow = each.a.stride == bytes_of(each.a) && (!two || each.b.stride == bytes_of(each.b));
  if (is_one_row || (follow && !(each.info().is_extremum && each.a.swapped))) return arrangement::rows;
  return are_columns(each, lines) ? arrangement::columns : arrangement::strided;
}

/// Of the addends that an element makes.
int log2_parts_of(const engine::plan& each, const core::term_info& term) {
  return core::parts_of(each.a.type) - 1 + (term.inputs == 2 ? core::parts_of(each.b.type) - 1 : 0);
}

line_work work_of(const engine::plan& each) {
  if (each.info().is_extremum) return line_work::extremum;
  if (!each.info().needs_squares()) return line_work::sum;
  return each.has_parts() ? line_work::integer_moments : line_work::moments;
}

}  // namespace

route route_of_lines(const vectors_of_call& call) {
  if (call.computes == line_work::state) return route_of_states(call);
  if (call.are_segments) return route_of_segments(call);
  if (call.computes == line_work::extremum) return route_of_extrema(call);
  return call.computes == line_work::sum ? route_of_sums(call) : route_of_moments(call);
}

route route_of(const vectors_of_call& call) {
  if (takes_right_sides(call)) return {shape::right_sides, input_layout::contiguous};
  if (!call.are_segments && takes_vectors(call)) return {shape::vectors, input_layout::contiguous};
  return route_of_lines(call);
}

bool is_moments_of_line(const vectors_of_call& call) {
  constexpr std::size_t min_bytes = std::size_t{1} << 18;
  if (call.n == 0) return false;
  if (call.computes == line_work::integer_moments) return true;
  return call.computes == line_work::moments && !call.are_carriers && call.convert_by_packs &&
         call.lie == arrangement::rows && bytes_of_vector(call) >= min_bytes;
}

vectors_of_call describe(const engine::batch& of, const engine::shared_axis& lines, int multiprocessors) {
  const engine::plan& each = of.each;
  vectors_of_call call;
  call.computes = work_of(each);
  call.are_segments = of.offsets.data != nullptr;
  call.are_carriers =
      each.a.type == each.carrier && each.b.type == each.carrier && !each.a.swapped && !each.b.swapped;
  call.convert_by_packs = convert_by_packs(each);
  call.inputs = each.info().inputs, call.bytes = size_of(each.a.type);
  call.repeats_b = call.inputs == 2 && lines.b == 0;
  call.carrier_bytes = size_of(each.carrier);
  if (!each.info().is_extremum) call.log2_parts = log2_parts_of(each, each.term_info());
  call.of_launch = lines.n, call.vectors = of.count, call.n = each.n, call.multiprocessors = multiprocessors;
  const bool is_element = call.are_carriers || each.info().is_extremum;
  const bool is_one_row = !call.are_segments && each.n <= 1 && is_element && !each.a.swapped;
  call.lie = of.outer_a.empty() ? arrangement_of(each, lines, is_one_row) : arrangement::axes;
  call.convert_by_packs = call.convert_by_packs ||
                          (call.lie == arrangement::columns && !call.are_segments && convert_mixed_columns(each));
  if (const auto right = right_sides_of(of, lines)) call.right_sides = of.results[right->position].n;
  call.have_columns = (call.are_carriers || call.convert_by_packs) &&
                      std::ranges::any_of(of.results, [&](const auto& axis) { return are_columns(each, axis); });
  return call;
}

std::optional<right_sides_axis> right_sides_of(const engine::batch& of, const engine::shared_axis& lines) {
  const engine::plan& each = of.each;
  if (!of.is_grid() || of.states != nullptr || each.info().inputs != 2 || each.info().is_extremum || each.n == 0)
    return {};
  if (has_element_axes(of) || each.a.swapped || each.b.swapped || each.a.type != each.b.type) return {};
  // products of doubles take more arithmetic than a reading for each vector (docs/experiments.md)
  const bool holds_products =
      !is_integer(each.a.type) && each.carrier == element_type::float32 && size_of(each.a.type) > 1;
  if (!holds_products || each.result.precision() > 24) return {};
  for (std::size_t k = 0; k < of.results.size(); ++k) {
    const engine::shared_axis& other = of.results[k];
    if (lines.b == 0 && lines.a != 0 && other.a == 0 && other.b != 0 && each.a.stride == bytes_of(each.a)) {
      return right_sides_axis{k, true};
    }
    if (lines.a == 0 && lines.b != 0 && other.b == 0 && other.a != 0 && each.b.stride == bytes_of(each.b)) {
      return right_sides_axis{k, false};
    }
  }
  return {};
}

vectors_of_call describe_states(const engine::batch& of, const engine::shared_axis& lines,
                                const core::term_info& term, int multiprocessors) {
  vectors_of_call call = describe(of, lines, multiprocessors);
  call.computes = line_work::state;
  call.inputs = term.inputs, call.log2_parts = log2_parts_of(of.each, term);
  return call;
}

bool takes_rows(const engine::batch& of) {
  constexpr std::size_t end = std::size_t{1} << 31;
  const engine::plan& each = of.each;
  if (of.is_count || of.columns.size() != 1 || each.info().is_extremum) return false;
  if (of.column_count < 2 || of.column_count >> 31 != 0 || of.keys.n >= end || of.keys.groups >= max_groups)
    return false;
  const bool has_kernel = work_of(each) != line_work::sum ? has_kernel_of_row_moments(each.a.type)
                                                          : has_kernel_of_rows(each.a.type, each.term_info());
  const bool is_double = each.a.type == element_type::float64 && each.carrier == element_type::float64;
  if (!has_kernel || each.a.swapped || of.columns[0].a != bytes_of(each.a)) return false;
  if (each.info().inputs == 1) return is_double || convert_by_packs(each);
  const bool are_weights = of.columns[0].b == 0 && !each.b.swapped && !is_integer(each.b.type);
  return are_weights && each.carrier == core::carrier_of(each.a.type) && each.bounded_sum_can_decide;
}

vectors_of_call describe(const engine::plan& one, int multiprocessors) {
  engine::batch of;
  of.each = one, of.count = 1;
  return describe(of, one_line, multiprocessors);
}

}  // namespace exactdot::inline v0_3::cuda_engine
