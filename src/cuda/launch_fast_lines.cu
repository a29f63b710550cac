// The kernels of mode fast of lines and segments of one carrier, EXACTDOT_ELEMENT, and one term, EXACTDOT_TERM, for
// every configuration that fast_line_tuning.hpp names, and the choice among them. One object for each pair.
#include <cuda/configured_segment_works.cuh>
#include <cuda/fast_launch.hpp>
#include <cuda/fast_line_kernel.cuh>
#include <cuda/fast_line_tuning.hpp>
#include <cuda/split_fast_column_kernel.cuh>

namespace exactdot::inline v0_3::cuda {
namespace {

using namespace cuda_engine;

constexpr const char* what = "launching mode fast of lines";

/// The kernel's parameter. Only the kernel of shared columns is compiled for several axes of elements.
template <class T, input_layout layout>
using fast_lines_of = std::conditional_t<layout == input_layout::contiguous || layout == input_layout::strided,
                                         line_operands<T>, one_stride_lines<T>>;

/// One launch by a row of a table, `rows`.
template <class T, class Term, input_layout layout, const auto& rows, std::size_t row>
void launch_fast_row(const workspace::storage& storage, const fast_lines_of<T, layout>& in,
                     const line_results& out) {
  constexpr fast_line_row config = rows[row];
  static_assert(config.is_sound());
  using lines = fast_lines_of<T, layout>;
  const launch_shape shape{blocks_for(storage, in.count, config.lines_of_block(), config.blocks_per_multiprocessor),
                           config.threads};
  if constexpr (config.lanes > 32) {
    launch_kernel(storage, what, shape,
                  long_fast_line_kernel<T, Term, layout, config.threads, config.stripes, config.resident, lines>,
                  in, log2_tiles_of_warp(tiles_of<T>(in.first.n), config.threads), out);
  } else {
    using tile = tile_shape<config.lanes, config.packs, config.stripes>;
    launch_kernel(storage, what, shape,
                  short_fast_line_kernel<T, Term, layout, config.threads, tile, config.resident, lines>, in, out);
  }
}

template <class T, class Term, input_layout layout, const auto& rows>
void launch_fast_by_length(const workspace::storage& storage, const fast_lines_of<T, layout>& in,
                           const line_results& out) {
  using launcher = void (*)(const workspace::storage&, const fast_lines_of<T, layout>&, const line_results&);
  static constexpr auto launchers = []<std::size_t... row>(std::index_sequence<row...>) {
    return std::array<launcher, sizeof...(row)>{&launch_fast_row<T, Term, layout, rows, row>...};
  }
  (std::make_index_sequence<rows.size()>());
  const std::size_t bytes = in.first.n * sizeof(T);
  std::size_t row = 0;
  while (bytes > rows[row].max_bytes) ++row;
  launchers[row](storage, in, out);
}

template <class T, class Term, input_layout layout, const column_config& config>
void launch_fast_columns(const workspace::storage& storage, const fast_lines_of<T, layout>& in,
                         const line_results& out) {
  const auto columns = static_cast<std::size_t>(config.columns);
  launch_kernel(storage, what,
                {blocks_for(storage, in.count, columns, config.blocks_per_multiprocessor), config.threads},
                fast_column_kernel<T, Term, layout, config.threads, config.columns, sums_of_thread<T>(config),
                                   config.resident, fast_lines_of<T, layout>>,
                in, out);
}

/// Few long columns, which blocks share, and lines along several axes.
template <class T, class Term>
void launch_split_columns(const workspace::storage& storage, const line_operands<T, input_layout::any>& in,
                          const column_parts& shared, const line_results& out) {
  constexpr column_config config = fast_split_column_config;
  const unsigned blocks =
      shared.parts > 1 ? static_cast<unsigned>((in.count + config.columns - 1) / config.columns) * shared.parts
                       : blocks_for(storage, in.count, config.columns, config.blocks_per_multiprocessor);
  launch_kernel(storage, what, {blocks, config.threads},
                split_fast_column_kernel<T, Term, config.threads, config.columns, sums_of_thread<T>(config),
                                         config.resident, line_operands<T, input_layout::any>>,
                in, shared.log2_tiles, shared.parts, out, storage.lines);
}

template <class T, class Term>
void launch_native(const workspace::storage& storage, const line_operands<T>& in, const line_results& out) {
  constexpr auto contiguous = input_layout::contiguous, strided = input_layout::strided;
  constexpr bool two = Term::inputs == 2;
  if (in.first.n <= 1 || (in.first.stride_a == 1 && (!two || in.first.stride_b == 1))) {
    return launch_fast_by_length<T, Term, contiguous, fast_line_rows>(storage, in, out);
  }
  if (in.next_a == 1 && (!two || in.next_b == 1 || in.next_b == 0)) {
    constexpr std::array launchers = {&launch_fast_columns<T, Term, strided, fast_column_configs[0]>,
                                      &launch_fast_columns<T, Term, strided, fast_column_configs[1]>,
                                      &launch_fast_columns<T, Term, strided, fast_column_configs[2]>};
    return launchers[fast_columns_for(in.count, in.first.n, storage.multiprocessors)](storage, in, out);
  }
  launch_fast_by_length<T, Term, strided, fast_strided_line_rows>(storage, in, out);
}

template <class T, class Term>
void launch_any(const workspace::storage& storage, const line_operands<T, input_layout::any>& in,
                const line_results& out) {
  constexpr bool two = Term::inputs == 2;
  const any_operand &a = in.first.a, &b = in.first.b;
  if constexpr (std::is_same_v<T, float>) {
    if (in.axes.count == 0 && can_convert_tiles<T, Term>(a, b)) {
      return launch_fast_by_length<T, Term, input_layout::converted, fast_converted_line_rows>(storage, in, out);
    }
  }
  const auto is_column = [](const any_operand& x, std::ptrdiff_t next) {
    return next == static_cast<std::ptrdiff_t>(size_of(x.type));
  };
  const bool are_columns = is_column(a, in.next_a) && (!two || is_column(b, in.next_b) || in.next_b == 0);
  const column_parts shared =
      parts_of_fast_columns(in.count, in.first.n, order_v1<T>::tile, storage.multiprocessors);
  if (in.axes.count != 0 || (are_columns && shared.parts > 1)) {
    return launch_split_columns<T, Term>(storage, in, shared, out);
  }
  if (are_columns) {
    return launch_fast_columns<T, Term, input_layout::any, fast_any_column_config>(storage, in, out);
  }
  launch_fast_by_length<T, Term, input_layout::any, fast_any_line_rows>(storage, in, out);
}

}  // namespace

template <class T, class Term>
void launch_fast_lines_of(const workspace::storage& storage, const line_operands<T>& in, const line_results& out) {
  launch_native<T, Term>(storage, in, out);
}

template <class T, class Term>
void launch_fast_any_lines_of(const workspace::storage& storage, const line_operands<T, input_layout::any>& in,
                              const line_results& out) {
  launch_any<T, Term>(storage, in, out);
}

template <class T, input_layout loads, class Term>
void launch_fast_segments_of(const workspace::storage& storage, const operands<T, loads>& vector,
                             const segment_spans& in, const line_results& out) {
  constexpr auto layout = loads == input_layout::strided ? input_layout::contiguous : input_layout::any;
  launch_work(storage, fast_sum_of_segments<T, Term, layout>{vector, out}, in, sizeof(T), false);
}

using carrier = EXACTDOT_ELEMENT;
using term = core::EXACTDOT_TERM;
template void launch_fast_lines_of<carrier, term>(const workspace::storage&, const line_operands<carrier>&,
                                                  const line_results&);
template void launch_fast_any_lines_of<carrier, term>(const workspace::storage&,
                                                      const line_operands<carrier, input_layout::any>&,
                                                      const line_results&);
template void launch_fast_segments_of<carrier, input_layout::strided, term>(
    const workspace::storage&, const operands<carrier, input_layout::strided>&, const segment_spans&,
    const line_results&);
template void launch_fast_segments_of<carrier, input_layout::any, term>(const workspace::storage&,
                                                                        const operands<carrier, input_layout::any>&,
                                                                        const segment_spans&, const line_results&);

}  // namespace exactdot::inline v0_3::cuda
