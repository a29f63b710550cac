// Launches of the kernels of many vectors, of every shape and work, with a configuration that is compiled.
#pragma once

#include <cuda/core/line_tuning.hpp>
#include <cuda/host/launch.hpp>
#include <cuda/host/launch_kernel.hpp>
#include <cuda/shape/columns.cuh>
#include <cuda/shape/lines.cuh>
#include <cuda/shape/segments.cuh>
#include <cuda/shape/short_columns.cuh>
#include <cuda/work/moments.cuh>
#include <cuda/work/sum.cuh>
#include <utility>

namespace exactdot::inline v0_3::cuda {
namespace {

using namespace cuda_engine;

template <class Work, input_layout layout, int lanes, int threads, int in_flight, int resident>
constexpr auto kernel_of_lines() {
  if constexpr (lanes > 32) {
    return &long_line_kernel<Work, layout, threads, in_flight, resident>;
  } else {
    return &short_line_kernel<Work, layout, threads, lanes, in_flight, resident>;
  }
}

/// One launch by a row of a table, `rows`.
template <class Work, input_layout layout, const auto& rows, std::size_t row>
void launch_row(const workspace::storage& storage, const lines_of<typename Work::carrier, layout>& in,
                const line_results& out, const line_request& asked) {
  constexpr line_config config = rows[row].config;
  launch_kernel(
      storage, "launching the kernel of lines",
      {blocks_for(storage, in.count, config.lines_of_block(), config.blocks_per_multiprocessor), config.threads},
      kernel_of_lines<Work, layout, config.lanes, config.threads, config.in_flight, config.resident>(), in,
      bounds_of_line<Work, layout>(in.first.n, config.lanes, config.in_flight), out, asked);
}

/// `bytes`: of a line of one input, by which the rows of the table go.
template <class Work, input_layout layout, const auto& rows>
void launch_by_length(const workspace::storage& storage, const lines_of<typename Work::carrier, layout>& in,
                      std::size_t bytes, const line_results& out, const line_request& asked) {
  using launcher = void (*)(const workspace::storage&, const lines_of<typename Work::carrier, layout>&,
                            const line_results&, const line_request&);
  static constexpr auto launchers = []<std::size_t... row>(std::index_sequence<row...>) {
    return std::array<launcher, sizeof...(row)>{&launch_row<Work, layout, rows, row>...};
  }
  (std::make_index_sequence<rows.size()>());
  std::size_t row = 0;
  while (bytes > rows[row].max_bytes) ++row;
  launchers[row](storage, in, out, asked);
}

/// f(Term{}) with the term of this index.
template <class F>
void with_term_of_lines(std::size_t term, F f) {
  const auto call_if = [&]<class Term>(Term each) {
    if (term == core::term_index<Term>) f(each);
  };
  std::apply([&](auto... each) { (call_if(each), ...); }, core::term_types());
}

/// Of an element in memory.
template <class T, input_layout layout>
std::size_t bytes_of_element(const line_source<T, layout>& in) {
  if constexpr (converts<layout>) {
    return size_of(in.lines.first.a.type);
  } else {
    return sizeof(T);
  }
}

// Launches of the kernels of segments, split lines and split columns, for every work.

/// The lines that others left open. Of layout `converted`, but for lists, they are read one by one.
template <class Work, input_layout layout, int threads, class Source>
void launch_open_lines(const workspace::storage& storage, const Source& in, const line_results& out,
                       const line_request& asked) {
  if constexpr (layout == input_layout::converted && !has_table<Source>) {
    line_source<typename Work::carrier, input_layout::any> one_by_one;
    one_by_one.lines = in.lines, one_by_one.offsets = in.offsets, one_by_one.length = in.length;
    launch_open_lines<Work, input_layout::any, threads>(storage, one_by_one, out, asked);
  } else {
    launch_kernel(storage, "launching the kernel of open lines",
                  {2 * static_cast<unsigned>(storage.multiprocessors), threads},
                  open_line_kernel<typename Work::work_of_open_lines, layout, threads>, in, out, asked,
                  storage.lines);
  }
}

/// Lines that are split among all blocks, and those that they leave open. The lines are those of the list, or all.
template <class Work, input_layout layout>
void launch_split(const workspace::storage& storage, const typename Work::template source<layout>& in,
                  const split_plan& plan, const typename Work::results& out, const typename Work::request& asked) {
  constexpr block_config config = Work::template split<layout>;
  const unsigned blocks = std::min(static_cast<unsigned>(storage.multiprocessors * config.resident), config.most);
  launch_kernel(storage, "launching the kernel of long lines", {blocks, config.threads},
                split_line_kernel<Work, layout, config.threads, split_in_flight, config.resident>, in, plan, out,
                asked, storage.lines);
  if constexpr (adds_terms<Work>) launch_open_lines<Work, layout, config.threads>(storage, in, out, asked);
}

template <class Work, input_layout layout>
void launch_split_rows(const workspace::storage& storage, const typename Work::template source<layout>& in,
                       const typename Work::results& out, const typename Work::request& asked) {
  split_plan plan;
  const double all = static_cast<double>(in.lines.count) * static_cast<double>(in.length);
  plan.unit = std::max<std::uint64_t>(256, static_cast<std::uint64_t>(all * 0x1p-40));
  launch_split<Work, layout>(storage, in, plan, out, asked);
}

/// Segments; or lines of one length, all of which this kernel computes. `bytes`: of an element.
template <class Work, input_layout layout>
void launch_segments_of(const workspace::storage& storage, const typename Work::template source<layout>& in,
                        std::size_t bytes, const typename Work::results& out, const typename Work::request& asked) {
  constexpr segment_row row = Work::template segments<layout>;
  constexpr std::size_t warps = row.blocks.threads / 32;
  const std::size_t resident = static_cast<std::size_t>(storage.multiprocessors * row.blocks.resident);
  split_plan plan = plan_of_segments(in.lines.count, in.length, bytes, resident * warps);
  const bool is_grid = in.offsets.data == nullptr;
  if (is_grid) plan.long_from = in.length, plan.most_of_warp = ~std::uint64_t{0};
  launch_kernel(storage, "launching the kernel of segments",
                {blocks_for(storage, in.lines.count, warps * plan.of_warp, row.waves * row.blocks.resident),
                 row.blocks.threads},
                segment_kernel<Work, layout, row.blocks.threads, row.blocks.resident>, in, plan,
                bounds_of_segments<Work, layout>(plan.long_from, in.log2_parts()), out, asked, storage.lines,
                storage.bad_segment);
  if (in.length > plan.long_from) launch_split<Work, layout>(storage, in, plan, out, asked);
}

/// Columns by panels. `n`: their elements.
template <class Work, input_layout layout>
void launch_panels(const workspace::storage& storage, const typename Work::template columns<layout>& in,
                   std::size_t n, const typename Work::results& out, const typename Work::request& asked) {
  constexpr column_config of_thread = Work::template columns_of_thread<layout>;
  constexpr int threads = threads_of_panels, in_flight = of_thread.in_flight;
  const panel_config config = panel_for(of_thread, in.count, n, storage.multiprocessors, adds_terms<Work>);
  const auto columns = static_cast<std::size_t>(config.columns());
  const int lanes = threads / config.across();
  const std::size_t most = std::min<std::size_t>(max_split_blocks, max_partials / (columns * Work::sums));
  const std::size_t panels = config.panels(in.count),
                    parts = parts_of_columns(config, in.count, n, storage.multiprocessors, most);
  line_bounds bounds;
  if constexpr (adds_terms<Work>) {
    bounds = bounds_of_columns<Work>(share_rows(n, parts, lanes * in_flight).most(), lanes, in_flight,
                                     parts * columns / threads + 1);
  }
  const auto blocks =
      static_cast<unsigned>(std::min(panels * parts, static_cast<std::size_t>(storage.multiprocessors) * 12));
  launch_kernel(storage, "launching the kernel of columns", {blocks, threads},
                split_column_kernel<Work, layout, threads, of_thread.width, in_flight, of_thread.resident>, in,
                config.log2_across, static_cast<unsigned>(parts), bounds, out, asked, storage.lines);
  if constexpr (adds_terms<Work>) {
    if (parts == 1) return;
    line_source<typename Work::carrier, layout> lines;
    lines.lines = in, lines.length = n;
    launch_open_lines<Work, layout, threads>(storage, lines, out, asked);
  }
}

template <class Work, input_layout layout>
void launch_short_columns(const workspace::storage& storage, const typename Work::template columns<layout>& in,
                          std::size_t n, const typename Work::results& out, const typename Work::request& asked) {
  constexpr column_config of_thread = Work::template columns_of_thread<layout>;
  constexpr int threads = threads_of_short_columns(Work::sums), resident = of_thread.resident * 256 / threads;
  line_bounds bounds;
  if constexpr (adds_terms<Work>) bounds = bounds_of_line<Work, layout>(n, 1, of_thread.in_flight);
  launch_kernel(storage, "launching the kernel of short columns",
                {blocks_for(storage, in.count, threads * of_thread.width, 4 * resident), threads},
                short_column_kernel<Work, layout, threads, of_thread.width, of_thread.in_flight, resident>, in,
                bounds, out, asked);
}

/// Columns: lines side by side, short or not. `n`: their elements.
template <class Work, input_layout layout>
void launch_columns_of(const workspace::storage& storage, shape by,
                       const typename Work::template columns<layout>& in, std::size_t n,
                       const typename Work::results& out, const typename Work::request& asked) {
  if (by == shape::short_columns) return launch_short_columns<Work, layout>(storage, in, n, out, asked);
  launch_panels<Work, layout>(storage, in, n, out, asked);
}

}  // namespace

/// Sums of lines, for launch_lines.cu and launch_any_lines.cu. The rows of a layout go by the bytes of elements or,
/// of those that are converted one by one, of carriers.
template <class T, input_layout layout>
void launch_lines(const workspace::storage& storage, std::size_t term, const line_source<T, layout>& in,
                  const line_results& out) {
  const std::size_t bytes = in.lines.first.n * sizeof(T);
  with_term_of_lines(term, [&]<class Term>(Term) {
    using work = sum_work<T, Term, layout>;
    if constexpr (layout == input_layout::contiguous) {
      launch_by_length<work, layout, line_rows>(storage, in.lines, bytes, out, {});
    } else if constexpr (layout == input_layout::strided) {
      launch_by_length<work, layout, strided_line_rows>(storage, in.lines, bytes, out, {});
    } else if constexpr (layout == input_layout::converted) {
      launch_by_length<work, layout, packed_line_rows>(storage, in.lines, in.length * bytes_of_element(in), out,
                                                       {});
    } else {
      launch_by_length<work, layout, any_line_rows>(storage, in.lines, bytes, out, {});
    }
  });
}

}  // namespace exactdot::inline v0_3::cuda
