// The kernels of extreme elements of lines and segments for elements of EXACTDOT_ELEMENT_BYTES bytes, for every
// configuration that core/line_tuning.hpp names. One object per size: few long rows have the kernel of long
// segments.
#include <cuda/core/line_tuning.hpp>
#include <cuda/host/launch_configured_lines.cuh>
#include <cuda/work/extremum_work.cuh>

namespace exactdot::inline v0_3::cuda {
namespace {

constexpr const char* what = "launching the search for extreme elements of lines";

template <int bytes, bool with_index, input_layout layout, line_config config>
constexpr auto kernel_of_extrema() {
  if constexpr (config.lanes > 32) {
    return &long_line_extremum_kernel<bytes, with_index, layout, config.threads, config.in_flight, config.resident,
                                      element_lines>;
  } else {
    return &short_line_extremum_kernel<bytes, with_index, layout, config.threads, config.lanes, config.in_flight,
                                       config.resident, element_lines>;
  }
}

using launcher = void (*)(const workspace::storage&, const element_lines&, const rank_rule&,
                          const extremum_results&);

template <int bytes, bool with_index, input_layout layout, const auto& rows, std::size_t row>
void launch_row(const workspace::storage& storage, const element_lines& in, const rank_rule& rule,
                const extremum_results& out) {
  constexpr line_config config = rows[row].config;
  launch_kernel(
      storage, what,
      {blocks_for(storage, in.count, config.lines_of_block(), config.blocks_per_multiprocessor), config.threads},
      kernel_of_extrema<bytes, with_index, layout, config>(), in, rule, out);
}

/// By words if that serves: not for indices. The kernel of single elements finds both.
template <int bytes, bool with_index, shape by>
void launch_columns(const workspace::storage& storage, const element_lines& in, const rank_rule& rule,
                    const extremum_results& out) {
  const extremum_request asked{rule};
  if constexpr (!with_index) {
    if (!in.swapped && in.axes.count == 0) {
      return launch_columns_of<extremum_of_line<bytes, false>, input_layout::contiguous>(storage, by, in, in.n, out,
                                                                                         asked);
    }
  }
  launch_columns_of<extremum_of_line<bytes, true>, input_layout::any>(storage, by, in, in.n, out, asked);
}

/// Few long rows: blocks share them.
template <int bytes, bool with_index>
void launch_shared_rows(const workspace::storage& storage, const element_lines& in, const rank_rule& rule,
                        const extremum_results& out) {
  element_source rows;
  rows.lines = {in.first, in.stride, in.count, in.swapped, in.next / bytes}, rows.length = in.n;
  launch_split_rows<extremum_of_line<bytes, with_index>, input_layout::contiguous>(storage, rows, out, {rule});
}

template <int bytes, bool with_index, input_layout layout, const auto& rows>
launcher launcher_of_lines(std::size_t line_bytes) {
  static constexpr auto launchers = []<std::size_t... row>(std::index_sequence<row...>) {
    return std::array<launcher, sizeof...(row)>{&launch_row<bytes, with_index, layout, rows, row>...};
  }
  (std::make_index_sequence<rows.size()>());
  std::size_t row = 0;
  while (line_bytes > rows[row].max_bytes) ++row;
  return launchers[row];
}

template <int bytes, bool with_index>
launcher launcher_of(const route& chosen, const element_lines& in) {
  constexpr auto contiguous = input_layout::contiguous, any = input_layout::any;
  switch (chosen.by) {
    case shape::split_lines:
      return &launch_shared_rows<bytes, with_index>;
    case shape::columns:
      return &launch_columns<bytes, with_index, shape::columns>;
    case shape::short_columns:
      return &launch_columns<bytes, with_index, shape::short_columns>;
    default:
      return chosen.layout == contiguous
                 ? launcher_of_lines<bytes, with_index, contiguous, extremum_line_rows>(in.n * bytes)
                 : launcher_of_lines<bytes, with_index, any, extremum_strided_rows>(in.n * bytes);
  }
}

}  // namespace

template <int bytes>
void launch_line_extrema(const workspace::storage& storage, const route& chosen, const element_lines& in,
                         const rank_rule& rule, const extremum_results& out) {
  const launcher launch =
      out.gives_index ? launcher_of<bytes, true>(chosen, in) : launcher_of<bytes, false>(chosen, in);
  launch(storage, in, rule, out);
}

template <int bytes>
void launch_extremum_segments(const workspace::storage& storage, input_layout layout, const element_source& in,
                              const extremum_request& asked, const extremum_results& out) {
  constexpr auto contiguous = input_layout::contiguous, any = input_layout::any;
  using element = extremum_of_line<bytes, false>;
  using index = extremum_of_line<bytes, true>;
  const bool is_packed = layout == contiguous;
  const auto launch =
      out.gives_index ? (is_packed ? &launch_segments_of<index, contiguous> : &launch_segments_of<index, any>)
                      : (is_packed ? &launch_segments_of<element, contiguous> : &launch_segments_of<element, any>);
  launch(storage, in, bytes, out, asked);
}

template void launch_line_extrema<EXACTDOT_ELEMENT_BYTES>(const workspace::storage&, const route&,
                                                          const element_lines&, const rank_rule&,
                                                          const extremum_results&);
template void launch_extremum_segments<EXACTDOT_ELEMENT_BYTES>(const workspace::storage&, input_layout,
                                                               const element_source&, const extremum_request&,
                                                               const extremum_results&);

}  // namespace exactdot::inline v0_3::cuda
